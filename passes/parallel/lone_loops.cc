// lone_loops.cc - devices: a loop of the CPU that reads or writes single elements becomes a kernel of one thread.
//
//   F16  for i < n (xs = a, x = b) { .. xs[j] .. }     map 1 \xs { for i < n .. } [reshape [1, m] a], whose results are
//                                                      taken out of their arrays again
//
// On the CPU each such element is a transfer, for which a thread could do thousands of operations. The loop may have nothing inside that
// is worth a kernel of its own: only arrays of few elements. It stays where it is if a kernel could not run it. That is so if it calls
// functions, makes arrays whose sizes are known only inside, or would copy large ones.
#include <algorithm>

#include "compiler/ir/aliases.h"
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
  LoneLoops(Program& p, PassContext& c) : p_(p), c_(c), aliases_(p), origins_(p) {}

  // Code outside of all kernels.
  void body(Body& b) {
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        if (runs_alone(*s) && c_.allow()) {
          alone(out, std::move(*s));
        } else {
          if (kind_of(s->exp) != Kind::Parallel) walk_parts(*s, [&](Body& inner) { body(inner); });
          out.emit(std::move(*s));
        }
      }
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  const Aliases aliases_;
  placement::Origins origins_;

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

  void alone(Builder& out, Stm s) {
    c_.stats.count("lone_loops.F16");
    out.source = s.source;
    Screma map{i64_atom(1), {}, {}, {}, {}, {}, {}};
    auto take = [&](auto& loop) {                // what the loop updates in place
      for (size_t k = 0; k < loop.init.size(); k++) {
        if (!is_array(p_.type(loop.state[k].var)) || !aliases_.consumes(loop.state[k].var)) continue;
        Var whole = *var_of(loop.init[k]), own = p_.fresh(p_.hint(whole), p_.type(whole));
        map.inputs.push_back(out.bind1(p_.hint(whole), Reshape{whole, shape_of(lifted(i64_atom(1), p_.type(whole)))}));
        map.pre.params.push_back({own});
        loop.init[k] = own;
      }
    };
    if (auto x = std::get_if<For>(&s.exp)) take(*x);
    else take(std::get<While>(s.exp));
    Stm kernel{{}, {}, s.checks, s.source, {}};
    const std::vector<Bind> results = s.pattern;
    for (Bind& b : s.pattern) {
      kernel.pattern.push_back({p_.fresh(p_.hint(b.var), lifted(i64_atom(1), p_.type(b.var)))});
      b.var = p_.fresh(p_.hint(b.var), p_.type(b.var));
      map.pre.body.result.push_back(b.var);
    }
    s.attrs.push_back({"sequential", {}});
    map.pre.body.stms.push_back(std::move(s));
    kernel.exp = std::move(map);
    const std::vector<Bind> made = kernel.pattern;
    out.emit(std::move(kernel));
    for (size_t k = 0; k < results.size(); k++) {
      std::vector<Dim> shape = shape_of(p_.type(results[k].var));
      Exp part = shape.empty() ? Exp(Index{made[k].var, {i64_atom(0)}}) : Exp(Reshape{made[k].var, shape});
      out.emit({{results[k]}, std::move(part), {}, out.source, {}});
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
