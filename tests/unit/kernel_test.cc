// Kernels whose threads work together: what the verifier of kernel programs finds.
#include "backends/kernel/verify.h"

#include "tests/unit/test.h"

using namespace raido;
using namespace raido::kir;

namespace {

struct Made {
  Module m;
  Kernel k{"k", {}, {}};
  Name local, same;
  Made() {
    k.collective = true;
    same = m.name("n", Scalar::I64);
    local = m.name("local", Scalar::I64);
    k.params = {same};
    k.body.push_back({Declare{local, m.expr({Hardware{Builtin::LocalId}, Scalar::I64})}});
  }
  ExprId less(Name a) { return m.prim(ScalarOp::lt, {m.var(a), m.number(7)}); }
  std::string said() {
    m.kernels.clear();
    m.kernels.push_back(std::move(k));
    return verify_kernels(m).substr(0, 2);
  }
};
template <class S> Block of(S s) {
  Block b;
  b.push_back({std::move(s)});
  return b;
}

}  // namespace

TEST_CASE("barriers where all threads come") {
  Made a;
  a.k.body.push_back({If{a.less(a.same), of(Barrier{}), {}}});
  EXPECT(a.said() == "");
}
TEST_CASE("a barrier where only some threads come") {
  Made a;
  a.k.body.push_back({If{a.less(a.local), of(Barrier{}), {}}});
  EXPECT(a.said() == "B1");
}
TEST_CASE("a barrier in a loop whose end differs later") {
  Made a;
  Name i = a.m.name("i", Scalar::I64);
  a.k.body.push_back({Declare{i, a.m.number(0)}});
  Block body = of(Barrier{});
  body.push_back({Assign{i, a.m.add(a.m.var(i), a.m.var(a.local))}});
  a.k.body.push_back({While{{}, a.less(i), std::move(body)}});
  EXPECT(a.said() == "B1");
}
TEST_CASE("a name that only some threads assign differs") {
  Made a;
  Name i = a.m.name("i", Scalar::I64);
  a.k.body.push_back({Declare{i, a.m.number(0)}});
  a.k.body.push_back({If{a.less(a.local), of(Assign{i, a.m.number(9)}), {}}});
  a.k.body.push_back({If{a.less(i), of(Barrier{}), {}}});
  EXPECT(a.said() == "B1");
}
TEST_CASE("a check before a barrier") {
  Made a;
  a.k.body.push_back({If{a.less(a.local), of(Fail{0, {}}), {}}});
  a.k.body.push_back({Barrier{}});
  EXPECT(a.said() == "B2");
  Made b;
  b.k.body.push_back({Guarded{of(If{b.less(b.local), of(Fail{0, {}}), {}})}});
  b.k.body.push_back({Barrier{}});
  EXPECT(b.said() == "");
  Made c;
  c.k.body.push_back({Guarded{of(Barrier{})}});
  EXPECT(c.said() == "B1");
}
TEST_CASE("more shared memory than there is") {
  Made a;
  for (int k = 0; k < 6; k++) a.k.body.push_back({DeclareShared{a.m.memory("shared", Scalar::F64, ir::Space::Private)}});
  EXPECT(a.said() == "B3");
}
TEST_CASE("a barrier in a kernel that may end early") {
  Made a;
  a.k.collective = false;
  a.k.body.push_back({Barrier{}});
  EXPECT(a.said() == "B4");
}
TEST_CASE("the place where blocks are counted") {
  Made a, b;
  auto last = [&](Made& made, ExprId at) {
    made.k.body.push_back({LastBlock{made.m.name("last", Scalar::Bool), made.m.memory("tickets", Scalar::I32, raido::ir::Space::Device), at, made.m.number(2)}});
  };
  last(a, a.m.number(0));
  EXPECT(a.said() == "");
  last(b, b.m.var(b.local));
  EXPECT(b.said() == "B5");
}
TEST_CASE("tiles that a block looks back from, and publishes") {
  Made a, b, c;
  Name states = a.m.memory("states", Scalar::I32, raido::ir::Space::Device), tile = a.m.name("tile", Scalar::I64);
  auto look = [&](Made& made, ExprId end) { made.k.body.push_back({LookBack{made.m.name("from", Scalar::I64), made.m.name("reached", Scalar::Bool), states, made.m.number(1), end}}); };
  a.k.body.push_back({NextTile{tile, states, a.m.number(9)}});
  look(a, a.m.var(tile));
  a.k.body.push_back({If{a.less(a.local), of(Publish{states, a.m.var(tile), a.m.number(1), a.m.constant(raido::bool_const(true))}), {}}});
  EXPECT(a.said() == "");
  look(b, b.m.var(b.local));
  EXPECT(b.said() == "B5");
  c.k.body.push_back({Publish{states, c.m.var(c.local), c.m.number(1), c.m.constant(raido::bool_const(true))}});
  EXPECT(c.said() == "B5");
}
TEST_CASE("parts of the memory that a launch gives a block") {
  Made a, b, c;
  for (Made* x : {&a, &b, &c}) x->k.dynamic = x != &c;
  auto part = [](Made& x, Name at) { x.k.body.push_back({Own{x.m.memory("own", Scalar::I64, ir::Space::Shared), x.m.var(at)}}); };
  part(a, a.same);
  EXPECT(a.said() == "");
  part(b, b.local);
  EXPECT(b.said() == "B6");
  part(c, c.same);
  EXPECT(c.said() == "B6");
}
TEST_CASE("a check under a lock") {
  Made a, b;
  for (Made* x : {&a, &b}) {
    Name locks = x->m.memory("locks", Scalar::I32, ir::Space::Device);
    Block body = x == &a ? Block{} : of(If{x->less(x->local), {}, of(Fail{0, {}})});
    x->k.body.push_back({Guarded{of(Locked{locks, x->m.var(x->local), {}, {}, std::move(body)})}});
  }
  EXPECT(a.said() == "");
  EXPECT(b.said() == "B7");
}
