// check.h - the checker's entry point, and the contract between checker and lowering.
//
// What lowering (a static interpreter by environments) may rely on in a program without errors:
//
// * Names. Every Path has `root` (a Binding, compared by address) and `members`. The interpreter's environment maps Binding* to values. A
//   module value maps member names to values (terms and submodules share one table) and type names to types. To evaluate a Path: look up
//   root, then select each member by name. No other lookup by name is ever needed. Names brought in by `open`, `import`, `m.(e)` and the
//   prelude go through the Open binding of that construct. The interpreter binds it to the module value when it evaluates the construct
//   (Program::prelude: the module of Program::prelude_file). A Binding of Kind::Builtin is not in any environment: its name says what it
//   is (`+`, `==`, `&&`, ..).
// * Modules. Evaluate declarations in order. MBody and files: a module value of all non-local declarations; `Open::terms/types`
//   list what an open re-exports (later declarations shadow earlier ones). MAscribe keeps the module value as it is (only
//   names shown by its type are ever asked for). MApply binds the functor parameter to the argument.
// * Types. Expr::type and Pat::type are resolved, with abbreviations expanded. They may mention NamedType ids:
//   type parameters of enclosing definitions and abstract types. The interpreter keeps TypeId -> concrete type in its environment.
//   Type parameters get theirs when a definition is instantiated: match Scheme::type against the (concrete) Expr::type of the Ref.
//   Abstract types get theirs where `abstracts` lists them (ModParam, ModExp, Open via its ModExp). An entry {id, path} is the type
//   member at `path` of the module value just evaluated. A type member is TypeDef::type with TypeDef::params, closed over the environment
//   of its definition.
// * Sizes. NameSize of a Binding in the environment, or of an UnknownSize binding: known only by looking at the value.
//   ExpSize: an expression to evaluate in the environment of the place where the type stands; constants are ConstSize.
//   The result type of an application has a fresh UnknownSize for every size in FunType::exists. Sizes of Pat::type of a let/loop/case
//   are those of the value. Loop state sizes that vary are NameSize of UnknownSize bindings that occur in Pat::type of the state pattern.
// * Literals: Expr::type is the resolved primitive type. `Operator` and `Unary` on a Builtin: dispatch on the operands' type.
// * Entry points are listed below with everything the outside sees.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/check/types.h"
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace raido::check {

// One input or the output of an entry point.
struct External {
  TypeRef type;                  // may contain UniqueType
  std::string name;              // of the parameter; empty for results and patterns
  std::string type_name;         // as the outside calls it: `[][]f64`, or the name of an opaque type
  bool opaque = false;
  bool unique = false;
  std::vector<bool> unique_parts;           // of a record: each field
  const ast::TypeExpr* written = nullptr;   // its annotation, if it has one
};

struct EntryPoint {
  std::string name;
  const ast::Def* def;
  std::vector<External> params;  // also those of a function-typed result
  External result;
  bool is_value = false;         // not for the outside: a value that may contain functions (Options::value)
};

struct Result {
  Types types;
  std::vector<EntryPoint> entry_points;
  std::shared_ptr<void> owned;   // what the tree points into: schemes, module types
};

struct Options {
  std::vector<std::string> extra_entry_points;     // --entry-point NAME
  std::string value;                               // a definition of the root file without parameters whose value is wanted
  bool warnings = true;
  // In its own body the name of a function is that of an earlier definition, if there is one: as before functions were recursive.
  bool earlier_names = false;
  // The text of a file that an editor holds, by its path; none: it is read. Empty: no file is held.
  std::function<std::optional<std::string>(const std::string& path)> unsaved;
  bool whole_prelude = false;                      // not only what the program needs of it: for those who look around in it
};

// Checks all files of the program in order. On errors (in diags) the tree may have blanks.
Result check(ast::Program& program, const Sources& sources, Diagnostics& diags, const Options& options);

// The text of a type as the user would write it.
std::string show(Result& result, ast::Program& program, const Sources& sources, TypeRef type);
// What a module provides, as a module type over several lines.
std::string show(Result& result, ast::Program& program, const Sources& sources, const ModuleInfo& module);

// What a resolved name stands for, for those who ask about a program.
struct Found {
  Span definition;               // the whole definition; not valid for what is built in
  const Scheme* scheme = nullptr;
  const ModuleInfo* module = nullptr;
};
Found find(const ast::Path& path);

}  // namespace raido::check
