// concat_parts.cc - what goes over a concatenation goes over its parts.
//
//   let zs = concat 0 [as, bs]                                                                                         K1
//   let r, ys = screma (n + m) f reduces (op [ne]) [zs, ws]
//   ==>
//   let ra, ya = screma n f reduces (op [ne]) [as, ws[0 +: n]] ; let rb, yb = screma m f reduces (op [ne]) [bs, ws[n +: m]]
//   let r = op ra rb ; let ys = concat 0 [ya, yb]
//
//   let h = hist (n + m) f into xs [zs, ws]                                                                            K2
//   ==>
//   let ha = hist n f into xs [as, ws[0 +: n]] ; let h = hist m f into ha [bs, ws[n +: m]]
//
// Nobody else uses zs, which is not made. `place` makes ya and yb in their parts of ys. Other concatenations with the same parts come apart as
// well. The body is there once for each part, so it has to be small. Sums of floats change their order, so --fp-strict keeps them.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class ConcatParts {
 public:
  ConcatParts(Program& p, PassContext& c) : p_(p), c_(c) {
    p.each_body([&](const Body& b) { uses_.add(p, b); });
  }

  void body(Body& whole) {
    Definitions made(whole);
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto x = std::get_if<Screma>(&s.exp);
      auto h = std::get_if<Hist>(&s.exp);
      if (x ? !comes_apart(s, *x) : !h || !is_small(h->pre.body)) return false;
      const std::vector<Var>& inputs = x ? x->inputs : h->inputs;
      const Concat* cut = nullptr;
      for (Var v : inputs)
        if (const Concat* c = lone(made, v)) { cut = c; break; }
      if (!cut || (x && launches_more(made, *x, *cut)) || !c_.allow()) return false;
      b.checks = s.checks;
      b.attrs = s.attrs;
      parts_.clear();
      for (Var part : cut->arrays) parts_.push_back(shape_of(p_.type(part))[0]);
      std::vector<std::vector<Var>> of_part(parts_.size());
      for (Var v : inputs) divide(b, made, v, of_part);
      if (x) scremas(b, s, *x, of_part, results);
      else hists(b, s, *h, of_part, results);
      c_.stats.count(x ? "concat_parts.K1" : "concat_parts.K2");
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  Uses uses_;
  std::vector<Dim> parts_;                               // their outer dimensions

  bool is_small(const Body& b) const {
    size_t n = 0;
    bool loops = false;
    each_stm(b, [&](const Stm& s) {
      n++;
      loops = loops || kind_of(s.exp) == Kind::Loop || kind_of(s.exp) == Kind::Parallel;
    });
    return !loops && n <= costs::divided_statements;
  }
  bool comes_apart(const Stm& s, const Screma& x) const {
    if (!x.scans.empty() || !x.post_reduces.empty() || !identity_post(x) || x.ordered || !is_small(x.pre.body)) return false;
    for (const Combine& c : x.reduces)
      for (const Atom& a : c.neutral) if (!is_scalar(p_.type(a)) || (c_.options.strict_fp && is_float(elem_of(p_, a)))) return false;
    return std::ranges::none_of(s.pattern, [&](Bind y) { return is_acc(p_.type(y.var)); }) && std::ranges::none_of(x.inputs, [&](Var v) { return is_acc(p_.type(v)); });
  }
  // On devices each part of a sum is a reduction, and an addition of two of them a kernel. Of two parts that have to be copied it pays.
  bool launches_more(const Definitions& made, const Screma& x, const Concat& cut) const {
    if (c_.target != Target::Gpu || x.reduces.empty()) return false;
    return cut.arrays.size() > 2 || !std::ranges::all_of(cut.arrays, [&](Var part) { return !made.of(part) || uses_.of(part) > 1; });
  }
  // The concatenation that makes v, if v has one user.
  const Concat* lone(const Definitions& made, Var v) const {
    auto c = made.get<Concat>(v);
    return c && c->dim == 0 && uses_.of(v) == 1 && c->arrays.size() > 1 && c->arrays.size() <= costs::divided_parts ? c : nullptr;
  }
  void divide(Builder& b, const Definitions& made, Var v, std::vector<std::vector<Var>>& of_part) {
    auto c = made.get<Concat>(v);
    const bool same = c && c->dim == 0 && c->arrays.size() == parts_.size() &&
                      std::ranges::equal(c->arrays, parts_, [&](Var a, const Dim& n) { return shape_of(p_.type(a))[0] == n; });
    Term at = b.number(Scalar::I64, 0);
    for (size_t k = 0; k < parts_.size(); k++) {
      of_part[k].push_back(same ? c->arrays[k] : b.slice(p_.hint(v), v, {at.atom, parts_[k], i64_const(1)}));
      if (!same && k + 1 < parts_.size()) at = at + b.term(parts_[k]);
    }
  }
  void scremas(Builder& b, const Stm& s, const Screma& x, const std::vector<std::vector<Var>>& of_part, Subst& results) {
    const size_t reduced = width_of(x.reduces);
    std::vector<Atom> totals;
    std::vector<std::vector<Var>> made(s.pattern.size() - reduced);
    std::vector<std::string> hints;
    for (Bind y : s.pattern) hints.push_back(p_.hint(y.var));
    for (size_t k = 0; k < parts_.size(); k++) {
      Screma part = clone(p_, x);
      part.width = parts_[k];
      part.inputs = of_part[k];
      const std::vector<Var> here = b.bind(hints, std::move(part));
      for (size_t q = reduced; q < here.size(); q++) made[q - reduced].push_back(here[q]);
      std::vector<Atom> after;
      size_t at = 0;
      for (const Combine& c : x.reduces) {
        const size_t n = c.neutral.size();
        std::vector<Atom> args(totals.begin() + i64(k > 0 ? at : 0), totals.begin() + i64(k > 0 ? at + n : 0));
        args.insert(args.end(), here.begin() + i64(at), here.begin() + i64(at + n));
        const std::vector<Atom> sum = k > 0 ? combined(b, c, args) : args;
        after.insert(after.end(), sum.begin(), sum.end());
        at += n;
      }
      totals = std::move(after);
    }
    for (size_t q = 0; q < reduced; q++) results.emplace(s.pattern[q].var, totals[q]);
    for (size_t q = 0; q < made.size(); q++)
      results.emplace(s.pattern[reduced + q].var, b.bind1(hints[reduced + q], Concat{.arrays = made[q], .size = x.width}));
  }
  // The operator on two operands; on rows, cell by cell.
  static std::vector<Atom> combined(Builder& b, const Combine& c, const std::vector<Atom>& operands) {
    if (c.shape.empty()) return b.inline_call(c.op, operands);
    std::vector<Var> rows;
    for (const Atom& a : operands) rows.push_back(*var_of(a));
    std::vector<Atom> out;
    for (Var v : b.map_all("cell", c.shape, rows, [&](const std::vector<Var>& cells) { return b.inline_call(c.op, {cells.begin(), cells.end()}); }))
      out.push_back(v);
    return out;
  }
  void hists(Builder& b, const Stm& s, const Hist& h, const std::vector<std::vector<Var>>& of_part, Subst& results) {
    std::vector<std::string> hints;
    for (Bind y : s.pattern) hints.push_back(p_.hint(y.var));
    std::vector<Var> reached;
    for (size_t k = 0; k < parts_.size(); k++) {
      Hist part = clone(p_, h);
      part.width = parts_[k];
      part.inputs = of_part[k];
      size_t at = 0;
      if (k > 0)
        for (Dest& d : part.dests)
          for (Var& array : d.arrays) array = reached[at++];
      reached = b.bind(hints, std::move(part));
    }
    for (size_t q = 0; q < reached.size(); q++) results.emplace(s.pattern[q].var, reached[q]);
  }
};

}  // namespace

void concat_parts(Program& program, PassContext& context) {
  ConcatParts pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
