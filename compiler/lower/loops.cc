// loops.cc - `loop` as For and While. The state is a telescope: a size that changes is a variable before its arrays.
#include <algorithm>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

Value Lowerer::loop(const ast::Loop& l, Scope* scope) {
  std::vector<ir::Attr> attrs = std::exchange(loop_attrs_, {});
  std::optional<Value> bound;
  if (l.form != ast::Loop::Form::While) bound = eval(*l.bound, scope);
  Value init = owned(eval(*l.init, scope));
  std::vector<Atom> init_atoms = atoms(init);
  std::vector<Leaf> types = leaves_of(TypeIn{l.state->type, scope});
  CHECK(types.size() == init_atoms.size(), "a loop's state and its initial value have different structures");

  // Which sizes vary: unknown ones of the pattern that mean nothing outside.
  struct Varying { const Binding* name; size_t leaf, dim; };
  std::vector<Varying> varying;
  auto varying_at = [&](size_t i, size_t k) -> std::optional<size_t> {
    auto n = std::get_if<check::NameSize>(&checked_.result.types[types[i].dims[k].size]);
    if (!n || find(n->name, types[i].dims[k].scope)) return {};
    for (size_t v = 0; v < varying.size(); v++)
      if (varying[v].name == n->name) return v;
    return {};
  };
  for (size_t i = 0; i < types.size(); i++)
    for (size_t k = 0; k < types[i].dims.size(); k++) {
      auto n = std::get_if<check::NameSize>(&checked_.result.types[types[i].dims[k].size]);
      if (n && n->name->kind != Binding::Kind::Value && !find(n->name, types[i].dims[k].scope) && !varying_at(i, k))
        varying.push_back({n->name, i, k});
    }

  std::vector<Atom> all_init;
  std::vector<Dim> init_sizes;
  for (const Varying& v : varying) init_sizes.push_back(shape(init_atoms[v.leaf])[v.dim]);
  std::vector<std::vector<Dim>> shapes;              // of the state, with size number v as initial size
  for (size_t i = 0; i < init_atoms.size(); i++) {
    std::vector<Dim> dims = shape(init_atoms[i]);
    for (size_t k = 0; k < dims.size() && k < types[i].dims.size(); k++)
      if (auto v = varying_at(i, k)) dims[k] = init_sizes[*v];
    init_atoms[i] = with_shape(init_atoms[i], dims);
    shapes.push_back(dims);
  }
  all_init = init_sizes;
  all_init.insert(all_init.end(), init_atoms.begin(), init_atoms.end());

  // Fresh binders for the state; made twice for a while loop, whose condition has its own.
  struct State { std::vector<ir::Bind> binds; std::vector<Var> sizes; std::vector<Atom> values; std::vector<std::vector<Dim>> shapes; };
  auto make_state = [&] {
    State s;
    for (const Varying& v : varying) {
      s.sizes.push_back(program_.fresh(std::string(text(v.name->name)), ir::scalar_type(Scalar::I64)));
      s.binds.push_back({s.sizes.back()});
    }
    for (size_t i = 0; i < init_atoms.size(); i++) {
      std::vector<Dim> dims = shapes[i];
      for (size_t k = 0; k < dims.size() && k < types[i].dims.size(); k++)
        if (auto v = varying_at(i, k)) dims[k] = s.sizes[*v];
      const Var* from = ir::var_of(init_atoms[i]);
      ir::Type type = is_accumulator(init_atoms[i]) ? program_.type(init_atoms[i]) : ir::array_type(ir::elem_of(program_, init_atoms[i]), dims);
      Var state = program_.fresh(from ? program_.hint(*from) : "x", type);
      if (!from || program_.hint(*from) == "rep") program_.vars[state.index].hint = "x";
      s.binds.push_back({state});
      s.values.push_back(state);
      s.shapes.push_back(dims);
    }
    return s;
  };
  auto enter = [&](const State& s) {
    Scope* inner = new_scope(scope);
    for (size_t v = 0; v < varying.size(); v++) inner->values[varying[v].name] = dynamic(s.sizes[v]);
    bool outer = std::exchange(loop_state_, true);
    bind_pattern(*l.state, rebuild(init, s.values), inner);
    loop_state_ = outer;
    return inner;
  };
  // The results of the body in the order of the state, with the state's sizes.
  auto leave = [&](const Value& v, const State& s) {
    std::vector<Atom> values = atoms(owned(v)), results;
    CHECK(values.size() == init_atoms.size(), "a loop's body and its state have different structures");
    std::vector<Dim> new_sizes;
    for (const Varying& w : varying) new_sizes.push_back(shape(values[w.leaf])[w.dim]);
    results = new_sizes;
    for (size_t i = 0; i < values.size(); i++) {
      std::vector<Dim> dims = s.shapes[i];
      for (size_t k = 0; k < dims.size() && k < types[i].dims.size(); k++)
        if (auto w = varying_at(i, k)) dims[k] = new_sizes[*w];
      results.push_back(with_shape(values[i], dims));
    }
    return results;
  };

  std::vector<std::string> hints;
  std::vector<Var> results;
  State state = make_state();
  for (const ir::Bind& b : state.binds) hints.push_back(program_.hint(b.var));
  auto made = [&](ir::Exp e) {
    size_t others = b_->attrs.size();
    b_->attrs.insert(b_->attrs.end(), attrs.begin(), attrs.end());
    std::vector<Var> out = b_->bind(hints, std::move(e));
    b_->attrs.resize(others);
    return out;
  };
  if (l.form == ast::Loop::Form::While) {
    ir::While w{state.binds, all_init, {}, {}};
    State for_cond = make_state();
    w.cond.params = for_cond.binds;
    w.cond.body = b_->body([&] { return std::vector<Atom>{atom(eval(*l.bound, enter(for_cond)))}; });
    w.body = b_->body([&] { return leave(eval(*l.body, enter(state)), state); });
    results = made(std::move(w));
  } else {
    Var i = program_.fresh("i", ir::scalar_type(Scalar::I64));
    Atom n;
    if (l.form == ast::Loop::Form::For) n = ir::convert(Scalar::I64, term(*bound)).atom;
    else n = outer_size(*bound, {l.bound->type, scope});
    ir::For f{{i}, n, state.binds, all_init, {}};
    f.body = b_->body([&] {
      Scope* inner = enter(state);
      if (l.form == ast::Loop::Form::For) {
        Scalar s = prim({l.bound->type, scope});
        bind_pattern(*l.index, dynamic(ir::convert(s, term(Atom(i))).atom), inner);
        program_.vars[i.index].hint = std::get_if<ast::PVar>(&l.index->node) ? text(std::get<ast::PVar>(l.index->node).var->name) : "i";
      } else {
        bind_pattern(*l.index, element(*bound, i), inner);
      }
      return leave(eval(*l.body, inner), state);
    });
    results = made(std::move(f));
  }
  return rebuild(init, std::vector<Atom>(results.begin() + ptrdiff_t(varying.size()), results.end()));
}

}  // namespace raido::lower
