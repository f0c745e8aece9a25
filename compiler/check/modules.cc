// modules.cc - declarations, top to bottom; each sees what is before it. A definition is checked by one pass after the other, from its
// types to its consumption.
#include "compiler/check/modules.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

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
  c.lists.push_back(decls);
  for (ast::Decl& d : decls) decl(d, out, abstracts);
  c.lists.pop_back();
  seen_ = outer;
  return out;
}

void Modules::decl(ast::Decl& d, ModuleInfo& out, Abstracts& abstracts) {
  c.forget_anonymous_names();
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
        if (!info) {
          ModuleInfo unknown;
          unknown.unknown = true;
          info = c.module(std::move(unknown));
        }
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

// The type with sizes. There are two ways to treat an open size of a parameter at a branch. It may stay open, which accepts more
// arguments. Or it may become the size of the other side, which says more of the result. A size that is written `[]` stays open
// first (decision 022); the other ways are for bodies that need them. Errors are those of the first.
const Scheme* Modules::sized(ast::Def& def, Infer& infer) {
  size_t before = c.diags.error_count(), mark = c.diags.mark();
  bool matters = false;
  const Scheme* scheme = nullptr;
  for (StayOpen way : {StayOpen::Known, StayOpen::All, StayOpen::None}) {
    c.diags.rollback(mark);
    scheme = sized(def, infer, way, matters);
    if (c.diags.error_count() == before || !matters) return scheme;
  }
  c.diags.rollback(mark);
  return sized(def, infer, StayOpen::Known, matters);
}

// Errors are those of the first try, or of the one that takes a recursive function for what it was found to be.
const Scheme* Modules::sized(ast::Def& def, Infer& infer, StayOpen way, bool& matters) {
  size_t before = c.diags.error_count(), mark = c.diags.mark();
  const Scheme* scheme = nullptr;
  auto once = [&](Retry& retry) {
    c.diags.rollback(mark);
    retry.stay_open = way;
    Sizes sizes(c, infer, retry);
    scheme = c.scheme(sizes.definition(def));
    matters |= retry.met_open;
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
  if (ok && c.diags.error_count() == before && !def_is_builtin(def)) infer.warn_unused();
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

void Modules::type(ast::Decl& d, ast::TypeDef& t, ModuleInfo& out) {
  if (!d.local) no_duplicate(seen_->types, t.name, t.name_span, "type");
  auto mark = c.mark();
  TypeMember m;
  c.own_type = t.name;
  {
    Infer infer(c);
    infer.bind_type_params(t.params);
    size_t errors = c.diags.error_count();
    m.body = infer.abbreviation(t.body);
    if (c.diags.error_count() != errors) m.body = types.error();
    infer.finish();
    Sizes sizes(c, infer);
    sizes.written_sizes(t.body);
    sizes.finish();
    check_abbreviation(t.lifted, m.body, t.params, t.body->span, infer);
  }
  c.restore(mark);
  c.own_type = {};
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
  if (!info) {
    c.open_unknown();
    out.unknown |= !d.local;
    return;
  }
  if (info->is_functor()) {
    c.unapplied(o.exp->span, c.sources.text(o.exp->span));
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

}  // namespace raido::check
