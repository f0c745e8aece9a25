// ir.h - the core program: all of it. What every pass reads and writes.
//
// First-order, monomorphic, A-normal form: every argument is a variable or a constant, nesting only through bodies and
// lambdas. No side effects: what must happen in order is data dependence (checks, accumulators, consumption). A program
// is a value: it is copied, compared, printed and parsed. One data type descends through four levels; what is legal at
// a level is the verifier's business (verify.h).
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/id.h"
#include "compiler/base/walk.h"
#include "compiler/ir/scalar.h"

namespace raido::ir {

using Var = Id<struct VarTag>;         // a value; Program::vars has its type and its name for humans
using FunId = Id<struct FunTag>;
using Source = Id<struct SourceTag>;   // where a statement came from; Program::sources
using TextId = Id<struct TextTag>;     // the text of a message; Program::texts
using DataId = Id<struct DataTag>;     // a constant array; Program::data
using NoteId = Id<struct NoteTag>;     // what a pass said of a variable; the notes of its context
using VarSet = IdSet<Var>;
template <class T> using VarMap = IdMap<Var, T>;
using Atom = std::variant<Var, Const>;
using Dim = Atom;                      // a size: an i64 constant or an i64 value in scope

// In a type that is not in Program::vars (Function::returns, results of types_of): "the size that is result number k".
constexpr uint32_t result_number_bit = 0x80000000u;
inline Var result_number(size_t k) { return {uint32_t(k) | result_number_bit}; }
inline bool is_result_number(Var v) { return v.valid() && (v.index & result_number_bit); }
inline size_t number_of_result(Var v) { return v.index & ~result_number_bit; }

// ---- Types ----
enum class Space : uint8_t { Host, Device, Shared, Private };

struct Lmad {  // element (i, j, ..) lives at offset + i*strides[0] + j*strides[1] + .., counted in elements
  Atom offset;
  std::vector<Atom> strides;
  static auto fields(auto& s) { return std::tie(s.offset, s.strides); }
};
struct Place {
  Var block;
  Lmad layout;
  static auto fields(auto& s) { return std::tie(s.block, s.layout); }
};
struct ScalarType { Scalar elem; static auto fields(auto& s) { return std::tie(s.elem); } };
struct ArrayType {
  Scalar elem;
  std::vector<Dim> shape;      // never empty
  std::optional<Place> place;  // present exactly at Level::Memory
  static auto fields(auto& s) { return std::tie(s.elem, s.shape, s.place); }
};
struct ElemType {              // a scalar (empty shape) or a row
  Scalar elem;
  std::vector<Dim> shape;
  static auto fields(auto& s) { return std::tie(s.elem, s.shape); }
};
struct AccType {  // write-only view of arrays; the token (a CheckType) says of which with_acc, so two versions have one type
  Var token;
  std::vector<Dim> space;       // what an update's index ranges over
  std::vector<ElemType> elems;  // what one update writes
  static auto fields(auto& s) { return std::tie(s.token, s.space, s.elems); }
};
struct BlockType { Space space; static auto fields(auto& s) { return std::tie(s.space); } };
struct CheckType { static auto fields(auto&) { return std::tie(); } };  // proof that an assertion held
using Type = std::variant<ScalarType, ArrayType, AccType, BlockType, CheckType>;

// ---- Structure ----
struct Bind { Var var; };  // where `var` is bound: a definition, not a use

struct Stm;
struct Body {
  List<Stm> stms;
  std::vector<Atom> result;
  static auto fields(auto& s) { return std::tie(s.stms, s.result); }
};
struct Lambda {
  std::vector<Bind> params;
  Body body;
  static auto fields(auto& s) { return std::tie(s.params, s.body); }
};
struct Combine {           // an associative operator and its neutral element
  Lambda op;               // params: accumulators, then elements
  std::vector<Atom> neutral;
  std::vector<Dim> shape;  // not empty: op and neutral are scalars, applied pointwise over this shape (rows)
  bool commutative = false;
  static auto fields(auto& s) { return std::tie(s.op, s.neutral, s.shape, s.commutative); }
};
enum class Conflict : uint8_t { Unknown, None, Private, Owner, Atomic };  // how simultaneous updates are kept apart
struct Dest {  // arrays that are updated at computed places; an index outside has no effect
  std::vector<Var> arrays;                // consumed
  int rank = 1;                           // dimensions an index fixes; the rest is a row
  std::optional<Combine> combine;         // none: the update overwrites
  Conflict conflict = Conflict::Unknown;  // decided by `accumulators`, read by the backends
  static auto fields(auto& s) { return std::tie(s.arrays, s.rank, s.combine, s.conflict); }
};
struct Attr {  // a hint of the user, #[stripmine(2)]; attributes.def lists them
  std::string name;
  std::vector<int64_t> args;
  std::string word = {};       // the argument of #[trace(word)]
  friend bool operator==(const Attr&, const Attr&) = default;
};

// ---- Operations: a text name, the levels it may occur at, its fields in text order ----
enum Level : uint8_t { Ad = 1, Core = 2, Parallel = 4, Memory = 8, Any = 15 };

#define OPERATION(text, levels_, ...)                                  \
  static constexpr std::string_view name = text;                      \
  static constexpr int levels = levels_;                               \
  static auto fields(auto& s) { return std::tie(__VA_ARGS__); }

struct Identity { Atom value; OPERATION("id", Any, s.value) };
struct Apply    { ScalarOp op; std::vector<Atom> args; OPERATION("", Any, s.op, s.args) };  // text name: the op's
struct Convert  { Scalar to; Atom value; OPERATION("convert", Any, s.to, s.value) };
// Stops the program with the message unless cond holds; the message's holes are filled with args (any scalars).
struct Assert   { Atom cond; TextId message; std::vector<Atom> args; OPERATION("assert", Any, s.cond, s.message, s.args) };
struct Call     { FunId callee; std::vector<Atom> args; OPERATION("call", Any, s.callee, s.args) };
struct If       { Atom cond; Body then_, else_; OPERATION("if", Any, s.cond, s.then_, s.else_) };
// Loops: state is a telescope; the body's results are its next values. A negative n means no iteration.
// any_order, one operator for each state that is a number: the iterations may run in any order and side by side, and these operators
// combine the states. What else an iteration does is at a place of its own, but for additions if it says sums. vectors: whether processors
// take vectors of iterations, if `loop_shape` has decided that. Yes: no state is a boolean. Lanes: iterations with loops
// inside, which may run in any order and side by side. sums: what iterations add to elements of the arrays of the state may be added in any order. group: how they run
// side by side, if they have memory of their own or add to arrays.
// blocks: an iteration runs a block of the iterations that the loop had (#[stripmine]). budget: what --ad-memory decided. Inside
// of `differentiate`, counted: n is the last result of a `while` that only counts these iterations; slots: how many states the return
// sweep keeps at once.
struct Budget {
  int64_t levels, bytes, memory;         // loops in the nest; of one iteration's state, -1 if that is not known; of --ad-memory
  static auto fields(auto& s) { return std::tie(s.levels, s.bytes, s.memory); }
};
// Lanes: several iterations run side by side. Interleaved: a few do, in scalar code, so that one computes while another waits. Alone: the
// loop is inside a loop of lanes, and each lane runs it by itself, as vectors. Apart: no iteration reads or stores an element that
// another iteration stores.
enum class Vectors : uint8_t { Open, No, Yes, Lanes, Interleaved, Apart, Alone };
inline bool side_by_side(Vectors v) { return v == Vectors::Lanes || v == Vectors::Interleaved; }
struct Group {                           // of iterations, as many as there are lanes
  std::vector<Var> own, sums;            // blocks: with a part for each lane; of states whose elements are only added to
  Atom when;                             // lanes pay, and the blocks are so large that there are parts
  static auto fields(auto& s) { return std::tie(s.own, s.sums, s.when); }
};
struct For {
  Bind i;
  Dim n;
  std::vector<Bind> state;
  std::vector<Atom> init;
  Body body;
  std::optional<std::vector<ScalarOp>> any_order = {};
  Vectors vectors = Vectors::Open;
  bool sums = false, blocks = false, counted = false;
  std::optional<Group> group = {};
  std::optional<Budget> budget = {};
  std::optional<Atom> slots = {};
  OPERATION("for", Any, s.n, s.init, s.group, s.i, s.state, s.body, s.any_order, s.vectors, s.sums, s.blocks, s.counted, s.budget, s.slots)
};
struct While    { std::vector<Bind> state; std::vector<Atom> init; Lambda cond; Body body; OPERATION("while", Any, s.init, s.state, s.cond, s.body) };
//   While::cond has parameters of its own, of the state's types.

struct Slice    { Atom start, count, stride; friend bool operator==(const Slice&, const Slice&) = default; static auto fields(auto& s) { return std::tie(s.start, s.count, s.stride); } };
using Selector = std::variant<Atom, Slice>;
struct Index    { Var array; std::vector<Selector> at; OPERATION("index", Any, s.array, s.at) };      // at: a prefix of the dimensions
// Consumes array. in_place: the value lies there already (level memory).
struct Update   { Var array; std::vector<Selector> at; Atom value; bool in_place = false; OPERATION("update", Any, s.array, s.at, s.value, s.in_place) };
struct Iota     { Dim n; Atom start, step; OPERATION("iota", Any, s.n, s.start, s.step) };            // type: that of start
struct Replicate{ std::vector<Dim> shape; Atom value; OPERATION("replicate", Any, s.shape, s.value) };// value: scalar or row
struct Scratch  { Scalar elem; std::vector<Dim> shape; OPERATION("scratch", Any, s.elem, s.shape) };  // contents unspecified
// in_place: empty, or for each operand whether it lies in its part of the result already (level memory).
struct ArrayLit { std::vector<Atom> elements; std::vector<bool> in_place = {}; OPERATION("array", Any, s.elements, s.in_place) };  // not empty
struct Data     { DataId data; OPERATION("data", Any, s.data) };
struct Concat   {
  int dim = 0;
  std::vector<Var> arrays;
  Dim size;                             // of dimension dim
  std::vector<bool> in_place = {};      // as for ArrayLit
  OPERATION("concat", Any, s.dim, s.arrays, s.size, s.in_place)
};
struct Reshape  { Var array; std::vector<Dim> shape; OPERATION("reshape", Any, s.array, s.shape) };
struct Permute  { Var array; std::vector<int> dims; OPERATION("permute", Any, s.array, s.dims) };     // result dim k is array's dims[k]
struct Copy     { Var array; OPERATION("copy", Any, s.array) };

// All of map, reduce, scan and their fusions. Results: reduces, then post's outputs, then post_reduces.
// `pre`: elements -> operands of reduces, operands of scans, mapped values. `post`: scan results, mapped values ->
// outputs, then operands of post_reduces; a post without parameters and results is the identity. An input of AccType means
// "the same accumulator in every iteration". ordered: a product of arrays whose place among its factors was chosen.
struct Screma {
  Dim width;
  std::vector<Var> inputs;              // consumed where `pre` consumes the element
  Lambda pre;
  std::vector<Combine> reduces, scans;
  Lambda post;
  std::vector<Combine> post_reduces;    // reductions of what post returns
  bool ordered = false;
  OPERATION("screma", Ad | Core | Parallel, s.width, s.inputs, s.pre, s.reduces, s.scans, s.post, s.post_reduces, s.ordered)
};
// Results of pre: for each dest its `rank` index components, then for each dest its values.
struct Hist     { Dim width; std::vector<Var> inputs; Lambda pre; std::vector<Dest> dests; OPERATION("hist", Ad | Core | Parallel, s.width, s.inputs, s.pre, s.dests) };
// scope: one token (CheckType) for each dest, then one accumulator for each dest; its results: the accumulators in the
// same order, then further values. Results: the arrays of all dests, then the further values.
struct WithAcc  { std::vector<Dest> dests; Lambda scope; OPERATION("with_acc", Any, s.dests, s.scope) };
// in_range: `at` is inside the accumulator's space, which needs no check.
struct AccUpdate{ Var acc; std::vector<Atom> at; std::vector<Atom> values; bool in_range = false; OPERATION("upd", Any, s.acc, s.at, s.values, s.in_range) };

// Results: f's results, then the derivatives: for jvp a tangent for each result, for vjp an adjoint for each `at`, all of
// the types of what they belong to. `tangents`, `adjoints`: the seeds. `batch`: shape of the seeds, in front.
struct Jvp      { Lambda f; std::vector<Atom> at, tangents; std::vector<Dim> batch; OPERATION("jvp", Ad, s.f, s.at, s.tangents, s.batch) };
struct Vjp      { Lambda f; std::vector<Atom> at, adjoints; std::vector<Dim> batch; OPERATION("vjp", Ad, s.f, s.at, s.adjoints, s.batch) };
// A function with derivative rules of its own. jvp: args, their tangents -> tangents of the results. vjp: results, their
// adjoints -> adjoints of args. The first `kept` results are what f keeps for vjp, which does not read their adjoints: where
// they have any (under a further operator), these go back through f itself.
struct Custom   { Lambda f; std::optional<Lambda> jvp, vjp; std::vector<Atom> args; int kept = 0; OPERATION("custom", Ad, s.f, s.jvp, s.vjp, s.args, s.kept) };

// A screma or hist over a flat index space, at one level of the machine: every fusion keeps its shape. What is not map
// works along the last index. With dests, the body's results end like those of Hist::pre. parts: it combines partial results, in so many
// parts at most, and in no further step. collective: a kernel whose threads combine what each of them has made. Tile: a contraction of
// scalars over two dimensions and the reduced one, which a processor computes in tiles of rows and columns; each result is combined from the
// first to the last point.
enum class SegLevel : uint8_t { Grid, Block, Warp, Lane, Task, Simd, Tile };
// A block of host memory that each run of some points of a task has for itself. Nothing in it goes from one point to the next. A negative
// size counts as 0: its points may never need the block.
struct Workspace {
  Bind block;
  Atom bytes;
  static auto fields(auto& s) { return std::tie(s.bytes, s.block); }
};
struct Seg {
  SegLevel level;
  std::vector<Bind> index;
  std::vector<Dim> extent;
  Body body;                            // -> operands of reduces, of scans, mapped values; bins and values for dests
  std::vector<Combine> reduces, scans;
  Lambda post;
  std::vector<Combine> post_reduces;
  std::vector<Dest> dests;
  std::optional<int> parts = {};
  Vectors vectors = Vectors::Open;      // of a task: Open, Lanes or Apart; or No, if its points are parts of a loop, which runs in lanes itself where it can
  bool collective = false;
  std::vector<Workspace> workspaces = {};   // of a task
  std::optional<Group> group = {};          // of a task in lanes; own: of its workspaces
  OPERATION("seg", Core | Parallel | Memory, s.level, s.extent, s.index, s.workspaces, s.body, s.reduces, s.scans, s.post, s.post_reduces, s.dests, s.parts, s.vectors, s.collective, s.group)
};
// A number that the user of the program may set by its name, as long as the program runs: kind `threshold` or `custom`. Kind `threads`:
// how many threads there are; the fallback stands for it where nothing runs.
struct Tunable  { std::string key, kind; Atom fallback; OPERATION("tunable", Any, s.key, s.kind, s.fallback) };
// speculative: it runs although what uses it may not; a negative size, which fails there, is taken for 0 here.
struct Alloc    { Space space; Atom bytes; bool speculative = false; OPERATION("alloc", Memory, s.space, s.bytes, s.speculative) };

using Exp = std::variant<Identity, Apply, Convert, Assert, Call, If, For, While, Index, Update, Iota, Replicate, Scratch,
                         ArrayLit, Data, Concat, Reshape, Permute, Copy, Screma, Hist, WithAcc, AccUpdate, Jvp, Vjp,
                         Custom, Seg, Tunable, Alloc>;

struct Stm {
  std::vector<Bind> pattern;  // a telescope: the types of later binders may mention earlier ones (sizes first)
  Exp exp;
  std::vector<Var> checks;    // assertions that must have held before this runs
  Source source;
  std::vector<Attr> attrs;
  static auto fields(auto& s) { return std::tie(s.exp, s.pattern, s.checks); }
};

// ---- Program ----
struct Function {
  std::string name;
  Lambda lambda;
  std::vector<bool> consumes;          // one for each parameter
  std::vector<Type> returns;           // dims: constants, parameters, or result_number(k)
  std::vector<Attr> attrs;             // #[noinline]
  static auto fields(auto& s) { return std::tie(s.lambda); }
};
struct VarInfo {
  std::string hint;
  Type type;
  std::vector<Attr> attrs;             // #[true_dep]
  bool batched = false;                // an array whose last dimension is a batch: the values for several seeds, many of them zero
  NoteId note = {};                    // for --explain-ad
  // Inside of `differentiate`. A clone has them, too.
  bool contribution = false;           // a partial derivative times a tangent or an adjoint
  std::vector<Var> before = {};        // results of loops around this read: what it reads of such an array was there before the loop
};
struct DataArray {
  Scalar elem;
  std::vector<int64_t> shape;
  std::string bytes;                   // row-major, little endian
  friend bool operator==(const DataArray&, const DataArray&) = default;
};
struct SourceInfo {                    // a place in a source file, its end excluded, and the call it was inlined through
  std::string file;
  uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
  Source caller;
  friend bool operator==(const SourceInfo&, const SourceInfo&) = default;
};

// What the outside world sees of an entry point. Its function has `sizes` implicit i64 parameters (bound from the shapes
// of the arrays), then the core values of each external parameter; likewise its results begin with `result_sizes` sizes.
struct ExternalType {
  std::string name;                    // "[]f64", "i32", or the name of an opaque type
  size_t values = 1;                   // number of core values
  bool opaque = false;
  bool unique = false;                 // parameters: may be consumed
};
struct EntryPoint {
  std::string name;
  FunId function;
  size_t sizes = 0, result_sizes = 0;
  std::vector<ExternalType> params, results;
  std::vector<std::string> param_names;
};
struct Program {
  Level level = Ad;
  std::deque<VarInfo> vars;            // a deque: references to types and hints stay valid when variables are made
  std::vector<DataArray> data;
  std::vector<std::string> texts;
  std::vector<SourceInfo> sources;
  Body constants;                      // top-level values, computed once per context; in scope in every function
  std::vector<Function> functions;
  std::vector<EntryPoint> entries;

  Var fresh(std::string hint, Type type) {
    vars.push_back({std::move(hint), std::move(type), {}});
    return {uint32_t(vars.size() - 1)};
  }
  const Type& type(Var v) const { return vars[v.index].type; }
  Type type(const Atom& a) const {
    return match(a, [&](Var v) { return type(v); }, [](const Const& c) { return Type{ScalarType{c.type}}; });
  }
  const std::string& hint(Var v) const { return vars[v.index].hint; }
  TextId text(std::string_view text);            // interned
  Source source(const SourceInfo& info);         // interned
  const Function* function(std::string_view name) const;

  // Every body that runs, constants first.
  template <class F> void each_body(F&& f) { f(constants); for (Function& g : functions) f(g.lambda.body); }
  template <class F> void each_body(F&& f) const { f(constants); for (const Function& g : functions) f(g.lambda.body); }
};

// ---- What the fields give for nothing ----
}  // namespace raido::ir
#include "compiler/ir/visit.h"
namespace raido::ir {

// Every use of a variable in `x`, those in the types of its binders included.
template <class X, class F> void each_use(const Program& p, const X& x, F&& f) {
  walk(x, overloaded{[&](const Var& v) { f(v); },
                     [&](const Bind& b) { walk(p.type(b.var), [&](const Var& v) { f(v); }); }});
}
template <class X, class F> void each_bind(const X& x, F&& f) { walk(x, [&](const Bind& b) { f(b.var); }); }

inline const Var* var_of(const Atom& a) { return std::get_if<Var>(&a); }
inline const Const* const_of(const Atom& a) { return std::get_if<Const>(&a); }
inline bool is_const(const Atom& a, int64_t value) {
  auto c = const_of(a);
  return c && !is_float(c->type) && c->as_i64() == value;
}
inline Atom i64_atom(int64_t value) { return i64_const(value); }

}  // namespace raido::ir
