// accumulators.cc - how simultaneous updates of an accumulator are kept apart: the `conflict` of each destination.
//
//   no operator                   None: which of several writes to a cell wins is not specified
//   one thread, no task inside    None
//   several threads               Private: a copy for each part of the index space, combined in order, when the copies
//                                 are small beside the work (4 bytes of copies for a byte of updates) or small at all;
//                                 else Atomic, if the operator is one scalar operation on one array; chosen at run time
//   device                        Atomic, if the operator is one scalar operation; else one thread does all updates
//
// `sequentialise` makes the private copies.
#include <algorithm>

#include "compiler/ir/build.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

constexpr int64_t parts = 64;                 // private copies of one accumulator
constexpr int64_t always_private = 4096;      // cells of an accumulator that is always copied

class Accumulators {
 public:
  Accumulators(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& b, bool in_seg) {
    List<Stm> old = std::exchange(b.stms, {});
    Builder out(p_, b.stms);
    for (auto& s : old.take()) {
      walk_parts(*s, [&](Body& inner) { body(inner, in_seg || std::holds_alternative<Seg>(s->exp)); });
      walk_parts(*s, [&](Lambda& l) { body(l.body, in_seg || std::holds_alternative<Seg>(s->exp)); });
      auto x = std::get_if<WithAcc>(&s->exp);
      out.source = s->source;
      if (x && !in_seg) decide(out, *s, *x);
      out.emit(std::move(*s));
    }
  }

 private:
  Program& p_;
  PassContext& c_;

  const Seg* parallel_part(const Body& b) const {
    const Seg* found = nullptr;
    each_stm(b, [&](const Stm& s) { if (auto x = std::get_if<Seg>(&s.exp); x && !found) found = x; });
    return found;
  }
  bool has_atomic_form(const Dest& d) const { return d.arrays.size() == 1 && scalar_operator(p_, *d.combine).has_value(); }

  void decide(Builder& out, Stm& s, WithAcc& x) {
    bool alone = c_.target == Target::Sequential || !parallel_part(x.scope.body);
    bool choose = false;
    for (Dest& d : x.dests) {
      if (d.conflict != Conflict::Unknown) continue;
      if (!d.combine || alone) { d.conflict = Conflict::None; continue; }
      if (c_.target == Target::Gpu) { d.conflict = has_atomic_form(d) ? Conflict::Atomic : Conflict::Owner; continue; }
      d.conflict = Conflict::Private;
      choose |= has_atomic_form(d) && !is_small(d);
    }
    for (const Dest& d : x.dests) c_.stats.count(fmt_name(d.conflict));
    if (choose) versions(out, s, x);
  }
  static std::string fmt_name(Conflict c) {
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
    return cells <= always_private;
  }

  // Updates of one run of the body, as far as the sizes are known outside: the product of the enclosing widths.
  void work(Builder& out, const Body& b, const VarSet& inside, Term so_far, std::optional<Term>& sum) {
    for (const Stm& s : b.stms) {
      if (std::holds_alternative<AccUpdate>(s.exp)) {
        Term updates = so_far;
        for (const Atom& v : std::get<AccUpdate>(s.exp).values)
          for (const Dim& n : shape_of(p_.type(v))) if (known(n, inside)) updates = updates * out.term(n);
        sum = sum ? *sum + updates : updates;
      }
      Term factor = so_far;
      auto scale = [&](const Dim& n) { if (known(n, inside)) factor = factor * out.term(n); };
      if (auto f = std::get_if<For>(&s.exp)) scale(f->n);
      if (auto m = std::get_if<Screma>(&s.exp)) scale(m->width);
      if (auto g = std::get_if<Seg>(&s.exp)) for (const Dim& n : g->extent) scale(n);
      walk_parts(s, overloaded{[&](const Body& inner) { work(out, inner, inside, factor, sum); },
                               [&](const Lambda& l) { work(out, l.body, inside, factor, sum); }});
    }
  }
  static bool known(const Dim& n, const VarSet& inside) { return !var_of(n) || !inside.contains(*var_of(n)); }

  //   with_acc   ==>   if 64 * cells <= 4 * work + 2^16 { with_acc private } else { with_acc atomic }
  void versions(Builder& out, Stm& s, WithAcc& x) {
    VarSet inside;
    each_bind(x.scope, [&](Var v) { inside.insert(v); });
    std::optional<Term> updates;
    work(out, x.scope.body, inside, out.number(Scalar::I64, 1), updates);
    Term cells = out.number(Scalar::I64, 0);
    for (const Dest& d : x.dests) {
      if (d.conflict != Conflict::Private) continue;
      Term here = out.number(Scalar::I64, 1);
      for (const Dim& n : shape_of(p_.type(d.arrays[0]))) here = here * out.term(n);
      cells = cells + here;
    }
    if (!updates) return;
    Term small = le(cells * out.number(Scalar::I64, parts),
                    *updates * out.number(Scalar::I64, 4) + out.number(Scalar::I64, 65536));
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
  Accumulators pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
