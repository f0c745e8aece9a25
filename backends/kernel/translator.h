// translator.h - the translation of a core program at level memory to a kernel program, statement by statement.
//
// A scalar becomes a constant of its own, an array nothing at all: its block is a name, its elements are addressed
// through the layout in its type. Operations that fill arrays become loops. Where the arrays lie in device memory and
// the code runs on the host, each such loop nest becomes a kernel. Single elements are read back or written out there.
//
// from_core.cc has the statements, translate_blocks.cc bodies and who owns the blocks, translate_loops.cc the loops. translate_device.cc has
// kernels, parallel loops and accumulators. The kernels whose threads work together are in translate_collective.cc, translate_scan.cc and
// translate_updates.cc. translate_tiles.cc has contractions and translate_device_tiles.cc those of devices. translate_turned.cc
// has kernels that read across, translate_functions.cc functions and top-level values.
#pragma once
#include <functional>
#include <map>

#include "backends/kernel/block_facts.h"
#include "backends/kernel/kernel.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/calling.h"
#include "compiler/ir/target.h"

namespace raido::kir::translation {

using namespace raido::ir;
using ir::Var;

class FromCore {
 public:
  FromCore(const Program& p, Target target, bool places);
  Module run();

 private:
  struct Layout {
    Name memory;
    ExprId offset;
    std::vector<ExprId> strides;
  };
  // Where the thread's copy lies; at: whether there is one.
  struct Copied {
    std::vector<Layout> own;                   // of each array of the destination
    std::optional<Name> locks;                 // one for each place
    ExprId exists;
  };
  using Point = std::vector<ExprId>;
  using Fill = std::function<void(const Point&)>;

  const Program& p_;
  Target target_;
  Module m_;
  Block* out_ = nullptr;                       // where statements are emitted
  const BlockFacts facts_;
  Definitions made_;
  VarMap<ExprId> scalar_;
  VarMap<Name> block_;
  VarSet on_stack_, is_constant_;
  VarMap<std::optional<Name>> field_;          // of a top-level value
  VarMap<const Dest*> dest_;                   // token -> destination, inside a with_acc that was kept
  VarMap<std::optional<Name>> locks_;          // token -> locks for its cells, if an update needs one
  VarMap<std::optional<Copied>> copied_;       // token -> a block's copies of the destination, in a kernel that has them
  int function_ = 0;
  Block* prologue_ = nullptr;
  VarMap<int> loaded_in_;                      // function (plus one) that has loaded the constant
  bool in_kernel_ = false, kernel_traces_ = false, in_task_ = false;
  bool short_addresses_ = false;   // places in memory have 32 bits
  bool stores_meet_ = false;   // what is stored now may meet a store of another thread in the same cell
  bool returns_checked_ = false;
  bool marks_ = false;                         // statements of the host say where they come from
  int place_ = 1;                              // the last that was said
  std::map<std::pair<std::string, uint32_t>, int> places_;
  std::unordered_map<uint32_t, std::pair<ExprId, ExprId>> products_;
  // The point that a thread of a kernel has found in `extent`. number[d]: of its first d + 1 indices, if only these dimensions are counted.
  struct Counted {
    Point at;
    std::vector<ExprId> extent, number;
  };
  std::unordered_map<uint32_t, Counted> counted_;   // by the first index

  // ---- names and values (from_core.cc) ----
  const ArrayType* array(const Atom& a) const {
    auto v = var_of(a);
    return v ? std::get_if<ArrayType>(&p_.type(*v)) : nullptr;
  }
  bool is_scalar_var(Var v) const { return is_scalar(p_.type(v)); }
  bool is_block(const Atom& a) const { return var_of(a) && ir::is_block(p_.type(a)); }
  Name new_memory(Var block);
  Name memory(Var block);
  // A constant is loaded once at the start of each function that uses it.
  Name constant(Var v);
  ExprId atom(const Atom& a);
  std::vector<ExprId> atoms(const std::vector<Atom>& as);
  Name declare_scalar(Var v, std::optional<ExprId> init);
  template <class S> void emit(S s) { out_->push_back({std::move(s)}); }
  template <class F> Block block(F fill) {
    Block b;
    Block* saved = std::exchange(out_, &b);
    fill();
    out_ = saved;
    return b;
  }

  // ---- addresses (from_core.cc) ----
  Layout layout(const Atom& a);
  ExprId address(const Layout& l, const std::vector<ExprId>& at);
  bool is_product(ExprId stride, ExprId n, ExprId inner);
  ExprId short_address(const Layout& l, const std::vector<ExprId>& at);
  Layout sliced(const Layout& l, const std::vector<Selector>& at);
  Layout row(const Layout& l, ExprId i);
  std::vector<ExprId> shape(const Atom& a) { return atoms(array(a)->shape); }
  bool is_device(Name memory) const { return m_.names[memory.index].space == Space::Device; }
  ExprId load(Name memory, ExprId index, const std::string& hint);
  ExprId load_named(Var v, const Layout& l, const std::vector<ExprId>& at);
  void store(Name memory, ExprId index, ExprId value);
  // Loops over all points of `extent`; one kernel where `on_device` and the code runs on the host.
  void each(const std::vector<ExprId>& extent, bool on_device, const Fill& fill);
  void nest(const std::vector<ExprId>& extent, Point& at, const Fill& fill);
  std::optional<std::vector<Point>> few_points(const std::vector<ExprId>& extent);
  // On a device neighbouring dimensions become one where all layouts have their elements in a row: points need fewer divisions.
  void join_rows(std::vector<ExprId>& extent, const std::vector<Layout*>& layouts);
  void copy(const Layout& to, const Layout& from, const std::vector<ExprId>& extent);
  void transpose(const Layout& to, const Layout& from, const std::vector<ExprId>& extent, size_t near_to, size_t near_from);

  // ---- kernels that read arrays across (translate_turned.cc) ----
  // An element for each point, which points beside each other along `down` have beside each other in memory. Threads have points along `across`.
  struct Far {
    Name memory;
    std::function<ExprId(const Point&)> address;
  };
  using TileFill = std::function<void(const Point&, const std::vector<ExprId>&)>;      // with the elements of the point
  void turned(const std::string& hint, const std::vector<ExprId>& extent, size_t down, size_t across, const std::vector<Far>& far, const TileFill& fill);
  void in_tiles(const std::string& hint, const std::vector<ExprId>& extent, size_t down, size_t across, const std::vector<Far>& far, const TileFill& fill,
                const std::function<void()>& plain);
  // Whether there was reason to.
  bool copy_turned(const Layout& to, const Layout& from, const std::vector<ExprId>& extent);
  bool map_turned(const ir::Stm& s, const Seg& x, const std::string& hint, const std::function<void(const Point&)>& run);
  VarMap<std::optional<ExprId>> taken_;        // elements that a tile has
  // Puts a scalar or an array at `to`.
  void put(const Layout& to, const Atom& value);

  // ---- statements (from_core.cc) ----
  void statement(const ir::Stm& s);
  void operation(const ir::Stm& s);
  void mark(int place);
  // What a profile calls it; empty if it says nothing of it.
  std::string_view marked_kind(const ir::Stm& s) const;
  void apply(Var v, const Apply& x);
  std::optional<ExprId> unsigned_test(const Apply& x);
  void check(const Assert& x, Source source);
  int failure(const Assert& x, Source source);
  std::string places_text(Source source) const;
  void branch(const ir::Stm& s, const ir::If& x);
  void iota(Var v, const Iota& x);
  void replicate(Var v, const Replicate& x);
  void concat(Var v, const Concat& x);
  void data(Var v, const Data& x);
  void tunable(Var v, const Tunable& x);
  void trace(const ir::Stm& s, const Atom& value);

  // ---- bodies (translate_blocks.cc) ----
  // The blocks that a statement touches.
  template <class X> void each_block(const X& x, auto&& f) {
    each_use(p_, x, [&](Var v) {
      if (is_block(v)) f(v);
      else if (auto a = array(v); a && a->place) f(a->place->block);
    });
  }
  // Translates the statements; `owned` blocks and those bound here are released after their last use unless they are
  // among the results, which move or get a reference. The caller stores the results.
  void body(const Body& b, std::vector<Var> owned, bool keep = false);
  std::vector<Var> handed_;                               // the blocks that the next branch owns
  std::vector<Var> blocks_of(const std::vector<Bind>& binds) const;
  // Assigns the results of a body to names: scalars and blocks only.
  void assign(const std::vector<Name>& to, const std::vector<Atom>& from);
  void set(Name to, const Atom& from);
  // Names for the live-outs of a branch or loop, declared without a value.
  std::vector<Name> live_outs(const std::vector<Bind>& pattern);
  // lenient: a negative size counts as 0.
  void alloc(Var v, const Atom& bytes, bool lenient, ir::Source source, bool on_device = false);
  // The sizes whose product is `bytes`, so that the run time can see it overflow.
  std::vector<ExprId> factors(const Atom& bytes);

  // ---- loops (translate_loops.cc) ----
  void for_loop(const ir::Stm& s, const ir::For& x);
  Group group(const ir::Group& x);
  void while_loop(const ir::Stm& s, const ir::While& x);
  // The map may grow, so what it holds is copied first.
  template <class T> static void share(VarMap<T>& map, Var to, Var from) {
    T held = map[from];
    map[to] = held;
  }
  // Loop state: names that the pattern shares, set to the initial values.
  std::vector<Name> enter(const ir::Stm& s, const std::vector<Bind>& state, const std::vector<Atom>& init);
  // The next values of the state, all at once: a value that is itself a state which changes is saved first.
  void next(const std::vector<Name>& state, std::vector<Atom> values);

  // ---- parallel work (translate_device.cc) ----
  // One thread for each point of `extent`; what the body uses from outside becomes its parameters.
  void kernel(const std::string& hint, const std::vector<ExprId>& extent, const Fill& fill);
  void seg(const ir::Stm& s, const Seg& x);
  // ---- contractions (contraction.h) ----
  class Contraction;
  class Tiles;
  class DeviceTiles;
  class VectorScanOf;
  void vector_scan(const ir::Stm& s, const Seg& x);                      // translate_vector_scan.cc
  void tile(const ir::Stm& s, const Seg& x);                             // translate_tiles.cc
  void device_tile(const ir::Stm& s, const Seg& x);                      // translate_device_tiles.cc
  Point point_of(ExprId number, const std::vector<ExprId>& extent);
  // The statements that `fill` emits are those of a kernel; `k` gets what is known of it.
  template <class F> Kernel kernel_of(const std::string& hint, F fill) {
    in_kernel_ = true;
    kernel_traces_ = false;
    bool failed = std::exchange(returns_checked_, false);
    Block body = block(fill);
    in_kernel_ = false;
    Kernel k{word_of_c(hint) + "_" + std::to_string(m_.kernels.size()), {}, std::move(body), returns_checked_ || kernel_traces_, kernel_traces_};
    returns_checked_ = failed;
    return k;
  }
  // Launches it once for each of `threads`, with `own`, a parameter of its own, as it says; everything else that it uses is passed.
  // `shared`: bytes that it gives each block.
  void launch(Kernel k, Name own, const std::vector<std::pair<ExprId, ExprId>>& own_and_threads, std::optional<ExprId> shared = {});

  // ---- collective kernels (collective.h, translate_collective.cc, translate_scan.cc) ----
  class Together;
  class Collective;
  class Scan;
  class Updates;
  void collective(const ir::Stm& s, const Seg& x);
  void scan(const ir::Stm& s, const Seg& x);
  void updates(const ir::Stm& s, const Seg& x);                          // translate_updates.cc
  bool is_gathered(Var token) const;
  // An element of a seg's result, unless it is a row, which lies there.
  void put_mapped(Var to, const Atom& value, const Point& at);
  // Constants must be loaded on the host before the kernel that uses them.
  std::vector<Var> free_vars_of_places(const Seg& x);
  void with_acc(const ir::Stm& s, const WithAcc& x);
  void acc_update(const AccUpdate& x);
  void update_cells(const Dest& dest, const AccUpdate& x, const std::vector<ExprId>& at);
  void combine_cell(const Dest& dest, const std::vector<Layout>& cells, const std::vector<ExprId>& j, const std::vector<ExprId>& values,
                    std::optional<Name> locks);
  // The cells at `index` become the operator of them and the values, as one step. place: of the lock, if that needs one.
  bool needs_lock(const Dest& d) const;
  void combine_atomically(const Combine& c, const std::vector<Name>& memories, const std::vector<ExprId>& index, const std::vector<ExprId>& values,
                          std::optional<Name> locks, ExprId place);
  void combine_alone(const Combine& c, const std::vector<Name>& memories, const std::vector<ExprId>& index, const std::vector<ExprId>& values);

  // ---- functions (translate_functions.cc) ----
  HostFunction declare(const Function& f);
  // What is passed of them in C (calling.h).
  std::vector<ExprId> values(const std::vector<Atom>& as);
  void function(size_t k);
  void constants();
  void call(const ir::Stm& s, const ir::Call& x);
  bool reaches(const Function& from, FunId to, IdSet<FunId>& seen) const;
};

}  // namespace raido::kir::translation
