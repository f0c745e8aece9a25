// The order of things: built-in names, then every file in order (the prelude first), then the entry points of the root.
#include "compiler/check/check.h"

#include <algorithm>

#include "compiler/check/entry_points.h"
#include "compiler/check/modules.h"

namespace raido::check {

namespace {

void built_in_names(Context& c) {
  c.bind_builtins();
  for (int i = 0; i < 12; i++) {
    TypeMember m;
    m.body = c.types.prim(Prim(i));
    c.type_names.bind(c.intern(prim_name(Prim(i))), m);
  }
}

}  // namespace

Result check(ast::Program& program, const Sources& sources, Diagnostics& diags, const Options& options) {
  Result result;
  Context c(program, sources, diags, result.types);
  c.earlier_names = options.earlier_names;
  built_in_names(c);
  Modules modules(c);
  for (ast::File* file : program.files) modules.file(*file);
  if (program.root && !diags.has_errors()) result.entry_points = entry_points(c, *program.root, options);
  // What lowering looks at: the schemes and modules live as long as the result.
  result.owned = c.take_owned();
  return result;
}

std::string show(Result& result, ast::Program& program, const Sources& sources, TypeRef type) {
  Diagnostics none;
  return Context(program, sources, none, result.types).show(type);
}

namespace {

std::string show_module(const Context& c, const ModuleInfo& m, const std::string& margin) {
  if (m.is_functor()) return show_module(c, *m.param, margin) + " -> " + show_module(c, *m.result, margin);
  // In the order in which they were written.
  std::vector<std::pair<Span, std::string>> lines;
  std::string inner = margin + "  ";
  for (auto& [name, t] : m.types) {
    std::string line = t.lifted == Lifted::Full ? "type^ " : t.lifted == Lifted::Size ? "type~ " : "type ";
    line += c.text(name);
    for (const TypeMember::Param& p : t.params)
      line += p.size ? " [" + std::string(c.text(p.size->name)) + "]" : " '" + std::string(c.text(c.types[p.type].name));
    auto* abstract = c.types.as<NamedType>(t.body);
    if (!abstract || c.types[abstract->decl].kind != TypeDecl::Kind::Abstract) line += " = " + c.show(t.body);
    lines.emplace_back(t.span, line);
  }
  for (auto& [name, t] : m.terms) {
    std::string text(c.text(name));
    if (t.module) {
      lines.emplace_back(t.span, "module " + text + ": " + show_module(c, *t.module, inner));
      continue;
    }
    std::string line = "val " + text;
    for (Binding* b : t.scheme->sizes) if (b->name.valid()) line += " [" + std::string(c.text(b->name)) + "]";
    for (TypeId p : t.scheme->types) line += " '" + std::string(c.text(c.types[p].name));
    lines.emplace_back(t.span, line + ": " + c.show(t.scheme->type));
  }
  std::stable_sort(lines.begin(), lines.end(), [](auto& a, auto& b) {
    return std::pair(a.first.file.index, a.first.begin) < std::pair(b.first.file.index, b.first.begin);
  });
  std::string out = "{\n";
  for (auto& [at, line] : lines) out += inner + line + "\n";
  return out + margin + "}";
}

}  // namespace

std::string show(Result& result, ast::Program& program, const Sources& sources, const ModuleInfo& module) {
  Diagnostics none;
  return show_module(Context(program, sources, none, result.types), module, "");
}

Found find(const ast::Path& path) {
  Found found;
  auto of = [&](Binding* b) {
    found.definition = b->def ? b->def->span : b->span;
    found.scheme = b->scheme;
    found.module = b->module;
  };
  if (!path.root || path.root->kind == Binding::Kind::Builtin) return found;
  of(path.root);
  for (Name n : path.members) {
    if (!found.module) return {};
    auto it = found.module->terms.find(n);
    if (it == found.module->terms.end()) return {};
    const TermMember& t = it->second;
    found = {t.span, t.scheme, t.module};
    if (t.origin && t.origin->def) found.definition = t.origin->def->span;
  }
  return found;
}

}  // namespace raido::check
