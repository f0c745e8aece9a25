// vector_scans.cc - see vector_scans.h.
//
//   ys = screma n pre scans (op [ne]) post xs
//     ==>
//   for k < n / 256 (c = ne, ys = scratch [n]) {
//     at = 256 * k
//     es = for j < 256 { pre xs[at + j] }              not where pre hands on an element as it is
//     ss = seg simd (j < 256) { es[j] } scans (op [c])                                                                          X1
//     for j < 256 (ys) { ys[at + j] := post ss[j] }
//     in ss[255], ys
//   }
//   for j < n % 256 (c, ys) { at = n - n % 256 + j; c' = op c (pre xs[at]); ys[at] := post c' in c', ys }
//
// One after the other, elements wait for what the scan has reached before them: four cycles for a sum of floats, eight for a linear
// recurrence. The kernel program combines the elements of each vector among themselves first, which nothing waits for
// (backends/kernel/translate_vector_scan.cc). The operator is associative by the contract of `scan`, so only roundings differ.
//
// A component of the operator that neither the program nor another such component needs from the left is not handed on: of (a, b) o (c, d) =
// (a c, b c + d), whose second result the program reads, only that one.
#include "passes/parallel/vector_scans.h"

#include <algorithm>
#include <numeric>

#include "compiler/base/flat_map.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "compiler/ir/visit.h"

namespace raido {
using namespace ir;
namespace {

// Cycles until the result of an operation on values of this type is there, and how many operations of vectors it is. None: it has no vectors.
struct StepCost { size_t latency, operations; };
std::optional<StepCost> step_cost(ScalarOp op, Scalar at) {
  using enum ScalarOp;
  const bool floats = is_float(at);
  if (at == Scalar::Bool && (op == lt || op == le)) return {};               // true is more than false, but not as a mask
  switch (op) {
    case add: case sub: return StepCost{floats ? costs::cpu::float_cycles : 1, 1};
    case mul: return floats ? StepCost{costs::cpu::float_cycles, 1} : StepCost{costs::cpu::product_cycles, bytes_of(at) == 4 ? size_t(1) : size_t(3)};
    case div: return floats ? std::optional(StepCost{costs::cpu::division_cycles, 4}) : std::nullopt;
    case min: case max: return StepCost{floats ? costs::cpu::float_cycles : 1, floats ? size_t(3) : size_t(2)};
    case and_: case or_: case xor_: case not_: case neg: case eq: case ne: case lt: case le: return StepCost{1, 1};
    case select: return StepCost{2, 2};
    default: return std::nullopt;
  }
}

// An operator on scalars.
class VectorOperator {
 public:
  VectorOperator(const Program& p, const Combine& c) : p_(p), c_(c), width_(c.neutral.size()) {
    for (size_t k = 0; k < width_; k++) from_left_[c.op.params[k].var] = {uint64_t(1) << k, 0};
    for (const Stm& s : c.op.body.stms) define(s);
  }
  // All of it works on vectors of as many elements.
  bool has_vectors() {
    bool fine = c_.shape.empty() && width_ > 0 && width_ <= 8;
    auto value = [&](Scalar t) {
      if (t == Scalar::Bool) return;
      fine = fine && (bytes_of(t) == 4 || bytes_of(t) == 8) && (bytes_ == 0 || bytes_ == bytes_of(t));
      bytes_ = bytes_of(t);
    };
    for (Bind b : c_.op.params) {
      if (!is_scalar(p_.type(b.var))) return false;
      value(elem_of(p_.type(b.var)));
    }
    for (const Stm& s : c_.op.body.stms) {
      auto x = std::get_if<Apply>(&s.exp);
      if (!x || !s.checks.empty() || !step_cost(x->op, elem_of(p_, x->args.back()))) return false;
      for (const Atom& a : x->args) value(elem_of(p_, a));
    }
    return fine && bytes_ != 0;
  }
  // Which components of the left operand are needed, if these results are: a bit for each.
  uint64_t needed(uint64_t results) const {
    for (uint64_t before = 0; before != results;) {
      before = results;
      for (size_t k = 0; k < width_; k++) if (results >> k & 1) results |= left(c_.op.body.result[k]).components;
    }
    return results;
  }
  // Estimates cycles for 64 bytes of each component. One by one, each element waits for the one before. With vectors, two operations begin in each cycle. A
  // sum takes a product into one operation. A vector has 32 bytes and is combined in log2 steps. Two vectors are a block, which is combined with what the
  // scan has reached.
  bool gains(uint64_t needed) const {
    size_t latency = 0, operations = 0;
    for (size_t k = 0; k < width_; k++) {
      const Atom& r = c_.op.body.result[k];
      if (needed >> k & 1) latency = std::max(latency, left(r).latency + (is_product(r) ? costs::cpu::float_cycles : 0));
    }
    for (const Stm& s : c_.op.body.stms) {
      const Apply& x = std::get<Apply>(s.exp);
      if (!takes_product(x)) operations += step_cost(x.op, elem_of(p_, x.args.back()))->operations;
    }
    const size_t elements = 64 / size_t(bytes_), steps = bytes_ == 8 ? 2 : 3;
    const size_t work = 2 * steps * (operations + 2 * width_) + 4 * (operations + width_);
    return elements * latency > work / costs::cpu::operations_of_cycle;
  }

 private:
  // Of the left operand that it depends on; cycles after it is there, or for a product of floats those of its factors.
  struct Left { uint64_t components = 0; size_t latency = 0; };
  const Program& p_;
  const Combine& c_;
  const size_t width_;
  int bytes_ = 0;
  FlatMap<Var, Left> from_left_;
  VarSet products_;                            // of floats

  Left left(const Atom& a) const {
    auto v = var_of(a);
    auto found = v ? from_left_.find(*v) : nullptr;
    return found ? *found : Left{};
  }
  bool is_product(const Atom& a) const { return var_of(a) && products_.contains(*var_of(a)); }
  bool takes_product(const Apply& x) const {
    return (x.op == ScalarOp::add || x.op == ScalarOp::sub) && std::ranges::any_of(x.args, [&](const Atom& a) { return is_product(a); });
  }
  void define(const Stm& s) {
    auto x = std::get_if<Apply>(&s.exp);
    auto cost = x ? step_cost(x->op, elem_of(p_, x->args.back())) : std::nullopt;
    if (!cost) return;
    Left all;
    bool taken = false;                                    // a product, by this sum: of two products one comes first
    for (const Atom& a : x->args) {
      const Left l = left(a);
      const bool here = !taken && takes_product(*x) && is_product(a);
      taken = taken || here;
      all.components |= l.components;
      all.latency = std::max(all.latency, l.latency + (is_product(a) && !here && l.components ? costs::cpu::float_cycles : 0));
    }
    const bool product = x->op == ScalarOp::mul && is_float(elem_of(p_, x->args[0]));
    if (product) products_.insert(s.pattern[0].var);
    if (all.components) from_left_[s.pattern[0].var] = {all.components, all.latency + (product ? 0 : cost->latency)};
  }
};

// Which components of a scan `post` reads, a bit for each: the first of them is its parameter number `first`.
uint64_t read_components(const Program& p, const Lambda& post, size_t first, size_t count) {
  if (post.params.empty()) return (uint64_t(1) << count) - 1;          // the identity
  uint64_t read = 0;
  for (size_t k = 0; k < count; k++) each_use(p, post.body, [&](Var v) { if (v == post.params[first + k].var) read |= uint64_t(1) << k; });
  return read;
}

// Branches of an operator become selects, if what they do is single steps: nothing of it can fail.
void straighten(Program& p, Body& b) {
  Body straight;
  Builder out(p, straight.stms);
  for (auto& s : b.stms.take()) {
    auto x = std::get_if<If>(&s->exp);
    const bool scalars = x && std::ranges::all_of(s->pattern, [&](Bind r) { return is_scalar(p.type(r.var)); });
    if (!scalars) { out.emit(std::move(s)); continue; }
    for (Body* way : {&x->then_, &x->else_}) {
      straighten(p, *way);
      out.emit_all(std::move(way->stms));
    }
    for (size_t k = 0; k < s->pattern.size(); k++)
      out.emit({{s->pattern[k]}, Apply{ScalarOp::select, {x->cond, x->then_.result[k], x->else_.result[k]}}, s->checks, s->source, {}});
  }
  b.stms = std::move(straight.stms);
}
std::vector<Combine> straight(Program& p, const std::vector<Combine>& scans) {
  std::vector<Combine> made;
  for (const Combine& c : scans) {
    made.push_back(clone(p, c));
    straighten(p, made.back().op.body);
  }
  return made;
}

// What of the body and of `post` goes where.
class VectorScan {
 public:
  VectorScan(Program& p, const Stm& s, LoopParts x) : p_(p), s_(s), x_(std::move(x)), b_(p, out_) {
    b_.source = s.source;
    b_.checks = s.checks;
    straight_ = straight(p, x_.scans);
    if (x_.post.params.empty() && x_.post.body.result.empty())       // the identity
      for (const Atom& a : x_.body.result) {
        x_.post.params.push_back({p.fresh("scanned", p.type(a))});
        x_.post.body.result.push_back(x_.post.params.back().var);
      }
    size_t at = 0;
    for (const Combine& c : straight_) {
      needed_.push_back(VectorOperator(p, c).needed(read_components(p, x_.post, at, c.neutral.size())));
      at += c.neutral.size();
    }
  }

  std::vector<Stm> run() {
    const Term strip = number(costs::cpu::scan_strip), n = b_.term(x_.width);
    const Term strips = apply(ScalarOp::quot, {n, strip}), whole = strips * strip;
    std::vector<Atom> states = start();
    states = loop("strip", strips.atom, states, false, [&](const Atom& k, const std::vector<Atom>& now) { return one_strip(b_.term(k) * strip, now); });
    loop("j", (n - whole).atom, states, true, [&](const Atom& j, const std::vector<Atom>& now) { return one_element(whole + b_.term(j), now); });
    std::vector<Stm> made;
    for (auto& s : out_.take()) made.push_back(std::move(*s));
    return made;
  }

 private:
  Program& p_;
  const Stm& s_;
  LoopParts x_;
  List<Stm> out_;
  Builder b_;
  std::vector<Combine> straight_;              // the scans, without branches
  std::vector<uint64_t> needed_;               // of each scan: components that are handed on
  std::vector<Atom> outside_;                  // of each result that is an accumulator: what it was before

  Term number(int64_t n) { return b_.number(Scalar::I64, double(n)); }
  // f(scan, component, number among all components)
  template <class F> void each_component(F f) {
    size_t at = 0;
    for (size_t i = 0; i < x_.scans.size(); i++)
      for (size_t k = 0; k < x_.scans[i].neutral.size(); k++) f(i, k, at++);
  }
  bool is_needed(size_t scan, size_t k) const { return needed_[scan] >> k & 1; }

  // The neutral elements that are handed on, and the results.
  std::vector<Atom> start() {
    std::vector<Atom> states;
    each_component([&](size_t i, size_t k, size_t) { if (is_needed(i, k)) states.push_back(x_.scans[i].neutral[k]); });
    for (Bind b : s_.pattern) {
      Atom init;
      if (auto t = std::get_if<ArrayType>(&p_.type(b.var))) {
        const ArrayType copy = *t;
        init = b_.bind1(p_.hint(b.var), Scratch{copy.elem, copy.shape});
      } else {
        const Var token = std::get<AccType>(p_.type(b.var)).token;
        for (Var v : free_vars(p_, x_.post)) if (auto acc = std::get_if<AccType>(&p_.type(v)); acc && acc->token == token) init = v;
      }
      outside_.push_back(init);
      states.push_back(init);
    }
    return states;
  }
  template <class F> std::vector<Atom> loop(const char* hint, const Atom& n, const std::vector<Atom>& init, bool last, F fill) {
    For x{{p_.fresh(hint, scalar_type(Scalar::I64))}, n, {}, init, {}};
    std::vector<Atom> now;
    for (const Atom& a : init) {
      x.state.push_back({p_.fresh(var_of(a) ? p_.hint(*var_of(a)) : "reached", p_.type(a))});
      now.push_back(x.state.back().var);
    }
    x.body = b_.body([&] { return fill(x.i.var, now); });
    Stm s{{}, std::move(x), s_.checks, s_.source, s_.attrs};
    std::vector<Atom> after;
    const size_t handed_on = init.size() - s_.pattern.size();
    for (size_t k = 0; k < init.size(); k++) {
      const Var v = last && k >= handed_on ? s_.pattern[k - handed_on].var : p_.fresh(var_of(init[k]) ? p_.hint(*var_of(init[k])) : "reached", p_.type(init[k]));
      s.pattern.push_back({v});
      after.push_back(v);
    }
    b_.emit(std::move(s));
    return after;
  }
  // Emits a copy of the body for the element at `at`; returns its results.
  std::vector<Atom> elements(const Term& at) {
    Subst names;
    names.emplace(x_.i, at.atom);
    return copied(x_.body, names);
  }
  std::vector<Atom> copied(const Body& body, Subst& names) {
    Body copy = clone(p_, body, &names);
    substitute(p_, copy, names);
    b_.emit_all(std::move(copy.stms));
    return copy.result;
  }
  // Emits `post` for the element at `at`; returns those results after it. `now`: all of them before it.
  std::vector<Atom> store(const Term& at, std::vector<Atom> produced, const std::vector<Atom>& now, const std::vector<size_t>& which) {
    Subst names;
    names.emplace(x_.i, at.atom);
    for (size_t k = 0; k < x_.post.params.size(); k++) names.emplace(x_.post.params[k].var, produced[k]);
    for (size_t k = 0; k < now.size(); k++) if (!is_array(p_.type(now[k]))) names.emplace(*var_of(outside_[k]), now[k]);
    const std::vector<Atom> made = copied(x_.post.body, names);
    std::vector<Atom> after;
    for (size_t k : which) after.push_back(is_array(p_.type(now[k])) ? Atom(b_.update(*var_of(now[k]), {at.atom}, made[k])) : made[k]);
    return after;
  }

  // ---- the rest ----

  std::vector<Atom> one_element(const Term& at, const std::vector<Atom>& states) {
    std::vector<Atom> produced = elements(at), handed_on;
    std::vector<std::vector<Atom>> args(x_.scans.size());
    size_t state = 0;
    each_component([&](size_t i, size_t k, size_t) { args[i].push_back(is_needed(i, k) ? states[state++] : x_.scans[i].neutral[k]); });
    each_component([&](size_t i, size_t, size_t at) { args[i].push_back(produced[at]); });
    size_t from = 0;
    for (size_t i = 0; i < args.size(); i++) {
      const std::vector<Atom> reached = b_.inline_call(x_.scans[i].op, args[i]);
      for (size_t k = 0; k < reached.size(); k++) {
        produced[from++] = reached[k];
        if (is_needed(i, k)) handed_on.push_back(reached[k]);
      }
    }
    std::vector<size_t> all(s_.pattern.size());
    std::iota(all.begin(), all.end(), size_t(0));
    for (const Atom& a : store(at, std::move(produced), {states.begin() + ptrdiff_t(state), states.end()}, all)) handed_on.push_back(a);
    return handed_on;
  }

  // ---- a strip ----

  std::vector<Atom> one_strip(const Term& from, const std::vector<Atom>& states) {
    const Atom strip = i64_atom(costs::cpu::scan_strip);
    const std::vector<std::optional<Var>> kept = keep(from);
    std::vector<std::optional<Var>> after;               // of each component: the array of what the scan reaches
    std::vector<Atom> handed_on;
    size_t state = 0, at = 0;
    for (size_t i = 0; i < x_.scans.size(); i++) {
      Seg seg{SegLevel::Simd, {{p_.fresh("j", scalar_type(Scalar::I64))}}, {strip}, {}, {}, {clone(p_, straight_[i])}, {}, {}, {}};
      Combine& op = seg.scans[0];
      std::vector<size_t> made;
      for (size_t k = 0; k < op.neutral.size(); k++) {
        seg.post.params.push_back({p_.fresh("reached", p_.type(op.neutral[k]))});
        if (!is_needed(i, k)) continue;
        op.neutral[k] = states[state++];
        made.push_back(k);
        seg.post.body.result.push_back(seg.post.params[k].var);
      }
      seg.body = b_.body([&] {
        const Term j = b_.term(seg.index[0].var);
        std::vector<Atom> read;
        for (size_t k = at; k < at + op.neutral.size(); k++)
          read.push_back(kept[k] ? b_.index("x", *kept[k], {j.atom}) : b_.index("x", *element(x_.body.result[k]), {(from + j).atom}));
        return read;
      });
      const std::vector<Var> arrays = b_.bind("reached", std::move(seg));
      after.resize(at + op.neutral.size());
      for (size_t k = 0; k < made.size(); k++) {
        after[at + made[k]] = arrays[k];
        handed_on.push_back(b_.index("reached", arrays[k], {i64_atom(costs::cpu::scan_strip - 1)}));
      }
      at += x_.scans[i].neutral.size();
    }
    for (const Atom& a : results(from, {states.begin() + ptrdiff_t(state), states.end()}, after, kept)) handed_on.push_back(a);
    return handed_on;
  }
  // The results after a strip: what a scan reaches lies in its place as a whole, others by a loop over the elements.
  std::vector<Atom> results(const Term& from, std::vector<Atom> now, const std::vector<std::optional<Var>>& after, const std::vector<std::optional<Var>>& kept) {
    const Atom strip = i64_atom(costs::cpu::scan_strip);
    std::vector<size_t> rest;
    std::vector<bool> placed(after.size());
    for (size_t k = 0; k < now.size(); k++) {
      size_t q = 0;
      while (q < after.size() && x_.post.body.result[k] != Atom(x_.post.params[q].var)) q++;
      if (q == after.size() || placed[q]) { rest.push_back(k); continue; }
      placed[q] = true;
      now[k] = b_.bind1(p_.hint(*var_of(now[k])), Update{*var_of(now[k]), {Slice{from.atom, strip, i64_atom(1)}}, *after[q]});
    }
    if (rest.empty()) return now;
    For each{{p_.fresh("j", scalar_type(Scalar::I64))}, strip, {}, {}, {}};
    std::vector<Atom> inside = now;
    for (size_t k : rest) {
      each.init.push_back(now[k]);
      each.state.push_back({p_.fresh(p_.hint(*var_of(now[k])), p_.type(now[k]))});
      inside[k] = each.state.back().var;
    }
    each.body = b_.body([&] {
      const Term at = from + b_.term(each.i.var);
      std::vector<Atom> produced;
      for (size_t k = 0; k < x_.post.params.size(); k++) {
        const std::optional<Var> array = k < after.size() ? after[k] : kept[k], source = k < after.size() ? std::nullopt : element(x_.body.result[k]);
        produced.push_back(array    ? b_.index("x", *array, {each.i.var})
                           : source ? b_.index("x", *source, {at.atom})
                                    : b_.zero(p_.type(x_.post.params[k].var)));      // nobody reads it
      }
      return store(at, std::move(produced), inside, rest);
    });
    const std::vector<Var> made = b_.bind("out", std::move(each));
    for (size_t q = 0; q < rest.size(); q++) now[rest[q]] = made[q];
    return now;
  }
  // If a result of the body is an element of an array from outside: that array.
  std::optional<Var> element(const Atom& a) const {
    auto v = var_of(a);
    for (const Stm& s : x_.body.stms)
      if (auto read = std::get_if<Index>(&s.exp); read && v && s.pattern[0].var == *v && s.checks.empty() && read->at == std::vector<Selector>{Atom(x_.i)})
        return bound_in(x_.body).contains(read->array) ? std::nullopt : std::optional(read->array);
    return {};
  }
  // What the body computes for a strip and somebody needs, as arrays.
  std::vector<std::optional<Var>> keep(const Term& from) {
    const size_t scanned = width_of(x_.scans);
    std::vector<std::optional<Var>> kept(x_.body.result.size());
    std::vector<size_t> which;
    for (size_t k = 0; k < kept.size(); k++)
      if (!element(x_.body.result[k]) && (k < scanned || read_components(p_, x_.post, k, 1) != 0)) which.push_back(k);
    if (which.empty()) return kept;
    For each{{p_.fresh("j", scalar_type(Scalar::I64))}, i64_atom(costs::cpu::scan_strip), {}, {}, {}};
    for (size_t k : which) {
      each.init.push_back(b_.bind1("xs", Scratch{elem_of(p_, x_.body.result[k]), {each.n}}));
      each.state.push_back({p_.fresh("xs", p_.type(each.init.back()))});
    }
    each.body = b_.body([&] {
      const std::vector<Atom> made = elements(from + b_.term(each.i.var));
      std::vector<Atom> now;
      for (size_t q = 0; q < which.size(); q++) now.push_back(b_.update(each.state[q].var, {each.i.var}, made[which[q]]));
      return now;
    });
    const std::vector<Var> arrays = b_.bind("xs", std::move(each));
    for (size_t q = 0; q < which.size(); q++) kept[which[q]] = arrays[q];
    return kept;
  }
};

}  // namespace

bool gains_by_vectors(Program& p, const Stm& s, const LoopParts& x) {
  if (x.scans.empty() || !x.reduces.empty() || !x.post_reduces.empty() || !s.attrs.empty()) return false;
  if (auto n = const_of(x.width); n && n->as_i64() < 2 * costs::cpu::scan_strip) return false;
  // Arrays of scalars, and accumulators that `post` adds to. The body makes scalars.
  bool fine = std::ranges::all_of(x.body.result, [&](const Atom& a) { return is_scalar(p.type(a)); });
  for (Bind b : s.pattern) fine = fine && (is_acc(p.type(b.var)) || (is_array(p.type(b.var)) && shape_of(p.type(b.var)).size() == 1));
  bool stops = false, checks = false;                    // the body may fail or never end; `post` may fail
  each_stm(x.body, [&](const Stm& m) {
    stops = stops || (!traits_of(m.exp).speculatable && kind_of(m.exp) != Kind::Make);
    fine = fine && kind_of(m.exp) != Kind::Scope && !std::holds_alternative<AccUpdate>(m.exp) && m.attrs.empty();
  });
  each_stm(x.post.body, [&](const Stm& m) {
    checks = checks || (!traits_of(m.exp).speculatable && kind_of(m.exp) != Kind::Make);
    fine = fine && m.attrs.empty();
  });
  if (!fine || (stops && checks)) return false;
  size_t at = 0;
  for (const Combine& c : straight(p, x.scans)) {
    VectorOperator op(p, c);
    if (!op.has_vectors()) return false;
    if (!op.gains(op.needed(read_components(p, x.post, at, c.neutral.size())))) return false;
    at += c.neutral.size();
  }
  return true;
}

std::vector<Stm> in_vectors(Program& p, const Stm& s, LoopParts x) { return VectorScan(p, s, std::move(x)).run(); }

}  // namespace raido
