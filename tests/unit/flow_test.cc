// Who flows to whom, against the interpreter: where another argument changes a result, the argument reaches it. What is reached and
// never changes is counted. And what defs.h, invariants.h and zeros.h say of a program.
#include "compiler/ir/analysis/flow.h"

#include <random>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/invariants.h"
#include "compiler/ir/analysis/zeros.h"
#include "compiler/ir/interpret.h"
#include "compiler/ir/text.h"
#include "tests/unit/test.h"

using namespace raido;
using namespace raido::ir;

namespace {

// Every function takes the same arguments; none of its results depends on all of them.
constexpr const char* params = R"(fun f \(n: i64, k: i64, c: bool, x: f64, y: f64, z: f64, xs: [n]f64, ys: [n]f64, is: [n]i64))";
constexpr const char* bodies[] = {
    // states that move on
    R"(let a: f64, b: f64, d: f64 = for i < k (s: f64 = x, t: f64 = y, u: f64 = z) { in t, u, u }
       in a, b, d)",
    // a branch, a choice, arithmetic
    R"(let a: f64, b: f64 = if c { let p: f64 = mul [x, y] in p, z } else { in y, z }
       let d: f64 = select [c, x, z]
       in a, b, d)",
    // a condition that takes other states
    R"(let a: f64, b: f64, i: i64 = while (s: f64 = x, t: f64 = y, j: i64 = 0i64) \(q: f64, r: f64, j2: i64) { let g: bool = lt [j2, k] in g } {
         let s2: f64 = add [s, 1f64]
         let j3: i64 = add [j, 1i64]
         in s2, t, j3
       }
       in a, b, i)",
    // maps and sums
    R"(let s: f64, zs: [n]f64 = screma n \(p: f64, q: f64) { let r: f64 = mul [p, x] in p, r } [xs, ys] reduces (add [0f64])
       in s, zs)",
    // an operator of two components, one of which reads the other, and what comes after a scan
    R"(let ps: [n]f64, qs: [n]f64, ts: [n]f64 = screma n \(p: f64, q: f64) { in p, q, p } [xs, ys]
         scans (\(a: f64, b: f64, d: f64, e: f64) { let ad: f64 = add [a, d] let be: f64 = add [b, e] in ad, be } [0f64, 0f64])
         post \(a: f64, b: f64, d: f64) { let e: f64 = add [b, y] in a, e, d }
       in ps, qs, ts)",
    // what comes after a scan is reduced; a histogram of pairs
    R"(let ps: [n]f64, m: f64 = screma n \(p: f64) { in p } [xs] scans (add [0f64]) post \(a: f64) { let b: f64 = add [a, z] in a, b } post_reduces (max [-inff64])
       let h0: [8]f64 = replicate [8i64] x
       let h1: [8]f64 = replicate [8i64] y
       let ha: [8]f64, hb: [8]f64 = hist n \(i: i64, v: f64, w: f64) { in i, v, w } [is, xs, ys]
         into [h0, h1] (\(a: f64, b: f64, d: f64, e: f64) { let ad: f64 = add [a, d] let be: f64 = add [b, e] in ad, be } [0f64, 0f64])
       in ps, m, ha, hb)",
    // places
    R"(let i: i64 = mod [k, 3i64]
       let m: i64 = max [n, 3i64]
       let as: [m]f64 = replicate [m] x
       let bs: [m]f64 = update as [i] y
       let e: f64 = index bs [0i64]
       let w: [m]f64 = copy as
       let v: [2]f64 = array [z, x]
       in e, bs, v)",
    // a histogram, and a scatter
    R"(let h0: [8]f64 = replicate [8i64] x
       let h: [8]f64 = hist n \(i: i64, v: f64) { in i, v } [is, ys] into [h0] (add [0f64])
       in h)",
    // an accumulator in a loop, and a further result of the scope
    R"(let h0: [8]f64 = replicate [8i64] 0f64
       let h: [8]f64, r: f64 = with_acc [h0] (add [0f64]) \(t: check, a: acc t [8i64] f64) {
         let b: acc t [8i64] f64 = for i < n (d: acc t [8i64] f64 = a) {
           let j: i64 = index is [i]
           let v: f64 = index xs [i]
           let e: acc t [8i64] f64 = upd d [j] [v]
           in e
         }
         in b, z
       }
       in h, r)",
    // derivatives
    R"(let r: f64, d: f64 = vjp \(p: f64) { let q: f64 = mul [p, y] in q } [x] [z] []
       in r, d)",
};

Value number(double v) { Value out{Scalar::F64, {}, {}}; out.push(v); return out; }
Value integer(i64 v) { Value out{Scalar::I64, {}, {}}; out.push(v); return out; }
Value flag(bool v) { Value out{Scalar::Bool, {}, {}}; out.push(v); return out; }

}  // namespace

TEST_CASE("what changes a result reaches it") {
  std::mt19937 engine(7);
  auto below = [&](i64 n) { return i64(engine() % uint64_t(n)); };
  int reaching = 0, changing = 0, reaching_whole = 0;
  for (const char* text : bodies) {
    auto parsed = parse(std::string(params) + " {\n" + text + "\n}\n");
    DOCTEST_INFO(std::string(text));
    REQUIRE(parsed.error == "");
    const Program& p = parsed.program;
    const Lambda& f = p.functions[0].lambda;
    constexpr i64 n = 4;
    auto arg = [&](size_t k) {
      if (k == 0) return integer(n);
      if (k == 1) return integer(below(4));
      if (k == 2) return flag(below(2) == 1);
      if (k < 6) return number(double(below(100)));
      Value array{k == 8 ? Scalar::I64 : Scalar::F64, {n}, {}};
      for (i64 i = 0; i < n; i++) {
        if (k == 8) array.push(below(8));
        else array.push(double(below(100)));
      }
      return array;
    };
    for (size_t k = 1; k < f.params.size(); k++) {
      VarSet all = reached(p, f.body, {f.params[k].var}, [](Flow) { return true; });
      VarSet whole = reached<Operators::Whole>(p, f.body, {f.params[k].var}, [](Flow) { return true; });
      std::vector<bool> changes(f.body.result.size());
      for (int round = 0; round < 40; round++) {
        std::vector<Value> args;
        for (size_t a = 0; a < f.params.size(); a++) args.push_back(arg(a));
        Outcome before = interpret(p, "f", args);
        args[k] = arg(k);
        Outcome after = interpret(p, "f", args);
        REQUIRE(!before.failure);
        REQUIRE(!after.failure);
        for (size_t r = 0; r < changes.size(); r++) changes[r] = changes[r] || !(before.results[r] == after.results[r]);
      }
      for (size_t r = 0; r < changes.size(); r++) {
        auto v = var_of(f.body.result[r]);
        bool is_reached = v && all.contains(*v);
        std::string pair = p.hint(f.params[k].var) + " -> " + p.hint(*v);
        DOCTEST_INFO(pair);
        EXPECT((is_reached || !changes[r]));
        EXPECT((whole.contains(*v) || !is_reached));
        reaching += is_reached;
        reaching_whole += whole.contains(*v);
        changing += changes[r];
      }
    }
  }
  DOCTEST_MESSAGE("pairs of an argument and a result that it reaches: ", reaching, ", of which change: ", changing);
  EXPECT(changing * 5 >= reaching * 4);
  EXPECT(reaching_whole > reaching);             // the component that does not read the other one
}

TEST_CASE("definitions, depths, uses") {
  auto parsed = parse(R"(fun f \(n: i64, x: f64, c: bool) {
    let dead: f64 = mul [x, x]
    let a: f64 = add [x, 1f64]
    let r: f64 = for i < n (s: f64 = a) {
      let t: f64 = if c { let u: f64 = add [s, a] in u } else { let unused: f64 = neg [s] in s }
      in t
    }
    let b: f64 = add [r, a]
    in b
  })");
  REQUIRE(parsed.error == "");
  Program& p = parsed.program;
  Body& body = p.functions[0].lambda.body;
  auto named = [&](const char* name) {
    for (uint32_t v = 0; v < p.vars.size(); v++) if (p.vars[v].hint == name) return Var{v};
    REQUIRE(false);
    return Var{};
  };
  Definitions all(p), here(body);
  EXPECT(all.of(named("a")) == &body.stms[1]);
  EXPECT(all.get<Apply>(named("a"))->op == ScalarOp::add);
  EXPECT(all.get<For>(named("a")) == nullptr);
  EXPECT(all.of(named("x")) == nullptr);
  EXPECT(all.of(Atom(i64_const(1))) == nullptr);
  EXPECT(all.of(named("u")) != nullptr);
  EXPECT(here.of(named("u")) == nullptr);
  REQUIRE(all.state(named("s")) != nullptr);
  EXPECT(all.state(named("s"))->loop == &body.stms[2]);
  EXPECT(all.state(named("s"))->number == 0);
  EXPECT(all.state(named("r")) == nullptr);
  EXPECT(number_of(body.stms[2], named("r")) == 0);
  Depths depths(p);
  EXPECT(depths.of(named("x")) == 1);
  EXPECT(depths.of(named("a")) == 1);
  EXPECT(depths.of(named("i")) == 2);
  EXPECT(depths.of(named("t")) == 2);
  EXPECT(depths.of(named("u")) == 3);
  Uses uses(p, body);
  EXPECT(uses.of(named("a")) == 3);
  EXPECT(uses.of(named("dead")) == 0);
  EXPECT(uses.of(named("b")) == 1);
  LastUses last(p, body.stms, body.result);
  EXPECT(last.of(named("dead")) == 0);
  EXPECT(last.of(named("a")) == 4);
  EXPECT(last.of(named("x")) == 2);
  EXPECT(last.of(named("b")) == 5);
  EXPECT(bound_in(body).contains(named("u")));
  EXPECT(!bound_in(body).contains(named("x")));
  EXPECT(mentions(p, body.stms[2], named("c")));
  EXPECT(!mentions(p, body.stms[1], named("c")));
  EXPECT(count_uses(p, body, named("x")) == 3);
  keep_needed(p, body);
  EXPECT(body.stms.size() == 3);
}

// What is zero is named so.
TEST_CASE("zero is what only zeros flow into") {
  auto parsed = parse(R"(fun f \(n: i64, x: f64, inf: f64, c: bool, xs: [n]f64) {
    let zero_row: [n]f64 = replicate [n] 0f64
    let zero_same: [n]f64 = copy zero_row
    let zero_element: f64 = index zero_row [0i64]
    let zero_twice: f64 = mul [2f64, zero_element]
    let zero_half: f64 = div [zero_twice, 2f64]
    let perhaps: f64 = mul [zero_element, inf]
    let none: f64 = div [zero_half, zero_element]
    let one: f64 = cos [zero_element]
    let zero_choice: f64 = select [c, zero_half, zero_twice]
    let choice: f64 = select [c, zero_half, x]
    let zero_branch: f64, branch: f64 = if c { in zero_half, 0f64 } else { in 0f64, x }
    let zero_loop: f64, zero_other: f64, loop: f64 = for i < n (zero_p: f64 = 0f64, zero_q: f64 = zero_half, r: f64 = 0f64) {
      let zero_sum: f64 = add [zero_p, zero_q]
      let s: f64 = add [r, x]
      in zero_q, zero_sum, s
    }
    let late: f64, later: f64 = for i < n (p: f64 = 0f64, q: f64 = 0f64) { let o: f64 = add [p, 1f64] in q, o }
    let zero_max: f64, most: f64, zero_map: [n]f64, mapped: [n]f64 = screma n \(zero_e: f64, e: f64) {
      let zero_d: f64 = neg [zero_e]
      in zero_e, zero_e, zero_d, e
    } [zero_row, xs] reduces (\(zero_a: f64, zero_b: f64) { let zero_ab: f64 = max [zero_a, zero_b] in zero_ab } [0f64]) (max [1f64])
    let blank: [n]f64 = scratch f64 [n]
    let zero_written: [n]f64 = update zero_same [0i64] zero_half
    let written: [n]f64 = update zero_row [0i64] x
    in x
  })");
  REQUIRE(parsed.error == "");
  const Program& p = parsed.program;
  Zeros zeros(p);
  each_bind(p.functions[0].lambda, [&](Var v) {
    DOCTEST_INFO(p.hint(v));
    EXPECT(zeros.contains(v) == p.hint(v).starts_with("zero_"));
  });
}

// States that are named `same` have their initial value in every iteration.
TEST_CASE("invariant states are those that nothing else flows into") {
  auto parsed = parse(R"(fun f \(n: i64, x: f64, y: f64, c: bool, xs: [n]f64) {
    let a: f64, b: f64, d: f64, e: f64 = for i < n (same_p: f64 = x, same_q: f64 = x, r: f64 = x, s: f64 = 1f64) {
      let t: f64 = select [c, same_p, x]
      let r2: f64 = mul [r, 1f64]
      let s2: f64 = select [c, s, 2f64]
      in same_q, t, r2, s2
    }
    let g: f64, h: f64 = for i < n (same_u: f64 = y, moved: f64 = x) {
      let v: f64, w: f64 = for j < n (same_k: f64 = same_u, l: f64 = moved) {
        let o: f64 = if c { in same_k } else { in same_u }
        let m: f64 = mul [l, 2f64]
        in o, m
      }
      in v, w
    }
    let k: f64, l: f64, m: f64 = while (same_z: f64 = x, swapped: f64 = x, other: f64 = y) \(z2: f64, sw2: f64, o2: f64) {
      let go: bool = lt [sw2, z2]
      in go
    } { in same_z, other, swapped }
    let q: f64, o: f64 = for i < n (checked: f64 = x, element: f64 = x) {
      let fine: check = assert c "no" []
      let v: f64 = id x checks [fine]
      let w: f64 = index xs [i]
      in v, w
    }
    in a, b, d, e, g, h, k, l, m, q, o
  })");
  DOCTEST_INFO(parsed.error);
  REQUIRE(parsed.error == "");
  const Program& p = parsed.program;
  size_t loops = 0;
  auto look = [&](const Stm& s, const std::vector<Bind>& state) {
    std::vector<bool> invariant = invariant_states(p, s);
    loops++;
    for (size_t k = 0; k < state.size(); k++) {
      DOCTEST_INFO(p.hint(state[k].var));
      EXPECT(invariant[k] == p.hint(state[k].var).starts_with("same_"));
    }
  };
  p.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) {
      if (auto x = std::get_if<For>(&s.exp)) look(s, x->state);
      if (auto x = std::get_if<While>(&s.exp)) look(s, x->state);
    });
  });
  EXPECT(loops == 5);
}
