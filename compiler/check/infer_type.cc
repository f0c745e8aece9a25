// Written types: names resolved, abbreviations expanded, sizes kept as written; anonymous sizes go where the language says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "compiler/check/infer.h"
#include "compiler/syntax/children.h"

namespace raido::check {

void Infer::bind_type_params(std::span<ast::TypeParam> params) {
  for (size_t i = 0; i < params.size(); i++) {
    ast::TypeParam& p = params[i];
    for (size_t k = 0; k < i; k++)
      if (params[k].name == p.name && (params[k].kind == ast::TypeParam::Kind::Size) == (p.kind == ast::TypeParam::Kind::Size))
        c.diags.report(p.span, err::duplicate_param, c.text(p.name), c.sources.place(params[k].span), c.sources.place(params[k].span));
    if (p.kind == ast::TypeParam::Kind::Size) {
      locals_[p.size] = {types.prim(Prim::I64), {}};
      c.bind(p.size);
      continue;
    }
    Lifted lifted = p.kind == ast::TypeParam::Kind::Type ? Lifted::No : p.kind == ast::TypeParam::Kind::SizeLifted ? Lifted::Size : Lifted::Full;
    p.type = types.declare({TypeDecl::Kind::Param, p.name, p.span, lifted, {}, {}, level_});
    TypeMember m;
    m.body = types.add(NamedType{p.type, {}});
    m.lifted = lifted;
    m.span = p.span;
    c.type_names.bind(p.name, m);
  }
}

SizeRef Infer::resolve_size(ast::SizeExpr& s, std::vector<Binding*>* exists) {
  if (!s.exp) {
    if (!exists) return types.any();
    Binding* b = c.program.bind({}, s.span, Binding::Kind::TypeParamName);
    wrote_anonymous = true;
    exists->push_back(b);
    return types.add(Size{NameSize{b}});
  }
  c.in_size = true;
  TypeRef t = infer(s.exp);
  c.in_size = false;
  expect(s.exp, t, types.prim(Prim::I64), err::size_type);
  if (ast::binds_names(s.exp)) {
    c.diags.report(s.exp->span, err::size_with_binding);
    return types.add(Size{ConstSize{0}});
  }
  return c.size_of(s.exp);
}

TypeRef Infer::resolve_name(ast::TypeExpr* t, ast::TName& n, std::vector<Binding*>* exists) {
  const TypeMember* member = c.lookup_type(n.path);
  lifted_ = Lifted::No;
  if (!member) return types.error();
  n.definition = member->span;
  std::string name = c.shown(n.path);
  if (types.is_error(member->body)) return types.error();
  if (n.args.size() != member->params.size()) {
    bool abstract = types.as<NamedType>(member->body) && types[types.as<NamedType>(member->body)->decl].kind == TypeDecl::Kind::Abstract;
    if (n.args.empty() && in_spec && abstract) c.diags.report(t->span, err::spec_type_args, name, std::to_string(member->params.size()));
    else if (n.args.empty()) c.diags.report(t->span, err::missing_type_args, name, std::to_string(member->params.size()));
    else {
      bool array = member->params.empty() && std::ranges::all_of(n.args, [](const ast::TypeArg& a) { return !a.type; });
      std::string help;
      if (array && member->lifted == Lifted::Size) help = fmt::format("the type hides its sizes: `type {} [n] = ..` is a type with a size as a parameter", name);
      else if (array) help = fmt::format("the sizes of an array come first: `{}{}`", fmt::join(std::vector<std::string_view>(n.args.size(), "[]"), ""), name);
      c.diags.report(t->span, err::wrong_type_args, name, std::to_string(member->params.size()), std::to_string(n.args.size())).help(help);
    }
    return types.error();
  }
  TypeMember m = *member;
  Lifted lifted = m.lifted;
  Context::Subst s;
  std::vector<Binding*> shared;
  // An anonymous size in an argument that stands in several places is one size in all of them.
  auto one = [&](SizeRef d) {
    if (!types.as<AnySize>(d)) return d;
    shared.push_back(c.program.bind({}, t->span, Binding::Kind::TypeParamName));
    return types.add(Size{NameSize{shared.back()}});
  };
  for (size_t i = 0; i < n.args.size(); i++) {
    bool size_wanted = m.params[i].size != nullptr;
    if (size_wanted != (n.args[i].type == nullptr)) {
      c.diags.report(t->span, err::wrong_type_arg_kind, size_wanted ? "A type is" : "A size is", size_wanted ? "size" : "type");
      return types.error();
    }
    bool several = !in_spec && places(m.body, m.params[i]) > 1;
    if (size_wanted) {
      SizeRef size = resolve_size(n.args[i].size, exists);
      s.sizes[m.params[i].size] = several ? one(size) : size;
      continue;
    }
    TypeRef arg = c.strip_unique(resolve(n.args[i].type, exists));
    bool element = false;
    visit_type(types, m.body, [&](TypeRef x) { if (auto* a = types.as<ArrayType>(x)) element |= places(a->elem, m.params[i]) > 0; }, [](SizeRef) {});
    if (element && !array_element(t, n.args[i].type, arg)) return types.error();
    lifted = std::max(lifted, lifted_);
    if (several) arg = rebuild(types, arg, [](TypeRef) { return TypeRef{}; }, one);
    s.types[m.params[i].type] = {{}, arg, Lifted::No, {}};
  }
  lifted_ = lifted;
  named_lifted |= m.lifted != Lifted::No;
  TypeRef body = m.body;
  if (auto* e = types.as<ExistsType>(body)) {
    ExistsType ex = *e;
    std::vector<Binding*> copies;
    for (Binding* b : ex.sizes) {
      copies.push_back(c.program.bind(b->name, t->span, Binding::Kind::TypeParamName));
      s.sizes[b] = types.add(Size{NameSize{copies.back()}});
    }
    body = c.substitute(ex.body, s);
    if (exists) exists->insert(exists->end(), copies.begin(), copies.end());
    else shared.insert(shared.end(), copies.begin(), copies.end());
  }
  else body = c.substitute(body, s);
  return shared.empty() ? body : types.add(ExistsType{types.keep(shared), body});
}

// In how many places a parameter stands in the body of its abbreviation.
size_t Infer::places(TypeRef body, const TypeMember::Param& param) {
  size_t count = 0;
  visit_type(types, body,
      [&](TypeRef t) { auto* n = types.as<NamedType>(t); count += n && !param.size && n->decl == param.type; },
      [&](SizeRef s) { c.each_name(s, [&](Binding* b) { count += b == param.size; }); });
  return count;
}

// Whether the type that `written` has just been resolved to may be the element of an array, which it is in the type `t`.
bool Infer::array_element(ast::TypeExpr* t, ast::TypeExpr* written, TypeRef elem) {
  if (types.is_error(elem)) return true;
  // As declared and as expanded; anonymous sizes of abbreviations' arguments make no array irregular.
  std::string shown = std::get_if<ast::TName>(&written->node) ? std::string(c.sources.text(written->span)) : c.show(elem);
  Lifted l = lifted_;
  visit_type(types, elem, [&](TypeRef x) {
    if (types.as<FunType>(x)) l = Lifted::Full;
    if (auto* n = types.as<NamedType>(x)) l = std::max(l, types[n->decl].lifted);
  }, [](SizeRef) {});
  if (l == Lifted::Full) c.diags.report(t->span, err::array_of_lifted, shown);
  else if (l == Lifted::Size) c.diags.report(t->span, err::array_of_size_lifted, shown);
  lifted_ = Lifted::No;                  // said once
  return l == Lifted::No;
}

TypeRef Infer::resolve_array(ast::TypeExpr* t, ast::TArray& a, std::vector<Binding*>* exists) {
  SizeRef size = resolve_size(a.size, exists);
  TypeRef elem = resolve(a.elem, exists);
  return array_element(t, a.elem, elem) ? types.array(elem, size) : types.error();
}

TypeRef Infer::resolve_sum(ast::TypeExpr* t, ast::TSum& s, std::vector<Binding*>* exists) {
  std::vector<Clause> clauses;
  std::unordered_set<Name> seen;
  Lifted lifted = Lifted::No;
  for (auto& clause : s.clauses) {
    std::vector<TypeRef> payload;
    for (ast::TypeExpr* p : clause.payload) {
      payload.push_back(resolve(p, exists));
      lifted = std::max(lifted, lifted_);
    }
    if (!seen.insert(clause.name).second) c.diags.report(clause.span, err::duplicate_constructor, c.text(clause.name));
    clauses.emplace_back(clause.name, types.keep(payload));
  }
  lifted_ = lifted;
  if (clauses.size() > 255) c.diags.report(t->span, err::too_many_constructors);
  std::sort(clauses.begin(), clauses.end(), [&](auto& a, auto& b) { return c.text(a.first) < c.text(b.first); });
  return types.add(SumType{types.keep(clauses)});
}

TypeRef Infer::resolve_arrow(ast::TArrow& a) {
  FunType f;
  f.param = resolve(a.from, nullptr);
  auto mark = c.mark();
  if (a.name) {
    locals_[a.name] = {erase(f.param), {}};
    c.bind(a.name);
  }
  std::vector<Binding*> made;
  f.result = resolve(a.to, &made);
  c.restore(mark);
  f.exists = types.keep(made);
  lifted_ = Lifted::Full;
  if (a.name) {
    f.name = c.mentions(f.result, a.name) ? a.name : nullptr;
    // One name may not occur twice along a chain of arrows, nor in the functions that are arguments further along.
    std::function<void(const ast::TypeExpr*)> look = [&](const ast::TypeExpr* rest) {
      auto* next = std::get_if<ast::TArrow>(&rest->node);
      if (!next) return;
      if (next->name && next->name->name == a.name->name)
        c.diags.report(next->name->span, err::duplicate_in_type, c.text(a.name->name), c.sources.place(a.name->span)).label(a.name->span, "bound here first");
      look(next->from);
      look(next->to);
    };
    look(a.to);
  }
  return types.add(f);
}

TypeRef Infer::resolve_exists(ast::TExists& e, std::vector<Binding*>* exists) {
  auto mark = c.mark();
  for (Binding* b : e.sizes) {
    locals_[b] = {types.prim(Prim::I64), {}};
    c.bind(b);
  }
  TypeRef body = resolve(e.body, exists);
  lifted_ = std::max(lifted_, Lifted::Size);
  c.restore(mark);
  for (Binding* b : e.sizes)
    if (!types.is_error(body) && !c.witnesses(body, b)) c.diags.report(b->span, err::size_not_constructive, c.text(b->name));
  if (exists) {
    exists->insert(exists->end(), e.sizes.begin(), e.sizes.end());
    return body;
  }
  return types.add(ExistsType{e.sizes, body});
}

TypeRef Infer::resolve(ast::TypeExpr* t, std::vector<Binding*>* exists) {
  TypeRef out = match(t->node,
      [&](ast::TName& n) { return resolve_name(t, n, exists); },
      [&](ast::TArray& a) { return resolve_array(t, a, exists); },
      [&](ast::TRecord& r) {
        std::vector<Field> fields;
        Lifted lifted = Lifted::No;
        for (auto& [name, type] : r.fields) {
          fields.emplace_back(name, resolve(type, exists));
          lifted = std::max(lifted, lifted_);
        }
        lifted_ = lifted;
        c.sort_fields(fields);
        return types.record(fields);
      },
      [&](ast::TSum& s) { return resolve_sum(t, s, exists); },
      [&](ast::TArrow& a) { return resolve_arrow(a); },
      [&](ast::TExists& e) { return resolve_exists(e, exists); },
      [&](ast::TUnique& u) {
        TypeRef inner = resolve(u.inner, exists);
        TypeRef unique = c.strip_pointless(types.add(UniqueType{inner}));
        if (unique == inner) c.diags.report(t->span, err::pointless_unique, c.show(inner));
        return unique;
      });
  t->type = out;
  return out;
}

// The body of a type declaration: its anonymous sizes become an ExistsType in front.
TypeRef Infer::abbreviation(ast::TypeExpr* body) {
  std::vector<Binding*> exists;
  TypeRef t = c.strip_unique(resolve(body, &exists));      // which parameters are consumed, definitions say themselves
  return exists.empty() ? t : types.add(ExistsType{types.keep(exists), t});
}

}  // namespace raido::check
