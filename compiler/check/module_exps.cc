// module_exps.cc - module expressions. What is ascribed, and what a functor gives, has new abstract types.
#include "compiler/base/text.h"
#include "compiler/check/modules.h"

namespace raido::check {

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

}  // namespace raido::check
