// time_sums.cc - what the iterations of a loop add to an array, and do not read, is added after the loop (E9).
//
//   for k < n (x, a) {                                      for k < n (x, gs) {
//     let g = .. x ..                                         let g = .. x ..
//     let a' = with_acc [a] (add) \acc ->             ==>     let gs' = update gs [k] g .. in .. }
//       map h \i -> map d \j ->                             with_acc [a] (add) \acc -> map n \k -> map h \i -> map d \j ->
//         upd acc [i, j] (g[i] * zs[k, j]) .. in .. }         upd acc [i, j] (gs[k, i] * zs[k, j])
//
// Each step of the return sweep of a recurrent network adds a product of two vectors to the adjoint of its weights. All of these together are
// one product of matrices, which reads each weight once. So the loop keeps what an update needs, in rows of its own, and the updates are a nest
// of maps over the iterations.
//
// An update's value is followed back through the steps of the innermost map, and through maps that make an array whose element it is. This
// ends at elements of arrays that are there after the loop, and at what is kept: states, and values of the maps around. Each of these lacks
// a dimension of the nest, else nothing is won. Arrays that the loop goes through have rows as large as what is kept, up to a factor. With
// --ad-memory nothing is kept. A further sum that needs nothing more goes along.
//
// Where the first of the maps counts sequences, and all is read at its elements of an iteration, both are one dimension: so the sum is one
// of a contraction. The order of a sum of floats changes, so --fp-strict keeps the loop.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class TimeSums {
 public:
  TimeSums(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), forms_(p) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      if (kind_of(s.exp) == Kind::Parallel) return false;    // each of its points may run alone, and what is kept stays small
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto loop = std::get_if<For>(&s.exp);
      return loop && Loop(*this, b, s, *loop).convert(results);
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  Forms forms_;

  class Loop {
   public:
    Loop(TimeSums& pass, Builder& b, Stm& s, For& x) : pass_(pass), p_(pass.p_), b_(b), s_(s), x_(x) {}

    bool convert(Subst& results) {
      if (!s_.attrs.empty() || x_.any_order || x_.blocks || x_.counted || x_.budget || pass_.context_.options.ad_memory) return false;
      if (std::ranges::none_of(x_.state, [&](Bind s) { return is_array(p_.type(s.var)); })) return false;
      inside_ = bound_in(s_.exp);
      note_rows();
      if (rows_.empty()) return false;                       // nor is it known that n is a size
      for (size_t k = 0; k < x_.state.size(); k++) places_[x_.state[k].var] = {{}, nullptr, k};
      find(x_.body, {});
      for (size_t k = 0; k < x_.state.size(); k++)
        if (auto sum = sum_of(k)) sums_.push_back(std::move(*sum));
      for (const bool along : {false, true})
        for (Sum& sum : sums_) if (!sum.deferred && (!along || !kept_.empty())) defer(sum, along);
      if (std::ranges::none_of(sums_, &Sum::deferred) || !pass_.context_.allow()) return false;
      commit(results);
      return true;
    }

   private:
    TimeSums& pass_;
    Program& p_;
    Builder& b_;
    Stm& s_;
    For& x_;
    VarSet inside_;
    bool back_ = false;                                      // arrays are read at n - 1 - k
    std::vector<std::vector<Dim>> rows_;                     // the shapes of states, and of rows of arrays with one for each iteration

    using Around = std::vector<Stm*>;                        // maps and scopes, from the outermost
    struct Place {
      Around around;
      Stm* made;                                             // none: a parameter of the last of these, or a state
      size_t number;                                         // of the result, or of the parameter
    };
    std::unordered_map<Var, Place> places_;
    struct Addend {
      Around around;
      std::vector<Atom> at;                                  // empty: the counters of the last `own` maps
      Atom value;
      size_t own = 0;
      bool in_range = true;
    };
    struct Sum {
      size_t state;
      std::vector<Addend> updates;
      std::vector<std::pair<Stm*, Var>> scopes;              // of the array, with their tokens
      Combine combine;
      bool begins_shared = false;                            // others may have the array that the state begins as
      bool deferred = false;
      Body after = {};                                       // its nests; from `acc`
      Var token = {}, acc = {};
    };
    std::vector<Sum> sums_;
    struct Kept {
      Var value, array;                                      // array: what the loop returns
      Around around;
    };
    std::vector<Kept> kept_;
    std::vector<std::pair<Var, Var>> views_;                 // arrays in which iterations and sequences are one dimension

    bool outside(const Atom& a) const { auto v = var_of(a); return !v || !inside_.contains(*v); }
    Affine from_last() const { return pass_.forms_.of(x_.n) - Affine(1) - Affine(x_.i.var); }

    void note_rows() {
      for (Var v : free_vars(p_, s_.exp)) {
        std::vector<Dim> shape = shape_of(p_.type(v));
        if (!shape.empty() && shape[0] == x_.n) rows_.push_back({shape.begin() + 1, shape.end()});
      }
      if (rows_.empty()) return;
      each_stm(x_.body, [&](const Stm& s) {
        if (auto x = std::get_if<Index>(&s.exp); x && outside(x->array) && !x->at.empty())
          if (auto a = std::get_if<Atom>(&x->at[0])) back_ = back_ || pass_.forms_.of(*a) == from_last();
      });
    }

    // ---- Where variables are bound ----
    void find(Body& b, const Around& around) {
      for (Stm& s : b.stms) {
        for (size_t k = 0; k < s.pattern.size(); k++) places_[s.pattern[k].var] = {around, &s, k};
        Lambda* f = nullptr;
        if (auto map = std::get_if<Screma>(&s.exp); map && is_map(*map)) f = &map->pre;
        if (auto scope = std::get_if<WithAcc>(&s.exp)) f = &scope->scope;
        if (!f) continue;
        Around inner = around;
        inner.push_back(&s);
        for (size_t k = 0; k < f->params.size(); k++) places_[f->params[k].var] = {inner, nullptr, k};
        find(f->body, inner);
      }
    }
    static std::vector<const Stm*> maps_of(const Around& around) {
      std::vector<const Stm*> maps;
      for (const Stm* s : around) if (std::holds_alternative<Screma>(s->exp)) maps.push_back(s);
      return maps;
    }
    static Dim width(const Stm* map) { return std::get<Screma>(map->exp).width; }
    static std::vector<Dim> widths(const Around& around) {
      std::vector<Dim> out;
      for (const Stm* map : maps_of(around)) out.push_back(width(map));
      return out;
    }

    // ---- The updates of a state ----
    bool adds(const Dest& d) const {
      if (!d.combine || d.arrays.size() != 1 || !d.combine->shape.empty() || scalar_operator(p_, *d.combine) != ScalarOp::add) return false;
      const Scalar elem = elem_of(p_, d.combine->neutral[0]);
      return !(is_float(elem) && pass_.context_.options.strict_fp) && d.rank == isize(shape_of(p_.type(d.arrays[0])));
    }
    // Follows the accumulator through a body to its last version. None: something else has it, too.
    std::optional<Var> follow(Body& b, Var acc, const Around& around, Sum& sum) {
      for (Stm& s : b.stms) {
        const size_t uses = count_uses(p_, s, acc);
        if (uses == 0) continue;
        Around inner = around;
        inner.push_back(&s);
        if (auto u = std::get_if<AccUpdate>(&s.exp)) {
          sum.updates.push_back({around, u->at, u->values[0], 0, u->in_range});
          acc = s.pattern[0].var;
        } else if (auto map = std::get_if<Screma>(&s.exp); map && is_map(*map) && uses == 1) {
          const size_t in = size_t(std::ranges::find(map->inputs, acc) - map->inputs.begin());
          if (in == map->inputs.size()) return {};
          auto last = follow(map->pre.body, map->pre.params[in].var, inner, sum);
          auto out = last ? result_of(map->pre.body, *last) : std::nullopt;
          if (!out) return {};
          acc = s.pattern[*out].var;
        } else if (auto scope = std::get_if<WithAcc>(&s.exp)) {
          auto last = follow(scope->scope.body, acc, inner, sum);
          auto out = last && *last != acc ? result_of(scope->scope.body, *last) : std::nullopt;
          if (!out || !single(*scope)) return {};
          acc = s.pattern[*out].var;
        } else {
          return {};
        }
      }
      return acc;
    }
    static std::optional<size_t> result_of(const Body& b, const Atom& a) {
      auto found = std::ranges::find(b.result, a);
      return found == b.result.end() ? std::nullopt : std::optional(size_t(found - b.result.begin()));
    }
    // Each of its accumulators is one of one array, so results of the scope are those of its statement.
    static bool single(const WithAcc& scope) {
      return std::ranges::all_of(scope.dests, [](const Dest& d) { return d.arrays.size() == 1; });
    }
    std::optional<Sum> sum_of(size_t k) {
      const Type& t = p_.type(x_.state[k].var);
      Sum sum{k, {}, {}, {}};
      Var now = x_.state[k].var;
      if (!is_array(t)) return {};
      for (Stm& s : x_.body.stms) {
        if (!mentions(p_, s, now)) continue;
        auto next = count_uses(p_, x_.body, now) != 1 ? std::nullopt : match(s.exp, [&](WithAcc& x) { return through_scope(s, x, now, sum); },
            [&](Screma& x) { return through_map(s, x, now, sum); }, [](auto&) { return std::optional<Var>(); });
        if (!next) return {};
        now = *next;
      }
      if (x_.body.result[k] != Atom(now) || count_uses(p_, x_.body, now) != 1 || sum.updates.empty()) return {};
      return sum;
    }
    std::optional<Var> through_scope(Stm& s, WithAcc& x, Var now, Sum& sum) {
      for (size_t d = 0; d < x.dests.size(); d++) {
        if (x.dests[d].arrays.size() != 1 || x.dests[d].arrays[0] != now) continue;
        if (!adds(x.dests[d]) || !single(x)) return {};
        auto last = follow(x.scope.body, x.scope.params[x.dests.size() + d].var, {&s}, sum);
        if (!last || x.scope.body.result[d] != Atom(*last)) return {};
        if (sum.combine.op.params.empty()) sum.combine = clone(p_, *x.dests[d].combine);
        sum.scopes.push_back({&s, x.scope.params[d].var});
        return s.pattern[d].var;
      }
      return {};
    }
    // let a' = map h \(row, ..) { let row' = map d \(x, ..) { let y = add [x, v] in y } [row, ..] in row' } [a, ..]
    std::optional<Var> through_map(Stm& s, Screma& x, Var now, Sum& sum) {
      const Scalar elem = elem_of(p_.type(now));
      if (is_float(elem) && pass_.context_.options.strict_fp) return {};
      Addend update{{}, {}, {}, shape_of(p_.type(now)).size()};
      Stm* outer = &s;
      Screma* map = &x;
      Var param = now;
      std::optional<Var> whole;
      std::optional<Atom> expected;
      for (;;) {
        if (!is_map(*map)) return {};
        update.around.push_back(outer);
        auto in = std::ranges::find(map->inputs, param) - map->inputs.begin();
        if (in == isize(map->inputs)) return {};
        param = map->pre.params[size_t(in)].var;
        Stm* user = nullptr;
        for (Stm& inner : map->pre.body.stms)
          if (size_t uses = count_uses(p_, inner, param)) {
            if (user || uses != 1) return {};
            user = &inner;
          }
        if (!user || result_of(map->pre.body, param)) return {};
        Screma* inner = std::get_if<Screma>(&user->exp);
        auto out = inner ? result_with(*inner, param) : std::optional<size_t>(0);
        if (!out) return {};
        auto result = result_of(map->pre.body, user->pattern[*out].var);
        if (!result || (expected && *expected != Atom(user->pattern[*out].var))) return {};
        if (!whole) whole = s.pattern[*result].var;
        if (count_uses(p_, map->pre.body, user->pattern[*out].var) != 1) return {};
        if (inner) {
          expected = inner->pre.body.result[*out];
          outer = user;
          map = inner;
          continue;
        }
        auto add = std::get_if<Apply>(&user->exp);
        if (!add || add->op != ScalarOp::add) return {};
        update.value = add->args[0] == Atom(param) ? add->args[1] : add->args[0];
        sum.updates.push_back(std::move(update));
        sum.begins_shared = true;
        if (sum.combine.op.params.empty()) sum.combine = b_.combine(ScalarOp::add, elem, 0);
        return whole;
      }
    }
    // The result of a map that is made of its input.
    std::optional<size_t> result_with(const Screma& map, Var input) const {
      auto in = std::ranges::find(map.inputs, input) - map.inputs.begin();
      if (in == isize(map.inputs)) return {};
      for (const Stm& s : map.pre.body.stms)
        if (mentions(p_, s, map.pre.params[size_t(in)].var))
          for (Bind b : s.pattern)
            if (auto r = result_of(map.pre.body, b.var)) return r;
      return {};
    }

    // ---- What is computed after the loop ----
    struct Point {
      Builder& b;
      std::vector<Dim> dims;                                 // of the nest, without the iterations
      std::unordered_map<const Stm*, Atom> counter = {};     // of maps
      Atom row;                                              // the number of the row of this iteration
      std::vector<Var> counters;                             // of the nest, the iterations' first
      std::optional<Atom> both = {};                         // the number of a row where iterations and sequences are one dimension
      bool along = false, failed = false;
      std::unordered_map<Var, Atom> known = {};
    };
    Atom fail(Point& at) { at.failed = true; return i64_const(0); }
    Atom iteration(Point& at) {
      if (!back_) return at.row;
      return (at.b.term(x_.n) - 1 - at.b.term(at.row)).atom;
    }
    // Whether a value that has these dimensions lacks one of the nest.
    static bool smaller(std::vector<Dim> dims, const Point& at) {
      std::erase_if(dims, [](const Dim& d) { return is_const(d, 1); });
      return dims.size() < at.dims.size() && has_dims(at.dims, dims);
    }
    // How many rows of arrays that are there have as many elements.
    std::optional<int64_t> like_rows(std::vector<Dim> dims) const {
      int64_t factor = 1;
      std::erase_if(dims, [&](const Dim& d) { auto c = const_of(d); if (c) factor *= c->as_i64(); return c != nullptr; });
      return std::ranges::any_of(rows_, [&](const auto& row) { return has_dims(row, dims); }) ? std::optional(factor) : std::nullopt;
    }
    bool fits(const std::vector<Dim>& dims) const {
      auto all = like_rows(dims);
      for (const Kept& kept : kept_) if (all) *all += *like_rows(row_of(kept));
      return all && *all <= costs::records_of_state && kept_.size() < costs::records_of_loop;
    }
    std::vector<Dim> row_of(const Kept& kept) const {
      std::vector<Dim> shape = shape_of(p_.type(kept.array));
      return {shape.begin() + 1, shape.end()};
    }
    // Made of what is there after the loop by steps and reads, once for each of few points.
    bool available(const Atom& a) const {
      auto v = var_of(a);
      if (!v || outside(a) || *v == x_.i.var) return true;
      auto found = places_.find(*v);
      if (found == places_.end()) return false;
      const Place& place = found->second;
      if (!place.made) {
        if (place.around.empty()) return false;
        auto map = std::get_if<Screma>(&place.around.back()->exp);
        return map && available(map->inputs[place.number]);
      }
      if (!place.made->checks.empty()) return false;
      return match(place.made->exp, [&](const Identity& x) { return available(x.value); }, [&](const Convert& x) { return available(x.value); },
          [&](const Apply& x) { return !is_call(x.op) && std::ranges::all_of(x.args, [&](const Atom& y) { return available(y); }); },
          [&](const Index& x) {
            return available(x.array) && std::ranges::all_of(x.at, [&](const Selector& y) { auto i = std::get_if<Atom>(&y); return i && available(*i); });
          },
          [&](const Iota& x) { return available(x.start) && available(x.step); }, [&](const Replicate& x) { return available(x.value); },
          [&](const Permute& x) { return available(x.array); }, [&](const Copy& x) { return available(x.array); }, [](const auto&) { return false; });
    }
    Atom scalar(Point& at, const Atom& a) {
      auto v = var_of(a);
      if (!v || outside(a)) return a;
      if (auto found = at.known.find(*v); found != at.known.end()) return found->second;
      Atom made = made_scalar(at, *v);
      if (at.failed) made = constant(elem_of(p_.type(*v)), 0);     // what is still made of it has its type
      at.known.emplace(*v, made);
      return made;
    }
    Atom made_scalar(Point& at, Var v) {
      if (v == x_.i.var) return iteration(at);
      if (back_ && pass_.forms_.of(v) == from_last()) return at.row;
      auto found = places_.find(v);
      if (found == places_.end()) return fail(at);
      const Place& place = found->second;
      if (!place.made) {
        if (place.around.empty()) return keep(at, v, {});
        auto map = std::get_if<Screma>(&place.around.back()->exp);
        auto counter = at.counter.find(place.around.back());
        return map && counter != at.counter.end() ? element(at, map->inputs[place.number], {counter->second}) : fail(at);
      }
      const Stm& s = *place.made;
      if (auto kept = kept_result(at, v, place)) return *kept;
      const bool there = available(v), innermost = maps_of(place.around).size() >= at.dims.size();
      if (!there && !innermost && !of_one(s)) return keep(at, v, {});
      if (!s.checks.empty()) return fail(at);
      return match(s.exp, [&](const Identity& x) { return scalar(at, x.value); },
          [&](const Convert& x) {
            Atom from = scalar(at, x.value);
            return Atom(at.b.bind1(p_.hint(v), Convert{x.to, from}));
          },
          [&](const Apply& x) {
            if (is_call(x.op)) return fail(at);
            std::vector<Atom> args;
            for (const Atom& y : x.args) args.push_back(scalar(at, y));
            return Atom(at.b.bind1(p_.hint(v), Apply{x.op, args}));
          },
          [&](const Index& x) { return read_part(at, x, {}); }, [&](const auto&) { return fail(at); });
    }
    // Steps from one element of an array that is not there after the loop: it is as well to keep that, which further steps may need.
    bool of_one(const Stm& s) const {
      auto x = std::get_if<Apply>(&s.exp);
      if (!x || is_call(x->op)) return false;
      std::vector<Var> needed;
      for (const Atom& a : x->args) if (!available(a) && std::ranges::find(needed, *var_of(a)) == needed.end()) needed.push_back(*var_of(a));
      auto place = needed.size() == 1 ? places_.find(needed[0]) : places_.end();
      return place != places_.end() && (!place->second.made || of_one(*place->second.made));
    }
    // The value is a result of the map around it, and the loop keeps the map's whole result.
    std::optional<Atom> kept_result(Point& at, Var v, const Place& place) {
      if (place.around.empty()) return {};
      auto all = result_around(v);
      auto counter = at.counter.find(place.around.back());
      return all && counter != at.counter.end() && is_kept(*all) ? std::optional(keep(at, *all, {counter->second})) : std::nullopt;
    }
    // The map or scope around returns the value: this is the name that it has after that.
    std::optional<Var> result_around(Var v) const {
      const Around& around = places_.at(v).around;
      if (around.empty()) return {};
      auto map = std::get_if<Screma>(&around.back()->exp);
      auto scope = std::get_if<WithAcc>(&around.back()->exp);
      auto r = map ? result_of(map->pre.body, v) : single(*scope) ? result_of(scope->scope.body, v) : std::nullopt;
      return r ? std::optional(around.back()->pattern[*r].var) : std::nullopt;
    }
    bool is_kept(Var v) const {
      for (auto all = result_around(v); all; all = result_around(v)) v = *all;
      return std::ranges::find(kept_, v, &Kept::value) != kept_.end();
    }
    Atom read_part(Point& at, const Index& x, const std::vector<Atom>& inner) {
      std::vector<Atom> all;
      for (const Selector& sel : x.at) {
        auto a = std::get_if<Atom>(&sel);
        if (!a) return fail(at);
        all.push_back(scalar(at, *a));
      }
      all.insert(all.end(), inner.begin(), inner.end());
      return element(at, x.array, all);
    }
    // The element of an array. The indices are values after the loop.
    Atom element(Point& at, Var array, const std::vector<Atom>& index) {
      if (outside(array)) return pass_.forms_.counts(array) ? index[0] : read(at, array, index);
      auto found = places_.find(array);
      if (found == places_.end()) return fail(at);
      const Place& place = found->second;
      if (!place.made) {
        if (place.around.empty()) return keep(at, array, index);
        auto map = std::get_if<Screma>(&place.around.back()->exp);
        auto counter = at.counter.find(place.around.back());
        if (!map || counter == at.counter.end()) return fail(at);
        std::vector<Atom> all = {counter->second};
        all.insert(all.end(), index.begin(), index.end());
        return element(at, map->inputs[place.number], all);
      }
      const Stm& s = *place.made;
      if (available(array)) {
        if (auto x = std::get_if<Iota>(&s.exp)) {
          Atom step = scalar(at, x->step), start = scalar(at, x->start);
          return (at.b.term(start) + at.b.term(step) * ir::convert(elem_of(p_.type(array)), at.b.term(index[0]))).atom;
        }
        if (auto x = std::get_if<Permute>(&s.exp); x && index.size() == x->dims.size()) {
          std::vector<Atom> all(index.size());
          for (size_t d = 0; d < all.size(); d++) all[size_t(x->dims[d])] = index[d];
          return element(at, x->array, all);
        }
        if (auto x = std::get_if<Replicate>(&s.exp)) {
          const std::vector<Atom> inner(index.begin() + isize(x->shape), index.end());
          return inner.empty() ? scalar(at, x->value) : element(at, *var_of(x->value), inner);
        }
        if (auto x = std::get_if<Copy>(&s.exp)) return element(at, x->array, index);
        if (auto x = std::get_if<Index>(&s.exp)) return read_part(at, *x, index);
        return fail(at);
      }
      if (!s.checks.empty()) return fail(at);
      std::vector<Dim> dims = widths(place.around);
      for (const Dim& d : shape_of(p_.type(array))) dims.push_back(d);
      if (smaller(dims, at) || is_kept(array)) return keep(at, array, index);
      if (auto x = std::get_if<Index>(&s.exp)) return read_part(at, *x, index);
      if (auto scope = std::get_if<WithAcc>(&s.exp); scope && single(*scope) && place.number >= scope->dests.size()) {
        auto inner = var_of(scope->scope.body.result[place.number]);
        return inner ? element(at, *inner, index) : fail(at);
      }
      auto map = std::get_if<Screma>(&s.exp);
      if (!map || !is_map(*map) || index.size() != shape_of(p_.type(array)).size()) return fail(at);
      if (auto known = at.counter.find(&s); known != at.counter.end() && known->second != index[0]) return fail(at);
      at.counter[&s] = index[0];
      const Atom& result = map->pre.body.result[place.number];
      if (index.size() == 1) return scalar(at, result);
      return element(at, *var_of(result), {index.begin() + 1, index.end()});
    }
    // What is kept of a value of the loop, and of the maps around it in each of their points.
    Atom keep(Point& at, Var v, std::vector<Atom> index) {
      while (auto all = result_around(v)) {                  // all of these are there already
        if (std::holds_alternative<Screma>(places_.at(v).around.back()->exp)) {
          auto counter = at.counter.find(places_.at(v).around.back());
          if (counter == at.counter.end()) return fail(at);
          index.insert(index.begin(), counter->second);
        }
        v = *all;
      }
      const Place& place = places_.at(v);
      const Around& around = place.around;
      if (auto map = place.made ? std::get_if<Screma>(&place.made->exp) : nullptr; map && is_map(*map))
        v = place.made->pattern[*result_of(map->pre.body, map->pre.body.result[place.number])].var;   // of several results that are the same the first
      std::vector<Dim> dims = widths(around), own = shape_of(p_.type(v));
      dims.insert(dims.end(), own.begin(), own.end());
      if (!std::ranges::all_of(dims, [&](const Dim& d) { return outside(d); }) || !(is_array(p_.type(v)) || is_scalar(p_.type(v)))) return fail(at);
      auto found = std::ranges::find(kept_, v, &Kept::value);
      if (found == kept_.end()) {
        if (at.along || !smaller(dims, at) || !fits(dims)) return fail(at);
        if (is_array(p_.type(v)) && !around.empty() && may_be_consumed(v)) return fail(at);
        std::vector<Dim> shape = dims;
        shape.insert(shape.begin(), x_.n);
        Var array = p_.fresh(p_.hint(v) + "_rec", array_type(elem_of(p_.type(v)), shape));
        kept_.push_back({v, array, around});
        found = kept_.end() - 1;
      }
      std::vector<Atom> all = {at.row};
      for (const Stm* map : maps_of(around)) {
        auto counter = at.counter.find(map);
        if (counter == at.counter.end()) return fail(at);
        all.push_back(counter->second);
      }
      all.insert(all.end(), index.begin(), index.end());
      return read(at, found->array, all);
    }
    bool may_be_consumed(Var v) const {
      return std::ranges::any_of(pass_.aliases_.roots(v), [&](Var root) { return pass_.aliases_.consumes(root); });
    }
    Atom read(Point& at, Var array, std::vector<Atom> index) {
      const std::vector<Dim> shape = shape_of(p_.type(array));
      if (index.size() != shape.size()) return fail(at);
      const bool kept = std::ranges::find(kept_, array, &Kept::array) != kept_.end();
      auto varies = [&](Var counter) { return std::ranges::find(index, Atom(counter)) != index.end(); };
      if (!(kept && at.along) && std::ranges::all_of(at.counters, varies)) return fail(at);
      if (at.both && index[0] == at.row) {
        if (index.size() < 2 || index[1] != Atom(at.counters[1]) || shape[0] != x_.n || shape[1] != at.dims[0]) return fail(at);
        auto found = std::ranges::find(views_, array, &std::pair<Var, Var>::first);
        if (found == views_.end()) {
          views_.push_back({array, p_.fresh(p_.hint(array), p_.type(array))});   // its type waits for the product of the sizes
          found = views_.end() - 1;
        }
        array = found->second;
        index.erase(index.begin());
        index[0] = *at.both;
        std::vector<Dim> rest(shape.begin() + 1, shape.end());
        rest[0] = both();
        p_.vars[array.index].type = array_type(elem_of(p_.type(array)), rest);
      }
      std::vector<Selector> selectors(index.begin(), index.end());
      return at.b.bind1(p_.hint(array), Index{array, selectors});
    }
    std::optional<Var> both_;                                // the number of iterations times that of sequences
    Dim both() {
      if (!both_) both_ = p_.fresh("both", scalar_type(Scalar::I64));
      return *both_;
    }
    std::optional<Dim> sequences_;                           // their number

    // ---- The nest of an update ----
    std::optional<Var> nest(Builder& b, const Addend& u, Var acc, bool joined, bool along) {
      std::vector<const Stm*> maps = maps_of(u.around);
      std::vector<Dim> dims = widths(u.around);
      if (maps.empty() || !std::ranges::all_of(dims, [&](const Dim& d) { return outside(d); })) return {};
      if (!along && small(dims)) return {};
      if (joined && (dims.size() < 2 || (sequences_ && *sequences_ != dims[0]))) return {};
      const std::vector<Var> counters = names(dims.size() + 1);
      Point at{b, dims, {}, counters[0], counters, {}, along};
      for (size_t k = 0; k < maps.size(); k++) at.counter[maps[k]] = counters[k + 1];
      std::vector<Dim> widths = dims;
      widths.insert(widths.begin(), x_.n);
      std::vector<Var> bound = counters;
      if (joined) {
        at.both = p_.fresh("point", scalar_type(Scalar::I64));
        bound.erase(bound.begin());
        widths.erase(widths.begin());
        bound[0] = *var_of(*at.both);
        widths[0] = both();
        sequences_ = dims[0];
      }
      Body made = b.body([&] { return std::vector<Atom>{maps_over(at, u, bound, widths, 0, acc)}; });
      if (joined && (mentions(p_, made, counters[0]) || mentions(p_, made, counters[1]))) at.failed = true;
      if (at.failed) return {};
      Var last = *var_of(made.result[0]);
      b.emit_all(std::move(made.stms));
      return last;
    }
    std::vector<Var> names(size_t n) {
      std::vector<Var> out;
      for (size_t k = 0; k < n; k++) out.push_back(p_.fresh(k == 0 ? "row" : "i", scalar_type(Scalar::I64)));
      return out;
    }
    // Straight code does better for a few elements.
    static bool small(const std::vector<Dim>& dims) {
      int64_t points = 1;
      for (const Dim& d : dims) {
        auto c = const_of(d);
        if (!c) return false;
        points *= c->as_i64();
      }
      return points < costs::least_time_sum;
    }
    Var maps_over(Point& at, const Addend& u, const std::vector<Var>& bound, const std::vector<Dim>& widths, size_t depth, Var acc) {
      if (depth == bound.size()) {
        std::vector<Atom> index;
        for (const Atom& a : u.at) index.push_back(scalar(at, a));
        for (size_t k = at.counters.size() - u.own; u.at.empty() && k < at.counters.size(); k++) index.push_back(at.counters[k]);
        for (size_t k = 1; k < bound.size() && !at.along; k++)     // of two dimensions more than the array has, a sum is no contraction
          if (std::ranges::find(index, Atom(bound[k])) == index.end()) at.failed = true;
        Atom value = scalar(at, u.value);
        return at.b.bind1("acc", AccUpdate{acc, index, {value}, u.in_range});
      }
      Var is = at.b.iota(widths[depth]);
      Lambda f;
      Var inner = p_.fresh("acc_", p_.type(acc));
      f.params = {{bound[depth]}, {inner}};
      f.body = at.b.body([&] { return std::vector<Atom>{maps_over(at, u, bound, widths, depth + 1, inner)}; });
      return at.b.map("acc", widths[depth], std::move(f), {is, acc})[0];
    }
    void defer(Sum& sum, bool along) {
      auto needed = std::tie(kept_, views_, sequences_);
      const auto copy = [&] { return std::tuple(kept_, views_, sequences_); };
      const auto before = copy();
      Builder b(p_, sum.after.stms);
      b.source = s_.source;
      const Type& t = p_.type(x_.state[sum.state].var);
      sum.token = p_.fresh("t", CheckType{});
      sum.acc = p_.fresh("acc_", AccType{sum.token, shape_of(t), {ElemType{elem_of(t), {}}}});
      std::optional<Var> now = sum.acc;
      for (const Addend& u : sum.updates) {
        const auto others = copy();
        auto next = nest(b, u, *now, true, along);
        if (!next) {
          needed = others;
          next = nest(b, u, *now, false, along);
        }
        now = next;
        if (!now) break;
      }
      if (now) {
        sum.after.result = {*now};
        sum.deferred = true;
        return;
      }
      sum.after = {};
      needed = before;
    }

    // ---- The loop without the sums ----
    void commit(Subst& results) {
      b_.checks = s_.checks;
      std::vector<Var> now = records();
      for (size_t r = 0; r < kept_.size(); r++) x_.body.result.push_back(now[r]);
      for (Sum& sum : sums_) if (sum.deferred) remove(sum);
      dissolve();
      const std::vector<Atom> init = x_.init;
      const Dim n = x_.n;
      const std::vector<Bind> pattern = s_.pattern;
      b_.emit({s_.pattern, std::move(x_), s_.checks, s_.source, s_.attrs});
      if (sequences_) {
        b_.emit({{{*both_}}, Apply{ScalarOp::mul, {n, *sequences_}}, {}, s_.source, {}});
        for (const auto& [array, view] : views_) b_.emit({{{view}}, Reshape{array, shape_of(p_.type(view))}, {}, s_.source, {}});
      }
      for (Sum& sum : sums_) {
        if (!sum.deferred) continue;
        Var after = pattern[sum.state].var;
        pass_.context_.stats.count("time_sums.E9");
        WithAcc scope;
        Dest dest;
        dest.arrays = {sum.begins_shared ? b_.copy(*var_of(init[sum.state])) : *var_of(init[sum.state])};
        dest.rank = int(shape_of(p_.type(after)).size());
        dest.combine = std::move(sum.combine);
        scope.dests.push_back(std::move(dest));
        scope.scope.params = {{sum.token}, {sum.acc}};
        scope.scope.body = std::move(sum.after);
        results.emplace(after, b_.bind1(p_.hint(after), std::move(scope)));
      }
    }
    // Makes arrays of what is kept states of the loop. Returns their last versions in the body.
    std::vector<Var> records() {
      std::vector<Var> last;
      for (const Kept& kept : kept_) {
        const ArrayType type = std::get<ArrayType>(p_.type(kept.array));
        Var value = kept.value;
        for (size_t k = kept.around.size(); k-- > 0;) value = lift(*kept.around[k], value);
        Var state = p_.fresh(p_.hint(kept.array), type), updated = p_.fresh(p_.hint(kept.array), type);
        Var init = b_.bind1(p_.hint(kept.array), Scratch{type.elem, type.shape});
        x_.state.push_back({state});
        x_.init.push_back(init);
        s_.pattern.push_back({kept.array});
        last.push_back(updated);
        write(value, state, updated);
      }
      return last;
    }
    Var lift(Stm& s, Var v) {
      Body* b = nullptr;
      Type t = p_.type(v);
      if (auto map = std::get_if<Screma>(&s.exp)) {
        b = &map->pre.body;
        t = lifted(map->width, t);
      } else {
        b = &std::get<WithAcc>(s.exp).scope.body;
      }
      b->result.push_back(v);
      s.pattern.push_back({p_.fresh(p_.hint(v), t)});
      return s.pattern.back().var;
    }
    // The row of this iteration, as soon as it is there: later statements may consume it.
    void write(Var value, Var state, Var updated) {
      List<Stm> out;
      Builder b(p_, out);
      b.source = s_.source;
      bool written = false;
      auto put = [&] {
        Atom row = x_.i.var;
        if (back_) row = (b.term(x_.n) - 1 - b.term(row)).atom;
        b.emit({{{updated}}, Update{state, {row}, value}, {}, s_.source, {}});
        written = true;
      };
      if (std::ranges::any_of(x_.state, [&](Bind s) { return s.var == value; })) put();
      for (auto& s : x_.body.stms.take()) {
        const bool here = binds(*s, value);
        b.emit(std::move(s));
        if (here && !written) put();
      }
      x_.body.stms = std::move(out);
    }
    void remove(Sum& sum) {
      const Var state = x_.state[sum.state].var;
      x_.body.result[sum.state] = state;
      Subst versions;
      for (auto& [s, token] : sum.scopes) {
        auto& scope = std::get<WithAcc>(s->exp);
        const Var gone = token;
        const size_t d = size_t(std::ranges::find(scope.scope.params, gone, &Bind::var) - scope.scope.params.begin());
        drop_accumulators(p_, scope.scope.body, [&](const AccType& a) { return a.token == gone; });
        scope.scope.body.result.erase(scope.scope.body.result.begin() + i64(d));
        scope.scope.params.erase(scope.scope.params.begin() + i64(scope.dests.size() + d));
        scope.scope.params.erase(scope.scope.params.begin() + i64(d));
        scope.dests.erase(scope.dests.begin() + i64(d));
        versions.emplace(s->pattern[d].var, state);
        s->pattern.erase(s->pattern.begin() + i64(d));
      }
      substitute(p_, x_.body, versions);
    }
    // A scope without accumulators is its body.
    void dissolve() {
      List<Stm> out;
      Builder b(p_, out);
      for (auto& s : x_.body.stms.take()) {
        auto scope = std::get_if<WithAcc>(&s->exp);
        if (!scope || !scope->dests.empty()) { b.emit(std::move(s)); continue; }
        b.emit_all(std::move(scope->scope.body.stms));
        for (size_t k = 0; k < s->pattern.size(); k++) b.emit({{s->pattern[k]}, Identity{scope->scope.body.result[k]}, {}, s->source, {}});
      }
      x_.body.stms = std::move(out);
    }
  };
};

}  // namespace

void time_sums(ir::Program& program, PassContext& context) {
  TimeSums pass(program, context);
  program.each_body([&](ir::Body& b) { pass.body(b); });
}

}  // namespace raido
