// checks.cc - what the program asserts of its arrays is verified when it runs, under --ad-check                    docs/ad.md 11
//
//   loop (#[true_dep] xs) = a for i < n do body
//     ==>   let _, stamps, writer, toucher = for i < n (xs = a, stamps = 0.., writer = 0, toucher = 0) body, which stamps every place
//           of xs that it touches by i + 1; where it writes a stamped one, writer and toucher are the two iterations
//           assert (writer == 0), before the loop itself
//
// The loop runs once more for this. Reads in maps stamp through an accumulator. Where a part of the loop that reads the array
// cannot be followed, the promise is not believed.
#include <algorithm>

#include "compiler/ir/term.h"
#include "passes/ad/prepare/checks.h"
#include "passes/ad/prepare/scatters.h"
#include "passes/ad/prepare/write_once.h"

namespace raido::ad {

using namespace ir;

namespace {

class Stamping {
 public:
  Stamping(Program& p, For& loop, size_t state) : p_(p), loop_(loop) {
    shape_ = shape_of(p.type(loop.state[state].var));
    versions_.insert(loop.state[state].var);
  }
  // Whether all of the loop was followed. Its first new state is the stamps.
  bool run(const Atom& stamps) {
    Builder in(p_, loop_.body.stms);
    in.into(loop_.body, [&](List<Stm>& stms) {
      when_ = (in.term(loop_.i.var) + 1).atom;
      Marks marks = carry(loop_.state, loop_.init, {stamps, i64_const(0), i64_const(0)});
      for (auto& s : stms.take()) statement(in, std::move(*s), marks);
      append(loop_.body.result, marks);
    });
    return ok_;
  }

 private:
  using Marks = std::vector<Atom>;                 // stamps, writer, toucher; inside of a map an accumulator of stamps
  Program& p_;
  For& loop_;
  std::vector<Dim> shape_;
  VarSet versions_;
  Atom when_;
  bool ok_ = true;

  Marks fresh(const Marks& like) {
    static constexpr const char* hints[] = {"stamps", "writer", "toucher"};
    Marks out;
    for (const Atom& a : like) out.push_back(p_.fresh(hints[out.size()], p_.type(a)));
    return out;
  }
  static void append(std::vector<Atom>& to, const Marks& marks) { to.insert(to.end(), marks.begin(), marks.end()); }
  static void append(std::vector<Bind>& to, const Marks& marks) { for (const Atom& a : marks) to.push_back({*var_of(a)}); }
  Marks carry(std::vector<Bind>& state, std::vector<Atom>& init, const Marks& before) {
    Marks inside = fresh(before);
    append(state, inside);
    append(init, before);
    return inside;
  }
  bool is_version(const Atom& a) const { auto v = var_of(a); return v && versions_.contains(*v); }
  template <class X> bool uses(const X& x) const {
    bool found = false;
    each_use(p_, x, [&](Var v) { found = found || versions_.contains(v); });
    return found;
  }
  void body(Body& b, const Marks& before) {
    Builder in(p_, b.stms);
    Marks marks = before;
    in.into(b, [&](List<Stm>& stms) { for (auto& s : stms.take()) statement(in, std::move(*s), marks); });
    append(b.result, marks);
  }

  void statement(Builder& b, Stm s, Marks& marks) {
    if (!uses(s)) return b.emit(std::move(s));
    b.source = s.source;
    b.checks = s.checks;
    auto same = [&] {
      versions_.insert(s.pattern[0].var);
      b.emit(std::move(s));
    };
    auto results = [&](Exp&& e) {
      Marks after = fresh(marks);
      append(s.pattern, after);
      s.exp = std::move(e);
      b.emit(std::move(s));
      marks = after;
    };
    match(s.exp,
      [&](Index& x) {
        touch(b, x.at, 0, {}, marks, false);
        b.emit(std::move(s));
      },
      [&](Update& x) {
        if (x.value == Atom(x.array)) ok_ = false;
        touch(b, x.at, 0, {}, marks, true);
        same();
      },
      [&](Copy&) { same(); }, [&](Identity&) { same(); },
      [&](For& x) {
        For loop = std::move(x);
        for (size_t k = 0; k < loop.init.size(); k++)
          if (is_version(loop.init[k])) {
            versions_.insert(loop.state[k].var);
            versions_.insert(s.pattern[k].var);
          }
        Marks inside = carry(loop.state, loop.init, marks);
        body(loop.body, inside);
        results(std::move(loop));
      },
      [&](If& x) {
        If branch = std::move(x);
        body(branch.then_, marks);
        body(branch.else_, marks);
        for (size_t k = 0; k < s.pattern.size(); k++)
          if (is_version(branch.then_.result[k]) && is_version(branch.else_.result[k])) versions_.insert(s.pattern[k].var);
        results(std::move(branch));
      },
      [&](Screma& x) {
        if (!is_map(x) || !identity_post(x) || std::ranges::any_of(x.inputs, [&](Var v) { return is_version(v); })) ok_ = false;
        else if (marks.size() == 1) results(through(std::move(x), *var_of(marks[0])));
        else scope(b, std::move(s), marks);
      },
      [&](auto&) {
        ok_ = false;
        b.emit(std::move(s));
      });
    b.checks.clear();
  }
  // The map with an accumulator of stamps, which is its last result.
  Screma through(Screma x, Var acc) {
    Var inside = p_.fresh("stamps", p_.type(acc));
    x.inputs.push_back(acc);
    x.pre.params.push_back({inside});
    body(x.pre.body, {inside});
    return x;
  }
  void scope(Builder& b, Stm s, Marks& marks) {
    WithAcc out;
    out.dests.push_back({{b.copy(*var_of(marks[0]))}, int(shape_.size()), {}, Conflict::Unknown});
    Var token = p_.fresh("t", CheckType{}), acc = p_.fresh("stamps", dest_type(p_, out.dests[0], token));
    out.scope.params = {{token}, {acc}};
    Stm inner{{}, through(std::get<Screma>(std::move(s.exp)), acc), {}, s.source, std::move(s.attrs)};
    s.attrs.clear();
    for (Bind x : s.pattern) inner.pattern.push_back({p_.fresh(p_.hint(x.var), p_.type(x.var))});
    Var done = p_.fresh("stamps", p_.type(acc)), after = p_.fresh("stamps", p_.type(marks[0]));
    out.scope.body.result = {done};
    for (Bind x : inner.pattern) out.scope.body.result.push_back(x.var);
    inner.pattern.push_back({done});
    out.scope.body.stms.push_back(std::move(inner));
    s.pattern.insert(s.pattern.begin(), {after});
    s.exp = std::move(out);
    b.emit(std::move(s));
    marks[0] = after;
  }

  // Stamps the places that `at` selects, from dimension d on.
  void touch(Builder& b, const std::vector<Selector>& at, size_t d, std::vector<Atom> place, Marks& marks, bool writes) {
    for (; d < at.size() && std::holds_alternative<Atom>(at[d]); d++) place.push_back(std::get<Atom>(at[d]));
    if (d < shape_.size()) {
      auto slice = d < at.size() ? &std::get<Slice>(at[d]) : nullptr;
      For all;
      all.n = slice ? slice->count : shape_[d];
      all.i = {p_.fresh("i", scalar_type(Scalar::I64))};
      Marks inside = carry(all.state, all.init, marks);
      all.body = b.body([&] {
        Term i = b.term(all.i.var);
        place.push_back(slice ? (b.term(slice->start) + i * b.term(slice->stride)).atom : i.atom);
        touch(b, at, d + 1, place, inside, writes);
        return inside;
      });
      Marks after;
      for (Var v : b.bind({"stamps", "writer", "toucher"}, std::move(all))) after.push_back(v);
      marks = after;
      return;
    }
    if (marks.size() == 1) {
      marks[0] = b.bind1("stamps", AccUpdate{*var_of(marks[0]), place, {when_}});
      return;
    }
    Var stamps = *var_of(marks[0]);
    if (writes) {
      Term before = b.term(b.index("before", stamps, place)), none = b.term(i64_const(0));
      Term first = all_of({eq(b.term(marks[1]), none), lt(none, before)});
      marks[1] = select({first, b.term(when_), b.term(marks[1])}).atom;
      marks[2] = select({first, before, b.term(marks[2])}).atom;
    }
    marks[0] = b.update(b.copy(stamps), place, when_);
  }
};

}  // namespace

bool check_write_once(Builder& b, Stm& s, size_t state) {
  Program& p = b.program;
  Stm run = clone(p, s);
  run.attrs.clear();
  For& loop = std::get<For>(run.exp);
  loop.counted = false;                                  // the `while` counts for the loop itself
  Var none = *var_of(b.replicate(shape_of(p.type(loop.init[state])), i64_const(0)));
  size_t results = run.pattern.size();
  if (!Stamping(p, loop, state).run(none)) return false;
  for (size_t k = results; k < loop.state.size(); k++) run.pattern.push_back({p.fresh(p.hint(loop.state[k].var), p.type(loop.state[k].var))});
  Term writer = b.term(run.pattern[results + 1].var), toucher = b.term(run.pattern[results + 2].var);
  b.emit(std::move(run));
  TextId text = p.text("#[true_dep] does not hold for " + p.hint(std::get<For>(s.exp).state[state].var) +
                       ": iteration {} writes a place that iteration {} has read or written.");
  Atom cond = eq(writer, b.term(i64_const(0))).atom, first = (writer - 1).atom, second = (toucher - 1).atom;
  s.checks.push_back(b.bind1("c", Assert{cond, text, {first, second}}));
  return true;
}

Var check_distinct(Builder& b, const std::vector<Dim>& shape, const Dim& width, const std::vector<Var>& indices) {
  Program& p = b.program;
  std::vector<Var> all = indices;
  all.push_back(each_place_once(b, shape, width, indices));
  all.push_back(b.iota(width));
  Builder::Params params(all.size(), {"at", scalar_type(Scalar::I64)});
  Lambda f = b.lambda(params, [&](const std::vector<Var>& row) {
    Term inside = is_inside(b, shape, {row.begin(), row.end() - 2}), twice = and_(inside, lt(b.term(row[row.size() - 2]), b.term(i64_const(0))));
    return std::vector<Atom>{select({twice, b.term(row.back()), b.term(i64_const(-1))}).atom};
  });
  Var twice = b.map("twice", width, std::move(f), all)[0];
  Term found = b.term(b.reduce("twice", width, b.combine(ScalarOp::max, Scalar::I64, -1), {twice})[0]);
  Atom cond = lt(found, b.term(i64_const(0))).atom;
  return b.bind1("c", Assert{cond, p.text("#[distinct] does not hold: write number {} goes where another one goes."), {found.atom}});
}

}  // namespace raido::ad
