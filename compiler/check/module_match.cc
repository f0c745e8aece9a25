// module_match.cc - a module matched against a module type: what each open type is, and whether all that is promised is there.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/check/modules.h"

namespace raido::check {

// What an unknown module should have is not missing: its mistake was reported.
bool Modules::has_unknown(const ModuleInfo& m) const {
  return m.unknown || std::any_of(m.terms.begin(), m.terms.end(), [&](auto& t) { return t.second.module && has_unknown(*t.second.module); });
}

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

// Where the two that differ are written, if that is in a program.
void Modules::show_both(Diagnostics::Draft draft, Span impl, Span spec) const {
  auto written = [&](Span s) { return s.valid() && !c.sources[s.file].builtin; };
  if (written(impl)) draft.label(impl, "defined here");
  if (written(spec)) draft.label(spec, "specified here");
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
  if (has_unknown(impl) || has_unknown(*sig.info)) return false;
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
    const TypeMember* spec = type_at(*sig.info, a.path);
    auto refuse = [&](Diagnostics::Draft draft) { show_both(draft, t->span, spec ? spec->span : Span{}), ok = false; };
    if (!fits) refuse(c.diags.report(at, err::type_params_differ, name));
    else if (lifted == Lifted::Size && d.lifted == Lifted::No) refuse(c.diags.report(at, err::type_anonymous, name));
    else if (lifted > d.lifted) refuse(c.diags.report(at, err::type_too_lifted, name, d.lifted == Lifted::No ? "non-lifted" : "size-lifted"));
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
    auto refuse = [&](Diagnostics::Draft draft) { show_both(draft, it->second.span, spec.span), ok = false; };
    if (spec.params.size() != it->second.params.size()) { refuse(c.diags.report(at, err::type_params_differ, c.text(name))); continue; }
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
    if (!same) refuse(c.diags.report(at, err::type_differs, c.text(name), c.show(have), c.show(want)));
  }
  bool same_types = ok;                    // else what values differ in may follow from that
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
    if (same_types) ok &= value_matches(name, it->second, spec, found, at);
  }
  for (auto& [name, spec] : sig.hidden)
    if (auto it = impl.terms.find(name); ok && it != impl.terms.end() && it->second.scheme)
      ok &= value_matches(name, it->second, spec, found, at);
  return ok;
}

bool Modules::value_matches(Name name, const TermMember& given, const TermMember& wanted, const Context::Subst& found, Span at) {
  const Scheme &impl = *given.scheme, &spec = *wanted.scheme;
  if (types.is_error(impl.type) || types.is_error(spec.type)) return true;
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
    auto draft = c.diags.report(at, err::value_differs, c.text(name), c.show(want.type), c.show(impl.type));
    show_both(draft.because(why), given.span, wanted.span);
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
