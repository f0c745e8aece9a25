// lane_indices.cc - see lane_indices.h.
#include "backends/kernel/lane_indices.h"

#include "compiler/base/match.h"

namespace raido::kir {

void LaneIndices::find(const Block& b) {
  for (const Stm& s : b)
    match(s.node,
      [&](const Declare& x) {
        if (!x.init || !varying_.contains(x.var) || assigned_.contains(x.var)) return;
        if (m_.names[x.var.index].type == Scalar::Bool ? is_comparison(*x.init) : stride(*x.init).has_value()) value_[x.var] = *x.init;
      },
      [&](const For& x) { find(x.body); }, [&](const While& x) { find(x.test); find(x.body); },
      [&](const If& x) { find(x.then_); find(x.else_); }, [](const auto&) {});        // others declare none
}

std::optional<int64_t> LaneIndices::stride(ExprId e) const {
  const Expr& x = m_.exprs[e.index];
  if (x.type != Scalar::I64) return {};
  if (auto n = std::get_if<Name>(&x.node)) {
    if (*n == i_ || *n == lane_) return 1;
    if (auto of = value(*n)) return stride(*of);
    return varying_.contains(*n) || reduced_.contains(*n) || assigned_.contains(*n) ? std::nullopt : std::optional(0);
  }
  if (std::holds_alternative<Const>(x.node)) return 0;
  auto op = std::get_if<Prim>(&x.node);
  if (!op || op->args.size() != 2) return {};
  auto a = stride(op->args[0]), b = stride(op->args[1]);
  if (!a || !b) return {};
  if (op->op == ScalarOp::add) return *a + *b;
  if (op->op == ScalarOp::sub) return *a - *b;
  if (op->op == ScalarOp::mul && *a == 0 && *b == 0) return 0;
  if (op->op == ScalarOp::mul && *b == 0) return times(*a, op->args[1]);
  if (op->op == ScalarOp::mul && *a == 0) return times(*b, op->args[0]);
  return {};
}
// Small enough that between the first lane and the last one, a number overflows once at most: then in_all_lanes finds it.
std::optional<int64_t> LaneIndices::times(int64_t stride, ExprId factor) const {
  auto c = std::get_if<Const>(&m_.exprs[factor.index].node);
  constexpr int64_t most = 1 << 24;
  int64_t by = c ? c->as_i64() : 0;
  if (!c || by > most || by < -most || stride > most || stride < -most) return {};
  return stride * by;
}
// Of a side of a comparison, which may be one of unsigned numbers.
std::optional<int64_t> LaneIndices::side_stride(ExprId e) const {
  auto cast = std::get_if<Cast>(&m_.exprs[e.index].node);
  return stride(cast && m_.exprs[e.index].type == Scalar::U64 ? cast->value : e);
}
bool LaneIndices::is_comparison(ExprId e) const {
  if (auto n = std::get_if<Name>(&m_.exprs[e.index].node)) return value(*n).has_value();
  auto op = std::get_if<Prim>(&m_.exprs[e.index].node);
  if (!op) return false;
  if (op->op == ScalarOp::lt || op->op == ScalarOp::le) return side_stride(op->args[0]) && side_stride(op->args[1]);
  return op->op == ScalarOp::and_ && is_comparison(op->args[0]) && is_comparison(op->args[1]);
}

ExprId LaneIndices::in_lane(ExprId e, const At& at) {
  if (auto n = std::get_if<Name>(&m_.exprs[e.index].node)) {
    auto of = value(*n);
    return *n == i_ ? at.i : *n == lane_ ? at.lane : of ? in_lane(*of, at) : e;
  }
  const Scalar type = m_.exprs[e.index].type;
  if (auto cast = std::get_if<Cast>(&m_.exprs[e.index].node)) return m_.expr({Cast{in_lane(cast->value, at)}, type});
  auto op = std::get_if<Prim>(&m_.exprs[e.index].node);
  if (!op) return e;
  Prim x = *op;
  for (ExprId& a : x.args) a = in_lane(a, at);
  return m_.expr({x, type});
}
ExprId LaneIndices::in_all_lanes(ExprId e, const At& first, const At& last) {
  if (auto n = std::get_if<Name>(&m_.exprs[e.index].node)) return in_all_lanes(*value(*n), first, last);
  const Prim op = std::get<Prim>(m_.exprs[e.index].node);
  auto both = [&](ExprId a, ExprId b) { return m_.prim(ScalarOp::and_, {a, b}); };
  if (op.op == ScalarOp::and_) return both(in_all_lanes(op.args[0], first, last), in_all_lanes(op.args[1], first, last));
  ExprId holds = both(in_lane(e, first), in_lane(e, last));
  for (ExprId side : op.args) {
    int64_t by = *side_stride(side);
    ExprId from = in_lane(side, first), to = in_lane(side, last);
    if (by != 0 && side != m_.var(i_)) holds = both(holds, m_.prim(ScalarOp::le, by > 0 ? std::vector{from, to} : std::vector{to, from}));
  }
  return holds;
}

}  // namespace raido::kir
