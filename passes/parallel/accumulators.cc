// accumulators.cc - how simultaneous updates of an accumulator are kept apart: the `conflict` of each destination.
//
//   one thread, no task inside    None
//   no operator                   Atomic: a store is one step, and which of several stores to a cell stays is not specified
//   several threads               None, if only iterations near to one another meet (reach.h): their index space goes in parts, the even
//                                 ones at once and then the odd ones, or as it is if none meet. Else
//                                 Private: a copy for each part of the index space, combined in order, when the copies
//                                 are small beside the work (4 bytes of copies for a byte of updates) or small at all;
//                                 else Atomic, if the operator is one scalar operation on one array; chosen at run time
//   device                        None, if each point has cells of its own (reach.h); Atomic, if the operator is arithmetic on scalars; else one thread does all updates
//
// `sequentialise` makes the private copies.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/parallel/gathers.h"
#include "passes/parallel/invariant_updates.h"
#include "passes/parallel/reach.h"
#include "passes/parallel/segs.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {


class Accumulators {
 public:
  Accumulators(Program& p, PassContext& c) : p_(p), c_(c) {
    if (c_.target == Target::Multicore) forms_ = Forms(p);
  }

  void body(Body& b, bool in_seg) {
    List<Stm> old = std::exchange(b.stms, {});
    Builder out(p_, b.stms);
    for (auto& s : old.take()) {
      walk_parts(*s, [&](Body& inner) { body(inner, in_seg || std::holds_alternative<Seg>(s->exp)); });
      out.source = s->source;
      if (auto g = std::get_if<Seg>(&s->exp); g && !g->dests.empty() && !in_seg) {
        Seg seg = std::move(*g);
        *s = with_updates(p_, *s, std::move(seg));
      }
      auto x = std::get_if<WithAcc>(&s->exp);
      if (x && !in_seg) decide(out, *s, *x);
      out.emit(std::move(s));
    }
  }

 private:
  Program& p_;
  PassContext& c_;
  Forms forms_;

  const Seg* parallel_part(const Body& b) const {
    const Seg* found = nullptr;
    each_stm(b, [&](const Stm& s) { if (auto x = std::get_if<Seg>(&s.exp); x && !found) found = x; });
    return found;
  }
  // Arithmetic on scalars: of one word, by compare-and-swap; of more than that, or less, under a lock, which a failing check would leave closed.
  bool is_arithmetic(const Dest& d) const {
    auto scalar = [&](const Atom& ne) { return is_scalar(p_.type(ne)); };
    if (!std::ranges::all_of(d.combine->neutral, scalar) || (d.arrays.size() > 1 && !d.combine->shape.empty())) return false;
    bool word = d.arrays.size() == 1 && bytes_of(elem_of(p_, d.combine->neutral[0])) >= 4, fine = true;
    each_stm(d.combine->op.body, [&](const Stm& s) {
      fine = fine && (std::holds_alternative<Apply>(s.exp) || std::holds_alternative<Convert>(s.exp) || std::holds_alternative<Identity>(s.exp) ||
                      std::holds_alternative<If>(s.exp) || (word && std::holds_alternative<Assert>(s.exp)));
    });
    return fine;
  }
  bool has_atomic_form(const Dest& d) const { return d.arrays.size() == 1 && scalar_operator(p_, *d.combine).has_value(); }

  void decide(Builder& out, Stm& s, WithAcc& x) {
    bool alone = c_.target == Target::Sequential || !parallel_part(x.scope.body);
    bool choose = false;
    if (c_.target == Target::Multicore && !alone) keep_apart(x);
    for (Dest& d : x.dests) {
      if (d.conflict != Conflict::Unknown) continue;
      if (alone) { d.conflict = Conflict::None; continue; }
      if (!d.combine) { d.conflict = Conflict::Atomic; continue; }
      if (c_.target == Target::Gpu) { d.conflict = has_atomic_form(d) || is_arithmetic(d) ? Conflict::Atomic : Conflict::Owner; continue; }
      d.conflict = Conflict::Private;
      choose |= has_atomic_form(d) && !is_small(d);
    }
    for (const Dest& d : x.dests) c_.stats.count(counter_of(d.conflict));
    if (std::any_of(x.dests.begin(), x.dests.end(), [](const Dest& d) { return d.conflict == Conflict::Owner; })) one_thread(x);
    if (choose) versions(out, s, x);
  }

  // Destinations whose updates are kept apart by the order of iterations, which is brought about.
  void keep_apart(WithAcc& x) {
    VarSet tokens;
    i64 farthest = 0;
    for (size_t k = 0; k < x.dests.size(); k++) {
      Dest& d = x.dests[k];
      if (d.conflict != Conflict::Unknown || !d.combine) continue;
      Var token = x.scope.params[k].var;
      std::optional<i64> far = reach(p_, x.scope.body, token, forms_);
      VarSet one;
      one.insert(token);
      if (!far || (*far > 0 && !can_alternate(x.scope.body, one)) || !c_.allow()) continue;
      c_.stats.count(*far == 0 ? "accumulators.disjoint" : "accumulators.alternate");
      d.conflict = Conflict::None;
      farthest = std::max(farthest, *far);
      if (*far > 0) tokens.insert(token);
    }
    if (farthest > 0) alternate(x.scope.body, tokens, farthest);
  }
  bool updates(const Seg& x, const VarSet& tokens) const {
    bool found = false;
    each_use(p_, x.body, [&](Var v) {
      auto acc = std::get_if<AccType>(&p_.type(v));
      found = found || (acc && tokens.contains(acc->token));
    });
    return found;
  }
  bool can_alternate(const Body& b, const VarSet& tokens) const {
    bool all = true;
    for (const Stm& s : b.stms) {
      auto g = std::get_if<Seg>(&s.exp);
      if (g) all = all && (!updates(*g, tokens) || raido::can_alternate(*g));
      else walk_parts(s, [&](const Body& inner) { all = all && can_alternate(inner, tokens); });
    }
    return all;
  }
  void alternate(Body& b, const VarSet& tokens, i64 reach) {
    List<Stm> old = std::exchange(b.stms, {});
    for (auto& s : old.take()) {
      auto g = std::get_if<Seg>(&s->exp);
      if (!g) walk_parts(*s, [&](Body& inner) { alternate(inner, tokens, reach); });
      if (!g || !updates(*g, tokens)) {
        b.stms.push_back(std::move(s));
        continue;
      }
      for (Stm& part : alternating(p_, std::move(*s), reach)) b.stms.push_back(std::move(part));
    }
  }

  //   seg map grid (i < n) { .. upd .. }   ==>   seg map grid (z < 1) { for i < n { .. upd .. } }
  void one_thread(WithAcc& x) {
    for (Stm& s : x.scope.body.stms) {
      auto g = std::get_if<Seg>(&s.exp);
      if (!g || g->level != SegLevel::Grid) continue;
      auto accs_bound = std::count_if(s.pattern.begin(), s.pattern.end(), [&](Bind b) { return is_acc(p_.type(b.var)); });
      if (accs_bound == 0) continue;
      if (accs_bound < isize(s.pattern) || !is_seg_map(*g)) {
        c_.refuse(s.source, Refusal::DeviceCode, "an accumulation with an operator on several values beside other results");
        continue;
      }
      Seg whole = std::move(*g);
      Body code;
      Builder b(p_, code.stms);
      b.source = s.source;
      std::vector<Var> accs;
      for (Bind v : s.pattern) accs.push_back(free_acc(whole.body, std::get<AccType>(p_.type(v.var)).token));
      code.result = loops(b, whole, accs, 0, {accs.begin(), accs.end()});
      s.exp = Seg{SegLevel::Grid, {{p_.fresh("z", scalar_type(Scalar::I64))}}, {i64_atom(1)}, std::move(code), {}, {}, {}, {}, {}};
    }
    for (Dest& d : x.dests)
      if (d.conflict == Conflict::Owner) d.conflict = Conflict::None;
  }
  Var free_acc(const Body& b, Var token) const {
    for (Var v : free_vars(p_, b))
      if (auto acc = std::get_if<AccType>(&p_.type(v)); acc && acc->token == token) return v;
    PANIC("a result is an accumulator that the body does not use");
  }
  std::vector<Atom> loops(Builder& b, Seg& seg, const std::vector<Var>& accs, size_t depth, const std::vector<Atom>& state) {
    if (depth == seg.index.size()) {
      Subst to;
      for (size_t k = 0; k < accs.size(); k++) to[accs[k]] = state[k];
      substitute(p_, seg.body, to);
      b.emit_all(std::move(seg.body.stms));
      return seg.body.result;
    }
    For loop{seg.index[depth], seg.extent[depth], {}, state, {}};
    std::vector<Atom> inner, results;
    for (const Atom& a : state) {
      loop.state.push_back({p_.fresh("acc", p_.type(a))});
      inner.push_back(loop.state.back().var);
    }
    loop.body = b.body([&] { return loops(b, seg, accs, depth + 1, inner); });
    for (Var v : b.bind("acc", std::move(loop))) results.push_back(v);
    return results;
  }
  static std::string counter_of(Conflict c) {
    return c == Conflict::None ? "accumulators.none" : c == Conflict::Private ? "accumulators.private"
           : c == Conflict::Atomic ? "accumulators.atomic" : "accumulators.owner";
  }
  bool is_small(const Dest& d) const {
    int64_t cells = 1;
    for (const Dim& n : shape_of(p_.type(d.arrays[0]))) {
      auto c = const_of(n);
      if (!c) return false;
      cells *= std::max<int64_t>(c->as_i64(), 1);
    }
    return cells <= costs::cpu::copied_cells;
  }

  //   with_acc   ==>   if 64 * cells <= 4 * work + 2^16 and cells <= 2^19 { with_acc private } else { with_acc atomic }
  void versions(Builder& out, Stm& s, WithAcc& x) {
    const std::optional<Term> updates = updates_in(out, x.scope, forms_);
    Term cells = out.number(Scalar::I64, 0);
    for (const Dest& d : x.dests) {
      if (d.conflict != Conflict::Private) continue;
      Term here = out.number(Scalar::I64, 1);
      for (const Dim& n : shape_of(p_.type(d.arrays[0]))) here = here * out.term(n);
      cells = cells + here;
    }
    if (!updates) return;
    Term copies = cells * out.number(Scalar::I64, costs::cpu::accumulator_copies), limit = *updates * out.number(Scalar::I64, 4) + out.number(Scalar::I64, 65536);
    Term small = all_of({le(copies, limit), le(cells, out.number(Scalar::I64, costs::cpu::most_copied_cells))});
    Stm atomic = s;
    for (Bind& b : atomic.pattern) b.var = p_.fresh(p_.hint(b.var), p_.type(b.var));
    WithAcc copy = clone(p_, x);
    for (Dest& d : copy.dests)
      if (d.conflict == Conflict::Private && has_atomic_form(d)) d.conflict = Conflict::Atomic;
    atomic.exp = std::move(copy);
    Stm priv = s;
    for (Bind& b : priv.pattern) b.var = p_.fresh(p_.hint(b.var), p_.type(b.var));
    priv.exp = std::move(x);
    If choice{small.atom, {}, {}};
    for (auto [b, stm] : {std::pair(&choice.then_, &priv), std::pair(&choice.else_, &atomic)}) {
      for (Bind v : stm->pattern) b->result.push_back(v.var);
      b->stms.push_back(std::move(*stm));
    }
    s.exp = std::move(choice);
  }
};

}  // namespace

void accumulators(Program& program, PassContext& context) {
  if (context.target == Target::Gpu) {
    gather_updates(program, context);
    reduce_invariant_updates(program, context);
  }
  Accumulators pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
