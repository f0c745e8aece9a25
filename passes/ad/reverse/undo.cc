// undo.cc
//
//   let b = update a at v          save a[at]                        a = update b at saved
//   let b = if c then A else B     c, what A or B saves              a = if c then (undo A) else (undo B)
//   let b = for i < n (..) body    what body saves, n times          a = for k < n: undo body of iteration n-1-k
//   let b = scatter a is vs        is, a[is]                         a = scatter b is saved
//
// Rules: update.undo if.undo loop.undo scatter.undo.
#include "passes/ad/reverse/undo.h"

#include <algorithm>

#include "passes/ad/activity/common.h"
#include "passes/ad/prepare/scatters.h"

namespace raido::ad {

using namespace ir;

BodyUndo save_overwritten(Program& p, Body& body, const std::vector<Atom>& results) {
  BodyUndo out;
  VarSet wanted;
  std::unordered_map<Var, Var> earlier;
  for (const Atom& a : results) {
    out.results.push_back(*var_of(a));
    wanted.insert(*var_of(a));
  }
  std::vector<std::vector<size_t>> which(body.stms.size());
  for (size_t k = body.stms.size(); k-- > 0;)
    for (size_t r = 0; r < body.stms[k].pattern.size(); r++) {
      Var after = body.stms[k].pattern[r].var;
      if (!wanted.contains(after)) continue;
      which[k].push_back(r);
      Var before = *earlier_version(p, body.stms[k], r);
      wanted.insert(before);
      earlier.emplace(after, before);
    }
  for (Var v : out.results) {
    while (earlier.contains(v)) v = earlier.at(v);
    out.roots.push_back(v);
  }
  Builder b(p, body.stms);
  size_t k = 0;
  b.into(body, [&](List<Stm>& stms) {
    for (auto& s : stms.take()) {
      const std::vector<size_t>& here = which[k++];
      if (here.empty()) {
        b.emit(std::move(s));
        continue;
      }
      b.source = s->source;
      b.checks = s->checks;
      out.steps.push_back(emit_with_undo(b, *s, here, [&](Stm made) { b.emit(std::move(made)); }));
      out.slots.insert(out.slots.end(), out.steps.back().slots.begin(), out.steps.back().slots.end());
      out.records.insert(out.records.end(), out.steps.back().records.begin(), out.steps.back().records.end());
    }
  });
  return out;
}

std::vector<Var> BodyUndo::undo(Builder& b, const std::vector<Var>& now, const std::vector<Atom>& saved) const {
  std::unordered_map<Var, Var> current;
  for (size_t k = 0; k < results.size(); k++) current.insert_or_assign(results[k], now[k]);
  size_t end = saved.size();
  for (const Undo& s : reversed(steps)) {
    end -= s.slots.size();
    std::vector<Var> after;
    for (const Undo::Version& v : s.versions) after.push_back(current.at(v.after));
    std::vector<Var> before = s.undo(b, after, {saved.begin() + ptrdiff_t(end), saved.begin() + ptrdiff_t(end + s.slots.size())});
    for (size_t k = 0; k < before.size(); k++) current.insert_or_assign(s.versions[k].before, before[k]);
  }
  std::vector<Var> out;
  for (const Atom& r : roots) out.push_back(current.at(*var_of(r)));
  return out;
}

// ---- statements ----

namespace {

Undo step(Builder& b, const Stm& s, const Update& op, const std::vector<size_t>&, const Emit& emit) {
  Program& p = b.program;
  std::vector<Atom> slots;
  for (const Selector& at : op.at)
    match(at, [&](const Atom& i) { slots.push_back(i); },
          [&](const Slice& x) { for (const Atom& a : {x.start, x.count, x.stride}) slots.push_back(a); });
  Var old = b.bind1("old", Index{op.array, op.at});
  slots.push_back(is_array(p.type(old)) ? b.copy(old) : old);
  emit(s);
  std::vector<bool> sliced;
  for (const Selector& at : op.at) sliced.push_back(std::holds_alternative<Slice>(at));
  return {{}, slots, [sliced](Builder& c, const std::vector<Var>& now, const std::vector<Atom>& from) {
            std::vector<Selector> at;
            size_t k = 0;
            for (bool slice : sliced) {
              if (!slice) { at.push_back(from[k++]); continue; }
              at.push_back(Slice{from[k], from[k + 1], from[k + 2]});
              k += 3;
            }
            std::vector<Dim> shape = selected_shape(shape_of(c.program.type(now[0])), at);
            Atom saved = from[k];
            if (!shape.empty()) saved = as_type(c, saved, array_type(elem_of(c.program, saved), shape));
            return std::vector<Var>{c.bind1(c.program.hint(now[0]), Update{c.copy(now[0]), at, saved})};
          }};
}
Undo same(const Stm& s, const Emit& emit) {
  emit(s);
  return {{}, {}, [](Builder&, const std::vector<Var>& now, const std::vector<Atom>&) { return now; }};
}
Undo step(Builder&, const Stm& s, const Copy&, const std::vector<size_t>&, const Emit& emit) { return same(s, emit); }
Undo step(Builder&, const Stm& s, const Identity&, const std::vector<size_t>&, const Emit& emit) { return same(s, emit); }
Undo step(Builder& b, const Stm& s, const Reshape& op, const std::vector<size_t>&, const Emit& emit) {
  emit(s);
  return {{}, shape_of(b.program.type(op.array)), [](Builder& c, const std::vector<Var>& now, const std::vector<Atom>& shape) {
            return std::vector<Var>{c.bind1(c.program.hint(now[0]), Reshape{now[0], shape})};
          }};
}
// What the undo of a branch needs, outside of the `if`: the condition, values from outside as they are, and values that are made in a
// branch as its results. A value of the other branch, of the same type, shares such a result if there is one.
class BranchSlots {
 public:
  BranchSlots(Program& p, Stm& branch) : p_(p), branch_(branch), if_(std::get<If>(branch.exp)) {
    slots.push_back(if_.cond);
    each_bind(if_, [&](Var v) { bound_.insert(v); });
  }
  std::vector<Atom> slots;

  // The number of the slot of a value that one of the branches needs.
  size_t leave(const Atom& value, bool of_then, bool size = false) {
    auto v = var_of(value);
    if (!v || !bound_.contains(*v)) {
      slots.push_back(value);
      return slots.size() - 1;
    }
    Type t = p_.type(*v);
    bool alone = size;                                         // sizes, and what has sizes of its own
    for (const Dim& d : shape_of(t))
      if (var_of(d) && bound_.contains(*var_of(d))) {
        alone = true;
        if (!outside_.contains(*var_of(d))) outside_.emplace(*var_of(d), slots[leave(d, of_then, true)]);
      }
    Body &here = of_then ? if_.then_ : if_.else_, &other = of_then ? if_.else_ : if_.then_;
    if (!alone)
      for (Result& r : results_)
        if (same_type(r.type, t) && !(of_then ? r.of_then : r.of_else)) {
          (of_then ? r.of_then : r.of_else) = true;
          for (size_t k = 0; k < branch_.pattern.size(); k++)
            if (Atom(branch_.pattern[k].var) == slots[r.slot]) here.result[k] = value;
          return r.slot;
        }
    Type result = t, nothing = t;
    walk(result, [&](Atom& a) { if (auto u = var_of(a); u && outside_.contains(*u)) a = outside_.at(*u); });
    walk(nothing, [&](Atom& a) { if (auto u = var_of(a); u && outside_.contains(*u)) a = i64_const(0); });
    branch_.pattern.push_back({p_.fresh(p_.hint(*v), result)});
    here.result.push_back(value);
    Builder in(p_, other.stms);
    in.source = branch_.source;
    other.result.push_back(in.zero(nothing));
    slots.push_back(branch_.pattern.back().var);
    if (!alone) results_.push_back({t, of_then, !of_then, slots.size() - 1});
    return slots.size() - 1;
  }

 private:
  struct Result { Type type; bool of_then, of_else; size_t slot; };
  Program& p_;
  Stm& branch_;
  If& if_;
  VarSet bound_;
  std::vector<Result> results_;
  std::unordered_map<Var, Atom> outside_;                      // a size of a branch -> the slot that it is
};
Undo step(Builder& b, const Stm& s, const If& op, const std::vector<size_t>& which, const Emit& emit) {
  Program& p = b.program;
  auto wanted = [&](const Body& body) {
    std::vector<Atom> out;
    for (size_t k : which) out.push_back(body.result[k]);
    return out;
  };
  Stm made = s;
  If& x = std::get<If>(made.exp);
  BodyUndo then_ = save_overwritten(p, x.then_, wanted(op.then_)), else_ = save_overwritten(p, x.else_, wanted(op.else_));
  BranchSlots out(p, made);
  std::vector<size_t> in_then, in_else;
  for (const Atom& a : then_.slots) in_then.push_back(out.leave(a, true));
  for (const Atom& a : else_.slots) in_else.push_back(out.leave(a, false));
  emit(std::move(made));
  return {{}, out.slots, [then_, else_, in_then, in_else](Builder& c, const std::vector<Var>& now, const std::vector<Atom>& from) {
            auto branch = [&](const BodyUndo& steps, const std::vector<size_t>& places) {
              return c.body([&] {
                std::vector<Atom> values;
                for (size_t k : places) values.push_back(from[k]);
                std::vector<Var> before = steps.undo(c, now, values);
                return std::vector<Atom>(before.begin(), before.end());
              });
            };
            If back;
            back.cond = from[0];
            back.then_ = branch(then_, in_then);
            back.else_ = branch(else_, in_else);
            std::vector<std::string> hints;
            for (Var v : now) hints.push_back(c.program.hint(v));
            return c.bind(hints, std::move(back));
          }, [&] {
            std::vector<Var> records = then_.records;
            records.insert(records.end(), else_.records.begin(), else_.records.end());
            return records;
          }()};
}
Undo step(Builder& b, const Stm& s, const For& op, const std::vector<size_t>& which, const Emit& emit) {
  Stm loop = s;
  std::vector<Atom> results;
  for (size_t k : which) results.push_back(op.body.result[k]);
  BodyUndo steps = save_overwritten(b.program, std::get<For>(loop.exp).body, results);
  Records kept = record(b, loop, steps.slots, emit);
  emit(std::move(loop));
  kept.cut(b);
  kept.slots.push_back(op.n);
  std::vector<Var> records = steps.records;
  for (const Records::Record& r : kept.records) records.push_back(r.array);
  return {{}, kept.slots, [steps, kept](Builder& c, const std::vector<Var>& now, const std::vector<Atom>& from) {
            For back;
            back.n = from.back();
            back.i = {c.program.fresh("k", scalar_type(Scalar::I64))};
            std::vector<Var> state;
            std::vector<std::string> hints;
            for (Var v : now) {
              hints.push_back(c.program.hint(v));
              state.push_back(c.program.fresh(hints.back(), c.program.type(v)));
              back.state.push_back({state.back()});
              back.init.push_back(v);
            }
            back.body = c.body([&] {
              Atom i = (c.term(back.n) - 1 - c.term(back.i.var)).atom;
              std::vector<Var> before = steps.undo(c, state, kept.read(c, i, from));
              return std::vector<Atom>(before.begin(), before.end());
            });
            return c.bind(hints, std::move(back));
          }, records};
}
Undo step(Builder& b, const Stm& s, const WithAcc& op, const std::vector<size_t>&, const Emit& emit) {
  Program& p = b.program;
  Var array = op.dests[0].arrays[0];
  size_t rank = size_t(op.dests[0].rank);
  std::vector<Var> indices = scatter_indices(b, op);
  Dim width = shape_of(p.type(indices[0]))[0];
  std::vector<Dim> shape = shape_of(p.type(array));
  Builder::Params params;
  for (Var v : indices) params.push_back({p.hint(v), row_type(p.type(v))});
  Lambda f = b.lambda(params, [&](const std::vector<Var>& at) {
    If guarded;
    guarded.cond = is_inside(b, shape, {at.begin(), at.end()}).atom;
    guarded.then_ = b.body([&] {
      Atom old = b.index("old", array, {at.begin(), at.end()});
      return std::vector<Atom>{is_array(p.type(old)) ? Atom(b.copy(*var_of(old))) : old};
    });
    guarded.else_ = b.body([&] { return std::vector<Atom>{b.zero(array_type(elem_of(p.type(array)), {shape.begin() + ptrdiff_t(rank), shape.end()}))}; });
    return std::vector<Atom>{b.bind1("old", std::move(guarded))};
  });
  std::vector<Atom> slots(indices.begin(), indices.end());
  slots.push_back(b.map("old", width, std::move(f), indices)[0]);
  slots.push_back(width);
  emit(s);
  return {{}, slots, [rank, attrs = s.attrs](Builder& c, const std::vector<Var>& now, const std::vector<Atom>& from) {
            std::vector<Var> at;
            for (size_t k = 0; k < rank; k++) at.push_back(*var_of(from[k]));
            WithAcc back = scatter_of(c, {c.copy(now[0])}, from.back(), at, {*var_of(from[rank])});
            std::vector<Attr> others = std::exchange(c.attrs, attrs);
            std::vector<Var> out = c.bind(c.program.hint(now[0]), std::move(back));
            c.attrs = std::move(others);
            return out;
          }};
}
template <class Op> Undo step(Builder&, const Stm&, const Op&, const std::vector<size_t>&, const Emit&) {
  PANIC("`{}` makes no versions of arrays", Op::name);
}

}  // namespace

Undo emit_with_undo(Builder& b, const Stm& s, const std::vector<size_t>& which, const Emit& emit) {
  Undo out = match(s.exp, [&](const auto& op) { return step(b, s, op, which, emit); });
  for (size_t k : which) out.versions.push_back({*earlier_version(b.program, s, k), s.pattern[k].var});
  return out;
}

}  // namespace raido::ad
