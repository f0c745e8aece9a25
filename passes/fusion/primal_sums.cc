// primal_sums.cc - on processors: sums of numbers beside sums of rows of a batch get a map of their own.
//
//   map n \v { let x, t = reduce m (+) [0] (+) [0] of shape [26] \.. { .. in a, map 26 .. } .. }
//   ==> let xs = map n \v { let x = reduce m (+) [0] \.. { .. in a } in x }
//       map n \v x { let t = reduce m (+) [0] of shape [26] \.. { .. in map 26 .. } .. }
//
// The rows are vectors along the batch. The numbers are those of the function itself: without rows their map is what it is without derivatives,
// and may run in lanes (decision 034). It keeps one number where it runs through m elements, so the memory is nothing beside that.
#include <algorithm>
#include <optional>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/types.h"
#include "passes/fusion/values.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class PrimalSums {
 public:
  PrimalSums(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& b) {
    List<Stm> out;
    for (auto& s : b.stms.take()) {
      auto x = std::get_if<Screma>(&s->exp);
      if (!x) walk_parts(*s, [&](Body& inner) { body(inner); });
      auto sums = x && is_map(*x) && identity_post(*x) && !const_of(x->width) ? own_map(*x, s->source) : std::nullopt;
      if (sums) out.push_back(std::move(*sums));
      out.push_back(std::move(s));
    }
    b.stms = std::move(out);
  }

 private:
  Program& p_;
  PassContext& context_;

  static bool is_row(const Combine& c) { return !c.shape.empty(); }
  static bool is_number(const Stm& s) { return s.checks.empty() && (kind_of(s.exp) == Kind::Step || is_view(s.exp)); }
  static bool all_numbers(const Body& b) {
    for (const Stm& s : b.stms) if (!is_number(s)) return false;
    return true;
  }
  // Takes the numbers out of the map and returns the one that makes them.
  std::optional<Stm> own_map(Screma& map, Source source) {
    for (Var v : map.inputs) if (!is_array(p_.type(v))) return {};
    size_t k = 0;
    for (const Stm& s : map.pre.body.stms) {
      if (is_mixed(s)) break;
      k++;
    }
    if (k == map.pre.body.stms.size()) return {};
    Lambda f = clone(p_, map.pre);
    Stm& sums = f.body.stms[k];
    numbers_only(sums);
    f.body.result.clear();
    for (Bind b : sums.pattern) f.body.result.push_back(b.var);
    const Var first = sums.pattern[0].var;
    keep_needed(p_, f.body);
    for (const Stm& s : f.body.stms) {
      bool fits = s.pattern[0].var == first ? worth_keeping(p_, s, first) && all_numbers(std::get<Screma>(s.exp).pre.body) : is_number(s);
      if (!fits) return {};
    }
    if (!context_.allow()) return {};
    context_.stats.count("primal_sums.map");
    Stm out{{}, {}, {}, source, {}};
    Subst numbers;
    const Stm& mixed = map.pre.body.stms[k];
    size_t at = 0;
    for (const Combine& c : std::get<Screma>(mixed.exp).reduces)
      for (size_t i = 0; i < c.neutral.size(); i++, at++) {
        if (is_row(c)) continue;
        Var v = mixed.pattern[at].var;
        out.pattern.push_back({p_.fresh(p_.hint(v), lifted(map.width, p_.type(v)))});
        map.pre.params.push_back({p_.fresh(p_.hint(v), p_.type(v))});
        numbers.emplace(v, map.pre.params.back().var);
      }
    out.exp = Screma{map.width, map.inputs, std::move(f), {}, {}, {}, {}};
    for (Bind b : out.pattern) map.inputs.push_back(b.var);
    substitute(p_, map.pre.body, numbers);
    return out;
  }
  bool is_mixed(const Stm& s) const {
    auto x = std::get_if<Screma>(&s.exp);
    if (!x || !is_redomap(*x) || width_of(x->reduces) != x->pre.body.result.size()) return false;
    bool numbers = false, rows = false;
    size_t at = 0;
    for (const Combine& c : x->reduces)
      for (size_t i = 0; i < c.neutral.size(); i++, at++) {
        const Var v = s.pattern[at].var;
        if (!is_row(c) && is_array(p_.type(v))) return false;
        numbers = numbers || !is_row(c);
        rows = rows || (is_row(c) && p_.vars[v.index].batched);
      }
    return numbers && rows;
  }
  void numbers_only(Stm& s) {
    Screma& x = std::get<Screma>(s.exp);
    std::vector<Bind> pattern;
    std::vector<Atom> result;
    size_t at = 0;
    for (const Combine& c : x.reduces)
      for (size_t i = 0; i < c.neutral.size(); i++, at++)
        if (!is_row(c)) {
          pattern.push_back(s.pattern[at]);
          result.push_back(x.pre.body.result[at]);
        }
    std::erase_if(x.reduces, is_row);
    s.pattern = std::move(pattern);
    x.pre.body.result = std::move(result);
    keep_needed(p_, x.pre.body);
  }
};

}  // namespace

void primal_sums(Program& program, PassContext& context) {
  PrimalSums pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
