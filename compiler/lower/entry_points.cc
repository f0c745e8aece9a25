// entry_points.cc - functions that the outside world calls. External parameters become core parameters, one for each leaf,
// after the sizes that their shapes imply. A result's sizes that are not parameters come before its values.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

struct Lowerer::EntryCode {
  Scope* scope;
  ir::EntryPoint entry = {};
  std::vector<ir::Bind> sizes = {}, values = {};            // parameters
  std::vector<bool> consumes = {};                          // of the values
  struct Computed { Var param; SizeIn expression; };
  std::vector<Computed> computed = {};                      // sizes that are compared inside with what the type says
};

Var Lowerer::implicit_size(EntryCode& x, std::string hint) {
  Var v = program_.fresh(std::move(hint), ir::scalar_type(Scalar::I64));
  x.sizes.push_back({v});
  return v;
}
// Binds a size that a top-level constant makes, as `k` of `def xs: [k]i64 = filter ..`, to what the constant's value has. Other
// constants may have the size in their types, too: the first one in the source makes it.
void Lowerer::bind_made_by_constant(const Binding* made, Scope* scope) {
  const DefValue* first = nullptr;
  for (const Scope& s : scopes_)
    for (auto& [name, value] : s.values) {
      auto d = std::get_if<std::shared_ptr<const DefValue>>(&value);
      if (!s.global || !d || !(*d)->def->params.empty()) continue;
      const Span at = (*d)->def->span;
      if (first && std::pair(first->def->span.file, first->def->span.begin) <= std::pair(at.file, at.begin)) continue;
      bool mentioned = false;
      check::visit_type(checked_.result.types, (*d)->def->scheme->type, [](TypeRef) {}, [&](SizeRef size) {
        auto n = std::get_if<check::NameSize>(&checked_.result.types[size]);
        mentioned |= n && n->name == made;
      });
      if (mentioned) first = d->get();
    }
  if (!first) return;
  TypeIn type{first->def->scheme->type, first->scope};
  bind_sizes(type, instantiate(*first, type, first->def->name_span), scope);
}

// A size that is a parameter of the definition becomes an implicit parameter. A size that is an earlier i64 parameter is that
// parameter. Any other one gets a parameter of its own, which is compared inside with what the type says.
Dim Lowerer::entry_size(EntryCode& x, const SizeIn& s) {
  auto computed = [&]() -> Dim {
    Var v = implicit_size(x, "n");
    x.computed.push_back({v, s});
    return v;
  };
  return match(checked_.result.types[s.size],
      [&](const check::ConstSize& c) -> Dim { return i64_const(c.value); },
      [&](const check::NameSize& n) -> Dim {
        if (n.name->kind == Binding::Kind::UnknownSize && n.name->top_level) {
          if (!find(n.name, x.scope)) bind_made_by_constant(n.name, x.scope);
          return computed();
        }
        if (const Value* known = find(n.name, x.scope)) {
          if (auto d = std::get_if<Dynamic>(known); d && ir::var_of(d->atom)) return d->atom;
          if (std::holds_alternative<Dynamic>(*known)) return atom(*known);
        }
        if (n.name->kind == Binding::Kind::Value) return computed();   // a top-level constant, or a parameter inside a pattern
        Var v = implicit_size(x, std::string(text(n.name->name)));
        x.scope->values[n.name] = dynamic(v);
        return v;
      },
      [&](const check::ExpSize&) -> Dim { return computed(); },
      [&](const auto&) -> Dim { return implicit_size(x, "n"); });
}
Value Lowerer::entry_param(EntryCode& x, const check::External& external) {
  TypeIn type{external.type, x.scope};
  std::vector<Leaf> all = leaves_of(type);
  size_t next = 0;
  Value arg = build(type, [&]() -> Value {
    const Leaf& leaf = all[next++];
    std::vector<Dim> dims;
    for (const SizeIn& s : leaf.dims) dims.push_back(entry_size(x, s));
    std::string hint = external.name.empty() ? "x" : external.name;
    Var v = program_.fresh(hint, ir::array_type(leaf.elem, dims));
    x.values.push_back({v});
    x.consumes.push_back(external.unique && !dims.empty());
    return dynamic(v);
  });
  x.entry.params.push_back({external.type_name, next, external.opaque, external.unique});
  x.entry.param_names.push_back(external.name);
  return arg;
}

// What the function returns: the sizes of the result that are no parameters, then the values.
std::vector<ir::Type> Lowerer::entry_returns(EntryCode& x, const std::vector<Atom>& out, ir::Lambda& lambda) {
  lambda.params = x.sizes;
  lambda.params.insert(lambda.params.end(), x.values.begin(), x.values.end());
  auto is_param = [&](const Atom& a) {
    const Var* v = ir::var_of(a);
    if (!v || global_.contains(*v)) return true;
    return std::any_of(lambda.params.begin(), lambda.params.end(), [&](const ir::Bind& b) { return b.var == *v; });
  };
  std::vector<Atom> sizes;
  for (const Atom& a : out)
    for (const Dim& n : shape(a))
      if (!is_param(n) && std::find(sizes.begin(), sizes.end(), n) == sizes.end()) sizes.push_back(n);
  x.entry.result_sizes = sizes.size();
  lambda.body.result = sizes;
  lambda.body.result.insert(lambda.body.result.end(), out.begin(), out.end());
  std::vector<ir::Type> returns(sizes.size(), ir::scalar_type(Scalar::I64));
  for (const Atom& a : out) {
    ir::Type t = program_.type(a);
    walk(t, [&](Atom& n) {
      auto it = std::find(sizes.begin(), sizes.end(), n);
      if (it != sizes.end()) n = ir::result_number(size_t(it - sizes.begin()));
    });
    returns.push_back(t);
  }
  return returns;
}
// A tuple is several results for the outside, a nested one too; arrays of primitives are transparent, all else opaque, () too.
void Lowerer::external_results(TypeIn t, bool unique, std::vector<ir::ExternalType>& out) {
  t = resolve(t);
  if (auto r = std::get_if<check::RecordType>(&head(t)))
    if (!r->fields.empty() && text(r->fields[0].first) == "0") {
      for (auto& [n, field_type] : r->fields) external_results({field_type, t.scope}, unique, out);
      return;
    }
  size_t rank = 0;
  TypeIn elem = t;
  for (; std::holds_alternative<check::ArrayType>(head(elem)); rank++)
    elem = resolve({std::get<check::ArrayType>(head(elem)).elem, elem.scope});
  if (auto p = std::get_if<check::PrimType>(&head(elem))) {
    std::string type_name;
    for (size_t i = 0; i < rank; i++) type_name += "[]";
    out.push_back({type_name + std::string(check::prim_name(p->prim)), 1, false, unique});
  } else {
    out.push_back({shown(t.type), leaves_of(t).size(), true, unique});
  }
}

void Lowerer::entry_point(const check::EntryPoint& e) {
  const ast::Def& def = *e.def;
  Scope* file_scope = nullptr;
  for (Scope& s : scopes_)
    if (s.values.contains(def.self)) { file_scope = &s; break; }
  CHECK(file_scope, "the entry point `{}` is not defined", e.name);
  EntryCode x{new_scope(file_scope)};
  x.entry.name = e.name;
  ir::Lambda lambda;
  ir::Builder inner(program_, lambda.body.stms);
  ir::Builder* saved = std::exchange(b_, &inner);
  call_source_ = {};
  std::vector<Value> args;
  EntryLayout entry_layout;
  for (size_t p = 0; p < e.params.size(); p++) {
    entry_layout.params.push_back(describe({e.params[p].type, x.scope}));
    args.push_back(entry_param(x, e.params[p]));
    // A parameter's name may be a size in the types of later ones.
    if (p < def.params.size()) {
      const ast::Pat* pat = def.params[p];
      while (auto a = std::get_if<ast::PAscribe>(&pat->node)) pat = a->pat;
      if (auto v = std::get_if<ast::PVar>(&pat->node)) x.scope->values[v->var] = args.back();
    }
  }
  at(def.name_span);
  b_->source = {};
  Term fits = term(bool_const(true));
  for (const EntryCode::Computed& c : x.computed)
    if (std::optional<Atom> n = size(c.expression)) fits = and_(fits, eq(term(Atom(c.param)), term(*n)));
  Var proof = check(fits, err::argument_sizes.text, {});

  DefValue d{&def, file_scope};
  Value result = checked_by({proof}, [&] {
    Value f = instantiate(d, {def.scheme->type, x.scope}, def.name_span);
    return owned(args.empty() ? f : apply(f, args));
  });
  std::vector<Atom> out = atoms(result);
  ir::Function f;
  f.returns = entry_returns(x, out, lambda);
  b_ = saved;

  entry_layout.result = describe({e.result.type, x.scope});
  layouts.push_back(std::move(entry_layout));
  if (e.is_value) x.entry.results.push_back({"value", out.size(), true, false});
  else external_results({e.result.type, x.scope}, e.result.unique, x.entry.results);
  x.entry.sizes = x.sizes.size();
  x.entry.function = {uint32_t(program_.functions.size())};
  f.name = function_name(e.name);
  f.lambda = std::move(lambda);
  f.consumes.assign(x.sizes.size(), false);
  f.consumes.insert(f.consumes.end(), x.consumes.begin(), x.consumes.end());
  program_.functions.push_back(std::move(f));
  program_.entries.push_back(std::move(x.entry));
}

}  // namespace raido::lower
