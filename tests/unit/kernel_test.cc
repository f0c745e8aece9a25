// Kernels whose threads work together: what the verifier of kernel programs finds. Large functions: what their parts take and give.
#include "backends/kernel/checks.h"
#include "backends/kernel/divide.h"
#include "backends/kernel/merge.h"
#include "backends/kernel/verify.h"

#include <algorithm>

#include "compiler/ir/costs.h"
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

namespace {

// A function whose loops add to `sum`, store to `xs`, and change what the test says.
struct Large {
  Module m;
  HostFunction f{"f", {}, {}, {}};
  Name sum, xs, n;
  Large() {
    sum = m.name("sum", Scalar::F64);
    xs = m.memory("xs", Scalar::F64, ir::Space::Host);
    n = m.name("n", Scalar::I64);
    f.params = {xs, n};
    f.body.push_back({Declare{sum, m.constant(constant(Scalar::F64, 0))}});
  }
  Stm loop(Block more = {}) {
    Name i = m.name("i", Scalar::I64);
    For x{i, m.number(0), m.var(n), std::move(more)};
    for (size_t k = 0; k < costs::least_part; k++) x.body.push_back({Store{xs, m.var(i), m.var(sum)}});
    x.body.push_back({Assign{sum, m.prim(ScalarOp::add, {m.var(sum), m.constant(constant(Scalar::F64, 1))})}});
    return {std::move(x)};
  }
  void fill() { for (size_t k = 0; k * costs::least_part < costs::function_statements; k++) f.body.push_back(loop()); }
  // The parts, after a check that functions use nothing but what they are given.
  std::vector<HostFunction> divided() {
    f.body.push_back({Return{{m.var(sum)}}});
    m.functions = {std::move(f), HostFunction{"constants", {}, {}, {}}};
    divide_functions(m);
    for (const HostFunction& g : m.functions)
      for (Name used : free_names(m, g.body)) EXPECT(std::ranges::count(g.params, used) == 1);
    EXPECT(m.functions.back().name == "constants");
    return {m.functions.begin() + 1, m.functions.end() - 1};
  }
  const Block& body() const { return m.functions[0].body; }
  template <class S> size_t count() const {
    return size_t(std::count_if(body().begin(), body().end(), [](const Stm& s) { return std::holds_alternative<S>(s.node); }));
  }
};

}  // namespace

TEST_CASE("small functions are not divided") {
  Large a;
  a.f.body.push_back(a.loop());
  EXPECT(a.divided().empty());
}
TEST_CASE("a part gives back what it changes") {
  Large a;
  a.fill();
  auto parts = a.divided();
  EXPECT(parts.size() > 2);
  EXPECT(a.count<For>() == 0);
  EXPECT(a.count<Call>() == parts.size());
  EXPECT(a.count<Assign>() == parts.size() - 1);           // the first part declares it
  for (const HostFunction& part : parts) {
    EXPECT(part.lone);
    EXPECT(part.results.size() == 1);
  }
  EXPECT(std::ranges::count(parts[0].params, a.sum) == 0);
  EXPECT(std::ranges::count(parts[1].params, a.sum) == 1);
}
TEST_CASE("parts that are equal but for names are one") {
  Large a;
  a.fill();
  a.f.body.push_back(a.loop());
  auto parts = a.divided();                                // the first declares the sum
  const size_t calls = a.count<Call>();
  merge_parts(a.m, 1);
  EXPECT(a.m.functions.size() == 5);                       // the function, the first part, one for those in the middle, the last, the constants
  EXPECT(a.count<Call>() == calls);
  for (const Stm& s : a.body()) if (auto x = std::get_if<Call>(&s.node)) EXPECT(x->function <= 3);
  EXPECT(a.m.functions.back().name == "constants");
}
TEST_CASE("parts with other numbers or other types stay two") {
  auto count = [](Scalar type, double value) {
    Large a;
    Name ys = a.m.memory("ys", Scalar::F64, ir::Space::Host), zs = a.m.memory("zs", type, ir::Space::Host);
    a.f.params.insert(a.f.params.end(), {ys, zs});
    for (size_t k = 0; k * costs::least_part < costs::function_statements; k++) {
      Store store{ys, a.m.var(a.n), a.m.constant(constant(Scalar::F64, 2))};
      if (k % 2 == 1) store = {zs, a.m.var(a.n), a.m.constant(constant(type, value))};
      a.f.body.push_back(a.loop(of(store)));
      a.f.body.push_back({Alloc{a.m.memory("block", Scalar::F64, ir::Space::Host), {a.m.number(8)}, false}});
    }
    a.divided();
    merge_parts(a.m, 1);
    return a.m.functions.size();
  };
  const size_t least = count(Scalar::F64, 2);
  EXPECT(count(Scalar::F64, 3) > least);
  EXPECT(count(Scalar::F32, 2) > least);
}
TEST_CASE("the sums of tiles are one function, in small functions too") {
  Large a;
  for (int k = 0; k < 2; k++) {
    Name tile = a.m.memory("tile", Scalar::F64, ir::Space::Private), sums = a.m.memory("sums", Scalar::F64, ir::Space::Private);
    const ExprId zero = a.m.number(0);
    auto move = [&](bool back) { return Stm{MoveVector{sums, zero, zero, tile, zero, back}}; };
    Block body;
    body.push_back({DeclareArray{tile, {a.m.number(8)}}});
    body.push_back({DeclareVectors{sums, a.m.number(8), a.m.number(1), a.m.number(1)}});
    body.push_back(move(false));
    body.push_back({For{a.m.name("k", Scalar::I64), zero, a.m.var(a.n), of(MoveVector{sums, zero, zero, tile, zero, false})}});
    body.push_back(move(true));
    body.push_back({Store{a.xs, zero, a.m.expr({Load{tile, zero}, Scalar::F64})}});
    a.f.body.push_back({For{a.m.name("p", Scalar::I64), zero, a.m.var(a.n), std::move(body)}});
  }
  EXPECT(a.divided().size() == 2);
  merge_parts(a.m, 1);
  EXPECT(a.m.functions.size() == 3);
  const HostFunction& sums = a.m.functions[1];
  EXPECT(sums.params.size() == 2);                         // the tile, and how many points there are
  EXPECT(sums.body.size() == 5);                           // the vectors, three statements with them, the end
}
TEST_CASE("a number that a part declares for later is a result; one without a value is no parameter") {
  Large a;
  Name later = a.m.name("later", Scalar::F64), open = a.m.name("open", Scalar::F64);
  a.f.body.push_back({Declare{open, {}}});
  a.fill();
  a.f.body.push_back({Alloc{a.m.memory("block", Scalar::F64, ir::Space::Host), {a.m.number(8)}, false}});      // ends the run before it
  a.f.body.push_back(a.loop());
  a.f.body.push_back({Declare{later, a.m.var(a.sum)}});
  a.f.body.push_back({If{a.m.prim(ScalarOp::lt, {a.m.var(a.n), a.m.number(7)}), of(Assign{open, a.m.var(later)}), of(Assign{open, a.m.var(a.sum)})}});
  a.f.body.push_back({Alloc{a.m.memory("block", Scalar::F64, ir::Space::Host), {a.m.number(8)}, false}});
  a.f.body.push_back({Assign{a.sum, a.m.prim(ScalarOp::add, {a.m.var(open), a.m.var(later)})}});
  auto parts = a.divided();
  const HostFunction& last = parts.back();
  EXPECT(last.results.size() == 3);
  EXPECT(std::ranges::count(last.params, open) == 0);
}
TEST_CASE("a number that only what follows sets is declared outside") {
  Large a;
  a.fill();
  Name open = a.m.name("open", Scalar::F64);
  a.f.body.push_back({Alloc{a.m.memory("block", Scalar::F64, ir::Space::Host), {a.m.number(8)}, false}});
  a.f.body.push_back(a.loop());
  a.f.body.push_back({Declare{open, {}}});
  a.f.body.push_back({Alloc{a.m.memory("block", Scalar::F64, ir::Space::Host), {a.m.number(8)}, false}});
  a.f.body.push_back({Assign{open, a.m.var(a.sum)}});
  auto parts = a.divided();
  EXPECT(parts.back().results.size() == 1);
  EXPECT(std::any_of(a.body().begin(), a.body().end(), [&](const Stm& s) {
    auto x = std::get_if<Declare>(&s.node);
    return x && x->var == open;
  }));
}
TEST_CASE("a part has no arrays, memory or half known numbers of the function around it") {
  auto stays = [](auto with) {
    Large a;
    Block more;
    with(a, more);
    size_t before = 0;
    Large b;                                               // the same without what has to stay
    b.fill();
    before = b.divided().size();
    a.f.body.push_back({Alloc{a.m.memory("block", Scalar::F64, ir::Space::Host), {a.m.number(8)}, false}});
    a.f.body.push_back(a.loop(std::move(more)));
    a.f.body.push_back({Alloc{a.m.memory("block", Scalar::F64, ir::Space::Host), {a.m.number(8)}, false}});
    a.fill();
    EXPECT(a.divided().size() == before);
    EXPECT(a.count<For>() == 1);
  };
  stays([](Large& a, Block& more) {
    Name array = a.m.memory("terms", Scalar::F64, ir::Space::Private);
    a.f.body.push_back({DeclareArray{array, {a.m.number(8)}}});
    more.push_back({Store{array, a.m.number(0), a.m.var(a.sum)}});
  });
  stays([](Large& a, Block& more) {
    Name block = a.m.memory("mine", Scalar::F64, ir::Space::Host);
    a.f.body.push_back({Alloc{block, {a.m.number(8)}, false}});
    more.push_back({Release{block}});
  });
  stays([](Large& a, Block& more) {
    Name open = a.m.name("open", Scalar::F64);
    a.f.body.push_back({Declare{open, {}}});
    more.push_back({Assign{open, a.m.var(a.sum)}});
  });
  stays([](Large& a, Block& more) {                        // a block that the loop chooses
    Name one = a.m.memory("one", Scalar::F64, ir::Space::Host);
    a.f.body.push_back({Declare{one, {}}});
    more.push_back({SetBlock{one, a.xs}});
  });
}

// ---- checks.h ----

namespace {

struct Checked {
  Module m;
  Name n = m.name("n", Scalar::I64), k = m.name("k", Scalar::I64), i = m.name("i", Scalar::I64);
  Name xs = m.memory("xs", Scalar::F64, ir::Space::Host);
  Block out;

  Stm check(ExprId holds, ExprId arg) { return {If{holds, {}, of(Fail{0, {arg}})}}; }
  Stm same() { return check(m.prim(ScalarOp::lt, {m.var(k), m.var(n)}), m.add(m.var(i), m.var(k))); }     // it says where
  Stm other() { return check(m.prim(ScalarOp::lt, {m.var(k), m.var(i)}), m.var(k)); }
  Stm store() { return {Store{xs, m.var(i), m.constant(constant(Scalar::F64, 1))}}; }
  // How many checks stand in the loop after those that may be moved were. The loop is the last statement of `out`.
  size_t in_loop(Block body) {
    out = {};
    out.push_back({For{i, m.number(7), m.var(n), std::move(body)}});
    check_before_loops(m, out);
    const Block& left = std::get<For>(out.back().node).body;
    return size_t(std::count_if(left.begin(), left.end(), [](const Stm& s) { return std::holds_alternative<If>(s.node); }));
  }
  Block body(std::vector<Stm> stms) {
    Block b;
    for (Stm& s : stms) b.push_back(std::move(s));
    return b;
  }
};

}  // namespace

TEST_CASE("a check that is the same in all iterations stands before the loop, with the numbers of the first") {
  Checked c;
  EXPECT(c.in_loop(c.body({c.store(), c.same(), c.store()})) == 0);
  auto& runs = std::get<If>(c.out.begin()->node);
  EXPECT(runs.cond == c.m.prim(ScalarOp::lt, {c.m.number(7), c.m.var(c.n)}));
  auto& fail = std::get<Fail>(std::get<If>(runs.then_.begin()->node).else_.begin()->node);
  EXPECT(fail.args[0] == c.m.add(c.m.number(7), c.m.var(c.k)));
}
TEST_CASE("it stands before the loop around as well") {
  Checked c;
  Name j = c.m.name("j", Scalar::I64);
  EXPECT(c.in_loop(c.body({{For{j, c.m.number(0), c.m.var(c.k), c.body({c.same(), c.store()})}}})) == 0);
  EXPECT(c.out.size() == 2);
}
TEST_CASE("the first failure stays the first") {
  Checked c;
  EXPECT(c.in_loop(c.body({c.other(), c.same()})) == 2);
  EXPECT(c.in_loop(c.body({c.same(), c.other()})) == 1);
  EXPECT(c.in_loop(c.body({{Trace{"seen", {}}}, c.same()})) == 1);
  EXPECT(c.in_loop(c.body({{Assign{c.k, c.m.var(c.n)}}, c.same()})) == 1);
  Name loaded = c.m.name("loaded", Scalar::I64);               // a message that no other place knows
  EXPECT(c.in_loop(c.body({{Declare{loaded, c.m.expr({Load{c.xs, c.m.var(c.i)}, Scalar::I64})}},
                           c.check(c.m.prim(ScalarOp::lt, {c.m.var(c.k), c.m.var(c.n)}), c.m.var(loaded))})) == 1);
}

TEST_CASE("parts that are one name all places of an allocation") {
  Module m;
  auto part = [&](const std::string& name, int64_t bytes, const std::string& place) {
    m.texts.push_back("\n\nBacktrace:\n-> #0  " + place);
    Name block = m.memory("a", Scalar::I8, ir::Space::Host);
    HostFunction f{name, {}, {}, {}};
    f.body.push_back({Alloc{block, {m.number(bytes)}, false, int(m.texts.size()) - 1}});
    f.body.push_back({Return{}});
    m.functions.push_back(std::move(f));
  };
  HostFunction whole{"whole", {}, {}, {}};
  for (int k = 1; k <= 4; k++) whole.body.push_back({Call{k, {}, {}}});
  m.functions.push_back(std::move(whole));
  part("one", 8, "a.fut:1:1-9");
  part("two", 8, "a.fut:2:1-9");
  part("same", 8, "a.fut:1:1-9");
  part("other", 16, "a.fut:3:1-9");
  m.functions.push_back({"constants", {}, {}, {}});
  merge_parts(m, 1);

  std::vector<std::string> names;
  for (const HostFunction& f : m.functions) names.push_back(f.name);
  EXPECT((names == std::vector<std::string>{"whole", "one", "other", "constants"}));
  std::vector<int> called;
  for (const Stm& s : m.functions[0].body) called.push_back(std::get<Call>(s.node).function);
  EXPECT((called == std::vector<int>{1, 1, 1, 2}));
  auto text = [&](size_t f) { return m.texts[size_t(std::get<Alloc>(m.functions[f].body[0].node).places)]; };
  EXPECT(text(1) == "\n\nBacktrace:\n-> #0  a.fut:1:1-9\nor\n-> #0  a.fut:2:1-9");
  EXPECT(text(2) == "\n\nBacktrace:\n-> #0  a.fut:3:1-9");
}
