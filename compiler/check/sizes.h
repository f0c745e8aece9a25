// sizes.h - the second pass over a definition: sizes.
//
// Walks a tree whose types are known except for sizes, and puts in the sizes. Where nothing is said a size is a fresh variable; where
// the language demands equality sizes are unified. A size variable has a level: it may only be linked to names bound at its level or
// outside. Variables of instantiated type and size parameters are absorbable. Such a variable may be linked to a size that exists
// only inside another type (of a lambda's result, say). Then it becomes existential instead of failing.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/check/infer.h"

namespace raido::check {

// Where an unknown size comes from: a text with holes for `name`, if there is one, and for the place.
struct Made {
  const char* text = nullptr;
  std::optional<std::string> name;
  Span at;
  std::string shown(const Context& c) const;
};

// Which open sizes of parameters stay open at a branch whose other side has another size (decision 022).
enum class StayOpen : uint8_t { Known, All, None };         // Known: where both types were known to have sizes there

// What a definition is checked again with, after a first try has failed.
struct Retry {
  bool own_sizes = false;                                  // each recursive call makes the sizes of its result that are not declared
  std::unordered_set<const ast::Pat*> own_results = {};    // functions whose calls each make the sizes of their result
  const Scheme* self = nullptr;                            // the type of recursive uses
  StayOpen stay_open = StayOpen::Known;
  bool met_open = false;                                   // set: a branch met an open size of a parameter, and another size
};

class Sizes {
 public:
  Sizes(Context& context, Infer& infer) : Sizes(context, infer, no_retry_) {}
  // Adds to `retry` what may help another time.
  Sizes(Context& context, Infer& infer, Retry& retry);
  ~Sizes();

  // The whole definition; its scheme has the type parameters found by inference.
  Scheme definition(ast::Def& def);
  // A written type outside of definitions: its size expressions.
  void written_sizes(ast::TypeExpr* t);
  void finish();

  // After definition(): is every size computed before it is needed? (causality.cc)
  void check_causality(const ast::Def& def);

  // Is a recursive function, whose type was found to be `found`, what its own uses took it for?
  bool is_as_assumed(const Scheme& self, const Scheme& found);
  // Is `impl` at least as general as `spec`? why() says what differs.
  bool implements(const Scheme& spec, const Scheme& impl, const std::vector<TypeRef>& inst);
  const Reason& why() const { return why_; }

 private:
  // What a variable shares with the one that it is linked to.
  struct Nature {
    bool absorbable = false, unlifted = false;
    bool loop_state = false;          // a size of what a loop carries
    bool anonymous = false;           // of a written `[]`
    bool coerced = false;             // of a value before `:>`
    bool fixed_by_branch = true;      // where branches have this size and another, it may become the other
    bool existential = false;         // it would have to be a size that each call of some function makes
    Binding* param = nullptr;         // the size parameter it stands for
    const ast::Pat* result_of = nullptr;   // in the result of the function that this pattern binds
  };
  struct Var : Nature {
    SizeRef link;
    uint32_t level;
    bool absorbed = false;
    bool changed_by_loop = false;     // of the start of a loop, whose body makes another: 0 if nothing else determines it
    bool in_pattern = false;          // of a parameter or a state
    bool in_arrow = false;            // inside a function type that a type parameter stands for
    SizeRef absorbed_from;            // what it was to be when it was absorbed
    Span origin;
    Binding* unknown = nullptr;       // what an absorbed variable is called in the end
    const Scheme* of = nullptr;
  };
  struct Update { Span at; TypeRef old, value; };
  struct State { Binding* size; SizeRef before; std::string end /* empty: not known */; Span update; const ast::Loop* loop; };
  // Why two types or sizes cannot be made equal. Occurs: the size would contain itself. Scope: its names are not known there.
  enum class Failure : uint8_t { Differ, Occurs, Unlifted, Scope, Consumes, ResultUnique };
  enum class Place : uint8_t { LoopBody, Other };
  // What an unknown size comes from, as messages distinguish it.
  enum class Origin : uint8_t { Branches, Loop, Other };
  enum class Fresh { Plain, Absorbable, Unlifted };
  enum class Purpose { Read, Update };                 // the size of an updated slice is that of the new value
  struct Saved { uint32_t level, lambda_level; };
  struct Open { uint32_t level; Fresh kind; Span at; const ast::Pat* pat; };   // of an open type; the pattern that binds the function
  static constexpr uint32_t nowhere = ~0u;             // the level of names that are bound inside a type

  SizeRef fresh(Span at, Fresh kind = Fresh::Plain);
  SizeRef chosen();
  TypeRef fresh_type(TypeRef erased, Span at, Fresh kind = Fresh::Plain, const ast::Pat* pat = nullptr);
  FunType settled(const FunType& erased, const Open& open);
  void settle(OpenType t);
  void settle_all(TypeRef t);
  bool find(OpenType open, TypeRef t);
  TypeRef moved(TypeRef t, const Open& open, std::vector<const Binding*>& inner, bool& ok);
  Binding* made_by_call(Name name = {});
  TypeRef erased(TypeRef t) { return infer_.erase(infer_.zonk(t)); }
  SizeRef resolve(SizeRef s) const;
  TypeRef final_type(TypeRef t);
  SizeRef final_size(SizeRef s);
  SizeRef unknown(Span at, Made made, Name name = {}, Origin kind = Origin::Other);
  TypeRef open_exists(TypeRef result, std::span<Binding* const> exists, Span at, std::string_view origin);
  TypeRef written(ast::TypeExpr* t);
  TypeRef replace_exists(TypeRef t, bool in_functions, const std::function<SizeRef(Binding*)>& by);
  TypeRef replace_any(TypeRef t, Span at);
  TypeRef replace_absorbed(TypeRef t, Span at);
  TypeRef replace_absorbed(TypeRef t, const std::function<SizeRef(Name)>& make, bool whole = false);
  void set(TypeRef& slot, TypeRef t) { slot = t; slots_.push_back(&slot); }

  // --- expressions ---
  TypeRef exp(ast::Expr* e);
  TypeRef node(ast::Expr* e);
  TypeRef array_literal(ast::Expr* e, ast::ArrayLit& a);
  TypeRef application(ast::Expr* e, ast::Apply& a);
  TypeRef construct(ast::Expr* e, ast::Construct& k);
  TypeRef section(ast::Expr* e, ast::Section& s);
  TypeRef access_section(ast::Expr* e, ast::AccessSection& s);
  TypeRef match_cases(ast::Expr* e, ast::Match& m);
  TypeRef coercion(ast::Coerce& a);
  TypeRef lets(ast::Expr* e);
  TypeRef ifs(ast::Expr* e);
  TypeRef operators(ast::Expr* e);
  const ast::Expr* let(ast::Let& l, std::vector<Binding*>& bound);
  TypeRef operator_(ast::Expr* e, TypeRef fun, TypeRef left);
  TypeRef ref(ast::Expr* e, ast::Ref& r);
  TypeRef instantiate(const Scheme& s, std::span<TypeRef> inst, Span at);
  TypeRef apply(TypeRef fun, TypeRef arg, ast::Expr* arg_exp, Span at, std::string_view name);
  void check_returned(TypeRef result, Span at, bool needed = false);
  const FunType* function(TypeRef t);
  TypeRef argument(ast::Expr* e, TypeRef fun);
  TypeRef lambda(ast::Lambda& l, TypeRef wanted = {});
  TypeRef bind_made(TypeRef t, const std::vector<Binding*>& made, std::vector<Binding*>& exists, Span at);
  TypeRef close_function(std::span<ast::Pat*> params, const std::vector<TypeRef>& from, TypeRef result, uint32_t level);
  void local_function(ast::LetFun& l);
  Scheme recursive_use(ast::Def& def, std::vector<TypeRef> from, TypeRef w, const std::vector<Binding*>& sizes);
  // sizes_loop.cc
  using Pairs = std::vector<std::pair<SizeRef, SizeRef>>;
  struct LoopSizes;
  TypeRef loop(ast::Expr* e, ast::Loop& l);
  Pairs beside(TypeRef a, TypeRef b);
  TypeRef loop_body(LoopSizes& x);
  bool from_outside(SizeRef s, const LoopSizes& x) const;
  void settle_starts(const LoopSizes& x);
  void try_body(LoopSizes& x);
  bool fits_start(const LoopSizes& x);
  void with_changing_sizes(LoopSizes& x);
  void with_fixed_sizes(LoopSizes& x);
  void undo(const LoopSizes& x);
  TypeRef select(TypeRef array, std::span<ast::Selector> at, Purpose purpose);
  SizeRef slice_size(SizeRef dim, ast::Selector& s);
  SizeRef range_size(ast::Range& r, Span at);
  TypeRef steps(TypeRef base, std::span<ast::Step> steps);
  TypeRef with(ast::With& w);
  TypeRef field(TypeRef record, Name name);
  TypeRef coerce(TypeRef written, TypeRef actual, Span at);
  SizeRef arithmetic(const char* op, SizeRef a, SizeRef b, Span at);
  const ast::Expr* literal_exp(i64 value);
  std::optional<i64> literal_value(const ast::Expr* e) const;

  // --- patterns and scopes ---
  bool stays_open(const Var& size) const { return size.anonymous && retry_.stay_open != StayOpen::None; }
  TypeRef from_pattern(ast::Pat* p);
  void adopt_functions(TypeRef t, TypeRef from);
  void bind_pattern(ast::Pat* p, TypeRef t, std::vector<Binding*>& bound);
  void bind(Binding* b, TypeRef t);
  Saved enter_function();
  void enter_body();
  void leave_function(Saved s);
  TypeRef leave(TypeRef t, const std::vector<Binding*>& gone, Span at, const ast::Expr* value = nullptr);
  SizeRef replace(SizeRef s, SizeRef from, SizeRef to);
  TypeRef join_branches(TypeRef a, TypeRef b, Span at, const ast::Expr* branch);
  std::unordered_set<uint32_t> sizes_of_open(const ast::Expr* at, TypeRef a, TypeRef b);
  void sizes_of_all(TypeRef t, std::unordered_set<uint32_t>& out);
  void sizes_of_open(TypeRef t, TypeRef before, std::unordered_set<uint32_t>& out);
  TypeRef with_unique(TypeRef annotation, TypeRef t);
  void generalise(TypeRef t, uint32_t level, Scheme& into);
  void generalise(SizeRef s, uint32_t level, Scheme& into);
  Binding* whole_name(ast::Pat* p) const;

  // --- unification ---
  bool unify(TypeRef expected, TypeRef actual);
  bool unify_functions(FunType expected, FunType actual);
  bool unify_size(SizeRef a, SizeRef b);
  bool unify_exp(const ast::Expr* a, const ast::Expr* b);
  bool link(uint32_t var, SizeRef s);
  bool fits(SizeRef s, uint32_t var, uint32_t level);
  void lower(SizeRef s, uint32_t level);
  bool occurs(uint32_t var, SizeRef in) const;
  bool same(SizeRef a, SizeRef b);
  uint32_t level_of(const Binding* b) const;
  bool fail(SizeRef a, SizeRef b, Failure why = Failure::Differ);
  const State* changing(const Binding* size) const;
  Span updated_to(SizeRef size, SizeRef before);
  bool assume();                                     // the last failure is no more; false if it cannot be taken back
  bool assumed(SizeRef a, SizeRef b);
  // `context` is a remark, with a hole for `name` if there is one.
  void expect(Span at, TypeRef expected, TypeRef actual, std::string_view context, std::optional<std::string_view> name = {}, Place place = Place::Other);
  size_t mark() const { return trail_.size(); }
  void rollback(size_t mark);

  Context& c;
  Types& types;
  Infer& infer_;
  Retry no_retry_, &retry_;
  std::pmr::vector<Var> vars_{&c.scratch};
  bool any_absorbed_ = false;
  // What rollback() takes back: the solution of a size variable, what one was before another was linked to it, or what an open type
  // was found to be.
  struct Step { enum Kind : uint8_t { Size, Linked, Type } kind; uint32_t var; Nature before = {}; };
  std::pmr::vector<Step> trail_{&c.scratch};
  void size_changed(uint32_t var) { trail_.push_back({Step::Size, var}); }
  // By OpenType::var, from `open_from_` on.
  uint32_t open_from_;
  std::vector<Open> opens_;
  std::pmr::vector<TypeRef*> slots_{&c.scratch};
  FlatMap<const Binding*, uint32_t> levels_{&c.scratch};
  FlatMap<const Binding*, TypeRef> locals_{&c.scratch};
  FlatMap<const Binding*, const Scheme*> polymorphic_{&c.scratch};
  FlatMap<const Binding*, Made> origins_{&c.scratch};                        // of unknown sizes
  FlatMap<const Binding*, Origin> origin_kinds_{&c.scratch};                 // where not Other
  FlatMap<const Binding*, const ast::Pat*> result_of_{&c.scratch};           // of implicit size parameters: Var::result_of
  std::unordered_set<const Binding*> lambda_params_;             // sizes in types of lambdas and local functions that are their parameters
  std::unordered_set<uint32_t> type_args_;                       // types that type parameters stand for
  uint32_t level_ = 1, lambda_level_ = 1;
  bool implementing_ = false;                                      // implements() is at work
  size_t errors_from_;
  // Of messages: values that became fields of records, and the sizes that a loop changes, with what they were and become.
  std::vector<Update> updates_;
  std::vector<State> states_;
  // Sizes that were reported to differ. They count as equal from then on: what follows from a mistake is no message of its own.
  std::vector<std::pair<SizeRef, SizeRef>> assumed_;
  bool met_error_ = false;                                         // a type that failed to check: what is open may follow from it
  // The last failure.
  SizeRef left_, right_;
  Failure failure_ = Failure::Differ;
  bool in_function_result_ = false;                                // of functions whose parameters have names
  Reason why_;
};

}  // namespace raido::check
