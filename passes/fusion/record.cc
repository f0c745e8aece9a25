// record.cc - what a loop and the one that goes back through it both compute, if it calls a function (V12).
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
// The second loop finds in the records of the first the values of the same iteration. Values are numbered through both:
// those are the same that the same operations make of the same values, in the bodies and in maps over the same width inside
// them. Only calls are kept, and no more than `most` of them: a record costs two ways to memory.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

constexpr size_t most = 8;

// A value by how it is made: the same text in both loops for the same value.
using Key = std::string;

class Record {
 public:
  Record(Program& p, PassContext& context) : p_(p), context_(context) {
    p_.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) {
        auto sum = std::get_if<Apply>(&s.exp);
        if (sum && sum->op == ScalarOp::add && elem_of(p_, sum->args[0]) == Scalar::I64)
          for (size_t k = 0; k < 2; k++)
            if (auto c = const_of(sum->args[k]); c && var_of(sum->args[1 - k])) offset_[s.pattern[0].var] = {*var_of(sum->args[1 - k]), c->as_i64()};
        if (auto is = std::get_if<Iota>(&s.exp); is && is_const(is->start, 0) && is_const(is->step, 1)) counts_.insert(s.pattern[0].var);
      });
    });
  }

  void body(Body& b) {
    for (Stm& s : b.stms) walk_parts(s, [&](Body& inner) { body(inner); });
    for (size_t second = 0; second < b.stms.size(); second++)
      for (size_t first = 0; first < second; first++) {
        auto f = std::get_if<For>(&b.stms[first].exp), r = std::get_if<For>(&b.stms[second].exp);
        if (!f || !r || f->n != r->n || !calls(*f) || !calls(*r) || !context_.allow()) continue;
        second += pair(b, first, second);
      }
  }

 private:
  Program& p_;
  PassContext& context_;
  VarMap<std::optional<std::pair<Var, int64_t>>> offset_;  // variable + constant
  VarSet counts_;                                         // 0, 1, 2, ..

  bool calls(const Exp& e) const {
    auto call = std::get_if<Apply>(&e);
    return call && is_call(call->op) && is_float(elem_of(p_, call->args[0]));
  }
  bool calls(const For& loop) const {
    bool found = false;
    each_stm(loop.body, [&](const Stm& s) { found = found || calls(s.exp); });
    return found;
  }
  std::pair<Atom, int64_t> linear(const Atom& a) const {
    if (auto c = const_of(a)) return {i64_const(0), c->as_i64()};
    std::pair<Atom, int64_t> sum = {a, 0};
    while (auto v = var_of(sum.first)) {
      if (!offset_[*v]) break;
      sum = {offset_[*v]->first, sum.second + offset_[*v]->second};
    }
    return sum;
  }

  // Values of one loop by their keys. The names of the other loop's values stand for this one's through `same`.
  struct Numbering {
    std::unordered_map<Var, Atom> same;                   // what a name of the second loop is in the first
    std::unordered_map<Var, std::vector<Atom>> part;      // an array that is a part of another: that array, the indices
    std::unordered_map<Var, Var> of;                      // and which
    std::unordered_map<Var, Var> rows;                    // a record -> what it gets in an iteration of the first loop
    Var i;                                                // there
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
  // The element or row of `array` at these indices, as an element of the largest array around it.
  static Key element(const Numbering& n, Var array, std::vector<Atom> at) {
    for (;;) {
      auto row = n.rows.find(array);
      if (row != n.rows.end() && !at.empty() && at[0] == Atom(n.i)) {
        at.erase(at.begin());
        array = row->second;
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
          Atom array = named(n, x.array);
          return element(n, *var_of(array), std::move(at));
        },
        [](const auto&) { return Key(); });
  }
  static void note_part(Numbering& n, Var v, Var array, std::vector<Atom> at) {
    n.part[v] = std::move(at);
    n.of[v] = array;
  }

  // The values of a body of the first loop.
  void number_first(Numbering& n, std::unordered_map<Key, Var>& values, const Body& b) const {
    for (const Stm& s : b.stms) {
      if (s.pattern.size() != 1) continue;
      Var v = s.pattern[0].var;
      if (auto x = std::get_if<Copy>(&s.exp)) note_part(n, v, x->array, {});
      else if (Key k = key(n, s); !k.empty()) {
        values.try_emplace(k, v);
        auto view = std::get_if<Index>(&s.exp);
        if (!view || !is_array(p_.type(v))) continue;
        std::vector<Atom> at;
        for (const Selector& sel : view->at) at.push_back(std::get<Atom>(sel));
        note_part(n, v, view->array, std::move(at));
      }
    }
  }
  // Gives the parameters of a map's function names: the lane, or the element there.
  void number_lanes(Numbering& n, std::unordered_map<Key, Var>* values, const Screma& map, Var lane) const {
    for (size_t k = 0; k < map.inputs.size(); k++) {
      Var param = map.pre.params[k].var;
      if (!is_array(p_.type(map.inputs[k]))) continue;
      if (counts_.contains(map.inputs[k])) {
        n.same[param] = lane;
        continue;
      }
      Atom array = named(n, map.inputs[k]);
      if (values) {
        values->try_emplace(element(n, *var_of(array), {lane}), param);
        if (is_array(p_.type(param))) note_part(n, param, *var_of(array), {lane});
      } else {
        note_part(n, param, *var_of(array), {lane});
      }
    }
  }

  struct Found { Var second, first; };                    // a value of the second loop that is one of the first
  // Names the values of a body of the second loop; what is heavy and needed by the rest of it is found.
  std::vector<Found> number_second(Numbering& n, const std::unordered_map<Key, Var>& values, const Body& b) const {
    std::vector<const Stm*> common;
    VarSet needed;
    walk_second(n, values, b, common, needed);
    each_use(p_, b.result, [&](Var v) { needed.insert(v); });
    std::vector<Found> found;
    VarSet heavy;
    for (const Stm* s : common) {
      Var v = s->pattern[0].var;
      bool far = calls(s->exp);
      each_use(p_, s->exp, [&](Var x) { far = far || heavy.contains(x); });
      if (!far) continue;
      if (needed.contains(v) && is_scalar(p_.type(v))) found.push_back({v, *var_of(n.same.at(v))});
      else heavy.insert(v);
    }
    return found;
  }
  void walk_second(Numbering& n, const std::unordered_map<Key, Var>& values, const Body& b, std::vector<const Stm*>& common, VarSet& needed) const {
    for (const Stm& s : b.stms) {
      if (auto w = std::get_if<WithAcc>(&s.exp)) {
        walk_second(n, values, w->scope.body, common, needed);
        each_use(p_, w->scope.body.result, [&](Var v) { needed.insert(v); });
        continue;
      }
      Var v = s.pattern.empty() ? Var() : s.pattern[0].var;
      if (auto x = std::get_if<Copy>(&s.exp)) note_part(n, v, *var_of(named(n, x->array)), {});
      Key k = s.pattern.size() == 1 ? key(n, s) : Key();
      auto twin = k.empty() ? values.end() : values.find(k);
      if (twin != values.end() && n.same.try_emplace(v, twin->second).second) {
        common.push_back(&s);
        continue;
      }
      if (auto x = std::get_if<Index>(&s.exp); x && !k.empty() && is_array(p_.type(v))) {
        std::vector<Atom> at;
        for (const Selector& sel : x->at) at.push_back(named(n, std::get<Atom>(sel)));
        note_part(n, v, *var_of(named(n, x->array)), std::move(at));
      }
      each_use(p_, s, [&](Var x) { needed.insert(x); });
    }
  }
  // Also those in scopes of accumulators; but what they make is not seen outside.
  static std::vector<Stm*> maps_in(Body& b, bool scopes) {
    std::vector<Stm*> maps;
    for (Stm& s : b.stms) {
      auto w = std::get_if<WithAcc>(&s.exp);
      if (w && scopes) for (Stm* inner : maps_in(w->scope.body, scopes)) maps.push_back(inner);
      else if (auto x = std::get_if<Screma>(&s.exp); x && identity_post(*x) && x->late.empty()) maps.push_back(&s);
    }
    return maps;
  }

  // Looks at loops `first` and `second` of b; returns how many statements were put between or before them.
  size_t pair(Body& b, size_t first, size_t second) {
    Stm &fs = b.stms[first], &rs = b.stms[second];
    For &f = std::get<For>(fs.exp), &r = std::get<For>(rs.exp);
    Numbering n;
    // The index of the same iteration, and what the records hold there.
    std::optional<Var> turned;
    for (const Stm& s : r.body.stms) {
      auto x = std::get_if<Apply>(&s.exp);
      if (!x || x->op != ScalarOp::sub || x->args[1] != Atom(r.i.var)) continue;
      auto [base, offset] = linear(x->args[0]);
      auto [limit, more] = linear(f.n);
      if (base == limit && offset == more - 1) turned = s.pattern[0].var;
    }
    if (!turned) return 0;
    n.same[*turned] = n.i = f.i.var;
    std::unordered_map<Key, Var> values;
    VarMap<const Stm*> made_by;
    for (const Stm& s : f.body.stms) for (Bind x : s.pattern) made_by[x.var] = &s;
    number_first(n, values, f.body);
    for (size_t k = 0; k < f.state.size(); k++) {
      auto v = var_of(f.body.result[k]);
      auto x = v && made_by[*v] ? std::get_if<Update>(&made_by[*v]->exp) : nullptr;
      if (!x || x->array != f.state[k].var || x->at != std::vector<Selector>{Atom(f.i.var)}) continue;
      Var final = fs.pattern[k].var;
      auto value = var_of(x->value);
      if (!value) continue;
      if (is_array(p_.type(*value))) n.rows[final] = *value;
      values.try_emplace(is_array(p_.type(*value)) ? element(n, *value, {}) : element(n, final, {f.i.var}), *value);
    }
    std::vector<Found> scalars = number_second(n, values, r.body);

    Builder before(p_, made_before_);
    before.source = rs.source;
    size_t kept = 0;
    Subst loaded;
    List<Stm> loads;
    Builder load(p_, loads);
    load.source = rs.source;
    // A record of what the first loop has as `value` in each iteration; what the second one reads of it.
    auto record = [&](Var value) {
      std::vector<Dim> shape = shape_of(p_.type(value));
      Term rows = apply(ScalarOp::max, {before.number(Scalar::I64, 0), before.term(f.n)});
      shape.insert(shape.begin(), rows.atom);
      Var empty = before.bind1(p_.hint(value) + "_rec", Scratch{elem_of(p_, value), shape});
      Var state = p_.fresh(p_.hint(empty), p_.type(empty)), final = p_.fresh(p_.hint(empty), p_.type(empty));
      Builder inner(p_, f.body.stms);
      inner.source = fs.source;
      f.init.push_back(empty);
      f.state.push_back({state});
      f.body.result.push_back(inner.update(state, {f.i.var}, value));
      fs.pattern.push_back({final});
      kept++;
      context_.stats.count("V12");
      return *var_of(load.index(p_.hint(value), final, {*turned}));
    };
    for (const Found& x : scalars)
      if (kept < most) loaded.emplace(x.second, record(x.first));
    std::vector<Stm*> firsts = maps_in(f.body, false), seconds = maps_in(r.body, true);
    for (Stm* rm_s : seconds)
      for (Stm* fm_s : firsts) {
        Screma &rm = std::get<Screma>(rm_s->exp), &fm = std::get<Screma>(fm_s->exp);
        if (kept >= most || fm.width != rm.width) continue;
        Numbering lanes = n;
        std::unordered_map<Key, Var> inside = values;
        Var lane = p_.fresh("lane", scalar_type(Scalar::I64));
        number_lanes(lanes, &inside, fm, lane);
        number_first(lanes, inside, fm.pre.body);
        number_lanes(lanes, nullptr, rm, lane);
        for (Bind param : rm.pre.params)                  // those that are values of the first map
          if (auto v = inside.find(element(lanes, param.var, {})); v != inside.end()) lanes.same.try_emplace(param.var, v->second);
        Subst rows;
        for (const Found& x : number_second(lanes, inside, rm.pre.body)) {
          if (kept >= most) break;
          Var row = p_.fresh(p_.hint(x.first), lifted(fm.width, p_.type(x.first))), value = p_.fresh(p_.hint(x.second), p_.type(x.second));
          fm.pre.body.result.push_back(x.first);
          fm_s->pattern.push_back({row});
          rm.inputs.push_back(record(row));
          rm.pre.params.push_back({value});
          rows.emplace(x.second, value);
        }
        substitute(p_, rm.pre.body, rows);
      }
    if (kept == 0) return 0;
    substitute(p_, r.body, loaded);
    // The loads stand behind the index they use, the empty records before the first loop.
    List<Stm> again;
    for (auto& s : r.body.stms.take()) {
      bool here = s->pattern.size() == 1 && s->pattern[0].var == *turned;
      again.push_back(std::move(s));
      if (here) for (auto& l : loads.take()) again.push_back(std::move(l));
    }
    r.body.stms = std::move(again);
    size_t made = made_before_.size();
    List<Stm> whole;
    size_t at = 0;
    for (auto& s : b.stms.take()) {
      if (at++ == first) for (auto& m : made_before_.take()) whole.push_back(std::move(m));
      whole.push_back(std::move(s));
    }
    b.stms = std::move(whole);
    return made;
  }
  List<Stm> made_before_;
};

}  // namespace

void record(Program& program, PassContext& context) {
  Record record(program, context);
  program.each_body([&](Body& b) { record.body(b); });
}

}  // namespace raido
