// host_loops.cc - what a device cannot run goes on on the CPU: the map around it becomes a loop there, and what is parallel in its body
// is kernels of their own.
//
//   F14  map n f xs, whose body the device has refused         for i < n { f xs[i] }
//   F15  hist with such a body                                 a map that computes places and values, which is F14, and the hist
//
// Which statements the device refused is known after the passes that follow; then these run again (PassContext::on_host). What was
// refused k times gets k loops around it, from the outside in.
#include <algorithm>
#include <map>

#include "compiler/ir/aliases.h"
#include "compiler/ir/build.h"
#include "passes/parallel/loops.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class HostLoops {
 public:
  HostLoops(Program& p, PassContext& c) : p_(p), c_(c), aliases_(p) {
    for (Source s : c.on_host) around_[s.index] = 0;
  }

  // Whether the device refused something although no map is left around it.
  bool stuck() const {
    return std::ranges::any_of(c_.on_host, [&](Source s) { return std::ranges::count(c_.on_host, s) > around_.at(s.index); });
  }

  // Code outside of all kernels, inside of `loops` loops that were made here.
  void body(Body& b, int64_t loops) {
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        out.source = s->source;
        statement(out, std::move(*s), loops);
      }
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  const Aliases aliases_;
  const VarSet none_;
  std::map<uint32_t, int64_t> around_ = {};  // a source -> the most loops around a statement of it, as made here

  // How often the device refused something in `s`.
  int64_t refused(const Stm& s) const {
    int64_t most = 0;
    auto look = [&](const Stm& inner) { most = std::max(most, i64(std::ranges::count(c_.on_host, inner.source))); };
    look(s);
    walk_parts(s, [&](const Body& b) { each_stm(b, look); });
    return most;
  }

  void note(const Stm& s, int64_t loops) {
    if (auto found = around_.find(s.source.index); found != around_.end()) found->second = std::max(found->second, loops);
  }

  void statement(Builder& out, Stm s, int64_t loops) {
    note(s, loops);
    bool is_hist = std::holds_alternative<Hist>(s.exp);
    if (!is_hist && !std::holds_alternative<Screma>(s.exp)) {
      walk_parts(s, [&](Body& inner) { body(inner, loops); });
      return out.emit(std::move(s));
    }
    if (refused(s) <= loops) {
      walk_parts(s, [&](const Body& b) { each_stm(b, [&](const Stm& inner) { note(inner, loops); }); });
      return out.emit(std::move(s));
    }
    if (is_hist) return map_before(out, std::move(s), loops);
    c_.stats.count("host_loops.F14");
    note(s, loops + 1);
    own_rows(s);
    Stm loop = loop_of(out, s, parts_of(p_, s, std::get<Screma>(s.exp)), none_);
    walk_parts(loop, [&](Body& inner) { body(inner, loops + 1); });
    out.emit(std::move(loop));
  }

  // An input of which the body consumes the elements: a loop consumes nothing of what is outside, so it takes copies.
  void own_rows(Stm& s) {
    std::vector<Var> consumed = aliases_.consumed(s);
    Screma& x = std::get<Screma>(s.exp);
    for (size_t k = 0; k < x.inputs.size(); k++) {
      Bind& param = x.pre.params[k];
      auto gone = [&](Var root) { return std::ranges::find(consumed, root) != consumed.end(); };
      if (!is_array(p_.type(param.var)) || std::ranges::none_of(aliases_.roots(x.inputs[k]), gone)) continue;
      Var row = p_.fresh(p_.hint(param.var), p_.type(param.var));
      x.pre.body.stms.insert(0, Stm{{{std::exchange(param.var, row)}}, Copy{row}, {}, s.source, {}});
    }
  }

  void map_before(Builder& out, Stm s, int64_t loops) {
    c_.stats.count("host_loops.F15");
    Hist& x = std::get<Hist>(s.exp);
    Screma map{x.width, std::move(x.inputs), std::move(x.pre), {}, {}, {}, {}};
    Stm before{{}, {}, s.checks, s.source, {}};
    x.inputs.clear();
    x.pre = {};
    for (const Atom& value : map.pre.body.result) {
      Var all = p_.fresh("each", lifted(x.width, p_.type(value))), one = p_.fresh("one", p_.type(value));
      before.pattern.push_back({all});
      x.inputs.push_back(all);
      x.pre.params.push_back({one});
      x.pre.body.result.push_back(one);
    }
    before.exp = std::move(map);
    statement(out, std::move(before), loops);
    out.emit(std::move(s));
  }
};

}  // namespace

void host_loops(Program& program, PassContext& context) {
  context.movable = context.target == Target::Gpu;
  if (context.on_host.empty()) return;
  HostLoops loops(program, context);
  program.each_body([&](Body& b) { loops.body(b, 0); });
  context.stuck = loops.stuck();
}

}  // namespace raido
