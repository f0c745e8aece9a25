// types.h - type and size terms in one table.
//
// A TypeRef of a checked program is fully resolved: no unification variables, abbreviations expanded. What remains open
// is only what a static interpreter must supply: NamedType of a type parameter or of an abstract type.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/chunks.h"
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
using Field = std::pair<Name, TypeRef>;
using Clause = std::pair<Name, std::span<const TypeRef>>;
struct RecordType { std::span<const Field> fields; };    // sorted: numerals by value, then names by text
struct SumType    { std::span<const Clause> constrs; };   // sorted by text
struct FunType {
  TypeRef param, result;
  Binding* name = nullptr;                             // of the parameter, if result sizes mention it; else null
  std::span<Binding* const> exists = {};               // sizes of the result that each call makes
};
struct NamedType  { TypeId decl; std::span<const TypeArg> args; };      // a type parameter or an abstract type
struct UniqueType { TypeRef inner; };                  // *t: only in parameters and results of functions, and their components
struct ExistsType { std::span<Binding* const> sizes; TypeRef body; };  // ?[n].t: in TypeExpr::type and abbreviations; in functions too, where an abstract type has become one
struct VarType    { uint32_t var; };                   // unification variable: not in a checked program
struct OpenType   { uint32_t var; };                   // a function type that the size pass has still to find: not in a checked program
struct ErrorType  {};                                  // what failed to check: not in a checked program
using Type = std::variant<PrimType, ArrayType, RecordType, SumType, FunType, NamedType, UniqueType, ExistsType, VarType, OpenType, ErrorType>;

// What a TypeId is.
struct TypeDecl {
  enum class Kind : uint8_t { Param, Abstract } kind;  // 'a of a definition, or abstract by ascription or in a functor parameter
  Name name;
  Span span;
  Lifted lifted = Lifted::No;
  struct ParamKind { bool is_size; Lifted lifted; };
  std::vector<ParamKind> params = {};                  // of an abstract type
  std::string shown = {};                              // how messages call it (qualified)
  uint32_t level = 0;                                  // nesting of the definition that binds a type parameter
};

// The type of a value: for all type parameters and size parameters, `type`.
// A use has the instantiated type in Expr::type. Matching `type` against it yields every type argument and every size argument. Size
// arguments may also be read off the shapes of the value arguments.
struct Scheme {
  std::vector<TypeId> types;                           // written ones first, in order; then inferred ones
  std::vector<Binding*> sizes;                         // written and implicit
  TypeRef type;
};

class Types {
 public:
  Types();
  // What an open type was found to be stands for it everywhere.
  const Type& operator[](TypeRef t) const {
    const Type& type = types_[t.index].type;
    return std::holds_alternative<OpenType>(type) ? found(type) : type;
  }
  const Size& operator[](SizeRef s) const { return sizes_[s.index]; }
  const TypeDecl& operator[](TypeId id) const { return decls_[id.index]; }
  TypeDecl& operator[](TypeId id) { return decls_[id.index]; }

  TypeRef add(const Type& type) { types_.push_back({type, {}}); return {uint32_t(types_.size() - 1)}; }
  SizeRef add(const Size& size) { sizes_.push_back(size); return {uint32_t(sizes_.size() - 1)}; }
  TypeId declare(TypeDecl decl);

  TypeRef prim(Prim p) const { return prims_[size_t(p)]; }
  TypeRef error() const { return error_; }
  TypeRef unit() const { return unit_; }
  SizeRef any() const { return any_; }
  TypeRef array(TypeRef elem, SizeRef size) { return add(ArrayType{elem, size}); }
  TypeRef record(const std::vector<Field>& fields) { return fields.empty() ? unit_ : add(RecordType{keep(fields)}); }
  TypeRef fun(TypeRef param, TypeRef result) { return add(FunType{param, result}); }
  TypeRef open(TypeRef erased) { open_.push_back({erased, {}}); return add(OpenType{uint32_t(open_.size() - 1)}); }
  uint32_t open_count() const { return uint32_t(open_.size()); }
  TypeRef erased(OpenType t) const { return open_[t.var].erased; }
  bool was_open(TypeRef t) const { return std::get_if<OpenType>(&types_[t.index].type) && as<FunType>(t); }
  bool is_open(OpenType t) const { return !open_[t.var].found.valid(); }
  void set(OpenType t, TypeRef found) { open_[t.var].found = found; }   // invalid: open again

  // The lists in types are copies that live as long as the table.
  template <class T> std::span<const T> keep(const std::vector<T>& items) { return arena_.copy(items); }
  // The same with what f(T&) makes of each item; a new list only if f answers that it has changed one.
  template <class T, class F> std::span<const T> edited(std::span<const T> items, F&& f) {
    for (size_t i = 0; i < items.size(); i++) {
      T item = items[i];
      if (!f(item)) continue;
      std::span<T> out = arena_.copy(items);
      out[i] = item;
      while (++i < items.size()) f(out[i]);
      return out;
    }
    return items;
  }

  template <class T> const T* as(TypeRef t) const { return std::get_if<T>(&(*this)[t]); }
  template <class T> const T* as(SizeRef s) const { return std::get_if<T>(&sizes_[s.index]); }
  // What was found out about a type, which never changes; invalid or none: not yet.
  struct Facts {
    TypeRef erased;                                    // Infer::erase
    TypeRef finished;                                  // Sizes::finish
    std::optional<bool> has_memory;                    // consume.cc
  };
  Facts& facts(TypeRef t) { return types_[t.index].facts; }
  bool is_error(TypeRef t) const { return as<ErrorType>(t) != nullptr; }

 private:
  const Type& found(const Type& open) const;
  Arena arena_;
  struct Entry { Type type; Facts facts; };
  Chunks<Entry> types_;
  Chunks<Size> sizes_;
  Chunks<TypeDecl> decls_;
  struct Open { TypeRef erased, found; };
  std::vector<Open> open_;                               // by OpenType::var
  std::vector<TypeRef> prims_;
  TypeRef error_, unit_;
  SizeRef any_;
};

std::string_view prim_name(Prim p);
std::optional<Prim> prim_named(std::string_view text);
inline bool is_signed(Prim p) { return p <= Prim::I64; }
inline bool is_integer(Prim p) { return p <= Prim::U64; }
inline bool is_float(Prim p) { return p >= Prim::F16 && p <= Prim::F64; }

// Rebuilds a type bottom-up: `leaf` answers for a whole type (or an invalid ref: go on inside), `size` for each size.
// Parts that do not change are shared.
template <class Leaf, class SizeF> TypeRef rebuild(Types& types, TypeRef t, Leaf&& leaf, SizeF&& size) {
  if (TypeRef r = leaf(t); r.valid()) return r;
  auto go = [&](TypeRef x) { return rebuild(types, x, leaf, size); };
  const Type& type = types[t];
  if (auto* a = std::get_if<ArrayType>(&type)) {
    TypeRef elem = go(a->elem);
    SizeRef dim = size(a->size);
    return elem == a->elem && dim == a->size ? t : types.add(ArrayType{elem, dim});
  }
  auto changes = [&](TypeRef& x) {
    TypeRef old = x;
    x = go(old);
    return x != old;
  };
  if (auto* r = std::get_if<RecordType>(&type)) {
    auto fields = types.edited(r->fields, [&](Field& f) { return changes(f.second); });
    return fields.data() == r->fields.data() ? t : types.add(RecordType{fields});
  }
  if (auto* s = std::get_if<SumType>(&type)) {
    auto constrs = types.edited(s->constrs, [&](Clause& k) {
      auto old = k.second;
      k.second = types.edited(old, changes);
      return k.second.data() != old.data();
    });
    return constrs.data() == s->constrs.data() ? t : types.add(SumType{constrs});
  }
  if (auto* f = std::get_if<FunType>(&type)) {
    FunType out = *f;
    out.param = go(out.param), out.result = go(out.result);
    return out.param == f->param && out.result == f->result ? t : types.add(out);
  }
  if (auto* n = std::get_if<NamedType>(&type)) {
    auto args = types.edited(n->args, [&](TypeArg& arg) {
      if (arg.type.valid()) return changes(arg.type);
      SizeRef old = arg.size;
      arg.size = size(old);
      return arg.size != old;
    });
    return args.data() == n->args.data() ? t : types.add(NamedType{n->decl, args});
  }
  if (auto* u = std::get_if<UniqueType>(&type)) {
    TypeRef inner = go(u->inner);
    return inner == u->inner ? t : types.add(UniqueType{inner});
  }
  if (auto* e = std::get_if<ExistsType>(&type)) {
    TypeRef body = go(e->body);
    return body == e->body ? t : types.add(ExistsType{e->sizes, body});
  }
  return t;
}

inline bool has_parts(const Type& t) {
  return std::holds_alternative<ArrayType>(t) || std::holds_alternative<RecordType>(t) || std::holds_alternative<SumType>(t) || std::holds_alternative<NamedType>(t);
}
// Goes through the parts of two types of one kind side by side: `part` answers for each pair of types in them, `size` for each pair of
// sizes, and the answers make a type like the first. What has no parts stays. Parts that do not change are shared.
template <class Part, class SizeF> TypeRef zip(Types& types, TypeRef a, TypeRef b, Part&& part, SizeF&& size) {
  const Type &x = types[a], &y = types[b];
  if (x.index() != y.index()) return a;
  if (auto* p = std::get_if<ArrayType>(&x)) {
    ArrayType one = *p, two = std::get<ArrayType>(y);
    SizeRef dim = size(one.size, two.size);
    TypeRef elem = part(one.elem, two.elem);
    return elem == one.elem && dim == one.size ? a : types.array(elem, dim);
  }
  // Pairs of the items, as long as both have one; `answer` changes the first.
  auto pairs = [&](auto items, auto others, auto&& answer) {
    auto other = others.begin();
    return types.edited(items, [&](auto& item) { return other != others.end() && answer(item, *other++); });
  };
  auto part_of = [&](TypeRef& t, TypeRef u) {
    TypeRef old = t;
    t = part(old, u);
    return t != old;
  };
  if (auto* p = std::get_if<RecordType>(&x)) {
    auto old = p->fields, fields = pairs(old, std::get<RecordType>(y).fields, [&](Field& f, const Field& g) { return part_of(f.second, g.second); });
    return fields.data() == old.data() ? a : types.add(RecordType{fields});
  }
  if (auto* p = std::get_if<SumType>(&x)) {
    auto old = p->constrs, constrs = pairs(old, std::get<SumType>(y).constrs, [&](Clause& k, const Clause& l) {
      auto before = k.second;
      k.second = pairs(before, l.second, part_of);
      return k.second.data() != before.data();
    });
    return constrs.data() == old.data() ? a : types.add(SumType{constrs});
  }
  if (auto* p = std::get_if<NamedType>(&x)) {
    NamedType named = *p;
    auto args = pairs(named.args, std::get<NamedType>(y).args, [&](TypeArg& arg, const TypeArg& other) {
      if (arg.type.valid()) return part_of(arg.type, other.type);
      SizeRef old = arg.size;
      arg.size = size(old, other.size);
      return arg.size != old;
    });
    return args.data() == named.args.data() ? a : types.add(NamedType{named.decl, args});
  }
  return a;
}

// Calls f on every part of a type, outermost first, and s on every size.
template <class F, class S> void visit_type(const Types& types, TypeRef t, F&& f, S&& s) {
  f(t);
  auto go = [&](TypeRef x) { visit_type(types, x, f, s); };
  match(types[t],
      [&](const ArrayType& a) { s(a.size); go(a.elem); },
      [&](const RecordType& r) { for (auto& field : r.fields) go(field.second); },
      [&](const SumType& u) { for (auto& c : u.constrs) for (TypeRef p : c.second) go(p); },
      [&](const FunType& x) { go(x.param); go(x.result); },
      [&](const NamedType& n) { for (const TypeArg& arg : n.args) { if (arg.type.valid()) go(arg.type); else s(arg.size); } },
      [&](const UniqueType& u) { go(u.inner); },
      [&](const ExistsType& e) { go(e.body); },
      [](const auto&) {});   // leaves
}

}  // namespace raido::check
