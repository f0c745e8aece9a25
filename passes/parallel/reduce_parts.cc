// reduce_parts.cc - CPU: reductions by operators that have no vectors of their own are taken in parts, which run side by side.
//
//   reduce n op [ne] f xs   ==>   if n is large {                                                            R1
//                                   parts = map 32 (\p -> reduce w op [ne] f xs[p * w ..])       w = n / 32, made odd
//                                   t = loop from ne over parts, one after the other
//                                   loop from t over the elements that are left
//                                 } else { the same }
//
// Each step of such a reduction waits for the one before: a place of the greatest element, the greatest sum of neighbours, a product of
// small matrices. An operator is associative, so parts may be reduced by themselves, and the order of elements stays. The parts run in
// lanes (passes/memory/lane_loops.h). Their first elements lie an odd number of elements apart: a power of two would put all lanes into
// the same few lines of a cache. On several threads there are more parts, as many as the number of elements says. So results do not depend on threads.
// Sums of floats change their order, so --fp-strict keeps them. Sums, least and greatest numbers are vectors as they are.
#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
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
      if (x && waits(s, *x) && c_.allow()) {
        divide(b, s, *x, results);
        return true;
      }
      if (kind_of(s.exp) != Kind::Parallel) walk_parts(s, [&](Body& inner) { body(inner); });
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& c_;

  bool waits(const Stm& s, const Screma& x) const {
    auto n = const_of(x.width);
    if (!s.attrs.empty() || x.ordered || (n && n->as_i64() < costs::cpu::parts_points)) return false;
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
  // Processors read no shorter numbers that lie apart as a vector.
  bool has_gathers(Var array) const { return bytes_of(elem_of(p_.type(array))) >= 4; }
  // Arithmetic that has vectors, elements, checks and branches of these.
  bool is_straight(const Body& b) const {
    for (const Stm& s : b.stms) {
      const Kind kind = kind_of(s.exp);
      if (!s.attrs.empty() || (kind != Kind::Step && kind != Kind::Read && kind != Kind::Check && kind != Kind::Branch)) return false;
      auto read = std::get_if<Index>(&s.exp);
      if (read && !has_gathers(read->array)) return false;
      auto op = std::get_if<Apply>(&s.exp);
      if (op && !has_vector_form(op->op, elem_of(p_, op->args[0]), op->args.size() > 1 ? const_of(op->args[1]) : nullptr)) return false;
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
  // for i < n (t = init) { op t (right i) }
  template <class Right> std::vector<Atom> fold(Builder& b, const Screma& x, const Dim& n, const std::vector<Atom>& init, Right right) {
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
      for (const Combine& c : x.reduces) {
        const size_t k = c.neutral.size();
        std::vector<Atom> args(old.begin() + i64(at), old.begin() + i64(at + k));
        args.insert(args.end(), values.begin() + i64(at), values.begin() + i64(at + k));
        for (const Atom& a : b.inline_call(c.op, args)) now.push_back(a);
        at += k;
      }
      return now;
    });
    std::vector<Var> made = b.bind(hints, std::move(loop));
    return {made.begin(), made.end()};
  }

  void divide(Builder& b, Stm& s, Screma& x, Subst& results) {
    c_.stats.count("reduce_parts.R1");
    b.source = s.source;
    b.checks = s.checks;
    auto number = [&](i64 n) { return b.number(Scalar::I64, double(n)); };
    const Term n = b.term(x.width), lanes = number(costs::cpu::lanes);
    const Atom large = le(number(costs::cpu::parts_points), n).atom;
    Body parted = b.body([&] {
      Term groups = number(1);
      if (c_.target == Target::Multicore) {
        Term some = n / number(costs::cpu::group_points), few = apply(ScalarOp::min, {some, number(costs::cpu::part_groups)});
        groups = apply(ScalarOp::max, {number(1), few});
      }
      const Term parts = lanes * groups, even = n / parts - 1, width = apply(ScalarOp::or_, {even, number(1)});
      const Var is = b.iota(parts.atom), js = b.iota(width.atom);
      const Type counter = scalar_type(Scalar::I64);
      Lambda part = b.lambda({{"part", counter}}, [&](const std::vector<Var>& p) {
        const Term from = b.term(p[0]) * width;
        Screma inner{width.atom, {js}, b.lambda({{"j", counter}}, [&](const std::vector<Var>& j) { return values(b, x, (from + b.term(j[0])).atom); }), {}, {}, {}, {}};
        std::vector<std::string> hints;
        for (const Combine& c : x.reduces) inner.reduces.push_back(clone(p_, c));
        for (Bind y : s.pattern) hints.push_back(p_.hint(y.var));
        std::vector<Var> sums = b.bind(hints, std::move(inner));
        return std::vector<Atom>(sums.begin(), sums.end());
      });
      const std::vector<Var> partial = b.map("part", parts.atom, std::move(part), {is});
      std::vector<Atom> neutral;
      for (const Combine& c : x.reduces) neutral.insert(neutral.end(), c.neutral.begin(), c.neutral.end());
      std::vector<Atom> total = fold(b, x, parts.atom, neutral, [&](Var i) {
        std::vector<Atom> of_part;
        for (Var v : partial) of_part.push_back(b.index("part", v, {i}));
        return of_part;
      });
      const Term done = parts * width, left = n - done;
      return fold(b, x, left.atom, total, [&](Var i) {
        const Term at = done + b.term(i);
        return values(b, x, at.atom);
      });
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
