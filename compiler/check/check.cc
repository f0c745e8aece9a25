// The order of things: built-in names, then every file in order (the prelude first), then the entry points of the root.
#include "compiler/check/check.h"

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

}  // namespace raido::check
