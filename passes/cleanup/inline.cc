// inline.cc - calls replaced by the bodies of what they call (docs/passes.md).
//
// The pass inline_small takes functions that are called once, small ones, and marked ones. The pass inline_parallel
// takes what is called inside a parallel or AD operator and works on arrays. So flattening and differentiation see it.
// Callees come first (the call graph is walked depth first). Recursive calls are never inlined. Under an AD operator
// everything else is inlined, and so it is in a parallel operator of a device, whose kernels call nothing. Elsewhere
// #[noinline] is obeyed. Functions nobody can reach any more are dropped.
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;


class Inliner {
 public:
  enum class Stage { Small, Parallel };
  Inliner(Program& p, PassContext& context, Stage stage) : p_(p), context_(context), stage_(stage) {
    size_t n = p.functions.size();
    calls_.resize(n);
    state_.resize(n);
    recursive_.resize(n);
    for (const Function& f : p.functions) sizes_.push_back(count_statements(f.lambda.body));
    for (size_t s : sizes_) budget_ += s * costs::inline_growth;
    budget_ += 1000;
    p.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) { if (auto c = std::get_if<Call>(&s.exp)) calls_[c->callee.index]++; });
    });
    for (const EntryPoint& e : p.entries) calls_[e.function.index] += 2;
    if (p.entries.empty()) for (size_t& c : calls_) c += 2;
  }
  void run() {
    for (size_t i = 0; i < p_.functions.size(); i++) function(i);
    body(p_.constants, false, false);
    drop_unreachable();
  }

 private:
  Program& p_;
  PassContext& context_;
  Stage stage_;
  std::vector<size_t> calls_, sizes_;
  std::vector<int> state_;                              // 0 new, 1 being visited, 2 done
  std::vector<bool> recursive_;
  size_t budget_ = 0, device_budget_ = costs::inline_on_device;

  void function(size_t i) {
    if (state_[i] != 0) { recursive_[i] = recursive_[i] || state_[i] == 1; return; }
    state_[i] = 1;
    body(p_.functions[i].lambda.body, false, false);
    state_[i] = 2;
    sizes_[i] = count_statements(p_.functions[i].lambda.body);
  }
  bool works_on_arrays(const Function& f) const {
    bool arrays = false;
    for (Bind b : f.lambda.params) arrays = arrays || is_array(p_.type(b.var));
    for (const Type& t : f.returns) arrays = arrays || is_array(t);
    each_stm(f.lambda.body, [&](const Stm& s) {
      for (Bind b : s.pattern) arrays = arrays || is_array(p_.type(b.var));
    });
    return arrays;
  }
  bool wanted(size_t i, bool in_parallel, bool in_ad) const {
    const Function& f = p_.functions[i];
    if (recursive_[i] || state_[i] == 1) return false;
    bool on_device = in_parallel && context_.target == Target::Gpu && stage_ == Stage::Parallel;
    if (has_attr(f.attrs, "noinline") && !in_ad && !on_device) return false;
    if (in_ad || has_attr(f.attrs, "inline")) return true;
    if (on_device) return sizes_[i] <= device_budget_;
    if (sizes_[i] > budget_) return false;
    if (stage_ == Stage::Small) return calls_[i] <= 1 || sizes_[i] <= costs::inline_statements;
    return in_parallel && works_on_arrays(f);
  }
  // The chain of calls of an inlined statement ends in the place of the call. What chains share they share afterwards.
  Source through(Source inner, Source call, std::unordered_map<Source, Source>& made) {
    if (!inner.valid() || !call.valid()) return inner.valid() ? inner : call;
    if (auto known = made.find(inner); known != made.end()) return known->second;
    SourceInfo info = p_.sources[inner.index];
    info.caller = info.caller.valid() ? through(info.caller, call, made) : call;
    return made[inner] = p_.source(info);
  }
  void expand(const Stm& s, const Call& c, Builder& b, Subst& results) {
    Lambda l = clone(p_, p_.functions[c.callee.index].lambda);
    substitute(p_, l, results);                         // of the constants before this one, which functions follow later
    std::unordered_map<Source, Source> chains;
    each_stm(l.body, [&](Stm& inner) { inner.source = through(inner.source, s.source, chains); });
    for (Stm& inner : l.body.stms) inner.checks.insert(inner.checks.end(), s.checks.begin(), s.checks.end());
    size_t size = count_statements(l.body);
    budget_ -= std::min(budget_, size);
    device_budget_ -= std::min(device_budget_, size);
    std::vector<Atom> out = b.inline_once(std::move(l), c.args);
    for (size_t i = 0; i < s.pattern.size(); i++) results.emplace(s.pattern[i].var, out[i]);
    context_.stats.count("inline.calls");
  }
  void body(Body& whole, bool in_parallel, bool in_ad) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      bool parallel = std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
      bool ad = std::holds_alternative<Jvp>(s.exp) || std::holds_alternative<Vjp>(s.exp) || std::holds_alternative<Custom>(s.exp);
      walk_parts(s, [&](Body& inner) { body(inner, in_parallel || parallel, in_ad || ad); });
      auto call = std::get_if<Call>(&s.exp);
      if (call) function(call->callee.index);
      if (!call || !wanted(call->callee.index, in_parallel, in_ad) || !s.attrs.empty()) return false;
      size_t before = whole.stms.size();
      expand(s, *call, b, results);
      if (in_ad || in_parallel)                         // what was copied may hold calls that are wanted here only
        for (size_t i = before; i < whole.stms.size(); i++)
          walk_parts(whole.stms[i], [&](Body& inner) { body(inner, in_parallel, in_ad); });
      return true;
    });
    if ((in_ad || in_parallel) && has_wanted_call(whole, in_parallel, in_ad)) body(whole, in_parallel, in_ad);
  }
  bool has_wanted_call(const Body& b, bool in_parallel, bool in_ad) const {
    for (const Stm& s : b.stms)
      if (auto c = std::get_if<Call>(&s.exp); c && s.attrs.empty() && wanted(c->callee.index, in_parallel, in_ad)) return true;
    return false;
  }
  void drop_unreachable() {
    if (p_.entries.empty()) return;
    std::vector<bool> reached(p_.functions.size());
    std::vector<size_t> work;
    auto reach = [&](size_t i) { if (!reached[i]) { reached[i] = true; work.push_back(i); } };
    auto calls = [&](const Body& b) {
      each_stm(b, [&](const Stm& s) { if (auto c = std::get_if<Call>(&s.exp)) reach(c->callee.index); });
    };
    for (const EntryPoint& e : p_.entries) reach(e.function.index);
    calls(p_.constants);
    while (!work.empty()) {
      size_t i = work.back();
      work.pop_back();
      calls(p_.functions[i].lambda.body);
    }
    std::vector<uint32_t> position(reached.size());
    std::vector<Function> kept;
    for (size_t i = 0; i < reached.size(); i++) {
      position[i] = uint32_t(kept.size());
      if (reached[i]) kept.push_back(std::move(p_.functions[i]));
    }
    p_.functions = std::move(kept);
    auto renumber = [&](Body& b) {
      each_stm(b, [&](Stm& s) { if (auto c = std::get_if<Call>(&s.exp)) c->callee.index = position[c->callee.index]; });
    };
    p_.each_body(renumber);
    for (EntryPoint& e : p_.entries) e.function.index = position[e.function.index];
  }
};

}  // namespace

void inline_small(ir::Program& program, PassContext& context) { Inliner(program, context, Inliner::Stage::Small).run(); }
void inline_parallel(ir::Program& program, PassContext& context) { Inliner(program, context, Inliner::Stage::Parallel).run(); }

}  // namespace raido
