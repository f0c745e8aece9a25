// interpreter.h - the machine of interpret.h; included by interpret*.cc only.
//
// A cell holds a number, an array, an accumulator or a block. Arrays are strided views of counted buffers. A number may
// carry a derivative (Node): under jvp a tangent, under vjp a place on a tape. Nodes nest: the primal and the tangent of
// a node are numbers that may belong to enclosing operators, which have smaller levels. So all data movement works for
// differentiated code unchanged, and only scalar operations look at derivatives.
#pragma once
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>

#include "compiler/ir/interpret.h"

namespace raido::ir {

// A counted pointer to something with a member `references`.
template <class T> class Ref {
 public:
  Ref() = default;
  explicit Ref(T* p) : p_(p) { if (p_) p_->references++; }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept { std::swap(p_, o.p_); return *this; }
  ~Ref() { if (p_ && --p_->references == 0) delete p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool only() const { return p_ && p_->references == 1; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }

 private:
  T* p_ = nullptr;
};

struct Node;
struct Num {
  Const value;
  Ref<Node> ad;  // null: a constant for every enclosing jvp and vjp
};
struct Node {
  uint32_t references = 0;
  int level = 0;      // of the jvp or vjp it belongs to; inner ones are larger
  bool taped = false;
  Num primal;         // as the enclosing operators see it
  Num tangent;        // jvp
  size_t index = 0;   // vjp: entry of the tape
};

struct Buffer {
  explicit Buffer(Counters& c) : counters(c) {}
  ~Buffer() { counters.live -= i64(bytes.size()); }
  Buffer(const Buffer&) = delete;
  void fill(size_t n) {          // poison: what is never written shows up as a strange number
    bytes.assign(n, 0xF9);
    counters.made += i64(n);
    counters.live += i64(n);
    counters.peak = std::max(counters.peak, counters.live);
  }
  Counters& counters;
  uint32_t references = 0;
  std::vector<unsigned char> bytes;
  std::vector<Ref<Node>> nodes;  // empty, or one for each element
};
struct Array {
  uint32_t references = 0;
  Ref<Buffer> buffer;
  Scalar elem = Scalar::I64;
  i64 offset = 0;  // in elements
  std::vector<i64> shape, strides;
};
struct Accumulator;
using Cell = std::variant<std::monostate, Num, Ref<Array>, Ref<Accumulator>, Ref<Buffer>>;
struct Accumulator {
  uint32_t references = 0;
  const Dest* dest = nullptr;
  std::vector<Cell> arrays;
};

// One vjp in progress: what each scalar operation on its values did.
struct Tape {
  struct Parent { size_t index; Num partial; bool choice; std::optional<Scalar> convert; std::optional<ScalarOp> bits = {}; };
  // Stands before the entries of the results of a function with a rule of its own.
  struct Rule {
    std::vector<size_t> args;                // entries of the numbers of the arguments; none: not of this tape
    std::vector<Scalar> results;             // types of the numbers of the results; their entries follow
    std::function<std::vector<Num>(const std::vector<Num>& adjoints)> run;
    static constexpr size_t none = SIZE_MAX;
  };
  struct Entry { std::vector<Parent> parents; Scalar type; std::shared_ptr<const Rule> rule = {}; };
  int level;
  std::vector<Entry> entries;
};

// When a variable is used for the last time. Computed once for each body (interpret.cc).
struct StmInfo {
  std::vector<Var> dies;     // not needed after the statement
  std::vector<Var> movable;  // of these, those the operation itself may take out of their slots
};
struct BodyInfo {
  std::vector<StmInfo> stms;
  std::vector<bool> take_result;  // the result may be moved out of its slot
};

class Interpreter {
 public:
  Interpreter(const Program& program, const InterpretOptions& options);
  Outcome run(std::string_view name, const std::vector<Value>& args);

 private:
  // ---- interpret.cc: statements, control, scalars ----
  void prepare(const Body& body, VarSet& live);
  void prepare_inner(const Exp& exp, VarSet& live);
  void number_slots();
  Cell& cell(Var v) { return (*(slots_[v.index].global ? &globals_ : frame_))[slots_[v.index].index]; }
  Cell value(const Atom& a);
  Num num(const Atom& a);
  i64 integer(const Atom& a) { return num(a).value.as_i64(); }
  std::vector<i64> integers(const std::vector<Atom>& as);
  const Ref<Array>& array(Var v);
  Cell take(const Atom& a, const StmInfo& info);
  std::vector<Cell> take_all(const std::vector<Atom>& atoms, const StmInfo& info);
  bool execute(const List<Stm>& stms, const BodyInfo& info);  // false: failed
  void statement(const Stm& stm, const StmInfo& info);
  void bind(const std::vector<Bind>& pattern, std::vector<Cell> values);
  void bind(Bind b, Cell value);
  std::vector<Cell> body(const Body& b);
  std::vector<Cell> apply(const Lambda& f, std::vector<Cell> args);
  std::vector<Cell> call(FunId callee, std::vector<Cell> args, Source source);
  void fail(Source source, std::string message);
  std::vector<std::string> backtrace(Source source) const;
  bool failed() const { return failure_.has_value(); }
  std::vector<Cell> evaluate(const Stm& stm, const StmInfo& info);
  std::vector<Cell> loop(const For& x, const StmInfo& info);
  std::vector<Cell> loop(const While& x, const StmInfo& info);
  void assertion(const Assert& x, Source source);
  void trace(const Stm& stm);
  void stop(const Stm& stm);
  std::optional<std::vector<Cell>> arguments(const Function& f, size_t sizes, const std::vector<Value>& args);

  // ---- interpret_arrays.cc ----
  Ref<Array> fresh(Scalar elem, std::vector<i64> shape);       // null after a failure
  Ref<Array> view_of_type(const ArrayType& t);                 // Memory level: the place itself
  Ref<Array> output(Bind b);                                   // where a result of b's type is built
  Ref<Array> part_of(const Array& a, const std::vector<Selector>& at, bool& scalar);
  Ref<Array> row(const Array& a, std::span<const i64> at);
  Cell element(const Array& a, std::span<const i64> at);       // a number, or a view of the row
  void store_at(Array& a, std::span<const i64> at, const Cell& value);
  void copy(Array& to, const Array& from);
  Ref<Array> compact(const Array& a);
  void make_unique(Cell& c);
  bool contiguous(const Array& a) const;
  Num load(const Array& a, i64 offset) const;
  void store(Array& a, i64 offset, const Num& x);
  Cell index(const Index& x);
  Cell update(const Update& x, const StmInfo& info);
  void expect_in_place(const Array& place, const Cell& value);
  void expect_own_place(const Array& written);
  Cell iota(const Iota& x);
  Cell replicate(const Replicate& x, Bind out);
  Cell array_literal(const ArrayLit& x, Bind out);
  Cell data(const Data& x);
  Cell concat(const Concat& x, Bind out);
  Cell reshape(const Reshape& x);
  Cell permute(const Permute& x);
  Cell copied(Var v, Bind out);
  Cell block(i64 bytes, Source source);                         // of poison
  Cell from_value(const Value& v);
  Value to_value(const Cell& c);

  // ---- interpret_parallel.cc ----
  struct Parts;
  void combine(const Combine& op, std::vector<Cell>& into, std::vector<Cell> with);
  std::vector<Cell> neutral(const Combine& op);
  std::vector<Cell> screma(const Screma& x, const Stm& stm);
  std::vector<Cell> hist(const Hist& x, const StmInfo& info);
  std::vector<Cell> seg(const Seg& x, const Stm& stm, const StmInfo& info);
  std::vector<Cell> with_acc(const WithAcc& x, const StmInfo& info);
  Cell acc_update(const AccUpdate& x);
  void update_dest(const Dest& dest, std::span<Cell> arrays, std::span<const i64> at, std::vector<Cell> values);
  void update_dests(const std::vector<Dest>& dests, std::vector<std::vector<Cell>>& arrays, std::span<Cell> operands);

  // ---- interpret_ad.cc: derivatives ----
  friend struct AdTerm;
  Num scalar(ScalarOp op, Scalar working, std::span<const Num> args);
  Num scalar_ad(ScalarOp op, Scalar working, std::span<const Num> args, int level);
  Num convert_num(Scalar to, const Num& x);
  Num partial(ScalarOp op, Scalar working, std::span<const Num> args, const Num& result, size_t wrt, bool& exists);
  Num product(const Tape::Parent& of, const Num& by);
  Num primal(const Num& x, int level) const;
  Num tangent(const Num& x, int level) const;
  Num dual(const Num& primal, const Num& tangent, int level);
  Num record(const Num& primal, std::vector<Tape::Parent> parents, int level);
  template <class F> Cell map_numbers(const Cell& c, F&& f);   // f on every number, in order
  template <class F> void each_number(const Cell& c, F&& f);
  Cell zeros_like(const Cell& c, const std::vector<i64>& batch);
  Cell seed_slice(const Cell& c, std::span<const i64> at) { return at.empty() ? c : element(*std::get<Ref<Array>>(c), at); }
  std::vector<Cell> jvp(const Jvp& x);
  std::vector<Cell> vjp(const Vjp& x);
  std::vector<Cell> custom(const Custom& x, Source source);
  std::vector<Cell> custom(const Custom& x, const std::vector<Cell>& args);
  int level_of(const Cell& c);                                 // the innermost operator that the cell depends on, 0: none

  struct Slot { uint32_t index = 0; bool global = false; };
  // A loop that says that no two iterations write one place of its state: elements, and which iteration wrote them.
  struct Apart { std::vector<Ref<Buffer>> blocks = {}; i64 iteration = 0; std::unordered_map<const unsigned char*, i64> written = {}; };

  const Program& program_;
  const InterpretOptions& options_;
  Counters counters_;                        // outlives the arrays
  bool memory_;                              // Level::Memory: places are real
  std::vector<Slot> slots_;                  // by variable
  std::vector<size_t> frame_sizes_;          // by function
  std::unordered_map<const Body*, BodyInfo> infos_;
  std::vector<Cell> globals_;
  std::vector<Cell>* frame_ = nullptr;
  std::vector<Source> calls_;
  const char* stack_limit_ = nullptr;                   // calls below it are a stack overflow
  std::vector<Ref<Array>> data_;             // by DataId, made on demand
  std::vector<Apart> apart_;                 // Memory level: such loops around
  std::vector<Tape*> tapes_;                 // by level; null at the levels of jvp
  int level_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace raido::ir
