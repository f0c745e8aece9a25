// optimise.cc - dead declarations. Reads are counted once; a dropped statement takes its reads with it, so one sweep from
// the back of each body finds chains. Repeated until nothing is dropped, since loops carry values back.
//
// Kernels come first: a parameter that nobody reads any more is not given, and dies in the host's code.
//
// Then loops of few iterations that stand for a vector (decision 008): gcc would unroll them and look for vectors in what is around.
#include "backends/kernel/optimise.h"

#include "backends/kernel/chains.h"
#include "backends/kernel/checks.h"
#include "backends/kernel/divide.h"
#include "backends/kernel/lanes.h"
#include "backends/kernel/merge.h"
#include "backends/kernel/scalar_parts.h"
#include "backends/kernel/steps.h"
#include "backends/kernel/strips.h"
#include "backends/kernel/sums.h"
#include "backends/kernel/walk.h"

#include <algorithm>

#include "compiler/ir/costs.h"
#include "compiler/base/match.h"

namespace raido::kir {
namespace {

// The bodies of a statement, the last first.
template <class F> void inner(Stm& s, F f) {
  match(s.node, [&](For& x) { f(x.body); }, [&](While& x) { f(x.body); f(x.test); },
        [&](If& x) { f(x.else_); f(x.then_); }, [&](Guarded& x) { f(x.body); }, [&](Swap& x) { f(x.body); }, [&](Locked& x) { f(x.body); }, [&](ParallelFor& x) { f(x.body); },
        [&](VectorScan& x) { f(x.one_by_one); f(x.body); }, [](auto&) {});   // others have no bodies
}

class Dead {
 public:
  explicit Dead(Module& m) : m_(m) {}

  void run(Block& b) {
    do {
      reads_ = {};
      dropped_ = false;
      count(b);
      sweep(b);
    } while (dropped_);
  }

 private:
  Module& m_;
  IdMap<Name, int> reads_;
  bool dropped_ = false;

  void read(Name n, int by) { reads_[n] += by; }
  void read(ExprId e, int by) {
    each_name(m_, e, [&](Name n) { read(n, by); });
  }
  void read(const std::vector<ExprId>& es, int by) { for (ExprId e : es) read(e, by); }

  // What one statement reads, bodies excluded.
  void own(const Stm& s, int by) {
    match(s.node,
      [&](const Declare& x) { if (x.init) read(*x.init, by); }, [&](const DeclareArray& x) { read(x.counts, by); },
      [&](const Assign& x) { read(x.value, by); },
      [&](const Store& x) { read(x.memory, by); read(x.index, by); read(x.value, by); },
      [&](const Atomic& x) { read(x.memory, by); read(x.index, by); read(x.value, by); },
      [&](const Swap& x) { read(x.memory, by); read(x.index, by); read(x.now, by); }, [&](const Own& x) { read(x.at, by); },
      [&](const Locked& x) { read(x.locks, by); read(x.place, by); read(x.at, by); for (Name n : x.memories) read(n, by); }, [](const Locks&) {},
      [&](const UpdateShape& x) { read(x.points, by); for (const Copies& c : x.copies) read(c.cells, by); },
      [&](const For& x) { read(x.from, by); read(x.to, by); if (x.group) read(x.group->when, by); }, [&](const While& x) { read(x.cond, by); },
      [&](const If& x) { read(x.cond, by); }, [&](const Fail& x) { read(x.args, by); },
      [&](const Call& x) { read(x.args, by); for (Name n : x.results) read(n, by); },
      [&](const Return& x) { read(x.values, by); }, [&](const Trace& x) { if (x.value) read(*x.value, by); }, [](const FromConstants&) {},
      [&](const Tuned& x) { read(x.fallback, by); }, [](const Threads&) {},
      [](const DeclareShared&) {}, [](const Barrier&) {}, [](const Mark&) {}, [&](const LastBlock& x) { read(x.tickets, by); read(x.at, by); read(x.count, by); },
      [&](const NextTile& x) { read(x.states, by); read(x.tiles, by); }, [&](const Publish& x) { read(x.states, by); read({x.tile, x.launch, x.reached}, by); },
      [&](const LookBack& x) { read(x.states, by); read({x.launch, x.end}, by); }, [&](const TileShape& x) { read({x.points, x.items}, by); },
      [](const Guarded&) {}, [](const Unfailed&) {}, [&](const Shape& x) { read(x.rows, by); read(x.parts, by); }, [&](const Tickets& x) { read(x.count, by); },
      [&](const Alloc& x) { read(x.factors, by); read(x.block, by); }, [&](const Retain& x) { read(x.block, by); },
      [&](const Release& x) { read(x.block, by); }, [&](const SetBlock& x) { read(x.from, by); },
      [&](const ReadBack& x) { read(x.memory, by); read(x.index, by); },
      [&](const WriteOut& x) { read(x.memory, by); read(x.index, by); read(x.value, by); },
      [&](const Upload& x) { read(x.memory, by); read(x.data, by); read(x.count, by); },
      [&](const CopyMemory& x) { read(x.to, by); read(x.to_at, by); read(x.from, by); read(x.from_at, by); read(x.count, by); },
      [&](const Transpose& x) {
        read(x.to, by);
        read(x.from, by);
        read({x.to_at, x.to_row, x.from_at, x.from_row, x.rows, x.columns, x.first, x.last}, by);
      },
      [&](const Launch& x) { read(x.args, by); read(x.threads, by); if (x.shared) read(*x.shared, by); },
      [&](const DeclareVectors& x) { read({x.lanes, x.rows, x.columns}, by); },
      [&](const MoveVector& x) { read(x.vectors, by); read({x.row, x.column, x.at}, by); read(x.array, by); },
      [&](const LoadVector& x) { read(x.to, by); read(x.from, by); read({x.to_at, x.from_at}, by); },
      [&](const MultiplyTiles& x) { for (Name n : {x.sums, x.rows, x.columns, x.places}) read(n, by); read({x.first_row, x.count}, by); },
      [&](const TilePlaces& x) { read(x.places, by); read(x.first_row, by); }, [&](const Settle& x) { read(x.array, by); read(x.index, by); }, [&](const ParallelFor& x) { read(x.n, by); },
      [&](const VectorScan& x) {
        for (const auto* names : {&x.reached, &x.from, &x.to}) for (Name n : *names) if (n.valid()) read(n, by);
        for (const auto* exprs : {&x.results, &x.from_at, &x.to_at}) read(*exprs, by);
        read(x.count, by);
      });
  }
  void count(Block& b) {
    for (Stm& s : b) {
      own(s, 1);
      inner(s, [&](Block& i) { count(i); });
    }
  }
  bool unread(Name n) { return !m_.names[n.index].constant && reads_[n] == 0; }
  void sweep(Block& b) {
    b.filter_backwards([&](Stm& s) {
      inner(s, [&](Block& i) { sweep(i); });
      bool drop = match(s.node, [&](Declare& x) { return unread(x.var); }, [&](DeclareArray& x) { return unread(x.var); },
                        [&](DeclareVectors& x) { return unread(x.var); }, [&](DeclareShared& x) { return unread(x.var); }, [&](Own& x) { return unread(x.var); },
                        [](Guarded& x) { return x.body.empty(); },
                        [&](Assign& x) { return unread(x.var) && is_local(x.var); }, [&](SetBlock& x) { return unread(x.block); },
                        [&](FromConstants& x) { return unread(x.var); }, [&](Tuned& x) { return unread(x.var); }, [&](Threads& x) { return unread(x.var); },
                        [&](ReadBack& x) { return unread(x.var); },
                        [](If& x) { return x.then_.empty() && x.else_.empty(); }, [](For& x) { return x.body.empty(); },
                        [](auto&) { return false; });   // everything else acts
      if (drop) { own(s, -1); dropped_ = true; }
      return !drop;
    });
  }
  bool is_local(Name n) const { return !m_.names[n.index].constant; }
};

// Parameters of kernels that only dropped statements read, and what the launches give them.
class Parameters {
 public:
  explicit Parameters(Module& m) : m_(m) {}

  void run() {
    for (Kernel& k : m_.kernels) {
      IdSet<Name> read;
      for (Name n : free_names(m_, k.body)) read.insert(n);
      auto& unread = unread_.emplace_back();
      for (size_t p = k.params.size(); p-- > 0;)
        if (!read.contains(k.params[p])) { unread.push_back(p); erase(k.params, p); }
    }
    for (HostFunction& f : m_.functions) launches(f.body);
  }

 private:
  Module& m_;
  std::vector<std::vector<size_t>> unread_;                // of each kernel, the last first

  static void erase(auto& of, size_t p) { of.erase(of.begin() + ptrdiff_t(p)); }
  void launches(Block& b) {
    for (Stm& s : b) {
      if (auto l = std::get_if<Launch>(&s.node)) for (size_t p : unread_[size_t(l->kernel)]) erase(l->args, p);
      inner(s, [&](Block& i) { launches(i); });
    }
  }
};

// Marks a loop over lanes: its statements compute numbers of one iteration, or store at the iteration's own place in memory that is
// read nowhere else in the loop; all places are the same for all iterations, or one after the other.
class Lanes {
 public:
  explicit Lanes(const Module& m) : m_(m) {}

  void find(Block& b) {
    for (Stm& s : b)
      match(s.node, [&](For& x) { find(x.body); x.lanes = x.lanes || (!x.unrolled && x.reduced.empty() && few(x) && separate(x)); },
            [&](While& x) { find(x.test); find(x.body); }, [&](If& x) { find(x.then_); find(x.else_); },
            [&](ParallelFor& x) { find(x.body); }, [](auto&) {});
  }

 private:
  const Module& m_;

  bool few(const For& x) const {
    auto from = m_.const_of(x.from), to = m_.const_of(x.to);
    if (!from || !to) return false;
    int64_t n = to->as_i64() - from->as_i64();
    return n >= costs::cpu::least_lanes && n <= costs::cpu::most_lanes;
  }
  bool separate(const For& x) const {
    Steps steps(m_, x.i);
    std::vector<Load> reads;
    std::vector<Store> stores;
    for (const Stm& s : x.body) {
      bool fine = match(s.node,
        [&](const Declare& d) {
          steps.declare(d.var, d.init ? &*d.init : nullptr);
          if (auto load = d.init ? std::get_if<Load>(&m_.exprs[d.init->index].node) : nullptr) reads.push_back(*load);
          return d.init.has_value();
        },
        [&](const Store& st) { stores.push_back(st); return steps.of(st.index) == 1; }, [](const auto&) { return false; });
      if (!fine) return false;
    }
    auto own_place = [&](const auto& access) {
      return std::ranges::all_of(stores, [&](const Store& st) { return st.memory != access.memory || st.index == access.index; });
    };
    auto near = [&](const Load& l) { return steps.is_near(l); };
    return !stores.empty() && std::ranges::all_of(stores, own_place) && std::ranges::all_of(reads, own_place) && std::ranges::all_of(reads, near);
  }
};

}  // namespace

void optimise(Module& m, bool for_c) {
  for (Kernel& k : m.kernels) Dead(m).run(k.body);
  Parameters(m).run();
  for (HostFunction& f : m.functions) {
    Dead(m).run(f.body);
    check_before_loops(m, f.body);
    run_in_lanes(m, f.body, for_c);
    add_in_strips(m, f.body);
    if (for_c) split_chains(m, f.body);
    if (for_c) sum_in_vectors(m, f.body);
    if (for_c) split_scalar_parts(m, f.body);
    Dead(m).run(f.body);
    Lanes(m).find(f.body);
  }
  const size_t parts = m.functions.size() - 1;             // the first of them
  if (!divide_functions(m)) return;
  for (HostFunction& f : m.functions) Dead(m).run(f.body);   // numbers that only a part needed
  merge_parts(m, parts);
}

}  // namespace raido::kir
