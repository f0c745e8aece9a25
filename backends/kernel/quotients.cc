// quotients.cc - a division of 64 bits is some eighty instructions of a device. Kernels divide by extents: a thread finds its place in an array so.
//
//   let q = x / n   ==>   if (0 <= x < limit) q = x * factor >> shift; else q = x / n;
//
// The host computes the three numbers of n: for 0 < n < 2^31 let 2^b be the least power of two that is not below n. Then `shift` is 31 + b,
// `factor` 2^shift / n + 1, rounded down, and `limit` 2^31. So factor * n is 2^shift + e with 0 < e <= 2^b, and
//
//   x * factor / 2^shift = x / n + x * e / (n * 2^shift) < x / n + 1 / n    as x * e < 2^31 * 2^b,
//
// which has the same integral part as x / n. The product has 63 bits, since factor < 2^32. Otherwise `limit` is 0.
#include "backends/kernel/quotients.h"
#include "backends/kernel/walk.h"

#include <map>

namespace raido::kir {
namespace {

class Quotients {
 public:
  Quotients(Module& m, const Kernel& k, Name own, Block& host) : m_(m), host_(host) {
    for (Name n : free_names(m, k.body)) if (n != own && !m.names[n.index].memory) given_.insert(n);
  }

  void run(Block& b) {
    Block out;
    for (auto& s : b.take()) {
      each_body(*s, [&](Block& inner) { run(inner); });
      auto d = std::get_if<Declare>(&s->node);
      auto p = d && d->init ? std::get_if<Prim>(&m_.exprs[d->init->index].node) : nullptr;
      if (p && is_division(*p) && is_given(p->args[1])) divide(out, d->var, *d->init);
      else out.push_back(std::move(s));
    }
    b = std::move(out);
  }

 private:
  static constexpr int64_t most = int64_t(1) << 31;
  struct Divisor { ExprId factor, shift, limit; };

  Module& m_;
  Block& host_;
  IdSet<Name> given_;                                      // numbers that the launch gives
  std::map<uint32_t, Divisor> divisors_;                   // by expression

  static bool is_division(const Prim& p) {
    using enum ScalarOp;
    return p.at == Scalar::I64 && (p.op == quot || p.op == div || p.op == rem || p.op == mod);
  }
  bool is_given(ExprId e) const {
    return !m_.const_of(e) && !any_part(m_, e, [&](ExprId part) {
      auto n = std::get_if<Name>(&m_.exprs[part.index].node);
      return n ? !given_.contains(*n) : std::holds_alternative<Load>(m_.exprs[part.index].node) || std::holds_alternative<Hardware>(m_.exprs[part.index].node);
    });
  }
  ExprId less(ExprId a, ExprId b) { return m_.prim(ScalarOp::lt, {a, b}); }
  ExprId on_host(std::string_view hint, ExprId value) {
    Name n = m_.name(hint, Scalar::I64);
    host_.push_back({Declare{n, value}});
    return m_.var(n);
  }
  Divisor divisor(ExprId n) {
    if (auto known = divisors_.find(n.index); known != divisors_.end()) return known->second;
    ExprId one = m_.number(1), fits = m_.prim(ScalarOp::and_, {less(m_.number(0), n), less(n, m_.number(most))});
    ExprId by = on_host("divisor", m_.prim(ScalarOp::select, {fits, n, one}));
    ExprId zeros = m_.expr({Cast{m_.prim(ScalarOp::clz, {m_.prim(ScalarOp::sub, {by, one})})}, Scalar::I64});
    ExprId shift = on_host("shift", m_.prim(ScalarOp::sub, {m_.number(31 + 64), zeros}));
    ExprId factor = on_host("factor", m_.add(m_.prim(ScalarOp::quot, {m_.prim(ScalarOp::shl, {one, shift}), by}), one));
    ExprId limit = on_host("limit", m_.prim(ScalarOp::select, {fits, m_.number(most), m_.number(0)}));
    return divisors_[n.index] = {factor, shift, limit};
  }
  void divide(Block& out, Name to, ExprId division) {
    const Prim p = std::get<Prim>(m_.exprs[division.index].node);
    const Divisor by = divisor(p.args[1]);
    ExprId x = p.args[0];
    if (!std::holds_alternative<Name>(m_.exprs[x.index].node)) {
      Name n = m_.name("dividend", Scalar::I64);
      out.push_back({Declare{n, x}});
      x = m_.var(n);
    }
    ExprId quotient = m_.prim(ScalarOp::lshr, {m_.mul(x, by.factor), by.shift});
    bool remains = p.op == ScalarOp::rem || p.op == ScalarOp::mod;
    If fast{m_.prim(ScalarOp::and_, {m_.prim(ScalarOp::le, {m_.number(0), x}), less(x, by.limit)}), {}, {}};
    fast.then_.push_back({Assign{to, remains ? m_.prim(ScalarOp::sub, {x, m_.mul(quotient, p.args[1])}) : quotient}});
    fast.else_.push_back({Assign{to, m_.prim(p.op, {x, p.args[1]})}});
    out.push_back({Declare{to, {}}});
    out.push_back({std::move(fast)});
  }
};

}  // namespace

void multiply_for_quotients(Module& m, Kernel& k, Name own, Block& host) { Quotients(m, k, own, host).run(k.body); }

}  // namespace raido::kir
