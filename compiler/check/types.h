// types.h - type and size terms in one table.
//
// A TypeRef of a checked program is fully resolved: no unification variables, abbreviations expanded. What remains open
// is only what a static interpreter must supply: NamedType of a type parameter or of an abstract type.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/syntax/ast.h"

namespace raido::check {

using ast::Binding;
using ast::Prim;
using ast::SizeRef;
using ast::TypeId;
using ast::TypeRef;

enum class Lifted : uint8_t { No, Size, Full };

// --- sizes ---

struct ConstSize { i64 value; };
struct NameSize  { Binding* name; };                   // size parameter, i64 variable in scope, or unknown size
struct ExpSize   { const ast::Expr* exp; };            // any other pure i64 expression, resolved; evaluated where the type stands
struct AnySize   {};                                   // anonymous []: only in TypeExpr::type, never in Expr::type
struct VarSize   { uint32_t var; };                    // unification variable: not in a checked program
using Size = std::variant<ConstSize, NameSize, ExpSize, AnySize, VarSize>;

// --- types ---

struct TypeArg { TypeRef type; SizeRef size; };        // exactly one is valid

struct PrimType   { Prim prim; };
struct ArrayType  { TypeRef elem; SizeRef size; };     // one dimension
struct RecordType { std::vector<std::pair<Name, TypeRef>> fields; };    // sorted: numerals by value, then names by text
struct SumType    { std::vector<std::pair<Name, std::vector<TypeRef>>> constrs; };   // sorted by text
struct FunType {
  Binding* name;                                       // of the parameter, if result sizes mention it; else null
  TypeRef param;
  std::vector<Binding*> exists;                        // sizes of the result that each call makes
  TypeRef result;
};
struct NamedType  { TypeId decl; std::vector<TypeArg> args; };          // a type parameter or an abstract type
struct UniqueType { TypeRef inner; };                  // *t: only in parameters and results of functions, and their components
struct ExistsType { std::vector<Binding*> sizes; TypeRef body; };       // ?[n].t: only in TypeExpr::type and abbreviations
struct VarType    { uint32_t var; };                   // unification variable: not in a checked program
struct ErrorType  {};                                  // what failed to check: not in a checked program
using Type = std::variant<PrimType, ArrayType, RecordType, SumType, FunType, NamedType, UniqueType, ExistsType, VarType, ErrorType>;

// What a TypeId is.
struct TypeDecl {
  enum class Kind : uint8_t { Param, Abstract } kind;  // 'a of a definition, or abstract by ascription or in a functor parameter
  Name name;
  Span span;
  Lifted lifted = Lifted::No;
  std::vector<bool> param_is_size;                     // of an abstract type
  std::string shown;                                   // how messages call it (qualified)
};

struct TypeParamInfo { TypeId type; };

// The type of a value: for all type parameters and size parameters, `type`.
// A use has the instantiated type in Expr::type; matching `type` against it yields every type argument and every size argument
// (size arguments may also be read off the shapes of the value arguments).
struct Scheme {
  std::vector<TypeId> types;                           // written ones first, in order; then inferred ones
  std::vector<Binding*> sizes;                         // written and implicit
  TypeRef type;
};

class Types {
 public:
  const Type& operator[](TypeRef t) const { return types_[t.index]; }
  const Size& operator[](SizeRef s) const { return sizes_[s.index]; }
  const TypeDecl& operator[](TypeId id) const { return decls_[id.index]; }
  TypeDecl& operator[](TypeId id) { return decls_[id.index]; }

  TypeRef add(Type type);
  SizeRef add(Size size);
  TypeId declare(TypeDecl decl);

  TypeRef prim(Prim p) const { return prims_[size_t(p)]; }
  TypeRef error() const { return error_; }
  TypeRef unit() const { return unit_; }
  SizeRef any() const { return any_; }

  Types();

 private:
  std::deque<Type> types_;
  std::deque<Size> sizes_;
  std::deque<TypeDecl> decls_;
  std::vector<TypeRef> prims_;
  TypeRef error_, unit_;
  SizeRef any_;
};

std::string_view prim_name(Prim p);
std::optional<Prim> prim_named(std::string_view text);
inline bool is_signed(Prim p) { return p <= Prim::I64; }
inline bool is_integer(Prim p) { return p <= Prim::U64; }
inline bool is_float(Prim p) { return p >= Prim::F16 && p <= Prim::F64; }

}  // namespace raido::check
