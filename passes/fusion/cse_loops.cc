// cse_loops.cc - what a loop and the one that goes back through it both compute, if that is costly (V12).
//
//   let ys, zs = for i < n (.., zs) {              let ys, zs, es = for i < n (.., zs, es) {
//     let zs' = update zs [i] x                      let zs' = update zs [i] x
//     let e = exp [x] ..                             let e = exp [x] .. let es' = update es [i] e
//   }                                        ==>   }
//   .. for k < n (..) {                            .. for k < n (..) {
//     let i = sub [n - 1, k]                         let i = sub [n - 1, k]
//     let x = index zs [i]                           let e = index es [i] ..
//     let e = exp [x] ..                           }
//   }
//
// The second loop finds in the records of the first the values of the same iteration. Values are numbered through both loops. Two values
// are the same if the same operations make them of the same values. This covers the bodies, maps over the same width inside them, and maps
// in these. Only what costs more than to keep it is kept (values.h), and no more than costs::records_of_loop of it: a record costs two ways
// to memory.
// A loop inside of the first one may have a loop that goes back through it inside of the second one: such a pair is looked at, too. What
// the inner loop records of its iterations is then a value of the outer one.
//
// And the kept values need no more memory than the states of the first loop need, up to a factor. What has the dimensions of a row that it
// records is kept. Everything else is decided before the loop runs. All that is kept may be costs::records_of_state times what is recorded
// and the arrays that are its state. Where it is more the second loop computes it again:
//
//   let z = map g .. (screma d ..)           ==>     let z = if fit { index zs [i] } else { map g .. (screma d ..) }
//
// On devices this is done of loops of the CPU only. A sum is kept there, and what is made of it. A mathematical function of a thread takes less
// time than memory.
//
// With --ad-memory nothing is kept that need not be.
#include <algorithm>
#include <unordered_map>

#include "compiler/base/flat_map.h"
#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/fusion/values.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// A value by how it is made: the same text in both loops for the same value.
using Key = std::string;

class CseLoops {
 public:
  CseLoops(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), consumed_(aliases_.own_memory()), forms_(p) {}

  void body(Body& b) {
    for (Stm& s : b.stms)
      if (!on_device() || kind_of(s.exp) != Kind::Parallel) walk_parts(s, [&](Body& inner) { body(inner); });
    std::vector<Stm*> earlier;                            // loops that compute what is costly
    for (size_t at = 0; at < b.stms.size(); at++) {
      Stm& second = b.stms[at];
      auto loop = std::get_if<For>(&second.exp);
      bool worth = loop && costly(loop->body);
      for (Stm* first : earlier)
        for (size_t made = 1; made > 0 && worth && std::get<For>(first->exp).n == loop->n && context_.allow();) {
          made = pair(b, *first, second);                 // what was kept may be what more is made of
          at += made;
          worth = costly(loop->body);
        }
      if (worth) earlier.push_back(&second);
    }
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet consumed_;                                       // roots
  Forms forms_;

  bool costly(const Body& b) const {
    bool found = false;
    each_stm(b, [&](const Stm& s) { for (Bind x : s.pattern) found = found || worth(s, x.var); });
    return found;
  }
  bool on_device() const { return context_.target == Target::Gpu; }
  bool worth(const Stm& s, Var v) const { return on_device() ? runs_often(p_, s, v) : worth_keeping(p_, s, v); }

  // Values of one loop by their keys. The names of the other loop's values stand for this one's through `same`.
  struct Numbering {
    std::unordered_map<Var, Atom> same;                   // what a name of the second loop is in the first
    std::unordered_map<Var, std::vector<Atom>> part;      // an array that is a part of another: that array, the indices
    std::unordered_map<Var, Var> of;                      // and which
    struct Row { Var value, i; };
    std::unordered_map<Var, Row> rows;                    // a record -> what it gets in iteration i of the first loop
    const Row* row(Var record, const Atom& at) const {
      auto found = rows.find(record);
      return found != rows.end() && at == Atom(found->second.i) ? &found->second : nullptr;
    }
  };
  static std::string text(const Atom& a) {
    return match(a, [](Var v) { return fmt::format("v{}", v.index); },
                 [](const Const& c) { return fmt::format("c{}:{}", int(c.type), c.bits); });
  }
  static Atom named(const Numbering& n, const Atom& a) {
    auto v = var_of(a);
    auto found = v ? n.same.find(*v) : n.same.end();
    return found == n.same.end() ? a : found->second;
  }
  static Var array(const Numbering& n, Var v) { return *var_of(named(n, v)); }
  // The element or row of `array` at these indices, as an element of the largest array around it.
  static Key element(const Numbering& n, Var array, std::vector<Atom> at) {
    for (;;) {
      if (auto row = at.empty() ? nullptr : n.row(array, at[0])) {
        at.erase(at.begin());
        array = row->value;
        continue;
      }
      auto whole = n.of.find(array);
      if (whole == n.of.end()) break;
      const std::vector<Atom>& outer = n.part.at(array);
      at.insert(at.begin(), outer.begin(), outer.end());
      array = whole->second;
    }
    Key key = fmt::format("index v{}", array.index);
    for (const Atom& a : at) key += " " + text(a);
    return key;
  }
  // How the statement's value is made, or nothing.
  Key key(const Numbering& n, const Stm& s) const {
    return match(s.exp,
        [&](const Apply& x) {
          std::vector<std::string> args;
          for (const Atom& a : x.args) args.push_back(text(named(n, a)));
          if (args.size() == 2 && is_commutative(x.op, elem_of(p_, x.args[0]))) std::ranges::sort(args);
          return fmt::format("{} {}", name_of(x.op), fmt::join(args, " "));
        },
        [&](const Convert& x) { return fmt::format("convert {} {}", int(x.to), text(named(n, x.value))); },
        [&](const Index& x) {
          std::vector<Atom> at;
          for (const Selector& sel : x.at) {
            auto a = std::get_if<Atom>(&sel);
            if (!a) return Key();
            at.push_back(named(n, *a));
          }
          return element(n, array(n, x.array), std::move(at));
        },
        [&](const Permute& x) { return fmt::format("permute {} of {}", fmt::join(x.dims, " "), element(n, array(n, x.array), {})); },
        [](const auto&) { return Key(); });
  }
  static void note_part(Numbering& n, Var v, Var array, std::vector<Atom> at) {
    n.part[v] = std::move(at);
    n.of[v] = array;
  }

  // The values of a body of the first loop: by their keys, and those that are made by several statements.
  struct Values {
    std::unordered_map<Key, Var> by_key;
    std::vector<const Stm*> compound;
  };
  void number_first(Numbering& n, Values& values, const Body& b) const {
    for (const Stm& s : b.stms) {
      if (is_compound(s.exp) && is_value(p_, s)) values.compound.push_back(&s);
      if (s.pattern.size() != 1) continue;
      Var v = s.pattern[0].var;
      if (auto x = std::get_if<Copy>(&s.exp)) note_part(n, v, x->array, {});
      else if (Key k = key(n, s); !k.empty()) {
        values.by_key.try_emplace(k, v);
        auto view = std::get_if<Index>(&s.exp);
        if (!view || !is_array(p_.type(v))) continue;
        std::vector<Atom> at;
        for (const Selector& sel : view->at) at.push_back(std::get<Atom>(sel));
        note_part(n, v, view->array, std::move(at));
      }
    }
  }
  // The statement of the first loop that makes what s does, which has names of the second one.
  const Stm* compound(const Numbering& n, const Values& values, const Stm& s) const {
    auto like = [&](const Stm& other) { return other.exp.index() == s.exp.index() && other.pattern.size() == s.pattern.size(); };
    if (!is_compound(s.exp) || !is_value(p_, s) || std::ranges::none_of(values.compound, [&](const Stm* other) { return like(*other); })) return nullptr;
    Exp wanted = clone(p_, s.exp);
    substitute(p_, wanted, n.same);
    auto of_row = [&](Stm& inner) {                       // not of a record, but of the value in this iteration
      auto x = std::get_if<Index>(&inner.exp);
      auto at = x && x->at.size() >= 2 ? std::get_if<Atom>(&x->at[0]) : nullptr;
      auto row = at ? n.row(x->array, *at) : nullptr;
      if (!row) return;
      x->array = row->value;
      x->at.erase(x->at.begin());
    };
    match(wanted, [&](auto& op) { each_stm(op, of_row); });
    for (const Stm* other : values.compound)
      if (like(*other) && alike(p_, other->exp, wanted)) return other;
    return nullptr;
  }
  // Gives the parameters of a map's function names: the lane, or the element there.
  void number_lanes(Numbering& n, Values* values, const Screma& map, Var lane) const {
    for (size_t k = 0; k < map.inputs.size(); k++) {
      Var param = map.pre.params[k].var;
      if (!is_array(p_.type(map.inputs[k]))) continue;
      if (forms_.counts(map.inputs[k])) {
        n.same[param] = lane;
        continue;
      }
      Var whole = array(n, map.inputs[k]);
      if (values) values->by_key.try_emplace(element(n, whole, {lane}), param);
      if (!values || is_array(p_.type(param))) note_part(n, param, whole, {lane});
    }
  }

  // The array that it is a size of names it where both are made, so it is made there.
  bool is_size_of_other(const Stm& s, Var v) const {
    return std::ranges::any_of(s.pattern, [&](Bind x) { return has_dims(shape_of(p_.type(x.var)), {v}); });
  }
  struct Found { Var second, first; };                    // a value of the second loop that is one of the first
  // Names the values of a body of the second loop. Finds what is costly and needed by the rest of it, if it may be kept.
  template <class F> std::vector<Found> number_second(Numbering& n, const Values& values, const Body& b, F may_keep) const {
    std::vector<const Stm*> common;
    VarSet needed;
    walk_second(n, values, b, common, needed);
    each_use(p_, b.result, [&](Var v) { needed.insert(v); });
    // Of a larger array that is cheap to make of a smaller one, the smaller one is kept.
    for (;;) {
      std::vector<Found> found;
      VarSet heavy;
      bool smaller = false;
      for (const Stm* s : common)
        for (Bind x : s->pattern) {
          bool far = worth(*s, x.var);
          Var first = *var_of(n.same.at(x.var));
          std::vector<Var> of;
          if (!far) each_use(p_, s->exp, [&](Var v) { if (heavy.contains(v)) of.push_back(v); });
          if (!far && of.empty()) continue;
          bool kept = needed.contains(x.var) && !is_size_of_other(*s, x.var) && may_keep(x.var, first);
          for (Var v : of)
            if (kept && shape_of(p_.type(v)).size() < shape_of(p_.type(x.var)).size() && !needed.contains(v)) {
              needed.insert(v);
              smaller = true;
            }
          if (kept) found.push_back({x.var, first});
          else heavy.insert(x.var);
        }
      if (!smaller) return found;
    }
  }
  void walk_second(Numbering& n, const Values& values, const Body& b, std::vector<const Stm*>& common, VarSet& needed) const {
    for (const Stm& s : b.stms) {
      if (auto w = std::get_if<WithAcc>(&s.exp)) {
        walk_second(n, values, w->scope.body, common, needed);
        each_use(p_, w->scope.body.result, [&](Var v) { needed.insert(v); });
        continue;
      }
      Var v = s.pattern.empty() ? Var() : s.pattern[0].var;
      if (auto x = std::get_if<Copy>(&s.exp)) note_part(n, v, array(n, x->array), {});
      Key k = s.pattern.size() == 1 ? key(n, s) : Key();
      auto twin = k.empty() ? values.by_key.end() : values.by_key.find(k);
      if (twin != values.by_key.end() && n.same.try_emplace(v, twin->second).second) {
        common.push_back(&s);
        continue;
      }
      if (const Stm* first = compound(n, values, s)) {
        for (size_t i = 0; i < s.pattern.size(); i++) n.same.insert_or_assign(s.pattern[i].var, first->pattern[i].var);
        common.push_back(&s);
        continue;
      }
      if (auto x = std::get_if<Index>(&s.exp); x && !k.empty() && is_array(p_.type(v))) {
        std::vector<Atom> at;
        for (const Selector& sel : x->at) at.push_back(named(n, std::get<Atom>(sel)));
        note_part(n, v, array(n, x->array), std::move(at));
      }
      each_use(p_, s, [&](Var x) { needed.insert(x); });
    }
  }
  // The index in r of the iteration of f that it goes back through.
  std::optional<Var> turned(const For& f, const For& r) const {
    std::optional<Var> out;
    const Affine last = forms_.of(f.n) - 1;
    for (const Stm& s : r.body.stms) {
      auto x = std::get_if<Apply>(&s.exp);
      if (!x || x->op != ScalarOp::sub || x->args[1] != Atom(r.i.var)) continue;
      if (forms_.of(x->args[0]) == last) out = s.pattern[0].var;
    }
    return out;
  }

  // Two loops, what they both compute, and what becomes of them.
  struct Pair {
    Stm &fs, &rs;
    For &f, &r;
    Var turned;
    Pair* outer = nullptr;                                // the pair of loops around them
    std::vector<std::vector<Dim>> rows = {}, states = {};  // what f records in each iteration, and its other state: dimensions
    FlatMap<Var, Stm*> made_by = {};                      // by a statement of f's body, or of r's
    VarSet inside = {};                                   // what f binds
    size_t kept = 0;
    std::optional<Atom> most_of_all = {}, all = {};       // elements that may be kept where it is not known, and that are
    List<Stm> before = {};                                // the first loop
    std::unordered_map<const Stm*, List<Stm>> after = {}, in_front = {};
    Subst loaded = {};
  };
  // Whether a row of a record has all of these dimensions.
  static bool fits(const Pair& pair, const std::vector<Dim>& shape) {
    return std::ranges::any_of(pair.rows, [&](const std::vector<Dim>& row) { return has_dims(row, shape); });
  }
  static bool known_outside(const Pair& pair, const std::vector<Dim>& shape) {
    return std::ranges::none_of(shape, [&](const Dim& d) { auto v = var_of(d); return v && pair.inside.contains(*v); });
  }
  static bool known_before_all(const Pair& pair, const Dim& d) {
    for (const Pair* p = &pair; p; p = p->outer) if (!known_outside(*p, {d})) return false;
    return true;
  }
  // Whether its size is known before the loop, and it may be that it fits: it has no more dimensions than what is there. Nothing is
  // decided inside of another loop: there it has to fit.
  static bool may_fit(const Pair& pair, const std::vector<Dim>& shape) {
    if (pair.outer) return fits(pair, shape) && std::ranges::all_of(shape, [&](const Dim& d) { return known_before_all(pair, d); });
    size_t rank = 0;
    for (auto* known : {&pair.rows, &pair.states}) for (const auto& dims : *known) rank = std::max(rank, dims.size());
    return shape.size() <= rank && known_outside(pair, shape);
  }
  static const Stm* maker(const Pair& pair, Var v) {
    auto found = pair.made_by.find(v);
    return found ? *found : nullptr;
  }
  bool may_keep(const Pair& pair, Var first, Var second) const {
    std::vector<Dim> shape = shape_of(p_.type(first));
    if (!maker(pair, first) || !may_fit(pair, shape)) return false;
    if (aliases_.has_root_in(second, consumed_)) return false;
    const Stm* made = maker(pair, second);
    return fits(pair, shape) || (made && made->pattern.size() == 1);
  }
  static Builder builder(const Pair& pair, Program& p, List<Stm>& out) {
    Builder b(p, out);
    b.source = pair.rs.source;
    return b;
  }
  // Of the first loop. They are known before all loops.
  Atom trips(Pair& pair) {
    Pair* root = &pair;
    while (root->outer) root = root->outer;
    Builder b = builder(*root, p_, root->before);
    return apply(ScalarOp::max, {b.number(Scalar::I64, 0), b.term(pair.f.n)}).atom;
  }
  // Whether so many arrays of that shape fit for all iterations, beside what was asked for before.
  Atom fit(Pair& pair, size_t arrays, const std::vector<Dim>& shape) {
    Builder before = builder(pair, p_, pair.before);
    auto size = [&](const std::vector<Dim>& dims) {
      Term product = before.term(i64_const(1));
      for (const Dim& d : dims) product = product * before.term(d);
      return product;
    };
    auto total = [&](const std::vector<std::vector<Dim>>& shapes) {
      Term sum = before.term(i64_const(0));
      for (const auto& dims : shapes) sum = sum + size(dims);
      return sum;
    };
    Term n = before.term(trips(pair));
    if (!pair.all) {
      Term rows = n * total(pair.rows), states = total(pair.states);       // in this order
      pair.most_of_all = ((rows + states) * before.term(i64_const(costs::records_of_state))).atom;
      pair.all = i64_const(0);
    }
    Term all = before.term(*pair.all) + n * size(shape) * before.term(i64_const(i64(arrays)));
    pair.all = all.atom;
    return le(all, before.term(*pair.most_of_all)).atom;
  }
  // A record of `value`, which a statement of the first loop's body makes, for all iterations, or for one if it does not fit. Returns
  // what the second loop reads of it, and gives the statements that do to `load`.
  Var keep(Pair& pair, Var value, std::optional<Atom> fit, Builder& load) { return keep(pair, value, fit, load, p_.hint(value)); }
  Var keep(Pair& pair, Var value, std::optional<Atom> fit, Builder& load, const std::string& name) {
    Builder before = builder(pair, p_, pair.before);
    Atom n = trips(pair);
    std::vector<Dim> shape = shape_of(p_.type(value));
    shape.insert(shape.begin(), fit ? select({before.term(*fit), before.term(n), before.term(i64_const(1))}).atom : n);
    Var empty = before.bind1(p_.hint(value) + "_rec", Scratch{elem_of(p_, value), shape});
    Var state = p_.fresh(p_.hint(empty), p_.type(empty)), final = p_.fresh(p_.hint(empty), p_.type(empty));
    if (!pair.outer) context_.note(p_, final, {Note::Kind::Result, pair.made_by[value]->source, name});
    Builder inner(p_, pair.after[pair.made_by[value]]);
    inner.source = pair.fs.source;
    Atom i = pair.f.i.var;
    if (fit) i = select({inner.term(*fit), inner.term(i), inner.term(i64_const(0))}).atom;
    pair.f.init.push_back(empty);
    pair.f.state.push_back({state});
    pair.f.body.result.push_back(inner.update(state, {i}, value));
    pair.fs.pattern.push_back({final});
    pair.kept++;
    context_.stats.count("cse_loops.V12");
    if (pair.outer) {                                     // of all iterations of the loop around
      pair.outer->made_by[final] = &pair.fs;
      Builder outside = builder(*pair.outer, p_, pair.outer->after[pair.outer->made_by[pair.outer->turned]]);
      final = keep(*pair.outer, final, {}, outside, name);
    }
    return *var_of(load.index(p_.hint(value), final, {pair.turned}));
  }
  // The values of the bodies themselves.
  void keep_values(Pair& pair, Numbering& n, const Values& values) {
    for (const Found& x : number_second(n, values, pair.r.body, [&](Var second, Var first) { return may_keep(pair, first, second); })) {
      if (pair.kept >= costs::records_of_loop) break;
      std::vector<Dim> shape = shape_of(p_.type(x.first));
      Builder load = builder(pair, p_, pair.after[pair.made_by[pair.turned]]);
      if (fits(pair, shape)) {
        pair.loaded.emplace(x.second, keep(pair, x.first, {}, load));
        continue;
      }
      Atom enough = fit(pair, 1, shape);
      Stm& computed = *pair.made_by[x.second];
      Var again = p_.fresh(p_.hint(x.second), p_.type(x.second));
      If choice{enough, load.body([&] { return std::vector<Atom>{keep(pair, x.first, enough, load)}; }), {}};
      choice.else_.stms.push_back({{{again}}, std::exchange(computed.exp, Identity{again}), std::move(computed.checks), computed.source, std::move(computed.attrs)});
      choice.else_.result = {again};
      computed.exp = std::move(choice);
    }
  }
  // What a map computes of its elements on the way to `values`.
  Screma part_of(const Screma& map, const std::vector<Var>& values) const {
    VarSet needed;
    for (Var v : values) needed.insert(v);
    std::vector<const Stm*> stms;
    for (const Stm& s : reversed(map.pre.body.stms)) {
      if (std::ranges::none_of(s.pattern, [&](Bind x) { return needed.contains(x.var); })) continue;
      each_use(p_, s, [&](Var v) { needed.insert(v); });
      stms.push_back(&s);
    }
    Screma out;
    out.width = map.width;
    for (size_t k = 0; k < map.inputs.size(); k++) {
      if (!needed.contains(map.pre.params[k].var)) continue;
      out.inputs.push_back(map.inputs[k]);
      out.pre.params.push_back(map.pre.params[k]);
    }
    for (const Stm* s : reversed(stms)) out.pre.body.stms.push_back(*s);
    out.pre.body.result.assign(values.begin(), values.end());
    return clone(p_, out);
  }
  // The values of the innermost two maps, one in each loop, and of maps in them.
  void keep_lanes(Pair& pair, Numbering lanes, Values values, const MapPairs& nest) {
    Screma &fm = std::get<Screma>(nest.back().first->exp), &rm = std::get<Screma>(nest.back().second->exp);
    Var lane = p_.fresh("lane", scalar_type(Scalar::I64));
    number_lanes(lanes, &values, fm, lane);
    number_first(lanes, values, fm.pre.body);
    number_lanes(lanes, nullptr, rm, lane);
    for (Bind param : rm.pre.params)                      // those that are values of the first map
      if (auto v = values.by_key.find(element(lanes, param.var, {})); v != values.by_key.end()) lanes.same.try_emplace(param.var, v->second);
    std::vector<Found> found = number_second(lanes, values, rm.pre.body, [&](Var second, Var) { return is_scalar(p_.type(second)); });
    found.resize(std::min(found.size(), costs::records_of_loop - pair.kept));
    if (!found.empty()) keep_found(pair, lanes, nest, found);
    for (Stm* inner_second : maps_in(rm.pre.body, true))
      for (Stm* inner_first : maps_in(fm.pre.body, false)) {
        MapPairs inner = nest;
        inner.push_back({inner_first, inner_second});
        if (same_width(lanes, inner.back()) && fits(pair, widths_of(inner))) keep_lanes(pair, lanes, values, inner);
      }
  }
  static bool same_width(const Numbering& n, const MapPair& m) {
    return std::get<Screma>(m.first->exp).width == named(n, std::get<Screma>(m.second->exp).width);
  }
  void keep_found(Pair& pair, Numbering& lanes, const MapPairs& nest, const std::vector<Found>& found) {
    Screma& rm = std::get<Screma>(nest.back().second->exp);
    const std::vector<Dim> widths = widths_of(nest);
    std::vector<Var> seconds, rows;
    std::vector<std::string> hints;
    for (const Found& x : found) {
      seconds.push_back(x.second);
      hints.push_back(p_.hint(x.first));
      rows.push_back(lift(p_, nest, x.first, [&](Var v) { return aliases_.has_root_in(v, consumed_); }));
      pair.made_by[rows.back()] = nest[0].first;
    }
    auto kept = [&](std::optional<Atom> enough, Builder& load) {
      std::vector<Atom> out;
      for (Var row : rows) out.push_back(keep(pair, row, enough, load));
      return out;
    };
    std::vector<Atom> inputs;
    if (fits(pair, widths)) {
      Builder load = builder(pair, p_, pair.after[pair.made_by[pair.turned]]);
      inputs = kept({}, load);
    } else {                                              // one map
      Builder load = builder(pair, p_, pair.in_front[nest[0].second]);
      Atom enough = fit(pair, rows.size(), widths);
      If choice{enough, load.body([&] { return kept(enough, load); }), {}};
      choice.else_ = load.body([&] {
        std::vector<Var> again = load.bind(hints, part_of(rm, seconds));
        return std::vector<Atom>(again.begin(), again.end());
      });
      for (Var v : load.bind(hints, std::move(choice))) inputs.push_back(v);
    }
    Subst elements;
    for (size_t k = 0; k < found.size(); k++) {
      const Var value = lower(p_, nest, *var_of(inputs[k]), p_.hint(seconds[k]));
      elements.emplace(seconds[k], value);
      lanes.same.emplace(value, found[k].first);
    }
    substitute(p_, rm.pre.body, elements);
  }
  // Puts what was made before statements and after them.
  static void place(Pair& pair, Body& b) {
    List<Stm> all;
    for (auto& s : b.stms.take()) {
      if (auto w = std::get_if<WithAcc>(&s->exp)) place(pair, w->scope.body);
      auto made = pair.after.find(s.get()), needs = pair.in_front.find(s.get());
      if (needs != pair.in_front.end()) for (auto& m : needs->second.take()) all.push_back(std::move(m));
      all.push_back(std::move(s));
      if (made != pair.after.end()) for (auto& m : made->second.take()) all.push_back(std::move(m));
    }
    b.stms = std::move(all);
  }
  // Looks at two loops of b; returns how many statements were put before them.
  size_t pair(Body& b, Stm& fs, Stm& rs) {
    auto index = turned(std::get<For>(fs.exp), std::get<For>(rs.exp));
    if (!index) return 0;
    Pair pair{fs, rs, std::get<For>(fs.exp), std::get<For>(rs.exp), *index};
    look(pair, {}, {});
    size_t made = pair.before.size();
    if (made == 0) return 0;
    List<Stm> whole;
    for (auto& s : b.stms.take()) {
      if (s.get() == &fs) for (auto& m : pair.before.take()) whole.push_back(std::move(m));
      whole.push_back(std::move(s));
    }
    b.stms = std::move(whole);
    return made;
  }
  // `n` and `values`: those of the loops around.
  void look(Pair& pair, Numbering n, Values values) {
    For &f = pair.f, &r = pair.r;
    for (For* loop : {&f, &r})
      for (Stm& s : loop->body.stms) for (Bind x : s.pattern) pair.made_by[x.var] = &s;
    each_bind(f, [&](Var v) { pair.inside.insert(v); });
    const Var i = f.i.var;
    n.same[pair.turned] = i;
    number_first(n, values, f.body);
    for (size_t k = 0; k < f.state.size(); k++) {
      auto v = var_of(f.body.result[k]);
      auto made = v ? maker(pair, *v) : nullptr;
      auto x = made ? std::get_if<Update>(&made->exp) : nullptr;
      auto at = x ? std::get_if<Atom>(&x->at[0]) : nullptr;
      std::vector<Dim> shape = shape_of(p_.type(f.state[k].var));
      if (!at || x->array != f.state[k].var || !(forms_.of(*at) - Affine(i)).is_constant()) {
        if (!shape.empty() && known_outside(pair, shape)) pair.states.push_back(shape);
        continue;
      }
      pair.rows.push_back(shape_of(p_.type(x->value)));
      Var final = pair.fs.pattern[k].var;
      auto value = var_of(x->value);
      if (!value || x->at != std::vector<Selector>{i}) continue;
      if (is_array(p_.type(*value))) n.rows[final] = {*value, i};
      values.by_key.try_emplace(is_array(p_.type(*value)) ? element(n, *value, {}) : element(n, final, {i}), *value);
    }
    if (pair.rows.empty() && pair.states.empty()) return;
    keep_values(pair, n, values);
    for (Stm* rm : maps_in(r.body, true)) {
      if (std::ranges::all_of(rm->pattern, [&](Bind x) { return pair.loaded.contains(x.var); })) continue;
      for (Stm* fm : maps_in(f.body, false)) {
        const MapPairs nest = {{fm, rm}};
        if (same_width({}, nest[0]) && may_fit(pair, widths_of(nest))) keep_lanes(pair, n, values, nest);
      }
    }
    inner_loops(pair, n, values);
    if (pair.kept == 0) return;
    substitute(p_, r.body, pair.loaded);
    place(pair, f.body);
    place(pair, r.body);
  }
  // Pairs of loops in their bodies. The iterations of one that is kept are known before all loops.
  void inner_loops(Pair& outer, const Numbering& n, const Values& values) {
    for (Stm& fs : outer.f.body.stms)
      for (Stm& rs : outer.r.body.stms) {
        auto f = std::get_if<For>(&fs.exp), r = std::get_if<For>(&rs.exp);
        if (!f || !r || f->n != named(n, r->n) || !known_before_all(outer, f->n) || !costly(f->body) || !costly(r->body)) continue;
        auto index = turned(*f, *r);
        if (!index) continue;
        Pair pair{fs, rs, *f, *r, *index, &outer};
        look(pair, n, values);
        for (auto& s : pair.before.take()) outer.in_front[&fs].push_back(std::move(s));
      }
  }
};

}  // namespace

void cse_loops(Program& program, PassContext& context) {
  if (context.options.ad_memory != 0) return;
  CseLoops cse(program, context);
  program.each_body([&](Body& b) { cse.body(b); });
}

}  // namespace raido
