// budget.cc - a nest of loops within --ad-memory                                                                 docs/ad.md 7.8
//
//   for i < n body   ==>   if everything that the nest records fits then for i < n body
//                          else if what loops inside record leaves room then keep[c] for i < n body
//                          else keep[c] for i < n (body, in which loops that record state are keep[d], too)
//
// keep[c] (For::slots): the return sweep keeps c states at once and runs the body again between them, as with #[checkpoint(c)]. The
// memory is for the whole nest. In the last version each loop inside gets what it would keep with all states, but no more than its
// share. The outermost loop gets what is left. What updates in place overwrite in the loops inside is recorded in all versions: it
// counts first.
//
// All of this is computed before the nest, from the largest sizes and numbers of iterations that can occur in it (ranges.h). Where
// these are constants, that is done at compile time. A parallel operation with loops inside is the root of a nest as well. Its loops
// count as often as they run at once: on a device for each element, on threads for each thread, on one thread once.
//
// A loop keeps so many states at least that no iteration runs more often again than costs::ad::budget_runs. That is the least memory that
// a nest can do with, and a warning says how much it is.
//
// Rules: loop.budget.
#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "passes/ad/prepare/in_place.h"
#include "passes/ad/prepare/kept.h"
#include "passes/ad/prepare/schedules.h"

namespace raido::ad {

using namespace ir;

bool is_parallel(const Exp& e) {
  Kind kind = kind_of(e);
  return kind == Kind::Parallel || kind == Kind::Scope;
}

bool has_schedule(const Stm& s) {
  auto loop = std::get_if<For>(&s.exp);
  return (loop && (loop->blocks || loop->budget || loop->slots)) || has_attr(s.attrs, "stripmine") || has_attr(s.attrs, "checkpoint");
}

namespace {

using Bytes = std::optional<Term>;

// The fewest states that a loop of n iterations keeps: the least c among a few with n <= C(c + r, c), r = budget_runs.
Term fewest(Builder& b, const Term& n) {
  const auto& few = costs::ad::budget_few_states;
  Term out = b.term(i64_const(*std::rbegin(few)));
  for (size_t k = std::size(few) - 1; k-- > 0;) {
    i64 reach = 1;
    for (i64 j = 1; j <= costs::ad::budget_runs; j++) reach = reach * (few[k] + j) / j;
    out = select({le(n, b.term(i64_const(reach))), b.term(i64_const(few[k])), out});
  }
  return out;
}

class Nest {
 public:
  Nest(Builder& b, Stm& s, Activity& act, const Around& around, std::function<void(Stm&)> emit)
      : b_(b), p_(b.program), act_(act), target_(act.context.target), s_(s), around_(around), emit_(std::move(emit)),
        memory_(act.context.options.ad_memory), ranges_(b, s) {}

  bool run() {
    Bytes factor = number_of(1);
    if (around_.parallel) factor = enter(factor, around_.widths);
    statement(s_, factor, true);
    bool any = std::ranges::any_of(loops_, [](const Loop& x) { return x.slot.has_value(); });
    if (!any) return false;
    share_out();
    using enum Version;
    bool decided = all_ && least_ && number(*all_) && number(*least_);
    i64 all = decided ? *number(*all_) : 0, least = decided ? *number(*least_) : 0;
    bool fits = decided && (all <= memory_ || all <= least);
    if (decided && std::min(all, least) > memory_) act_.context.exceeded.push_back({s_.source, std::min(all, least), memory_});
    if (target_ == Target::Multicore && alone_ && number(*alone_) && *number(*alone_) <= memory_ / costs::ad::many_threads) decided = fits = true;
    // Inside of a kernel nothing is chosen: the memory of both versions would be taken before.
    bool kernel = target_ == Target::Gpu && around_.parallel;
    // Nor is it where sizes are results, which both versions would have to give to each other's arrays.
    bool sizes = false;
    for (Bind x : s_.pattern)
      for (Bind y : s_.pattern) walk(p_.type(x.var), [&](const Var& v) { sizes = sizes || v == y.var; });
    if (decided || !all_ || kernel || sizes) {
      auto room = room_ ? const_of(room_->atom) : nullptr;
      bool outermost = !fits && room && room->as<bool>();
      version(s_, fits ? Plain : outermost ? Outermost : Everywhere);
      emit_(s_);
      return true;
    }
    Term enough = le(*all_, number_of(memory_));
    if (least_) enough = or_(enough, le(*all_, *least_));
    b_.emit(choose(s_.pattern, enough, [&] { return results(Plain); }, [&] {
      if (!room_) return results(Everywhere);
      std::vector<Bind> names;
      std::vector<Atom> out;
      for (Bind x : s_.pattern) {
        names.push_back({p_.fresh(p_.hint(x.var), p_.type(x.var))});
        out.push_back(names.back().var);
      }
      b_.emit(choose(names, *room_, [&] { return results(Outermost); }, [&] { return results(Everywhere); }));
      return out;
    }));
    return true;
  }

 private:
  enum class Version { Plain, Outermost, Everywhere };     // where states are kept

  // Of each loop that is gone back through, in the order in which they stand.
  struct Loop {
    Bytes n, each;                 // iterations at most; what is recorded of each
    Bytes all;                     // of all of them, in everything that runs at once
    Bytes slot;                    // of a state, if states can be kept instead, likewise
    Bytes before;                  // of the arrays that are updated in place, as they are before a loop that keeps states
    Term slots = {};               // how many in the last version
  };
  Builder& b_;
  Program& p_;
  Activity& act_;
  Target target_;
  Stm& s_;
  const Around& around_;
  std::function<void(Stm&)> emit_;
  i64 memory_;
  Ranges ranges_;
  std::vector<Loop> loops_;
  VarSet carried_;                 // arrays that a loop updates in place
  Bytes all_, least_;              // what the nest records; what it does with at least
  std::optional<Term> room_;       // whether the outermost loop can keep states beside what those inside record, if it is one of several
  Term outermost_;                 // how many
  Bytes alone_ = number_of(0);     // what one thread records
  size_t next_ = 0;

  Term number_of(i64 n) const { return b_.term(i64_const(n)); }
  Term at_least(const Term& x, i64 n) const { return apply(ScalarOp::max, {x, number_of(n)}); }
  Term smaller(const Term& x, const Term& y) const { return apply(ScalarOp::min, {x, y}); }
  static Bytes times_of(const Bytes& x, const Bytes& y) { return x && y ? Bytes(times(*x, *y)) : std::nullopt; }
  bool counts(const Stm& s) const {
    return std::holds_alternative<For>(s.exp) && std::ranges::any_of(s.pattern, [&](Bind x) { return act_.varied(x.var); });
  }

  // How often what is inside of a parallel operation of these widths runs at once.
  Bytes enter(const Bytes& factor, const std::vector<Dim>& widths) {
    if (target_ == Target::Sequential || !factor) return factor;
    if (target_ == Target::Multicore) {
      if (number(*factor) != 1) return factor;             // the threads are busy
      return b_.term(b_.bind1("threads", Tunable{"threads", "threads", i64_atom(costs::cpu::assumed_threads)}));
    }
    Bytes out = factor;
    for (const Dim& d : widths) {
      auto n = ranges_.most(d);
      out = times_of(out, n ? Bytes(at_least(*n, 1)) : std::nullopt);
    }
    return out;
  }
  static std::vector<Dim> width_of(const Exp& e) {
    if (auto map = std::get_if<Screma>(&e)) return {map->width};
    if (auto hist = std::get_if<Hist>(&e)) return {hist->width};
    return {};
  }

  void statement(const Stm& s, const Bytes& factor, bool root) {
    for (size_t k = 0; k < s.pattern.size(); k++)
      if (auto before = earlier_version(p_, s, k); before && carried_.contains(*before)) carried_.insert(s.pattern[k].var);
    bool parallel = std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
    if (counts(s) && !has_schedule(s)) loop(std::get<For>(s.exp), factor, root);
    Bytes inside = parallel ? enter(factor, width_of(s.exp)) : factor;
    walk_parts(s, [&](const Body& part) { for (const Stm& inner : part.stms) statement(inner, inside, false); });
  }
  void loop(const For& op, const Bytes& factor, bool root) {
    Kept kept = kept_by(b_, act_, ranges_, op, carried_);
    Loop out{ranges_.most(op.n), kept.each(), {}, {}, number_of(0)};
    if (out.n) out.n = at_least(*out.n, 0);
    out.all = times_of(factor, times_of(out.n, out.each));
    bool records = !kept.state || number(*kept.state) != 0;
    bool overwrites = kept.overwritten ? number(*kept.overwritten) != 0 : true;
    // Loops inside only save what they overwrite of arrays of the loops around: a state of theirs would be the whole array.
    if (factor && kept.fixed && kept.state && kept.whole && (records || (root && overwrites)) && !(out.n && number(*out.n) && *number(*out.n) < 2)) {
      out.slot = times(*factor, *kept.state + *kept.whole + slot_bytes);
      if (!root) out.before = times(*factor, *kept.whole);
    }
    Bytes here = times_of(out.n, out.each);
    alone_ = alone_ && here ? Bytes(*alone_ + *here) : std::nullopt;
    for (size_t k : updated_state(p_, op)) carried_.insert(op.state[k].var);
    loops_.push_back(out);
  }
  static constexpr i64 slot_bytes = 8;                     // the number of the iteration

  // Decides how many states each loop keeps if not everything fits.
  void share_out() {
    Bytes all = number_of(0), fixed = number_of(0), least = number_of(0);
    auto add = [](Bytes& sum, const Bytes& x) { sum = sum && x ? Bytes(*sum + *x) : std::nullopt; };
    i64 sharing = 0;
    for (const Loop& x : loops_) {
      add(all, x.all);
      add(fixed, x.slot ? x.before : x.all);
      sharing += x.slot.has_value();
    }
    // What is not known cannot be reserved.
    Term left = number_of(memory_);
    if (fixed) left = at_least(left - *fixed, 0);
    Term share = left / number_of(sharing);
    least = fixed;
    Loop* first = nullptr;
    for (Loop& x : loops_) {
      if (!x.slot) continue;
      Term few = x.n ? fewest(b_, *x.n) : number_of(costs::ad::budget_states);
      add(least, times(few, *x.slot));
      if (!first) {
        first = &x;
        continue;
      }
      Term part = x.n ? smaller(times(at_least(*x.n, 1), *x.slot), share) : share;
      left = left - part;
      x.slots = slots(x, part, few);
    }
    Term few = first->n ? fewest(b_, *first->n) : number_of(costs::ad::budget_states);
    first->slots = slots(*first, left, few);
    all_ = all, least_ = least;
    Bytes inside = first->before;
    for (const Loop& x : loops_) if (&x != first) add(inside, x.all);
    if (sharing < 2 || !inside || !counts(s_) || first != &loops_[0]) return;
    Term rest = at_least(number_of(memory_) - *inside, 0);
    room_ = le(times(few, *first->slot), rest);
    outermost_ = slots(*first, rest, few);
  }
  Term slots(const Loop& x, const Term& bytes, const Term& few) const {
    Term c = bytes / at_least(*x.slot, 1);
    if (x.n) c = smaller(c, at_least(*x.n, 1));
    return apply(ScalarOp::max, {c, few});
  }

  // Notes in the loops what was decided.
  void version(Stm& s, Version v) {
    next_ = 0;
    decide(s, v, nullptr);
  }
  void decide(Stm& s, Version v, Builder* before) {
    if (counts(s) && !has_schedule(s)) {
      bool first = next_ == 0;
      const Loop& x = loops_.at(next_++);
      For& op = std::get<For>(s.exp);
      op.budget = {1, x.each && number(*x.each) ? *number(*x.each) : -1, memory_};
      if (x.slot && (v == Version::Everywhere || (v == Version::Outermost && first))) {
        op.slots = v == Version::Outermost ? outermost_.atom : x.slots.atom;
        if (before && !x.n && target_ != Target::Gpu)
          op.slots = apply(ScalarOp::min, {before->term(x.slots.atom), apply(ScalarOp::max, {before->term(op.n), before->term(i64_const(1))})}).atom;
      }
    }
    walk_parts(s, [&](Body& part) {
      Builder in(p_, part.stms);
      in.into(part, [&](List<Stm>& stms) {
        for (auto& inner : stms.take()) {
          in.source = inner->source;
          decide(*inner, v, &in);
          in.emit(std::move(inner));
        }
      });
    });
  }
  std::vector<Atom> results(Version v) {
    Stm s = act_.clone(s_);
    std::vector<Atom> out;
    for (Bind x : s.pattern) out.push_back(x.var);
    version(s, v);
    emit_(s);
    return out;
  }
  template <class Then, class Else> Stm choose(const std::vector<Bind>& pattern, const Term& cond, Then then, Else otherwise) {
    If choice;
    choice.cond = cond.atom;
    choice.then_ = b_.body(then);
    choice.else_ = b_.body(otherwise);
    return {pattern, std::move(choice), s_.checks, s_.source, {}};
  }
};

}  // namespace

bool fit_memory(Builder& b, Stm& s, Activity& varied, const Around& around, const std::function<void(Stm&)>& emit) {
  return Nest(b, s, varied, around, emit).run();
}

}  // namespace raido::ad
