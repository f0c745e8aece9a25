// loop_shape.cc - how a processor runs a loop: as vectors, with arithmetic instead of a branch, or with a branch instead of selects.
//
//   for any_order [add] ..                                        ==>   for any_order [add] vectors ..
//   for any_order [add] .. that reads elements far apart          ==>   for any_order [add] scalar ..
//   for i < n .. if c { .. a [i] and a [i + 1] updated }          ==>   for i < n scalar ..
//   for i < n .. xs updated at [i] that is read nowhere           ==>   for i < n apart ..
//   for i < n .. while .. with i                                  ==>   for i < n lanes .. while ..
//   for i < n { .. for j < m (s) { s' = f s xs[i, j] } .. }       ==>   for i < n interleaved .. for j < m ..
//   for i < n { for .. any_order [add] {..} exp .. }              ==>   for i < n lanes { for .. any_order [add] alone {..} exp .. }
//   let mem = alloc bytes  for i < n .. with arrays in mem        ==>   let mem = alloc 32 bytes  for i < n lanes own [mem] into [] if small ..
//   seg task (i < n) with [mem = bytes] ..                        ==>   seg task (i < n) lanes with [mem = 32 bytes] own [mem] into [] if small ..
//   for .. let k' = select [c, i, k] ..                           ==>   for .. let k' = xor [k, and [neg [convert i64 c], xor [i, k]]] ..
//   for .. { let k = select [c, x, 0] let xs' = update .. k }     ==>   for .. { let k = and [neg [convert i64 c], x] .. }     if no vectors are made of it
//   while .. let lo' = select [c, m, lo] let hi' = select [c, hi, m] ..   ==>   while .. let lo', hi' = if c { in m, lo } else { in hi, m } ..
//
// C compilers decide this by what they see of one loop. What they cannot see is which reads lie beside each other, which choices are badly
// guessed, and which reads wait for memory. So the pass runs last, where layouts are known; nothing after it looks at selects.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/memory/apart.h"
#include "passes/memory/far_reads.h"
#include "passes/memory/lane_loops.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class LoopShape {
 public:
  LoopShape(Program& p, PassContext& c, const Body& whole) : p_(p), c_(c), aliases_(p, whole), apart_(p, aliases_, whole), lanes_(p, aliases_, whole) {}

  void body(Body& whole) {
    if (c_.options.ad_memory == 0) bring_blocks(whole);
    body(whole, {}, false);
  }

 private:
  Program& p_;
  PassContext& c_;
  BlockAliases aliases_;
  ApartLoops apart_;
  LaneLoops lanes_;

  // Each lane needs a part of some blocks. `hoist_allocs` may have moved their allocations out of loops around the lanes. This moves them
  // back, to just before the loop that runs in lanes.
  void bring_blocks(Body& whole) {
    std::vector<Var> allocs;
    std::unordered_map<Var, Var> to;                       // blocks, and the first result of a loop that they stand before
    find_blocks(whole, allocs, 0, to);
    std::unordered_map<Var, std::vector<Stm>> brought;
    if (!to.empty()) move_blocks(whole, to, brought);
  }
  // `allocs`: blocks that stand before what is looked at; from number `first` on they are in the body itself.
  void find_blocks(const Body& b, std::vector<Var> allocs, size_t first, std::unordered_map<Var, Var>& to) {
    for (const Stm& s : b.stms) {
      if (LaneLoops::is_alloc(s)) allocs.push_back(s.pattern[0].var);
      if (s.pattern.empty()) continue;
      const Var loop = s.pattern[0].var;
      auto blocks = lanes_.take(s, allocs);
      if (!blocks) {
        std::vector<Var> outside = allocs;
        if (auto task = std::get_if<Seg>(&s.exp)) for (Var v : LaneLoops::blocks_of(task->workspaces)) outside.push_back(v);
        walk_parts(s, [&](const Body& inner) { find_blocks(inner, outside, outside.size(), to); });
        continue;
      }
      auto is_outer = [&](Var v) { return std::ranges::find(allocs, v) - allocs.begin() < i64(first); };
      if (std::ranges::any_of(blocks->own, is_outer) && c_.allow())
        for (Var v : blocks->own) if (is_outer(v)) to.emplace(v, loop);
    }
  }
  void move_blocks(Body& whole, const std::unordered_map<Var, Var>& to, std::unordered_map<Var, std::vector<Stm>>& brought) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      if (s.pattern.empty()) return false;
      if (auto place = to.find(s.pattern[0].var); place != to.end()) {
        brought[place->second].push_back(s);
        return true;
      }
      if (auto blocks = brought.find(s.pattern[0].var); blocks != brought.end())
        for (Stm& alloc : blocks->second) b.emit(std::move(alloc));
      if (auto task = std::get_if<Seg>(&s.exp))
        std::erase_if(task->workspaces, [&](const Workspace& w) {
          auto place = to.find(w.block.var);
          if (place != to.end()) brought[place->second].push_back(Stm{{w.block}, Alloc{Space::Host, w.bytes, true}, {}, s.source, {}});
          return place != to.end();
        });
      walk_parts(s, [&](Body& inner) { move_blocks(inner, to, brought); });
      return false;
    });
  }

  // `chosen`: results of selects that become arithmetic. Inside of lanes no loop has lanes of its own.
  void body(Body& whole, const VarSet& chosen, bool in_lanes) {
    Plans plans;
    std::vector<Var> before;
    for (const Stm& s : whole.stms) {
      if (in_lanes) break;
      if (LaneLoops::is_alloc(s)) before.push_back(s.pattern[0].var);
      if (auto blocks = s.pattern.empty() ? std::nullopt : lanes_.take(s, before); blocks && fits_budget(*blocks) && c_.allow())
        plans.emplace(s.pattern[0].var, std::move(*blocks));
    }
    VarSet moved;
    for (const auto& [loop, blocks] : plans) for (Var v : blocks.own) moved.insert(v);
    std::unordered_map<Var, Alloc> allocs;
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto x = std::get_if<For>(&s.exp);
      if (auto alloc = std::get_if<Alloc>(&s.exp); alloc && moved.contains(s.pattern[0].var)) {
        allocs.emplace(s.pattern[0].var, *alloc);
        return true;
      }
      auto plan = s.pattern.empty() ? plans.end() : plans.find(s.pattern[0].var);
      if (plan != plans.end()) side_by_side(b, s, plan->second, allocs);
      else if (x && x->any_order && x->vectors == Vectors::Open) vectors(*x);
      else if (x) pairs(*x);
      apart(s);
      const VarSet inside = x ? selects_by_arithmetic(*x) : VarSet{};
      const bool lanes = in_lanes || plan != plans.end();
      walk_parts(s, [&](Body& inner) { body(inner, inside, lanes); });
      if (auto loop = std::get_if<While>(&s.exp)) branches(*loop);
      if (s.pattern.size() != 1 || !chosen.contains(s.pattern[0].var) || !c_.allow()) return false;
      const Apply& choice = std::get<Apply>(s.exp);
      Term yes = b.term(choice.args[1]), no = b.term(choice.args[2]);
      Term mask = -convert(elem_of(p_.type(s.pattern[0].var)), b.term(choice.args[0]));
      Term made = is_const(no.atom, 0) ? apply(ScalarOp::and_, {mask, yes}) : apply(ScalarOp::xor_, {no, apply(ScalarOp::and_, {mask, apply(ScalarOp::xor_, {yes, no})})});
      results.emplace(s.pattern[0].var, made.atom);
      c_.stats.count("loop_shape.arithmetic");
      return true;
    });
  }

  // A budget for derivatives leaves no memory for lanes.
  bool fits_budget(const LaneLoops::Blocks& blocks) const { return c_.options.ad_memory == 0 || blocks.own.empty(); }

  using Plans = std::unordered_map<Var, LaneLoops::Blocks>;        // of loops and tasks that become lanes, by their first result
  void side_by_side(Builder& b, Stm& s, const LaneLoops::Blocks& blocks, const std::unordered_map<Var, Alloc>& allocs) {
    c_.stats.count(blocks.interleaved ? "loop_shape.interleaved" : "loop_shape.lanes");
    auto x = std::get_if<For>(&s.exp);
    auto task = std::get_if<Seg>(&s.exp);
    if (blocks.alone)
      for (Stm& inner : x ? x->body.stms : task->body.stms) if (auto loop = std::get_if<For>(&inner.exp)) loop->vectors = Vectors::Alone;
    (x ? x->vectors : task->vectors) = blocks.interleaved ? Vectors::Interleaved : Vectors::Lanes;
    if (blocks.own.empty() && blocks.sums.empty() && blocks.distances.empty() && blocks.trips.empty() && blocks.most_trips.empty()) return;
    Group& group = (x ? x->group : task->group).emplace(Group{blocks.own, blocks.sums, bool_const(true)});
    std::vector<Term> when;
    for (const LaneLoops::Distance& d : blocks.distances) {
      Term rest = apply(ScalarOp::and_, {b.term(d.elements) * b.number(Scalar::I64, double(d.bytes)), b.number(Scalar::I64, double(costs::cpu::lane_distance - 1))});
      when.push_back(lt(b.number(Scalar::I64, 0), rest));
    }
    for (const LaneLoops::Trips& t : blocks.trips) when.push_back(le(b.number(Scalar::I64, double(t.number)), b.term(t.n)));
    for (const LaneLoops::Trips& t : blocks.most_trips) when.push_back(le(b.term(t.n), b.number(Scalar::I64, double(t.number))));
    if (!blocks.own.empty()) {
      std::vector<Stm> before;
      std::vector<Atom*> sizes;
      for (Var v : blocks.own) if (x) before.push_back({{{v}}, allocs.at(v), {}, b.source, {}});
      for (Stm& alloc : before) sizes.push_back(&std::get<Alloc>(alloc.exp).bytes);
      if (task) for (Workspace& w : task->workspaces) if (std::ranges::find(blocks.own, w.block.var) != blocks.own.end()) sizes.push_back(&w.bytes);
      when.push_back(b.term(part_for_each(b, x ? x->n : task->extent[0], blocks.interleaved ? costs::cpu::interleaved : costs::cpu::lanes, sizes)));
      for (Stm& alloc : before) b.emit(std::move(alloc));
    }
    for (size_t k = 0; k < when.size(); k++) group.when = k == 0 ? when[k].atom : all_of({b.term(group.when), when[k]}).atom;
  }
  // Makes blocks of these sizes have a part for each lane where that pays: there is a group of iterations, and their parts stay in a cache.
  Atom part_for_each(Builder& b, const Dim& n, i64 lanes, const std::vector<Atom*>& sizes) {
    Term bytes = b.number(Scalar::I64, 0);
    for (const Atom* size : sizes) bytes = bytes + b.term(*size);
    Term when = all_of({le(b.number(Scalar::I64, double(lanes)), b.term(n)), le(bytes, b.number(Scalar::I64, double(costs::cpu::lane_bytes / lanes)))});
    Term parts = select({when, b.number(Scalar::I64, double(lanes)), b.number(Scalar::I64, 1)});
    for (Atom* size : sizes) *size = (b.term(*size) * parts).atom;
    return when.atom;
  }
  // Vectors take sums, and the least or greatest number.
  void vectors(For& x) {
    if (!may_mix(x)) return;
    bool scattered = reads_far_apart(p_, x);
    size_t number = 0;
    for (size_t k = 0; k < x.state.size() && !scattered; k++) {
      const Type& t = p_.type(x.state[k].var);
      if (std::holds_alternative<BlockType>(t)) return;
      if (!is_scalar(t)) continue;
      ScalarOp op = (*x.any_order)[number++];
      if (op != ScalarOp::add && !is_result_of(op, x.body, k)) return;
    }
    if ((!scattered && number == 0) || !c_.allow()) return;
    x.vectors = scattered ? Vectors::No : Vectors::Yes;
    c_.stats.count(scattered ? "loop_shape.scalar" : "loop_shape.vectors");
  }
  // An iteration that may swap two neighbours leaves one of them to the next. C compilers read and write such a pair as one vector. The read
  // of a pair then waits until its half, which was written just before, is in the cache. (What is changed always they keep in a register.)
  void pairs(For& x) {
    Forms forms;
    std::vector<const Update*> changes;
    auto look = [&](auto& self, const Body& b, bool in_branch) -> void {
      for (const Stm& s : b.stms) {
        if (s.pattern.size() == 1) forms.define(p_, s);
        if (auto u = std::get_if<Update>(&s.exp); u && in_branch) changes.push_back(u);
        if (auto branch = std::get_if<If>(&s.exp)) self(self, branch->then_, true), self(self, branch->else_, true);
      }
    };
    look(look, x.body, false);
    auto place = [&](const Update& u) { return std::get<ArrayType>(p_.type(u.array)).place; };
    auto at = [&](const Update& u, size_t d) {
      auto index = std::get_if<Atom>(&u.at[d]);
      return index ? std::optional(forms.of(*index)) : std::nullopt;
    };
    auto is_one = [](const Atom& a) { auto c = const_of(a); return c && c->as_i64() == 1; };
    auto beside = [&](const Update* u, const Update* v) {
      if (u->at.size() != v->at.size() || place(*u)->block != place(*v)->block || !is_one(place(*u)->layout.strides.back())) return false;
      for (size_t d = 0; d + 1 < u->at.size(); d++) if (!at(*u, d) || at(*u, d) != at(*v, d)) return false;
      auto here = at(*u, u->at.size() - 1), there = at(*v, v->at.size() - 1);
      return here && there && *here - *there == Affine(1) && std::abs(here->factor(x.i.var)) == 1;
    };
    bool found = std::ranges::any_of(changes, [&](auto u) { return std::ranges::any_of(changes, [&](auto v) { return beside(u, v); }); });
    if (!found || !c_.allow()) return;
    x.vectors = Vectors::No;
    c_.stats.count("loop_shape.pairs");
  }
  void apart(Stm& s) {
    auto loop = std::get_if<For>(&s.exp);
    auto task = std::get_if<Seg>(&s.exp);
    Vectors* vectors = loop ? &loop->vectors : task ? &task->vectors : nullptr;
    if (!vectors || *vectors != Vectors::Open) return;
    if (!(loop ? apart_.has(*loop) : apart_.has(s, *task)) || !c_.allow()) return;
    *vectors = Vectors::Apart;
    c_.stats.count("loop_shape.apart");
  }
  static bool is_result_of(ScalarOp op, const Body& b, size_t k) {
    for (const Stm& s : b.stms)
      if (auto x = std::get_if<Apply>(&s.exp); x && Atom(s.pattern[0].var) == b.result[k]) return x->op == op;
    return false;
  }

  VarSet selects_by_arithmetic(const For& x) const {
    VarSet chosen = integers_chosen(x);
    add_constants_chosen(x, chosen);
    return chosen;
  }
  // Integers that are stored, or a constant instead. C compilers make two ends of such a loop and a branch between them, which is badly guessed, unless
  // they make vectors of it.
  void add_constants_chosen(const For& x, VarSet& chosen) const {
    bool straight = true, scalar = false;
    VarSet stored;
    each_stm(x.body, [&](const Stm& s) {
      const Kind kind = kind_of(s.exp);
      straight = straight && (kind == Kind::Step || kind == Kind::Read || kind == Kind::Write);
      scalar = scalar || !has_vector_form(p_, s.exp);
      if (auto u = std::get_if<Update>(&s.exp)) if (auto v = var_of(u->value)) stored.insert(*v);
    });
    if (!straight || !scalar) return;
    for (const Stm& s : x.body.stms) {
      auto op = std::get_if<Apply>(&s.exp);
      if (!op || op->op != ScalarOp::select || !stored.contains(s.pattern[0].var) || !is_integer(elem_of(p_.type(s.pattern[0].var)))) continue;
      if (const_of(op->args[1]) || const_of(op->args[2])) chosen.insert(s.pattern[0].var);
    }
  }
  // Integers that a select in the loop keeps or sets, such as the place of a minimum. While the loop runs they are used for nothing else
  // but comparisons. Whether they change is badly guessed, and nobody waits for them. (A search that reads from such a place gains by the
  // guess.)
  VarSet integers_chosen(const For& x) const {
    VarSet chosen;
    for (size_t k = 0; k < x.state.size(); k++) {
      Var v = x.state[k].var;
      auto r = var_of(x.body.result[k]);
      if (!r || !is_integer_i64(v) || std::ranges::count(x.body.result, Atom(v)) > 0) continue;
      bool selected = false, other = false;
      for (const Stm& s : x.body.stms) {
        auto op = std::get_if<Apply>(&s.exp);
        bool here = s.pattern.size() == 1 && s.pattern[0].var == *r;
        if (here) selected = op && op->op == ScalarOp::select && (op->args[1] == Atom(v) || op->args[2] == Atom(v));
        if (here || (op && (op->op == ScalarOp::eq || op->op == ScalarOp::lt || op->op == ScalarOp::le))) continue;
        each_use(p_, s, [&](Var u) { other = other || u == v || u == *r; });
      }
      if (selected && !other) chosen.insert(*r);
    }
    return chosen;
  }
  bool is_integer_i64(Var v) const { return is_scalar(p_.type(v)) && elem_of(p_.type(v)) == Scalar::I64; }

  // The iterations of a while loop may choose two or more of their integers by one condition, such as the ends of a binary search. These
  // selects become a branch, if the iterations read in one of many rows. These rows are seldom in a cache. A guess lets the next read begin
  // before the condition is known, for which a select has to wait. (What is read again and again from one array is there at once, and half
  // of the guesses are wrong: decision 028.)
  void branches(While& x) {
    auto select = [&](size_t k) -> const Apply* {
      if (!is_integer_i64(x.state[k].var)) return nullptr;
      for (const Stm& s : x.body.stms)
        if (auto op = std::get_if<Apply>(&s.exp); op && op->op == ScalarOp::select && x.body.result[k] == Atom(s.pattern[0].var)) return op;
      return nullptr;
    };
    bool in_rows = false;
    for (const Stm& s : x.body.stms)
      if (auto read = std::get_if<Index>(&s.exp)) in_rows = in_rows || read->at.size() > 1;
    std::optional<Atom> cond;
    for (size_t k = 0; in_rows && k < x.state.size() && !cond; k++)
      for (size_t j = 0; j < k && !cond; j++)
        if (auto a = select(k), b = select(j); a && b && a->args[0] == b->args[0]) cond = a->args[0];
    if (!cond || !c_.allow()) return;
    Body yes, no;
    std::vector<size_t> numbers;                          // all numbers of the state change in the branch
    for (size_t k = 0; k < x.state.size(); k++) {
      if (!is_scalar(p_.type(x.state[k].var))) continue;
      auto op = select(k);
      bool by_it = op && op->args[0] == *cond;
      numbers.push_back(k);
      yes.result.push_back(by_it ? op->args[1] : x.body.result[k]);
      no.result.push_back(by_it ? op->args[2] : x.body.result[k]);
    }
    Builder b(p_, x.body.stms);
    std::vector<Var> next = b.bind("next", If{*cond, std::move(yes), std::move(no)});
    for (size_t i = 0; i < numbers.size(); i++) {
      Atom before = std::exchange(x.body.result[numbers[i]], Atom(next[i]));
      auto v = var_of(before);
      if (v && count_uses(p_, x.body, *v) == 0)
        x.body.stms.filter_backwards([&](Stm& s) { return !std::holds_alternative<Apply>(s.exp) || s.pattern[0].var != *v; });
    }
    c_.stats.count("loop_shape.branch");
  }
};

}  // namespace

void loop_shape(Program& program, PassContext& context) {
  program.each_body([&](Body& b) { LoopShape(program, context, b).body(b); });
}

}  // namespace raido
