// unroll.cc - maps and reductions over a few elements inside of others become straight code, and rows of a few elements numbers.
//
//   map n \i { let d = map 3 \a b { sub [a, b] } [p, q]            map n \i { let d0 = sub [p0, q0] .. d2
//              let s = reduce 3 (+) [0] d .. }              ==>               let d = array [d0, d1, d2]
//                                                                             let s = 0 + d0 + d1 + d2 .. }
//   reduce n (+) [0] of shape [3] \i { .. in row }          ==>     reduce n (+) [0] (+) [0] (+) [0] \i { .. in row [0], row [1], row [2] }
//
// The numbers stay in registers, and the map or loop around is straight code, which vectors or threads run. Simplification reads elements of
// the literal arrays, and arrays that nobody else wants are gone. Only work on numbers is written out, up to costs::unrolled_statements of it.
// Where such a map is not inside of another one, a device runs it as a kernel, and a C compiler makes vectors of it. It stays.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/scalar_code.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Unroll {
 public:
  Unroll(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& b, bool inside) {
    for (Stm& s : b.stms) {
      const bool parallel = std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
      walk_parts(s, [&](Body& inner) { body(inner, inside || parallel); });
    }
    Builder builder(p_, b.stms);
    builder.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        builder.source = s->source;
        builder.checks = s->checks;
        builder.attrs = {};
        auto x = std::get_if<Screma>(&s->exp);
        if (!x || !(inside ? write_out(builder, *s, *x) : false)) {
          if (x && (inside || context_.target != Target::Gpu)) rows(builder, *s, *x);
          else builder.emit(std::move(s));
        }
      }
    });
  }

 private:
  Program& p_;
  PassContext& context_;

  // ---- few elements ----

  bool write_out(Builder& b, Stm& s, Screma& x) {
    auto width = const_of(x.width);
    if (!width || width->as_i64() < 1 || width->as_i64() > costs::unrolled_width || !x.scans.empty() || !identity_post(x) || !x.post_reduces.empty()) return false;
    auto statements = scalar_statements(p_, x.pre.body);
    bool plain = statements && !consumes(x.pre);
    for (const Combine& c : x.reduces) {
      auto more = scalar_statements(p_, c.op.body);
      plain = plain && more && c.shape.empty() && !consumes(c.op);
      if (plain) *statements += *more;
    }
    for (Var v : x.inputs) plain = plain && is_array(p_.type(v));
    if (!plain || (*statements + x.inputs.size()) * size_t(width->as_i64()) > costs::unrolled_statements || !context_.allow()) return false;
    context_.stats.count("unroll.elements");
    std::vector<std::vector<Atom>> sums;
    for (const Combine& c : x.reduces) sums.push_back(c.neutral);
    size_t operands = 0;
    for (const Combine& c : x.reduces) operands += c.neutral.size();
    std::vector<ArrayLit> mapped(x.pre.body.result.size() - operands);
    for (i64 k = 0; k < width->as_i64(); k++) {
      std::vector<Atom> elements;
      for (Var v : x.inputs) elements.push_back(b.index(p_.hint(v), v, {i64_const(k)}));
      std::vector<Atom> made = b.inline_call(x.pre, elements);
      auto next = made.begin();
      for (size_t r = 0; r < sums.size(); r++) {
        std::vector<Atom> args = std::move(sums[r]);
        const size_t n = args.size();
        args.insert(args.end(), next, next + i64(n));
        next += i64(n);
        sums[r] = b.inline_call(x.reduces[r].op, args);
      }
      for (ArrayLit& lit : mapped) lit.elements.push_back(*next++);
    }
    auto result = s.pattern.begin();
    auto give = [&](Exp e) { b.emit({{*result++}, std::move(e), {}, s.source, {}}); };
    for (const auto& sum : sums) for (const Atom& a : sum) give(Identity{a});
    for (ArrayLit& lit : mapped) give(std::move(lit));
    return true;
  }
  bool consumes(const Lambda& f) const {
    const VarSet bound = bound_in(f.body);
    bool found = false;
    each_stm(f.body, [&](const Stm& s) { each_consumed(p_, s.exp, [&](Var v) { found = found || !bound.contains(v); }); });
    return found;
  }

  // ---- rows of few elements ----

  static std::optional<i64> few(const Combine& c) {
    auto n = c.shape.size() == 1 && c.neutral.size() == 1 ? const_of(c.shape[0]) : nullptr;
    return n && n->as_i64() >= 1 && n->as_i64() <= costs::unrolled_width ? std::optional(n->as_i64()) : std::nullopt;
  }
  void rows(Builder& b, Stm& s, Screma& x) {
    bool any = std::ranges::any_of(x.reduces, [](const Combine& c) { return few(c).has_value(); });
    if (!any || !context_.allow()) { b.emit(std::move(s)); return; }
    context_.stats.count("unroll.rows");
    std::vector<Combine> reduces;
    std::vector<Bind> pattern;
    std::vector<Atom> old = std::move(x.pre.body.result), result;
    std::vector<std::pair<Var, ArrayLit>> rows;
    Builder inside(p_, x.pre.body.stms);
    inside.source = s.source;
    size_t at = 0;
    for (Combine& c : x.reduces) {
      auto n = few(c);
      if (!n) {
        for (size_t k = 0; k < c.neutral.size(); k++) { pattern.push_back(s.pattern[at]); result.push_back(old[at++]); }
        reduces.push_back(std::move(c));
        continue;
      }
      ArrayLit row;
      for (i64 k = 0; k < *n; k++) {
        reduces.push_back({clone(p_, c.op), c.neutral, {}, c.commutative});
        pattern.push_back({p_.fresh(p_.hint(s.pattern[at].var), scalar_type(elem_of(p_, s.pattern[at].var)))});
        row.elements.push_back(pattern.back().var);
        result.push_back(inside.index(p_.hint(*var_of(old[at])), *var_of(old[at]), {i64_const(k)}));
      }
      rows.emplace_back(s.pattern[at++].var, std::move(row));
    }
    pattern.insert(pattern.end(), s.pattern.begin() + i64(at), s.pattern.end());
    result.insert(result.end(), old.begin() + i64(at), old.end());
    x.reduces = std::move(reduces);
    x.pre.body.result = std::move(result);
    s.pattern = std::move(pattern);
    b.emit(std::move(s));
    b.checks = {};
    for (auto& [v, row] : rows) b.emit({{{v}}, std::move(row), {}, b.source, {}});
  }
};

}  // namespace

void unroll(Program& program, PassContext& context) {
  Unroll pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
