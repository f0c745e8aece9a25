// sparse_sums.cc - a matrix of zeros to which entries were added, times a vector, is a sum over the entries.
//
//   let a = hist k \.. -> (i, j, v) into [zeros [n, m]] (add)                                                          E12
//   let y = map n \row.. -> .. reduce (+) 0 (map2 (\e x -> e * x) row x) .. [a]
//   ==>
//   let s = hist k \.. -> (i, if [i, j] is inside then v * x[j] else 0) into [zeros [n]] (add)
//   let y = map n \s.. -> .. s .. [s]
//
// The rows may be those of the transposed matrix, or read as a[i, j]. The other factor may depend on i, too, by a few steps. So a program that
// is written for a dense matrix costs what there are entries, if the matrix comes from a sparse format (`csr.to_dense`). Nobody else uses
// the matrix, and both stand in one body: then each entry is looked at once, as before. Sums of floats change their order, and a zero
// times what is not finite is left out, so --fp-strict keeps them (docs/decisions/059-entries-of-matrices.md).
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/fusion/early_sums.h"

namespace raido {
namespace {

using namespace ir;

class SparseSums {
 public:
  SparseSums(Program& p, PassContext& context) : p_(p), context_(context), made_(p), aliases_(p), own_(aliases_.own_memory()) {
    p.each_body([&](const Body& b) { uses_.add(p, b); });
  }

  void body(Body& whole) {
    VarSet here;
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      for (Bind made : s.pattern) here.insert(made.var);
      if (auto map = std::get_if<Screma>(&s.exp); map && is_map(*map)) over_entries(b, s, *map, here);
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  const Definitions made_;
  const Aliases aliases_;
  const VarSet own_;                                     // roots whose memory is consumed
  Uses uses_;

  // A matrix of entries; `outer`: the dimension over which the map runs.
  struct Matrix {
    const Stm* hist;
    size_t outer;
  };
  // Of a map, a sum in its body that has a factor in the matrix.
  struct Sum {
    Matrix matrix;
    Stm *sum, *product;                                  // the same, if they are one operation
    Lambda* factors;                                     // of the elements
    std::optional<size_t> input;                         // of the product, which is the row; none: the statement reads the matrix
    size_t statement = 0;
    std::vector<const Stm*> before;                      // what else in the body the product needs
  };

  bool is_zero(const Atom& a) const {
    auto c = const_of(a);
    if (c) return c->bits == 0;
    auto rows = made_.get<Replicate>(a);
    return rows && is_zero(rows->value);
  }
  bool counts(Var v) const {
    auto iota = made_.get<Iota>(v);
    return iota && is_const(iota->start, 0) && is_const(iota->step, 1);
  }
  static bool is_plain(const Stm& s) { return s.checks.empty() && (is_step(s.exp) || is_view(s.exp)); }

  std::optional<Matrix> matrix_of(Var v, const VarSet& here) const {
    if (uses_.of(v) != 1) return {};
    if (auto turned = made_.get<Permute>(v)) {
      auto m = turned->dims.size() == 2 && turned->dims[0] == 1 ? matrix_of(turned->array, here) : std::nullopt;
      if (m) m->outer = 1 - m->outer;
      return m;
    }
    auto x = made_.get<Hist>(v);
    if (!x || !here.contains(v) || x->dests.size() != 1 || x->dests[0].arrays.size() != 1 || x->dests[0].rank != 2) return {};
    const Dest& d = x->dests[0];
    const Type& t = p_.type(d.arrays[0]);
    if (!d.combine || !d.combine->shape.empty() || scalar_operator(p_, *d.combine) != ScalarOp::add || !is_zero(d.arrays[0])) return {};
    if (shape_of(t).size() != 2 || (context_.options.strict_fp && is_float(elem_of(t)))) return {};
    for (Var free : free_vars(p_, x->pre)) if (is_consumed(free)) return {};
    if (std::ranges::any_of(x->inputs, [&](Var in) { return is_consumed(in); })) return {};
    return Matrix{made_.of(v), 0};
  }
  bool is_consumed(Var v) const {
    return is_array(p_.type(v)) && std::ranges::any_of(aliases_.roots(v), [&](Var root) { return own_.contains(root); });
  }

  // reduce (+) 0 of one operand.
  bool is_sum(const Stm& s) const {
    auto x = std::get_if<Screma>(&s.exp);
    if (!x || !s.checks.empty() || s.pattern.size() != 1 || x->reduces.size() != 1 || !x->scans.empty() || !x->post_reduces.empty()) return false;
    if (!identity_post(*x) || x->pre.body.result.size() != 1) return false;
    const Combine& c = x->reduces[0];
    return c.shape.empty() && scalar_operator(p_, c) == ScalarOp::add && is_zero(c.neutral[0]);
  }
  // Whether the result is a product that has the variable once.
  bool is_factor(const Lambda& f, Var v) const {
    Atom now = v;
    for (const Stm& s : f.body.stms) {
      const size_t uses = count_uses(p_, s, *var_of(now));
      if (uses == 0) continue;
      auto x = std::get_if<Apply>(&s.exp);
      if (uses != 1 || !x || x->op != ScalarOp::mul) return false;
      now = s.pattern[0].var;
    }
    return f.body.result[0] == now && now != Atom(v);
  }

  std::optional<Sum> sum_in(Screma& map, const VarSet& here) const {
    std::vector<Stm*> stms;
    for (Stm& s : map.pre.body.stms) stms.push_back(&s);
    for (size_t k = 0; k < stms.size(); k++) {
      if (!is_sum(*stms[k])) continue;
      const Screma& reduce = std::get<Screma>(stms[k]->exp);
      size_t at = k;
      if (is_identity(reduce.pre)) {
        Var operand = reduce.inputs[0];
        for (size_t j = 0; j < k; j++) if (binds(*stms[j], operand)) at = j;
        auto product = std::get_if<Screma>(&stms[at]->exp);
        if (at == k || uses_.of(operand) != 1 || !product || !is_map(*product) || !identity_post(*product) || stms[at]->pattern.size() != 1) continue;
      }
      if (!stms[at]->checks.empty()) continue;
      Screma& product = std::get<Screma>(stms[at]->exp);
      bool plain = true;
      for (const Stm& s : product.pre.body.stms) plain = plain && is_plain(s);
      if (!plain) continue;
      auto found = row_of(map, product, here);
      if (!found) found = read_of(map, product, here);
      if (!found) continue;
      found->sum = stms[k];
      found->product = stms[at];
      if (needed_before(*found, stms, at)) return found;
    }
    return {};
  }
  // The row is an input.
  std::optional<Sum> row_of(const Screma& map, Screma& product, const VarSet& here) const {
    for (size_t r = 0; r < map.inputs.size(); r++) {
      Var row = map.pre.params[r].var;
      auto in = std::ranges::find(product.inputs, row) - product.inputs.begin();
      if (in == isize(product.inputs) || uses_.of(row) != 1) continue;
      auto matrix = matrix_of(map.inputs[r], here);
      if (matrix && is_factor(product.pre, product.pre.params[size_t(in)].var)) return Sum{*matrix, {}, {}, &product.pre, size_t(in), 0, {}};
    }
    return {};
  }
  // The element is read at the counters of both maps.
  std::optional<Sum> read_of(const Screma& map, Screma& product, const VarSet& here) const {
    size_t k = 0;
    for (const Stm& s : product.pre.body.stms) {
      auto x = std::get_if<Index>(&s.exp);
      auto matrix = x && x->at.size() == 2 && is_scalar(p_.type(s.pattern[0].var)) ? matrix_of(x->array, here) : std::nullopt;
      if (matrix && is_factor(product.pre, s.pattern[0].var)) {
        auto counter = [&](const Screma& m, const Selector& at) {
          for (size_t j = 0; j < m.inputs.size(); j++)
            if (at == Selector(Atom(m.pre.params[j].var))) return counts(m.inputs[j]);
          return false;
        };
        const std::vector<Dim>& shape = shape_of(p_.type(x->array));
        for (size_t outer : {0, 1})
          if (counter(map, x->at[outer]) && counter(product, x->at[1 - outer]) && map.width == shape[outer] && product.width == shape[1 - outer]) {
            if (outer == 1) matrix->outer = 1 - matrix->outer;
            return Sum{*matrix, {}, {}, &product.pre, {}, k, {}};
          }
      }
      k++;
    }
    return {};
  }
  // What the product needs of the statements before it: false if an entry cannot do that in a few steps.
  bool needed_before(Sum& x, const std::vector<Stm*>& stms, size_t product) const {
    VarSet needed;
    each_use(p_, *stms[product], [&](Var v) { needed.insert(v); });
    for (size_t k = product; k-- > 0;) {
      if (std::ranges::none_of(stms[k]->pattern, [&](Bind b) { return needed.contains(b.var); })) continue;
      if (!is_plain(*stms[k])) return false;
      each_use(p_, *stms[k], [&](Var v) { needed.insert(v); });
      x.before.insert(x.before.begin(), stms[k]);
    }
    return true;
  }

  void over_entries(Builder& b, Stm& s, Screma& map, const VarSet& here) {
    for (;;) {
      auto x = sum_in(map, here);
      if (!x || !context_.allow()) return;
      const Hist& entries = std::get<Hist>(x->matrix.hist->exp);
      const std::vector<Dim> shape = shape_of(p_.type(entries.dests[0].arrays[0]));
      b.checks = x->matrix.hist->checks;
      b.checks.insert(b.checks.end(), s.checks.begin(), s.checks.end());
      Hist sums{entries.width, entries.inputs, clone(p_, entries.pre), {}};
      Builder in(p_, sums.pre.body.stms);
      in.source = x->product->source;
      const std::vector<Atom> entry = sums.pre.body.result;
      Term inside = in.term(bool_const(true));
      for (size_t d = 0; d < 2; d++)
        inside = and_(inside, all_of({le(in.term(i64_const(0)), in.term(entry[d])), lt(in.term(entry[d]), in.term(shape[d]))}));
      If guarded;
      guarded.cond = inside.atom;
      guarded.then_ = in.body([&] { return std::vector<Atom>{product_at(in, map, *x, entry)}; });
      guarded.else_.result = {constant(elem_of(p_, entry[2]), 0)};
      Atom value = in.bind1("part", std::move(guarded));
      sums.pre.body.result = {entry[x->matrix.outer], value};
      Var zeros = *var_of(b.replicate({map.width}, constant(elem_of(p_, entry[2]), 0)));
      sums.dests.push_back(Dest{{zeros}, 1, clone(p_, *entries.dests[0].combine)});
      map.inputs.push_back(b.bind1("sums", std::move(sums)));
      Var sum = p_.fresh("sum", p_.type(x->sum->pattern[0].var));
      map.pre.params.push_back({sum});
      x->sum->exp = Identity{sum};
      context_.stats.count("early_accumulators.E12");
    }
  }
  // The product at the place of an entry.
  Atom product_at(Builder& in, const Screma& map, const Sum& x, const std::vector<Atom>& entry) {
    const Atom i = entry[x.matrix.outer], j = entry[1 - x.matrix.outer];
    const Screma& product = std::get<Screma>(x.product->exp);
    auto element = [&](Var array, const Atom& at) { return counts(array) ? at : in.index(p_.hint(array), array, {at}); };
    Subst now;
    for (size_t k = 0; k < map.inputs.size(); k++) {
      Var param = map.pre.params[k].var;
      const bool is_row = x.input && product.inputs[*x.input] == param;
      const bool used = mentions(p_, *x.product, param) || std::ranges::any_of(x.before, [&](const Stm* s) { return mentions(p_, *s, param); });
      if (used && !is_row) now.emplace(param, element(map.inputs[k], i));
    }
    for (const Stm* s : x.before) {
      Subst renamed;
      Stm copy = clone(p_, *s, &renamed);
      substitute(p_, copy, now);
      in.emit(std::move(copy));
      now.insert(renamed.begin(), renamed.end());
    }
    Lambda f = clone(p_, *x.factors);
    substitute(p_, f, now);
    if (!x.input) f.body.stms[x.statement].exp = Identity{entry[2]};
    std::vector<Atom> args;
    for (size_t k = 0; k < product.inputs.size(); k++) {
      Var array = product.inputs[k];
      if (auto other = now.find(array); other != now.end()) array = *var_of(other->second);
      args.push_back(x.input == k ? entry[2] : element(array, j));
    }
    return in.inline_once(std::move(f), args)[0];
  }
};

}  // namespace

void sum_entries(ir::Program& program, PassContext& context) {
  bool any = false;
  program.each_body([&](const ir::Body& b) {
    ir::each_stm(b, [&](const ir::Stm& s) {
      auto hist = std::get_if<ir::Hist>(&s.exp);
      any = any || (hist && hist->dests[0].rank == 2);
    });
  });
  if (!any) return;                                      // aliases take time
  SparseSums pass(program, context);
  program.each_body([&](ir::Body& b) { pass.body(b); });
}

}  // namespace raido
