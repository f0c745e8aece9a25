// loops.cc - `loop` as For and While. The state is a telescope: a size that changes is a variable before its arrays.
#include <algorithm>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

struct Lowerer::LoopCode {
  struct Varying { const Binding* name; size_t leaf, dim; };      // a size that changes, and where it stands first
  const ast::Loop& l;
  Scope* scope;
  std::vector<ir::Attr> attrs;
  std::optional<Value> bound;
  Value init;
  std::vector<Leaf> types;                         // of the state
  std::vector<Varying> varying = {};
  std::vector<Atom> inits = {};                    // the initial values of the sizes that change and of the leaves
  std::vector<std::vector<Dim>> shapes = {};       // of the leaves, with those sizes as they are at first

  // The number of the changing size that this dimension is.
  std::optional<size_t> varying_at(const Lowerer& lowerer, size_t leaf, size_t dim) const {
    const Binding* name = lowerer.unknown_size(types[leaf].dims[dim]);
    for (size_t v = 0; name && v < varying.size(); v++) if (varying[v].name == name) return v;
    return {};
  }
  // A shape with other values for the sizes that change.
  template <class Size> std::vector<Dim> with_sizes(const Lowerer& lowerer, size_t leaf, std::vector<Dim> dims, const std::vector<Size>& sizes) const {
    for (size_t k = 0; k < dims.size() && k < types[leaf].dims.size(); k++)
      if (auto v = varying_at(lowerer, leaf, k)) dims[k] = sizes[*v];
    return dims;
  }
};

// The binders of one body.
struct Lowerer::LoopState {
  std::vector<ir::Bind> binds = {};
  std::vector<Var> sizes = {};
  std::vector<Atom> values = {};
  std::vector<std::vector<Dim>> shapes = {};
  std::vector<std::string> hints = {};             // of the results; the pattern gives the binders other names
};

// The name of a size that means nothing where the type stands.
const Binding* Lowerer::unknown_size(const SizeIn& s) const {
  auto n = std::get_if<check::NameSize>(&checked_.result.types[s.size]);
  return n && !find(n->name, s.scope) ? n->name : nullptr;
}

Value Lowerer::loop(const ast::Loop& l, Scope* scope) {
  std::vector<ir::Attr> attrs = std::exchange(loop_attrs_, {});
  std::optional<Value> bound;
  if (l.form != ast::Loop::Form::While) bound = eval(*l.bound, scope);
  LoopCode x{l, scope, std::move(attrs), std::move(bound), owned(eval(*l.init, scope)), leaves_of(TypeIn{l.state->type, scope})};
  find_varying(x);
  initial_state(x);
  std::vector<Var> results = l.form == ast::Loop::Form::While ? while_loop(x) : for_loop(x);
  return rebuild(x.init, std::vector<Atom>(results.begin() + ptrdiff_t(x.varying.size()), results.end()));
}

// Unknown sizes of the pattern that mean nothing outside change.
void Lowerer::find_varying(LoopCode& x) {
  for (size_t i = 0; i < x.types.size(); i++)
    for (size_t k = 0; k < x.types[i].dims.size(); k++) {
      const Binding* name = unknown_size(x.types[i].dims[k]);
      if (name && name->kind != Binding::Kind::Value && !x.varying_at(*this, i, k)) x.varying.push_back({name, i, k});
    }
}

void Lowerer::initial_state(LoopCode& x) {
  std::vector<Atom> leaves = atoms(x.init);
  CHECK(x.types.size() == leaves.size(), "a loop's state and its initial value have different structures");
  std::vector<Dim> sizes;
  for (const LoopCode::Varying& v : x.varying) sizes.push_back(shape(leaves[v.leaf])[v.dim]);
  x.inits = sizes;
  for (size_t i = 0; i < leaves.size(); i++) {
    x.shapes.push_back(x.with_sizes(*this, i, shape(leaves[i]), sizes));
    x.inits.push_back(with_shape(leaves[i], x.shapes[i]));
  }
}

// Fresh binders for the state; made twice for a while loop, whose condition has its own.
Lowerer::LoopState Lowerer::fresh_state(const LoopCode& x) {
  LoopState s;
  for (const LoopCode::Varying& v : x.varying) {
    s.sizes.push_back(program_.fresh(std::string(text(v.name->name)), ir::scalar_type(Scalar::I64)));
    s.binds.push_back({s.sizes.back()});
  }
  for (size_t i = 0; i < x.shapes.size(); i++) {
    const Atom& init = x.inits[x.varying.size() + i];
    std::vector<Dim> dims = x.with_sizes(*this, i, x.shapes[i], s.sizes);
    const Var* from = ir::var_of(init);
    ir::Type type = is_accumulator(init) ? program_.type(init) : ir::array_type(ir::elem_of(program_, init), dims);
    Var state = program_.fresh(from ? program_.hint(*from) : "x", type);
    if (!from || program_.hint(*from) == "rep") program_.vars[state.index].hint = "x";
    s.binds.push_back({state});
    s.values.push_back(state);
    s.shapes.push_back(dims);
  }
  for (const ir::Bind& b : s.binds) s.hints.push_back(program_.hint(b.var));
  return s;
}

// The scope of a body: the pattern is bound to the state.
Scope* Lowerer::enter_loop(const LoopCode& x, const LoopState& s) {
  Scope* inner = new_scope(x.scope);
  for (size_t v = 0; v < x.varying.size(); v++) inner->values[x.varying[v].name] = dynamic(s.sizes[v]);
  bool outer = std::exchange(loop_state_, true);
  bind_pattern(*x.l.state, rebuild(x.init, s.values), inner);
  loop_state_ = outer;
  return inner;
}

// The results of the body in the order of the state, with the state's sizes.
std::vector<Atom> Lowerer::leave_loop(const LoopCode& x, const Value& v, const LoopState& s) {
  std::vector<Atom> values = atoms(owned(v)), results;
  CHECK(values.size() == x.shapes.size(), "a loop's body and its state have different structures");
  std::vector<Dim> sizes;
  for (const LoopCode::Varying& w : x.varying) sizes.push_back(shape(values[w.leaf])[w.dim]);
  results = sizes;
  for (size_t i = 0; i < values.size(); i++) results.push_back(with_shape(values[i], x.with_sizes(*this, i, s.shapes[i], sizes)));
  return results;
}

std::vector<Var> Lowerer::while_loop(const LoopCode& x) {
  LoopState state = fresh_state(x);
  ir::While w{state.binds, x.inits, {}, {}};
  LoopState for_cond = fresh_state(x);
  w.cond.params = for_cond.binds;
  w.cond.body = b_->body([&] { return std::vector<Atom>{atom(eval(*x.l.bound, enter_loop(x, for_cond)))}; });
  w.body = b_->body([&] { return leave_loop(x, eval(*x.l.body, enter_loop(x, state)), state); });
  return emit_loop(x, state, std::move(w));
}

std::vector<Var> Lowerer::for_loop(const LoopCode& x) {
  const ast::Loop& l = x.l;
  LoopState state = fresh_state(x);
  Var i = program_.fresh("i", ir::scalar_type(Scalar::I64));
  bool counts = l.form == ast::Loop::Form::For;
  Atom n = counts ? ir::convert(Scalar::I64, term(*x.bound)).atom : outer_size(*x.bound);
  ir::For f{{i}, n, state.binds, x.inits, {}};
  f.body = b_->body([&] {
    Scope* inner = enter_loop(x, state);
    if (counts) {
      Scalar s = prim({l.bound->type, x.scope});
      bind_pattern(*l.index, dynamic(ir::convert(s, term(Atom(i))).atom), inner);
      program_.vars[i.index].hint = std::get_if<ast::PVar>(&l.index->node) ? text(std::get<ast::PVar>(l.index->node).var->name) : "i";
    } else {
      bind_pattern(*l.index, element(*x.bound, i), inner);
    }
    return leave_loop(x, eval(*l.body, inner), state);
  });
  return emit_loop(x, state, std::move(f));
}

std::vector<Var> Lowerer::emit_loop(const LoopCode& x, const LoopState& s, ir::Exp e) {
  size_t others = b_->attrs.size();
  b_->attrs.insert(b_->attrs.end(), x.attrs.begin(), x.attrs.end());
  std::vector<Var> out = b_->bind(s.hints, std::move(e));
  b_->attrs.resize(others);
  return out;
}

}  // namespace raido::lower
