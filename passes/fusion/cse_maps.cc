// cse_maps.cc - what two scremas over the same elements both compute, if it costs more than to keep it (V11).
//
//   let s = reduce n (+) (map (\x -> exp x) xs)        let s, es = screma n (\x -> let e = exp x in e, e) xs
//   let ys = map n (\x -> exp x * s) xs          ==>   let ys = map n (\e -> e * s) es
//
// The two cannot be one where the second needs a result of the first, as a return sweep does of its forward sweep. Values
// are the same if they are made by the same operations from the same elements. Calls of mathematical functions cost more than
// memory does, and so do sums (values.h). On devices they do not, which is why this is for processors only.
//
// The second one may stand in a scope of accumulators. In maps within both, sums are kept, where an array around them has as many elements.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "passes/fusion/values.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class CseMaps {
 public:
  CseMaps(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), consumed_(aliases_.own_memory()) {}

  void body(Body& b) {
    std::vector<Stm*> earlier;
    auto outside = std::exchange(twins_, {});
    for (Stm& s : b.stms) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      for (Stm* second : maps_of(s))
        for (Stm* first : earlier)
          if (width(*first) == width(*second) && context_.allow()) keep_common({{first, second}}, {});
      if (is_map(s) && costly(s)) earlier.push_back(&s);
    }
    twins_ = std::move(outside);
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet consumed_;                                       // roots
  std::unordered_map<const Stm*, Twins> twins_;           // of first maps of this body and in them, which are no second ones any more


  static const Dim& width(const Stm& map) { return std::get<Screma>(map.exp).width; }
  // The statement itself, or what stands in a scope of accumulators.
  static std::vector<Stm*> maps_of(Stm& s) {
    if (auto w = std::get_if<WithAcc>(&s.exp)) return maps_in(w->scope.body, true);
    return is_map(s) ? std::vector<Stm*>{&s} : std::vector<Stm*>{};
  }
  bool costly(const Stm& map) const {
    bool found = false;
    each_stm(std::get<Screma>(map.exp).pre.body, [&](const Stm& s) { for (Bind b : s.pattern) found = found || worth_keeping(p_, s, b.var); });
    return found;
  }
  // An array may leave a lambda as it is if its size is known outside and nothing in there consumes it.
  bool may_leave(const Lambda& f, Var v) const {
    if (is_scalar(p_.type(v))) return true;
    const VarSet inside = bound_in(f);
    for (const Dim& d : shape_of(p_.type(v))) if (auto x = var_of(d); x && inside.contains(*x)) return false;
    for (const Stm& s : f.body.stms)
      for (Var x : aliases_.consumed(s)) if (aliases_.may_alias(x, v)) return false;
    return true;
  }

  // What stands for the values of the second of two maps in the first one: `same` of what is around them, and elements of the same arrays.
  Subst elements(const MapPair& m, Subst same) const {
    const Screma &a = std::get<Screma>(m.first->exp), &b = std::get<Screma>(m.second->exp);
    const size_t mapped = width_of(a.reduces) + width_of(a.scans);
    for (size_t j = 0; j < b.inputs.size(); j++) {
      if (!is_array(p_.type(b.inputs[j]))) continue;
      const Atom input = named(same, b.inputs[j]);
      for (size_t i = 0; i < a.inputs.size(); i++)
        if (input == Atom(a.inputs[i])) same.insert_or_assign(b.pre.params[j].var, a.pre.params[i].var);
      for (size_t k = mapped; k < m.first->pattern.size(); k++)
        if (input == Atom(m.first->pattern[k].var)) same.insert_or_assign(b.pre.params[j].var, a.pre.body.result[k]);
    }
    return same;
  }
  static Atom named(const Subst& same, const Atom& x) {
    auto v = var_of(x);
    auto found = v ? same.find(*v) : same.end();
    return found == same.end() ? x : found->second;
  }
  // An array around the maps has all these dimensions: one more of that size is no other order of memory.
  bool is_size_of_array(const MapPair& m, const std::vector<Dim>& widths) const {
    auto has = [&](Var v) { return has_dims(shape_of(p_.type(v)), widths); };
    auto any = [&](const Stm& s) {
      return std::ranges::any_of(s.pattern, [&](Bind y) { return has(y.var); }) || std::ranges::any_of(std::get<Screma>(s.exp).inputs, has);
    };
    return any(*m.first) || any(*m.second);
  }

  const Twins& twins_in(const Stm& map) {
    auto [found, is_new] = twins_.try_emplace(&map);
    if (is_new) found->second = Twins(p_, std::get<Screma>(map.exp).pre.body);
    return found->second;
  }
  // Of the innermost of these maps, and of maps in them.
  void keep_common(const MapPairs& nest, const Subst& around) {
    Screma &a = std::get<Screma>(nest.back().first->exp), &b = std::get<Screma>(nest.back().second->exp);
    Subst same = elements(nest.back(), around);           // a value of b -> that of a
    if (same.empty()) return;
    std::vector<const Stm*> common;                       // statements of b whose values a computes, too
    VarSet needed;                                        // by the rest of b
    bool worth = false;
    const Twins& twins = twins_in(*nest.back().first);
    for (const Stm& s : b.pre.body.stms) {
      const Stm* twin = twins.of(p_, s, same);
      if (!twin) {
        each_use(p_, s, [&](Var v) { needed.insert(v); });
        continue;
      }
      for (Bind x : s.pattern) worth = worth || ((nest.size() == 1 || is_compound(s.exp)) && worth_keeping(p_, s, x.var));
      common.push_back(&s);
      for (size_t k = 0; k < s.pattern.size(); k++) same.insert_or_assign(s.pattern[k].var, twin->pattern[k].var);
    }
    each_use(p_, b.pre.body.result, [&](Var v) { needed.insert(v); });
    Subst kept;
    VarSet heavy;                                         // more than a few instructions away from what is kept anyway
    for (const Stm* s : common) {
      bool later = mentions(p_, s->exp, heavy);
      for (Bind x : s->pattern) {
        if (!worth || (!later && !worth_keeping(p_, *s, x.var))) continue;
        const Var first = *var_of(same.at(x.var));
        if (!needed.contains(x.var) || (nest.size() > 1 && !is_scalar(p_.type(x.var))) || !may_leave(a.pre, first) || !may_leave(b.pre, x.var)) {
          heavy.insert(x.var);
          continue;
        }
        const Var value = lower(p_, nest, lift(p_, nest, first, [&](Var v) { return aliases_.has_root_in(v, consumed_); }), p_.hint(x.var));
        kept.emplace(x.var, value);
        same.emplace(value, first);
        for (size_t k = 0; k + 1 < nest.size(); k++) twins_.erase(nest[k].first);          // a map inside of it has one more result
        context_.stats.count("cse_maps.V11");
      }
    }
    substitute(p_, b.pre.body, kept);
    for (Stm* second : maps_in(b.pre.body, true))
      for (Stm* first : maps_in(a.pre.body, false)) {
        MapPairs inner = nest;
        inner.push_back({first, second});
        if (width(*first) == width(*second) && is_size_of_array(nest[0], widths_of(inner))) keep_common(inner, same);
      }
  }
};

}  // namespace

void cse_maps(Program& program, PassContext& context) {
  CseMaps cse(program, context);
  program.each_body([&](Body& b) { cse.body(b); });
}

}  // namespace raido
