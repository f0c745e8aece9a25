// ast.h - the surface program.
//
// Nodes live in an arena owned by the Program; children are plain pointers. The parser makes the tree; The checker fills the blanks
// (marked `checked:`) and changes the tree in one way only. A dotted name `m.r.x` that turns out to be a value followed by projections
// becomes Project nodes around a shorter Ref.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/intern.h"
#include "compiler/base/match.h"
#include "compiler/source/source.h"

namespace raido::check { struct Scheme; struct ModuleInfo; }

namespace raido::ast {

using TypeRef = Id<struct TypeTag>;          // into check::Types; invalid until checked
using SizeRef = Id<struct SizeTag>;          // into check::Types
using TypeId = Id<struct TypeDeclTag>;       // a nominal type: a type parameter or an abstract type (check::Types::decls)

enum class Prim : uint8_t { I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, Bool };

struct Expr; struct Pat; struct TypeExpr; struct ModExp; struct ModType; struct Decl; struct Def;

// Whatever a term name can stand for: made once per binding place, compared by address.
struct Binding {
  enum class Kind : uint8_t {
    Value,        // def, parameter, let, loop, match
    Size,         // size parameter or size binder: an i64 value
    UnknownSize,  // made by the checker: a size known only at run time (result of filter, ..); has no syntax
    TypeParamName,// the name of a parameter inside a function type, or a size bound by ?[n].
    Module,       // module declaration or functor parameter
    Open,         // an open declaration, an import, a local open m.(e), or the prelude: a module without a name
    Builtin,      // overloaded operators and the members of `intrinsics`; what it does follows from its name
  };
  Name name;
  Span span;
  Kind kind = Kind::Value;
  uint32_t id = 0;                                     // unique in the Program
  const check::Scheme* scheme = nullptr;               // checked: values; sizes are i64 and have none
  const check::ModuleInfo* module = nullptr;           // checked: Module and Open
  const Def* def = nullptr;                            // the definition, if it is one (also local functions)
  bool top_level = false;                              // bound by a declaration (of a file or a module body)
  bool used = false;                                   // checked
  bool consumable = false;                             // checked: see check/consume.cc
};

// A dotted name. Checked: the value of `root`, then its members by name. For m.n.x the root is m and the members are [n, x]. A plain
// local or top-level name has no members. A name that came through an `open` has that Open binding as root and itself as member.
struct Path {
  Span span;
  std::span<Name> names;                               // as written
  std::span<Span> spans;                               // of each name
  Binding* root = nullptr;                             // checked
  std::span<Name> members;                             // checked
};

struct Attr { Span span; Name name; std::span<Attr> args; bool is_integer = false; uint64_t integer = 0; };

// --- types ---

struct SizeExpr { Span span; Expr* exp = nullptr; };   // null: []

struct TypeParam {
  enum class Kind : uint8_t { Size, Type, SizeLifted, Lifted };
  Kind kind;
  Name name;
  Span span;
  Binding* size = nullptr;                             // Size only
  TypeId type;                                         // checked: the others
};

struct TypeArg { SizeExpr size; TypeExpr* type = nullptr; };        // type null: a size

struct TName   { Path path; std::span<TypeArg> args; Span definition = {}; };   // definition: by the checker; none of primitives
struct TArray  { SizeExpr size; TypeExpr* elem; };
struct TRecord { std::span<std::pair<Name, TypeExpr*>> fields; };   // tuples: fields 0, 1, ..
struct TSum    { struct Clause { Name name; Span span; std::span<TypeExpr*> payload; }; std::span<Clause> clauses; };
struct TArrow  { Binding* name; TypeExpr* from; TypeExpr* to; };    // name may be null
struct TExists { std::span<Binding*> sizes; TypeExpr* body; };
struct TUnique { TypeExpr* inner; };

struct TypeExpr {
  Span span;
  std::variant<TName, TArray, TRecord, TSum, TArrow, TExists, TUnique> node;
  TypeRef type;                                        // checked; an anonymous [] is AnySize
};

// --- expressions ---

struct Literal {
  enum class Kind : uint8_t { Int, Float, Bool, String } kind = Kind::Int;     // characters are Int
  bool has_suffix = false;
  Prim suffix = Prim::I32;
  bool too_big = false;                                // Int: does not fit 64 bits
  uint64_t integer = 0;                                // Int: modulo 2^64; Bool: 0 or 1
  double real = 0;                                     // Int and Float: the value
  std::string_view text;                               // String: the bytes it denotes; Float: the digits as written
  static Literal of(Kind k) { Literal l; l.kind = k; return l; }
};

struct Ref       {
  Path path;
  std::span<TypeRef> inst;                             // checked: type arguments, in the order of Scheme::types
  bool infix = false;                                  // written as an operator, so no field of a record
};
struct Tuple     { std::span<Expr*> parts; };          // () has none
struct RecordField { Name name; Span span; Expr* value; };
struct Record    { std::span<RecordField> fields; };
struct Project   { Expr* record; Name field; Span field_span; };
struct Selector  {                                     // a[at] or a[from:to:step]
  Span span;
  bool slice = false;
  Expr *at = nullptr, *from = nullptr, *to = nullptr, *step = nullptr;    // of a slice any may be null
};
struct Index     { Expr* array; std::span<Selector> at; };          // slices make the result an array
struct ArrayLit  { std::span<Expr*> elems; };
struct Range     { enum class Kind : uint8_t { Inclusive, UpTo, DownTo } kind; Expr *first, *second, *last; };   // second may be null
struct Apply     { Expr* fun; std::span<Expr*> args; };             // at least one argument
struct Construct { Name name; std::span<Expr*> args; };
struct Operator  { Expr* op; Expr *left, *right; };                 // op is a Ref; Builtin: dispatch on the operands' type
struct Unary     { enum class Op : uint8_t { Negate, Not } op; Expr* operand; };
struct Section   { Expr* op; Expr *left, *right; };                 // at most one operand; none: (+)
struct Step      { Name field; Span span; std::span<Selector> at; bool is_field = false; };
struct AccessSection { std::span<Step> steps; };                    // (.a.b), (.[i])
struct Lambda    { std::span<Pat*> params; TypeExpr* result; Expr* body; };      // result may be null
struct If        { Expr *cond, *then_, *else_; };
struct Case      { Pat* pat; Expr* body; };
struct Match     { Expr* on; std::span<Case> cases; };
struct Let       { std::span<TypeParam> sizes; Pat* pat; Expr* value; Expr* body; };   // let x[i] = e is let x = x with [i] = e
struct LetFun    { Def* def; Expr* body; };
struct Loop {
  enum class Form : uint8_t { For, ForIn, While } form;
  Pat* state;
  Expr* init;                                          // never null: the parser writes out an omitted one
  Pat* index;                                          // For: a variable; ForIn: any pattern; While: null
  Expr* bound;                                         // For: n; ForIn: the array; While: the condition
  Expr* body;
  bool implicit_init = false;
};
struct With      { Expr* base; std::span<Step> steps; Expr* value; };
struct Ascribe   { Expr* exp; TypeExpr* type; };
struct Coerce    { Expr* exp; TypeExpr* type; };       // the sizes of Expr::type are checked at run time
struct LocalOpen { Path module; Binding* self; Expr* body; };       // self: Kind::Open
struct Assert    { Expr *cond, *body; };               // the text of the condition is its span
struct Hole      {};
struct Attributed { Attr attr; Expr* body; };
struct SizeHole  { SizeRef size; };                    // made by the checker inside size expressions: stands for that size

struct Expr {
  Span span;
  std::variant<Literal, Ref, Tuple, Record, Project, Index, ArrayLit, Range, Apply, Construct, Operator, Unary, Section,
               AccessSection, Lambda, If, Match, Let, LetFun, Loop, With, Ascribe, Coerce, LocalOpen, Assert, Hole,
               Attributed, SizeHole> node;
  TypeRef type;                                        // checked
  Span bare = {};                                      // without the parentheses that `span` includes; not valid: there are none
  Binding* size = nullptr;                             // checked: the unknown size that is its value, of an argument that binds names
};

// --- patterns ---

struct PVar     { Binding* var; };
struct PWild    {};
struct PTuple   { std::span<Pat*> parts; };
struct PField   { Name name; Span span; Pat* pat; };
struct PRecord  { std::span<PField> fields; };
struct PLiteral { Literal literal; bool negative; };
struct PConstr  { Name name; std::span<Pat*> args; };
struct PAscribe { Pat* pat; TypeExpr* type; };
struct PAttr    { Attr attr; Pat* pat; };

struct Pat {
  Span span;
  std::variant<PVar, PWild, PTuple, PRecord, PLiteral, PConstr, PAscribe, PAttr> node;
  TypeRef type;                                        // checked
};

// --- declarations ---

// A function or constant: def, entry, or a local function.
struct Def {
  Span span, name_span;
  Binding* self;
  std::span<TypeParam> tparams;                        // as written; see check::Scheme for all of them
  std::span<Pat*> params;                              // none: a constant
  TypeExpr* result;                                    // may be null
  Expr* body;
  std::span<Attr> attrs;
  bool entry = false;
  bool recursive = false;                              // checked
  const check::Scheme* scheme = nullptr;               // checked: same as self->scheme
};

struct TypeDef {
  Span span, name_span;
  Name name;
  TypeParam::Kind lifted;                              // Type, SizeLifted or Lifted
  std::span<TypeParam> params;
  TypeExpr* body;
  TypeRef type;                                        // checked: in terms of the parameters (NamedType, NameSize)
};

// An abstract type that comes into being here, and where to find what it is in the module value: its type members by name.
struct Abstract { TypeId type; std::span<Name> path; };

// A value of a module that comes into being here, which sizes call by a name of their own.
struct Origin { Binding* name; std::span<Name> path; };

struct ModParam {
  Binding* self;
  ModType* type;
  std::span<Abstract> abstracts;                       // checked: types of the argument, bound on application
  std::span<Origin> origins = {};                           // checked: its values
};

struct ModTypeDef { Span span, name_span; Name name; ModType* type; };
struct ModDef     { Span span, name_span; Binding* self; ModExp* exp; };  // parameters and ascription are part of exp
struct Open {                                          // open M; import "p" (then the Decl is local)
  Span span;
  ModExp* exp;
  Binding* self;                                       // Kind::Open
  std::span<Name> terms, types;                        // checked: the names it brings in (those the module type shows)
};

struct Decl {
  Span span;
  bool local = false;
  std::span<Attr> attrs;
  std::string_view doc;
  std::variant<Def*, TypeDef*, ModTypeDef*, ModDef*, Open*> node;
};

// --- modules ---

struct File;

struct MName    { Path path; };
struct MBody    { std::span<Decl> decls; };
struct MLambda  { ModParam* param; ModExp* body; };
struct MApply   { ModExp *fun, *arg; };
struct MImport  { std::string_view path; Span path_span; File* file; };   // file: filled by the loader
struct MAscribe { ModExp* exp; ModType* type; };

struct ModExp {
  Span span;
  std::variant<MName, MBody, MLambda, MApply, MImport, MAscribe> node;
  std::span<Abstract> abstracts;                       // checked: MApply and MAscribe: fresh types of the result
  std::span<Origin> origins = {};                           // checked: and its values
};

struct SpecVal    { Name name; Span name_span; std::span<TypeParam> tparams; TypeExpr* type; };
struct SpecType   { Name name; Span name_span; TypeParam::Kind lifted; std::span<TypeParam> params; TypeExpr* body; };   // body null: abstract
struct SpecModule { Name name; Span name_span; ModType* type; };
struct SpecInclude { ModType* type; };
struct Spec { Span span; std::variant<SpecVal, SpecType, SpecModule, SpecInclude> node; std::string_view doc; };

struct SName  { Path path; Span definition = {}; };                  // definition: by the checker
struct SSpecs { std::span<Spec> specs; };
struct SWith  { ModType* base; Path type; std::span<TypeParam> params; TypeExpr* body; };
struct SArrow { Binding* param; ModType *from, *to; };               // param may be null

struct ModType {
  Span span;
  std::variant<SName, SSpecs, SWith, SArrow> node;
};

struct Comment { Span span; bool doc; };

// How a text looks a name up: where it stands, as a member of what stands before it, as a type, as a module type. What a specification
// asks for counts as a member.
enum class Lookup : uint8_t { Scope, Member, Type, ModType };
struct Mention { uint32_t at; Name name; Lookup how; };      // at: the byte in the file

struct File {
  FileId id;
  std::string_view path;                               // for messages and to resolve imports
  std::string_view doc;
  std::span<Decl> decls;
  std::span<Comment> comments;                         // kept beside the tree, for the formatter
  const check::ModuleInfo* module = nullptr;           // checked
  bool builtin = false;                                // part of the prelude
  bool packed = false;                                 // came with the compiler: the prelude, and the libraries below it
  std::span<Mention> mentions;                         // of the prelude: all of them, in the order of the text
};

// All files of a compilation, each after those it imports; the prelude first, the root last.
struct Program {
  Arena arena;
  Names names;
  std::vector<File*> files;
  File* root = nullptr;
  Binding* prelude = nullptr;                          // Kind::Open: the implicit `open` of the prelude in every user file
  File* prelude_file = nullptr;                        // its module
  IdSet<Name> mentioned[4];                            // by Lookup: all that files outside the prelude mention
  uint32_t next_binding = 0;

  Binding* bind(Name name, Span span, Binding::Kind kind) {
    Binding* b = arena.make<Binding>();
    b->name = name, b->span = span, b->kind = kind, b->id = next_binding++;
    return b;
  }
};

}  // namespace raido::ast
