// value.h - what an expression is while compiling. Only Dynamic survives into the core program.
//
// An array of records is a record of arrays, and an array of sums is a sum of arrays. So a value has the structure of
// its innermost element type, and its leaves are core values. Nodes live as long as the Lowerer and are shared
// freely.
#pragma once
#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/ir/ir.h"

namespace raido::lower {

using ast::Binding;
using ast::SizeRef;
using ast::TypeId;
using ast::TypeRef;
using ir::Atom;
using ir::Dim;
using ir::Var;

struct Scope;
// A type or a size of the checker, read where its names mean something.
struct TypeIn { TypeRef type; Scope* scope = nullptr; };
struct SizeIn { SizeRef size; Scope* scope = nullptr; };

struct Product;
struct Sum;
struct Choice;
struct Closure;
struct DefValue;
struct Module;
struct Functor;

// A scalar or an array. `borrowed`: the language says it is fresh but it shares memory (zip), so consuming it copies.
struct Dynamic { Atom atom; bool borrowed = false; };

using Value = std::variant<std::monostate, Dynamic, std::shared_ptr<const Product>, std::shared_ptr<const Sum>,
                           std::shared_ptr<const Choice>, std::shared_ptr<const Closure>, std::shared_ptr<const DefValue>,
                           std::shared_ptr<const Module>, std::shared_ptr<const Functor>, SizeIn>;   // SizeIn: a size parameter, evaluated when asked for

struct Product { std::vector<std::pair<Name, Value>> fields; };     // in the order of the record type
struct Sum { Value tag; std::vector<Value> slots; };                // no tag if there is one constructor
// Of a sum that can hold functions: no branch, loop or array makes one, so its constructor is known.
struct Choice { size_t constructor; std::vector<Value> payload; };

// A function: code, what it captured, and the arguments it has got so far.
struct Closure {
  enum class Kind : uint8_t { Lambda, Def, Builtin, Section, Access, Blank } kind;
  const void* code;             // ast::Lambda, ast::Def, Binding (an operator), the ast::Expr of a section; Blank: none
  Scope* scope;
  std::vector<Value> captured;  // Section: the operator, then its operand; else nothing
  std::vector<Value> args;
  TypeIn type;                  // of all but definitions and sections: the function type
  std::vector<Var> checks = {}; // proofs that each call needs
};
struct DefValue { const ast::Def* def; Scope* scope; };             // instantiated at each use
struct TypeEntry { TypeRef type; Scope* scope = nullptr; const ast::TypeDef* def = nullptr; };
struct Module {
  std::unordered_map<Name, Value> terms;
  std::unordered_map<Name, TypeEntry> types;
};
struct Functor { const ast::MLambda* code; Scope* scope; };

// Names in scope. One for each file, module body and activation of a function.
struct Scope {
  Scope* parent = nullptr;
  bool global = false;          // of declarations: its values are the same everywhere
  std::unordered_map<const Binding*, Value> values;
  std::unordered_map<TypeId, TypeEntry> types;
};

}  // namespace raido::lower
