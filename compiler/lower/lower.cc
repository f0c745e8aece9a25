// lower.cc - scopes, declarations, modules and functors, and the order of it all.
//
// Declarations are evaluated in order, but a definition only becomes a value that waits. Functions are instantiated at their uses,
// constants when they are first needed. So of the prelude only what a program uses is lowered.
#include "compiler/lower/lowerer.h"

#include <fmt/format.h>

namespace raido::lower {

ir::Program lower(check::Checked& checked, const Options& options, std::vector<EntryLayout>* layouts, Calls* calls) {
  Lowerer lowerer(checked, options);
  ir::Program program = lowerer.run();
  if (layouts) *layouts = std::move(lowerer.layouts);
  if (calls) *calls = lowerer.calls;
  return program;
}

Lowerer::Lowerer(check::Checked& checked, const Options& options)
    : checked_(checked), options_(options), constants_builder_(program_, program_.constants.stms), b_(&constants_builder_) {
  root_ = new_scope(nullptr, true);
}

ir::Program Lowerer::run() {
  for (ast::File* file : checked_.program.files) {
    Scope* scope = new_scope(root_, true);
    files_[file] = declarations(file->decls, scope);
    if (file == checked_.program.prelude_file && checked_.program.prelude)
      root_->values[checked_.program.prelude] = files_[file];
  }
  for (const check::EntryPoint& e : checked_.result.entry_points) entry_point(e);
  program_.level = uses_ad_ ? ir::Ad : ir::Core;
  unshare(program_);
  return std::move(program_);
}

Scope* Lowerer::new_scope(Scope* parent, bool global) {
  scopes_.push_back({parent, global, {}, {}});
  return &scopes_.back();
}
const Value* Lowerer::find(const Binding* b, Scope* scope) const {
  for (; scope; scope = scope->parent)
    if (auto it = scope->values.find(b); it != scope->values.end()) return &it->second;
  auto it = declared_.find(b);
  return it != declared_.end() && it->second ? &*it->second : nullptr;
}
// A size in the type of a member may name other members of its module, where these are not in scope.
void Lowerer::declare(const Binding* b, const Value& v, Scope* scope) {
  scope->values[b] = v;
  auto [it, first] = declared_.try_emplace(b, v);
  if (!first) it->second.reset();
}

std::shared_ptr<const Module> Lowerer::declarations(std::span<ast::Decl> decls, Scope* scope) {
  auto m = std::make_shared<Module>();
  for (ast::Decl& decl : decls) {
    match(decl.node,
          [&](ast::Def* d) {
            Value v = std::make_shared<DefValue>(DefValue{d, scope});
            declare(d->self, v, scope);
            if (!decl.local) m->terms[d->self->name] = v;
          },
          [&](ast::TypeDef* d) {
            m->types[d->name] = TypeEntry{d->type, scope, d};
            if (options_.check_shapes) type_defs_[{d->name_span.file, d->name_span.begin}] = d;
          },
          [&](ast::ModTypeDef*) {},
          [&](ast::ModDef* d) {
            Value v = module(*d->exp, scope);
            declare(d->self, v, scope);
            if (!decl.local) m->terms[d->self->name] = v;
          },
          [&](ast::Open* d) {
            Value v = module(*d->exp, scope);
            declare(d->self, v, scope);
            auto opened = std::get_if<std::shared_ptr<const Module>>(&v);
            CHECK(opened, "an opened module is not a module");
            if (decl.local) return;
            for (Name n : d->terms)
              if (auto it = (*opened)->terms.find(n); it != (*opened)->terms.end()) m->terms[n] = it->second;
            for (Name n : d->types)
              if (auto it = (*opened)->types.find(n); it != (*opened)->types.end()) m->types[n] = it->second;
          });
  }
  return m;
}

Value Lowerer::module(const ast::ModExp& m, Scope* scope) {
  Value v = match(m.node,
      [&](const ast::MName& x) { return path(x.path, scope); },
      [&](const ast::MBody& x) -> Value {
        Scope* inner = new_scope(scope, scope->global);
        auto made = declarations(x.decls, inner);
        for (auto& [b, value] : inner->values)        // sizes may name its constants outside, where it is an argument of a functor
          if (b->scheme && b->scheme->type == checked_.result.types.prim(ast::Prim::I64)) scope->values.try_emplace(b, value);
        return made;
      },
      [&](const ast::MLambda& x) -> Value { return std::make_shared<Functor>(Functor{&x, scope}); },
      [&](const ast::MApply& x) -> Value {
        Value f = module(*x.fun, scope), arg = module(*x.arg, scope);
        auto functor = std::get_if<std::shared_ptr<const Functor>>(&f);
        CHECK(functor, "a module that is applied is not parametric");
        Scope* inner = new_scope((*functor)->scope, true);
        inner->values[(*functor)->code->param->self] = arg;
        const ast::ModParam& param = *(*functor)->code->param;
        bind_members(param.abstracts, param.origins, arg, inner);
        return module(*(*functor)->code->body, inner);
      },
      [&](const ast::MImport& x) -> Value { return files_.at(x.file); },
      [&](const ast::MAscribe& x) { return module(*x.exp, scope); });
  bind_members(m.abstracts, m.origins, v, scope);
  return v;
}

// Abstract types of a module stand for its type members, names that sizes have for its values stand for these. They are bound in the
// scope where the module comes into being, and at the root for places that see the module from elsewhere.
void Lowerer::bind_members(std::span<const ast::Abstract> abstracts, std::span<const ast::Origin> origins, const Value& module, Scope* scope) {
  auto holder = [&](std::span<const Name> path) -> const Module* {
    const Value* v = &module;
    for (Name n : path.first(path.size() - 1)) {
      auto m = std::get_if<std::shared_ptr<const Module>>(v);
      if (!m || !(*m)->terms.contains(n)) return nullptr;
      v = &(*m)->terms.at(n);
    }
    auto m = std::get_if<std::shared_ptr<const Module>>(v);
    return m ? m->get() : nullptr;          // a member of a functor's result has its own when that is applied
  };
  for (const ast::Abstract& a : abstracts) {
    const Module* m = holder(a.path);
    if (!m) continue;
    auto it = m->types.find(a.path.back());
    CHECK(it != m->types.end(), "the abstract type `{}` has no definition", text(a.path.back()));
    scope->types[a.type] = it->second;
    root_->types[a.type] = it->second;
  }
  for (const ast::Origin& o : origins) {
    const Module* m = holder(o.path);
    if (!m) continue;
    auto it = m->terms.find(o.path.back());
    CHECK(it != m->terms.end(), "the module has no member `{}`", text(o.path.back()));
    scope->values[o.name] = it->second;
    root_->values[o.name] = it->second;
  }
}

Value Lowerer::path(const ast::Path& p, Scope* scope) {
  const Value* v = find(p.root, scope);
  CHECK(v, "`{}` has no value", text(p.root->name));
  Value value = *v;
  for (Name n : p.members) {
    auto m = std::get_if<std::shared_ptr<const Module>>(&value);
    CHECK(m, "`{}` is looked up in what is no module", text(n));
    auto it = (*m)->terms.find(n);
    CHECK(it != (*m)->terms.end(), "the module has no member `{}`", text(n));
    value = Value(it->second);
  }
  return value;
}

// What backtraces name: e without parentheses around it; of an operator, its name and what is right of it.
Span Lowerer::place(const ast::Expr& e) {
  if (auto o = std::get_if<ast::Operator>(&e.node)) return join(o->op->span, o->right->span);
  return e.bare.valid() ? e.bare : e.span;
}

ir::Source Lowerer::here(Span span) {
  if (!span.valid() || checked_.sources[span.file].builtin) return call_source_;
  auto key = std::tuple(span.file.index, span.begin, span.end, call_source_.index);
  if (auto it = sources_.find(key); it != sources_.end()) return it->second;
  Position from = checked_.sources.begin(span), to = checked_.sources.end(span);
  ir::Source s = program_.source({checked_.sources[span.file].name, from.line, from.column, to.line, to.column, call_source_});
  sources_[key] = s;
  return s;
}

Var Lowerer::check(const Term& cond, std::string_view message, std::vector<Atom> args) {
  if (unsafe_ && !options_.safe) return {};
  if (auto c = ir::const_of(cond.atom); c && c->bits) return {};
  return b_->bind1("c", ir::Assert{cond.atom, program_.text(message), std::move(args)});
}


}  // namespace raido::lower
