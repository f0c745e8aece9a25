// few_rows.cc - sums of a few long rows, inside of parallel operations, are one map.
//
//   reduce 4 (+) [0] of shape [26] \x ys { let d = map 26 \y { mul [x, y] } ys in d } [xs, yss]
//   ==> map 26 \y0 y1 y2 y3 { in 0 + x0 * y0 + x1 * y1 + x2 * y2 + x3 * y3 } [yss[0], yss[1], yss[2], yss[3]]
//
// So the sum is not in memory between the rows. Numbers that are summed beside rows become straight code. Every element is summed from the first
// to the last row, as before. Products of small matrices are such sums if each element has a batch of derivatives.
#include <optional>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/scalar_code.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class FewRows {
 public:
  FewRows(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& b, bool inside) {
    Builder builder(p_, b.stms);
    builder.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        auto x = std::get_if<Screma>(&s->exp);
        walk_parts(*s, [&](Body& inner) { body(inner, inside || x); });
        builder.source = s->source;
        builder.checks = s->checks;
        auto length = inside && x ? length_of_rows(*x) : std::nullopt;
        if (length && context_.allow()) write_out(builder, *s, *x, *length);
        else builder.emit(std::move(s));
      }
    });
  }

 private:
  Program& p_;
  PassContext& context_;

  static bool is_number(const Exp& e) { return kind_of(e) == Kind::Step || is_view(e); }
  // Of all rows that x sums, if it sums a few of them that maps make of numbers.
  std::optional<Dim> length_of_rows(const Screma& x) const {
    auto width = const_of(x.width);
    if (!width || width->as_i64() < 1 || width->as_i64() > costs::unrolled_width || !is_redomap(x)) return {};
    if (width_of(x.reduces) != x.pre.body.result.size()) return {};
    std::optional<Dim> length;
    size_t statements = x.inputs.size();
    for (const Combine& c : x.reduces) {
      auto more = scalar_statements(p_, c.op.body);
      if (!more) return {};
      statements += *more;
      if (c.shape.empty()) continue;
      if (c.shape.size() > 1 || c.neutral.size() > 1 || (length && *length != c.shape[0])) return {};
      length = c.shape[0];
    }
    if (!length || !const_of(*length)) return {};
    VarSet rows;
    for (const Stm& s : x.pre.body.stms) {
      if (mentions(p_, s, rows) || !s.checks.empty()) return {};
      statements++;
      if (is_number(s.exp)) continue;
      auto map = std::get_if<Screma>(&s.exp);
      if (!map || !is_map(*map) || !identity_post(*map) || map->width != *length) return {};
      for (const Stm& inner : map->pre.body.stms) {
        if (!is_number(inner.exp)) return {};
        statements++;
      }
      for (Bind r : s.pattern) rows.insert(r.var);
    }
    size_t at = 0;
    for (const Combine& c : x.reduces)
      for (size_t k = 0; k < c.neutral.size(); k++, at++) {
        auto v = var_of(x.pre.body.result[at]);
        if (!c.shape.empty() && !(v && rows.contains(*v))) return {};
      }
    return statements * size_t(width->as_i64()) <= costs::unrolled_statements ? length : std::nullopt;
  }
  void write_out(Builder& b, Stm& s, Screma& x, const Dim& length) {
    context_.stats.count("few_rows.sum");
    std::vector<std::vector<Atom>> sums, summands(x.reduces.size());      // of numbers so far; of an element of each row
    for (const Combine& c : x.reduces) sums.push_back(c.neutral);
    Screma map{length, {}, {}, {}, {}, {}, {}};
    for (i64 k = 0; k < const_of(x.width)->as_i64(); k++) {
      Lambda one = clone(p_, x.pre);
      Subst elements, of_rows;
      for (size_t i = 0; i < x.inputs.size(); i++) elements.emplace(one.params[i].var, b.index(p_.hint(x.inputs[i]), x.inputs[i], {i64_const(k)}));
      substitute(p_, one.body, elements);
      for (auto& inner : one.body.stms.take()) {
        auto part = std::get_if<Screma>(&inner->exp);
        if (!part) { b.emit(std::move(inner)); continue; }
        map.inputs.insert(map.inputs.end(), part->inputs.begin(), part->inputs.end());
        map.pre.params.insert(map.pre.params.end(), part->pre.params.begin(), part->pre.params.end());
        for (size_t r = 0; r < inner->pattern.size(); r++) of_rows.emplace(inner->pattern[r].var, part->pre.body.result[r]);
        for (auto& each : part->pre.body.stms.take()) map.pre.body.stms.push_back(std::move(each));
      }
      auto next = one.body.result.begin();
      for (size_t r = 0; r < x.reduces.size(); r++) {
        const size_t n = sums[r].size();
        if (!x.reduces[r].shape.empty()) {
          summands[r].push_back(of_rows.at(*var_of(*next++)));
          continue;
        }
        sums[r].insert(sums[r].end(), next, next + i64(n));
        next += i64(n);
        sums[r] = b.inline_call(x.reduces[r].op, sums[r]);
      }
    }
    std::vector<Bind> rows;
    Builder inside(p_, map.pre.body.stms);
    inside.source = s.source;
    auto result = s.pattern.begin();
    for (size_t r = 0; r < x.reduces.size(); r++) {
      if (x.reduces[r].shape.empty()) {
        for (const Atom& a : sums[r]) b.emit({{*result++}, Identity{a}, {}, s.source, {}});
        continue;
      }
      for (const Atom& a : summands[r]) sums[r] = inside.inline_call(x.reduces[r].op, {sums[r][0], a});
      map.pre.body.result.push_back(sums[r][0]);
      rows.push_back(*result++);
    }
    b.emit({std::move(rows), std::move(map), {}, s.source, s.attrs});
  }
};

}  // namespace

void few_rows(Program& program, PassContext& context) {
  FewRows pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
