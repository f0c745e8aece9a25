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
// What an update needs is read in arrays that are there after the loop, and in what is kept (values_after.h). With --ad-memory nothing is kept. A further
// sum that needs nothing more goes along.
//
// Where the first of the maps counts sequences, and all is read at its elements of an iteration, both are one dimension: so the sum is one
// of a contraction. The order of a sum of floats changes, so --fp-strict keeps the loop.
#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/fusion/values_after.h"
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
      return loop && has_order(s, *loop) && Loop(*this, b, s, *loop).convert(results);
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  Forms forms_;

  // A loop over time as the return sweep makes them, with arrays among its states.
  bool has_order(const Stm& s, const For& x) const {
    if (!s.attrs.empty() || x.any_order || x.blocks || x.counted || x.budget || context_.options.ad_memory) return false;
    return std::ranges::any_of(x.state, [&](Bind b) { return is_array(p_.type(b.var)); });
  }

  class Loop {
   public:
    Loop(TimeSums& pass, Builder& b, Stm& s, For& x) : pass_(pass), p_(pass.p_), b_(b), s_(s), x_(x), values_(p_, pass.aliases_, pass.forms_, s, x) {}

    bool convert(Subst& results) {
      if (!values_.has_rows()) return false;
      for (size_t k = 0; k < x_.state.size(); k++)
        if (auto sum = sum_of(k)) sums_.push_back(std::move(*sum));
      for (const bool along : {false, true})
        for (Sum& sum : sums_) if (!sum.deferred && (!along || !values_.needed.kept.empty())) defer(sum, along);
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
    ValuesAfter values_;

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

    // ---- The nest of an update ----
    std::optional<Var> nest(Builder& b, const Addend& u, Var acc, bool joined, bool along) {
      std::vector<const Stm*> maps = maps_of(u.around);
      std::vector<Dim> dims = widths(u.around);
      if (maps.empty() || !std::ranges::all_of(dims, [&](const Dim& d) { return values_.outside(d); })) return {};
      if (!along && small(dims)) return {};
      if (joined && (dims.size() < 2 || (values_.needed.sequences && *values_.needed.sequences != dims[0]))) return {};
      const std::vector<Var> counters = names(dims.size() + 1);
      ValuesAfter::Point at{b, dims, {}, counters[0], counters, {}, along};
      for (size_t k = 0; k < maps.size(); k++) at.counter[maps[k]] = counters[k + 1];
      std::vector<Dim> widths = dims;
      widths.insert(widths.begin(), x_.n);
      std::vector<Var> bound = counters;
      if (joined) {
        at.both = p_.fresh("point", scalar_type(Scalar::I64));
        bound.erase(bound.begin());
        widths.erase(widths.begin());
        bound[0] = *var_of(*at.both);
        widths[0] = values_.both();
        values_.needed.sequences = dims[0];
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
    Var maps_over(ValuesAfter::Point& at, const Addend& u, const std::vector<Var>& bound, const std::vector<Dim>& widths, size_t depth, Var acc) {
      if (depth == bound.size()) {
        std::vector<Atom> index;
        for (const Atom& a : u.at) index.push_back(values_.scalar(at, a));
        for (size_t k = at.counters.size() - u.own; u.at.empty() && k < at.counters.size(); k++) index.push_back(at.counters[k]);
        for (size_t k = 1; k < bound.size() && !at.along; k++)     // of two dimensions more than the array has, a sum is no contraction
          if (std::ranges::find(index, Atom(bound[k])) == index.end()) at.failed = true;
        Atom value = values_.scalar(at, u.value);
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
      const ValuesAfter::Needed before = values_.needed;
      Builder b(p_, sum.after.stms);
      b.source = s_.source;
      const Type& t = p_.type(x_.state[sum.state].var);
      sum.token = p_.fresh("t", CheckType{});
      sum.acc = p_.fresh("acc_", AccType{sum.token, shape_of(t), {ElemType{elem_of(t), {}}}});
      std::optional<Var> now = sum.acc;
      for (const Addend& u : sum.updates) {
        const ValuesAfter::Needed others = values_.needed;
        auto next = nest(b, u, *now, true, along);
        if (!next) {
          values_.needed = others;
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
      values_.needed = before;
    }

    // ---- The loop without the sums ----
    void commit(Subst& results) {
      b_.checks = s_.checks;
      std::vector<Var> now = records();
      for (size_t r = 0; r < values_.needed.kept.size(); r++) x_.body.result.push_back(now[r]);
      for (Sum& sum : sums_) if (sum.deferred) remove(sum);
      dissolve();
      const std::vector<Atom> init = x_.init;
      const Dim n = x_.n;
      const std::vector<Bind> pattern = s_.pattern;
      b_.emit({s_.pattern, std::move(x_), s_.checks, s_.source, s_.attrs});
      if (values_.needed.sequences) {
        b_.emit({{{*var_of(values_.both())}}, Apply{ScalarOp::mul, {n, *values_.needed.sequences}}, {}, s_.source, {}});
        for (const auto& [array, view] : values_.needed.views) b_.emit({{{view}}, Reshape{array, shape_of(p_.type(view))}, {}, s_.source, {}});
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
      for (const ValuesAfter::Kept& kept : values_.needed.kept) {
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
        if (values_.goes_back()) row = (b.term(x_.n) - 1 - b.term(row)).atom;
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
