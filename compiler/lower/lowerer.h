// lowerer.h - the static interpreter; included by the .cc files of this folder only.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compiler/ir/build.h"
#include "compiler/ir/term.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/value.h"

namespace raido::lower {

using ir::Term;

// A scalar or array part of a type.
struct Leaf { Scalar elem; std::vector<SizeIn> dims; };
// How the payloads of a sum's constructors lie in its slots.
struct SumLayout {
  bool tagged = false;
  std::vector<Leaf> slots;
  std::vector<std::vector<std::vector<size_t>>> where;   // constructor, payload, leaf of the payload -> slot
};

class Lowerer {
 public:
  Lowerer(check::Checked& checked, const Options& options);
  ir::Program run();
  std::vector<EntryLayout> layouts;                // of the entry points
  Calls calls;

 private:
  // ---- lower.cc: scopes, declarations, modules ----
  Scope* new_scope(Scope* parent, bool global = false);
  void declare(const Binding* b, const Value& v, Scope* scope);
  const Value* find(const Binding* b, Scope* scope) const;
  std::shared_ptr<const Module> declarations(std::span<ast::Decl> decls, Scope* scope);
  Value module(const ast::ModExp& m, Scope* scope);
  void bind_members(std::span<const ast::Abstract> abstracts, std::span<const ast::Origin> origins, const Value& module, Scope* scope);
  Value path(const ast::Path& p, Scope* scope);
  Name name(std::string_view text) { return checked_.program.names.intern(text); }
  std::string_view text(Name n) const { return n.valid() ? checked_.program.names.text(n) : "n"; }   // unknown sizes have no name

  // ---- types.cc: types of the checker, sizes, leaves ----
  TypeIn resolve(TypeIn t);                        // no abbreviation, parameter or uniqueness at its head
  TypeIn bare(TypeIn t) const;
  TypeIn meaning(TypeIn t);
  const check::Type& head(const TypeIn& t) const { return checked_.result.types[t.type]; }
  Scalar prim(TypeIn t);
  bool is_prim(TypeIn t) { return std::holds_alternative<check::PrimType>(head(resolve(t))); }
  void leaves_of(TypeIn t, const std::vector<SizeIn>& outer, std::vector<Leaf>& out);
  std::vector<Leaf> leaves_of(TypeIn t);
  std::shared_ptr<const SumLayout> layout(TypeIn sum);
  bool closed(TypeRef t);                          // first order, and the same wherever it stands: no names, no sizes but constants
  Layout describe(TypeIn t);                       // for those who show values
  std::optional<Atom> size(SizeIn s);              // none if it is not known here
  Value build(TypeIn t, const std::function<Value()>& next);   // a value of type t from its leaves
  void bind_sizes(TypeIn t, const Value& v, Scope* scope, size_t depth = 0);
  void bind_size(SizeIn s, const Atom& dim, Scope* scope);
  void match_scheme(const check::Scheme& scheme, TypeIn general, TypeIn use, Scope* into);
  void match_size(const check::Scheme& scheme, SizeIn general, SizeIn use, Scope* into);
  SizeIn argument(SizeIn s) const;
  TypeIn param_type(const ast::Def& def, size_t i, Scope* scope);
  TypeIn result_type(const ast::Def& def, Scope* scope);
  TypeIn param_type(const Closure& c, size_t i);
  TypeIn result_type(const Closure& c);
  Value blank(TypeIn t);                           // zeros, and functions that return them
  std::string type_key(TypeIn t);

  // ---- shapes.cc: Options::check_shapes ----
  void check_shape(TypeIn t, const Value& v, Span what);
  void check_written(const ast::TypeExpr* t, const Value& v);
  void compare_shape(TypeIn t, const Value& v, size_t depth, Term& fits);
  struct Arguments;
  void compare_written(const ast::TypeExpr& t, const Value& v, size_t depth, Term& fits);
  void compare_arguments(TypeRef t, const Value& v, size_t depth, Arguments& known, Term& fits);
  void assert_shape(const Term& fits, const std::string& claim, const std::vector<Atom>& leaves);

  // ---- values.cc: leaves, joining, lambdas ----
  void leaves(const Value& v, std::vector<Dynamic>& out) const;
  std::vector<Atom> atoms(const Value& v) const;
  Value map_leaves(const Value& v, const std::function<Value(const Dynamic&)>& f,
                   const std::function<Value(const Closure&)>& function = {}) const;
  Value rebuild(const Value& like, const std::vector<Atom>& atoms) const;
  Value product(std::vector<std::pair<Name, Value>> fields) const;
  Value tuple(std::vector<Value> parts);
  Value unit() const { return product({}); }
  Value field(const Value& v, Name f) const;
  Value component(const Value& v, size_t i) const;
  Atom atom(const Value& v) const;
  Var array(const Value& v) const;
  Term term(const Value& v) { return b_->term(atom(v)); }
  Term term(Atom a) { return b_->term(std::move(a)); }
  Term number(i64 n) { return b_->term(i64_const(n)); }
  std::vector<Dim> shape(const Atom& a) const { return ir::shape_of(program_.type(a)); }
  Atom outer_size(const Value& v) const;           // of an array value
  bool visible(const Atom& a, uint32_t mark) const;
  Atom with_shape(const Atom& a, const std::vector<Dim>& shape);   // the same array; its type says this shape
  Value with_outer(const Value& v, const Dim& n);  // the outer size of all leaves
  Value owned(const Value& v);                     // borrowed leaves are copied
  Value guarded(const Value& v, const std::vector<Var>& checks);   // v, which needs the proofs wherever it is used
  Value dynamic(Atom a) const { return Dynamic{std::move(a), false}; }
  Value emit_if(const Atom& cond, const std::function<Value()>& then_, const std::function<Value()>& else_);
  // A lambda from values to a value. Sizes born inside are replaced by sizes known outside: those of `expected`, else
  // what `probe` finds by running the code once. `like` receives the structure of the result.
  ir::Lambda lambda(const std::vector<std::pair<std::string, ir::Type>>& params,
                    const std::function<Value(const std::vector<Atom>&)>& body, TypeIn expected, Value& like,
                    const std::function<std::vector<Atom>(const ir::Lambda&)>& probe);
  ir::Lambda plain_lambda(const std::vector<std::pair<std::string, ir::Type>>& params,
                          const std::function<std::vector<Atom>(const std::vector<Atom>&)>& body);

  // ---- expressions.cc ----
  Value eval(const ast::Expr& e, Scope* scope);
  Value eval_node(const ast::Expr& e, Scope* scope);
  Value literal(const ast::Literal& l, TypeIn type);
  Value record(const ast::Record& r, TypeIn type, Scope* scope);
  Value application(const ast::Apply& a, const ast::Expr& e, Scope* scope);
  Value reference(const ast::Ref& r, const ast::Expr& e, Scope* scope);
  Value operation(const ast::Operator& o, const ast::Expr& e, const Value& left, Scope* scope);
  Value builtin(std::string_view op, const Value& left, const Value& right, TypeIn operands, Span span);
  Value arithmetic(ScalarOp op, std::vector<Atom> args, Scalar s);      // with its checks
  Value equal(const Value& left, const Value& right);
  Atom equal_arrays(const Atom& left, const Atom& right);
  Value unary(const ast::Unary& u, Scope* scope);
  Value attributed(const ast::Attributed& a, Scope* scope);
  Value tunable(std::string_view key, const Value& v);
  void breakpoint(Scope* scope);
  Value construct(const ast::Construct& c, const ast::Expr& e, Scope* scope);
  Value assertion(const ast::Assert& a, Scope* scope);
  Value hole(const ast::Expr& e, Scope* scope);
  Value array_literal(const ast::ArrayLit& a, const ast::Expr& e, Scope* scope);
  Value range(const ast::Range& r, const ast::Expr& e, Scope* scope);

  // ---- coercions.cc ----
  Value coerce(const ast::Coerce& c, const ast::Expr& e, Scope* scope);
  Value coerced(const Value& v, TypeIn t, const std::string& type_text);
  Value coerced_sum(const Sum& sum, TypeIn t, const std::string& type_text);
  std::vector<Dim> wanted_shape(const Atom& array, const Leaf& leaf);
  Var check_fits(const Atom& array, const std::vector<Dim>& want, const Term& when, const std::string& type_text);

  // ---- patterns.cc ----
  void bind_pattern(const ast::Pat& p, const Value& v, Scope* scope);
  Term test(const ast::Pat& p, const Value& v, Scope* scope);   // does the value have the pattern's form?
  Value match_cases(const ast::Match& m, const Value& on, size_t from, Scope* scope);
  Value payload(TypeIn sum, const Value& v, size_t constructor, size_t i);
  size_t constructor_index(TypeIn sum, Name name);

  // ---- loops.cc ----
  Value loop(const ast::Loop& l, Scope* scope);
  struct LoopCode;
  struct LoopState;
  const Binding* unknown_size(const SizeIn& s) const;
  void find_varying(LoopCode& x);
  void initial_state(LoopCode& x);
  LoopState fresh_state(const LoopCode& x);
  Scope* enter_loop(const LoopCode& x, const LoopState& s);
  std::vector<Atom> leave_loop(const LoopCode& x, const Value& v, const LoopState& s);
  std::vector<Var> while_loop(const LoopCode& x);
  std::vector<Var> for_loop(const LoopCode& x);
  std::vector<Var> emit_loop(const LoopCode& x, const LoopState& s, ir::Exp e);

  // ---- arrays.cc: indexing, slices, updates ----
  std::vector<ir::Selector> selectors(std::span<const ast::Selector> at, const std::vector<Dim>& shape, Scope* scope,
                                      std::vector<Var>& checks);
  ir::Slice slice(const ast::Selector& s, const Dim& width, Scope* scope, Term& ok, std::string& shown,
                  std::vector<Atom>& shown_args);
  Value index(const Value& v, const std::vector<ir::Selector>& at);
  Value element(const Value& v, const Atom& i);
  Value with(const ast::With& w, Scope* scope);
  Value update(const Value& base, std::span<ast::Step> steps, std::vector<ir::Selector> at,
               const Value& value, Scope* scope, std::vector<Var>& checks);
  Value access(std::span<ast::Step> steps, Value v, Scope* scope);
  std::vector<Dim> shape_prefix(const Value& v, size_t dims) const;
  Value iota(Term start, Term step, Atom count);

  // ---- functions.cc: application ----
  Value instantiate(const DefValue& d, TypeIn use, Span span);
  Value constant(const ast::Def& def, Scope* scope);
  Value apply(const Value& f, std::vector<Value> args);
  size_t arity(const Closure& c) const;
  Value call(const Closure& c, std::vector<Value> args);
  bool often_in_place(const void* code, Span span);
  bool first_order(TypeIn t);                      // contains no functions
  bool has_unique(TypeIn t);                       // some component is *
  std::string function_name(std::string wanted) const;
  Value call_instance(const Closure& c, const std::vector<Value>& args, bool keep);   // keep: it stays a call
  struct Capture;
  struct InstanceCall;
  void capture(InstanceCall& x, const std::vector<Value>& args);
  ir::FunId new_instance(InstanceCall& x);
  std::vector<ir::Bind> instance_params(Capture& cap);
  std::vector<ir::Type> instance_returns(const InstanceCall& x) const;
  ir::Body instance_body(InstanceCall& x);
  bool only_floats(const Value& v) const;
  void mentions(const Value& v, Capture& into);
  void capture(const Value& v, Capture& into);
  void capture(Scope* scope, Capture& into);
  Value replay(const Value& v, Capture& from);
  Scope* replay(Scope* scope, Capture& from);

  // ---- intrinsics.cc ----
  const ast::Attr* intrinsic_attr(const ast::Def& def) const;
  Value intrinsic(const ast::Def& def, const ast::Attr& attr, Scope* scope, const std::vector<Value>& args);
  struct Site;                                     // the definition, its scope, the arguments
#define INTRINSIC(name, function) Value function(Site& s);
#include "compiler/lower/intrinsics.def"
#undef INTRINSIC
  Value scalar_intrinsic(ScalarOp op, Site& s);
  std::vector<Var> check_sizes(const ir::Lambda& element);
  // One call of f for each element. `result`: the type of f's result, if known.
  Value map_over(const std::function<Value(const Value&)>& f, const Value& xs, TypeIn result);
  // An operator on values of `like`'s structure, whose leaves have these types.
  ir::Combine combine(const Value& op, const Value& ne, const Value& like, const std::vector<ir::Type>& rows, bool commutative);
  Value fold(Site& s, bool scan, bool commutative);
  Value histogram(const Value& dest, const Value& op, const Value& ne, const Value& at, const Value& values, int rank);
  Value accumulate(const Value& target, int rank, std::optional<ir::Combine> combine, const Atom& width, std::vector<Var> inputs,
                   const std::function<Atom(const std::vector<Atom>& elems, Var acc)>& body);
  Value scatter_to(const Value& dest, const Value& at, const Value& values, int rank);
  Value stream(const Value& dest, std::optional<ir::Combine> combine, const Value& f, const Value& bs);
  void refuse_accumulator(std::string_view why);
  bool is_accumulator(const Atom& a) const { return std::holds_alternative<ir::AccType>(program_.type(a)); }
  Value of_constructors(TypeIn t, const Value& value, const Value& d, const std::vector<Dim>& many);
  Value derivative(Site& s, bool forward, bool with_value, bool batch);
  enum class OwnRule { Forward, Reverse, Tape };
  Value with_own_derivative(Site& s, OwnRule kind);

  // ---- entry_points.cc ----
  void entry_point(const check::EntryPoint& e);
  struct EntryCode;
  Var implicit_size(EntryCode& x, std::string hint);
  void bind_made_by_constant(const Binding* made, Scope* scope);
  Dim entry_size(EntryCode& x, const SizeIn& s);
  Value entry_param(EntryCode& x, const check::External& external);
  std::vector<ir::Type> entry_returns(EntryCode& x, const std::vector<Atom>& out, ir::Lambda& lambda);
  void external_results(TypeIn t, bool unique, std::vector<ir::ExternalType>& out);

  // ---- places and checks ----
  static Span place(const ast::Expr& e);
  ir::Source here(Span span);
  std::string shown(TypeRef t) const { return check::show(checked_.result, checked_.program, checked_.sources, t); }
  std::string quoted(Span span) const;                             // the text, for messages with holes
  void at(Span span) { b_->source = here(span); }
  void at(const ast::Expr& e) { at(place(e)); }
  Var check(const Term& cond, std::string_view message, std::vector<Atom> args);   // invalid if nothing can fail
  template <class F> auto checked_by(std::vector<Var> checks, F f) {               // statements that need these proofs
    std::vector<Var> saved = b_->checks;
    for (Var v : checks)
      if (v.valid()) b_->checks.push_back(v);
    auto result = f();
    b_->checks = std::move(saved);
    return result;
  }

  check::Checked& checked_;
  const Options& options_;
  std::unordered_map<uint32_t, bool> closed_;          // by type
  std::unordered_map<uint32_t, std::shared_ptr<const SumLayout>> layouts_;   // of closed sums, by type
  std::unordered_map<const ast::Binding*, TypeRef> types_of_names_;   // of names bound by patterns, for breakpoints
  ir::Program program_;
  ir::Builder constants_builder_;
  ir::Builder* b_;
  ir::VarSet global_;                                  // variables of Program::constants
  std::deque<Scope> scopes_;
  std::unordered_map<const Binding*, std::optional<Value>> declared_;   // none: in several bodies of a functor
  Scope* root_;
  std::unordered_map<const ast::File*, std::shared_ptr<const Module>> files_;
  std::map<std::pair<const ast::Def*, Scope*>, std::optional<Value>> constants_;
  std::unordered_map<const void*, int> in_place_;      // how often each definition or lambda was evaluated in place
  struct Instance { ir::FunId function; };
  std::map<std::string, Instance> instances_;
  ir::Source call_source_;                             // of the call that the current function was entered by
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, ir::Source> sources_;
  bool unsafe_ = false;
  std::map<std::pair<FileId, uint32_t>, const ast::TypeDef*> type_defs_;   // by where the name stands, if shapes are checked
  bool checking_shape_ = false;                        // sizes are being computed for an assertion
  const ast::Expr* kept_ = nullptr;                  // the application that #[noinline] stands before
  uint32_t first_own_ = 0;                           // the first variable of the function that is lowered now
  bool keep_call_ = false;                           // the call that comes now stays one
  std::vector<ir::Attr> loop_attrs_;                 // of the loop that comes now
  bool loop_state_ = false;                          // the pattern at hand is a loop's
  bool uses_ad_ = false;
  int derivative_depth_ = 0;                           // of derivative operators around what is being lowered
};

// Copies what is consumed although another name of its memory is read after (unshare.cc).
void unshare(ir::Program& program);

}  // namespace raido::lower
