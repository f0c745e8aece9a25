// arrays.cc - indexing, slicing and updating, on all leaves of a value at once, with their bounds checks.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/lower/lowerer.h"

namespace raido::lower {

// The outer `dims` sizes of an array value.
std::vector<Dim> Lowerer::shape_prefix(const Value& v, size_t dims) const {
  std::vector<Dim> s = shape(atoms(v).at(0));
  CHECK(dims <= s.size(), "{} indexes of {} dimensions", dims, s.size());
  return {s.begin(), s.begin() + ptrdiff_t(dims)};
}

// One slice i:j:s of a dimension. `ok` is strengthened by its condition; `shown` is its text in a message.
ir::Slice Lowerer::slice(const ast::Selector& s, const Dim& width, Scope* scope, Term& ok, std::string& shown,
                         std::vector<Atom>& shown_args) {
  Term zero = number(0), w = term(width);
  std::optional<Term> step, to, from;
  if (s.step) step = term(eval(*s.step, scope));
  if (s.to) to = term(eval(*s.to, scope));
  if (s.from) from = term(eval(*s.from, scope));
  auto show = [&](const std::optional<Term>& t) {
    if (!t) return;
    shown += "{}";
    shown_args.push_back(t->atom);
  };
  show(from), shown += ":", show(to);
  if (step) shown += ":", show(step);
  if (!step || ir::is_const(step->atom, 1)) {
    Term i = from.value_or(zero), j = to.value_or(w), n = j - i;
    // The empty slice i:i is fine wherever it is.
    if (from || to) {
      Term inside = ir::all_of({le(zero, i), le(i, j), le(j, w)});
      ok = and_(ok, from && to ? or_(eq(i, j), inside) : inside);
    }
    return {i.atom, n.atom, i64_const(1)};
  }
  Term forward = lt(zero, *step);
  Term i = from ? *from : ir::select({forward, zero, w - 1}), j = to ? *to : ir::select({forward, w, number(-1)});
  if (ir::is_const(step->atom, -1) && !from && !to) return {i.atom, w.atom, step->atom};
  auto onward = [&] { return ir::select({forward, lt(i, j), lt(j, i)}); };
  Term nonzero = not_(eq(*step, zero)), n = zero, empty = nonzero;
  const Const* known = ir::const_of(step->atom);
  if (known && known->as_i64() < (1 << 30) && known->as_i64() > -(1 << 30)) {
    Term sign = ir::select({forward, number(1), number(-1)}), divisor = ir::select({nonzero, *step, number(1)});
    n = ir::apply(ScalarOp::quot, {((j - i) + *step) - sign, divisor});
    empty = eq(n, zero);
    if (from && to) empty = and_(empty, not_(onward()));
  } else {
    // Distance and stride may both have 64 bits, so that their sum would wrap around.
    auto bits = [&](const Term& x) { return ir::convert(Scalar::U64, x); };
    Term distance = bits(ir::select({forward, j - i, i - j})), stride = bits(ir::select({forward, *step, zero - *step})), one = bits(number(1));
    Term whole = ir::convert(Scalar::I64, ir::apply(ScalarOp::quot, {distance - one, ir::apply(ScalarOp::max, {stride, one})})) + number(1);
    Term reaches = onward(), behind = bits(zero) - distance, half = behind - ir::apply(ScalarOp::quot, {behind, bits(number(2))});
    n = ir::select({reaches, whole, zero});
    empty = ir::all_of({not_(reaches), lt(half, stride)});
  }
  Term last = i + (n - 1) * *step;
  Term up = ir::all_of({le(zero, i), le(i, j), le(zero, last), lt(last, w)});
  Term down = ir::all_of({le(number(-1), j), le(j, i), lt(i, w), le(zero, last)});
  ok = and_(ok, and_(nonzero, or_(empty, ir::select({forward, up, down}))));
  return {i.atom, n.atom, step->atom};
}

// The core selectors of a[..], with one check for all of them.
std::vector<ir::Selector> Lowerer::selectors(std::span<const ast::Selector> parts, const std::vector<Dim>& dims, Scope* scope,
                                             std::vector<Var>& checks) {
  std::vector<ir::Selector> out(parts.size());
  std::vector<std::string> shown(parts.size());
  std::vector<std::vector<Atom>> args(parts.size());
  Term ok = term(bool_const(true)), zero = number(0);
  for (size_t k = parts.size(); k-- > 0;) {
    if (parts[k].slice) {
      out[k] = slice(parts[k], dims[k], scope, ok, shown[k], args[k]);
      continue;
    }
    Term i = ir::convert(Scalar::I64, term(eval(*parts[k].at, scope)));
    ok = and_(ir::all_of({le(zero, i), lt(i, term(dims[k]))}), ok);
    out[k] = i.atom;
    shown[k] = "{}";
    args[k] = {i.atom};
  }
  std::vector<Atom> all;
  std::string shape_text;
  for (auto& a : args) all.insert(all.end(), a.begin(), a.end());
  for (const Dim& d : dims) shape_text += "[{}]", all.push_back(d);
  checks.push_back(check(ok, fill(err::index_bounds.text, {join(shown, ", "), shape_text}), all));
  return out;
}

Value Lowerer::index(const Value& v, const std::vector<ir::Selector>& at) {
  return map_leaves(v, [&](const Dynamic& d) -> Value {
    Var a = *ir::var_of(d.atom);
    return Dynamic{b_->bind1(program_.hint(a) == "is" ? "i" : program_.hint(a), ir::Index{a, at}), d.borrowed};
  });
}
Value Lowerer::element(const Value& v, const Atom& i) { return index(v, {ir::Selector(i)}); }

Value Lowerer::with(const ast::With& w, Scope* scope) {
  Value v = eval(*w.value, scope);
  Value base = eval(*w.base, scope);
  std::vector<Var> checks;
  return update(base, w.steps, {}, v, scope, checks);
}

// base with steps = value. `at`: indices already passed, which apply to every leaf of base.
Value Lowerer::update(const Value& base, std::span<ast::Step> steps, std::vector<ir::Selector> at_,
                      const Value& value, Scope* scope, std::vector<Var>& checks) {
  if (steps.empty()) {
    if (at_.empty()) return value;
    Value target = owned(base);
    std::vector<Atom> arrays = atoms(target), parts = atoms(value), results;
    std::vector<Dim> counts;
    for (const ir::Selector& s : at_)
      if (auto slice = std::get_if<ir::Slice>(&s)) counts.push_back(slice->count);
    if (!counts.empty() && !parts.empty()) {
      Term same = term(bool_const(true));
      std::vector<Dim> have = shape(parts[0]);
      std::string shown;
      for (size_t k = 0; k < counts.size(); k++) {
        if (have[k] != counts[k]) same = and_(same, eq(term(have[k]), term(counts[k])));
        shown += "[{}]";
      }
      std::vector<Atom> args(counts.begin(), counts.end());
      args.insert(args.end(), have.begin(), have.begin() + ptrdiff_t(counts.size()));
      checks.push_back(check(same, fill(err::slice_shape.text, {shown, shown}), args));
    }
    return checked_by(checks, [&] {
      for (size_t i = 0; i < arrays.size(); i++) {
        Var a = *ir::var_of(arrays[i]);
        Atom part = with_shape(parts[i], ir::selected_shape(shape(a), at_));
        results.push_back(b_->bind1(program_.hint(a), ir::Update{a, at_, part}));
      }
      return rebuild(target, results);
    });
  }
  const ast::Step& step = steps[0];
  if (step.is_field) {
    auto p = std::get_if<std::shared_ptr<const Product>>(&base);
    CHECK(p, "a field of what is no record is updated");
    std::vector<std::pair<Name, Value>> fields;
    for (auto& [n, f] : (*p)->fields)
      fields.emplace_back(n, n == step.field ? update(f, steps.subspan(1), at_, value, scope, checks) : f);
    return product(std::move(fields));
  }
  bool sliced = std::any_of(at_.begin(), at_.end(), [](const ir::Selector& s) { return std::holds_alternative<ir::Slice>(s); });
  if (sliced) {   // the indices that follow count within the slice: take the part out, update it, put it back
    Value part = checked_by(checks, [&] { return index(base, at_); });
    Value copy = map_leaves(part, [&](const Dynamic& d) { return dynamic(b_->copy(*ir::var_of(d.atom))); });
    Value changed = update(copy, steps, {}, value, scope, checks);
    return update(base, {}, at_, changed, scope, checks);
  }
  std::vector<Dim> dims = shape_prefix(base, at_.size() + step.at.size());
  dims.erase(dims.begin(), dims.begin() + ptrdiff_t(at_.size()));
  std::vector<ir::Selector> more = selectors(step.at, dims, scope, checks);
  at_.insert(at_.end(), more.begin(), more.end());
  return update(base, steps.subspan(1), std::move(at_), value, scope, checks);
}

// (.a[i].b) applied to v.
Value Lowerer::access(std::span<ast::Step> steps, Value v, Scope* scope) {
  for (const ast::Step& step : steps) {
    if (step.is_field) {
      v = field(v, step.field);
      continue;
    }
    std::vector<Var> checks;
    std::vector<ir::Selector> s = selectors(step.at, shape_prefix(v, step.at.size()), scope, checks);
    v = checked_by(checks, [&] { return index(v, s); });
  }
  return v;
}

}  // namespace raido::lower
