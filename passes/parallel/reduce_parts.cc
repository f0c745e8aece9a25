// reduce_parts.cc - CPU: reductions by operators that have no vectors of their own are taken in parts, which run side by side.
//
//   reduce n op [ne] f xs   ==>   if n is large {                                                            R1
//                                   parts = map 32 (\p -> reduce w op [ne] f xs[p * w ..])       w = n / 32, made odd
//                                   t = loop from ne over parts, one after the other
//                                   loop from t over the elements that are left
//                                 } else { the same }
//
//   reduce n op [ne] f xs   ==>   if n is large {                                                            R2
//                                   parts = map 32 (\p -> reduce w op' [ne, -1] f xs[p, p + 32, ..])
//                                   t = loop from ne, -1 over parts, where the operand from the earlier place comes first
//                                   ..                                      as R1
//
//   reduces op beside a map or scan   ==>   the map or scan;  reduce n op [ne] f xs    where f is short     R3
//
// Each step of such a reduction waits for the one before: a place of the greatest element, the greatest sum of neighbours, a product of
// small matrices. An operator is associative, so parts may be reduced by themselves, and the order of elements stays. The parts run in
// lanes (passes/memory/lane_loops.h). Their first elements lie an odd number of elements apart: a power of two would put all lanes into
// the same few lines of a cache. On several threads there are more parts, as many as the number of elements says. So results do not depend on threads.
// Sums of floats change their order, so --fp-strict keeps them. Sums, least and greatest numbers are vectors as they are.
//
// R2: neighbouring lanes take neighbouring elements, if the operator commutes or gives one of its operands (selection.h). In the second case
// associativity says what it is (Kimura 1958): the greatest in some order, of equal ones always the first or always the last. So it is
// enough to know where an operand has come from. What may fail takes R1, which finds the first element that does.
//
// R3 comes before them: beside an array or a scan no reduction runs in lanes, and elements are read once more at less cost. A scan in vectors
// has no reduction beside it either (vector_scans.h).
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/parallel/selection.h"
#include "passes/parallel/vector_scans.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class ReduceParts {
 public:
  ReduceParts(Program& p, PassContext& c) : p_(p), c_(c) {}

  // Code that is in no parallel operation.
  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto x = std::get_if<Screma>(&s.exp);
      if (x && s.attrs.empty() && waits(*x) && c_.allow()) {
        divide(b, s, *x, results);
        return true;
      }
      if (x && set_apart(b, s, *x, results)) return true;
      if (kind_of(s.exp) != Kind::Parallel) walk_parts(s, [&](Body& inner) { body(inner); });
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& c_;

  bool waits(const Screma& x) const {
    auto n = const_of(x.width);
    if (x.ordered || (n && n->as_i64() < costs::cpu::parts_points)) return false;
    if (!identity_post(x) || !x.scans.empty() || !x.post_reduces.empty() || x.pre.body.result.size() != width_of(x.reduces)) return false;
    bool floats = false, steps = false;
    for (const Combine& c : x.reduces) {
      if (!c.shape.empty() || !is_straight(c.op.body)) return false;
      for (Bind v : c.op.params) {
        if (!is_scalar(p_.type(v.var))) return false;
        floats = floats || is_float(elem_of(p_.type(v.var)));
      }
      auto op = scalar_operator(p_, c);
      steps = steps || !op || (op == ScalarOp::mul && is_float(elem_of(p_, c.neutral[0])));
    }
    auto one_number = [&](Var v) { return is_array(p_.type(v)) && shape_of(p_.type(v)).size() == 1 && has_gathers(v); };
    return steps && !(floats && c_.options.strict_fp) && std::ranges::all_of(x.inputs, one_number) && is_straight(x.pre.body);
  }
  // R3: the reductions become an operation of their own, which reads what the others read or make.
  bool set_apart(Builder& b, Stm& s, Screma& x, Subst& results) {
    const size_t reduced = width_of(x.reduces);
    if (reduced == 0 || !s.attrs.empty() || !s.checks.empty() || !x.post_reduces.empty() || x.pre.body.result.size() == reduced) return false;
    Stm apart{{s.pattern.begin(), s.pattern.begin() + i64(reduced)}, {}, {}, s.source, {}};
    Screma own = clone(p_, x);
    own.scans = {};
    own.post = {};
    if (x.scans.empty() && identity_post(x))               // elements of arrays that are made
      for (size_t k = reduced; k < x.pre.body.result.size(); k++) {
        auto made = var_of(own.pre.body.result[k]);
        if (!made || std::ranges::find(own.pre.params, *made, &Bind::var) != own.pre.params.end() || !is_scalar(p_.type(*made))) continue;
        own.inputs.push_back(s.pattern[k].var);
        own.pre.params.push_back({p_.fresh(p_.hint(*made), p_.type(*made))});
        for (size_t r = 0; r < reduced; r++) if (own.pre.body.result[r] == Atom(*made)) own.pre.body.result[r] = own.pre.params.back().var;
      }
    own.pre.body.result.resize(reduced);
    keep_needed(p_, own.pre.body);
    for (size_t k = own.inputs.size(); k-- > 0;)
      if (count_uses(p_, own.pre.body, own.pre.params[k].var) == 0) {
        own.inputs.erase(own.inputs.begin() + i64(k));
        own.pre.params.erase(own.pre.params.begin() + i64(k));
      }
    if (count_statements(own.pre.body) > costs::cpu::wide_sum_statements || calls(own.pre.body)) return false;
    const bool divided = waits(own);
    Stm rest{{s.pattern.begin() + i64(reduced), s.pattern.end()}, clone(p_, s.exp), {}, s.source, {}};
    Screma& others = std::get<Screma>(rest.exp);
    others.reduces = {};
    others.pre.body.result.erase(others.pre.body.result.begin(), others.pre.body.result.begin() + i64(reduced));
    keep_needed(p_, others.pre.body);
    if ((!divided && !scans_in_vectors(rest)) || !c_.allow()) return false;
    c_.stats.count("reduce_parts.R3");
    b.emit(std::move(rest));
    apart.exp = std::move(own);
    if (divided) divide(b, apart, std::get<Screma>(apart.exp), results);
    else b.emit(std::move(apart));
    return true;
  }
  bool scans_in_vectors(const Stm& s) {
    Stm copy = s;
    copy.exp = clone(p_, s.exp);
    const LoopParts parts = parts_of(p_, copy, std::get<Screma>(copy.exp));
    return gains_by_vectors(p_, copy, parts);
  }
  bool calls(const Body& b) const {
    bool found = false;
    each_stm(b, [&](const Stm& s) {
      auto op = std::get_if<Apply>(&s.exp);
      found = found || (op && is_call(op->op));
    });
    return found;
  }
  // Processors read no shorter numbers that lie apart as a vector.
  bool has_gathers(Var array) const { return bytes_of(elem_of(p_.type(array))) >= 4; }
  // Arithmetic that has vectors, elements, checks and branches of these.
  bool is_straight(const Body& b) const {
    for (const Stm& s : b.stms) {
      const Kind kind = kind_of(s.exp);
      if (!s.attrs.empty() || (kind != Kind::Step && kind != Kind::Read && kind != Kind::Check && kind != Kind::Branch)) return false;
      auto read = std::get_if<Index>(&s.exp);
      if (read && !has_gathers(read->array)) return false;
      if (!has_vector_form(p_, s.exp)) return false;
      bool straight = true;
      walk_parts(s, [&](const Body& inner) { straight = straight && is_straight(inner); });
      if (!straight) return false;
    }
    return true;
  }

  // The values of pre at an index.
  std::vector<Atom> values(Builder& b, const Screma& x, const Atom& at) {
    std::vector<Atom> elements;
    for (size_t k = 0; k < x.inputs.size(); k++) elements.push_back(b.index(p_.hint(x.pre.params[k].var), x.inputs[k], {at}));
    return b.inline_call(x.pre, elements);
  }
  // An operator as the parts use it.
  struct Operator {
    Combine combine;
    bool has_place = false;            // its operands end with one
  };
  // As they are for R1. For R2, with places.
  std::vector<Operator> operators(const Stm& s, const Screma& x, bool& neighbours) {
    std::vector<Operator> placed, plain;
    neighbours = s.checks.empty() && !may_fail(x.pre.body);
    for (const Combine& c : x.reduces) {
      plain.push_back({clone(p_, c)});
      if (!neighbours) continue;
      auto scalar = scalar_operator(p_, c);
      const bool commutes = c.commutative || (scalar && is_commutative(*scalar, elem_of(p_, c.neutral[0])));
      auto with = commutes ? std::nullopt : with_place(p_, c);
      neighbours = !may_fail(c.op.body) && (commutes || with);
      placed.push_back(with ? Operator{std::move(*with), true} : Operator{clone(p_, c)});
    }
    return neighbours ? std::move(placed) : std::move(plain);
  }
  static bool may_fail(const Body& b) {
    bool found = false;
    each_stm(b, [&](const Stm& s) { found = found || !s.checks.empty() || std::holds_alternative<Assert>(s.exp); });
    return found;
  }
  // The values of the operands at an index.
  std::vector<Atom> operands(Builder& b, const std::vector<Operator>& ops, const Screma& x, const Atom& at) {
    std::vector<Atom> all = values(b, x, at), out;
    auto next = all.begin();
    for (const Operator& op : ops) {
      const i64 n = i64(op.combine.neutral.size()) - op.has_place;
      out.insert(out.end(), next, next + n);
      next += n;
      if (op.has_place) out.push_back(at);
    }
    return out;
  }
  // for i < n (t = init) { op t (right i) }. `ordered`: the operand from the earlier place comes first.
  template <class Right> std::vector<Atom> fold(Builder& b, const std::vector<Operator>& ops, const Dim& n, const std::vector<Atom>& init, bool ordered, Right right) {
    For loop{{p_.fresh("i", scalar_type(Scalar::I64))}, n, {}, init, {}};
    std::vector<std::string> hints;
    std::vector<Atom> old;
    for (const Atom& a : init) {
      hints.push_back("total");
      loop.state.push_back({p_.fresh("total", scalar_type(elem_of(p_, a)))});
      old.push_back(loop.state.back().var);
    }
    loop.body = b.body([&] {
      std::vector<Atom> now, values = right(loop.i.var);
      size_t at = 0;
      for (const Operator& op : ops) {
        const size_t k = op.combine.neutral.size();
        std::vector<Atom> left(old.begin() + i64(at), old.begin() + i64(at + k)), args(values.begin() + i64(at), values.begin() + i64(at + k));
        if (ordered && op.has_place) {
          const Term later = lt(b.term(args.back()), b.term(left.back()));
          for (size_t c = 0; c < k; c++) {
            const Term one = b.term(left[c]), other = b.term(args[c]);
            left[c] = select({later, other, one}).atom;
            args[c] = select({later, one, other}).atom;
          }
        }
        args.insert(args.begin(), left.begin(), left.end());
        for (const Atom& a : b.inline_call(op.combine.op, args)) now.push_back(a);
        at += k;
      }
      return now;
    });
    std::vector<Var> made = b.bind(hints, std::move(loop));
    return {made.begin(), made.end()};
  }

  // The results of `count` parts of `width` elements each: part p has the elements start p + k * step.
  template <class Start>
  std::vector<Var> all_parts(Builder& b, const std::vector<Operator>& ops, const Screma& x, const Dim& count, const Term& width, const Term& step, Start start) {
    const Type counter = scalar_type(Scalar::I64);
    const Var ps = b.iota(count);
    Lambda part = b.lambda({{"part", counter}}, [&](const std::vector<Var>& p) {
      const Term from = start(b.term(p[0]));
      Lambda pre = b.lambda({{"j", counter}}, [&](const std::vector<Var>& j) { return operands(b, ops, x, (from + b.term(j[0]) * step).atom); });
      Screma inner{width.atom, {b.iota(width.atom)}, std::move(pre), {}, {}, {}, {}};
      for (const Operator& op : ops) inner.reduces.push_back(clone(p_, op.combine));
      std::vector<Var> sums = b.bind("part", std::move(inner));
      return std::vector<Atom>(sums.begin(), sums.end());
    });
    return b.map("part", count, std::move(part), {ps});
  }
  void divide(Builder& b, Stm& s, Screma& x, Subst& results) {
    bool neighbours = false;
    const std::vector<Operator> ops = operators(s, x, neighbours);
    c_.stats.count(neighbours ? "reduce_parts.R2" : "reduce_parts.R1");
    b.source = s.source;
    b.checks = s.checks;
    auto number = [&](i64 n) { return b.number(Scalar::I64, double(n)); };
    const Term n = b.term(x.width), lanes = number(costs::cpu::lanes), one = number(1);
    const Atom large = le(number(costs::cpu::parts_points), n).atom;
    Body parted = b.body([&] {
      const bool shared = c_.target == Target::Multicore;
      Term groups = one;
      if (shared) {
        Term some = n / number(costs::cpu::group_points), few = apply(ScalarOp::min, {some, number(costs::cpu::part_groups)});
        groups = apply(ScalarOp::max, {one, few});
      }
      const Term parts = lanes * groups, even = n / parts, width = neighbours ? even : apply(ScalarOp::or_, {even - one, one});
      std::vector<Var> partial;                            // of R2 on threads: by groups, then lanes
      const bool nested = neighbours && shared;
      if (!neighbours) {
        partial = all_parts(b, ops, x, parts.atom, width, one, [&](const Term& p) { return p * width; });
      } else if (!nested) {
        partial = all_parts(b, ops, x, lanes.atom, width, lanes, [](const Term& p) { return p; });
      } else {
        const Var gs = b.iota(groups.atom);
        Lambda group = b.lambda({{"group", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& g) {
          const Term from = b.term(g[0]) * (width * lanes);
          std::vector<Var> of_group = all_parts(b, ops, x, lanes.atom, width, lanes, [&](const Term& p) { return from + p; });
          return std::vector<Atom>(of_group.begin(), of_group.end());
        });
        partial = b.map("part", groups.atom, std::move(group), {gs});
      }
      std::vector<Atom> neutral;
      for (const Operator& op : ops) neutral.insert(neutral.end(), op.combine.neutral.begin(), op.combine.neutral.end());
      std::vector<Atom> total = fold(b, ops, parts.atom, neutral, true, [&](Var i) {
        std::vector<Atom> of_part, at = {i};
        if (nested) at = {(b.term(i) / lanes).atom, apply(ScalarOp::mod, {b.term(i), lanes}).atom};
        for (Var v : partial) of_part.push_back(b.index("part", v, at));
        return of_part;
      });
      const Term done = parts * width, left = n - done;
      total = fold(b, ops, left.atom, total, false, [&](Var i) { return operands(b, ops, x, (done + b.term(i)).atom); });
      std::vector<Atom> out;
      size_t at = 0;
      for (const Operator& op : ops) {
        const size_t k = op.combine.neutral.size();
        out.insert(out.end(), total.begin() + i64(at), total.begin() + i64(at + k - op.has_place));
        at += k;
      }
      return out;
    });
    std::vector<std::string> hints;
    Body whole;
    for (Bind y : s.pattern) {
      hints.push_back(p_.hint(y.var));
      whole.result.push_back(y.var);
    }
    const std::vector<Bind> pattern = s.pattern;
    whole.stms.push_back(std::move(s));
    const std::vector<Var> made = b.bind(hints, If{large, std::move(parted), std::move(whole)});
    for (size_t k = 0; k < made.size(); k++) results.emplace(pattern[k].var, made[k]);
  }
};

}  // namespace

void reduce_parts(Program& program, PassContext& context) {
  ReduceParts pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
