// build.h - Builder: the one way to create code. Result types are computed by types_of, never passed in.
#pragma once
#include <functional>
#include <initializer_list>
#include <utility>

#include "compiler/ir/transform.h"

namespace raido::ir {

struct Term;

class Builder {
 public:
  Builder(Program& p, List<Stm>& out) : program(p), out_(&out) {}
  Program& program;
  Source source;                       // given to every statement made
  std::vector<Var> checks;             // likewise
  std::vector<Attr> attrs;             // likewise

  // Appends `let hint.. = e` and returns its binders.
  std::vector<Var> bind(const std::string& hint, Exp e);
  std::vector<Var> bind(const std::vector<std::string>& hints, Exp e);
  Var bind1(const std::string& hint, Exp e) { return bind(hint, std::move(e)).at(0); }
  void emit(Stm s) { out_->push_back(std::move(s)); }
  void emit(std::unique_ptr<Stm> s) { out_->push_back(std::move(s)); }         // the very statement: what an analysis has noted stays
  void emit_all(List<Stm> stms) { for (auto& s : stms.take()) out_->push_back(std::move(s)); }
  Var fresh(const std::string& hint, Type t) { return program.fresh(hint, std::move(t)); }
  Term term(Atom a);
  Term number(Scalar s, double value);

  // A lambda whose body is what `fill(params)` emits and whose results are what it returns.
  using Params = std::vector<std::pair<std::string, Type>>;
  template <class F> Lambda lambda(const Params& params, F fill) {
    Lambda l;
    std::vector<Var> vars;
    for (const auto& [hint, type] : params) {
      vars.push_back(program.fresh(hint, type));
      l.params.push_back({vars.back()});
    }
    l.body = body([&] { return fill(vars); });
    return l;
  }
  // A body made of what `fill` emits.
  template <class F> Body body(F fill) {
    Body b;
    List<Stm>* saved = std::exchange(out_, &b.stms);
    b.result = fill();
    out_ = saved;
    return b;
  }
  // Takes the statements out of `b` and hands them to `f`, whose emissions replace them.
  template <class F> void into(Body& b, F f) {
    List<Stm> old = std::exchange(b.stms, {});
    List<Stm>* saved = std::exchange(out_, &b.stms);
    f(old);
    out_ = saved;
  }
  // Emits a copy of the body of `l` with `args` for its parameters; returns its results.
  std::vector<Atom> inline_call(const Lambda& l, const std::vector<Atom>& args);
  // The same, consuming l: its binders stay as they are, so this may be done once. (A reference: args may be made from l.)
  std::vector<Atom> inline_once(Lambda&& l, const std::vector<Atom>& args);

  // ---- the usual operations ----
  Var iota(Dim n) { return bind1("is", Iota{n, i64_const(0), i64_const(1)}); }
  Atom replicate(std::vector<Dim> shape, Atom value);            // value itself if shape is empty
  Atom zero(const Type& t);                                      // a constant, or an array of them
  Atom index(const std::string& hint, Var array, const std::vector<Atom>& at);
  Var slice(const std::string& hint, Var array, Slice outer);    // along the outer dimension
  Var update(Var array, const std::vector<Atom>& at, Atom value);
  Var copy(Var array) { return bind1(program.hint(array), Copy{array}); }
  Var reverse(Var array);                                        // outer dimension back to front
  Var permute(Var array, std::vector<int> dims) { return bind1(program.hint(array), Permute{array, std::move(dims)}); }
  std::vector<Var> map(std::string hint, Dim width, Lambda f, std::vector<Var> inputs);
  std::vector<Var> reduce(std::string hint, Dim width, Combine op, std::vector<Var> inputs);
  std::vector<Var> scan(std::string hint, Dim width, Combine op, std::vector<Var> inputs);
  Combine combine(ScalarOp op, Scalar s, double neutral);        // a scalar operator
  Combine combine_rows(ScalarOp op, Scalar s, double neutral, std::vector<Dim> shape);
  // x + y at any array or scalar type.
  Atom add(std::string hint, Atom x, Atom y);
  // Arrays of the given rank of the types of `params`; f sees their elements: nested maps over all dimensions of `shape`.
  template <class F> std::vector<Var> map_all(std::string hint, const std::vector<Dim>& shape,
                                              const std::vector<Var>& inputs, F f) {
    return nest(hint, shape, 0, inputs, f);
  }

 private:
  template <class F> std::vector<Var> nest(const std::string& hint, const std::vector<Dim>& shape, size_t depth,
                                           const std::vector<Var>& inputs, F& f) {
    Params params;
    for (Var v : inputs) params.push_back({program.hint(v), row_type(program.type(v))});
    Lambda l = lambda(params, [&](const std::vector<Var>& rows) {
      std::vector<Atom> out;
      if (depth + 1 == shape.size()) return f(rows);
      for (Var v : nest(hint, shape, depth + 1, rows, f)) out.push_back(v);
      return out;
    });
    return map(hint, shape[depth], std::move(l), inputs);
  }
  List<Stm>* out_;
};

}  // namespace raido::ir
