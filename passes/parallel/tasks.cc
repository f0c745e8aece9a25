// tasks.cc - Core to Parallel for CPUs: every outermost screma or hist becomes a task seg over its width.
//
// Scremas inside keep their form: they run inside one task. A seg reads its inputs at its index, so a screma's lambda
// becomes the body after statements that load the elements. An accumulator among the inputs is the same one in every
// iteration: the body refers to it directly.
//
// Some of that costs more work than one thread would need: updates that meet are kept apart, by copies or as atomic operations, and a
// scan adds up its parts before it goes over them. There the program chooses when it runs:
//
//   s   ==>   if threads <= 1 { s, one iteration after the other } else { s, as tasks }                              T1
//
// The first version is also for a few threads, if s does little but update arrays that are large beside the number of updates: copies take
// longer to fill and to add up, and atomic updates as long as several others.
#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/transform.h"
#include "passes/parallel/one_thread.h"
#include "passes/parallel/reach.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// The body of a seg made of a lambda applied to the elements of `inputs` at index i.
Body body_at(Program& p, const Stm& s, Var i, const std::vector<Var>& inputs, Lambda pre) {
  Body out;
  Builder b(p, out.stms);
  b.source = s.source;
  std::vector<Atom> elements;
  for (size_t k = 0; k < inputs.size(); k++)
    elements.push_back(is_array(p.type(inputs[k])) ? b.index(p.hint(pre.params[k].var), inputs[k], {i}) : Atom(inputs[k]));
  out.result = b.inline_once(std::move(pre), elements);
  return out;
}

class Tasks {
 public:
  Tasks(Program& p, PassContext& c) : p_(p), c_(c), forms_(p) {}

  // `many`: this code runs only where there is more than one thread.
  void extract(Body& body, bool many) {
    List<Stm> old = std::exchange(body.stms, {});
    Builder out(p_, body.stms);
    for (auto& s : old.take()) {
      one_thread_.note(*s);
      if (!many && c_.target == Target::Multicore && costs_more_in_parallel(*s) && c_.allow()) {
        choose(out, std::move(*s));
      } else {
        statement(*s, many);
        out.emit(std::move(s));
      }
    }
  }

 private:
  Program& p_;
  PassContext& c_;
  Forms forms_;
  OneThread one_thread_;                   // what other passes have chosen by

  void statement(Stm& s, bool many) {
    if (auto x = std::get_if<Screma>(&s.exp)) {
      Var i = p_.fresh("i", scalar_type(Scalar::I64));
      Body inner = body_at(p_, s, i, x->inputs, std::move(x->pre));
      s.exp = Seg{SegLevel::Task, {{i}}, {x->width}, std::move(inner), std::move(x->reduces), std::move(x->scans),
                  std::move(x->post), std::move(x->post_reduces), {}};
    } else if (auto h = std::get_if<Hist>(&s.exp)) {
      Var i = p_.fresh("i", scalar_type(Scalar::I64));
      Body inner = body_at(p_, s, i, h->inputs, std::move(h->pre));
      s.exp = Seg{SegLevel::Task, {{i}}, {h->width}, std::move(inner), {}, {}, {}, {}, std::move(h->dests)};
    } else if (auto choice = std::get_if<If>(&s.exp); choice && one_thread_.chooses(*choice)) {
      extract(choice->else_, true);
    } else {
      walk_parts(s, [&](Body& inner) { extract(inner, many); });
    }
  }

  // Updates that meet are kept apart, and a scan goes over its elements twice.
  bool costs_more_in_parallel(const Stm& s) const {
    if (auto x = std::get_if<Screma>(&s.exp)) return !x->scans.empty();
    if (auto h = std::get_if<Hist>(&s.exp)) return std::ranges::any_of(h->dests, [](const Dest& d) { return d.combine.has_value(); });
    auto w = std::get_if<WithAcc>(&s.exp);
    bool parallel = false;
    if (w) each_stm(w->scope.body, [&](const Stm& inner) { parallel |= kind_of(inner.exp) == Kind::Parallel; });
    for (size_t k = 0; parallel && k < w->dests.size(); k++)
      if (w->dests[k].combine && w->dests[k].conflict != Conflict::None && reach(p_, w->scope.body, w->scope.params[k].var, forms_) != 0) return true;
    return false;
  }

  // When one thread does all of it: it is alone, or there are few and light updates are dear for them. Filling and adding up the copies takes
  // half as long as so many updates.
  Atom for_one_thread(Builder& out, const Stm& s) {
    Term one = out.term(one_thread(out));
    auto number = [&](i64 n) { return out.number(Scalar::I64, double(n)); };
    Term cells = number(0);
    std::optional<Term> updates;
    auto add = [&](const Dest& d) {
      Term here = number(1);
      for (const Dim& n : shape_of(p_.type(d.arrays[0]))) here = here * out.term(n);
      cells = cells + here;
    };
    if (auto w = std::get_if<WithAcc>(&s.exp); w && updates_only(w->scope.body)) {
      for (size_t k = 0; k < w->dests.size(); k++) {
        const Dest& d = w->dests[k];
        if (d.combine && d.conflict != Conflict::None && !reach(p_, w->scope.body, w->scope.params[k].var, forms_)) add(d);
      }
      if (!is_const(cells.atom, 0)) updates = updates_in(out, w->scope, forms_);
    } else if (auto h = std::get_if<Hist>(&s.exp); h && updates_only(h->pre.body) && h->pre.body.stms.size() <= costs::cpu::light_update * h->dests.size()) {
      for (const Dest& d : h->dests) {
        if (d.combine) add(d);
        Term here = out.term(h->width);
        const std::vector<Dim> shape = shape_of(p_.type(d.arrays[0]));
        for (size_t k = size_t(d.rank); k < shape.size(); k++) here = here * out.term(shape[k]);
        updates = updates ? *updates + here : here;
      }
    }
    if (!updates || is_const(cells.atom, 0)) return one.atom;
    Term copies = cells * number(costs::cpu::accumulator_copies), filled = copies / number(2), saved = (threads(out) - number(1)) * *updates;
    Term limit = *updates * number(4) + number(65536), large = lt(limit, copies), huge = lt(number(costs::cpu::most_copied_cells), cells);
    Term dear = lt(saved, filled), atomic = or_(large, huge), few = out.term(one_thread(out, costs::cpu::atomic_threads));
    Term light = or_(dear, atomic), chosen = and_(light, few);
    return or_(one, chosen).atom;
  }
  // No body does much more than update, and there is no loop that does not.
  static bool updates_only(const Body& b) {
    bool all = true;
    size_t updates = 0;
    for (const Stm& s : b.stms) {
      bool loop = kind_of(s.exp) == Kind::Loop || kind_of(s.exp) == Kind::Parallel, inside = false;
      updates += std::holds_alternative<AccUpdate>(s.exp);
      walk_parts(s, [&](const Body& inner) {
        all = all && updates_only(inner);
        each_stm(inner, [&](const Stm& part) { inside = inside || std::holds_alternative<AccUpdate>(part.exp); });
      });
      all = all && (!loop || inside);
    }
    return all && (updates == 0 || b.stms.size() <= costs::cpu::light_update * updates);
  }

  void choose(Builder& out, Stm s) {
    out.source = s.source;
    out.checks = {};
    std::vector<Bind> pattern = s.pattern;
    auto version = [&](Stm one) {
      for (Bind& b : one.pattern) b.var = p_.fresh(p_.hint(b.var), p_.type(b.var));
      Subst names;
      for (size_t k = 0; k < pattern.size(); k++) names.emplace(pattern[k].var, one.pattern[k].var);
      for (Bind b : one.pattern) substitute(p_, p_.vars[b.var.index].type, names);
      Body body;
      for (Bind b : one.pattern) body.result.push_back(b.var);
      body.stms.push_back(std::move(one));
      return body;
    };
    Stm alone = s;
    alone.exp = clone(p_, s.exp);
    If choice{for_one_thread(out, s), version(std::move(alone)), version(std::move(s))};
    extract(choice.else_, true);
    c_.stats.count("tasks.one_thread");
    out.emit({pattern, std::move(choice), {}, out.source, {}});
  }
};

}  // namespace

void tasks(Program& program, PassContext& context) {
  Tasks pass(program, context);
  program.each_body([&](Body& b) { pass.extract(b, false); });
}

}  // namespace raido
