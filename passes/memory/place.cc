// place.cc - Parallel to Memory: every array gets a block, an offset and strides.
//
// A fresh array gets a block of its own, row by row. A view (slice, permutation, most reshapes) lies in its source's
// block. An update happens in place. A live-out of a branch or loop is either the same place on every path, or a block
// (and the parts of its layout that differ) that is live-out beside it.
//
// Copies are avoided by wishes: `ys with [i] = b` where b was created in the same body wishes that b be created in row i
// of ys at once, when nothing reads or writes ys from the creation of b to the update and nobody uses b afterwards. The
// creator honours the wish; the update then is marked #[in_place] and is nothing at run time. Likewise the parts of a
// concatenation, the rows of an array literal, and the results of branches and of seg bodies. Between b and the update may be
// another shape of it, if it goes to a part without gaps.
//
// A loop whose body updates its own state works in the block of the initial array (which the loop consumes). Any other
// array state is a block carried from iteration to iteration; `double_buffer` and `hoist_allocs` make those cheap.
// Constant arrays that nobody updates move to the program's constants.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/layout.h"
#include "passes/memory/interleave.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// The statements of one body and who wants what they create.
struct Plan {
  std::vector<std::unique_ptr<Stm>> stms;
  std::vector<std::vector<Var>> uses;
  std::vector<Atom> result;
  std::unordered_map<Var, size_t> made_at;
  struct Consumer { size_t stm, part; bool several = false; };
  std::unordered_map<Var, Consumer> consumer;    // created array -> the statement that copies it somewhere
  std::unordered_map<Var, Place> result_wish;    // created array -> where the body's result is wanted
};

class Placer {
 public:
  Placer(Program& p, PassContext& c) : p_(p), c_(c), target_(c.target), sizes_(p), defs_(p), depths_(p) {}

  void run() {
    if (target_ != Target::Gpu) interleaved_ = interleaved(p_);
    p_.each_body([&](const Body& b) { mark_written(b); });
    Plan plan = make_plan(p_.constants, {}, 0);
    sizes_.open(p_.constants.stms);
    for (size_t k = 0; k < plan.stms.size(); k++) statement(p_.constants.stms, plan, k, 0);
    for (Function& f : p_.functions) signature(f);
    for (Function& f : p_.functions) {
      body(f.lambda.body, {}, 1, [&](List<Stm>&) { for (Bind b : f.lambda.params) sizes_.bound(b.var); },
           [&](List<Stm>& out) { return_arrays(out, f.lambda.body.result); });
    }
    sizes_.close();
  }

 private:
  Program& p_;
  PassContext& c_;
  Target target_;
  Sizes sizes_;
  // From before anything changes, to walk from a use back to what created an array. A statement is looked at only until it is placed.
  Definitions defs_;
  Depths depths_;
  VarSet written_;                          // `data` arrays that something updates
  VarSet shared_;                           // blocks that may be other names of each other
  std::unordered_map<Var, Place> granted_;  // an array whose place was decided before its statement came
  std::unordered_map<uint32_t, Var> constant_data_;
  std::unordered_map<Var, bool> in_place_;  // loop state
  std::unordered_map<Var, Interleaved> interleaved_;
  std::unordered_map<Var, Var> common_;     // the first of interleaved arrays -> their block
  int seg_ = 0;                             // enclosing segs

  // ---- tables ----

  ArrayType* array(const Atom& a) {
    auto v = var_of(a);
    return v ? std::get_if<ArrayType>(&p_.vars[v->index].type) : nullptr;
  }
  const Place& place(const Atom& a) {
    CHECK(array(a) && array(a)->place, "an array is used before it has a place");
    return *array(a)->place;
  }
  void put(Var v, Place where) { std::get<ArrayType>(p_.vars[v.index].type).place = std::move(where); }
  Space space() const {
    if (target_ == Target::Gpu) return seg_ > 0 ? Space::Private : Space::Device;
    return Space::Host;
  }
  void emit(List<Stm>& out, Stm s) {
    for (Bind b : s.pattern) sizes_.bound(b.var);
    out.push_back(std::move(s));
  }

  Place alloc(List<Stm>& out, ArrayType t, std::string hint, Source source) {
    Atom bytes = sizes_.mul(volume(sizes_, t.shape), i64_atom(bytes_of(t.elem)));
    Var block = p_.fresh(hint + "_mem", BlockType{space()});
    emit(out, {{{block}}, Alloc{space(), bytes}, {}, source, {}});
    return {block, {i64_atom(0), row_major(sizes_, t.shape)}};
  }
  Var copy_to(List<Stm>& out, Var v, Place where) {
    Var copied = p_.fresh(p_.hint(v), p_.type(v));
    put(copied, std::move(where));
    emit(out, {{{copied}}, Copy{v}, {}, {}, {}});
    return copied;
  }
  Atom moved_to(List<Stm>& out, const Atom& a, Place where) {
    return same_place(place(a), where) ? a : Atom(copy_to(out, *var_of(a), where));
  }
  // At offset 0, row by row: what goes from loop to loop and from function to function.
  Atom canonical(List<Stm>& out, const Atom& a) {
    Place here = place(a);
    if (is_const(here.layout.offset, 0) && is_row_major(sizes_, here.layout, array(a)->shape)) return a;
    ArrayType t = *array(a);
    return copy_to(out, *var_of(a), alloc(out, t, p_.hint(*var_of(a)), {}));
  }
  void share(const Atom& a) { if (array(a)) shared_.insert(place(a).block); }
  bool may_be_one(Var x, Var y) const { return x == y || (shared_.contains(x) && shared_.contains(y)); }

  // ---- looking backwards ----

  // Follows an array in place (updates, loops, branches over it) to the variable it started as; stops at what bodies at
  // `depth` do not bind.
  Var origin(const Atom& a, uint32_t depth) {
    Var v = *var_of(a);
    for (;;) {
      const Stm* s = defs_.of(v);
      if (depths_.of(v) < depth || !s) return v;
      auto before = match(s->exp,
        [&](const Update& x) { return std::optional<Atom>(x.array); },
        [&](const Identity& x) { return std::optional<Atom>(x.value); },
        [&](const For& x) { return through_loop(*s, x, v); },
        [&](const While& x) { return through_loop(*s, x, v); },
        [&](const If& x) {
          size_t k = number_of(*s, v);
          Var yes = origin(x.then_.result[k], depths_.of(v) + 1), no = origin(x.else_.result[k], depths_.of(v) + 1);
          return yes == no && depths_.of(yes) <= depths_.of(v) ? std::optional<Atom>(yes) : std::nullopt;
        },
        [&](const WithAcc& x) {
          size_t k = number_of(*s, v);
          for (const Dest& d : x.dests) {
            if (k < d.arrays.size()) return std::optional<Atom>(d.arrays[k]);
            k -= d.arrays.size();
          }
          return std::optional<Atom>();
        },
        [&](const auto&) { return std::optional<Atom>(); });   // created here, or a view of something
      if (!before || !array(*before)) return v;
      v = *var_of(*before);
    }
  }
  template <class Loop> std::optional<Atom> through_loop(const Stm& s, const Loop& x, Var v) {
    size_t k = number_of(s, v);
    return works_in_place(x, k) ? std::optional<Atom>(x.init[k]) : std::nullopt;
  }
  template <class Loop> bool works_in_place(const Loop& x, size_t k) {
    Var state = x.state[k].var;
    if (!array(state)) return false;
    auto found = in_place_.find(state);
    if (found != in_place_.end()) return found->second;
    bool same = origin(x.body.result[k], depths_.of(state)) == state;
    in_place_[state] = same;
    return same;
  }
  // True if `v` is made by a statement that can make it anywhere.
  bool creates(const Stm* s) const {
    return s && (!may_alias(s->exp) || std::holds_alternative<If>(s->exp));
  }
  // True if results of `e` may lie in the blocks of its operands.
  static bool may_alias(const Exp& e) {
    return kind_of(e) != Kind::Make && !std::holds_alternative<Seg>(e);
  }

  // Constant arrays that an update, an accumulator or a call may overwrite.
  void mark_written(const Body& b) {
    each_stm(b, [&](const Stm& s) {
      if (auto x = std::get_if<Update>(&s.exp)) mark_written(x->array);
      if (auto x = std::get_if<WithAcc>(&s.exp)) walk(x->dests, [&](const Dest& d) { for (Var v : d.arrays) mark_written(v); });
      if (auto x = std::get_if<Call>(&s.exp))
        for (size_t k = 0; k < x->args.size(); k++)
          if (p_.functions[x->callee.index].consumes[k]) mark_written(x->args[k]);
    });
  }
  void mark_written(const Atom& a) {
    auto v = var_of(a);
    if (!v || !array(a) || written_.contains(*v)) return;
    written_.insert(*v);
    if (auto state = defs_.state(*v)) {
      size_t k = state->number;
      if (auto x = std::get_if<For>(&state->loop->exp)) { mark_written(x->init[k]); mark_written(x->body.result[k]); }
      if (auto x = std::get_if<While>(&state->loop->exp)) { mark_written(x->init[k]); mark_written(x->body.result[k]); }
    }
    const Stm* s = defs_.of(*v);
    if (!s) return;
    match(s->exp,
      [&](const If& x) {
        size_t k = number_of(*s, *v);
        mark_written(x.then_.result[k]);
        mark_written(x.else_.result[k]);
      },
      [&](const For& x) { size_t k = number_of(*s, *v); mark_written(x.init[k]); mark_written(x.body.result[k]); },
      [&](const While& x) { size_t k = number_of(*s, *v); mark_written(x.init[k]); mark_written(x.body.result[k]); },
      [&](const Index& x) { mark_written(x.array); },
      [&](const Reshape& x) { mark_written(x.array); },
      [&](const Permute& x) { mark_written(x.array); },
      [&](const Identity& x) { mark_written(x.value); },
      [](const auto&) {});   // everything else makes a new array, or was marked where it updates
  }

  // ---- wishes ----

  // What is created at the place where an update puts it is written before the update: the checks of the update, and what they are
  // made of, come before the creation if they are scalars that do not depend on it.
  void checks_first(std::vector<std::unique_ptr<Stm>>& stms, uint32_t depth) {
    Definitions made;                                         // in front of the statement
    for (size_t t = 0; t < stms.size(); t++) {
      auto x = std::get_if<Update>(&stms[t]->exp);
      if (x && array(x->value) && !stms[t]->checks.empty()) {
        Var v = origin(unshaped(*x, depth).value_or(x->value), depth);
        auto creator = std::find_if(stms.begin(), stms.begin() + ptrdiff_t(t), [&](const auto& s) { return s.get() == made.of(v); });
        if (creator != stms.begin() + ptrdiff_t(t)) {
          std::unordered_set<const Stm*> later, moved;
          for (auto s = creator; s != stms.begin() + ptrdiff_t(t); s++) later.insert(s->get());
          bool possible = true;
          auto needs = [&](Var y, auto& self) -> void {
            auto s = made.of(y);
            if (!s || !later.contains(s) || !moved.insert(s).second) return;
            possible = possible && is_scalar_work(*s);
            each_use(p_, *s, [&](Var z) { self(z, self); });
          };
          for (Var c : stms[t]->checks) needs(c, needs);
          if (possible) std::stable_partition(creator, stms.begin() + ptrdiff_t(t), [&](const auto& s) { return moved.contains(s.get()); });
        }
      }
      made.add(*stms[t]);
    }
  }
  bool is_scalar_work(const Stm& s) const {
    return kind_of(s.exp) == Kind::Check || kind_of(s.exp) == Kind::Step || (is_view(s.exp) && !is_array(p_.type(s.pattern[0].var)));
  }
  // What the value of an update is another shape of, if it is.
  std::optional<Atom> unshaped(const Update& x, uint32_t depth) const {
    auto v = var_of(x.value);
    if (!v || !defs_.of(*v) || depths_.of(*v) < depth) return {};
    auto shaped = defs_.get<Reshape>(*v);
    return shaped ? std::optional<Atom>(shaped->array) : std::nullopt;
  }
  Plan make_plan(Body& b, const std::vector<std::optional<Place>>& wishes, uint32_t depth) {
    Plan plan;
    plan.stms = b.stms.take();
    plan.result = b.result;
    checks_first(plan.stms, depth);
    for (size_t k = 0; k < plan.stms.size(); k++) {
      const Stm& s = *plan.stms[k];
      plan.uses.push_back(free_vars(p_, s));
      for (Bind v : s.pattern) plan.made_at[v.var] = k;
      auto wants = [&](const Atom& a, size_t part) {
        if (!array(a)) return;
        Var v = origin(a, depth);
        if (!plan.made_at.contains(v) || !creates(defs_.of(v))) return;
        auto [found, fresh] = plan.consumer.try_emplace(v, Plan::Consumer{k, part});
        if (!fresh) found->second.several = true;
      };
      if (auto x = std::get_if<Update>(&s.exp)) wants(unshaped(*x, depth).value_or(x->value), 0);
      if (auto x = std::get_if<Concat>(&s.exp)) for (size_t i = 0; i < x->arrays.size(); i++) wants(x->arrays[i], i);
      if (auto x = std::get_if<ArrayLit>(&s.exp)) for (size_t i = 0; i < x->elements.size(); i++) wants(x->elements[i], i);
    }
    for (size_t k = 0; k < wishes.size(); k++) {
      if (!wishes[k] || !array(b.result[k])) continue;
      Var v = origin(b.result[k], depth);
      if (plan.made_at.contains(v) && creates(defs_.of(v))) plan.result_wish.emplace(v, *wishes[k]);
    }
    return plan;
  }

  // ---- elementwise work in place: v lies where the new array shall be, and is read at the places that are written next ----

  // True if each thread of the map reads of v[part] its own element only.
  bool maps_own_elements(const Stm& s, Var v, const std::vector<Selector>& part) {
    auto seg = std::get_if<Seg>(&s.exp);
    if (!seg || !seg->reduces.empty() || !seg->scans.empty() || !seg->dests.empty() || s.pattern.size() != 1) return false;
    std::vector<Selector> own = part;
    for (Bind i : seg->index) own.push_back(Atom(i.var));
    return array(v)->shape.size() == own.size() && array(s.pattern[0].var)->shape.size() == seg->index.size() && reads_at(seg->body, v, own);
  }
  // True if the loop (or those in it) writes one of `names` at its indices only, each once, and reads v[part] there before.
  bool loops_over_own_elements(const Stm& s, const VarSet& names, Var v, const std::vector<Selector>& part, std::vector<Selector> own = {}) {
    auto loop = std::get_if<For>(&s.exp);
    if (!loop) return false;
    own.push_back(Atom(loop->i.var));
    std::vector<Selector> there = part;
    there.insert(there.end(), own.begin(), own.end());
    std::optional<size_t> written;
    for (size_t k = 0; k < loop->init.size(); k++) {
      auto init = var_of(loop->init[k]);
      if (!init || (*init != v && !names.contains(*init))) continue;
      if (*init == v || written) return false;
      written = k;
    }
    if (!written) return false;
    Var state = loop->state[*written].var;
    VarSet only_state;
    only_state.insert(state);
    bool done = false;
    for (const Stm& inner : loop->body.stms) {
      bool writes = false, reads = false;
      each_use(p_, inner, [&](Var u) { writes = writes || u == state; reads = reads || u == v; });
      if (done && (writes || reads)) return false;
      if (!writes) {
        if (reads && !reads_at(inner, v, there)) return false;
        continue;
      }
      auto update = std::get_if<Update>(&inner.exp);
      bool one = update && update->array == state && update->at == own && there.size() == array(v)->shape.size() && !reads;
      if (!one && !loops_over_own_elements(inner, only_state, v, part, own)) return false;
      done = std::ranges::any_of(inner.pattern, [&](Bind b) { return loop->body.result[*written] == Atom(b.var); });
      if (!done) return false;
    }
    return done;
  }
  // True if all uses of v in x are reads of its element `at`.
  template <class X> bool reads_at(const X& x, Var v, const std::vector<Selector>& at) {
    size_t good = 0;
    auto look = [&](const Stm& s) {
      auto index = std::get_if<Index>(&s.exp);
      good += index && index->array == v && index->at == at;
    };
    each_stm(x, look);
    return count_uses(p_, x, v) == good;
  }

  // True if v is a result of a loop that works in the block of an array other than `names`.
  bool starts_elsewhere(const Stm& s, Var v, const VarSet& names) {
    auto elsewhere = [&](const auto& x) {
      auto start = through_loop(s, x, v);
      return start && !names.contains(*var_of(*start));
    };
    if (auto x = std::get_if<For>(&s.exp)) return elsewhere(*x);
    auto x = std::get_if<While>(&s.exp);
    return x && elsewhere(*x);
  }
  // True if the array created by statement `from` may lie where statement `to` (or the end of the body) will put it:
  // from here to there its block is not touched by anything else, and after `to` nobody uses the array by another name. `into`: of what
  // it becomes a part there, if of anything.
  bool may_lie_there(const Plan& plan, Var made, size_t from, size_t to, const Place& where, const Update* into = nullptr) {
    // Which part of v lies there; none: maybe some.
    auto part_there = [&](Var v) -> std::optional<std::vector<Selector>> {
      if (same_place(*array(v)->place, where)) return std::vector<Selector>{};
      if (into && same_place(*array(v)->place, place(into->array))) return into->at;
      return {};
    };
    VarSet names;
    names.insert(made);
    for (size_t k = from; k < plan.stms.size(); k++) {
      bool uses = false;
      for (Var v : plan.uses[k]) {
        if (names.contains(v)) { uses = true; continue; }
        if (k < to && array(v) && array(v)->place && may_be_one(array(v)->place->block, where.block)) {
          auto part = part_there(v);
          if (!part || !(k == from ? maps_own_elements(*plan.stms[k], v, *part) : loops_over_own_elements(*plan.stms[k], names, v, *part))) return false;
        }
      }
      if (k == from || k == to || !uses) continue;
      if (k > to) return false;
      if (may_alias(plan.stms[k]->exp))
        for (Bind b : plan.stms[k]->pattern)
          if (array(b.var) && !starts_elsewhere(*plan.stms[k], b.var, names)) names.insert(b.var);
    }
    size_t results = 0;
    for (const Atom& a : plan.result) results += var_of(a) && names.contains(*var_of(a));
    return results <= (to == plan.stms.size() ? 1 : 0);
  }

  bool in_scope(const Place& where) const {
    bool all = sizes_.in_scope(where.block) && sizes_.in_scope(where.layout.offset);
    for (const Atom& a : where.layout.strides) all = all && sizes_.in_scope(a);
    return all;
  }
  bool in_scope(const std::vector<Dim>& shape) const {
    bool all = true;
    for (const Dim& d : shape) all = all && sizes_.in_scope(d);
    return all;
  }

  // Where the array `v`, created by statement `k` or wanted by it, shall be; none: wherever is convenient.
  std::optional<Place> wished(List<Stm>& out, const Plan& plan, Var v, size_t k) {
    if (auto g = granted_.find(v); g != granted_.end()) return g->second;
    if (auto w = plan.result_wish.find(v); w != plan.result_wish.end()) {
      if (in_scope(w->second) && may_lie_there(plan, v, k, plan.stms.size(), w->second)) return w->second;
      return {};
    }
    auto c = plan.consumer.find(v);
    if (c == plan.consumer.end() || c->second.several || c->second.stm <= k) return {};
    const Stm& consumer = *plan.stms[c->second.stm];
    size_t part = c->second.part;
    std::optional<Place> target = match(consumer.exp,
      [&](const Update& x) -> std::optional<Place> {
        if (!sizes_.in_scope(x.array) || !array(x.array)->place) return {};
        bool known = true;
        walk(x.at, [&](const Atom& a) { known = known && sizes_.in_scope(a); });
        for (Var check : consumer.checks) known = known && sizes_.in_scope(check);   // nothing is written outside
        if (!known) return {};
        Place where{place(x.array).block, sliced(sizes_, place(x.array).layout, x.at)};
        if (!unshaped(x, depths_.of(v))) return where;
        if (where.layout.strides.size() != 1 || !is_const(where.layout.strides[0], 1) || !in_scope(array(v)->shape)) return {};
        where.layout.strides = row_major(sizes_, array(v)->shape);
        return where;
      },
      [&](const Concat& x) -> std::optional<Place> {
        auto whole = decided(out, plan, consumer, k);
        if (!whole) return {};
        Atom start = i64_atom(0);
        for (size_t i = 0; i < part; i++) {
          Dim n = array(x.arrays[i])->shape[size_t(x.dim)];
          if (!sizes_.in_scope(n)) return {};
          start = sizes_.add(start, n);
        }
        whole->layout.offset = sizes_.add(whole->layout.offset, sizes_.mul(start, whole->layout.strides[size_t(x.dim)]));
        return whole;
      },
      [&](const ArrayLit&) -> std::optional<Place> {
        auto whole = decided(out, plan, consumer, k);
        if (!whole) return {};
        return Place{whole->block, sliced(sizes_, whole->layout, {i64_atom(int64_t(part))})};
      },
      [](const auto&) -> std::optional<Place> { return {}; });   // only these three are consumers
    auto into = std::get_if<Update>(&consumer.exp);
    if (into && unshaped(*into, depths_.of(v))) into = nullptr;
    if (target && may_lie_there(plan, v, k, c->second.stm, *target, into)) return target;
    return {};
  }
  // The place of an array that a later statement creates, so that its parts can be built in it from statement k on.
  std::optional<Place> decided(List<Stm>& out, const Plan& plan, const Stm& creator, size_t k) {
    Var v = creator.pattern[0].var;
    if (auto g = granted_.find(v); g != granted_.end()) return g->second;
    if (!in_scope(array(v)->shape)) return {};
    auto where = wished(out, plan, v, k);
    if (!where) where = alloc(out, *array(v), p_.hint(v), creator.source);
    granted_.emplace(v, *where);
    return where;
  }

  // ---- statements ----

  // Element k of an interleaved array lies after element k of the one before it; the first to come makes the block.
  bool side_by_side(List<Stm>& out, const Stm& s) {
    auto found = interleaved_.find(s.pattern[0].var);
    if (found == interleaved_.end()) return false;
    const auto& [first, number, of] = found->second;
    Dim n = array(s.pattern[0].var)->shape[0];
    if (!common_.contains(first)) {
      c_.stats.count("place.interleaved");
      common_.emplace(first, alloc(out, {array(s.pattern[0].var)->elem, {n, i64_atom(of)}, {}}, p_.hint(first), s.source).block);
    }
    put(s.pattern[0].var, {common_.at(first), {i64_atom(number), {i64_atom(of)}}});
    return true;
  }

  template <class Begin, class End>
  void body(Body& b, const std::vector<std::optional<Place>>& wishes, uint32_t depth, Begin begin, End end) {
    Plan plan = make_plan(b, wishes, depth);
    sizes_.open(b.stms);
    begin(b.stms);
    for (size_t k = 0; k < plan.stms.size(); k++) statement(b.stms, plan, k, depth);
    end(b.stms);
    sizes_.close();
  }

  static void keep_if_any(std::vector<bool>& in_place) {
    if (std::ranges::find(in_place, true) == in_place.end()) in_place.clear();
  }
  void statement(List<Stm>& out, Plan& plan, size_t number, uint32_t depth) {
    Stm s = std::move(*plan.stms[number]);
    auto created = [&] {
      Var v = s.pattern[0].var;
      auto where = wished(out, plan, v, number);
      put(v, where ? *where : alloc(out, *array(v), p_.hint(v), s.source));
    };
    auto view = [&](Var of, Lmad layout) { put(s.pattern[0].var, {place(of).block, std::move(layout)}); };
    bool done = match(s.exp,
      [&](Iota&) { created(); return false; },
      [&](Replicate&) { created(); return false; },
      [&](Scratch&) {
        if (!side_by_side(out, s)) created();
        return false;
      },
      [&](Copy&) { created(); return false; },
      [&](ArrayLit& x) {
        created();
        for (size_t k = 0; k < x.elements.size(); k++)
          x.in_place.push_back(array(x.elements[k]) && lies_at(x.elements[k], s.pattern[0].var, {i64_atom(int64_t(k))}));
        keep_if_any(x.in_place);
        return false;
      },
      [&](Concat& x) {
        created();
        Place whole = place(s.pattern[0].var);
        Atom start = i64_atom(0);
        for (size_t k = 0; k < x.arrays.size(); k++) {
          Place part = whole;
          part.layout.offset = sizes_.add(whole.layout.offset, sizes_.mul(start, whole.layout.strides[size_t(x.dim)]));
          x.in_place.push_back(same_place(part, place(x.arrays[k])));
          start = sizes_.add(start, array(x.arrays[k])->shape[size_t(x.dim)]);
        }
        keep_if_any(x.in_place);
        return false;
      },
      [&](Data& x) {
        if (written_.contains(s.pattern[0].var) || depth == 0) { created(); return false; }
        auto [found, fresh] = constant_data_.try_emplace(x.data.index);
        if (fresh) found->second = data_constant(x.data, s);
        put(s.pattern[0].var, place(found->second));
        s.exp = Identity{found->second};
        return false;
      },
      [&](Identity& x) { if (array(x.value)) put(s.pattern[0].var, place(x.value)); return false; },
      [&](Index& x) {
        if (array(s.pattern[0].var)) view(x.array, sliced(sizes_, place(x.array).layout, x.at));
        return false;
      },
      [&](Permute& x) { view(x.array, permuted(place(x.array).layout, x.dims)); return false; },
      [&](Reshape& x) {
        auto layout = reshaped(sizes_, place(x.array).layout, array(x.array)->shape, x.shape);
        if (!layout) {
          ArrayType t = *array(x.array);
          x.array = copy_to(out, x.array, alloc(out, t, p_.hint(x.array), s.source));
          layout = reshaped(sizes_, place(x.array).layout, t.shape, x.shape);
        }
        view(x.array, *layout);
        return false;
      },
      [&](Update& x) {
        put(s.pattern[0].var, place(x.array));
        x.in_place = array(x.value) && lies_at(x.value, x.array, x.at);
        return false;
      },
      [&](Call& x) { call(out, s, x); return false; },
      [&](If& x) { branch(out, plan, number, s, x, depth); return false; },
      [&](For& x) { loop(out, s, x, depth); return false; },
      [&](While& x) { loop(out, s, x, depth); return false; },
      [&](WithAcc& x) { with_acc(s, x, depth); return false; },
      [&](Seg& x) { seg(out, plan, number, s, x, depth); return false; },
      [](auto&) { return false; });   // scalars, proofs and accumulators have no place
    (void)done;
    emit(out, std::move(s));
  }

  bool lies_at(const Atom& value, Var whole, const std::vector<Selector>& at) {
    return same_place(place(value), {place(whole).block, sliced(sizes_, place(whole).layout, at)});
  }

  Var data_constant(DataId data, const Stm& s) {
    Var v = p_.fresh(p_.hint(s.pattern[0].var), p_.type(s.pattern[0].var));
    const DataArray& d = p_.data[data.index];
    int64_t count = 1;
    for (int64_t n : d.shape) count *= n;
    std::vector<Atom> strides;
    for (size_t k = 0; k < d.shape.size(); k++) {
      int64_t stride = 1;
      for (size_t j = k + 1; j < d.shape.size(); j++) stride *= d.shape[j];
      strides.push_back(i64_atom(stride));
    }
    Space where = target_ == Target::Gpu ? Space::Device : Space::Host;
    Var block = p_.fresh(p_.hint(v) + "_mem", BlockType{where});
    put(v, {block, {i64_atom(0), strides}});
    p_.constants.stms.push_back(Stm{{{block}}, Alloc{where, i64_atom(count * bytes_of(d.elem))}, {}, s.source, {}});
    p_.constants.stms.push_back(Stm{{{v}}, Data{data}, {}, s.source, {}});
    sizes_.bound_outermost(block);
    sizes_.bound_outermost(v);
    return v;
  }

  // ---- what hands arrays out ----

  // Rewrites results and pattern together: what a value at `k` needs besides itself goes before it.
  struct LiveOuts {
    std::vector<std::vector<Atom>*> results;   // of each path
    std::vector<std::vector<Atom>> made;
    std::vector<Bind> pattern;
    explicit LiveOuts(std::vector<std::vector<Atom>*> paths) : results(std::move(paths)), made(results.size()) {}
    void extra(Var binder, const std::vector<Atom>& values) {
      pattern.push_back({binder});
      for (size_t i = 0; i < values.size(); i++) made[i].push_back(values[i]);
    }
    void value(Bind binder, size_t k) {
      pattern.push_back(binder);
      for (size_t i = 0; i < results.size(); i++) made[i].push_back((*results[i])[k]);
    }
    void finish(std::vector<Bind>& to) {
      for (size_t i = 0; i < results.size(); i++) *results[i] = std::move(made[i]);
      to = std::move(pattern);
    }
  };

  // The place of a live-out of several paths: what all agree on and is in scope outside stays.
  void place_live_out(LiveOuts& live_outs, Var binder, const std::vector<Place>& paths) {
    auto common = [&](const std::vector<Atom>& atoms, const std::string& hint, const Type& t) -> Atom {
      bool same = !var_of(atoms[0]) || (sizes_.in_scope(atoms[0]) && !sizes_.deeper(atoms[0]));
      for (const Atom& a : atoms) same = same && a == atoms[0];
      if (same) return atoms[0];
      Var v = p_.fresh(hint, t);
      live_outs.extra(v, atoms);
      return v;
    };
    auto all = [&](auto part) {
      std::vector<Atom> atoms;
      for (const Place& q : paths) atoms.push_back(part(q));
      return atoms;
    };
    for (const Place& q : paths) shared_.insert(q.block);
    Place where;
    where.block = *var_of(common(all([](const Place& q) { return Atom(q.block); }), p_.hint(binder) + "_mem", BlockType{space()}));
    shared_.insert(where.block);
    where.layout.offset = common(all([](const Place& q) { return q.layout.offset; }), "offset", ScalarType{Scalar::I64});
    for (size_t d = 0; d < array(binder)->shape.size(); d++)
      where.layout.strides.push_back(common(all([d](const Place& q) { return q.layout.strides[d]; }), "stride", ScalarType{Scalar::I64}));
    put(binder, where);
  }

  void branch(List<Stm>& out, Plan& plan, size_t number, Stm& s, If& x, uint32_t depth) {
    size_t n = s.pattern.size();
    std::vector<std::optional<Place>> target(n), wishes(n);
    for (size_t k = 0; k < n; k++) {
      Var v = s.pattern[k].var;
      if (!array(v)) continue;
      target[k] = wishes[k] = wished(out, plan, v, number);
      if (target[k]) continue;
      Var yes = origin(x.then_.result[k], depth + 1), no = origin(x.else_.result[k], depth + 1);
      if (yes == no && depths_.of(yes) <= depth) target[k] = place(yes);
      else if (depths_.of(yes) > depth && depths_.of(no) > depth && creates(defs_.of(yes)) && creates(defs_.of(no)) &&
               in_scope(array(v)->shape))
        target[k] = wishes[k] = alloc(out, *array(v), p_.hint(v), s.source);
      else if (in_kernel()) {
        if (!in_scope(array(v)->shape)) c_.refuse(s.source, Refusal::DeviceCode, "a branch whose array has a size known only inside");
        target[k] = wishes[k] = alloc(out, *array(v), p_.hint(v), s.source);
      }
    }
    for (Body* b : {&x.then_, &x.else_})
      body(*b, wishes, depth + 1, [](List<Stm>&) {}, [&](List<Stm>& inner) {
        for (size_t k = 0; k < n; k++)
          if (target[k]) b->result[k] = moved_to(inner, b->result[k], *target[k]);
      });
    LiveOuts live_outs({&x.then_.result, &x.else_.result});
    for (size_t k = 0; k < n; k++) {
      Bind b = s.pattern[k];
      if (array(b.var)) {
        if (target[k]) put(b.var, *target[k]);
        else place_live_out(live_outs, b.var, {place(x.then_.result[k]), place(x.else_.result[k])});
      }
      live_outs.value(b, k);
    }
    live_outs.finish(s.pattern);
  }

  void with_acc(Stm& s, WithAcc& x, uint32_t depth) {
    size_t arrays = 0, accs = x.dests.size();
    for (const Dest& d : x.dests)
      for (Var v : d.arrays) put(s.pattern[arrays++].var, place(v));
    body(x.scope.body, {}, depth + 1, [&](List<Stm>&) { for (Bind b : x.scope.params) sizes_.bound(b.var); }, [](List<Stm>&) {});
    LiveOuts live_outs({&x.scope.body.result});
    for (size_t k = 0; k < accs; k++) live_outs.made[0].push_back(x.scope.body.result[k]);
    for (size_t k = 0; k < arrays; k++) live_outs.pattern.push_back(s.pattern[k]);
    for (size_t k = arrays; k < s.pattern.size(); k++) {
      Bind b = s.pattern[k];
      size_t result = k - arrays + accs;
      if (array(b.var)) place_live_out(live_outs, b.var, {place(x.scope.body.result[result])});
      live_outs.value(b, result);
    }
    live_outs.finish(s.pattern);
  }

  void seg(List<Stm>& out, Plan& plan, size_t number, Stm& s, Seg& x, uint32_t depth) {
    CHECK(x.reduces.empty() && x.scans.empty() && x.late.empty() && x.dests.empty(), "a seg that is no map reaches `place`");
    for (Bind b : s.pattern)
      if (array(b.var)) {
        auto where = wished(out, plan, b.var, number);
        put(b.var, where ? *where : alloc(out, *array(b.var), p_.hint(b.var), s.source));
      }
    std::vector<std::optional<Place>> wishes(s.pattern.size());
    std::vector<Selector> index;
    for (Bind b : x.index) index.push_back(Atom(b.var));
    seg_++;
    Plan inner = make_plan(x.body, {}, depth + 1);
    sizes_.open(x.body.stms);
    for (Bind b : x.index) sizes_.bound(b.var);
    for (size_t k = 0; k < s.pattern.size(); k++) {
      if (!array(s.pattern[k].var) || !array(x.body.result[k])) continue;
      Place whole = place(s.pattern[k].var);
      wishes[k] = Place{whole.block, sliced(sizes_, whole.layout, index)};
      Var v = origin(x.body.result[k], depth + 1);
      if (inner.made_at.contains(v) && creates(defs_.of(v))) inner.result_wish.emplace(v, *wishes[k]);
    }
    for (size_t k = 0; k < inner.stms.size(); k++) statement(x.body.stms, inner, k, depth + 1);
    for (size_t k = 0; k < s.pattern.size(); k++)
      if (wishes[k]) x.body.result[k] = moved_to(x.body.stms, x.body.result[k], *wishes[k]);
    sizes_.close();
    seg_--;
  }

  // Strides of an array that stands row by row. Products of sizes that are not in scope here are values of their own:
  // `extra(d)` makes one.
  template <class Extra> std::vector<Atom> handed_strides(std::vector<Dim> shape, Extra extra) {
    std::vector<Atom> strides(shape.size(), i64_atom(1));
    bool known = true;
    for (size_t d = shape.size() - 1; d-- > 0;) {
      known = known && sizes_.in_scope(shape[d + 1]);
      if (d + 2 == shape.size()) strides[d] = shape[d + 1];
      else strides[d] = known ? sizes_.mul(shape[d + 1], strides[d + 1]) : Atom(extra(d));
    }
    return strides;
  }

  bool in_kernel() const { return target_ == Target::Gpu && seg_ > 0; }

  // In device code a block cannot be carried: such state has a place of its own, and every iteration's result is copied
  // there; by way of another block if it lies in the place of some state.
  template <class Loop> void loop_in_kernel(List<Stm>& out, Stm& s, Loop& x, uint32_t depth) {
    size_t n = x.state.size();
    std::vector<bool> copied(n);
    VarSet own;
    for (size_t k = 0; k < n; k++) {
      Var v = x.state[k].var;
      if (!array(v)) continue;
      copied[k] = !works_in_place(x, k);
      Place where = place(x.init[k]);
      if (copied[k]) {
        if (!in_scope(array(v)->shape)) c_.refuse(s.source, Refusal::DeviceCode, "a loop whose array changes its size");
        where = alloc(out, *array(x.init[k]), p_.hint(v), s.source);
        x.init[k] = copy_to(out, *var_of(x.init[k]), where);
        own.insert(where.block);
      }
      put(v, where);
      put(s.pattern[k].var, where);
      if constexpr (std::is_same_v<Loop, While>) put(x.cond.params[k].var, where);
    }
    if constexpr (std::is_same_v<Loop, While>)
      body(x.cond.body, {}, depth + 1, [&](List<Stm>&) { for (Bind b : x.cond.params) sizes_.bound(b.var); }, [](List<Stm>&) {});
    body(x.body, {}, depth + 1,
         [&](List<Stm>&) {
           if constexpr (std::is_same_v<Loop, For>) sizes_.bound(x.i.var);
           for (Bind b : x.state) sizes_.bound(b.var);
         },
         [&](List<Stm>& inner) {
           for (size_t k = 0; k < n; k++) {
             Atom& a = x.body.result[k];
             if (copied[k] && own.contains(place(a).block) && a != Atom(x.state[k].var))
               a = copy_to(inner, *var_of(a), alloc(inner, *array(a), p_.hint(*var_of(a)), s.source));
           }
           for (size_t k = 0; k < n; k++)
             if (array(x.body.result[k])) x.body.result[k] = moved_to(inner, x.body.result[k], place(x.state[k].var));
         });
  }

  template <class Loop> void loop(List<Stm>& out, Stm& s, Loop& x, uint32_t depth) {
    if (in_kernel()) return loop_in_kernel(out, s, x, depth);
    size_t n = x.state.size();
    std::vector<bool> carried(n);
    bool any = false;
    for (size_t k = 0; k < n; k++)
      if (array(x.state[k].var)) any |= carried[k] = !works_in_place(x, k);
    if (any)                                       // a block may come round to the next iteration under another name
      for (Var v : free_vars(p_, x.body)) if (array(v) && array(v)->place) share(v);
    std::vector<Bind> state, pattern, params;
    std::vector<Atom> init;
    std::vector<std::vector<size_t>> strides(n);   // dimensions whose strides are state of their own
    constexpr bool has_condition = std::is_same_v<Loop, While>;
    auto add = [&](const std::string& hint, const Type& t, Atom first) {
      state.push_back({p_.fresh(hint, t)});
      pattern.push_back({p_.fresh(hint, t)});
      if constexpr (has_condition) params.push_back({p_.fresh(hint, t)});
      init.push_back(std::move(first));
    };
    for (size_t k = 0; k < n; k++) {
      Var v = x.state[k].var;
      Atom first = x.init[k];
      if (array(v) && !carried[k]) {
        put(v, place(first));
        put(s.pattern[k].var, place(first));
        if constexpr (has_condition) put(x.cond.params[k].var, place(first));
      }
      if (carried[k]) {
        first = canonical(out, first);
        share(first);
        add(p_.hint(v) + "_mem", BlockType{space()}, place(first).block);
        Var block = state.back().var, after = pattern.back().var, tested = has_condition ? params.back().var : Var{};
        for (Var b : {block, after}) shared_.insert(b);
        if (has_condition) shared_.insert(tested);
        Lmad l{i64_atom(0), handed_strides(array(v)->shape, [&](size_t d) {
          strides[k].push_back(d);
          add("stride", ScalarType{Scalar::I64}, place(first).layout.strides[d]);
          return state.back().var;
        })};
        put(v, {block, l});
        auto like = [&](Var twin, Var its_block, const std::vector<Bind>& extras) {
          Lmad m{i64_atom(0), {}};
          std::vector<Dim> shape = array(twin)->shape;
          m.strides = l.strides;
          if (shape.size() > 1) m.strides[shape.size() - 2] = shape.back();
          for (size_t i = 0; i < strides[k].size(); i++)
            m.strides[strides[k][i]] = extras[extras.size() - strides[k].size() + i].var;
          put(twin, {its_block, m});
        };
        like(s.pattern[k].var, after, pattern);
        if constexpr (has_condition) like(x.cond.params[k].var, tested, params);
      }
      state.push_back(x.state[k]);
      pattern.push_back(s.pattern[k]);
      if constexpr (has_condition) params.push_back(x.cond.params[k]);
      init.push_back(first);
    }
    x.state = std::move(state);
    x.init = std::move(init);
    s.pattern = std::move(pattern);
    if constexpr (has_condition) {
      x.cond.params = std::move(params);
      body(x.cond.body, {}, depth + 1, [&](List<Stm>&) { for (Bind b : x.cond.params) sizes_.bound(b.var); }, [](List<Stm>&) {});
    }
    body(x.body, {}, depth + 1,
         [&](List<Stm>&) {
           if constexpr (!has_condition) sizes_.bound(x.i.var);
           for (Bind b : x.state) sizes_.bound(b.var);
         },
         [&](List<Stm>& inner) {
           std::vector<Atom> results;
           size_t at = 0;
           for (size_t k = 0; k < n; k++) {
             Atom a = x.body.result[k];
             if (carried[k]) {
               a = canonical(inner, a);
               share(a);
               results.push_back(place(a).block);
               for (size_t d : strides[k]) results.push_back(place(a).layout.strides[d]);
               at += 1 + strides[k].size();
             } else if (array(a)) {
               a = moved_to(inner, a, place(x.state[at].var));
             }
             results.push_back(a);
             at++;
           }
           x.body.result = std::move(results);
         });
  }

  // ---- functions ----

  // An array passed to or from a function: its block, (parameters) its offset, the strides of all but its last two
  // dimensions, itself.
  static size_t passed_strides(const ArrayType& t) { return t.shape.size() > 2 ? t.shape.size() - 2 : 0; }

  void signature(Function& f) {
    std::vector<Bind> params;
    std::vector<bool> consumes;
    auto param = [&](Var v, bool consumed) { params.push_back({v}); consumes.push_back(consumed); return v; };
    Space where = target_ == Target::Gpu ? Space::Device : Space::Host;
    for (size_t k = 0; k < f.lambda.params.size(); k++) {
      Var v = f.lambda.params[k].var;
      if (array(v)) {
        const std::vector<Dim> shape = array(v)->shape;
        Place here;
        here.block = param(p_.fresh(p_.hint(v) + "_mem", BlockType{where}), false);
        shared_.insert(here.block);
        here.layout.offset = param(p_.fresh("offset", ScalarType{Scalar::I64}), false);
        here.layout.strides.assign(shape.size(), i64_atom(1));
        for (size_t d = 0; d < passed_strides(*array(v)); d++)
          here.layout.strides[d] = param(p_.fresh("stride", ScalarType{Scalar::I64}), false);
        if (shape.size() > 1) here.layout.strides[shape.size() - 2] = shape.back();
        put(v, here);
      }
      param(v, f.consumes[k]);
    }
    f.lambda.params = std::move(params);
    f.consumes = std::move(consumes);
    std::vector<Type> returns;
    std::vector<size_t> now;                       // old result number -> new one
    for (const Type& t : f.returns) {
      auto a = std::get_if<ArrayType>(&t);
      Type copy = t;
      if (a) {
        size_t block = returns.size();
        Place here{result_number(block), {i64_atom(0), std::vector<Atom>(a->shape.size(), i64_atom(1))}};
        returns.push_back(BlockType{where});
        for (size_t d = 0; d < passed_strides(*a); d++) {
          here.layout.strides[d] = result_number(returns.size());
          returns.push_back(ScalarType{Scalar::I64});
        }
        ArrayType placed = *a;
        auto renumber = [&](Atom& d) {
          if (auto v = var_of(d); v && is_result_number(*v)) d = result_number(now.at(number_of_result(*v)));
        };
        for (Dim& d : placed.shape) renumber(d);
        if (a->shape.size() > 1) here.layout.strides[a->shape.size() - 2] = placed.shape.back();
        placed.place = here;
        copy = placed;
      }
      now.push_back(returns.size());
      returns.push_back(copy);
    }
    f.returns = std::move(returns);
  }

  void return_arrays(List<Stm>& out, std::vector<Atom>& result) {
    std::vector<Atom> results;
    for (const Atom& r : result) {
      Atom a = r;
      if (array(a)) {
        a = canonical(out, a);
        share(a);
        results.push_back(place(a).block);
        for (size_t d = 0; d < passed_strides(*array(a)); d++) results.push_back(place(a).layout.strides[d]);
      }
      results.push_back(a);
    }
    result = std::move(results);
  }

  void call(List<Stm>& out, Stm& s, Call& x) {
    std::vector<Atom> args;
    for (Atom a : x.args) {
      if (array(a)) {
        if (!is_row_major(sizes_, place(a).layout, array(a)->shape)) a = canonical(out, a);
        share(a);
        args.push_back(place(a).block);
        args.push_back(place(a).layout.offset);
        for (size_t d = 0; d < passed_strides(*array(a)); d++) args.push_back(place(a).layout.strides[d]);
      }
      args.push_back(a);
    }
    x.args = std::move(args);
    std::vector<Bind> pattern;
    Space where = target_ == Target::Gpu ? Space::Device : Space::Host;
    for (Bind b : s.pattern) {
      if (array(b.var)) {
        const ArrayType t = *array(b.var);
        Place here{p_.fresh(p_.hint(b.var) + "_mem", BlockType{where}), {i64_atom(0), std::vector<Atom>(t.shape.size(), i64_atom(1))}};
        pattern.push_back({here.block});
        shared_.insert(here.block);
        for (size_t d = 0; d < passed_strides(t); d++) {
          Var stride = p_.fresh("stride", ScalarType{Scalar::I64});
          pattern.push_back({stride});
          here.layout.strides[d] = stride;
        }
        if (t.shape.size() > 1) here.layout.strides[t.shape.size() - 2] = t.shape.back();
        put(b.var, here);
      }
      pattern.push_back(b);
    }
    s.pattern = std::move(pattern);
  }
};

}  // namespace

void place(Program& program, PassContext& context) { Placer(program, context).run(); }

}  // namespace raido
