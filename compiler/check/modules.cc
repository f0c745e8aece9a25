// Declarations and module expressions, top to bottom; each declaration sees what is before it.
#include "compiler/check/modules.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/check/attributes.h"
#include "compiler/check/consume.h"
#include "compiler/check/coverage.h"
#include "compiler/check/recursion.h"

namespace raido::check {

void Modules::no_duplicate(std::map<Name, Span>& seen, Name name, Span at, const char* what, const Diag<3>& kind) {
  auto [it, is_new] = seen.emplace(name, at);
  if (!is_new) c.diags.report(at, kind, std::string(what) + (*what ? " " : "name "), c.text(name), c.sources.place(it->second)).label(it->second, "defined here first");
}

void Modules::file(ast::File& file) {
  auto mark = c.mark();
  if (!file.builtin && c.program.prelude->module) c.open(*c.program.prelude->module, c.program.prelude);
  Abstracts abstracts;
  file.module = c.module(decls(file.decls, abstracts));
  c.restore(mark);
  if (&file == c.program.prelude_file) c.program.prelude->module = file.module;
}

ModuleInfo Modules::decls(std::span<ast::Decl> decls, Abstracts& abstracts) {
  ModuleInfo out;
  Seen seen;
  Seen* outer = seen_;
  seen_ = &seen;
  for (ast::Decl& d : decls) decl(d, out, abstracts);
  seen_ = outer;
  return out;
}

void Modules::decl(ast::Decl& d, ModuleInfo& out, Abstracts& abstracts) {
  for (const ast::Attr& a : d.attrs) look_at(c, a);
  match(d.node,
      [&](ast::Def* def) { value(d, *def, out); },
      [&](ast::TypeDef* t) { type(d, *t, out); },
      [&](ast::ModTypeDef* m) {
        if (!d.local) no_duplicate(seen_->mod_types, m->name, m->name_span, "module type");
        ModTypeInfo type = mod_type(m->type);
        type.definition = m->span;
        const ModTypeInfo* info = c.mod_type(std::move(type));
        c.mod_types.bind(m->name, info);
        if (!d.local) out.mod_types[m->name] = info;
      },
      [&](ast::ModDef* m) {
        if (!d.local) no_duplicate(seen_->terms, m->self->name, m->name_span, "");
        Abstracts inner;
        const ModuleInfo* info = mod_exp(m->exp, std::string(c.text(m->self->name)) + ".", inner);
        if (!info) info = c.module({});
        m->self->module = info;
        c.bind(m->self);
        if (d.local) return;
        out.terms[m->self->name] = {nullptr, info, m->name_span};
        for (AbstractAt& a : inner) {
          a.path.insert(a.path.begin(), m->self->name);
          abstracts.push_back(a);
        }
      },
      [&](ast::Open* o) { open(d, *o, out, abstracts); });
  c.scratch.release();
}

bool Modules::def_is_builtin(const ast::Def& def) const { return c.sources[def.span.file].builtin; }

// The type with sizes. A branch may give an open size of a parameter that of its other side, which says more of the result, or keep
// it open, which takes more arguments: the first is tried first, but the second for entry points, whose arguments have any size.
const Scheme* Modules::sized(ast::Def& def, Infer& infer) {
  size_t before = c.diags.error_count(), mark = c.diags.mark();
  bool matters = false;
  const Scheme* scheme = sized(def, infer, def.entry, matters);
  if (c.diags.error_count() == before || !matters) return scheme;
  c.diags.rollback(mark);
  scheme = sized(def, infer, !def.entry, matters);
  if (c.diags.error_count() == before || def.entry) return scheme;
  c.diags.rollback(mark);
  return sized(def, infer, false, matters);
}

// Errors are those of the first try, or of the one that takes a recursive function for what it was found to be.
const Scheme* Modules::sized(ast::Def& def, Infer& infer, bool keep_open, bool& matters) {
  size_t before = c.diags.error_count(), mark = c.diags.mark();
  const Scheme* scheme = nullptr;
  auto once = [&](Retry& retry) {
    c.diags.rollback(mark);
    retry.keep_open = keep_open;
    Sizes sizes(c, infer, retry);
    scheme = c.scheme(sizes.definition(def));
    matters |= retry.kept_or_given;
    if (c.diags.error_count() == before) sizes.check_causality(def);
    return c.diags.error_count() == before;
  };
  auto fits = [&](Retry& retry) {
    for (size_t known = ~size_t{}; retry.own_results.size() != known;) {
      known = retry.own_results.size();
      if (once(retry)) return true;
    }
    return false;
  };
  // Uses in the body are what was found without them, or with what they were taken for last.
  auto holds = [&](Retry& retry) {
    for (int tries = 0; tries < 4; tries++) {
      Scheme self{{}, scheme->sizes, scheme->type};
      retry.self = c.scheme(self);
      if (!fits(retry)) return false;
      Sizes sizes(c, infer);
      if (sizes.is_as_assumed(self, *scheme)) return true;
    }
    return false;
  };
  Retry first, own_sizes{.own_sizes = true};
  bool found = fits(first);
  if (!def.recursive) {
    if (!found && !first.own_results.empty()) once(first = {});
    return scheme;
  }
  if (found && holds(first)) return scheme;
  // Each call makes the sizes of its result.
  if ((found || def.result) && fits(own_sizes) && holds(own_sizes)) return scheme;
  // A type that its own uses do not confirm is never believed.
  if (Retry again{.self = found ? first.self : nullptr}; once(again) && once(own_sizes))
    c.diags.report(def.name_span, err::ambiguous_size, "the sizes of its recursive calls").help("write the type of the result, with its sizes");
  return scheme;
}

void Modules::value(ast::Decl& d, ast::Def& def, ModuleInfo& out) {
  if (!d.local) no_duplicate(seen_->terms, def.self->name, def.name_span, "");
  size_t errors = c.diags.error_count(), mark = c.diags.mark();
  const TermEntry* found = c.terms.find(def.self->name);
  TermEntry earlier = found ? *found : TermEntry{};
  const Scheme* scheme = checked(def);
  if (def.recursive && earlier.root && !def_is_builtin(def)) {
    const Scheme* other = c.diags.error_count() != errors ? with_earlier_name(def) : nullptr;
    std::string_view name = c.text(def.self->name);
    std::string remedies = fmt::format("to use the earlier definition, check with --abi=0.25, or {}", way_to(earlier, name));
    if (other) {
      c.diags.rollback(mark);
      c.diags.report(def.name_span, err::own_name, name).help(remedies);
      scheme = other;
    }
    else c.diags.report(def.name_span, err::recursive_shadow, name).note(remedies);
  }
  def.scheme = def.self->scheme = scheme;
  c.bind(def.self);
  if (!d.local) out.terms[def.self->name] = {scheme, nullptr, def.name_span, def.self};
}

// The definition with its own name meaning an earlier one; none if that is wrong, too.
const Scheme* Modules::with_earlier_name(ast::Def& def) {
  size_t errors = c.diags.error_count(), mark = c.diags.mark();
  def.recursive = false;
  c.earlier_names = true;
  const Scheme* scheme = checked(def);
  c.earlier_names = false;
  bool fits = c.diags.error_count() == errors;
  c.diags.rollback(mark);
  def.recursive = !fits;
  return fits ? scheme : nullptr;
}

// How a definition can be reached where its name means another one.
std::string Modules::way_to(const TermEntry& entry, std::string_view name) const {
  std::string_view from = entry.root == c.program.prelude ? "import \"/prelude/prelude\"" : c.sources.text(entry.root->span);
  if (entry.root->kind == Binding::Kind::Open && from.starts_with("import \"")) {
    std::string_view path = from.substr(8, from.size() - 9), module = path.substr(path.rfind('/') + 1);
    return fmt::format("name it `{}.{}` after `module {} = {}`", module, name, module, from);
  }
  bool is_open = entry.root->kind == Binding::Kind::Open && from.starts_with("open ");
  std::string_view module = is_open ? from.substr(5) : "";
  bool has_name = is_open && std::all_of(module.begin(), module.end(), [](char x) { return std::isalnum(static_cast<unsigned char>(x)) || x == '_' || x == '\'' || x == '.'; });
  return has_name ? fmt::format("name it `{}.{}`", module, name) : "give it another name first";
}

// The type scheme of a definition, after all checks.
const Scheme* Modules::checked(ast::Def& def) {
  size_t before = c.diags.error_count();
  Infer infer(c);
  bool ok = infer.definition(def);
  const Scheme* scheme = nullptr;
  if (ok) {
    scheme = sized(def, infer);
    if (c.diags.error_count() == before) check_recursion(c, def, *scheme);
  }
  if (ok && c.diags.error_count() == before) check_coverage(c, def);
  if (ok && c.diags.error_count() == before) {
    Scheme with_unique = *scheme;
    with_unique.type = check_consumption(c, def, scheme->type);
    if (with_unique.type != scheme->type) scheme = c.scheme(std::move(with_unique));
  }
  if (c.diags.error_count() == before && !def_is_builtin(def)) infer.warn_unused();
  if (!ok) {
    // Uses of it stay silent.
    Scheme s;
    s.type = types.error();
    scheme = c.scheme(s);
  }
  else if (c.diags.error_count() != before && !def.result) {
    // What it is but for its sizes, which were inferred from a mistake.
    Scheme s;
    s.types = scheme->types;
    s.type = infer.erase(scheme->type);
    scheme = c.scheme(s);
  }
  return scheme;
}

std::vector<TypeMember::Param> Modules::type_params(std::span<ast::TypeParam> params) const {
  std::vector<TypeMember::Param> out;
  for (ast::TypeParam& p : params) out.push_back({p.type, p.size});
  return out;
}

void Modules::check_abbreviation(ast::TypeParam::Kind kind, TypeRef body, std::span<ast::TypeParam> params, Span at,
                                 const Infer& infer) {
  if (types.is_error(body)) return;
  Lifted lifted = std::max(infer.lifted(), c.liftedness(body));
  using Kind = ast::TypeParam::Kind;
  if (kind != Kind::Lifted && lifted == Lifted::Full) c.diags.report(at, err::function_in_type);
  else if (kind == Kind::Type && lifted == Lifted::Size)
    c.diags.report(at, infer.named_lifted && !infer.wrote_anonymous ? err::lifted_in_type : err::anonymous_in_type);
  bool anonymous = false;
  visit_type(types, body, [](TypeRef) {}, [&](SizeRef d) { anonymous |= types.as<AnySize>(d) != nullptr; });
  if (anonymous) c.diags.report(at, err::anonymous_not_constructive);
  for (ast::TypeParam& p : params)
    if (p.size && !c.mentions(body, p.size)) c.diags.report(p.span, err::unused_type_size, c.text(p.name));
}

namespace {
Lifted lifted_of(ast::TypeParam::Kind k) {
  return k == ast::TypeParam::Kind::Lifted ? Lifted::Full : k == ast::TypeParam::Kind::SizeLifted ? Lifted::Size : Lifted::No;
}
}  // namespace

void Modules::type(ast::Decl& d, ast::TypeDef& t, ModuleInfo& out) {
  if (!d.local) no_duplicate(seen_->types, t.name, t.name_span, "type");
  auto mark = c.mark();
  TypeMember m;
  {
    Infer infer(c);
    infer.bind_type_params(t.params);
    m.body = infer.abbreviation(t.body);
    infer.finish();
    Sizes sizes(c, infer);
    sizes.written_sizes(t.body);
    sizes.finish();
    check_abbreviation(t.lifted, m.body, t.params, t.body->span, infer);
  }
  c.restore(mark);
  m.params = type_params(t.params);
  m.lifted = lifted_of(t.lifted);
  m.span = t.name_span;
  t.type = m.body;
  c.type_names.bind(t.name, m);
  if (!d.local) out.types[t.name] = m;
}

void Modules::open(ast::Decl& d, ast::Open& o, ModuleInfo& out, Abstracts& abstracts) {
  Abstracts inner;
  const ModuleInfo* info = mod_exp(o.exp, "", inner);
  if (!info) return;
  if (info->is_functor()) {
    c.diags.report(o.exp->span, err::unapplied_functor, c.sources.text(o.exp->span));
    return;
  }
  o.self->module = info;
  c.open(*info, o.self);
  std::vector<Name> terms, type_names;
  for (auto& [name, member] : info->terms) {
    terms.push_back(name);
    if (!d.local) out.terms[name] = member;
  }
  for (auto& [name, member] : info->types) {
    type_names.push_back(name);
    if (!d.local) out.types[name] = member;
  }
  if (!d.local) {
    for (auto& [name, member] : info->mod_types) out.mod_types[name] = member;
    abstracts.insert(abstracts.end(), inner.begin(), inner.end());
  }
  o.terms = c.program.arena.copy(terms);
  o.types = c.program.arena.copy(type_names);
}

// --- module expressions ---

std::span<ast::Abstract> Modules::record(const Abstracts& abstracts) {
  std::vector<ast::Abstract> out;
  for (const AbstractAt& a : abstracts) out.push_back({a.type, c.program.arena.copy(a.path)});
  return c.program.arena.copy(out);
}

const ModuleInfo* Modules::mod_exp(ast::ModExp* e, const std::string& prefix, Abstracts& abstracts) {
  return match(e->node,
      [&](ast::MName& n) -> const ModuleInfo* {
        if (c.names_intrinsics(n.path)) {
          c.diags.report(e->span, err::intrinsics_module);
          return nullptr;
        }
        auto found = c.lookup(n.path, true);
        return found ? found->entry.module : nullptr;
      },
      [&](ast::MBody& b) {
        auto mark = c.mark();
        const ModuleInfo* m = c.module(decls(b.decls, abstracts));
        c.restore(mark);
        return m;
      },
      [&](ast::MLambda& l) -> const ModuleInfo* {
        auto mark = c.mark();
        ModTypeInfo param = fresh_copy(mod_type(l.param->type), std::string(c.text(l.param->self->name)) + ".");
        l.param->self->module = param.info;
        l.param->abstracts = record(param.abstracts);
        l.param->origins = record_origins(*param.info);
        c.bind(l.param->self);
        ModuleInfo out;
        out.param = param.info;
        out.param_name = l.param->self->name;
        out.param_abstracts = param.abstracts;
        out.result = mod_exp(l.body, prefix, out.result_abstracts);
        c.restore(mark);
        if (!l.param->self->used && !c.sources[e->span.file].builtin && !c.text(l.param->self->name).starts_with("_"))
          c.diags.report(l.param->self->span, err::unused_name, c.text(l.param->self->name));
        return out.result ? c.module(std::move(out)) : nullptr;
      },
      [&](ast::MApply& a) -> const ModuleInfo* {
        Abstracts of_fun, of_arg;
        const ModuleInfo* f = mod_exp(a.fun, prefix, of_fun);
        const ModuleInfo* arg = mod_exp(a.arg, "", of_arg);
        if (!f || !arg) return nullptr;
        if (!f->is_functor()) {
          c.diags.report(e->span, err::apply_plain_module, c.sources.text(a.fun->span));
          return nullptr;
        }
        return apply(e, *f, *arg, prefix, abstracts, a.arg->span);
      },
      [&](ast::MImport& i) -> const ModuleInfo* { return i.file ? i.file->module : nullptr; },
      [&](ast::MAscribe& a) -> const ModuleInfo* {
        Abstracts inner;
        const ModuleInfo* m = mod_exp(a.exp, prefix, inner);
        ModTypeInfo sig = mod_type(a.type);
        if (!m) return nullptr;
        Context::Subst found;
        if (!matches(*m, sig, found, a.exp->span)) return nullptr;
        ModTypeInfo opaque = fresh_copy(sig, prefix);
        e->abstracts = record(opaque.abstracts);
        e->origins = record_origins(*opaque.info);
        abstracts.insert(abstracts.end(), opaque.abstracts.begin(), opaque.abstracts.end());
        return opaque.info;
      });
}

const ModuleInfo* Modules::apply(ast::ModExp* e, const ModuleInfo& functor, const ModuleInfo& arg, const std::string& prefix,
                                 Abstracts& abstracts, Span at) {
  Context::Subst s;
  size_t before = c.diags.mark();
  if (!matches(arg, {functor.param, functor.param_abstracts}, s, at)) {
    c.diags.because(before, reason(err::argument_mismatch, functor.param_name.valid() ? c.text(functor.param_name) : "_"));
    return nullptr;
  }
  Abstracts made;
  for (const AbstractAt& a : functor.result_abstracts) {
    TypeDecl copy = types[a.type];
    copy.shown = prefix + join(a.path, ".", [&](Name n) { return std::string(c.text(n)); });
    TypeId id = types.declare(copy);
    made.push_back({id, a.path});
    TypeMember m;
    std::vector<TypeArg> args;
    for (TypeDecl::ParamKind kind : copy.params) {
      TypeMember::Param p;
      if (kind.is_size) p.size = c.program.bind({}, {}, Binding::Kind::Size);
      else p.type = types.declare({TypeDecl::Kind::Param, {}, {}, kind.lifted});
      args.push_back(kind.is_size ? TypeArg{{}, types.add(Size{NameSize{p.size}})} : TypeArg{types.add(NamedType{p.type, {}}), {}});
      m.params.push_back(p);
    }
    m.body = types.add(NamedType{id, types.keep(args)});
    m.lifted = copy.lifted;
    s.types[a.type] = m;
  }
  abstracts.insert(abstracts.end(), made.begin(), made.end());
  new_origins(*functor.result, s);
  const ModuleInfo* result = substitute(*functor.result, s);
  if (e) e->abstracts = record(made), e->origins = record_origins(*result);
  return result;
}

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
        if (!found) return ModTypeInfo{c.module({}), {}};
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
  // Later specs may use it in sizes.
  Binding* b = c.program.bind(v.name, v.name_span, Binding::Kind::Value);
  b->scheme = c.scheme(s);
  b->top_level = true;
  specify(out, v.name, {b->scheme, nullptr, v.name_span, b});
  c.bind(b);
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
        },
        [&](ast::SpecModule& m) {
          no_duplicate(seen.terms, m.name, m.name_span, "", err::duplicate_spec);
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
        },
        [&](ast::SpecInclude& i) {
          ModTypeInfo inner = mod_type(i.type);
          if (inner.info->is_functor()) {
            c.diags.report(i.type->span, err::unapplied_functor, c.sources.text(i.type->span));
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
        });
    c.scratch.release();
  }
  c.restore(mark);
  return {c.module(std::move(out)), std::move(abstracts)};
}

ModTypeInfo Modules::refine(ast::SWith& w, Span at) {
  ModTypeInfo base = mod_type(w.base);
  std::vector<Name> path(w.type.names.begin(), w.type.names.end());
  auto found = std::find_if(base.abstracts.begin(), base.abstracts.end(), [&](const AbstractAt& a) { return a.path == path; });
  if (found == base.abstracts.end()) {
    c.diags.report(w.type.span, err::not_abstract, c.shown(w.type));
    return base;
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

// --- matching ---

const TypeMember* Modules::type_at(const ModuleInfo& m, const std::vector<Name>& path) const {
  const ModuleInfo* at = &m;
  for (size_t i = 0; i + 1 < path.size(); i++) {
    auto it = at->terms.find(path[i]);
    if (it == at->terms.end() || !it->second.module) return nullptr;
    at = it->second.module;
  }
  auto it = at->types.find(path.back());
  return it == at->types.end() ? nullptr : &it->second;
}

// May the abstract type be `t`: has that the same parameters, and takes every type that the abstract one takes?
bool Modules::takes_as_much(const TypeMember& t, const TypeDecl& abstract) const {
  return std::equal(t.params.begin(), t.params.end(), abstract.params.begin(), abstract.params.end(), [&](auto& p, auto& kind) {
    return (p.size != nullptr) == kind.is_size && (p.size || types[p.type].lifted >= kind.lifted);
  });
}

bool Modules::matches(const ModuleInfo& impl, const ModTypeInfo& sig, Context::Subst& found, Span at) {
  if (impl.is_functor() != sig.info->is_functor()) {
    if (impl.is_functor()) c.diags.report(at, err::parametric_for_plain);
    else c.diags.report(at, err::plain_for_parametric);
    return false;
  }
  bool ok = true;
  for (const AbstractAt& a : sig.abstracts) {
    const TypeMember* t = type_at(impl, a.path);
    const TypeDecl& d = types[a.type];
    std::string name = join(a.path, ".", [&](Name n) { return std::string(c.text(n)); });
    if (!t) {
      c.diags.report(at, err::type_missing, name);
      ok = false;
      continue;
    }
    bool fits = takes_as_much(*t, d);
    Lifted lifted = std::max(t->lifted == Lifted::No ? Lifted::No : t->lifted, types.is_error(t->body) ? Lifted::No : c.liftedness(t->body));
    if (!fits) { c.diags.report(at, err::type_params_differ, name); ok = false; }
    else if (lifted == Lifted::Size && d.lifted == Lifted::No) { c.diags.report(at, err::type_anonymous, name); ok = false; }
    else if (lifted > d.lifted) { c.diags.report(at, err::type_too_lifted, name, d.lifted == Lifted::No ? "non-lifted" : "size-lifted"); ok = false; }
    else found.types[a.type] = *t;
    for (const TypeMember::Param& p : t->params)
      if (fits && p.size && !types.is_error(t->body) && !c.witnesses(t->body, p.size)) {
        c.diags.report(at, err::abstract_size_not_constructive, name, c.text(p.size->name));
        ok = false;
      }
  }
  match_origins(impl, *sig.info, found);
  return ok && members_match(impl, *sig.info, found, at);
}

bool Modules::members_match(const ModuleInfo& impl, const ModuleInfo& sig, const Context::Subst& found, Span at) {
  bool ok = true;
  if (sig.is_functor()) {
    // The parameter the other way round: what the module type promises to give has to do for the module.
    Context::Subst param;
    if (!matches(*substitute(*sig.param, found), {impl.param, impl.param_abstracts}, param, at)) return false;
    Context::Subst result = found;
    return matches(*substitute(*impl.result, param), {substitute(*sig.result, found), sig.result_abstracts}, result, at);
  }
  for (auto& [name, spec] : sig.types) {
    auto it = impl.types.find(name);
    if (it == impl.types.end()) { c.diags.report(at, err::type_missing, c.text(name)); ok = false; continue; }
    TypeRef want = c.substitute(spec.body, found);
    auto* n = types.as<NamedType>(spec.body);
    if (n && found.types.contains(n->decl)) continue;        // abstract: whatever the module has
    if (spec.params.size() != it->second.params.size()) { c.diags.report(at, err::type_params_differ, c.text(name)); ok = false; continue; }
    Context::Subst params;
    for (size_t i = 0; i < spec.params.size(); i++) {
      if (it->second.params[i].size) params.sizes[it->second.params[i].size] = types.add(Size{NameSize{spec.params[i].size}});
      else params.types[it->second.params[i].type] = {{}, types.add(NamedType{spec.params[i].type, {}}), Lifted::No, {}};
    }
    TypeRef have = c.substitute(it->second.body, params);
    Infer infer(c);
    bool same = infer.unify(infer.erase(want), infer.erase(have));
    if (same) {
      Sizes sizes(c, infer);
      same = sizes.implements({{}, {}, want}, {{}, {}, have}, {});
    }
    if (!same) {
      c.diags.report(at, err::type_differs, c.text(name), c.show(have), c.show(want));
      ok = false;
    }
  }
  for (auto& [name, spec] : sig.terms) {
    auto it = impl.terms.find(name);
    if (spec.module) {
      if (it == impl.terms.end() || !it->second.module) { c.diags.report(at, err::module_missing, c.text(name)); ok = false; continue; }
      if (it->second.module->is_functor() != spec.module->is_functor()) {
        if (spec.module->is_functor()) c.diags.report(at, err::plain_for_parametric);
        else c.diags.report(at, err::parametric_for_plain);
        ok = false;
        continue;
      }
      ok &= members_match(*it->second.module, *spec.module, found, at);
      continue;
    }
    if (it == impl.terms.end() || !it->second.scheme) { c.diags.report(at, err::value_missing, c.text(name)); ok = false; continue; }
    ok &= value_matches(name, *it->second.scheme, *spec.scheme, found, at);
  }
  for (auto& [name, spec] : sig.hidden)
    if (auto it = impl.terms.find(name); ok && it != impl.terms.end() && it->second.scheme)
      ok &= value_matches(name, *it->second.scheme, *spec.scheme, found, at);
  return ok;
}

bool Modules::value_matches(Name name, const Scheme& impl, const Scheme& spec, const Context::Subst& found, Span at) {
  if (types.is_error(impl.type)) return true;
  Scheme want = spec;
  want.type = c.substitute(spec.type, found);
  if (types.as<ExistsType>(want.type) && !types.as<ExistsType>(spec.type)) {
    c.diags.report(at, err::top_level_size, c.text(name), c.show(want.type));
    return false;
  }
  Infer infer(c);
  std::vector<TypeRef> inst;
  TypeRef have = infer.instantiate(impl, at, &inst);
  auto report = [&](const Reason& why) {
    c.diags.report(at, err::value_differs, c.text(name), c.show(want.type), c.show(impl.type)).because(why);
    return false;
  };
  if (!infer.unify(infer.erase(want.type), have)) {
    Reason why = infer.why();
    std::string_view too_lifted[] = {err::lifted_element.code, err::size_lifted_element.code, err::functional_instance.code};
    if (std::find(std::begin(too_lifted), std::end(too_lifted), why.code) == std::end(too_lifted)) return report(why);
    std::string params;
    for (TypeId id : impl.types) if (types[id].lifted == Lifted::No) params += (params.empty() ? "'" : " '") + std::string(c.text(types[id].name));
    return report(reason(err::value_not_general, params, c.text(name)));
  }
  for (TypeRef& t : inst) t = infer.zonk(t);
  infer.finish();
  for (TypeRef& t : inst) t = infer.zonk(t);
  Sizes sizes(c, infer);
  return sizes.implements(want, impl, inst) || report(sizes.why());
}

}  // namespace raido::check
