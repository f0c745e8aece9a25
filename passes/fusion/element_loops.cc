// element_loops.cc - a loop that changes the elements of arrays by themselves is a map, with a loop for each element.
//
//   for c < n (xs = a, ys = b) {                               map \(x0, y0, i) { for c < n (x = x0, y = y0) {
//     let xs', ys' = map f xs ys (index zss [c])     M1  ==>       .. f(x, y, zss [c, i]) } } [a, b, iota d]
//     in xs', ys' }
//
//   for c < n (ys = a) {                                       map \(y, i) { for c < min n i (s = y) {
//     let part = index ys [c + 1 +: d - 1 - c]       M2  ==>       .. f(s, b [i - (c + 1)]) } } [a, iota d]
//     let new = map f part b ..
//     .. in update ys [c + 1 +: d - 1 - c] new }
//
// In M1 the arrays were read and written in each iteration; now their elements stay in registers, and lanes or threads run many of them side
// by side. On a device there is one kernel instead of one for each iteration. Numbers that go from iteration to iteration, such as the time,
// are computed again for each element, if that is light. M2 is for devices: the elements of a part that shrinks are threads, not the loop
// of one thread. Each element is computed in the order in which it was. Nothing may fail: it would be another iteration that fails first. In M2
// assertions may, if they hold where the part is empty: then no element is left to see them.
//
// A processor has the loop as it was as well, for fewer than eight groups of lanes: an element waits for itself in each iteration, and the
// last group has few that could run meanwhile.
#include <algorithm>

#include "compiler/ir/analysis/affine_code.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class ElementLoops {
 public:
  ElementLoops(Program& p, PassContext& context) : p_(p), context_(context), forms_(p) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto loop = std::get_if<For>(&s.exp);
      return loop && (maps(b, s, *loop, results) || parts(b, s, *loop, results));
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  const Forms forms_;

  // ---- M1 ----

  static constexpr i64 enough = 8 * costs::cpu::lanes;
  bool is_number(Bind v) const { return is_scalar(p_.type(v.var)); }
  // The only map of an iteration, if states are nothing but its inputs and results, or numbers that do not depend on it.
  const Stm* only_map(const Stm& s, const For& x) const {
    if (x.any_order || !s.attrs.empty() || !s.checks.empty()) return nullptr;
    VarSet arrays;
    std::optional<Dim> width;
    for (Bind v : x.state) {
      if (is_number(v)) continue;
      const Type& t = p_.type(v.var);
      if (!is_array(t) || shape_of(t).size() != 1 || (width && *width != shape_of(t)[0])) return nullptr;
      width = shape_of(t)[0];
      arrays.insert(v.var);
    }
    if (!width) return nullptr;
    const Stm* map = nullptr;
    size_t light = 0;
    VarSet made;
    for (const Stm& inner : x.body.stms) {
      auto screma = std::get_if<Screma>(&inner.exp);
      if (screma && !map && is_map(*screma) && screma->width == *width && inner.attrs.empty() && inner.checks.empty() && of_numbers(inner, *screma, arrays)) {
        map = &inner;
        for (Bind v : inner.pattern) made.insert(v.var);
        continue;
      }
      bool uses = false;
      each_use(p_, inner, [&](Var v) { uses = uses || arrays.contains(v) || made.contains(v); });
      const Kind kind = kind_of(inner.exp);
      auto step = std::get_if<Apply>(&inner.exp);
      if (uses || !inner.attrs.empty() || (kind != Kind::Step && kind != Kind::Read && kind != Kind::View) || (step && is_call(step->op)) || ++light > costs::element_statements) return nullptr;
    }
    for (size_t k = 0; k < x.state.size() && map; k++) {
      auto result = var_of(x.body.result[k]);
      if (is_number(x.state[k]) ? result && made.contains(*result) : !result || !made.contains(*result)) return nullptr;
    }
    return map;
  }
  // Arrays of the state are inputs, and the map computes numbers that cannot fail.
  bool of_numbers(const Stm& s, const Screma& x, const VarSet& arrays) const {
    bool fits = std::ranges::all_of(x.pre.params, [&](Bind v) { return is_number(v); });
    for (Bind v : s.pattern) fits = fits && shape_of(p_.type(v.var)).size() == 1;
    each_stm(x.pre.body, [&](const Stm& inner) {
      const Kind kind = kind_of(inner.exp);
      fits = fits && (kind == Kind::Step || kind == Kind::Read || kind == Kind::View || kind == Kind::Branch || kind == Kind::Loop) && inner.attrs.empty() &&
             std::ranges::all_of(inner.pattern, [&](Bind v) { return is_number(v); });
    });
    each_use(p_, x.pre.body, [&](Var v) { fits = fits && !arrays.contains(v); });
    return fits;
  }
  bool maps(Builder& b, Stm& s, For& x, Subst& results) {
    const Stm* map = only_map(s, x);
    const Dim width = map ? std::get<Screma>(map->exp).width : Dim{};
    const bool device = context_.target == Target::Gpu;
    auto known = map ? const_of(width) : nullptr;
    if (!map || (known && !device && known->as_i64() < enough) || !context_.allow()) return false;
    context_.stats.count("element_loops.M1");
    std::vector<Atom> out;
    if (known || device) {
      out = as_map(b, x, map);
    } else {
      For loop = clone(p_, x);
      Body few = b.body([&] {
        std::vector<Atom> last;
        for (Var v : b.bind("few", std::move(loop))) last.push_back(v);
        return last;
      });
      Body many = b.body([&] { return as_map(b, x, map); });
      Term are_enough = le(b.number(Scalar::I64, double(enough)), b.term(width));
      for (Var v : b.bind("elements", If{are_enough.atom, std::move(many), std::move(few)})) out.push_back(v);
    }
    for (size_t k = 0; k < out.size(); k++) {
      p_.vars[var_of(out[k])->index].hint = p_.hint(s.pattern[k].var);
      results.emplace(s.pattern[k].var, out[k]);
    }
    return true;
  }
  // The last states.
  std::vector<Atom> as_map(Builder& b, For& x, const Stm* map) {
    std::vector<Var> last = numbers(b, x), inputs{b.iota(std::get<Screma>(map->exp).width)};
    Builder::Params params{{"i", scalar_type(Scalar::I64)}};
    for (size_t k = 0; k < x.state.size(); k++)
      if (!is_number(x.state[k])) {
        inputs.push_back(*var_of(x.init[k]));
        params.push_back({p_.hint(x.state[k].var), row_type(p_.type(x.state[k].var))});
      }
    Lambda f = b.lambda(params, [&](const std::vector<Var>& given) { return of_element(b, x, map, given); });
    std::vector<Var> arrays = b.map("elements", std::get<Screma>(map->exp).width, std::move(f), inputs);
    std::vector<Atom> out;
    for (size_t k = 0, number = 0, array = 0; k < x.state.size(); k++) out.push_back(is_number(x.state[k]) ? last[number++] : arrays[array++]);
    return out;
  }
  // The loop for the numbers alone, which somebody may want afterwards.
  std::vector<Var> numbers(Builder& b, const For& x) {
    For alone = clone(p_, x);
    std::vector<size_t> kept;
    for (size_t k = 0; k < x.state.size(); k++) if (is_number(x.state[k])) kept.push_back(k);
    if (kept.empty()) return {};
    auto only = [&](auto& items) {
      for (size_t k = 0; k < kept.size(); k++) items[k] = items[kept[k]];
      items.resize(kept.size());
    };
    only(alone.state);
    only(alone.init);
    only(alone.body.result);
    keep_needed(p_, alone.body);
    return b.bind("last", std::move(alone));
  }
  // given: the number of the element, and what it is in each array at first.
  std::vector<Atom> of_element(Builder& b, For& x, const Stm* map, const std::vector<Var>& given) {
    For loop{x.i, x.n, {}, {}, {}};
    VarMap<std::optional<Var>> now;                          // an array of the state -> its element
    for (size_t k = 0, next = 1; k < x.state.size(); k++) {
      const Var v = x.state[k].var;
      if (!is_number(x.state[k])) now[v] = p_.fresh(p_.hint(v), row_type(p_.type(v)));
      loop.state.push_back(is_number(x.state[k]) ? x.state[k] : Bind{*now[v]});
      loop.init.push_back(is_number(x.state[k]) ? x.init[k] : Atom(given[next++]));
    }
    Builder inside(p_, loop.body.stms);
    VarMap<std::optional<Atom>> made;                        // a result of the map -> its element
    for (Stm& inner : x.body.stms) {
      if (&inner != map) { inside.emit(std::move(inner)); continue; }
      inside.source = inner.source;
      Screma& screma = std::get<Screma>(inner.exp);
      std::vector<Atom> elements;
      for (Var v : screma.inputs) elements.push_back(now.at(v) ? Atom(*now.at(v)) : Atom(inside.index(p_.hint(v), v, {given[0]})));
      std::vector<Atom> out = inside.inline_call(screma.pre, elements);
      for (size_t k = 0; k < out.size(); k++) made[inner.pattern[k].var] = out[k];
    }
    for (size_t k = 0; k < x.state.size(); k++) loop.body.result.push_back(is_number(x.state[k]) ? x.body.result[k] : *made[*var_of(x.body.result[k])]);
    std::vector<Atom> last;
    const std::vector<Var> out = b.bind("element", std::move(loop));
    for (size_t k = 0; k < x.state.size(); k++) if (!is_number(x.state[k])) last.push_back(out[k]);
    return last;
  }

  // ---- M2 ----

  // What an iteration does: it reads a part of the only state, maps it, and puts the new part there.
  struct Parts {
    const Stm *read = nullptr, *map = nullptr, *update = nullptr;
    size_t input = 0;                                          // of the map: the part
    Affine start;                                              // of the part; it ends where the array does, or is all of it
    bool whole = false;
  };
  // An assertion that holds where the part is empty: one of slices of this length.
  bool holds_if_empty(const Body& b, const Assert& x, const Affine& length) const {
    auto made = [&](const Atom& a) -> const Apply* {
      for (const Stm& s : b.stms) if (binds(s, a)) return std::get_if<Apply>(&s.exp);
      return nullptr;
    };
    auto either = made(x.cond);
    if (!either || either->op != ScalarOp::or_) return false;
    return std::ranges::any_of(either->args, [&](const Atom& a) {
      auto same = made(a);
      if (!same || same->op != ScalarOp::eq || elem_of(p_, same->args[0]) != Scalar::I64) return false;
      Affine apart = forms_.of(same->args[1]) - forms_.of(same->args[0]);
      return apart == length || apart == Affine(0) - length;
    });
  }
  std::optional<Parts> parts_of(const Stm& s, const For& x) const {
    if (context_.target != Target::Gpu || x.state.size() != 1 || x.any_order || !s.attrs.empty() || !s.checks.empty()) return {};
    const Var state = x.state[0].var;
    const std::vector<Dim> shape = is_array(p_.type(state)) ? shape_of(p_.type(state)) : std::vector<Dim>{};
    if (shape.size() != 1) return {};
    Parts parts;
    const Slice* part = nullptr;
    Affine length;
    for (const Stm& inner : x.body.stms) {
      if (!inner.attrs.empty()) return {};
      size_t used = 0;
      each_use(p_, inner, [&](Var v) { used += v == state || (parts.read && binds(*parts.read, v)) || (parts.map && binds(*parts.map, v)); });
      if (used == 0) {
        if (kind_of(inner.exp) != Kind::Step && kind_of(inner.exp) != Kind::Read && kind_of(inner.exp) != Kind::View && kind_of(inner.exp) != Kind::Check &&
            !std::holds_alternative<Iota>(inner.exp)) return {};
        continue;
      }
      if (auto read = std::get_if<Index>(&inner.exp); read && !parts.read && used == 1) {
        part = std::get_if<Slice>(&read->at[0]);
        if (!part || part->stride != Atom(i64_const(1))) return {};
        parts.start = forms_.of(part->start);
        length = forms_.of(part->count);
        parts.read = &inner;
      } else if (auto map = std::get_if<Screma>(&inner.exp); map && parts.read && !parts.map && used == 1) {
        auto input = std::ranges::find_if(map->inputs, [&](Var v) { return binds(*parts.read, v); });
        if (input == map->inputs.end() || !is_map(*map) || inner.pattern.size() != 1 || !of_numbers(inner, *map, {})) return {};
        parts.input = size_t(input - map->inputs.begin());
        parts.map = &inner;
      } else if (auto update = std::get_if<Update>(&inner.exp); update && parts.map && !parts.update && used == 2) {
        auto to = std::get_if<Slice>(&update->at[0]);
        if (update->array != state || !to || to->start != part->start || to->count != part->count || to->stride != part->stride) return {};
        parts.update = &inner;
      } else {
        return {};
      }
    }
    if (!parts.update || !binds(*parts.update, x.body.result[0])) return {};
    const Affine end = forms_.of(shape[0]);
    parts.whole = parts.start == Affine(0) && length == end;
    const VarSet inside = bound_in(s.exp);
    const bool moves = parts.start.factor(x.i.var) == 1 && !any_term(parts.start, [&](Var v) { return v != x.i.var && inside.contains(v); });
    const Affine last = length + Affine(x.i.var) - forms_.of(x.n) + 1;        // the length in the last iteration
    if (!parts.whole && (!moves || parts.start + length != end || !last.is_constant() || last.constant < 0)) return {};
    // Iterations whose part is empty are left out.
    bool holds = true;
    for (const Stm& inner : x.body.stms)
      if (auto check = std::get_if<Assert>(&inner.exp)) holds = holds && holds_if_empty(x.body, *check, length);
    return holds ? std::optional(parts) : std::nullopt;
  }
  bool parts(Builder& b, Stm& s, For& x, Subst& results) {
    auto parts = parts_of(s, x);
    if (!parts || !context_.allow()) return false;
    const Dim d = shape_of(p_.type(x.state[0].var))[0];
    const Scalar elem = elem_of(p_.type(x.state[0].var));
    const Affine before = Affine(x.i.var) - parts->start;      // c - start does not change: part c begins at element c - it
    Lambda f = b.lambda({{"i", scalar_type(Scalar::I64)}, {p_.hint(x.state[0].var), scalar_type(elem)}}, [&](const std::vector<Var>& row) {
      For loop{x.i, x.n, {{p_.fresh(p_.hint(x.state[0].var), scalar_type(elem))}}, {row[1]}, {}};
      if (!parts->whole) {                                     // i >= start(c) where c < i + (c - start) + 1
        Term upto = b.term(row[0]) + code_of(b, before) + b.number(Scalar::I64, 1);
        loop.n = apply(ScalarOp::max, {b.number(Scalar::I64, 0), apply(ScalarOp::min, {b.term(x.n), upto})}).atom;
      }
      Builder inside(p_, loop.body.stms);
      for (Stm& inner : x.body.stms) {
        if (&inner == parts->read || &inner == parts->update) continue;
        if (&inner != parts->map) { inside.emit(std::move(inner)); continue; }
        Screma& map = std::get<Screma>(inner.exp);
        const Slice& part = std::get<Slice>(std::get<Index>(parts->read->exp).at[0]);
        inside.source = inner.source;
        std::vector<Var> checks = inner.checks;
        checks.insert(checks.end(), parts->read->checks.begin(), parts->read->checks.end());
        checks.insert(checks.end(), parts->update->checks.begin(), parts->update->checks.end());
        inside.checks = checks;
        Atom at = parts->whole ? Atom(row[0]) : Atom(inside.bind1("at", Apply{ScalarOp::sub, {row[0], part.start}}));
        std::vector<Atom> elements;
        for (size_t k = 0; k < map.inputs.size(); k++)
          elements.push_back(k == parts->input ? Atom(loop.state[0].var) : Atom(inside.index(p_.hint(map.inputs[k]), map.inputs[k], {at})));
        loop.body.result = inside.inline_call(map.pre, elements);
      }
      return std::vector<Atom>{b.bind(p_.hint(x.state[0].var), std::move(loop))[0]};
    });
    results.emplace(s.pattern[0].var, b.map("rows", d, std::move(f), {b.iota(d), *var_of(x.init[0])})[0]);
    context_.stats.count("element_loops.M2");
    return true;
  }
};

}  // namespace

void element_loops(ir::Program& program, PassContext& context) {
  ElementLoops loops(program, context);
  program.each_body([&](ir::Body& b) { loops.body(b); });
}

}  // namespace raido
