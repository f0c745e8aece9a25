// kept.cc - see kept.h.
//
// State that the return sweep reads is recorded as a whole in each iteration. Of arrays that are updated in place an update saves what
// it overwrites, and its indices where they do not follow from the counters (undo.h).
#include "passes/ad/prepare/kept.h"

#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "passes/ad/prepare/in_place.h"
#include "passes/ad/prepare/needed.h"
#include "passes/ad/prepare/scatters.h"
#include "passes/ad/prepare/write_once.h"

namespace raido::ad {

using namespace ir;

namespace {

constexpr i64 any_memory = i64(1) << 56;
constexpr i64 index_bytes = 8;

using Bytes = std::optional<Term>;
Bytes sum(const Bytes& x, const Bytes& y) { return x && y ? Bytes(*x + *y) : std::nullopt; }

class Counting {
 public:
  Counting(Builder& b, const Activity& act, Ranges& ranges) : b_(b), p_(b.program), act_(act), ranges_(ranges) {}

  Kept loop(const For& op, const VarSet& carried) {
    Needed needed(p_, act_, op.body);
    std::vector<size_t> updated = updated_state(p_, op);
    Kept out{none(), none(), true, none()};
    VarSet undone;
    bool any_undone = false;
    for (size_t k = 0; k < op.state.size(); k++) {
      Var x = op.state[k].var;
      const Type& t = p_.type(x);
      out.fixed = out.fixed && (is_scalar(t) || is_array(t));
      for (Bind y : op.state) walk(t, [&](const Var& v) { out.fixed = out.fixed && v != y.var; });
      if (!needed(x)) continue;
      bool in_place = std::ranges::find(updated, k) != updated.end();
      Bytes& part = in_place ? out.whole : out.state;
      part = sum(part, of(t));
      auto init = var_of(op.init[k]);
      if (in_place && ((init && carried.contains(*init)) || !written_once(p_, op, k))) {
        undone.insert(x);
        any_undone = true;
      }
    }
    if (any_undone) out.overwritten = overwritten(op.body, undone);
    return out;
  }

 private:
  Builder& b_;
  Program& p_;
  const Activity& act_;
  Ranges& ranges_;

  Bytes none() { return number_of(0); }
  Term number_of(i64 n) { return b_.term(i64_const(n)); }
  Term natural(const Term& x) { return apply(ScalarOp::max, {x, number_of(0)}); }
  Bytes of(const Type& t) {
    if (!is_scalar(t) && !is_array(t)) return {};
    Term size = number_of(bytes_of(elem_of(t)));
    for (const Dim& d : shape_of(t)) {
      auto n = ranges_.most(d);
      if (!n) return {};
      size = size * *n;
    }
    return size;
  }
  Bytes indices(const std::vector<Selector>& at) {
    i64 kept = 0;
    auto look = [&](const Atom& a) { if (!ranges_.computed(a)) kept += index_bytes; };
    for (const Selector& x : at)
      match(x, [&](const Atom& i) { look(i); }, [&](const Slice& s) { look(s.start), look(s.count), look(s.stride); });
    return number_of(kept);
  }
  // What the updates of these arrays and of their versions overwrite.
  Bytes overwritten(const Body& body, VarSet arrays) {
    Bytes out = none();
    for (const Stm& s : body.stms) {
      VarSet inside = arrays;
      bool any = false;
      for (size_t k = 0; k < s.pattern.size(); k++)
        if (auto before = earlier_version(p_, s, k); before && arrays.contains(*before)) {
          arrays.insert(s.pattern[k].var);
          any = true;
          if (auto loop = std::get_if<For>(&s.exp)) inside.insert(loop->state[k].var);
        }
      if (any) out = sum(out, statement(s, inside));
    }
    return out;
  }
  Bytes statement(const Stm& s, const VarSet& arrays) {
    if (auto x = std::get_if<Update>(&s.exp)) {
      Bytes part = of(p_.type(x->value));
      return sum(part ? part : of(p_.type(x->array)), indices(x->at));
    }
    if (auto loop = std::get_if<For>(&s.exp)) {
      Bytes each = overwritten(loop->body, arrays), n = ranges_.most(loop->n);
      return each && n ? Bytes(times(*each, natural(*n))) : std::nullopt;
    }
    if (auto branch = std::get_if<If>(&s.exp))
      return sum(number_of(1), sum(overwritten(branch->then_, arrays), overwritten(branch->else_, arrays)));
    if (auto scope = std::get_if<WithAcc>(&s.exp)) {
      auto found = scatter(p_, *scope);
      if (!found) return {};
      const Dest& dest = scope->dests[0];
      Type row = p_.type(dest.arrays[0]);
      for (int r = 0; r < dest.rank; r++) row = row_type(row);
      Bytes value = of(row), n = ranges_.most(std::get<Screma>(scope->scope.body.stms[found->map].exp).width);
      return value && n ? Bytes(times(*value + index_bytes * dest.rank, natural(*n))) : std::nullopt;
    }
    return none();                                         // views and copies overwrite nothing
  }
};

}  // namespace

std::optional<i64> number(const Term& x) {
  auto c = const_of(x.atom);
  return c ? std::optional(c->as_i64()) : std::nullopt;
}

Term times(const Term& x, const Term& y) {
  Builder& b = *x.b;
  Term most = b.term(i64_const(any_memory));
  if (number(x) == 0 || number(y) == 0) return b.term(i64_const(0));
  if (number(x) == 1 || number(y) == 1) return number(x) == 1 ? y : x;
  Term fits = le(x, most / apply(ScalarOp::max, {y, b.term(i64_const(1))}));
  return select({fits, x * y, most});
}

std::optional<Term> Kept::each() const { return sum(state, overwritten); }

Kept kept_by(Builder& b, const Activity& act, Ranges& ranges, const For& loop, const VarSet& carried) {
  return Counting(b, act, ranges).loop(loop, carried);
}

}  // namespace raido::ad
