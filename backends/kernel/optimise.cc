// optimise.cc - dead declarations. Reads are counted once; a dropped statement takes its reads with it, so one sweep from
// the back of each body finds chains. Repeated until nothing is dropped, since loops carry values back.
#include "backends/kernel/optimise.h"

#include "compiler/base/match.h"

namespace raido::kir {
namespace {

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
    match(m_.exprs[e.index].node, [](const Const&) {}, [&](const Name& n) { read(n, by); },
          [&](const Prim& p) { for (ExprId a : p.args) read(a, by); }, [&](const Cast& c) { read(c.value, by); },
          [&](const Load& l) { read(l.memory, by); read(l.index, by); }, [](const Hardware&) {});
  }
  void read(const std::vector<ExprId>& es, int by) { for (ExprId e : es) read(e, by); }

  // What one statement reads, bodies excluded.
  void own(const Stm& s, int by) {
    match(s.node,
      [&](const Declare& x) { if (x.init) read(*x.init, by); }, [](const DeclareArray&) {},
      [&](const Assign& x) { read(x.value, by); },
      [&](const Store& x) { read(x.memory, by); read(x.index, by); read(x.value, by); },
      [&](const Atomic& x) { read(x.memory, by); read(x.index, by); read(x.value, by); },
      [&](const For& x) { read(x.from, by); read(x.to, by); }, [&](const While& x) { read(x.cond, by); },
      [&](const If& x) { read(x.cond, by); }, [&](const Fail& x) { read(x.args, by); },
      [&](const Call& x) { read(x.args, by); for (Name n : x.results) read(n, by); },
      [&](const Return& x) { read(x.values, by); }, [&](const Trace& x) { if (x.value) read(*x.value, by); }, [](const FromConstants&) {},
      [&](const Alloc& x) { read(x.factors, by); read(x.block, by); }, [&](const Retain& x) { read(x.block, by); },
      [&](const Release& x) { read(x.block, by); }, [&](const SetBlock& x) { read(x.from, by); },
      [&](const ReadBack& x) { read(x.memory, by); read(x.index, by); },
      [&](const WriteOut& x) { read(x.memory, by); read(x.index, by); read(x.value, by); },
      [&](const Upload& x) { read(x.memory, by); read(x.data, by); read(x.count, by); },
      [&](const CopyMemory& x) { read(x.to, by); read(x.to_at, by); read(x.from, by); read(x.from_at, by); read(x.count, by); },
      [&](const Launch& x) { read(x.args, by); read(x.threads, by); }, [&](const ParallelFor& x) { read(x.n, by); });
  }
  template <class F> void inner(Stm& s, F f) {
    match(s.node, [&](For& x) { f(x.body); }, [&](While& x) { f(x.body); f(x.test); },
          [&](If& x) { f(x.else_); f(x.then_); }, [&](ParallelFor& x) { f(x.body); }, [](auto&) {});   // others have no bodies
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
                        [&](Assign& x) { return unread(x.var) && is_local(x.var); }, [&](SetBlock& x) { return unread(x.block); },
                        [&](FromConstants& x) { return unread(x.var); }, [&](ReadBack& x) { return unread(x.var); },
                        [](If& x) { return x.then_.empty() && x.else_.empty(); }, [](For& x) { return x.body.empty(); },
                        [](auto&) { return false; });   // everything else acts
      if (drop) { own(s, -1); dropped_ = true; }
      return !drop;
    });
  }
  bool is_local(Name n) const { return !m_.names[n.index].constant; }
};

}  // namespace

void optimise(Module& m) {
  for (HostFunction& f : m.functions) Dead(m).run(f.body);
  for (Kernel& k : m.kernels) Dead(m).run(k.body);
}

}  // namespace raido::kir
