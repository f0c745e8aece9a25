// placer.h - the third step of `place`: gives every array its block, offset and strides, and emits allocations and copies.
//
// It goes through the program once, in order. Statements that make arrays are in place.cc, those with bodies inside in place_bodies.cc.
// What is passed to functions and back is in place_functions.cc.
#pragma once
#include "compiler/ir/calling.h"
#include "compiler/ir/layout.h"
#include "passes/memory/interleave.h"
#include "passes/memory/place_conflicts.h"
#include "passes/pass.h"

namespace raido::placement {

class Placer {
 public:
  Placer(Program& p, PassContext& c) : p_(p), c_(c), target_(c.target), sizes_(p), origins_(p), conflicts_(p, origins_) {}
  void run();

 private:
  Program& p_;
  PassContext& c_;
  Target target_;
  Sizes sizes_;
  Origins origins_;
  Conflicts conflicts_;
  std::unordered_map<Var, Place> decided_;  // an array whose place was decided before its statement came
  std::unordered_map<uint32_t, Var> constant_data_;
  std::unordered_map<Var, Interleaved> interleaved_;
  std::unordered_map<Var, Var> common_;     // the first of interleaved arrays -> their block
  VarSet element_reads_;                    // of these arrays kernels read single elements, and nothing else is done with them
  std::unordered_map<Var, std::vector<Dim>> read_as_;   // an array that kept the layout of its source -> the shape that readers know
  int seg_ = 0;                             // enclosing segs

  // ---- tables (place.cc) ----
  using Places = std::vector<std::optional<Place>>;
  ArrayType* array(const Atom& a) {
    auto v = var_of(a);
    return v ? std::get_if<ArrayType>(&p_.vars[v->index].type) : nullptr;
  }
  const Place& place(const Atom& a) {
    CHECK(array(a) && array(a)->place, "an array is used before it has a place");
    return *array(a)->place;
  }
  void put(Var v, Place where) { std::get<ArrayType>(p_.vars[v.index].type).place = std::move(where); }
  bool in_kernel() const { return target_ == Target::Gpu && seg_ > 0; }
  Space outermost_space() const { return target_ == Target::Gpu ? Space::Device : Space::Host; }
  Space space() const { return in_kernel() ? Space::Private : outermost_space(); }
  void emit(List<Stm>& out, Stm s) {
    for (Bind b : s.pattern) sizes_.bound(b.var);
    out.push_back(std::move(s));
  }
  void bound(const std::vector<Bind>& binds) { for (Bind b : binds) sizes_.bound(b.var); }
  Place alloc(List<Stm>& out, ArrayType t, std::string hint, Source source);
  Var copy_to(List<Stm>& out, Var v, Place where);
  Atom moved_to(List<Stm>& out, const Atom& a, Place where) { return same_place(place(a), where) ? a : Atom(copy_to(out, *var_of(a), where)); }
  // At offset 0, row by row: what goes from loop to loop and from function to function.
  Atom canonical(List<Stm>& out, const Atom& a);
  void may_have_other_name(const Atom& a) { if (array(a)) conflicts_.may_have_other_name(place(a).block); }

  // ---- where an array is built (place.cc) ----
  bool in_scope(const Place& where) const;
  bool in_scope(const std::vector<Dim>& shape) const;
  // Where the array `v`, created by statement `k` or wanted by it, shall be; none: wherever is convenient.
  std::optional<Place> elided(List<Stm>& out, const Candidates& body, Var v, size_t k);
  std::optional<Place> place_in(List<Stm>& out, const Candidates& body, const Candidates::Consumer& consumer, Var v, size_t k);
  // Where `v` lies if `value`, which is v or another shape of it, lies there.
  std::optional<Place> in_shape_of(Var v, const Atom& value, Place where);
  // The place of an array that a later statement creates, so that its parts can be built in it from statement k on.
  std::optional<Place> decided(List<Stm>& out, const Candidates& body, const Stm& creator, size_t k);

  // ---- statements (place.cc) ----
  void statement(List<Stm>& out, Candidates& body, size_t number, uint32_t depth);
  void created(List<Stm>& out, const Candidates& body, size_t number, const Stm& s, Var v);
  bool side_by_side(List<Stm>& out, const Stm& s);
  void literal(Stm& s, ArrayLit& x);
  void concat(Stm& s, Concat& x);
  void reshape(List<Stm>& out, Stm& s, Reshape& x);
  void read_element(List<Stm>& out, Index& x);
  bool lies_at(const Atom& value, Var whole, const std::vector<Selector>& at);
  Var data_constant(DataId data, const Stm& s);

  // ---- bodies (place_bodies.cc) ----
  struct LiveOuts;
  template <class Begin, class End> void body(Body& b, const Places& results, uint32_t depth, Begin begin, End end);
  void place_live_out(LiveOuts& live_outs, Var binder, const std::vector<Place>& paths);
  void branch(List<Stm>& out, Candidates& body, size_t number, Stm& s, If& x, uint32_t depth);
  void with_acc(List<Stm>& out, Candidates& around, size_t number, Stm& s, WithAcc& x, uint32_t depth);
  void seg(List<Stm>& out, Candidates& body, size_t number, Stm& s, Seg& x, uint32_t depth);
  void loop(List<Stm>& out, Stm& s, uint32_t depth);
  template <class Loop> void loop_on_host(List<Stm>& out, Stm& s, Loop& x, uint32_t depth);
  template <class Loop> void loop_in_kernel(List<Stm>& out, Stm& s, Loop& x, uint32_t depth);
  template <class Loop, class End> void loop_bodies(Loop& x, uint32_t depth, End end);
  template <class Loop> void put_state(Stm& s, Loop& x, size_t k, const Place& where);
  std::pair<std::vector<Atom>, Passed> carried_strides(std::vector<Dim> shape);

  // ---- functions (place_functions.cc) ----
  void function(Function& f);
  void signature(Function& f, bool called);
  bool lies_as_passed(const Function& f, const Atom& a);
  void return_arrays(List<Stm>& out, Function& f);
  void call(List<Stm>& out, Stm& s, Call& x);
};

template <class Begin, class End>
void Placer::body(Body& b, const Places& results, uint32_t depth, Begin begin, End end) {
  Candidates inner = find_candidates(p_, origins_, b, depth);
  for (size_t k = 0; k < results.size(); k++)
    if (results[k] && array(b.result[k])) want_result(inner, origins_, b.result[k], *results[k], depth);
  sizes_.open(b.stms);
  begin(b.stms);
  for (size_t k = 0; k < inner.stms.size(); k++) statement(b.stms, inner, k, depth);
  end(b.stms);
  sizes_.close();
}

// Literals that several statements copy, once for each (place_literals.cc).
void literals_apart(Program& p);

}  // namespace raido::placement
