// entry_points.cc - functions that the outside world calls: external parameters become core parameters, one for each leaf,
// after the sizes that their shapes imply; a result's sizes that are not parameters come before its values.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

void Lowerer::entry_point(const check::EntryPoint& e) {
  const ast::Def& def = *e.def;
  Scope* file_scope = nullptr;
  for (Scope& s : scopes_)
    if (s.values.contains(def.self)) { file_scope = &s; break; }
  CHECK(file_scope, "the entry point `{}` is not defined", e.name);
  Scope* scope = new_scope(file_scope);
  ir::EntryPoint entry;
  entry.name = e.name;
  ir::Lambda lambda;
  ir::Builder inner(program_, lambda.body.stms);
  ir::Builder* saved = std::exchange(b_, &inner);
  call_source_ = {};

  // Sizes: those that are a parameter of the definition become implicit parameters; one that is an earlier i64 parameter is
  // that; any other expression gets a parameter of its own, compared with the expression inside.
  std::vector<ir::Bind> sizes, values;
  std::vector<bool> consumes;
  struct Computed { Var param; SizeIn expression; };
  std::vector<Computed> computed;
  auto implicit = [&](std::string hint) {
    Var v = program_.fresh(std::move(hint), ir::scalar_type(Scalar::I64));
    sizes.push_back({v});
    return v;
  };
  std::vector<Value> args;
  EntryLayout entry_layout;
  for (size_t p = 0; p < e.params.size(); p++) {
    const check::External& external = e.params[p];
    TypeIn type{external.type, scope};
    size_t count = 0;
    std::vector<Leaf> all = leaves_of(type);
    entry_layout.params.push_back(describe(type));
    size_t next = 0;
    Value arg = build(type, [&]() -> Value {
      const Leaf& leaf = all[next++];
      std::vector<Dim> dims;
      for (const SizeIn& s : leaf.dims)
        dims.push_back(match(checked_.result.types[s.size],
            [&](const check::ConstSize& c) -> Dim { return i64_const(c.value); },
            [&](const check::NameSize& n) -> Dim {
              if (const Value* known = find(n.name, scope)) {
                if (auto d = std::get_if<Dynamic>(known); d && ir::var_of(d->atom)) return d->atom;
                if (std::holds_alternative<Dynamic>(*known)) return atom(*known);
              }
              if (n.name->kind == Binding::Kind::Value) {   // a top-level constant, or a parameter inside a pattern
                Var v = implicit("n");
                computed.push_back({v, s});
                return v;
              }
              Var v = implicit(std::string(text(n.name->name)));
              scope->values[n.name] = dynamic(v);
              return v;
            },
            [&](const check::ExpSize&) -> Dim {
              Var v = implicit("n");
              computed.push_back({v, s});
              return v;
            },
            [&](const auto&) -> Dim { return implicit("n"); }));
      std::string hint = external.name.empty() ? "x" : external.name;
      Var v = program_.fresh(hint, ir::array_type(leaf.elem, dims));
      values.push_back({v});
      consumes.push_back(external.unique && !dims.empty());
      count++;
      return dynamic(v);
    });
    args.push_back(arg);
    entry.params.push_back({external.type_name, count, external.opaque, external.unique});
    entry.param_names.push_back(external.name);
    // A parameter's name may be a size in the types of later ones.
    if (p < def.params.size()) {
      const ast::Pat* pat = def.params[p];
      while (auto a = std::get_if<ast::PAscribe>(&pat->node)) pat = a->pat;
      if (auto v = std::get_if<ast::PVar>(&pat->node)) scope->values[v->var] = arg;
    }
  }
  at(def.name_span);
  b_->source = {};
  Term fits = term(bool_const(true));
  for (const Computed& c : computed)
    if (std::optional<Atom> n = size(c.expression)) fits = and_(fits, eq(term(Atom(c.param)), term(*n)));
  Var proof = check(fits, err::argument_sizes.text, {});

  DefValue d{&def, file_scope};
  Value result = checked_by({proof}, [&] {
    Value f = instantiate(d, {def.scheme->type, scope}, def.name_span);
    return owned(args.empty() ? f : apply(f, args));
  });
  std::vector<Atom> out = atoms(result), out_sizes;
  lambda.params = sizes;
  lambda.params.insert(lambda.params.end(), values.begin(), values.end());
  auto is_param = [&](const Atom& a) {
    const Var* v = ir::var_of(a);
    if (!v || global_.contains(*v)) return true;
    return std::any_of(lambda.params.begin(), lambda.params.end(), [&](const ir::Bind& b) { return b.var == *v; });
  };
  for (const Atom& a : out)
    for (const Dim& n : shape(a))
      if (!is_param(n) && std::find(out_sizes.begin(), out_sizes.end(), n) == out_sizes.end()) out_sizes.push_back(n);
  lambda.body.result = out_sizes;
  lambda.body.result.insert(lambda.body.result.end(), out.begin(), out.end());
  std::vector<ir::Type> returns(out_sizes.size(), ir::scalar_type(Scalar::I64));
  for (const Atom& a : out) {
    ir::Type t = program_.type(a);
    walk(t, [&](Atom& n) {
      auto it = std::find(out_sizes.begin(), out_sizes.end(), n);
      if (it != out_sizes.end()) n = ir::result_number(size_t(it - out_sizes.begin()));
    });
    returns.push_back(t);
  }
  b_ = saved;

  // A tuple is several results for the outside, a nested one too; arrays of primitives are transparent, all else opaque.
  std::function<void(TypeIn)> external_results = [&](TypeIn t) {
    t = resolve(t);
    if (auto r = std::get_if<check::RecordType>(&head(t)))
      if (r->fields.empty() || text(r->fields[0].first) == "0") {
        for (auto& [n, field_type] : r->fields) external_results({field_type, t.scope});
        return;
      }
    size_t rank = 0;
    TypeIn elem = t;
    for (; std::holds_alternative<check::ArrayType>(head(elem)); rank++)
      elem = resolve({std::get<check::ArrayType>(head(elem)).elem, elem.scope});
    if (auto p = std::get_if<check::PrimType>(&head(elem))) {
      std::string type_name;
      for (size_t i = 0; i < rank; i++) type_name += "[]";
      entry.results.push_back({type_name + std::string(check::prim_name(p->prim)), 1, false, e.result.unique});
    } else {
      entry.results.push_back({shown(t.type), leaves_of(t).size(), true, e.result.unique});
    }
  };
  entry_layout.result = describe({e.result.type, scope});
  layouts.push_back(std::move(entry_layout));
  if (e.is_value) entry.results.push_back({"value", out.size(), true, false});
  else external_results({e.result.type, scope});
  entry.sizes = sizes.size();
  entry.result_sizes = out_sizes.size();
  consumes.insert(consumes.begin(), sizes.size(), false);
  entry.function = {uint32_t(program_.functions.size())};
  ir::Function f;
  f.name = function_name(e.name);
  f.lambda = std::move(lambda);
  f.consumes = std::move(consumes);
  f.returns = std::move(returns);
  program_.functions.push_back(std::move(f));
  program_.entries.push_back(std::move(entry));
}

}  // namespace raido::lower
