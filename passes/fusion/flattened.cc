// flattened.cc - what runs over a flattened array runs over its rows, so that it fuses with what makes them.
//
//   let a = map n f xs ; let v = reshape a [n * m]            let b = reshape ys [n, m]
//   let s, zs = screma (n * m) pre reduces v ys         ==>   let s, z = map n (\row yrow -> screma m pre reduces row yrow) a b, reduced
//                                                             let zs = reshape z [n * m]
//
// The array then need not be made: a sum over `flatten (map (map f) xss)` only adds. An associative operator may reduce the rows first.
// Only arrays that a map makes and nobody else reads are taken; their elements, and those of the other arrays, are numbers.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Flattened {
 public:
  Flattened(Program& p, PassContext& c) : p_(p), c_(c) {
    p.each_body([&](const Body& b) { each_use(p, b, [&](Var v) { uses_[v]++; }); });
  }

  void body(Body& whole) {
    auto outside = std::exchange(made_, {});
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto x = std::get_if<Screma>(&s.exp);
      if (auto rows = x ? rows_of(*x) : std::nullopt; rows && c_.allow()) return by_rows(b, s, *x, *rows), true;
      note(s);
      return false;
    });
    made_ = std::move(outside);
  }

 private:
  Program& p_;
  PassContext& c_;
  std::unordered_map<Var, size_t> uses_;
  // In the body at hand: what a map makes, what has another shape, and ranges.
  struct Made { bool by_map = false; Var before = {}; std::optional<Iota> range = {}; };
  std::unordered_map<Var, Made> made_;

  void note(const Stm& s) {
    if (auto x = std::get_if<Screma>(&s.exp); x && x->scans.empty() && x->post_reduces.empty() && identity_post(*x))
      for (size_t k = width_of(x->reduces); k < s.pattern.size(); k++) made_[s.pattern[k].var] = {.by_map = true};
    if (auto x = std::get_if<Reshape>(&s.exp)) made_[s.pattern[0].var] = {.before = x->array};
    if (auto x = std::get_if<Iota>(&s.exp)) made_[s.pattern[0].var] = {.range = *x};
  }
  // A map has made this array, and an input of the operator is its flattened form.
  std::optional<Var> rows_of(const Screma& x) const {
    if (!x.scans.empty() || !x.post_reduces.empty() || !identity_post(x) || x.ordered) return {};
    for (const Combine& op : x.reduces)
      if (!std::ranges::all_of(op.op.params, [&](Bind b) { return is_scalar(p_.type(b.var)); })) return {};
    std::optional<Var> found;
    for (Var v : x.inputs) {
      if (is_acc(p_.type(v))) continue;
      if (shape_of(p_.type(v)).size() != 1) return {};
      auto made = made_.find(v);
      if (found || made == made_.end() || !made->second.before.valid() || uses_.at(v) != 1) continue;
      Var a = made->second.before;
      auto by = made_.find(a);
      if (by != made_.end() && by->second.by_map && uses_.at(a) == 1 && shape_of(p_.type(a)).size() > 1) found = a;
    }
    return found;
  }

  void by_rows(Builder& b, Stm& s, Screma& x, Var rows) {
    b.checks = s.checks;
    b.attrs = s.attrs;
    const std::vector<Dim> shape = shape_of(p_.type(rows));
    const Dim n = shape[0];
    Term m = b.term(shape[1]);
    for (size_t d = 2; d < shape.size(); d++) m = m * b.term(shape[d]);
    Screma outer{.width = n, .inputs = {}, .pre = {}, .reduces = {}, .scans = {}, .post = {}, .post_reduces = {}};
    Builder::Params params;
    for (Var v : x.inputs) {
      outer.inputs.push_back(by_rows(b, v, n, m.atom));
      params.push_back({p_.hint(v), is_acc(p_.type(v)) ? p_.type(v) : row_type(p_.type(outer.inputs.back()))});
    }
    outer.reduces = clone(p_, x.reduces);
    std::vector<std::string> hints;
    for (Bind bind : s.pattern) hints.push_back(p_.hint(bind.var));
    outer.pre = b.lambda(params, [&](const std::vector<Var>& row) {
      for (size_t k = 0; k < row.size(); k++) x.inputs[k] = one_row(b, x.inputs[k], row[k], m.atom);
      x.width = m.atom;
      std::vector<Atom> results;
      for (Var v : b.bind(hints, std::move(x))) results.push_back(v);
      return results;
    });
    const size_t numbers = width_of(outer.reduces);
    std::vector<Var> made = b.bind(hints, std::move(outer));
    c_.stats.count("flattened.rows");
    for (size_t k = 0; k < made.size(); k++) {
      Var old = s.pattern[k].var;
      bool array = k >= numbers && !is_acc(p_.type(old));
      Exp e = array ? Exp(Reshape{made[k], shape_of(p_.type(old))}) : Exp(Identity{made[k]});
      b.emit({{{old}}, std::move(e), {}, b.source, {}});
      if (!array) continue;
      made_[made[k]] = {.by_map = true};
      made_[old] = {.before = made[k]};
      uses_[made[k]] = 1;
    }
  }
  // The input in rows: of a range, where each row begins.
  Var by_rows(Builder& b, Var v, const Dim& n, const Dim& m) {
    if (is_acc(p_.type(v))) return v;
    if (const std::optional<Iota> range = made_[v].range) {
      Term step = b.term(range->step) * convert(elem_of(p_.type(v)), b.term(m));
      return b.bind1(p_.hint(v), Iota{n, range->start, step.atom});
    }
    return b.bind1(p_.hint(v), Reshape{v, {n, m}});
  }
  Var one_row(Builder& b, Var v, Var row, const Dim& m) {
    const std::optional<Iota> range = made_[v].range;
    return range ? b.bind1(p_.hint(v), Iota{m, row, range->step}) : row;
  }
};

}  // namespace

void flattened(Program& program, PassContext& context) {
  if (program.level == Ad) return;                         // rules differentiate operators over one dimension at lower cost
  Flattened pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
