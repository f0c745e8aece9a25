// infer.h - inference without sizes: Hindley-Milner over types whose dimensions are all anonymous.
//
// One Infer per top-level definition: constraints may flow in any direction within it, then what is open is defaulted or
// generalised. It also resolves names and written types. It fills Path::root, TypeExpr::type (with the sizes as written),
// Ref::inst and, without sizes, Expr::type and Pat::type. Then sizes.h puts the sizes in.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/check/context.h"

namespace raido::check {

// Sets of primitive types, as bits.
using PrimSet = uint16_t;
constexpr PrimSet bit(Prim p) { return PrimSet(1u << unsigned(p)); }
constexpr PrimSet signed_ints = bit(Prim::I8) | bit(Prim::I16) | bit(Prim::I32) | bit(Prim::I64);
constexpr PrimSet ints = signed_ints | bit(Prim::U8) | bit(Prim::U16) | bit(Prim::U32) | bit(Prim::U64);
constexpr PrimSet floats = bit(Prim::F16) | bit(Prim::F32) | bit(Prim::F64);
constexpr PrimSet numbers = ints | floats;
constexpr PrimSet all_prims = numbers | bit(Prim::Bool);
std::string set_names(PrimSet set);                                // "f16, f32, f64"

struct TypeVar {
  enum class Kind : uint8_t { Free, Overloaded, Record, Sum } kind = Kind::Free;
  TypeRef link;                                                    // valid: solved
  PrimSet set = 0;
  struct Parts { std::vector<Field> fields; std::vector<Clause> constrs; };
  Parts* parts = nullptr;                                          // of a record or a sum: those that are known
  Lifted bound = Lifted::Full;
  uint32_t level = 0;
  Span origin;
  TypeId param;                                                    // the type parameter it stands for, and of whose type
  std::string_view param_of;
  bool section = false;                                            // the record that a projection section asks for
};

class Infer {
 public:
  explicit Infer(Context& context);
  ~Infer();

  // A whole definition: names, types, defaulting. Returns its type parameters, written ones first; false: errors were reported.
  bool definition(ast::Def& def);
  std::vector<TypeId> generalised;
  void warn_unused() const;                                         // local names that nothing refers to
  std::optional<std::vector<Binding*>> intrinsic_result_sizes;     // of a definition that the compiler provides

  // Written types outside of definitions (type declarations, specs). Right of an arrow and in abbreviations anonymous sizes are
  // collected into `exists`; where that is null they stay anonymous.
  TypeRef resolve(ast::TypeExpr* t, std::vector<Binding*>* exists);
  TypeRef abbreviation(ast::TypeExpr* body);
  void bind_type_params(std::span<ast::TypeParam> params);
  void finish();                                                    // for the size expressions of written types
  // The types of two branches before they became one, where something in them was not known yet. By the first branch of an `if`, the
  // later one of two cases. The same of the start of a loop.
  std::unordered_map<const ast::Expr*, std::pair<TypeRef, TypeRef>> open_types;
  bool named_lifted = false, wrote_anonymous = false;               // an abbreviation uses a lifted type, or has []
  Lifted lifted() const { return lifted_; }                         // of the type resolved last, as the types it names were declared
  bool in_spec = false;                                             // what is resolved stands in a module type

  // --- unification ---
  TypeRef resolved(TypeRef t) const;                                // the head only
  TypeRef zonk(TypeRef t);                                          // all of it
  bool unify(TypeRef a, TypeRef b);
  TypeRef fresh(Span at);
  TypeRef overloaded(PrimSet set, Span at);
  TypeRef with_field(Name name, TypeRef type, Span at);            // some record that has this field
  TypeRef with_constructor(Name name, const std::vector<TypeRef>& payload, Span at);
  TypeRef erase(TypeRef t);
  TypeRef instantiate(const Scheme& scheme, Span at, std::vector<TypeRef>* inst);
  Reason why() const;                                               // of the last failure

  std::string unsized_show(TypeRef t) { return c.show(zonk(t)); }

 private:
  // Of a function without type parameters: `open` are the variables left in its type where it is defined.
  struct Local { TypeRef type; std::vector<TypeId> params; std::vector<uint32_t> open = {}; };

  // infer_expr.cc
  TypeRef infer(ast::Expr* e);
  TypeRef infer_node(ast::Expr* e);
  TypeRef counted_literal(ast::Expr* e, ast::Literal& l);
  TypeRef array_literal(Span at, ast::ArrayLit& a);
  TypeRef range(Span at, ast::Range& r);
  TypeRef unary(Span at, ast::Unary& u);
  TypeRef section(Span at, ast::Section& s);
  TypeRef match_cases(Span at, ast::Match& m);
  TypeRef local_open(ast::Expr* e, ast::LocalOpen& o);
  TypeRef lets(ast::Expr* e);
  TypeRef ifs(ast::Expr* e);
  TypeRef operators(ast::Expr* e);
  void let(ast::Let& l);
  TypeRef literal(const ast::Literal& l, Span at);
  std::string conversion(TypeRef from, TypeRef to, const ast::Expr* e);      // a help, or nothing
  std::string hidden_type(TypeRef a, TypeRef b) const;
  TypeRef project(TypeRef record, Name field, Span at, const ast::Expr* of = nullptr);
  std::string other_than_field(TypeRef record, Name field, const ast::Expr* of);
  TypeRef select(TypeRef array, std::span<ast::Selector> at, Span span);
  TypeRef steps(TypeRef base, std::span<ast::Step> steps);
  TypeRef lambda(ast::Lambda& l);
  TypeRef loop(ast::Loop& l);
  void local_function(ast::LetFun& l);
  void condition(ast::Expr* e);
  void expect(ast::Expr* e, TypeRef actual, TypeRef expected, const Diag<2>& kind = err::condition_type, std::string_view otherwise = "");
  std::string source(const ast::Expr* e) const;
  // A type in a message. It becomes text when the message is put together, so that open types get their names in the order of the
  // holes. Arguments of a call are evaluated in an order that each C++ compiler chooses.
  struct Shown {
    Infer& infer;
    TypeRef type;
    std::string_view before;
    operator std::string() const { return std::string(before) + infer.unsized_show(type); }
  };
  Shown shown(TypeRef t) { return {*this, t, ""}; }
  Shown quoted_type(TypeRef t) { return {*this, t, "\n  "}; }

  // infer_call.cc
  TypeRef ref(ast::Expr* e, ast::Ref& r);
  bool is_builtin(const ast::Expr* op) const;
  TypeRef builtin_type(std::string_view op, TypeRef operand, Span at);
  TypeRef builtin_section(ast::Expr* op_exp);
  TypeRef operator_(ast::Expr* e, ast::Operator& o, TypeRef left);
  bool wider(TypeRef left, TypeRef right) const;
  TypeRef apply(TypeRef fun, ast::Expr* fun_exp, std::span<ast::Expr*> args, Span at);
  TypeRef apply_one(TypeRef fun, std::string_view fun_text, size_t index, TypeRef arg, ast::Expr* arg_exp, Span at,
                    const ast::Expr* fun_exp = nullptr);
  bool fixed_by_use(const ast::Expr* fun, size_t index) const;
  int arity(TypeRef t) const;
  std::string left_out(std::string_view fun_text, const FunType& fun, size_t index, TypeRef arg, const ast::Expr* arg_exp) const;
  std::string other_count(std::string_view fun_text, int given, TypeRef arg, const ast::Expr* arg_exp) const;
  std::string listed_arguments(TypeRef fun, std::string_view fun_text, const ast::Expr* arg) const;
  std::string chosen_type(const ast::Expr* fun, size_t index, TypeRef arg);

  // infer_definition.cc
  bool is_intrinsic(const ast::Def& def) const;
  TypeRef definition_type(ast::Def& def);
  void default_visible(const ast::Def& def, TypeRef type);
  void default_vars();
  void generalise(const ast::Def& def, TypeRef type);
  void check_literals();
  void check_tunable();
  void check_equalities(const ast::Def& def, bool broken);
  void check_no_functions();                                        // where a branch, a loop or a case gives none
  void check_indices();
  void check_derivatives();

  // infer_pattern.cc
  // Names bound together, which must be different.
  struct Group {
    std::vector<Binding*> all;
    FlatMap<Name, Binding*> first;
    void add(Binding* b) {
      all.push_back(b);
      if (!first.contains(b->name)) first[b->name] = b;
    }
  };
  TypeRef pattern(ast::Pat* p, Group& group);
  TypeRef pattern_node(ast::Pat* p, Group& group);
  void add_to_group(Binding* b, Group& group, const Diag<2>& twice = err::bound_twice);
  void bind_all(const Group& group);
  void params(std::span<ast::Pat*> pats, std::vector<TypeRef>& out, Group& group);

  // infer_type.cc
  TypeRef resolve_name(ast::TypeExpr* t, ast::TName& n, std::vector<Binding*>* exists);
  TypeRef resolve_array(ast::TypeExpr* t, ast::TArray& a, std::vector<Binding*>* exists);
  bool array_element(ast::TypeExpr* t, ast::TypeExpr* written, TypeRef elem);
  TypeRef resolve_sum(ast::TypeExpr* t, ast::TSum& s, std::vector<Binding*>* exists);
  TypeRef resolve_arrow(ast::TArrow& a);
  TypeRef resolve_exists(ast::TExists& e, std::vector<Binding*>* exists);
  size_t places(TypeRef body, const TypeMember::Param& param);
  SizeRef resolve_size(ast::SizeExpr& s, std::vector<Binding*>* exists);

  // unify.cc
  TypeRef known_now(TypeRef t);
  void note_open(const ast::Expr* at, TypeRef a, TypeRef b);
  bool unify_parts(TypeRef a, TypeRef b);
  bool broken(TypeRef t);                                           // has an error in it
  void spoil(TypeRef t);                                            // what is open in it is unknown from now on
  bool bind_var(uint32_t var, TypeRef t);
  void name_occurs(TypeRef self, TypeRef whole);
  bool merge_vars(TypeRef a, TypeRef b);                            // both are variables
  bool adjust(TypeRef t, uint32_t var, uint32_t level);
  bool fields_fit(TypeVar& v, TypeRef t);
  template <int N, class... Args> bool fail(const Diag<N>& kind, const Args&... args) {
    if (!why_) why_ = reason(kind, args...);
    return false;
  }
  bool fail(std::string why);
  bool restrict(TypeRef t, Lifted bound, const TypeVar& of);
  void clear_why() { why_ = {}; where_.clear(); }
  void explain(Diagnostics::Draft draft);                           // adds the reason of the last failure
  void explain_pattern(const ast::Pat* p, TypeRef value, Diagnostics::Draft draft);
  bool at(std::string where);                                       // false; failed inside of this part
  bool differ(TypeRef a, TypeRef b);
  bool payloads(Name constructor, std::span<const TypeRef> a, std::span<const TypeRef> b);
  TypeRef fun_type(const std::vector<TypeRef>& params, TypeRef result);

  Context& c;
  Types& types;
  mutable std::pmr::vector<TypeVar> vars_{&c.scratch};                               // resolved() shortens chains of links
  std::vector<std::unique_ptr<TypeVar::Parts>> parts_;
  FlatMap<const Binding*, Local> locals_{&c.scratch};
  std::pmr::vector<std::pair<ast::Expr*, bool>> literals_{&c.scratch};               // with whether it is negated
  std::vector<std::pair<const ast::PLiteral*, std::pair<TypeRef, Span>>> pattern_literals_;
  std::pmr::vector<std::pair<ast::Expr*, TypeRef>> equalities_{&c.scratch};          // `==` and `!=`: the operand's type
  std::pmr::vector<std::pair<TypeRef, std::pair<Span, const Diag<1>*>>> no_functions_{&c.scratch};
  std::vector<const ast::Attributed*> tunable_;
  std::vector<ast::Expr*> holes_, derivatives_;                     // derivatives_: names of the prelude's operators
  std::vector<const ast::Loop*> counted_;                           // loops with a bound
  std::pmr::vector<Binding*> bound_{&c.scratch};                                     // every local name
  ast::Def* current_ = nullptr;
  std::pair<const ast::Expr*, std::string> range_argument_;         // the last argument where a range begins with a call, and the range without that
  Lifted lifted_ = Lifted::No;
  uint32_t level_ = 0, unify_depth_ = 0;
  size_t errors_from_ = 0;              // errors reported before this definition: what follows from an error is not reported
  Reason why_;
  std::vector<std::string> where_;                                  // the path to where it failed, innermost first
  uint32_t shown_depth_ = 0;
  mutable std::unordered_map<uint32_t, size_t> shown_vars_;         // type variables are numbered as messages mention them
  std::function<std::string(uint32_t)> outer_show_;
};

}  // namespace raido::check
