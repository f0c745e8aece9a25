// counted.cc - `while` loops that are counted while they run: their records are enlarged where they are full    docs/ad.md 7.6
//
//   let .., n = while (p = p0, n = 0) c p { body ; n + 1 }        counts (prepare.cc)
//   let y, ps = for i < n (p = p0, room, ps) body                 records, and enlarges ps where it is full (records.cc)
//
//     ==>   let y, ps, n = while (p = p0, room, ps, i = 0) c p { body ; i + 1 }
//
// Counting runs the part of the loop that decides when it ends once more. Where that part is small, it is better to know the size
// of the records before. Where it is most of the loop (Newton's iteration, bisection, step size control), counting would be a third
// forward run. There the two loops become one after differentiation (For::counted). Until then all rules see a loop of n
// iterations. What else needs n, such as a record of it in a loop around, follows the one loop.
//
// Three kinds of loops are always counted before. A device cannot allocate while it runs. A schedule has to know n. Derivatives of
// code that is differentiated again would have to go through the copies of enlarged records.
//
// Rules: while.enlarge.
#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/ad/prepare/counted.h"

namespace raido::ad {

using namespace ir;

namespace {

double work(const Program& p, const Stm& s);
double work(const Program& p, const Body& b) {
  double sum = 0;
  for (const Stm& s : b.stms) sum += work(p, s);
  return sum;
}
double work(const Program& p, const Stm& s) {
  double elements = 1;
  for (Bind x : s.pattern)
    if (is_array(p.type(x.var)))
      for (const Dim& d : shape_of(p.type(x.var))) elements *= costs::expected(d);
  double inside = 0;
  walk_parts(s, [&](const Body& part) { inside += work(p, part); });
  return match(s.exp, [&](const Apply& x) { return is_call(x.op) && is_float(elem_of(p, x.args[0])) ? costs::ad::call_work : 1; },
               [&](const If&) { return 1 + inside; }, [&](const For& x) { return costs::expected(x.n) * (1 + inside); },
               [&](const While&) { return costs::unknown_trips * (1 + inside); }, [&](const Screma& x) { return costs::expected(x.width) * (1 + inside); },
               [&](const Hist& x) { return costs::expected(x.width) * (1 + inside); }, [&](const Call&) { return costs::ad::function_work; },
               [&](const Index&) { return 1.0; }, [&](const Update& x) { return is_array(p.type(x.value)) ? elements : 1; },
               [&](const auto&) { return kind_of(s.exp) == Kind::View ? 0 : elements + inside; });
}

}  // namespace

bool decides_much(const Program& p, const While& loop) {
  VarSet needed;
  std::unordered_map<Var, size_t> state;
  for (size_t k = 0; k < loop.state.size(); k++) state[loop.state[k].var] = k;
  bool more = true;
  auto need = [&](Var v) {
    more = more || !needed.contains(v);
    needed.insert(v);
  };
  each_use(p, loop.cond.body, [&](Var v) {
    for (size_t k = 0; k < loop.cond.params.size(); k++) if (loop.cond.params[k].var == v) need(loop.state[k].var);
  });
  auto deciding = [&](const Stm& s) {
    bool found = false;
    for (Bind x : s.pattern) found = found || needed.contains(x.var);
    return found;
  };
  while (std::exchange(more, false)) {
    for (const auto& [v, k] : state)
      if (needed.contains(v)) if (auto next = var_of(loop.body.result[k])) need(*next);
    for (const Stm& s : reversed(loop.body.stms)) if (deciding(s)) each_use(p, s, need);
  }
  double all = 0, part = 0;
  for (const Stm& s : loop.body.stms) {
    double here = work(p, s);
    all += here;
    if (deciding(s)) part += here;
  }
  double asked = work(p, loop.cond.body);
  return 2 * (part + asked) > all + asked;
}

namespace {

// The counting loop is gone, and this one counts.
While as_while(Program& p, While count, For loop) {
  While out{std::move(loop.state), std::move(loop.init), {}, std::move(loop.body)};
  out.state.push_back(loop.i);
  out.init.push_back(i64_const(0));
  Builder in(p, out.body.stms);
  out.body.result.push_back((in.term(loop.i.var) + 1).atom);
  // The state of the counting loop comes first in the state of this one. It lacks the accumulators only.
  Subst renamed, asked;
  size_t at = 0;
  for (Bind x : out.state) {
    Type t = p.type(x.var);
    walk(t, [&](Var& v) { if (auto found = renamed.find(v); found != renamed.end()) v = *var_of(found->second); });
    Var param = p.fresh(p.hint(x.var), t);
    renamed.emplace(x.var, param);
    out.cond.params.push_back({param});
    if (!is_acc(t) && at + 1 < count.state.size()) asked.emplace(count.cond.params[at++].var, param);
  }
  out.cond.body = std::move(count.cond.body);
  substitute(p, out.cond.body, asked);
  return out;
}

// The statements between a count and its loop that need the number. They may as well follow the loop, if it needs none of them and does not
// consume what they read.
std::optional<VarSet> waiting(const Program& p, const Aliases& aliases, const List<Stm>& stms, size_t count, size_t loop, Var n) {
  VarSet made, consumed;
  for (Var root : aliases.consumed(stms[loop])) consumed.insert(root);
  bool may = true;
  for (size_t k = count + 1; k < loop; k++) {
    if (!mentions(p, stms[k], n) && !mentions(p, stms[k], made)) continue;
    each_use(p, stms[k], [&](Var v) { may = may && !(is_array(p.type(v)) && aliases.has_root_in(v, consumed)); });
    for (Bind x : stms[k].pattern) made.insert(x.var);
  }
  return may && !mentions(p, stms[loop], made) ? std::optional(made) : std::nullopt;
}

// The first loop that can count for itself.
bool join_one(Program& p, const Aliases& aliases, Body& whole) {
  std::unordered_map<Var, size_t> counts;            // the number -> the statement
  for (size_t k = 0; k < whole.stms.size(); k++) {
    Stm& s = whole.stms[k];
    auto loop = std::get_if<For>(&s.exp);
    auto n = loop && std::exchange(loop->counted, false) ? var_of(loop->n) : nullptr;
    if (n && counts.contains(*n)) {
      const size_t count = counts.at(*n);
      if (auto later = waiting(p, aliases, whole.stms, count, k, *n)) {
        s.pattern.push_back({*n});
        s.exp = as_while(p, std::get<While>(std::move(whole.stms[count].exp)), std::move(*loop));
        List<Stm> waits;
        size_t at = 0;
        for (auto& old : whole.stms.take()) {
          const bool wait = std::ranges::any_of(old->pattern, [&](Bind x) { return later->contains(x.var); });
          if (at != count) (wait ? waits : whole.stms).push_back(std::move(old));
          if (at++ == k) whole.stms.splice(whole.stms.size(), std::exchange(waits, {}));
        }
        return true;
      }
    }
    if (std::holds_alternative<While>(s.exp) && !s.pattern.empty()) counts[s.pattern.back().var] = k;
  }
  return false;
}

void join(Program& p, const Aliases& aliases, Body& whole) {
  for (Stm& s : whole.stms) walk_parts(s, [&](Body& part) { join(p, aliases, part); });
  while (join_one(p, aliases, whole)) {}
}

}  // namespace

void join_counted(Program& p) {
  p.each_body([&](Body& b) {
    bool any = false;
    each_stm(std::as_const(b), [&](const Stm& s) { 
      auto loop = std::get_if<For>(&s.exp);
      any = any || (loop && loop->counted);
    });
    if (any) join(p, Aliases(p), b);
  });
}

}  // namespace raido::ad
