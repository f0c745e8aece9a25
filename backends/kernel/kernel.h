// kernel.h - the kernel program: structured imperative code, the lowest thing there is, printed as C, CUDA and OpenCL.
//
// Only pure expressions are shared; a Load stands alone as the value of a Declare or Assign, so its place among the
// stores is explicit. Memory is a pointer to elements of one type. Sizes and indices are i64.
#pragma once
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/base/id.h"
#include "compiler/base/list.h"
#include "compiler/ir/ir.h"

namespace raido::kir {

using Name = Id<struct NameTag>;
using ExprId = Id<struct ExprTag>;

struct NameInfo {
  std::string text;          // unique in the module
  Scalar type;
  bool memory = false;       // a pointer to elements of `type`
  bool constant = false;     // a field of the program's constants
  ir::Space space = ir::Space::Host;
  bool wide = false;         // an integer of 8 bits that C programs keep in 32
};

struct Prim { ScalarOp op; Scalar at; std::vector<ExprId> args; };   // at: the type the operation works at
struct Cast { ExprId value; };                                       // to the type of the expression
struct Load { Name memory; ExprId index; };
// TileRows, TileVectors, VectorLanes: numbers that the C compiler knows. A tile has so many rows, and so many vectors of columns in each row.
// A vector has so many elements, if the widest type in the tile has `bytes` bytes. OrdersBlocks: a block may wait for blocks that began before
// it. HasTensors: the warps of the device multiply matrices of f64 (MultiplyTiles). These two, as conditions by themselves, leave the other code out
// of the text. Items: so many elements of `bytes` bytes a thread has in a scan (RAIDO_ITEMS). SumVectors: the C compiler gets sums as vectors (sums.h).
// Zero: 0, which the C compiler does not know.
enum class Builtin : uint8_t { GlobalId, LocalId, BlockId, BlockSize, OrdersBlocks, HasTensors, Items, TileRows, TileVectors, VectorLanes, SumVectors, Zero };
struct Hardware { Builtin what; int bytes = 0; };
struct Expr {
  std::variant<Const, Name, Prim, Cast, Load, Hardware> node;
  Scalar type;
};

struct Stm;
using Block = List<Stm>;
struct Declare { Name var; std::optional<ExprId> init; };
struct DeclareArray { Name var; std::vector<ExprId> counts; };        // the product of them: numbers that the C compiler knows
struct Assign { Name var; ExprId value; };
struct Store { Name memory; ExprId index, value; bool meets = false; };   // meets: other threads may store to the cell; any value may stay
struct Atomic { Name memory; ExprId index, value; ScalarOp op; };    // memory[index] := op memory[index] value
struct Swap { Name memory; ExprId index; Name old; Block body; ExprId now; };   // memory[index] := now, as one step; body makes it of old
// No two threads run it for the same place of `locks` at once. It updates memories[k][at[k]].
struct Locked { Name locks; ExprId place; std::vector<Name> memories; std::vector<ExprId> at; Block body; };
// reduced: combined by the iterations in any order, by add, min or max. scattered: what they read or store lies too far apart for vectors.
// pairs: changes neighbours, which are no vector.
// rest: with SumVectors the last few, which are not for vectors; without it all. few: where vectors have masks, fewer than costs::cpu::least_lanes.
// lanes: few iterations, none of which needs another, beside each other in memory. spmd: iterations that need no other run in groups,
// although they have loops inside (lanes.h). interleaved: in small groups, in scalar code. apart: no iteration touches what another one stores.
// alone: inside a loop in groups, which each lane runs by itself. unrolled: as many as the C compiler knows, all written out.
// group: as in the core program.
// sums: what the iterations add to elements of these memories, and combine with these numbers, may come in any order.
struct Reduced { Name var; ScalarOp op; };
struct Group { std::vector<Name> own, sums; ExprId when; };
struct Sums { std::vector<Name> memories; std::vector<Reduced> numbers; };
struct For {
  Name i;
  ExprId from, to;
  Block body;
  std::vector<Reduced> reduced = {};
  bool scattered = false, pairs = false, lanes = false, spmd = false, interleaved = false, apart = false, alone = false, unrolled = false, rest = false, few = false;
  std::optional<Group> group = {};
  Sums sums = {};
};
struct While { Block test; ExprId cond; Block body; };               // test runs before each look at cond
struct If { ExprId cond; Block then_, else_; };
struct Fail { int text; std::vector<ExprId> args; };                 // into Module::texts
struct Call { int function; std::vector<ExprId> args; std::vector<Name> results; };
struct Return { std::vector<ExprId> values; };
struct Trace { std::string text; std::optional<ExprId> value; int label = -1; };   // to the program's log; in a kernel a line, its label into Module::texts
struct FromConstants { Name var, field; };                           // var := the program's constant
// Kernels only. Guarded: where a check inside fails, the thread goes on after it; `elements`: nothing of it if a check has failed before.
// LastBlock: the same for all threads of a block; whether it is the last one of `count` that come there, so that it sees what all have
// written. Not every device has it: where none is ever the last, a second launch finishes.
// Of a scan by tiles: NextTile is the number of the block's tile, of `tiles`; all before it are taken by blocks that run. Publish says what others
// may read of a tile from now on: its total, or what the scan has reached with it. LookBack is the same for all threads: it waits
// for tiles before `end`; of those from `first` on there are totals, and `reached` says whether what comes to the first of them is known.
// So many elements for each thread of a block, and more; with item_bytes as many as the thread has Items of so many bytes.
struct DeclareShared { Name var; int each = 1, more = 0, item_bytes = 0; };
// A part of the shared memory that a launch gives to each block, from so many bytes on.
struct Own { Name var; ExprId at; };
struct Barrier {};
struct LastBlock { Name var, tickets; ExprId at, count; };
struct NextTile { Name var, states; ExprId tiles; };
struct Publish { Name states; ExprId tile, launch, reached; };
struct LookBack { Name first, reached, states; ExprId launch, end; };
struct Guarded { Block body; bool elements = false; };
struct Unfailed { Name var; };                                       // var := no check has failed so far
// Host only.
struct Mark { int place; };                                           // into Module::places: what runs from here on comes from there
// Of a product of sizes. lenient: a negative one means none. places: into Module::texts, the places that a program without memory names.
struct Alloc { Name block; std::vector<ExprId> factors; bool lenient; int places = -1; };
struct Retain { Name block; };
struct Release { Name block; };
struct SetBlock { Name block, from; };
struct Tuned { Name var; int param; ExprId fallback; };              // var := Module::params[param], unless it is not set
struct Threads { Name var; };                                        // var := how many threads there are
struct ReadBack { Name var, memory; ExprId index; };                 // var := device memory
struct WriteOut { Name memory; ExprId index, value; };               // device memory := value
struct Upload { Name memory; Name data; ExprId count; };             // device memory := a constant array
struct CopyMemory { Name to; ExprId to_at; Name from; ExprId from_at; ExprId count; };   // device to device
struct Launch { int kernel; std::vector<ExprId> args; ExprId threads; std::optional<ExprId> shared = {}; };   // shared: bytes of each block
// How `rows`, each of so many parts, are shared among blocks: lanes of a block for each row, blocks for each row, threads in all, threads
// of a second launch. A block has at least `beside` rows, if there are so many.
struct Shape { Name lanes, blocks, threads, finish; ExprId rows, parts; int beside; };
// How `points` are shared among threads, and which arrays each block has copies of. Each point has about so many `updates` of arrays of so
// many `cells`. A block has `count` copies of an array in its own shared memory, from `at` times 8 bytes on (Own). Without any, `at` is -1.
struct Copies { Name at, count; ExprId cells; int64_t bytes, updates; };
struct Locks { Name memory; };                                       // costs::gpu::locks of them, which kernels leave open
struct UpdateShape { std::vector<Copies> copies; Name threads, shared; ExprId points; };
struct Tickets { Name memory; ExprId count; };                       // all zero, and kernels leave them so
// How `points` are shared among tiles, `items` of them for each thread: how many tiles; threads of a launch whose blocks wait for others; or
// of launches where none does, `apart` of one for each tile, `one` of a block. States of tiles, and a launch with which none is marked.
struct TileShape { Name tiles, together, apart, one, launch, states; ExprId points, items; };
// to[to_at + i * to_row + j] := from[from_at + j * from_row + i] for i < rows and the j from `first` up to `last`, of `columns` in all
struct Transpose { Name to; ExprId to_at, to_row; Name from; ExprId from_at, from_row, rows, columns, first, last; };
// Vectors in registers, [rows][columns] of them, each of `lanes` elements. MoveVector copies one to as many elements of an
// array, the first of them array[at], or back.
struct DeclareVectors { Name var; ExprId lanes, rows, columns; };
struct MoveVector { Name vectors; ExprId row, column; Name array; ExprId at; bool back; };
// What a scan reaches, element by element: to[k][to_at[k] + i] for i < count. The operator makes `results` of `left` and `right` in `body`, which only
// computes. Elements are from[k][from_at[k] + i]; `reached` are variables, before the first and after the last. A memory of `to` that is not
// valid is not wanted. one_by_one does the same.
struct VectorScan {
  std::vector<Name> reached, left, right;
  Block body;
  std::vector<ExprId> results;
  std::vector<Name> from, to;
  std::vector<ExprId> from_at, to_at;
  ExprId count;
  Block one_by_one;
};
struct ParallelFor { Name first, last; ExprId n; Block body; int site; int64_t grain = 1; };  // body runs one claimed chunk of 0..n-1, a multiple of grain
// to[to_at + i] := from[from_at + i] for i < count, from shared memory: one access where a device has such vectors.
struct LoadVector { Name to; ExprId to_at; Name from; ExprId from_at; int count; };
// A warp adds to its sums the products of 16 rows and 64 columns in shared memory, at `count` of 8 points. Its first row has number
// first_row, a multiple of 8. Eight rows make a group. Where the numbers lie and whose the sums are: backends/runtime/words.h.
namespace tensor {
inline constexpr int depth = 8, columns = 64, groups = 2;              // points, columns, and groups of eight rows
inline constexpr int lanes = 4, sums = 32;                             // that have points of their own at once; of a thread
inline constexpr int row_group = 72, column_points = 68;               // apart in shared memory: groups of rows; points of the columns
}  // namespace tensor
struct MultiplyTiles { Name sums, rows, columns, places; ExprId first_row, count; };
struct TilePlaces { Name places; ExprId first_row; };                // declares where a lane's numbers lie, which no step changes
// An element of an array of one thread stays what it is now: compilers shall keep it, and not compute it anew where it is used.
struct Settle { Name array; ExprId index; };
struct Stm {
  std::variant<Declare, DeclareArray, Assign, Store, Atomic, Swap, Locked, For, While, If, Fail, Call, Return, Trace, FromConstants, Tuned, Threads,
               DeclareShared, Own, Barrier, LastBlock, NextTile, Publish, LookBack, Guarded, Unfailed, Mark, Alloc, Retain, Release, SetBlock, ReadBack, WriteOut, Upload, CopyMemory,
               Launch, Shape, UpdateShape, Locks, Tickets, TileShape, Transpose, DeclareVectors, MoveVector, LoadVector, MultiplyTiles, TilePlaces, Settle, VectorScan, ParallelFor> node;
};

struct Kernel {
  std::string name;
  std::vector<Name> params;
  Block body;
  bool can_fail = false, traces = false, collective = false;
  bool dynamic = false;                                 // a launch says how much shared memory a block has
  bool dense = false;                                   // it computes more than it reads
};
struct HostFunction { std::string name; std::vector<Name> params, results; Block body; bool recursive = false, lone = false; };   // lone: no copies of it for its callers (divide.h)
struct DataRef { Name name; const ir::DataArray* data; };

struct Param { std::string name, kind; };
struct MarkedPlace { std::string kind, text; };   // what stands there; the place, and the calls that lead to it, the innermost first

// What a name of the program looks like in C: names may have primes there.
std::string word_of_c(std::string_view hint);

struct Module {
  std::vector<NameInfo> names;
  std::vector<Expr> exprs;
  std::vector<std::string> texts;      // of failed checks, places included
  std::vector<MarkedPlace> places = {{"", ""}, {"other", "unknown"}};   // 0: nothing runs
  std::vector<DataRef> data;
  std::vector<Name> constants;         // fields
  std::vector<Kernel> kernels;
  std::vector<HostFunction> functions; // function k is core function k; then parts; the last one computes the constants
  std::vector<Param> params;           // that the user of the program may set
  int sites = 0;                       // parallel loops

  Name name(std::string_view hint, Scalar type);
  Name memory(std::string_view hint, Scalar elem, ir::Space space);
  // Equal expressions have equal ids; loads are never equal.
  ExprId expr(Expr e);
  ExprId constant(const Const& c) { return expr({c, c.type}); }
  ExprId number(int64_t v) { return constant(i64_const(v)); }
  ExprId var(Name n) { return expr({n, names[n.index].type}); }
  ExprId prim(ScalarOp op, std::vector<ExprId> args);      // folds constants, neutral elements of index arithmetic, comparisons with itself
  ExprId add(ExprId a, ExprId b) { return prim(ScalarOp::add, {a, b}); }
  ExprId mul(ExprId a, ExprId b) { return prim(ScalarOp::mul, {a, b}); }
  std::string unique(std::string_view hint);               // a name that nothing else in the program has; it ends with `_` and a number
  // A copy, which stays as it is when expressions are made.
  std::optional<Const> const_of(ExprId e) const {
    auto c = std::get_if<Const>(&exprs[e.index].node);
    return c ? std::optional(*c) : std::nullopt;
  }

 private:
  std::unordered_map<std::string, int> used_;
  std::unordered_multimap<size_t, ExprId> known_;
};

// Names that a block uses and does not declare, in order of first use.
std::vector<Name> free_names(const Module& m, const Block& b);
// Names that it uses, declared there or not.
std::vector<Name> used_names(const Module& m, const Block& b);
std::vector<Name> used_names(const Module& m, const Stm& s);

// Whether a block of memory that `b` uses can get another reference there, or be handed to somebody else.
bool may_keep(const Module& m, const Block& b, Name memory);

}  // namespace raido::kir
