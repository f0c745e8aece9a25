// lone_loops.cc - devices: code of the CPU that reads or writes single elements becomes a kernel of one thread.
//
//   F16  for i < n (xs = a, x = b) { .. xs[j] .. }     map 1 \xs { for i < n .. } [reshape [1, m] a], whose results are
//                                                      taken out of their arrays again
//
//   F21  x = a[i], b = a with [j] = f x                the same, for several accesses one after the other
//
// On the CPU each such element is a transfer, for which a thread could do thousands of operations. The loop may have nothing inside that
// is worth a kernel of its own: only arrays of few elements. It stays where it is if a kernel could not run it. That is so if it calls
// functions, makes arrays whose sizes are known only inside, or would copy large ones.
#include <algorithm>
#include <functional>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "passes/memory/place_origins.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class LoneLoops {
 public:
  LoneLoops(Program& p, PassContext& c) : p_(p), c_(c), aliases_(p), origins_(p), made_(p) {}

  // Code outside of all kernels.
  void body(Body& b) {
    const LastUses last(p_, b.stms, b.result);
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& old) {
      std::vector<std::unique_ptr<Stm>> stms = old.take();
      List<Stm> run;
      for (size_t k = 0; k <= stms.size(); k++) {
        if (k < stms.size() && is_part(*stms[k])) {
          run.push_back(std::move(stms[k]));
          continue;
        }
        flush(out, std::exchange(run, {}), [&](Var v) { return last.of(v) > k; });
        if (k == stms.size()) break;
        if (kind_of(stms[k]->exp) != Kind::Parallel) walk_parts(*stms[k], overloaded{[&](Body& inner) { body(inner); }, [](Dest&) {}});
        out.emit(std::move(stms[k]));
      }
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  const Aliases aliases_;
  placement::Origins origins_;
  const Definitions made_;

  bool runs_alone(const Stm& loop) {
    if (kind_of(loop.exp) != Kind::Loop) return false;
    VarSet inside;
    each_bind(loop, [&](Var v) { inside.insert(v); });
    auto is_known = [&](const Stm& s) {          // what it makes has sizes from outside
      return std::ranges::all_of(s.pattern, [&](Bind b) {
        const Type& t = p_.type(b.var);
        return std::ranges::none_of(shape_of(t), [&](const Dim& d) { return var_of(d) && inside.contains(*var_of(d)); });
      });
    };
    bool fits = is_known(loop) && std::ranges::all_of(loop.pattern, [&](Bind b) { return is_array(p_.type(b.var)) || is_scalar(p_.type(b.var)); });
    bool touches = false;
    fits = fits && fits_thread(loop);
    walk_parts(loop, [&](const Body& b) {
      each_stm(b, [&](const Stm& s) {
        fits = fits && fits_thread(s) && (is_view(s.exp) || is_known(s)) && std::ranges::find(c_.on_host, s.source) == c_.on_host.end();
        touches |= is_access(s);
      });
    });
    return fits && touches;
  }
  bool is_access(const Stm& s) const {
    return kind_of(s.exp) == Kind::Write || std::holds_alternative<ArrayLit>(s.exp) ||
           (std::holds_alternative<Index>(s.exp) && is_scalar(p_.type(s.pattern[0].var)));
  }
  // Whether one thread can do it, and no kernel of many threads would do it sooner.
  bool fits_thread(const Stm& s) {
    auto stays = [&](const auto& loop) {         // each state that is an array
      for (size_t k = 0; k < loop.state.size(); k++)
        if (!is_small(shape_of(p_.type(loop.state[k].var))) && !origins_.works_in_place(loop, k)) return false;
      return true;
    };
    return match(s.exp,
      [&](const For& x) { return stays(x); }, [&](const While& x) { return stays(x); },
      [&](const If&) {
        return std::ranges::all_of(s.pattern, [&](Bind b) { return is_small(shape_of(p_.type(b.var))) || origins_.of(b.var, origins_.depth(b.var)) != b.var; });
      },
      [&](const Screma& x) {
        return is_small({x.width}) && std::ranges::all_of(s.pattern, [&](Bind b) { return is_small(shape_of(p_.type(b.var))); });
      },
      [&](const Hist& x) { return is_small({x.width}); },
      [&](const Update& x) { return is_small(shape_of(p_.type(x.value))); },
      [&](const AccUpdate& x) { return std::ranges::all_of(x.values, [&](const Atom& a) { return is_small(shape_of(p_.type(a))); }); },
      [&](const Reshape& x) { return shape_of(p_.type(x.array)).size() == 1 || x.shape.size() == shape_of(p_.type(x.array)).size(); },
      [&](const Scratch&) { return true; }, [](const Call&) { return false; }, [](const Tunable&) { return false; },
      [&](const auto&) { return kind_of(s.exp) != Kind::Make || is_small(shape_of(p_.type(s.pattern[0].var))); });
  }
  bool is_small(const std::vector<Dim>& shape) const {
    double elements = 1;
    for (const Dim& d : shape) {
      if (!const_of(d)) return false;
      elements *= costs::expected(d);
    }
    return elements <= costs::gpu::lone_elements;
  }

  // ---- runs of statements ----

  // What one thread may do beside others: a loop, an access, or a step on numbers.
  bool is_part(const Stm& s) {
    if (kind_of(s.exp) == Kind::Loop) return runs_alone(s);
    if (!s.attrs.empty() || s.pattern.size() != 1 || std::holds_alternative<Tunable>(s.exp)) return false;
    if (auto x = std::get_if<Update>(&s.exp)) return is_scalar(p_.type(x->value)) && selects_cell(*x);
    Kind k = kind_of(s.exp);
    if (k == Kind::Check) return true;
    return is_scalar(p_.type(s.pattern[0].var)) && (k == Kind::Step || k == Kind::View || k == Kind::Read);
  }
  static bool selects_cell(const Update& x) {
    return std::ranges::all_of(x.at, [](const Selector& i) { return std::holds_alternative<Atom>(i); });
  }

  void flush(Builder& out, List<Stm> run, const std::function<bool(Var)>& is_used_later) {
    VarSet near;                                 // what accesses make, and what is computed of that
    double transfers = 0, results = 1;           // and the launch
    bool has_loop = false, has_write = false, possible = true, used = false;
    std::vector<const Stm*> kernel;
    for (const Stm& s : run) {
      bool access = kind_of(s.exp) == Kind::Loop || is_access(s), here = access || mentions(p_, s, near);
      if (!here) continue;
      kernel.push_back(&s);
      has_loop |= kind_of(s.exp) == Kind::Loop;
      transfers += access;
      if (auto x = std::get_if<Update>(&s.exp)) {
        has_write = true;
        transfers += var_of(x->value) && made_.get<Screma>(*var_of(x->value));      // which would be read for that
      }
      for (Bind b : s.pattern) {
        near.insert(b.var);
        if (!is_used_later(b.var)) continue;
        used = true;
        results += !is_array(p_.type(b.var));
        possible = possible && !is_check(p_.type(b.var));
      }
    }
    bool several = (has_loop && kernel.size() > 1) || (has_write && transfers > results);
    if (several && used && possible && !meets_itself(run, near) && c_.allow()) {
      c_.stats.count(has_loop ? "lone_loops.F16" : "lone_loops.F21");
      List<Stm> part;
      for (auto& s : run.take()) {
        if (std::ranges::find(kernel, s.get()) != kernel.end()) part.push_back(std::move(s));
        else out.emit(std::move(s));
      }
      return alone(out, std::move(part), is_used_later);
    }
    for (auto& s : run.take()) {
      if (kind_of(s->exp) != Kind::Loop || !c_.allow()) { out.emit(std::move(s)); continue; }
      c_.stats.count("lone_loops.F16");
      List<Stm> one;
      one.push_back(std::move(s));
      alone(out, std::move(one), [](Var) { return true; });
    }
  }
  // Arrays from outside that a statement consumes.
  template <class F> void each_taken(Stm& s, F f) const {
    if (auto x = std::get_if<Update>(&s.exp)) f(x->array);
    auto loop = [&](auto& x) {
      for (size_t k = 0; k < x.init.size(); k++)
        if (is_array(p_.type(x.state[k].var)) && aliases_.consumes(x.state[k].var)) f(*var_of(x.init[k]));
    };
    if (auto x = std::get_if<For>(&s.exp)) loop(*x);
    if (auto x = std::get_if<While>(&s.exp)) loop(*x);
  }
  // Whether the run uses what it updates under another name, too.
  bool meets_itself(List<Stm>& run, const VarSet& near) const {
    VarSet taken;
    std::vector<Var> all;
    for (Stm& s : run) each_taken(s, [&](Var v) { if (!near.contains(v)) taken.insert(v), all.push_back(v); });
    bool meets = false;
    for (const Stm& s : run)
      each_use(p_, s, [&](Var v) {
        if (!is_array(p_.type(v)) || near.contains(v) || taken.contains(v)) return;
        meets |= std::ranges::any_of(all, [&](Var t) { return aliases_.may_alias(v, t); });
      });
    return meets;
  }

  void alone(Builder& out, List<Stm> part, const std::function<bool(Var)>& is_used_later) {
    Screma map{i64_atom(1), {}, {}, {}, {}, {}, {}};
    Stm kernel{{}, {}, {}, part[0].source, {}};
    out.source = kernel.source;
    Subst names;
    VarSet inside;
    std::vector<Bind> results;
    for (Stm& s : part) {
      each_taken(s, [&](Var whole) {             // it is the only row of an array
        if (inside.contains(whole)) return;
        Var own = p_.fresh(p_.hint(whole), p_.type(whole));
        map.inputs.push_back(out.bind1(p_.hint(whole), Reshape{whole, shape_of(lifted(i64_atom(1), p_.type(whole)))}));
        map.pre.params.push_back({own});
        names.emplace(whole, own);
      });
      for (Bind b : s.pattern) inside.insert(b.var);
    }
    for (Stm& s : part) {
      substitute(p_, s, names);
      for (Bind& b : s.pattern) {
        if (!is_used_later(b.var)) continue;
        results.push_back(b);
        kernel.pattern.push_back({p_.fresh(p_.hint(b.var), lifted(i64_atom(1), p_.type(b.var)))});
        Var own = p_.fresh(p_.hint(b.var), p_.type(b.var));
        names.emplace(b.var, own);
        b.var = own;
        map.pre.body.result.push_back(own);
      }
      if (kind_of(s.exp) == Kind::Loop) s.attrs.push_back({"sequential", {}});
    }
    map.pre.body.stms = std::move(part);
    kernel.exp = std::move(map);
    const std::vector<Bind> made = kernel.pattern;
    out.emit(std::move(kernel));
    for (size_t k = 0; k < results.size(); k++) {
      std::vector<Dim> shape = shape_of(p_.type(results[k].var));
      Exp value = shape.empty() ? Exp(Index{made[k].var, {i64_atom(0)}}) : Exp(Reshape{made[k].var, shape});
      out.emit({{results[k]}, std::move(value), {}, out.source, {}});
    }
  }
};

}  // namespace

void lone_loops(Program& program, PassContext& context) {
  if (context.target != Target::Gpu) return;
  LoneLoops pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
