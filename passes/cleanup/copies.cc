// copies.cc - copies of arrays that nobody reads again disappear: the copy's consumer works on the original (A6).
//
//   let c = copy a ; .. c consumed ..     ==>   .. a consumed ..
//
// This needs two conditions. The first: after the copy is consumed or returned, nothing is used that may share memory with a. If only views
// of fewer dimensions are used then, these are copied instead of a. The second: a belongs to this code. For that, each root
// of a is a parameter that may be consumed, the state of the loop around, or made in a running body. Branches and scopes around count as
// running bodies, for they run once. If a root is the state of a loop, the loop then consumes its initial value. If that value does not
// belong to this code, it is copied once before the loop. Differentiation relies on this pass. It copies whatever is consumed, so that the
// return sweep may read it. Most of the time the return sweep does not (docs/ad.md 2.3).
//
// Some loops fill a new array element by element, and of a they read only the element that they write next. Such a loop takes a for the new
// one under the same conditions:
//
//   let c = scratch ; let d = for i < n (e = c) { .. a[i] .. e with [i] = x }   ==>   let d = for i < n (e = a) { .. e[i] .. e with [i] = x }
//
// An array is not filled if a loop overwrites all its elements, in order or backwards, and reads only those that it has written (A6.fills):
//
//   let a = replicate [n] v ; for i < n (e = a) { .. e[i - 1] .. e with [i] = x }   ==>   let a = scratch ; ..
#include <algorithm>
#include <unordered_map>

#include "compiler/base/flat_map.h"
#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

// Numbers all that statements bind in the order of the program. So what a statement binds, inner bodies included, are neighbours.
class ProgramOrder {
 public:
  ProgramOrder() = default;
  explicit ProgramOrder(const Program& p) { p.each_body([&](const Body& b) { add(b); }); }
  bool binds(const Stm& s, Var v) const { return span(s).from <= number_.at(v) && number_.at(v) < span(s).to; }
  // By one of the statements up to this one.
  bool binds(const Body& b, size_t until, Var v) const {
    if (b.stms.empty()) return false;
    const Stm& last = b.stms[std::min(until, b.stms.size() - 1)];
    return span(b.stms[0]).from <= number_.at(v) && number_.at(v) < span(last).to;
  }
  // A new statement before another one, or after it. Nobody asks for what it binds.
  void add_before(const Stm& s, const Stm& other) { spans_[&s] = {span(other).from, span(other).from}; }
  void add_after(const Stm& s, const Stm& other) { spans_[&s] = {span(other).to, span(other).to}; }
  bool is_literal(Var v) const { return literals_.contains(v); }

 private:
  struct Span { size_t from = 0, to = 0; };
  FlatMap<const Stm*, Span> spans_;
  VarMap<size_t> number_;                // 0: bound by no statement
  size_t next_ = 1;
  VarSet literals_;

  const Span& span(const Stm& s) const { return *spans_.find(&s); }
  void add(const Body& b) {
    for (const Stm& s : b.stms) {
      const size_t from = next_;
      walk_parts(s, overloaded{[&](const Bind& x) { number_[x.var] = next_++; }, [&](const Body& inner) { add(inner); }});
      spans_[&s] = {from, next_};
      if (std::holds_alternative<Data>(s.exp)) for (Bind x : s.pattern) literals_.insert(x.var);
    }
  }
};

class CopyElimination {
 public:
  CopyElimination(Program& p, PassContext& context) : p_(p), context_(context) {}

  void run() {
    for (int round = 0; round < 16; round++) {
      aliases_.emplace(p_);
      touched_ = {};
      facts_ = {}, takeable_ = {}, order_ = ProgramOrder(p_);
      gone_.clear();
      changed_ = false;
      for (Function& f : p_.functions) {
        frames_ = {{Kind::Function, &f.lambda.body, 0, nullptr, &f}};
        body(f.lambda.body);
      }
      if (!changed_ && std::exchange(views_, true)) return;
    }
  }

 private:
  enum class Kind { Function, Once, Loop, Many };
  struct Frame {
    Kind kind;
    Body* body;
    size_t at;                           // the statement that is being looked into
    Stm* statement;                      // the one that the body belongs to
    Function* function;
  };
  struct InitialCopy { Body* body; size_t at; size_t state; };
  struct Plan {
    bool may_copy_views = false;
    std::vector<InitialCopy> initial = {};                 // to be copied
    std::vector<Var> states = {};        // of loops that become consumed
    std::vector<Var> views = {};         // to be copied where they are made
    const Stm* filled = nullptr;         // the loop that takes this array for the one that it fills
    std::optional<Var> taken = {};
  };
  Program& p_;
  PassContext& context_;
  std::optional<Aliases> aliases_;
  std::vector<Frame> frames_;
  VarSet touched_;                       // roots that changed in this round: their aliases are out of date
  // What is asked of statements again and again, inner bodies included, as it was when the round began. Later changes are of touched
  // memory only.
  struct Facts {
    std::vector<Var> arrays, consumed;   // that are free in it; roots that it consumes
    std::vector<Var> roots, made;        // of the arrays and of its results, sorted
  };
  mutable std::unordered_map<const Stm*, Facts> facts_;
  FlatMap<const Stm*, std::vector<Var>> takeable_;         // see there
  std::vector<std::unique_ptr<Stm>> gone_;                 // no other statement gets its address
  ProgramOrder order_;
  bool changed_ = false;
  bool views_ = false;                   // the other copies are done: now those that cost copies of views

  struct Use { size_t count = 0; Stm* last = nullptr; };
  using ScratchUses = FlatMap<Var, Use>;
  ScratchUses uses_of_scratch(Body& b) const {
    ScratchUses uses;
    for (Stm& s : b.stms) if (std::holds_alternative<Scratch>(s.exp)) uses[s.pattern[0].var] = {};
    if (uses.empty()) return uses;
    auto add = [&](const auto& code, Stm* by) {
      each_use(p_, code, [&](Var v) { if (Use* use = uses.find(v)) *use = {use->count + 1, by}; });
    };
    for (Stm& s : b.stms) add(s, &s);
    add(b.result, nullptr);
    return uses;
  }
  void body(Body& b) {
    const ScratchUses uses = uses_of_scratch(b);
    for (size_t i = 0; i < b.stms.size(); i++) {
      frames_.back().at = i;
      Stm& s = b.stms[i];
      auto copy = std::get_if<Copy>(&s.exp);
      if (copy ? eliminate(s, copy->array) : std::holds_alternative<Scratch>(s.exp) && reuse(b, *uses.find(s.pattern[0].var), s)) {
        i = frames_.back().at;           // statements may have moved
        continue;
      }
      const ir::Kind what = kind_of(s.exp);
      const Kind kind = what == ir::Kind::Loop ? Kind::Loop : what == ir::Kind::Branch || what == ir::Kind::Scope ? Kind::Once : Kind::Many;
      walk_parts(s, [&](Body& inner) {
        frames_.push_back({kind, &inner, 0, &s, nullptr});
        body(inner);
        frames_.pop_back();
      });
      // a copy of an initial value may have been put before this statement
      while (&b.stms[i] != &s) i++;
    }
  }

  bool in(Var v, Var root) const {
    return is_array(p_.type(v)) && std::ranges::any_of(aliases_->roots(v), [&](Var r) { return r == root; });
  }
  const Facts& facts(const Stm& s) const {
    auto [found, is_new] = facts_.try_emplace(&s);
    Facts& f = found->second;
    if (!is_new) return f;
    f.consumed = aliases_->consumed(s);
    auto add = [&](std::vector<Var>& roots, Var v) { for (Var r : aliases_->roots(v)) roots.push_back(r); };
    for (Var v : free_vars(p_, s)) if (is_array(p_.type(v))) f.arrays.push_back(v), add(f.roots, v);
    for (Bind x : s.pattern) if (is_array(p_.type(x.var))) add(f.made, x.var);
    std::ranges::sort(f.roots);
    std::ranges::sort(f.made);
    return f;
  }
  bool consumes(const Stm& s, Var v) const {
    const std::vector<Var>& gone = facts(s).consumed;
    if (gone.empty()) return false;
    std::vector<Var> all = aliases_->reach(v);
    auto known = [&](Var r) { return std::ranges::find(all, r) != all.end(); };
    return std::ranges::any_of(gone, [&](Var r) { return known(r) || std::ranges::any_of(aliases_->reach(r), known); });
  }
  // Whether v is made in this body as a view of fewer dimensions than `whole` has.
  bool smaller_view(const Body& b, Var v, Var whole) const {
    if (shape_of(p_.type(v)).size() >= shape_of(p_.type(whole)).size()) return false;
    for (const Stm& s : b.stms)
      if (s.pattern.size() == 1 && s.pattern[0].var == v)
        return is_view(s.exp);
    return false;
  }
  // `apart`: what may share memory with root, but not if this code ran; grows by what is made of such. Until the copy is consumed, root
  // may be read. Of views that are read later the plan makes copies.
  bool used_after(const Frame& f, Var root, VarSet& apart, std::optional<Var> copy, Plan& plan) const {
    std::optional<Var> whole = plan.may_copy_views ? copy : std::nullopt;
    auto touches = [&](const std::vector<Var>& free, bool later, std::optional<Var> but = {}) {
      for (Var v : free) {
        if (v == but || !in(v, root) || apart.contains(v)) continue;
        if (!later || !whole || !smaller_view(*f.body, v, *whole)) return true;
        if (std::ranges::find(plan.views, v) == plan.views.end()) plan.views.push_back(v);
        apart.insert(v);
      }
      return false;
    };
    for (size_t k = f.at + 1; k < f.body->stms.size(); k++) {
      const Stm& s = f.body->stms[k];
      if (copy && consumes(s, *copy)) copy.reset();
      const Facts& known = facts(s);
      bool touched = std::ranges::binary_search(known.roots, root) && touches(known.arrays, !copy, &s == plan.filled ? plan.taken : std::nullopt);
      if (touched && (!copy || consumes(s, root))) return true;
      if (!touched && std::ranges::binary_search(known.made, root))
        for (Bind x : s.pattern) if (in(x.var, root)) apart.insert(x.var);
    }
    return touches(free_vars(p_, f.body->result), true);
  }
  // A branch whose result does not share memory with root: then neither does that of the `if`.
  void leave_branch(const Frame& f, Var root, VarSet& apart) const {
    if (!f.statement || !std::holds_alternative<If>(f.statement->exp)) return;
    for (size_t k = 0; k < f.statement->pattern.size(); k++) {
      auto v = var_of(f.body->result[k]);
      if (!v || !in(*v, root) || apart.contains(*v)) apart.insert(f.statement->pattern[k].var);
    }
  }
  // Whether `root` may be consumed at the place that frames [0, depth) describe. Notes what else follows from that.
  bool may_consume(Var root, size_t depth, Plan& plan, std::optional<Var> copy = {}) const {
    VarSet apart;
    for (size_t d = depth; d-- > 0;) {
      const Frame& f = frames_[d];
      if (used_after(f, root, apart, std::exchange(copy, {}), plan)) return false;
      if (order_.binds(*f.body, f.at, root)) return !order_.is_literal(root);       // a constant array is nobody's to consume
      switch (f.kind) {
        case Kind::Function:
          for (size_t i = 0; i < f.function->lambda.params.size(); i++)
            if (f.function->lambda.params[i].var == root) return f.function->consumes[i];
          return false;
        case Kind::Once: leave_branch(f, root, apart); break;
        case Kind::Many: return false;
        case Kind::Loop: return state_of_loop(root, f, d, plan);
      }
    }
    return false;
  }
  bool state_of_loop(Var root, const Frame& f, size_t depth, Plan& plan) const {
    auto check = [&](const std::vector<Bind>& state, const std::vector<Atom>& init) {
      auto number = [&](Var v) { return size_t(std::ranges::find(state, v, &Bind::var) - state.begin()); };
      if (number(root) == state.size()) return false;
      // What an iteration returns for it the next one consumes: something of its own, or another part of the state.
      std::vector<size_t> consumed{number(root)};
      for (size_t n = 0; n < consumed.size(); n++)
        for (Var r : aliases_->reach(*var_of(f.body->result[consumed[n]]))) {
          if (!order_.binds(*f.statement, r)) return false;
          size_t other = number(r);
          if (other < state.size() && std::ranges::find(consumed, other) == consumed.end()) consumed.push_back(other);
        }
      // Nor may the next one find its memory in another state.
      for (size_t i : consumed)
        for (size_t k = 0; k < state.size(); k++)
          if (k != i && aliases_->may_alias(f.body->result[i], f.body->result[k])) return false;
      for (size_t i : consumed) {
        if (aliases_->consumes(state[i].var)) continue;
        plan.states.push_back(state[i].var);
        Var first = *var_of(init[i]);
        bool alone = true;               // no other state starts in the same memory, and the loop reads it only as state
        for (size_t k = 0; k < init.size(); k++) alone = alone && (k == i || !aliases_->may_alias(init[k], init[i]));
        each_use(p_, *f.body, [&](Var v) { alone = alone && (v == state[i].var || !aliases_->may_alias(Atom(v), init[i])); });
        bool ours = alone;
        for (Var r : aliases_->reach(first)) ours = ours && !touched_.contains(r) && may_consume(r, depth, plan);
        if (!ours) plan.initial.push_back({frames_[depth - 1].body, frames_[depth - 1].at, i});
      }
      return true;
    };
    if (auto x = std::get_if<For>(&f.statement->exp)) return check(x->state, x->init);
    if (auto x = std::get_if<While>(&f.statement->exp)) return check(x->state, x->init);
    return false;
  }

  // s makes a scratch array. A loop after it that fills it may work in an array that it reads.
  bool reuse(const Body& b, const Use& use, Stm& s) {
    Var c = s.pattern[0].var;
    auto loop = use.count == 1 && use.last ? std::get_if<For>(&use.last->exp) : nullptr;
    if (!loop) return false;
    size_t state = size_t(std::ranges::find(loop->init, Atom(c)) - loop->init.begin());
    if (state == loop->init.size()) return false;
    for (Var v : takeable(b, *use.last, loop->body, c)) {
      if (!same_type(p_.type(v), p_.type(c)) || !reads_own_elements(*loop, state, v, {}) || !eliminate(s, v, use.last)) continue;
      each_stm(loop->body, [&](Stm& inner) {
        if (auto x = std::get_if<Index>(&inner.exp); x && x->array == v) x->array = loop->state[state].var;
      });
      return true;
    }
    return false;
  }
  // The arrays that a loop in b may take for one that it fills, if it reads none but the elements of that one. What follows the loop
  // decides this for all arrays that it fills.
  const std::vector<Var>& takeable(const Body& b, const Stm& filled, const Body& inside, Var scratch) {
    if (auto known = takeable_.find(&filled)) return *known;
    size_t before = 0;
    while (&b.stms[before + 1] != &filled) before++;
    size_t here = std::exchange(frames_.back().at, before);
    std::vector<Var> found;
    for (Var v : free_vars(p_, inside)) {
      Plan plan{.filled = &filled, .taken = v};
      if (is_array(p_.type(v)) && consumable(v, scratch, plan)) found.push_back(v);
    }
    frames_.back().at = here;
    return takeable_[&filled] = std::move(found);
  }
  // Whether iteration i writes element i of this state, at its end, and of v[own] reads only this one, before. Where the elements are
  // rows, a row is made element by element itself, so that it can be made where it shall lie.
  bool reads_own_elements(const For& loop, size_t state, Var v, std::vector<Selector> own) const {
    const List<Stm>& stms = loop.body.stms;
    Var whole = loop.state[state].var;
    Atom i = loop.i.var;
    own.push_back(i);
    size_t last = stms.size();
    for (size_t k = 0; k < stms.size(); k++) {
      auto x = std::get_if<Update>(&stms[k].exp);
      if (x && x->array == whole && x->at == std::vector<Selector>{i} && loop.body.result[state] == Atom(stms[k].pattern[0].var)) last = k;
    }
    if (last == stms.size()) return false;
    auto row = var_of(std::get<Update>(stms[last].exp).value);
    const For* makes_row = nullptr;                        // and the number of its state; its scratch array is made before
    size_t row_state = 0, made = last, scratch = last;
    if (row && is_array(p_.type(*row))) {
      for (size_t k = 0; k < last; k++) {
        auto x = std::get_if<For>(&stms[k].exp);
        if (!x) continue;
        for (size_t r = 0; r < stms[k].pattern.size(); r++) if (stms[k].pattern[r].var == *row) { makes_row = x; row_state = r; made = k; }
      }
      if (!makes_row) return false;
      for (size_t k = 0; k < made; k++)
        if (std::holds_alternative<Scratch>(stms[k].exp) && makes_row->init[row_state] == Atom(stms[k].pattern[0].var)) scratch = k;
      if (scratch == last) return false;
    }
    VarSet views;
    for (size_t k = 0; k < stms.size(); k++) {
      size_t uses = 0, good = 0, others = 0;
      std::vector<Var> of_views;
      each_use(p_, stms[k], [&](Var u) {
        uses += u == v;
        others += u == whole;
        if (views.contains(u)) of_views.push_back(u);
      });
      if (others != (k == last ? 1u : 0u)) return false;
      if (uses == 0 && of_views.empty()) continue;
      if (std::ranges::any_of(aliases_->consumed(stms[k]), [&](Var r) { return in(v, r); })) return false;
      if (k >= last) return false;
      each_stm(stms[k], [&](const Stm& inner) {
        auto x = std::get_if<Index>(&inner.exp);
        good += x && x->array == v && x->at.size() >= own.size() && std::equal(own.begin(), own.end(), x->at.begin());
      });
      if (good != uses) return false;
      if (k > scratch && k != made && !std::holds_alternative<Index>(stms[k].exp)) return false;
      if (k == made && uses > 0 && !reads_own_elements(*makes_row, row_state, v, own)) return false;
      auto reads_own = [&](Var u) { return std::ranges::find(makes_row->init, Atom(u)) == makes_row->init.end() && reads_own_elements(*makes_row, row_state, u, {}); };
      if (k == made && !std::ranges::all_of(of_views, reads_own)) return false;
      if (k != made && may_view(stms[k].exp)) for (Bind x : stms[k].pattern) if (is_array(p_.type(x.var))) views.insert(x.var);
    }
    for (const Atom& a : loop.body.result)
      if (auto u = var_of(a); u && (*u == v || views.contains(*u))) return false;
    return true;
  }
  // Whether its result may be a part of what it reads.
  static bool may_view(const Exp& e) {
    return kind_of(e) != ir::Kind::Make;
  }

  // Whether all memory of a may be consumed where `copy` is.
  bool consumable(Var a, Var copy, Plan& plan) const {
    std::vector<Var> roots = aliases_->reach(a);
    return std::ranges::all_of(roots, [&](Var r) { return !touched_.contains(r) && may_consume(r, frames_.size(), plan, copy); });
  }
  // `filled`: the loop that takes a for the scratch array, if that is what s makes.
  bool eliminate(Stm& s, Var a, const Stm* filled = nullptr) {
    Var c = s.pattern[0].var;
    if (!s.attrs.empty()) return false;
    Plan plan{.may_copy_views = views_ && !filled, .filled = filled, .taken = a};
    if (!consumable(a, c, plan)) return false;
    for (Var v : plan.states) if (touched_.contains(v)) return false;
    if (touched_.contains(c) || !context_.allow()) return false;
    for (Var r : aliases_->reach(a)) touched_.insert(r);
    for (Var v : plan.states) touched_.insert(v);
    touched_.insert(c);
    Frame& here = frames_.back();
    Body& b = *here.body;
    Subst same;
    same.emplace(c, a);
    for (size_t k = here.at + 1; k < b.stms.size(); k++) substitute(p_, b.stms[k], same);
    substitute(p_, b.result, same);
    size_t at = here.at;
    std::vector<std::unique_ptr<Stm>> old = b.stms.take();
    for (size_t k = 0; k < old.size(); k++) if (k != at) b.stms.push_back(std::move(old[k]));
    gone_.push_back(std::move(old[at]));
    here.at = at - 1;                    // the loop over the body goes on after it
    for (Var v : plan.views) copy_view(here, v);
    for (size_t i = 0; i < plan.initial.size(); i++) {
      copy_initial(plan.initial[i]);
      for (size_t k = i + 1; k < plan.initial.size(); k++)
        if (plan.initial[k].body == plan.initial[i].body) plan.initial[k].at++;      // both are before the same loop
    }
    context_.stats.count("copies.eliminated");
    changed_ = true;
    return true;
  }
  void copy_view(Frame& here, Var view) {
    Body& b = *here.body;
    std::vector<std::unique_ptr<Stm>> old = b.stms.take();
    Subst copied;
    for (size_t k = 0; k < old.size(); k++) {
      substitute(p_, *old[k], copied);
      bool made = old[k]->pattern.size() == 1 && old[k]->pattern[0].var == view;
      b.stms.push_back(std::move(old[k]));
      if (!made) continue;
      List<Stm> row;
      Builder builder(p_, row);
      builder.source = b.stms[k].source;
      copied.emplace(view, builder.copy(view));
      order_.add_after(row[0], b.stms[k]);
      b.stms.push_back(std::move(row.take()[0]));
      if (ptrdiff_t(k) <= ptrdiff_t(here.at)) here.at++;
    }
    substitute(p_, b.result, copied);
  }
  void copy_initial(const InitialCopy& x) {
    Stm& loop = x.body->stms[x.at];
    std::vector<Atom>& init = std::holds_alternative<For>(loop.exp) ? std::get<For>(loop.exp).init : std::get<While>(loop.exp).init;
    Var from = *var_of(init[x.state]);
    List<Stm> made;
    Builder builder(p_, made);
    builder.source = loop.source;
    Var copy = builder.copy(from);
    init[x.state] = copy;
    order_.add_before(made[0], loop);
    touched_.insert(copy);
    for (Var r : aliases_->reach(from)) touched_.insert(r);
    std::vector<std::unique_ptr<Stm>> old = x.body->stms.take();
    for (size_t k = 0; k < old.size(); k++) {
      if (k == x.at) x.body->stms.push_back(std::move(made.take()[0]));
      x.body->stms.push_back(std::move(old[k]));
    }
    for (Frame& f : frames_) if (f.body == x.body) f.at++;
  }
};

class Fills {
 public:
  Fills(Program& p, PassContext& context) : p_(p), context_(context), forms_(p) {}

  void body(Body& b) {
    FlatMap<Var, size_t> uses;                             // of arrays that are filled here
    for (Stm& s : b.stms) if (std::holds_alternative<Replicate>(s.exp)) uses[s.pattern[0].var] = 0;
    if (!uses.empty()) {
      each_use(p_, b, [&](Var v) { if (size_t* n = uses.find(v)) (*n)++; });
      FlatMap<Var, bool> overwritten;
      for (Stm& s : b.stms)
        if (auto loop = std::get_if<For>(&s.exp))
          for (size_t k = 0; k < loop->state.size(); k++) {
            auto v = var_of(loop->init[k]);
            if (v && uses.find(*v) && *uses.find(*v) == 1 && overwrites(*loop, k)) overwritten[*v] = true;
          }
      for (Stm& s : b.stms)
        if (auto x = std::get_if<Replicate>(&s.exp); x && overwritten.find(s.pattern[0].var) && context_.allow()) {
          ArrayType t = std::get<ArrayType>(p_.type(s.pattern[0].var));
          s.exp = Scratch{t.elem, t.shape};
          context_.stats.count("copies.fills");
        }
    }
    for (Stm& s : b.stms) walk_parts(s, [&](Body& inner) { body(inner); });
  }

 private:
  Program& p_;
  PassContext& context_;
  Forms forms_;

  // Iteration i writes row i, or row n - 1 - i, of as many as there are.
  bool overwrites(const For& loop, size_t k) const {
    const Var old = loop.state[k].var, i = loop.i.var;
    auto now = var_of(loop.body.result[k]);
    auto type = std::get_if<ArrayType>(&p_.type(old));
    if (!now || !type || type->shape[0] != loop.n) return false;
    const Update* write = nullptr;
    for (const Stm& s : loop.body.stms)
      if (auto x = std::get_if<Update>(&s.exp); x && x->array == old && s.pattern[0].var == *now) write = x;
    if (!write || write->at.size() != 1 || !std::holds_alternative<Atom>(write->at[0])) return false;
    const Affine row = forms_.of(std::get<Atom>(write->at[0])), last = forms_.of(loop.n) - Affine(1) - Affine(i);
    const i64 step = row == Affine(i) ? 1 : row == last ? -1 : 0;
    if (step == 0) return false;
    size_t uses = 0, known = 2;                            // the update, and the result
    each_use(p_, loop.body, [&](Var v) { uses += v == old || v == *now; });
    each_stm(loop.body, [&](const Stm& s) {
      auto x = std::get_if<Index>(&s.exp);
      if (!x || (x->array != old && x->array != *now) || !std::holds_alternative<Atom>(x->at[0])) return;
      const Affine before = row - forms_.of(std::get<Atom>(x->at[0]));
      known += before.is_constant() && before.is_small() && step * before.constant >= (x->array == old ? 1 : 0);
    });
    return uses == known;
  }
};

}  // namespace

void copies(ir::Program& program, PassContext& context) {
  Fills fills(program, context);
  program.each_body([&](Body& b) { fills.body(b); });
  CopyElimination(program, context).run();
}

}  // namespace raido
