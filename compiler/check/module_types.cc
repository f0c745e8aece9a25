// module_types.cc - module types: their specifications, and their copies with other types in place of the open ones.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/check/modules.h"

namespace raido::check {

// --- substitution in module types ---

// The values of a module that sizes may mention: numbers, and what the sizes of its types name.
void Modules::each_origin(const ModuleInfo& module, const std::function<void(const std::vector<Name>&, const TermMember&)>& f) {
  FlatMap<Binding*, bool> named;
  auto look_at = [&](TypeRef t) {
    visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) {
      if (types.as<ExpSize>(s)) c.each_name(s, [&](Binding* b) { if (b->kind == Binding::Kind::Value) named[b] = true; });
    });
  };
  auto is_i64 = [&](TypeRef t) { auto* p = types.as<PrimType>(t); return p && p->prim == Prim::I64; };
  std::function<void(const ModuleInfo&)> look = [&](const ModuleInfo& m) {
    for (auto& [name, member] : m.terms) {
      if (member.module) look(*member.module);
      else if (member.scheme) look_at(member.scheme->type);
    }
    for (auto& [name, member] : m.types) look_at(member.body);
  };
  look(module);
  std::vector<Name> path;
  std::function<void(const ModuleInfo&)> go = [&](const ModuleInfo& m) {
    for (auto& [name, member] : m.terms) {
      path.push_back(name);
      if (member.module) go(*member.module);
      else if (member.origin && member.scheme && (is_i64(member.scheme->type) || named.contains(member.origin))) f(path, member);
      path.pop_back();
    }
  };
  go(module);
}

// Another module of the same type has other sizes.
void Modules::new_origins(const ModuleInfo& m, Context::Subst& s) {
  each_origin(m, [&](const std::vector<Name>& path, const TermMember& member) {
    if (s.sizes.contains(member.origin)) return;
    Binding* b = c.program.bind(path.back(), member.span, Binding::Kind::Value);
    b->top_level = true;
    b->scheme = member.scheme;
    s.sizes[member.origin] = types.add(Size{NameSize{b}});
  });
}

std::span<ast::Origin> Modules::record_origins(const ModuleInfo& m) {
  std::vector<ast::Origin> out;
  each_origin(m, [&](const std::vector<Name>& path, const TermMember& member) { out.push_back({member.origin, c.program.arena.copy(path)}); });
  return c.program.arena.copy(out);
}

void Modules::match_origins(const ModuleInfo& impl, const ModuleInfo& sig, Context::Subst& found) {
  for (auto& [name, spec] : sig.terms) {
    auto it = impl.terms.find(name);
    if (it == impl.terms.end()) continue;
    if (spec.module && it->second.module) match_origins(*it->second.module, *spec.module, found);
    else if (spec.origin && it->second.origin) found.sizes[spec.origin] = types.add(Size{NameSize{it->second.origin}});
  }
}

TypeMember Modules::substitute(const TypeMember& m, const Context::Subst& s) {
  TypeMember out = m;
  out.body = c.substitute(m.body, s);
  return out;
}

const ModuleInfo* Modules::substitute(const ModuleInfo& m, const Context::Subst& s) {
  if (s.empty()) return &m;
  ModuleInfo out;
  out.unknown = m.unknown;
  auto term = [&](const TermMember& member) {
    TermMember copy = member;
    if (member.scheme) {
      TypeRef t = c.substitute(member.scheme->type, s);
      if (t != member.scheme->type) {
        Scheme scheme = *member.scheme;
        scheme.type = t;
        copy.scheme = c.scheme(std::move(scheme));
      }
    }
    if (member.module) copy.module = substitute(*member.module, s);
    if (const SizeRef* size = member.origin ? s.sizes.find(member.origin) : nullptr)
      if (auto* n = types.as<NameSize>(*size)) copy.origin = n->name;
    return copy;
  };
  for (auto& [name, member] : m.terms) out.terms[name] = term(member);
  for (auto& [name, member] : m.hidden) out.hidden.emplace_back(name, term(member));
  for (auto& [name, member] : m.types) out.types[name] = substitute(member, s);
  for (auto& [name, sig] : m.mod_types) out.mod_types[name] = c.mod_type({substitute(*sig->info, s), sig->abstracts});
  if (m.param) out.param = substitute(*m.param, s);
  out.param_name = m.param_name;
  if (m.result) out.result = substitute(*m.result, s);
  out.param_abstracts = m.param_abstracts;
  out.result_abstracts = m.result_abstracts;
  return c.module(std::move(out));
}

// The same module type with new types in place of the open ones.
ModTypeInfo Modules::fresh_copy(const ModTypeInfo& t, const std::string& prefix) {
  Context::Subst s;
  ModTypeInfo out;
  for (const AbstractAt& a : t.abstracts) {
    TypeDecl copy = types[a.type];
    copy.shown = prefix + join(a.path, ".", [&](Name n) { return std::string(c.text(n)); });
    TypeId id = types.declare(copy);
    out.abstracts.push_back({id, a.path});
    const TypeMember* old = type_at(*t.info, a.path);
    TypeMember m;
    std::vector<TypeArg> args;
    if (old)
      for (const TypeMember::Param& p : old->params)
        args.push_back(p.size ? TypeArg{{}, types.add(Size{NameSize{p.size}})} : TypeArg{types.add(NamedType{p.type, {}}), {}});
    if (old) m.params = old->params, m.lifted = old->lifted;
    m.body = types.add(NamedType{id, types.keep(args)});
    s.types[a.type] = m;
  }
  new_origins(*t.info, s);
  out.info = substitute(*t.info, s);
  return out;
}

// --- module types ---

ModTypeInfo Modules::mod_type(ast::ModType* t) {
  return match(t->node,
      [&](ast::SName& n) {
        const ModTypeInfo* found = c.lookup_mod_type(n.path);
        if (!found) {
          ModuleInfo unknown;
          unknown.unknown = true;
          return ModTypeInfo{c.module(std::move(unknown)), {}};
        }
        n.definition = found->definition;
        return fresh_copy(*found, "");
      },
      [&](ast::SSpecs& s) { return specs(s); },
      [&](ast::SWith& w) { return refine(w, t->span); },
      [&](ast::SArrow& a) {
        auto mark = c.mark();
        ModTypeInfo param = mod_type(a.from);
        if (a.param) {
          param = fresh_copy(param, std::string(c.text(a.param->name)) + ".");
          a.param->module = param.info;
          a.param->used = true;
          c.bind(a.param);
        }
        ModTypeInfo result = mod_type(a.to);
        c.restore(mark);
        ModuleInfo out;
        out.param = param.info, out.param_abstracts = param.abstracts;
        out.result = result.info, out.result_abstracts = result.abstracts;
        return ModTypeInfo{c.module(std::move(out)), {}};
      });
}

void Modules::specify(ModuleInfo& out, Name name, const TermMember& member) {
  auto [it, is_new] = out.terms.emplace(name, member);
  if (is_new) return;
  if (it->second.scheme) out.hidden.emplace_back(name, it->second);
  it->second = member;
}

void Modules::spec_value(ast::SpecVal& v, ModuleInfo& out) {
  auto mark = c.mark();
  Scheme s;
  size_t errors = c.diags.error_count(), unknown = c.unknown_uses;
  {
    Infer infer(c);
    infer.in_spec = true;
    infer.bind_type_params(v.tparams);
    for (ast::TypeParam& p : v.tparams) {
      if (p.size) s.sizes.push_back(p.size);
      else s.types.push_back(p.type);
    }
    s.type = infer.resolve(v.type, nullptr);
    infer.finish();
    Sizes sizes(c, infer);
    sizes.written_sizes(v.type);
    sizes.finish();
  }
  c.restore(mark);
  bool anonymous = false;
  visit_type(types, s.type, [&](TypeRef t) { anonymous |= types.as<ExistsType>(t) != nullptr; },
             [&](SizeRef d) { anonymous |= types.as<AnySize>(d) != nullptr; });
  if (anonymous) {
    c.diags.report(v.type->span, err::anonymous_in_spec);
    s.type = rebuild(types, s.type, [](TypeRef) { return TypeRef{}; }, [&](SizeRef d) {
      if (!types.as<AnySize>(d)) return d;
      Binding* b = c.program.bind({}, v.type->span, Binding::Kind::Size);
      s.sizes.push_back(b);
      return types.add(Size{NameSize{b}});
    });
  }
  if (c.diags.error_count() != errors || c.unknown_uses != unknown) s.type = types.error();
  // Later specs may use it in sizes.
  Binding* b = c.program.bind(v.name, v.name_span, Binding::Kind::Value);
  b->scheme = c.scheme(s);
  b->top_level = true;
  specify(out, v.name, {b->scheme, nullptr, v.name_span, b});
  c.bind(b);
}

void Modules::spec_type(ast::SpecType& t, ModuleInfo& out, Abstracts& abstracts) {
  TypeMember m;
  m.lifted = lifted_of(t.lifted);
  m.span = t.name_span;
  auto inner = c.mark();
  {
    Infer infer(c);
    infer.in_spec = true;
    infer.bind_type_params(t.params);
    if (t.body) {
      m.body = infer.abbreviation(t.body);
      infer.finish();
      Sizes sizes(c, infer);
      sizes.written_sizes(t.body);
      sizes.finish();
      check_abbreviation(t.lifted, m.body, t.params, t.body->span, infer);
    }
  }
  c.restore(inner);
  m.params = type_params(t.params);
  if (!t.body) {
    TypeDecl d{TypeDecl::Kind::Abstract, t.name, t.name_span, m.lifted};
    std::vector<TypeArg> args;
    for (ast::TypeParam& p : t.params) {
      d.params.push_back({p.size != nullptr, p.size ? Lifted::No : types[p.type].lifted});
      args.push_back(p.size ? TypeArg{{}, types.add(Size{NameSize{p.size}})} : TypeArg{types.add(NamedType{p.type, {}}), {}});
    }
    TypeId id = types.declare(std::move(d));
    abstracts.push_back({id, {t.name}});
    m.body = types.add(NamedType{id, types.keep(args)});
  }
  out.types[t.name] = m;
  c.type_names.bind(t.name, m);
}

void Modules::spec_module(ast::SpecModule& m, ModuleInfo& out, Abstracts& abstracts) {
  ModTypeInfo inner = fresh_copy(mod_type(m.type), std::string(c.text(m.name)) + ".");
  out.terms[m.name] = {nullptr, inner.info, m.name_span};
  for (AbstractAt a : inner.abstracts) {
    a.path.insert(a.path.begin(), m.name);
    abstracts.push_back(a);
  }
  Binding* b = c.program.bind(m.name, m.name_span, Binding::Kind::Module);
  b->module = inner.info;
  b->used = true;
  c.bind(b);
}

void Modules::include(ast::SpecInclude& i, ModuleInfo& out, Abstracts& abstracts) {
  ModTypeInfo inner = mod_type(i.type);
  if (inner.info->is_functor()) {
    c.diags.report(i.type->span, err::unapplied_functor, c.sources.text(i.type->span));
    return;
  }
  if (inner.info->unknown) {
    c.open_unknown();
    out.unknown = true;
    return;
  }
  Binding* through = c.program.bind({}, i.type->span, Binding::Kind::Open);
  through->module = inner.info;
  c.open(*inner.info, through);
  out.hidden.insert(out.hidden.end(), inner.info->hidden.begin(), inner.info->hidden.end());
  for (auto& [name, member] : inner.info->terms) specify(out, name, member);
  for (auto& [name, member] : inner.info->types) {
    if (out.types.count(name)) c.diags.report(i.type->span, err::include_shadows, c.text(name));
    out.types[name] = member;
  }
  abstracts.insert(abstracts.end(), inner.abstracts.begin(), inner.abstracts.end());
}

ModTypeInfo Modules::specs(ast::SSpecs& s) {
  auto mark = c.mark();
  ModuleInfo out;
  Abstracts abstracts;
  Seen seen;
  for (ast::Spec& spec : s.specs) {
    match(spec.node,
        [&](ast::SpecVal& v) {
          no_duplicate(seen.terms, v.name, v.name_span, "", err::duplicate_spec);
          spec_value(v, out);
        },
        [&](ast::SpecType& t) {
          no_duplicate(seen.types, t.name, t.name_span, "type", err::duplicate_spec);
          spec_type(t, out, abstracts);
        },
        [&](ast::SpecModule& m) {
          no_duplicate(seen.terms, m.name, m.name_span, "", err::duplicate_spec);
          spec_module(m, out, abstracts);
        },
        [&](ast::SpecInclude& i) { include(i, out, abstracts); });
    c.scratch.release();
  }
  c.restore(mark);
  return {c.module(std::move(out)), std::move(abstracts)};
}

ModTypeInfo Modules::refine(ast::SWith& w, Span at) {
  ModTypeInfo base = mod_type(w.base);
  if (base.info->unknown) return base;
  std::vector<Name> path(w.type.names.begin(), w.type.names.end());
  auto found = std::find_if(base.abstracts.begin(), base.abstracts.end(), [&](const AbstractAt& a) { return a.path == path; });
  if (found == base.abstracts.end()) {
    c.diags.report(w.type.span, err::not_abstract, c.shown(w.type));
    ModuleInfo unknown = *base.info;
    unknown.unknown = true;
    return {c.module(std::move(unknown)), base.abstracts};
  }
  TypeDecl decl = types[found->type];
  auto mark = c.mark();
  TypeMember m;
  Lifted lifted;
  {
    Infer infer(c);
    infer.bind_type_params(w.params);
    m.body = infer.abbreviation(w.body);
    lifted = std::max(infer.lifted(), c.liftedness(m.body));
    infer.finish();
    Sizes sizes(c, infer);
    sizes.written_sizes(w.body);
    sizes.finish();
  }
  c.restore(mark);
  m.params = type_params(w.params);
  m.lifted = decl.lifted;
  if (!takes_as_much(m, decl) || (!types.is_error(m.body) && lifted > decl.lifted)) {
    c.diags.report(at, err::bad_refinement, c.shown(w.type));
    return base;
  }
  Context::Subst s;
  s.types[found->type] = m;
  Abstracts rest = base.abstracts;
  rest.erase(rest.begin() + (found - base.abstracts.begin()));
  return {substitute(*base.info, s), rest};
}

}  // namespace raido::check
