// interpret_ad.cc - derivatives of the interpreter: jvp by dual numbers, vjp by a tape.
//
// Entering an operator opens a new level. Its inputs become numbers with a node of that level. A scalar operation looks
// at the largest level among its operands. It computes its value and its partial derivatives on the level below, and
// makes a node from them. The level below may itself be differentiated: nested operators keep their perturbations
// apart. Comparisons and indices use plain values. Nothing here is shared with passes/ad; the formulas are the
// derivative columns of scalar_ops.def, evaluated on numbers.
#include <algorithm>
#include <cmath>

#include "compiler/ir/interpreter.h"
#include "compiler/ir/transform.h"

namespace raido::ir {

// A number in a derivative formula; its operators compute.
struct AdTerm {
  Interpreter* in;
  Num n;
  Num operator()() const { return n; }
  static AdTerm apply(ScalarOp op, std::initializer_list<AdTerm> xs) {
    Num args[3];
    size_t k = 0;
    for (const AdTerm& x : xs) args[k++] = x.n;
    Scalar working = working_type(op, args[0].value.type, args[k > 1 ? 1 : 0].value.type);
    Interpreter* in = xs.begin()->in;
    return {in, in->scalar(op, working, {args, k})};
  }
};

namespace {

using Op = ScalarOp;
AdTerm operator+(const AdTerm& a, const AdTerm& b) { return AdTerm::apply(Op::add, {a, b}); }
AdTerm operator-(const AdTerm& a, const AdTerm& b) { return AdTerm::apply(Op::sub, {a, b}); }
AdTerm operator*(const AdTerm& a, const AdTerm& b) { return AdTerm::apply(Op::mul, {a, b}); }
AdTerm operator/(const AdTerm& a, const AdTerm& b) { return AdTerm::apply(Op::div, {a, b}); }
AdTerm operator-(const AdTerm& a) { return AdTerm::apply(Op::neg, {a}); }
#define ONE(name) [[maybe_unused]] AdTerm name(const AdTerm& a) { return AdTerm::apply(Op::name, {a}); }
#define TWO(name) [[maybe_unused]] AdTerm name(const AdTerm& a, const AdTerm& b) { return AdTerm::apply(Op::name, {a, b}); }
ONE(sqrt) ONE(exp) ONE(log) ONE(sin) ONE(cos) ONE(sinh) ONE(cosh) ONE(sinpi) ONE(cospi) ONE(sgn) ONE(isnan) ONE(trunc)
TWO(quot) TWO(pow) TWO(le) TWO(lt) TWO(eq) TWO(shl) TWO(mul_hi) TWO(hypot) TWO(copysign) TWO(ldexp) TWO(polygamma)
#undef ONE
#undef TWO
AdTerm or_(const std::array<AdTerm, 2>& x) { return AdTerm::apply(Op::or_, {x[0], x[1]}); }
AdTerm select(const std::array<AdTerm, 3>& x) { return AdTerm::apply(Op::select, {x[0], x[1], x[2]}); }
AdTerm number_like(const AdTerm& x, double value) { return {x.in, Num{constant(x.n.value.type, value), {}}}; }

// x**y by x: y * x**(y-1), but 0 where x = 0 and y < 1.
AdTerm pow_dx(const AdTerm& x, const AdTerm& y) {
  AdTerm zero = number_like(x, 0), one = number_like(x, 1);
  AdTerm flat = AdTerm::apply(Op::and_, {eq(x, zero), lt(y, one)});
  return select({flat, zero, y * pow(x, y - one)});
}
AdTerm same_sign(const AdTerm& x, const AdTerm& y) {
  AdTerm one = number_like(x, 1);
  return select({eq(copysign(one, x), copysign(one, y)), one, -one});
}
AdTerm one_less_square(const AdTerm& x) {
  AdTerm one = number_like(x, 1);
  return (one - x) * (one + x);
}
// atan2 by its two arguments; 0 at the origin.
AdTerm over_square(const AdTerm& numerator, const AdTerm& x, const AdTerm& y) {
  AdTerm zero = number_like(x, 0), h = hypot(x, y);
  return select({eq(h, zero), zero, (numerator / h) / h});
}
AdTerm atan2_dx(const AdTerm& x, const AdTerm& y) { return over_square(y, x, y); }
AdTerm atan2_dy(const AdTerm& x, const AdTerm& y) { return over_square(-x, x, y); }

Num zero_of(Scalar type) { return {constant(type, 0), {}}; }

}  // namespace

// ---- Numbers with derivatives ----

Num Interpreter::primal(const Num& x, int level) const { return x.ad && x.ad->level == level ? x.ad->primal : x; }
Num Interpreter::tangent(const Num& x, int level) const {
  return x.ad && x.ad->level == level ? x.ad->tangent : zero_of(x.value.type);
}
Num Interpreter::dual(const Num& primal, const Num& tangent, int level) {
  Ref<Node> node(new Node);
  node->level = level;
  node->primal = primal;
  node->tangent = tangent;
  return {primal.value, node};
}
Num Interpreter::record(const Num& primal, std::vector<Tape::Parent> parents, int level) {
  Tape& tape = *tapes_[size_t(level)];
  Ref<Node> node(new Node);
  node->level = level;
  node->taped = true;
  node->primal = primal;
  node->index = tape.entries.size();
  tape.entries.push_back({std::move(parents), primal.value.type});
  return {primal.value, node};
}

Num Interpreter::scalar(ScalarOp op, Scalar working, std::span<const Num> args) {
  int level = 0;
  for (const Num& a : args)
    if (a.ad) level = std::max(level, a.ad->level);
  if (level > 0) return scalar_ad(op, working, args, level);
  if (working == Scalar::F64 && args.size() == 2) {  // what most programs do most
    double x = args[0].value.as<double>(), y = args[1].value.as<double>();
    if (op == Op::add) return {Const::of(working, x + y), {}};
    if (op == Op::mul) return {Const::of(working, x * y), {}};
    if (op == Op::sub) return {Const::of(working, x - y), {}};
  } else if (working == Scalar::I64 && args.size() == 2) {
    uint64_t x = args[0].value.bits, y = args[1].value.bits;
    if (op == Op::add) return {{working, x + y}, {}};
    if (op == Op::mul) return {{working, x * y}, {}};
    if (op == Op::sub) return {{working, x - y}, {}};
    if (op == Op::lt) return {bool_const(int64_t(x) < int64_t(y)), {}};
    if (op == Op::le) return {bool_const(int64_t(x) <= int64_t(y)), {}};
  }
  Const values[3];
  for (size_t i = 0; i < args.size(); i++) values[i] = args[i].value;
  return {fold(op, working, {values, args.size()}), {}};
}

// The derivative of `op` by operand `wrt`, on the level of its arguments.
Num Interpreter::partial(ScalarOp op, Scalar working, std::span<const Num> args, const Num& result, size_t wrt, bool& exists) {
  auto formula = [&]() -> std::optional<AdTerm> {
    auto arg = [&](size_t i) { return AdTerm{this, args[i < args.size() ? i : 0]}; };
    [[maybe_unused]] AdTerm x = arg(0), y = arg(1), z = arg(2), r{this, result};
    auto num = [&](double v) { return AdTerm{this, Num{constant(working, v), {}}}; };
    [[maybe_unused]] AdTerm one = num(1), zero = num(0), half = num(is_float(working) ? 0.5 : 0);
    [[maybe_unused]] std::optional<AdTerm> NONE;
#define OP1(name, domain, flags, value, dx) \
  if (op == Op::name && in_domain(Domain::domain, working)) return dx;
#define OP2(name, domain, flags, value, dx, dy)              \
  if (op == Op::name && in_domain(Domain::domain, working)) { \
    if (wrt == 0) return dx;                                 \
    return dy;                                               \
  }
#define OP3(name, domain, flags, value, dx, dy, dz)          \
  if (op == Op::name && in_domain(Domain::domain, working)) { \
    if (wrt == 0) return dx;                                 \
    if (wrt == 1) return dy;                                 \
    return dz;                                               \
  }
#include "compiler/ir/scalar_ops.def"
#undef OP1
#undef OP2
#undef OP3
    return {};
  }();
  exists = formula.has_value();
  return formula ? formula->n : Num{};
}

// A partial derivative times a tangent or adjoint. Nothing flows to the operand that was not chosen, even if the latter is
// infinite (docs/ad.md 10).
Num Interpreter::product(const Tape::Parent& of, const Num& by) {
  if (of.bits) return AdTerm::apply(*of.bits, {AdTerm{this, by}}).n;
  auto zero = [](const Num& x) { return is_float(x.value.type) && is_zero(x.value); };
  Num both = (AdTerm{this, of.partial} * AdTerm{this, by}).n;
  bool nothing = (of.choice && zero(of.partial)) || (options_.ad_safe_mul && (zero(of.partial) || zero(by)));
  return nothing && std::isnan(both.value.as_f64()) ? zero_of(by.value.type) : both;
}

Num Interpreter::scalar_ad(ScalarOp op, Scalar working, std::span<const Num> args, int level) {
  Num primals[3];
  for (size_t i = 0; i < args.size(); i++) primals[i] = primal(args[i], level);
  std::span<const Num> below(primals, args.size());
  Num result = scalar(op, working, below);
  if (result.value.type == Scalar::Bool) return result;
  bool taped = tapes_[size_t(level)] != nullptr, active = false;
  bool choice = is_choice(op, working);
  Num sum = zero_of(result.value.type);
  std::vector<Tape::Parent> parents;
  for (size_t i = 0; i < args.size(); i++) {
    if (!args[i].ad || args[i].ad->level != level) continue;
    bool exists = false;
    Num d = partial(op, working, below, result, i, exists);
    bool to_bits = op == Op::to_bits, bits = to_bits || op == Op::from_bits;
    if (!exists && !bits) continue;
    if (!taped && choice && is_zero(d.value)) continue;   // what was not chosen has no tangent
    active = true;
    Tape::Parent parent{args[i].ad->index, d, choice, {}, {}};
    if (bits) parent.bits = to_bits == taped ? Op::from_bits : Op::to_bits;
    if (taped) parents.push_back(std::move(parent));
    else sum = (AdTerm{this, sum} + AdTerm{this, product(parent, args[i].ad->tangent)}).n;
  }
  if (!active) return result;
  return taped ? record(result, std::move(parents), level) : dual(result, sum, level);
}

Num Interpreter::convert_num(Scalar to, const Num& x) {
  if (!x.ad) return {convert(to, x.value), {}};
  int level = x.ad->level;
  Num result = convert_num(to, x.ad->primal);
  Scalar from = x.value.type;
  bool passes = to != Scalar::Bool && from != Scalar::Bool && (options_.ad_int_cast || !(is_float(from) && !is_float(to)));
  if (!passes) return result;
  if (x.ad->taped) return record(result, {{x.ad->index, {}, false, from}}, level);
  return dual(result, convert_num(to, x.ad->tangent), level);
}

// ---- Whole values ----

template <class F> void Interpreter::each_number(const Cell& c, F&& f) {
  if (auto n = std::get_if<Num>(&c)) return f(*n);
  const Ref<Array>* a = std::get_if<Ref<Array>>(&c);
  if (!a) return;
  auto visit = [&](auto&& self, size_t dim, i64 offset) -> void {
    if (dim == (*a)->shape.size()) return f(load(**a, offset));
    for (i64 i = 0; i < (*a)->shape[dim]; i++) self(self, dim + 1, offset + i * (*a)->strides[dim]);
  };
  visit(visit, 0, (*a)->offset);
}
template <class F> Cell Interpreter::map_numbers(const Cell& c, F&& f) {
  if (auto n = std::get_if<Num>(&c)) return f(*n);
  const Ref<Array>* a = std::get_if<Ref<Array>>(&c);
  if (!a) return c;
  Ref<Array> r = fresh((*a)->elem, (*a)->shape);
  i64 next = 0;
  each_number(c, [&](const Num& n) { store(*r, next++, f(n)); });
  return r;
}

Cell Interpreter::zeros_like(const Cell& c, const std::vector<i64>& batch) {
  Scalar elem;
  std::vector<i64> shape = batch;
  if (auto n = std::get_if<Num>(&c)) {
    elem = n->value.type;
  } else {
    const Array& a = *std::get<Ref<Array>>(c);
    elem = a.elem;
    shape.insert(shape.end(), a.shape.begin(), a.shape.end());
  }
  if (shape.empty()) return zero_of(elem);
  Ref<Array> r = fresh(elem, shape);
  std::fill(r->buffer->bytes.begin(), r->buffer->bytes.end(), 0);
  return r;
}

namespace {

// All indices of a shape in row-major order; once, with no index, for the empty shape.
template <class F> void each_index(const std::vector<i64>& shape, F&& f) {
  std::vector<i64> at(shape.size(), 0);
  auto visit = [&](auto&& self, size_t dim) -> void {
    if (dim == shape.size()) return f(at);
    for (at[dim] = 0; at[dim] < shape[dim]; at[dim]++) self(self, dim + 1);
  };
  visit(visit, 0);
}

}  // namespace

// Runs f once for each direction of the batch; the value comes from the last run, or from a plain one if there is none.
std::vector<Cell> Interpreter::jvp(const Jvp& x) {
  std::vector<i64> batch = integers(x.batch);
  std::vector<Cell> at, tangents, values, derivatives;
  for (const Atom& a : x.at) at.push_back(value(a));
  for (const Atom& a : x.tangents) tangents.push_back(value(a));
  int level = ++level_;
  tapes_.resize(size_t(level) + 1);
  tapes_[size_t(level)] = nullptr;
  auto run = [&](std::span<const i64> k, bool with_tangents) {
    std::vector<Cell> args;
    for (size_t i = 0; i < at.size(); i++) {
      if (!with_tangents) {
        args.push_back(at[i]);
        continue;
      }
      std::vector<Num> direction;
      each_number(seed_slice(tangents[i], k), [&](const Num& n) { direction.push_back(n); });
      size_t next = 0;
      args.push_back(map_numbers(at[i], [&](const Num& n) { return dual(n, direction[next++], level); }));
    }
    return apply(x.f, std::move(args));
  };
  auto split = [&](const Cell& c, bool derivative) {
    return map_numbers(c, [&](const Num& n) { return derivative ? tangent(n, level) : primal(n, level); });
  };
  std::vector<Cell> results;
  if (!batch.empty()) {
    results = run({}, false);
    for (const Cell& c : results)
      if (!failed()) values.push_back(c), derivatives.push_back(zeros_like(c, batch));
    each_index(batch, [&](const std::vector<i64>& k) {
      if (failed()) return;
      results = run(k, true);
      for (size_t i = 0; i < results.size() && !failed(); i++)
        store_at(*std::get<Ref<Array>>(derivatives[i]), k, split(results[i], true));
    });
  } else {
    results = run({}, true);
    for (const Cell& c : results) values.push_back(split(c, false)), derivatives.push_back(split(c, true));
  }
  level_--;
  if (failed()) return {};
  for (Cell& c : derivatives) values.push_back(std::move(c));
  return values;
}

// One forward run that records, then one walk back over the tape for each seed of the batch.
std::vector<Cell> Interpreter::vjp(const Vjp& x) {
  std::vector<i64> batch = integers(x.batch);
  std::vector<Cell> at, seeds, derivatives;
  for (const Atom& a : x.at) at.push_back(value(a));
  for (const Atom& a : x.adjoints) seeds.push_back(value(a));
  int level = ++level_;
  Tape tape{level, {}};
  tapes_.resize(size_t(level) + 1);
  tapes_[size_t(level)] = &tape;
  std::vector<Cell> args;
  std::vector<size_t> first;  // tape entry of the first number of each parameter
  for (const Cell& c : at) {
    first.push_back(tape.entries.size());
    args.push_back(map_numbers(c, [&](const Num& n) { return record(n, {}, level); }));
  }
  std::vector<Cell> results = apply(x.f, std::move(args)), values;
  tapes_[size_t(level)] = nullptr;
  level_--;
  if (failed()) return {};
  std::vector<std::vector<size_t>> places;  // tape entries of the results' numbers; none: constant
  for (const Cell& c : results) {
    std::vector<size_t>& list = places.emplace_back();
    each_number(c, [&](const Num& n) { list.push_back(n.ad && n.ad->level == level ? n.ad->index : SIZE_MAX); });
    values.push_back(map_numbers(c, [&](const Num& n) { return primal(n, level); }));
  }
  for (const Cell& c : at) derivatives.push_back(zeros_like(c, batch));
  each_index(batch, [&](const std::vector<i64>& k) {
    if (failed()) return;
    std::vector<std::optional<Num>> adjoint(tape.entries.size());
    auto add = [&](size_t index, const Num& n) {
      std::optional<Num>& a = adjoint[index];
      a = a ? (AdTerm{this, *a} + AdTerm{this, n}).n : n;
    };
    for (size_t i = 0; i < results.size(); i++) {
      size_t next = 0;
      each_number(seed_slice(seeds[i], k), [&](const Num& n) {
        size_t place = places[i][next++];
        if (place != SIZE_MAX && n.value.type != Scalar::Bool) add(place, n);
      });
    }
    for (size_t i = tape.entries.size(); i-- > 0 && !failed();) {
      if (const Tape::Rule* rule = tape.entries[i].rule.get()) {
        std::vector<Num> adjoints;
        bool any = false;
        for (size_t j = 0; j < rule->results.size(); j++) {
          const std::optional<Num>& a = adjoint[i + 1 + j];
          any = any || a;
          adjoints.push_back(a ? *a : zero_of(rule->results[j]));
        }
        if (!any) continue;
        std::vector<Num> out = rule->run(adjoints);
        for (size_t j = 0; j < out.size() && !failed(); j++)
          if (rule->args[j] != Tape::Rule::none && out[j].value.type != Scalar::Bool) add(rule->args[j], out[j]);
      }
      if (!adjoint[i]) continue;
      for (const Tape::Parent& p : tape.entries[i].parents)
        if (!(p.choice && is_zero(p.partial.value))) add(p.index, p.convert ? convert_num(*p.convert, *adjoint[i]) : product(p, *adjoint[i]));
    }
    for (size_t i = 0; i < at.size(); i++) {
      size_t next = first[i];
      Cell d = map_numbers(at[i], [&](const Num& n) {
        const std::optional<Num>& a = adjoint[next++];
        return a ? *a : zero_of(n.value.type);
      });
      if (batch.empty()) derivatives[i] = std::move(d);
      else store_at(*std::get<Ref<Array>>(derivatives[i]), k, d);
    }
  });
  if (failed()) return {};
  for (Cell& c : derivatives) values.push_back(std::move(c));
  return values;
}

// ---- Functions with rules of their own ----

int Interpreter::level_of(const Cell& c) {
  int level = 0;
  each_number(c, [&](const Num& n) { if (n.ad) level = std::max(level, n.ad->level); });
  return level;
}

std::vector<Cell> Interpreter::custom(const Custom& x, Source source) {
  std::vector<Cell> args;
  int level = 0;
  for (const Atom& a : x.args) {
    args.push_back(value(a));
    level = std::max(level, level_of(args.back()));
  }
  // What the rule does not see it cannot give a derivative for.
  for (const std::optional<Lambda>* rule : {&x.jvp, &x.vjp}) {
    if (!*rule) continue;
    std::vector<Var> free = free_vars(program_, x.f), more = free_vars(program_, **rule);
    free.insert(free.end(), more.begin(), more.end());
    for (Var v : free) {
      int at = level_of(cell(v));
      bool has_rule = at > 0 && (tapes_[size_t(at)] ? x.vjp.has_value() : x.jvp.has_value());
      if (!has_rule || (level > 0 && at != level)) continue;
      fail(source, fmt::format("`{}` is differentiated, but a function with a derivative rule of its own uses it without taking it as its argument.",
                               program_.hint(v)));
      return {};
    }
  }
  return custom(x, args);
}

// The rule belongs to one operator, the innermost that the arguments depend on; the others see it as ordinary code, and the
// function as one with a rule again.
std::vector<Cell> Interpreter::custom(const Custom& x, const std::vector<Cell>& args) {
  int level = 0;
  for (const Cell& c : args) level = std::max(level, level_of(c));
  if (level == 0) return apply(x.f, args);
  Tape* tape = tapes_[size_t(level)];
  std::vector<Cell> below, results;
  for (const Cell& c : args) below.push_back(map_numbers(c, [&](const Num& n) { return primal(n, level); }));
  std::vector<Cell> values = custom(x, below);
  if (failed()) return {};
  // Number by number beside those of `derivatives`, which have the same shapes.
  auto joined = [&](const std::vector<Cell>& derivatives, auto&& join) {
    for (size_t i = 0; i < derivatives.size(); i++) {
      std::vector<Num> ds;
      each_number(derivatives[i], [&](const Num& n) { ds.push_back(n); });
      size_t next = 0;
      results.push_back(map_numbers(values[i], [&](const Num& n) { return join(n, ds[next++]); }));
    }
    return results;
  };
  auto own_derivative = [&](const Num& n, const Num& d) {
    if (!d.ad || d.ad->level != level) return n;
    if (!tape) return dual(n, d.ad->tangent, level);
    return record(n, {{d.ad->index, {constant(n.value.type, 1), {}}, false, {}}}, level);
  };
  if (!tape && x.jvp) {
    std::vector<Cell> both = below;
    for (const Cell& c : args) both.push_back(map_numbers(c, [&](const Num& n) { return tangent(n, level); }));
    std::vector<Cell> tangents = apply(*x.jvp, std::move(both));
    if (failed()) return {};
    return joined(tangents, [&](const Num& n, const Num& t) { return dual(n, t, level); });
  }
  if (tape && x.vjp) {
    Tape::Rule rule;
    for (const Cell& c : args)
      each_number(c, [&](const Num& n) { rule.args.push_back(n.ad && n.ad->level == level ? n.ad->index : Tape::Rule::none); });
    auto kept = values.begin() + x.kept;
    std::vector<Cell> own;
    if (x.kept > 0) own = apply(x.f, args);
    if (failed()) return {};
    for (auto c = kept; c != values.end(); c++) each_number(*c, [&](const Num& n) { rule.results.push_back(n.value.type); });
    // The frame may be gone when the tape is read.
    std::vector<std::pair<Var, Cell>> captured;
    for (Var v : free_vars(program_, *x.vjp))
      if (!slots_[v.index].global) captured.emplace_back(v, cell(v));
    rule.run = [this, &x, captured, values, size = frame_->size()](const std::vector<Num>& adjoints) {
      std::vector<Cell> frame(size), both = values;
      std::vector<Cell>* saved = std::exchange(frame_, &frame);
      for (const auto& [v, c] : captured) cell(v) = c;
      size_t next = 0;
      for (size_t i = 0; i < values.size(); i++)
        both.push_back(map_numbers(values[i], [&](const Num& n) { return i < size_t(x.kept) ? zero_of(n.value.type) : adjoints[next++]; }));
      std::vector<Num> out;
      for (const Cell& c : apply(*x.vjp, std::move(both))) each_number(c, [&](const Num& n) { out.push_back(n); });
      frame_ = saved;
      return out;
    };
    own.resize(size_t(x.kept));
    joined(own, own_derivative);
    tape->entries.push_back({{}, Scalar::Bool, std::make_shared<const Tape::Rule>(std::move(rule))});
    for (auto c = kept; c != values.end(); c++) results.push_back(map_numbers(*c, [&](const Num& n) { return record(n, {}, level); }));
    return results;
  }
  // No rule for this mode: the derivative of the function itself.
  std::vector<Cell> own = apply(x.f, args);
  if (failed()) return {};
  return joined(own, own_derivative);
}

}  // namespace raido::ir
