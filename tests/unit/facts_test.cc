// Compares what facts.h and aliases.h say of random programs with running them. Every claim about integers must hold at every
// point. Arrays that share memory at any moment must be known to.
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/facts.h"
#include "compiler/ir/term.h"
#include "tests/unit/test.h"

using namespace raido;
using namespace raido::ir;

namespace {

struct Dice {
  std::mt19937 engine{99};
  i64 below(i64 n) { return i64(engine() % uint64_t(n)); }
  template <class T> const T& one_of(const std::vector<T>& xs) { return xs[size_t(below(isize(xs)))]; }
};

// Loops and branches around arithmetic on sizes, counters and numbers of any value.
class Arithmetic {
 public:
  Arithmetic(Dice& dice) : dice_(dice), b_(p_, whole_.stms), facts_(p_) {
    n_ = p_.fresh("n", scalar_type(Scalar::I64)), m_ = p_.fresh("m", scalar_type(Scalar::I64)), any_ = p_.fresh("any", scalar_type(Scalar::I64));
    whole_ = code({n_, m_, any_, i64_const(0), i64_const(1), i64_const(-2)}, {}, 0);
    facts_.bound(p_.fresh("xs", array_type(Scalar::F64, {n_, m_})));
    ask(whole_);
  }
  int claims = 0, wrong = 0;

  void run(i64 n, i64 m, i64 any) {
    values_ = {{n_, n}, {m_, m}, {any_, any}};
    run(whole_);
  }

 private:
  struct Claim { Atom x, y; ScalarOp op; bool says; };
  const std::vector<Scalar> narrow_types = {Scalar::I8, Scalar::I16, Scalar::I32, Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64};
  Dice& dice_;
  Program p_;
  Body whole_;
  Builder b_;
  Facts facts_;
  Var n_, m_, any_;
  std::map<const Body*, std::vector<Claim>> claims_;
  std::map<Var, i64> values_;
  std::vector<Var> scope_;                               // integers that are bound around

  // `states`: those of the loop that the code is the body of. Its results are what they are next, often remainders.
  Body code(std::vector<Atom> known, std::vector<Atom> conditions, int depth, const std::vector<Bind>& states = {}) {
    return b_.body([&] {
      for (int step = 0; step < 6; step++) {
        auto value = [&] { return dice_.one_of(known); };
        constexpr ScalarOp ops[] = {ScalarOp::add, ScalarOp::sub, ScalarOp::mul, ScalarOp::min, ScalarOp::max, ScalarOp::mod,
                                    ScalarOp::div, ScalarOp::quot, ScalarOp::rem, ScalarOp::and_, ScalarOp::shr};
        constexpr ScalarOp tests[] = {ScalarOp::lt, ScalarOp::le, ScalarOp::eq};
        constexpr ScalarOp both[] = {ScalarOp::and_, ScalarOp::or_};
        switch (dice_.below(8)) {
          case 0: conditions.push_back(b_.bind1("t", Apply{tests[dice_.below(3)], {value(), value()}})); break;
          case 1:
            if (conditions.empty()) break;
            if (dice_.below(2)) known.push_back(b_.bind1("v", Apply{ScalarOp::select, {dice_.one_of(conditions), value(), value()}}));
            else conditions.push_back(b_.bind1("t", Apply{both[dice_.below(2)], {dice_.one_of(conditions), dice_.one_of(conditions)}}));
            break;
          case 2: known.push_back(through_narrow(value(), value(), conditions)); break;
          case 3: {                                      // what is an index often
            ScalarOp op = dice_.one_of(std::vector{ScalarOp::div, ScalarOp::quot, ScalarOp::mod, ScalarOp::rem, ScalarOp::and_, ScalarOp::shr});
            known.push_back(b_.bind1("v", Apply{op, {value(), i64_const(1 + dice_.below(3))}}));
            break;
          }
          case 4: {                                      // a guard: 0 <= x < n, or its opposite
            Atom x = value(), n = dice_.below(2) ? Atom(dice_.below(2) ? n_ : m_) : value();
            bool inside = dice_.below(2);
            Atom low = inside ? b_.bind1("t", Apply{ScalarOp::le, {i64_const(dice_.below(2)), x}}) : b_.bind1("t", Apply{ScalarOp::lt, {x, i64_const(0)}});
            Atom high = inside ? b_.bind1("t", Apply{ScalarOp::lt, {x, n}}) : b_.bind1("t", Apply{ScalarOp::le, {n, x}});
            conditions.push_back(b_.bind1("t", Apply{both[!inside], {low, high}}));
            break;
          }
          default: known.push_back(b_.bind1("v", Apply{ops[dice_.below(11)], {value(), value()}}));
        }
      }
      if (depth < 3 && dice_.below(3) > 0) {
        For loop;
        loop.i = {p_.fresh("i", scalar_type(Scalar::I64))};
        loop.n = dice_.below(3) ? Atom(dice_.below(2) ? n_ : m_) : dice_.one_of(known);
        std::vector<Atom> inside = known;
        for (int twice = 0; twice < 3; twice++) inside.push_back(loop.i.var);
        std::vector<Bind> pattern;
        for (int states = int(dice_.below(3)); states > 0; states--) {
          Scalar type = dice_.below(2) ? Scalar::I64 : dice_.one_of(narrow_types);
          loop.init.push_back(dice_.below(2) ? Atom(integer_constant(type, dice_.below(4) - 1)) : of_type(type, dice_.one_of(known)));
          loop.state.push_back({p_.fresh("s", scalar_type(type))});
          pattern.push_back({p_.fresh("r", scalar_type(type))});
          inside.push_back(type == Scalar::I64 ? Atom(loop.state.back().var) : Atom(loop.i.var));
        }
        loop.body = code(inside, conditions, depth + 1, loop.state);
        b_.emit(Stm{pattern, std::move(loop), {}, {}, {}});
        for (Bind r : pattern) if (elem_of(p_.type(r.var)) == Scalar::I64) known.push_back(r.var);
      } else if (depth < 3 && !conditions.empty()) {
        If choice{dice_.one_of(conditions), {}, {}};
        choice.then_ = code(known, conditions, depth + 1);
        choice.else_ = code(known, conditions, depth + 1);
        b_.emit(Stm{{}, std::move(choice), {}, {}, {}});
      }
      std::vector<Atom> next;
      for (Bind s : states) {
        Scalar type = elem_of(p_.type(s.var));
        Atom other = of_type(type, dice_.one_of(known)), sum = b_.bind1("s", Apply{dice_.below(2) ? ScalarOp::add : ScalarOp::sub, {s.var, other}});
        constexpr ScalarOp remainders[] = {ScalarOp::mod, ScalarOp::rem, ScalarOp::and_};
        ScalarOp op = remainders[dice_.below(3)];
        next.push_back(dice_.below(5) == 0 ? sum : Atom(b_.bind1("s", Apply{op, {dice_.below(2) ? sum : other, integer_constant(type, 1 + dice_.below(4))}})));
      }
      return next;
    });
  }
  Atom of_type(Scalar type, const Atom& x) { return type == Scalar::I64 ? x : Atom(b_.bind1("a", Convert{type, x})); }
  // Arithmetic at another type, where it may wrap around.
  Atom through_narrow(const Atom& x, const Atom& y, std::vector<Atom>& conditions) {
    Scalar type = dice_.one_of(narrow_types);
    Atom a = b_.bind1("a", Convert{type, x}), b = dice_.below(2) ? Atom(b_.bind1("b", Convert{type, y})) : Atom(integer_constant(type, dice_.below(9)));
    constexpr ScalarOp ops[] = {ScalarOp::add, ScalarOp::sub, ScalarOp::mul, ScalarOp::mod, ScalarOp::rem, ScalarOp::and_};
    if (dice_.below(2)) a = b_.bind1("a", Apply{ops[dice_.below(6)], {a, b}});
    if (dice_.below(3) == 0) a = b_.bind1("a", Convert{dice_.one_of(narrow_types), a});
    else if (dice_.below(2)) conditions.push_back(b_.bind1("t", Apply{ScalarOp::lt, {a, b}}));
    return b_.bind1("v", Convert{Scalar::I64, a});
  }
  void ask(Body& body) {
    std::vector<Atom> here{n_, m_, i64_const(0)};
    here.insert(here.end(), scope_.begin(), scope_.end());
    size_t around = scope_.size();
    for (Stm& s : body.stms) {
      if (auto loop = std::get_if<For>(&s.exp)) {
        scope_.push_back(loop->i.var);
        for (Bind x : loop->state) scope_.push_back(x.var);
      }
      facts_.in_bodies(s, [&](Body& inner) { ask(inner); });
      facts_.bind(s);
      for (Bind x : s.pattern) {
        if (is_integer(elem_of(p_.type(x.var)))) {
          here.push_back(x.var);
          scope_.push_back(x.var);
        }
      }
    }
    for (const Atom& x : here)
      for (const Atom& y : here) {
        auto note = [&](ScalarOp op, std::optional<bool> says) { if (says) claims_[&body].push_back({x, y, op, *says}); };
        note(ScalarOp::lt, facts_.less(x, y));
        note(ScalarOp::le, facts_.less_equal(x, y));
        note(ScalarOp::eq, facts_.equal(x, y));
      }
    scope_.resize(around);
  }

  i64 value(const Atom& a) const { auto c = const_of(a); return c ? (c->type == Scalar::Bool ? i64(c->bits) : c->as_i64()) : values_.at(*var_of(a)); }
  __int128 exact(const Atom& a) const { return elem_of(p_, a) == Scalar::U64 ? __int128(uint64_t(value(a))) : __int128(value(a)); }
  Const number(const Atom& a) const { return elem_of(p_, a) == Scalar::Bool ? bool_const(value(a) != 0) : integer_constant(elem_of(p_, a), value(a)); }
  // False: it stopped at a division by 0.
  bool run(const Body& body) {
    for (const Stm& s : body.stms) {
      if (auto loop = std::get_if<For>(&s.exp)) {
        std::vector<i64> state;
        for (const Atom& a : loop->init) state.push_back(value(a));
        for (i64 i = 0, n = std::min<i64>(value(loop->n), 6); i < n; i++) {
          values_[loop->i.var] = i;
          for (size_t k = 0; k < state.size(); k++) values_[loop->state[k].var] = state[k];
          if (!run(loop->body)) return false;
          for (size_t k = 0; k < state.size(); k++) state[k] = value(loop->body.result[k]);
        }
        for (size_t k = 0; k < state.size(); k++) values_[s.pattern[k].var] = state[k];
      } else if (auto choice = std::get_if<If>(&s.exp)) {
        if (!run(value(choice->cond) ? choice->then_ : choice->else_)) return false;
      } else if (auto to = std::get_if<Convert>(&s.exp)) {
        values_[s.pattern[0].var] = convert(to->to, number(to->value)).as_i64();
      } else {
        const Apply& x = std::get<Apply>(s.exp);
        std::vector<Const> args;
        for (const Atom& a : x.args) args.push_back(number(a));
        bool divides = x.op == ScalarOp::mod || x.op == ScalarOp::rem || x.op == ScalarOp::div || x.op == ScalarOp::quot;
        if (divides && args[1].as_i64() == 0) return false;
        Const made = fold(x.op, working_type(x.op, args[0].type, args.back().type), args);
        values_[s.pattern[0].var] = made.type == Scalar::Bool ? i64(made.bits) : made.as_i64();
      }
    }
    for (const Claim& c : claims_[&body]) {
      auto known = [&](const Atom& a) { auto v = var_of(a); return !v || values_.contains(*v); };
      if (!known(c.x) || !known(c.y)) continue;
      __int128 x = exact(c.x), y = exact(c.y);
      bool is = c.op == ScalarOp::lt ? x < y : c.op == ScalarOp::le ? x <= y : x == y;
      claims++;
      wrong += is != c.says;
    }
    return true;
  }
};

}  // namespace

TEST_CASE("what is known of sizes and indices holds") {
  Dice dice;
  int claims = 0;
  for (int round = 0; round < 600; round++) {
    Arithmetic code(dice);
    for (i64 n = 0; n < 4; n++) for (i64 m = 0; m < 4; m++) for (i64 any : {i64{0}, i64{3}, i64{200}, (i64{1} << 31) + 2, INT64_MAX, INT64_MIN}) code.run(n, m, any);
    claims += code.claims;
    EXPECT(code.wrong == 0);
  }
  DOCTEST_MESSAGE("claims that were tried: ", claims);
  EXPECT(claims > 10000);
}

TEST_CASE("what may be negative stays so when it is defined in another way") {
  Program p;
  Facts facts(p);
  Var narrow = p.fresh("k", scalar_type(Scalar::I32)), v = p.fresh("v", scalar_type(Scalar::I64)), any = p.fresh("any", scalar_type(Scalar::I64));
  facts.define(v, Convert{Scalar::I64, narrow});
  EXPECT(facts.less_equal(i64_const(-(i64{1} << 31)), v) == true);
  facts.define(v, Apply{ScalarOp::add, {any, i64_const(1)}});
  EXPECT(!facts.less_equal(i64_const(0), v));
}

TEST_CASE("a remainder is less than a divisor that its check says is not zero") {
  Program p;
  Facts facts(p);
  Var n = p.fresh("n", scalar_type(Scalar::I64)), x = p.fresh("x", scalar_type(Scalar::I64));
  facts.bound(p.fresh("xs", array_type(Scalar::F64, {n})));
  Body code;
  Builder b(p, code.stms);
  Var zero = b.bind1("zero", Apply{ScalarOp::eq, {n, i64_const(0)}}), some = b.bind1("some", Apply{ScalarOp::not_, {zero}});
  Var check = b.bind1("c", Assert{some, p.text(""), {}});
  Var unchecked = b.bind1("r", Apply{ScalarOp::mod, {x, n}});
  b.checks = {check};
  Var checked = b.bind1("s", Apply{ScalarOp::mod, {x, n}});
  for (const Stm& s : code.stms) facts.bind(s);
  EXPECT(!facts.less(unchecked, n));
  EXPECT(facts.less(checked, n) == true);
  EXPECT(!facts.less(i64_const(0), n));
}

TEST_CASE("numbers that are no integers have no form") {
  Program p;
  Facts facts(p);
  for (Scalar type : {Scalar::F16, Scalar::F32, Scalar::F64}) {
    Const low = constant(type, -1), high = constant(type, HUGE_VAL);
    Var v = p.fresh("v", scalar_type(type));
    facts.define(v, Apply{ScalarOp::min, {low, high}});
    EXPECT(!facts.less(low, high));
    EXPECT(!facts.less_equal(v, high));
  }
}

namespace {

// Arrays by several names: views, branches, states of loops that move on. A run gives every fresh array a number of its own.
class Names {
 public:
  explicit Names(Dice& dice) : dice_(dice), b_(p_, body().stms) {
    Type type = array_type(Scalar::F64, {i64_const(4)});
    std::vector<Var> arrays;
    for (int k = 0; k < 2; k++) {
      Var v = p_.fresh("p", type);
      p_.functions[0].lambda.params.push_back({v});
      arrays.push_back(v);
    }
    p_.functions[0].lambda.body = code(arrays, 0, 1);
    p_.functions[0].consumes = {false, false};
    p_.functions[0].returns = {type};
  }
  int shared = 0, unknown = 0;

  void run() {
    Aliases aliases(p_);
    for (int round = 0; round < 6; round++) {
      memory_.clear();
      int fresh = 0;
      for (Bind x : p_.functions[0].lambda.params) memory_[x.var] = fresh++;
      run(body(), aliases, fresh);
    }
  }

 private:
  Dice& dice_;
  Program p_ = with_function();
  Builder b_;
  std::map<Var, int> memory_;                            // of what is in scope
  std::set<Var> states_;                                 // of loops that run

  static Program with_function() {
    Program p;
    p.functions.push_back({"f", {}, {}, {}, {}});
    return p;
  }
  Body& body() { return p_.functions[0].lambda.body; }

  Body code(std::vector<Var> arrays, int depth, size_t results) {
    return b_.body([&] {
      for (i64 step = 2 + dice_.below(4); step > 0; step--) {
        auto one = [&] { return dice_.one_of(arrays); };
        switch (dice_.below(depth < 2 ? 6 : 4)) {
          case 0: arrays.push_back(b_.bind1("s", Scratch{Scalar::F64, {i64_const(4)}})); break;
          case 1: arrays.push_back(b_.bind1("c", Copy{one()})); break;
          case 2: arrays.push_back(b_.bind1("i", Identity{one()})); break;
          case 3: arrays.push_back(b_.bind1("r", Permute{one(), {0}})); break;
          case 4: {
            size_t n = size_t(1 + dice_.below(2));
            If choice{bool_const(true), {}, {}};
            choice.then_ = code(arrays, depth + 1, n);
            choice.else_ = code(arrays, depth + 1, n);
            for (Var v : b_.bind(std::vector<std::string>(n, "b"), std::move(choice))) arrays.push_back(v);
            break;
          }
          default: {
            size_t n = size_t(1 + dice_.below(3));
            For loop;
            loop.i = {p_.fresh("i", scalar_type(Scalar::I64))};
            loop.n = i64_const(3);
            std::vector<Var> inside = arrays;
            for (size_t k = 0; k < n; k++) {
              loop.init.push_back(one());
              loop.state.push_back({p_.fresh("l", p_.type(arrays[0]))});
              inside.push_back(loop.state.back().var);
              inside.push_back(loop.state.back().var);
            }
            loop.body = code(inside, depth + 1, n);
            for (Var v : b_.bind(std::vector<std::string>(n, "l"), std::move(loop))) arrays.push_back(v);
          }
        }
      }
      std::vector<Atom> out;
      for (size_t k = 0; k < results; k++) out.push_back(dice_.one_of(arrays));
      return out;
    });
  }
  int at(const Atom& a) const { return memory_.at(*var_of(a)); }
  // A state is a root of its own in its loop, whatever it began as.
  void bind(Var v, int where, const Aliases& aliases) {
    memory_[v] = where;
    auto of_state = [&](Var x) { return std::ranges::any_of(aliases.reach(x), [&](Var r) { return states_.contains(r); }); };
    for (auto [other, its] : memory_) {
      if (other == v || its != where || of_state(v) || of_state(other)) continue;
      shared++;
      unknown += !aliases.may_alias(v, other) || !aliases.may_alias(other, v);
    }
  }
  void run(const Body& b, const Aliases& aliases, int& fresh) {
    auto inner = [&](const Body& part) {
      std::map<Var, int> before = memory_;
      run(part, aliases, fresh);
      std::vector<int> out;
      for (const Atom& a : part.result) out.push_back(at(a));
      memory_ = std::move(before);
      return out;
    };
    for (const Stm& s : b.stms) {
      auto results = [&](const std::vector<int>& where) { for (size_t k = 0; k < s.pattern.size(); k++) bind(s.pattern[k].var, where[k], aliases); };
      match(s.exp, [&](const Identity& x) { results({at(x.value)}); }, [&](const Permute& x) { results({memory_.at(x.array)}); },
            [&](const If& x) { results(inner(dice_.below(2) ? x.then_ : x.else_)); },
            [&](const For& x) {
              std::vector<int> state;
              for (const Atom& a : x.init) state.push_back(at(a));
              for (Bind y : x.state) states_.insert(y.var);
              for (i64 i = dice_.below(4); i > 0; i--) {
                std::map<Var, int> before = memory_;
                for (size_t k = 0; k < state.size(); k++) bind(x.state[k].var, state[k], aliases);
                state = inner(x.body);
                memory_ = std::move(before);
              }
              for (Bind y : x.state) states_.erase(y.var);
              results(state);
            },
            [&](const auto&) { results({fresh++}); });
    }
  }
};

}  // namespace

TEST_CASE("arrays that share memory may be aliases") {
  Dice dice;
  int shared = 0;
  for (int round = 0; round < 400; round++) {
    Names names(dice);
    names.run();
    shared += names.shared;
    EXPECT(names.unknown == 0);
  }
  DOCTEST_MESSAGE("pairs of names of one memory: ", shared);
  EXPECT(shared > 10000);
}
