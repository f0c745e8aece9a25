// sums.cc - sums of floats that are vectors until their end, with sums of integers beside them. So are least and greatest numbers.
//
//   for i in from .. to { s = s + x }        in any order
//     ==>
//   base = from
//   if (SumVectors and base + W <= to) {
//     terms[0 .. W] = 0
//     if (base + V <= to) { the same with wide[0 .. V]; terms[l] = wide[l] + wide[l + W] + .. + wide[l + V - W] }      V = 4 W
//     while (base + W <= to) { for l < W { i = base + l; s' = terms[l]; s' = s' + x; terms[l] = s' }; base += W }
//     for l < W / 2 { terms[l] += terms[l + W / 2] } .. ; s = s + (terms[0] + terms[1])
//   }
//   if (SumVectors and base + W / 2 <= to) { the same once with half[0 .. W / 2]; base += W / 2 }       if it adds eight numbers
//   for i in base .. to { s = s + x }        one by one
//
// A C compiler that may add in any order keeps a vector of sums, too, but adds its elements up one after the other: 64 cycles for
// 16 elements, as long as it takes to add 256 others. Sums of a few dozen elements, of which gradients are full, are two thirds faster so.
// Long sums wait for the addition before: four vectors have as many additions under way. Bodies that compute more have work between. Where a
// body reads bytes, V is a vector of these at least: GCC takes as many iterations at once as its narrowest vector has elements.
// The widths are the same on all processors, and so is the sum.
#include "backends/kernel/sums.h"

#include <algorithm>

#include "backends/kernel/loop_parts.h"
#include "backends/kernel/walk.h"
#include "compiler/base/match.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

ExprId combined(Module& m, ScalarOp op, ExprId x, ExprId y) { return op == ScalarOp::add ? m.add(x, y) : m.prim(op, {x, y}); }

class VectorSum {
 public:
  VectorSum(Module& m, const For& loop) : m_(m), loop_(loop), uses_counter_(std::ranges::count(free_names(m, loop.body), loop.i) > 0) {
    int bytes = 1;
    for (const Reduced& r : loop.reduced) bytes = std::max(bytes, bytes_of(type(r.var)));
    width_ = costs::cpu::sum_bytes / bytes;
    wide_ = 4 * width_;
    for (const Stm& s : loop.body)
      match(s.node, [&](const Declare& x) { if (x.init) widen(*x.init); }, [&](const Assign& x) { widen(x.value); }, [&](const Store& x) { widen(x.value); },
            [](const auto&) {});   // there are no others: it only computes
  }

  static bool fits(const Module& m, const For& x) {
    return !x.reduced.empty() && !x.scattered && !x.lanes && !x.spmd && !x.group && only_computes(x.body) &&
           work(m, x) <= costs::cpu::sum_statements &&
           std::ranges::all_of(x.reduced, [&](const Reduced& r) {
             Scalar t = m.names[r.var.index].type;
             return (r.op == ScalarOp::add || r.op == ScalarOp::min || r.op == ScalarOp::max) && t != Scalar::F16 && bytes_of(t) >= 4;
           });
  }

  // What stands in the place of the loop.
  Block run() {
    base_ = m_.name("base", Scalar::I64);
    std::vector<Name> terms = arrays("terms");
    Block out, vectors = starts(terms, width_);
    out.push_back({Declare{base_, loop_.from}});
    if (work(m_, loop_) <= costs::cpu::wide_sum_statements) vectors.push_back({If{has(wide_), wide(terms), {}}});
    vectors.push_back(steps(terms, width_));
    add_up(vectors, terms, width_);
    out.push_back(if_wanted(width_, std::move(vectors)));
    const bool adds = std::ranges::all_of(loop_.reduced, [](const Reduced& r) { return r.op == ScalarOp::add; });
    if (adds && width_ / 2 >= costs::cpu::half_sum && work(m_, loop_) <= costs::cpu::wide_sum_statements) out.push_back(if_wanted(width_ / 2, half()));
    For rest = last_iterations(m_, loop_, base_);
    rest.rest = true;
    out.push_back({std::move(rest)});
    return out;
  }

 private:
  // How many statements it has, but for those that make an index of the counter.
  static size_t work(const Module& m, const For& x) {
    IdSet<Name> made;
    for (const Stm& s : x.body) if (auto d = std::get_if<Declare>(&s.node)) made.insert(d->var);
    auto is_index = [&](const Stm& s) {
      auto d = std::get_if<Declare>(&s.node);
      return d && d->init && m.exprs[d->init->index].type == Scalar::I64 && !any_part(m, *d->init, [&](ExprId part) {
        return match(m.exprs[part.index].node, [&](Name n) { return made.contains(n); }, [](const Load&) { return true; }, [](const Cast&) { return true; }, [](const auto&) { return false; });
      });
    };
    return size_t(std::count_if(x.body.begin(), x.body.end(), [&](const Stm& s) { return !is_index(s); }));
  }
  Module& m_;
  const For& loop_;
  const bool uses_counter_;
  int64_t width_, wide_;
  Name base_;                                  // the first iteration that is not done
  IdMap<Name, Name> term_;                     // what is added to -> in a step

  Name term(Name n) { return term_[n].valid() ? term_[n] : n; }
  Scalar type(Name n) const { return m_.names[n.index].type; }
  ExprId has(int64_t iterations) { return has_iterations(m_, base_, iterations, loop_.to); }

  template <class F> Stm lanes(int64_t width, F f) {
    Name l = m_.name("l", Scalar::I64);
    For each{l, m_.number(0), m_.number(width), {}};
    f(m_.var(l), each.body);
    each.lanes = true;
    return {std::move(each)};
  }
  std::vector<Name> arrays(std::string_view text) {
    std::vector<Name> r;
    for (const Reduced& x : loop_.reduced) r.push_back(m_.memory(text, type(x.var), ir::Space::Host));
    return r;
  }
  ExprId element(Name memory, ExprId at) { return m_.expr({Load{memory, at}, type(memory)}); }
  // Sums start from zero, the least and the greatest from what there is: combined with itself, that is no other number.
  Block starts(const std::vector<Name>& terms, int64_t width) {
    Block out;
    for (Name t : terms) out.push_back({DeclareArray{t, {m_.number(width)}}});
    out.push_back(lanes(width, [&](ExprId l, Block& b) {
      for (size_t k = 0; k < terms.size(); k++)
        b.push_back({Store{terms[k], l, loop_.reduced[k].op == ScalarOp::add ? m_.constant(constant(type(terms[k]), 0)) : m_.var(loop_.reduced[k].var)}});
    }));
    return out;
  }
  Stm if_wanted(int64_t iterations, Block then) {
    ExprId wanted = m_.expr({Hardware{Builtin::SumVectors}, Scalar::Bool});
    return {If{m_.prim(ScalarOp::and_, {wanted, has(iterations)}), std::move(then), {}}};
  }
  void add_up(Block& out, const std::vector<Name>& terms, int64_t width) {
    for (size_t k = 0; k < terms.size(); k++) {
      Name s = loop_.reduced[k].var;
      ExprId sum = sum_in_halves(m_, out, terms[k], width, loop_.reduced[k].op);
      out.push_back({Assign{s, combined(m_, loop_.reduced[k].op, m_.var(s), sum)}});
    }
  }
  // What is left may be most of a short row.
  Block half() {
    std::vector<Name> terms = arrays("half");
    Block out = starts(terms, width_ / 2);
    out.push_back(one_step(terms, width_ / 2));
    out.push_back({Assign{base_, m_.add(m_.var(base_), m_.number(width_ / 2))}});
    add_up(out, terms, width_ / 2);
    return out;
  }
  // Iterations by `width`, as long as there are as many.
  Stm steps(const std::vector<Name>& terms, int64_t width) {
    Block step;
    step.push_back(one_step(terms, width));
    return while_whole(m_, base_, width, loop_.to, std::move(step));
  }
  // The body for the elements of a vector. What it adds to are variables of its own.
  Stm one_step(const std::vector<Name>& terms, int64_t width) {
    return lanes(width, [&](ExprId l, Block& b) {
      if (uses_counter_) b.push_back({Declare{loop_.i, m_.add(m_.var(base_), l)}});
      for (size_t k = 0; k < terms.size(); k++) {
        Name s = loop_.reduced[k].var;
        b.push_back({Declare{term_[s] = m_.name(m_.names[s.index].text, type(s)), element(terms[k], l)}});
      }
      for (const Stm& s : loop_.body) b.push_back(of_terms(s));
      for (size_t k = 0; k < terms.size(); k++) b.push_back({Store{terms[k], l, m_.var(term_[loop_.reduced[k].var])}});
    });
  }
  void widen(ExprId e) {
    const bool bytes = any_part(m_, e, [&](ExprId part) {
      return std::holds_alternative<Load>(m_.exprs[part.index].node) && bytes_of(m_.exprs[part.index].type) == 1;
    });
    if (bytes) wide_ = std::max(wide_, costs::cpu::sum_bytes);
  }
  // Iterations by several vectors, which `terms` get the sums of.
  Block wide(const std::vector<Name>& terms) {
    std::vector<Name> sums = arrays("wide");
    Block out = starts(sums, wide_);
    out.push_back(steps(sums, wide_));
    out.push_back(lanes(width_, [&](ExprId l, Block& b) {
      for (size_t k = 0; k < terms.size(); k++) b.push_back({Store{terms[k], l, vectors(sums[k], l, 0, wide_ / width_, loop_.reduced[k].op)}});
    }));
    return out;
  }
  // The sum of an element of so many vectors.
  ExprId vectors(Name sums, ExprId l, int64_t first, int64_t count, ScalarOp op) {
    if (count == 1) return element(sums, m_.add(l, m_.number(first * width_)));
    ExprId left = vectors(sums, l, first, count / 2, op), right = vectors(sums, l, first + count / 2, count / 2, op);
    return combined(m_, op, left, right);
  }
  Stm of_terms(const Stm& s) {
    return match(s.node,
      [&](const Declare& x) -> Stm { return {Declare{x.var, x.init ? std::optional(of_terms(*x.init)) : std::nullopt}}; },
      [&](const Assign& x) -> Stm { return {Assign{term(x.var), of_terms(x.value)}}; },
      [&](const Store& x) -> Stm { return {Store{x.memory, of_terms(x.index), of_terms(x.value), x.meets}}; },
      [](const auto&) -> Stm { PANIC("a sum in vectors only computes"); });
  }
  ExprId of_terms(ExprId e) {
    const Expr whole = m_.exprs[e.index];                  // a copy: more expressions move the others
    return match(whole.node, [&](const Const&) { return e; }, [&](const Hardware&) { return e; },
      [&](Name n) { return m_.var(term(n)); },
      [&](const Prim& p) {
        Prim same{p.op, p.at, {}};
        for (ExprId a : p.args) same.args.push_back(of_terms(a));
        return same.args == p.args ? e : m_.expr({std::move(same), whole.type});
      },
      [&](const Cast& c) { return m_.expr({Cast{of_terms(c.value)}, whole.type}); },
      [&](const Load& l) { return m_.expr({Load{l.memory, of_terms(l.index)}, whole.type}); });
  }
};

}  // namespace

ExprId sum_in_halves(Module& m, Block& out, Name terms, int64_t width, ScalarOp op) {
  auto term = [&](ExprId at) { return m.expr({Load{terms, at}, m.names[terms.index].type}); };
  for (int64_t half = width / 2; half > 1; half /= 2) {
    Name l = m.name("l", Scalar::I64);
    ExprId at = m.var(l);
    Block b;
    const ExprId left = term(at), right = term(m.add(at, m.number(half)));
    b.push_back({Store{terms, at, combined(m, op, left, right)}});
    For halve{l, m.number(0), m.number(half), std::move(b)};
    halve.lanes = true;
    out.push_back({std::move(halve)});
  }
  const ExprId first = term(m.number(0)), second = term(m.number(1));
  return combined(m, op, first, second);
}

void sum_in_vectors(Module& m, Block& b) {
  replace_loops(b, [&](const For& loop) { return VectorSum::fits(m, loop) ? std::optional(VectorSum(m, loop).run()) : std::nullopt; });
}

}  // namespace raido::kir
