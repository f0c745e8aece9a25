// fission.cc - CPU: a loop whose iterations wait for each other with a part of their work becomes several, over blocks of its iterations.
//
//   for i < n (s) {                    for k < (n + 255) / 256 (s) {
//     x = loop .. a[i] ..      ==>       at = 256 * k; m = min 256 (n - at)
//     s' = f s x                         xs = for j < m (xs = scratch [256]) { x = loop .. a[at + j] ..; xs[j] := x }                      N1
//     in s'                              for j < m (s) { f s xs[j] }
//   }                                  }
//
// So the first loop inside may run in lanes (passes/memory/lane_loops.h). Such loops are reductions by operators without vectors, scans,
// filters and scatters of what takes long to compute, and loops that a user wrote. Long work that needs what a loop has arrived at
// makes a third loop. Each number is computed from the same ones in the same order as before.
//
// A loop has *stages*. What hands something on from iteration to iteration belongs to an odd one, and long work to an even one: the earliest
// after what it needs. The rest stays with what it needs, or is computed again where it is used. Straight work before the first odd stage
// stays, since backends/kernel/chains.cc takes it apart without memory.
#include <algorithm>
#include <functional>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/parallel/long_loops.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// One loop: which stage each of its statements and states belongs to.
class Stages {
 public:
  Stages(const Program& p, const For& x) : p_(p), x_(x) {
    for (const Stm& s : x.body.stms) stms_.push_back(&s);
    const size_t count = stms_.size();
    for (size_t k = 0; k < count; k++) for (Bind b : stms_[k]->pattern) node_[b.var] = k;
    for (size_t k = 0; k < x.state.size(); k++) node_[x.state[k].var] = count + k;
    needs_.resize(count + x.state.size());
    auto need = [&](size_t node, Var v) { if (auto found = node_.find(v)) needs_[node].push_back(*found); };
    for (size_t k = 0; k < count; k++) each_use(p, *stms_[k], [&](Var v) { need(k, v); });
    for (size_t k = 0; k < x.state.size(); k++) if (auto v = var_of(x.body.result[k])) need(count + k, *v);
  }

  // Whether there are stages that are worth their memory.
  bool fit() {
    if (!may_move() || !has_work()) return false;
    find_circles();
    if (!assign(true) && !assign(false)) return false;
    sink();
    return checks_once() && find_kept();
  }
  int last() const { return last_; }
  bool is_used(int stage) const { return std::ranges::count(stage_, stage) > 0; }
  int of_state(size_t k) const { return stage_[stms_.size() + k]; }
  // What a stage computes that later ones need.
  const std::vector<Var>& kept(int stage) const { return kept_[size_t(stage)]; }
  // The statements for a stage, in order: its own ones, and those that are computed again.
  std::vector<const Stm*> statements(int stage) const {
    std::vector<bool> here(stms_.size());
    std::function<void(size_t)> add = [&](size_t node) {
      if (node >= stms_.size() || here[node] || (stage_[node] != free && stage_[node] != stage)) return;
      here[node] = true;
      for (size_t d : needs_[node]) add(d);
    };
    for (size_t k = 0; k < stage_.size(); k++) {
      if (stage_[k] != stage) continue;
      add(k);
      for (size_t d : needs_[k]) add(d);
    }
    std::vector<const Stm*> found;
    for (size_t k = 0; k < stms_.size(); k++) if (here[k]) found.push_back(stms_[k]);
    return found;
  }

 private:
  static constexpr int free = -1;              // of what is computed wherever it is used
  const Program& p_;
  const For& x_;
  std::vector<const Stm*> stms_;
  FlatMap<Var, size_t> node_;                  // nodes: statements, after them states
  std::vector<std::vector<size_t>> needs_;
  std::vector<bool> serial_;                   // in a circle, or a state
  std::vector<int> stage_;
  std::vector<std::vector<size_t>> groups_;    // nodes of one circle, what they need before them
  std::vector<std::vector<Var>> kept_;
  int last_ = 0;

  // All that the body does may stand in another loop.
  bool may_move() const {
    const VarSet inside = bound_in(x_);
    for (Bind b : x_.state) {
      bool depends = !is_scalar(p_.type(b.var)) && !is_array(p_.type(b.var)) && !is_acc(p_.type(b.var));     // or its size is that of another state
      walk(p_.type(b.var), [&](const Var& v) { depends = depends || inside.contains(v); });
      if (depends) return false;
    }
    bool fine = stms_.size() <= costs::cpu::fission_statements;
    each_stm(x_.body, [&](const Stm& s) {
      const Kind k = kind_of(s.exp);
      fine = fine && s.attrs.empty() && k != Kind::Parallel && k != Kind::Scope && k != Kind::Operator && k != Kind::Call && k != Kind::Block;
    });
    return fine;
  }

  static bool is_function(const Program& p, const Stm& s) {
    auto op = std::get_if<Apply>(&s.exp);
    return op && is_call(op->op) && is_float(elem_of(p, op->args[0]));
  }
  bool has_long_loop(const Stm& s) const {
    bool found = is_ordered_loop(p_, s.exp);
    walk_parts(s, [&](const Body& b) { each_stm(b, [&](const Stm& inner) { found = found || is_ordered_loop(p_, inner.exp); }); });
    return found;
  }
  bool has_function(const Stm& s) const {
    bool found = is_function(p_, s);
    walk_parts(s, [&](const Body& b) { each_stm(b, [&](const Stm& inner) { found = found || is_function(p_, inner); }); });
    return found;
  }
  bool is_long(const Stm& s) const { return has_long_loop(s) || has_function(s); }
  bool has_work() const { return std::ranges::any_of(stms_, [&](const Stm* s) { return is_long(*s); }); }

  // Circles of nodes that need each other (Tarjan). They come out after what they need.
  void find_circles() {
    const size_t count = needs_.size();
    std::vector<size_t> number(count, 0), low(count, 0), stack;
    std::vector<bool> open(count);
    size_t next = 1;
    serial_.assign(count, false);
    std::function<void(size_t)> visit = [&](size_t v) {
      number[v] = low[v] = next++;
      stack.push_back(v);
      open[v] = true;
      for (size_t d : needs_[v]) {
        if (number[d] == 0) visit(d), low[v] = std::min(low[v], low[d]);
        else if (open[d]) low[v] = std::min(low[v], number[d]);
      }
      if (low[v] != number[v]) return;
      std::vector<size_t> circle;
      for (bool more = true; more;) {
        circle.push_back(stack.back());
        open[stack.back()] = false;
        more = stack.back() != v;
        stack.pop_back();
      }
      for (size_t n : circle) serial_[n] = circle.size() > 1 || n >= stms_.size();
      groups_.push_back(std::move(circle));
    };
    for (size_t v = 0; v < count; v++) if (number[v] == 0) visit(v);
  }

  // Cheap, and the same wherever it stands.
  bool is_free(const Stm& s) const {
    const Kind k = kind_of(s.exp);
    return k == Kind::Step || k == Kind::Read || k == Kind::View || k == Kind::Constant || k == Kind::Make;
  }
  // `early`: what is neither long nor free belongs to the first stage, and not to the second. Whether it is worth two loops.
  bool assign(bool early) {
    stage_.assign(needs_.size(), free);
    bool worth = false, begins = false;
    last_ = 0;
    for (const std::vector<size_t>& circle : groups_) {
      int after = free;
      for (size_t n : circle) for (size_t d : needs_[n]) after = std::max(after, stage_[d]);
      const size_t n = circle[0];
      int stage = after;
      if (serial_[n]) {
        stage = std::max(1, after % 2 == 0 ? after + 1 : after);
        // Additions in loops may run in lanes, with sums of their own.
        if (x_.sums && std::ranges::any_of(circle, [&](size_t c) { return c < stms_.size() && kind_of(stms_[c]->exp) == Kind::Loop; })) return false;
      } else if (is_long(*stms_[n])) {
        stage = after == free ? 0 : after % 2 == 0 ? after : after + 1;
        worth = worth || stage > 0 || has_long_loop(*stms_[n]) || std::holds_alternative<If>(stms_[n]->exp);
        begins = begins || stage == 0;
      } else if (after == free && !is_free(*stms_[n])) {
        stage = early ? 0 : 1;
      }
      for (size_t c : circle) stage_[c] = stage;
      last_ = std::max(last_, stage);
    }
    return worth && (begins || !early) && last_ > 0 && last_ <= costs::cpu::fission_stages;
  }
  // Steps that only a later stage needs go there, if it runs in lanes.
  void sink() {
    constexpr int nobody = -2;
    for (size_t k = stms_.size(); k-- > 0;) {
      if (serial_[k] || stage_[k] % 2 != 1 || kind_of(stms_[k]->exp) != Kind::Step) continue;
      int user = nobody;
      for (size_t u = 0; u < needs_.size(); u++)
        if (std::ranges::count(needs_[u], k) > 0) user = user == nobody ? stage_[u] : std::min(user, stage_[u]);
      if (user > stage_[k] && user % 2 == 0) stage_[k] = user;
    }
  }
  // The first check that fails stops the program, of all iterations. It does so before a loop of a later iteration that may not end.
  bool checks_once() const {
    int checked = free, endless = free;                    // the stage of checks; the first one of such loops
    bool once = true;
    for (size_t k = 0; k < stms_.size(); k++) {
      auto look = [&](const Stm& s) {
        if (kind_of(s.exp) == Kind::Check) once = once && (checked == free || checked == stage_[k]), checked = stage_[k];
        if (std::holds_alternative<While>(s.exp)) endless = endless == free ? stage_[k] : std::min(endless, stage_[k]);
      };
      look(*stms_[k]);
      walk_parts(*stms_[k], [&](const Body& b) { each_stm(b, look); });
    }
    return once && (checked == free || endless == free || endless >= checked);
  }
  // Numbers go from one stage to a later one, and nothing else does.
  bool find_kept() {
    kept_.resize(size_t(last_) + 1);
    VarSet kept;
    size_t count = 0;
    auto keep = [&](Var v, int here) {
      auto node = node_.find(v);
      if (!node || stage_[*node] == free || stage_[*node] == here || kept.contains(v)) return true;
      kept.insert(v);
      kept_[size_t(stage_[*node])].push_back(v);
      return is_scalar(p_.type(v)) && ++count <= costs::cpu::fission_arrays;
    };
    bool fine = true;
    for (int stage = 0; stage <= last_; stage++)
      for (const Stm* s : statements(stage)) each_use(p_, *s, [&](Var v) { fine = fine && keep(v, stage); });
    for (size_t k = 0; k < x_.state.size(); k++) if (auto v = var_of(x_.body.result[k])) fine = fine && keep(*v, of_state(k));
    return fine;
  }
};

class Fission {
 public:
  Fission(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& whole) {
    for (const Stm& s : whole.stms)
      if (auto least = std::get_if<Apply>(&s.exp); least && least->op == ScalarOp::min && std::ranges::any_of(least->args, is_few)) short_.insert(s.pattern[0].var);
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      auto x = std::get_if<For>(&s.exp);
      auto task = std::get_if<Seg>(&s.exp);
      if (task && task->vectors != Vectors::No) return false;                   // its points may run in lanes
      if (x && !has_order(*x)) return false;
      if (x && may_divide(s, *x))
        if (Stages stages(p_, *x); stages.fit() && c_.allow()) {
          c_.stats.count("fission.N1");
          if (around_ == 0) b.emit({s.pattern, divided(b, *x, stages), s.checks, s.source, {}});
          else choose(b, std::move(s), stages);
          return true;
        }
      if (x && x->sums) return false;
      around_ += kind_of(s.exp) == Kind::Loop;
      walk_parts(s, [&](Body& inner) { body(inner); });
      around_ -= kind_of(s.exp) == Kind::Loop;
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  VarSet short_;                               // numbers of iterations: the least of some number and a small one
  int around_ = 0;                             // loops

  // Loops whose iterations do not wait for each other run in lanes as they are, with what is inside.
  bool has_order(const For& x) const {
    if (x.any_order) return false;
    for (size_t k = 0; k < x.state.size(); k++) {
      if (!is_array(p_.type(x.state[k].var))) return true;
      bool own = false;
      for (const Stm& s : x.body.stms) {
        auto store = std::get_if<Update>(&s.exp);
        own = own || (store && Atom(s.pattern[0].var) == x.body.result[k] && store->array == x.state[k].var && store->at[0] == Selector(Atom(x.i.var)));
      }
      if (!own) return true;
    }
    return false;
  }
  // Few iterations are those that `peel` has taken from the ends of a loop.
  bool may_divide(const Stm& s, const For& x) const {
    auto n = var_of(x.n);
    return s.attrs.empty() && (around_ == 0 || s.checks.empty()) && x.vectors == Vectors::Open && !x.blocks && !is_few(x.n) && !(n && short_.contains(*n));
  }
  static bool is_few(const Atom& n) {
    auto c = const_of(n);
    return c && c->type == Scalar::I64 && c->as_i64() < 2 * costs::cpu::lanes;
  }

  // A loop in a loop stays as it is where it has few iterations when the program runs.
  void choose(Builder& b, Stm s, const Stages& stages) {
    auto version = [&](auto fill) {
      return b.body([&] {
        std::vector<Atom> results;
        for (Var v : fill()) results.push_back(v);
        return results;
      });
    };
    const For& x = std::get<For>(s.exp);
    std::vector<std::string> hints;
    for (Bind v : s.pattern) hints.push_back(p_.hint(v.var));
    const Term many = le(b.number(Scalar::I64, double(2 * costs::cpu::lanes)), b.term(x.n));
    If choice{many.atom, version([&] { return b.bind(hints, divided(b, x, stages)); }), {}};
    choice.else_ = version([&] { return b.bind(hints, std::move(s.exp)); });
    b.emit({s.pattern, std::move(choice), {}, s.source, {}});
  }
  For divided(Builder& b, const For& x, const Stages& stages) {
    auto number = [&](i64 n) { return b.number(Scalar::I64, double(n)); };
    const Term size = number(costs::cpu::fission_block), n = b.term(x.n);
    For blocks{{p_.fresh("k", scalar_type(Scalar::I64))}, ((n + (costs::cpu::fission_block - 1)) / size).atom, {}, x.init, {}};
    for (Bind v : x.state) blocks.state.push_back({p_.fresh(p_.hint(v.var), p_.type(v.var))});
    blocks.body = b.body([&] {
      const Term at = size * b.term(blocks.i.var);
      const Term left = n - at, m = apply(ScalarOp::min, {size, left});
      Subst arrays;                                       // a value -> those of the iterations of this block
      std::vector<Atom> next(x.state.size());
      for (int stage = 0; stage <= stages.last(); stage++)
        if (stages.is_used(stage)) run(b, x, stages, stage, blocks, at, m, arrays, next);
      return next;
    });
    return blocks;
  }
  // The loop of one stage, over the iterations at .. at + m.
  void run(Builder& b, const For& x, const Stages& stages, int stage, const For& blocks, const Term& at, const Term& m, Subst& arrays, std::vector<Atom>& next) {
    For loop{{p_.fresh("j", scalar_type(Scalar::I64))}, m.atom, {}, {}, {}};
    Subst names;
    std::vector<size_t> states;
    std::vector<std::string> hints;
    for (size_t k = 0; k < x.state.size(); k++) {
      if (stages.of_state(k) != stage) continue;
      states.push_back(k);
      loop.state.push_back({p_.fresh(p_.hint(x.state[k].var), p_.type(x.state[k].var))});
      loop.init.push_back(blocks.state[k].var);
      names.emplace(x.state[k].var, loop.state.back().var);
    }
    const size_t first = states.size();
    for (Var v : stages.kept(stage)) {
      const Var made = b.bind1(p_.hint(v), Scratch{elem_of(p_.type(v)), {i64_const(costs::cpu::fission_block)}});
      loop.state.push_back({p_.fresh(p_.hint(v), p_.type(made))});
      loop.init.push_back(made);
    }
    for (Bind v : loop.state) hints.push_back(p_.hint(v.var));
    loop.body = b.body([&] {
      const std::vector<const Stm*> stms = stages.statements(stage);
      names.emplace(x.i.var, (at + b.term(loop.i.var)).atom);
      auto read = [&](Var v) {
        auto array = arrays.find(v);
        if (array != arrays.end() && !names.contains(v)) names.emplace(v, b.index(p_.hint(v), *var_of(array->second), {loop.i.var}));
      };
      for (const Stm* stm : stms) each_use(p_, *stm, read);
      for (size_t k : states) if (auto v = var_of(x.body.result[k])) read(*v);
      for (const Stm* stm : stms) {
        Stm made = clone(p_, *stm, &names);
        substitute(p_, made, names);
        b.emit(std::move(made));
      }
      auto now = [&](const Atom& a) {
        auto v = var_of(a);
        auto found = v ? names.find(*v) : names.end();
        return found == names.end() ? a : found->second;
      };
      std::vector<Atom> results;
      for (size_t k : states) results.push_back(now(x.body.result[k]));
      for (size_t k = 0; k < stages.kept(stage).size(); k++) results.push_back(b.update(loop.state[first + k].var, {loop.i.var}, now(stages.kept(stage)[k])));
      return results;
    });
    const std::vector<Var> made = b.bind(hints, std::move(loop));
    for (size_t k = 0; k < states.size(); k++) next[states[k]] = made[k];
    for (size_t k = 0; k < stages.kept(stage).size(); k++) arrays.emplace(stages.kept(stage)[k], made[first + k]);
  }
};

}  // namespace

void fission(Program& program, PassContext& context) {
  program.each_body([&](Body& b) { Fission(program, context).body(b); });
}

}  // namespace raido
