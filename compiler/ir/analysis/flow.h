// flow.h - who flows to whom: through loops, scremas, branches, operators and scopes of accumulators.
//
// One list of edges says what each operation hands on, in the order in which it runs. An analysis that follows values is what it does
// with an edge, and the question how long it repeats. A new operation does not compile here before it has said what flows.
//
// An accumulator flows from version to version. Beside that its token stands for all that its updates put into it, without what was
// there before: an analysis that wants to tell the two apart follows tokens and not versions.
#pragma once
#include <concepts>

#include "compiler/ir/transform.h"

namespace raido::ir {

enum class Flow : uint8_t {
  Same,      // the value as it is, or an array in another shape or order
  Copied,    // the value as it is, in memory of its own
  Part,      // an element, a row or a part of an array
  Into,      // it becomes an element, a row or a part of an array or accumulator; or all of them
  Rest,      // what an update or an accumulation leaves of the array as it was
  Computed,  // an operand of arithmetic, an argument of a call
  Steers,    // it decides which value is taken, where, or how often: indices, sizes, conditions
};

enum class Operators : uint8_t {
  Inside,  // what they do is walked
  Whole,   // everything that an operator makes depends on all its operands, and so do the arrays of one destination
};

// Calls edge(from, to, how) and enter(body): what flows into bodies comes before them, what comes out of them after. States of loops
// and both sides of operators receive what comes back: an analysis repeats until nothing changes.
//
// Without what sizes in types say, checks, and what functions do inside: arguments of a call flow to all its results.
template <Operators operators = Operators::Inside, std::invocable<const Atom&, Var, Flow> Edge, std::invocable<const Body&> Enter>
void each_flow(const Program& p, const Stm& s, Edge edge, Enter enter);

// The roots, and what can be reached from them along edges that `along` accepts, in the whole body.
template <Operators operators = Operators::Inside, class Along> VarSet reached(const Program& p, const Body& b, const std::vector<Var>& roots, Along along);

// ---- Templates ----

template <Operators operators, class Edge, class Enter> class FlowWalk {
 public:
  FlowWalk(const Program& p, const Stm& s, Edge& edge, Enter& enter) : p_(p), s_(s), edge_(edge), enter_(enter) {}
  void run() { match(s_.exp, [&](const auto& x) { operation(x); }); }

 private:
  const Program& p_;
  const Stm& s_;
  Edge& edge_;
  Enter& enter_;
  using Atoms = std::vector<Atom>;
  using Sources = std::vector<Atoms>;                    // for each value what it comes from: one atom, but for what an operator makes
  static constexpr bool whole = operators == Operators::Whole;

  static Sources each_alone(const Atoms& atoms) {
    Sources out;
    for (const Atom& a : atoms) out.push_back({a});
    return out;
  }

  Var result(size_t k) const { return s_.pattern[k].var; }
  void to_all(const Atom& from, Flow how) { for (Bind b : s_.pattern) edge_(from, b.var, how); }
  void each_to_all(const Atoms& from, Flow how) { for (const Atom& a : from) to_all(a, how); }
  void places(const std::vector<Selector>& at) { walk(at, [&](const Atom& a) { to_all(a, Flow::Steers); }); }

  void operation(const Identity& x) { edge_(x.value, result(0), Flow::Same); }
  void operation(const Apply& x) {
    bool choice = x.op == ScalarOp::select;
    for (size_t k = 0; k < x.args.size(); k++) edge_(x.args[k], result(0), !choice ? Flow::Computed : k == 0 ? Flow::Steers : Flow::Same);
  }
  void operation(const Convert& x) { edge_(x.value, result(0), Flow::Computed); }
  void operation(const Assert& x) { to_all(x.cond, Flow::Steers); }
  void operation(const Call& x) { each_to_all(x.args, Flow::Computed); }
  void operation(const If& x) {
    for (const Body* b : {&x.then_, &x.else_}) enter_(*b);
    for (const Body* b : {&x.then_, &x.else_})
      for (size_t k = 0; k < s_.pattern.size(); k++) edge_(b->result[k], result(k), Flow::Same);
    to_all(x.cond, Flow::Steers);
  }
  void loop(const std::vector<Bind>& state, const Atoms& init, const Body& body) {
    for (size_t k = 0; k < state.size(); k++) edge_(init[k], state[k].var, Flow::Same);
    enter_(body);
    for (size_t k = 0; k < state.size(); k++) edge_(body.result[k], state[k].var, Flow::Same);
    for (size_t k = 0; k < state.size(); k++) edge_(state[k].var, result(k), Flow::Same);
  }
  void operation(const For& x) {
    edge_(x.n, x.i.var, Flow::Steers);
    loop(x.state, x.init, x.body);
    to_all(x.n, Flow::Steers);
  }
  void operation(const While& x) {
    for (size_t k = 0; k < x.state.size(); k++) edge_(x.init[k], x.cond.params[k].var, Flow::Same);
    enter_(x.cond.body);
    loop(x.state, x.init, x.body);
    for (size_t k = 0; k < x.state.size(); k++) edge_(x.body.result[k], x.cond.params[k].var, Flow::Same);
    to_all(x.cond.body.result[0], Flow::Steers);
  }
  void operation(const Index& x) { edge_(x.array, result(0), Flow::Part); places(x.at); }
  void operation(const Update& x) { edge_(x.array, result(0), Flow::Rest); edge_(x.value, result(0), Flow::Into); places(x.at); }
  void operation(const Iota& x) { edge_(x.start, result(0), Flow::Into); edge_(x.step, result(0), Flow::Into); to_all(x.n, Flow::Steers); }
  void operation(const Replicate& x) { edge_(x.value, result(0), Flow::Into); each_to_all(x.shape, Flow::Steers); }
  void operation(const Scratch& x) { each_to_all(x.shape, Flow::Steers); }
  void operation(const ArrayLit& x) { each_to_all(x.elements, Flow::Into); }
  void operation(const Data&) {}
  void operation(const Concat& x) { for (Var v : x.arrays) edge_(v, result(0), Flow::Into); }
  void operation(const Reshape& x) { edge_(x.array, result(0), Flow::Same); }
  void operation(const Permute& x) { edge_(x.array, result(0), Flow::Same); }
  void operation(const Copy& x) { edge_(x.array, result(0), Flow::Copied); }

  void elements(const std::vector<Var>& inputs, const Lambda& f) {
    for (size_t k = 0; k < inputs.size(); k++)
      edge_(inputs[k], f.params[k].var, is_acc(p_.type(inputs[k])) ? Flow::Same : Flow::Part);
  }
  // Operands are on both sides of the operator, and so is what it makes: it is associative. The left one stands for what comes out.
  Sources combine(const Combine& c, const Sources& operands, size_t first) {
    size_t n = c.neutral.size();
    if (whole) {
      Atoms all;
      for (size_t k = 0; k < n; k++) all.insert(all.end(), operands[first + k].begin(), operands[first + k].end());
      return Sources(n, all);
    }
    Sources out;
    auto to_both = [&](const Atom& from, size_t k) { for (size_t side : {k, n + k}) edge_(from, c.op.params[side].var, Flow::Same); };
    for (size_t k = 0; k < n; k++) for (const Atom& a : operands[first + k]) to_both(a, k);
    enter_(c.op.body);
    for (size_t k = 0; k < n; k++) {
      to_both(c.op.body.result[k], k);
      out.push_back({c.op.params[k].var});
    }
    return out;
  }
  // From what `pre` or the body of a seg makes, without what goes to dests, to the results: `lift` to all outputs but reduced ones.
  void fused(const std::vector<Combine>& reduces, const std::vector<Combine>& scans, const Lambda& post,
             const std::vector<Combine>& post_reduces, const Atoms& results) {
    size_t at = 0, out = 0;
    auto reduce = [&](const std::vector<Combine>& ops, const Sources& operands) {
      for (const Combine& c : ops) {
        for (const Atoms& from : combine(c, operands, at)) {
          for (const Atom& a : from) edge_(a, result(out), Flow::Same);
          out++, at++;
        }
      }
    };
    Sources made = each_alone(results), values;
    reduce(reduces, made);
    for (const Combine& c : scans)
      for (Atoms& from : combine(c, made, at)) values.push_back(std::move(from)), at++;
    values.insert(values.end(), made.begin() + ptrdiff_t(at), made.end());
    if (!post.params.empty() || !post.body.result.empty()) {
      for (size_t k = 0; k < post.params.size(); k++) for (const Atom& a : values[k]) edge_(a, post.params[k].var, Flow::Same);
      enter_(post.body);
      values = each_alone(post.body.result);
    }
    at = values.size() - width_of(post_reduces);
    for (size_t k = 0; k < at; k++, out++)
      for (const Atom& a : values[k]) edge_(a, result(out), is_acc(p_.type(a)) ? Flow::Same : Flow::Into);
    reduce(post_reduces, values);
  }
  // Results of dests from number `out` on: what was there, combined with the values from number `at` on.
  void into_dests(const std::vector<Dest>& dests, const Atoms& values, size_t at, size_t out) {
    size_t index = at;
    for (const Dest& d : dests) at += size_t(d.rank);
    for (const Dest& d : dests) {
      size_t n = d.arrays.size();
      for (int k = 0; k < d.rank; k++, index++)
        for (size_t r = 0; r < n; r++) edge_(values[index], result(out + r), Flow::Steers);
      Sources into = each_alone({values.begin() + ptrdiff_t(at), values.begin() + ptrdiff_t(at + n)}), rest(n);
      for (size_t k = 0; k < n; k++) {
        if (d.combine && !whole) edge_(d.arrays[k], d.combine->op.params[k].var, Flow::Part);
        if (whole) rest[k].assign(d.arrays.begin(), d.arrays.end()), into[k].assign(values.begin() + ptrdiff_t(at), values.begin() + ptrdiff_t(at + n));
        else rest[k] = {d.arrays[k]};
      }
      if (d.combine && !whole) into = combine(*d.combine, into, 0);
      for (size_t k = 0; k < n; k++, at++, out++) {
        for (const Atom& a : rest[k]) edge_(a, result(out), Flow::Rest);
        for (const Atom& a : into[k]) edge_(a, result(out), Flow::Into);
      }
    }
  }
  void operation(const Screma& x) {
    elements(x.inputs, x.pre);
    enter_(x.pre.body);
    fused(x.reduces, x.scans, x.post, x.post_reduces, x.pre.body.result);
    to_all(x.width, Flow::Steers);
  }
  void operation(const Hist& x) {
    elements(x.inputs, x.pre);
    enter_(x.pre.body);
    into_dests(x.dests, x.pre.body.result, 0, 0);
    to_all(x.width, Flow::Steers);
  }
  void operation(const Seg& x) {
    for (size_t k = 0; k < x.index.size(); k++) edge_(x.extent[k], x.index[k].var, Flow::Steers);
    for (const Workspace& w : x.workspaces) edge_(w.bytes, w.block.var, Flow::Steers);
    enter_(x.body);
    size_t to_dests = 0, arrays = 0;
    for (const Dest& d : x.dests) to_dests += size_t(d.rank) + d.arrays.size(), arrays += d.arrays.size();
    Atoms made(x.body.result.begin(), x.body.result.end() - ptrdiff_t(to_dests));
    fused(x.reduces, x.scans, x.post, x.post_reduces, made);
    into_dests(x.dests, x.body.result, made.size(), s_.pattern.size() - arrays);
    each_to_all(x.extent, Flow::Steers);
  }
  void operation(const WithAcc& x) {
    size_t n = x.dests.size(), out = 0;
    for (size_t k = 0; k < n; k++)
      for (Var v : x.dests[k].arrays) edge_(v, x.scope.params[n + k].var, Flow::Rest);
    enter_(x.scope.body);
    for (size_t k = 0; k < n; k++) {
      const Dest& d = x.dests[k];
      Atom token = x.scope.params[k].var;
      Sources into(d.arrays.size(), {token});
      if (d.combine && !whole) {
        for (Bind operand : d.combine->op.params) edge_(x.scope.body.result[k], operand.var, Flow::Part);
        into = combine(*d.combine, into, 0);
      }
      for (const Atoms& from : into) {
        edge_(x.scope.body.result[k], result(out), Flow::Rest);
        for (const Atom& a : from) edge_(a, result(out), Flow::Into);
        out++;
      }
    }
    for (size_t k = n; k < x.scope.body.result.size(); k++) edge_(x.scope.body.result[k], result(out++), Flow::Same);
  }
  void operation(const AccUpdate& x) {
    Var token = std::get<AccType>(p_.type(x.acc)).token;
    edge_(x.acc, result(0), Flow::Rest);
    for (const Atom& a : x.values)
      for (Var to : {result(0), token}) edge_(a, to, Flow::Into);
    for (const Atom& a : x.at)
      for (Var to : {result(0), token}) edge_(a, to, Flow::Steers);
  }
  // The derivatives depend on all that f sees, and on the seeds.
  void derived(const Lambda& f, const Atoms& at, const Atoms& seeds) {
    for (size_t k = 0; k < at.size(); k++) edge_(at[k], f.params[k].var, Flow::Same);
    enter_(f.body);
    for (size_t k = 0; k < f.body.result.size(); k++) edge_(f.body.result[k], result(k), Flow::Same);
    if (f.body.result.size() == s_.pattern.size()) return;
    Atoms all = at;
    all.insert(all.end(), seeds.begin(), seeds.end());
    for (Var v : free_vars(p_, f)) all.push_back(v);
    for (size_t k = f.body.result.size(); k < s_.pattern.size(); k++) for (const Atom& a : all) edge_(a, result(k), Flow::Computed);
  }
  void operation(const Jvp& x) { derived(x.f, x.at, x.tangents); }
  void operation(const Vjp& x) { derived(x.f, x.at, x.adjoints); }
  void operation(const Custom& x) { derived(x.f, x.args, {}); }
  void operation(const Tunable& x) { edge_(x.fallback, result(0), Flow::Same); }
  void operation(const Alloc& x) { edge_(x.bytes, result(0), Flow::Steers); }
};

template <Operators operators, std::invocable<const Atom&, Var, Flow> Edge, std::invocable<const Body&> Enter>
void each_flow(const Program& p, const Stm& s, Edge edge, Enter enter) { FlowWalk<operators, Edge, Enter>(p, s, edge, enter).run(); }

template <Operators operators, class Along> VarSet reached(const Program& p, const Body& b, const std::vector<Var>& roots, Along along) {
  VarSet found;
  for (Var v : roots) found.insert(v);
  bool more = true;
  auto follow = [&](const Body& body, auto& self) -> void {
    for (const Stm& s : body.stms)
      each_flow<operators>(p, s,
          [&](const Atom& from, Var to, Flow how) {
            auto v = var_of(from);
            if (!v || !found.contains(*v) || found.contains(to) || !along(how)) return;
            found.insert(to);
            more = true;
          },
          [&](const Body& inner) { self(inner, self); });
  };
  while (std::exchange(more, false)) follow(b, follow);
  return found;
}

}  // namespace raido::ir
