// contraction.h - what the translations of contractions have in common: the operands of either side, and what becomes of a sum at a point.
#pragma once
#include "backends/kernel/translator.h"
#include "compiler/ir/analysis/tile_sides.h"
#include "compiler/ir/costs.h"

namespace raido::kir::translation {

class FromCore::Contraction {
 protected:
  using Side = TileSides::Side;
  struct Operand { Var var; Name panel; };

  Contraction(FromCore& t, const ir::Stm& s, const Seg& x)
      : t_(t), m_(t.m_), s_(s), x_(x), sides_(t.p_, x), extent_(t.atoms({x.extent.end() - 3, x.extent.end()})),
        batch_(t.atoms({x.extent.begin(), x.extent.end() - 3})) {
    for (Var v : sides_.operands(t.p_, x, Side::Rows)) of_rows_.push_back({v, {}});
    for (Var v : sides_.operands(t.p_, x, Side::Columns)) of_columns_.push_back({v, {}});
  }

  FromCore& t_;
  Module& m_;
  const ir::Stm& s_;
  const Seg& x_;
  const TileSides sides_;
  const std::vector<ExprId> extent_, batch_;           // rows, columns and depth; how many contractions, by dimension
  std::vector<Operand> of_rows_, of_columns_;          // what the points need of them

  template <class S> void emit(S s) { t_.emit(std::move(s)); }
  ExprId number(int64_t n) { return m_.number(n); }
  ExprId least(ExprId a, ExprId b) { return m_.prim(ScalarOp::min, {a, b}); }
  ExprId less(ExprId a, ExprId b) { return m_.prim(ScalarOp::sub, {a, b}); }
  ExprId parts(ExprId n, ExprId size) { return m_.prim(ScalarOp::quot, {m_.add(n, less(size, number(1))), size}); }
  ExprId named(const char* hint, ExprId value) {
    Name n = m_.name(hint, m_.exprs[value.index].type);
    emit(Declare{n, value});
    return m_.var(n);
  }

  // ---- types ----

  Scalar type(Var v) const { return elem_of(t_.p_.type(v)); }
  // In panels and registers halves are floats, as in all arithmetic, and truth values are numbers.
  static Scalar kept(Scalar t) { return t == Scalar::F16 ? Scalar::F32 : t == Scalar::Bool ? Scalar::I8 : t; }
  Scalar kept(Var v) const { return kept(type(v)); }
  Scalar sum_type(size_t k) const { return elem_of(t_.p_, neutral()[k]); }
  std::vector<Atom> neutral() const {
    std::vector<Atom> all;
    for (const Combine& c : x_.reduces) all.insert(all.end(), c.neutral.begin(), c.neutral.end());
    return all;
  }
  int widest() const {
    int most = 1;
    for (const Operand& y : of_columns_) most = std::max(most, int(bytes_of(kept(y.var))));
    for (size_t k = 0; k < x_.body.result.size(); k++) most = std::max(most, int(bytes_of(kept(sum_type(k)))));
    return most;
  }
  ExprId to_kept(ExprId value, Scalar t) { return t == Scalar::Bool ? m_.expr({Cast{value}, Scalar::I8}) : value; }
  void keep(Name memory, ExprId index, ExprId value, Scalar t) { emit(Store{memory, index, to_kept(value, t)}); }
  ExprId kept_value(Name memory, ExprId index, Scalar t, const std::string& hint) {
    Name n = m_.name(hint, t == Scalar::Bool ? Scalar::I8 : t);
    emit(Declare{n, m_.expr({Load{memory, index}, kept(t)})});
    return t == Scalar::Bool ? m_.expr({Cast{m_.var(n)}, Scalar::Bool}) : m_.var(n);
  }

  // ---- the point at hand ----

  void at(size_t d, ExprId i) { t_.scalar_[x_.index[batch_.size() + d].var] = i; }
  // The statements that do not vary with the index `other`.
  void one_side(uint8_t other) {
    for (const ir::Stm& s : x_.body.stms) if (!(sides_.of(t_.p_, s) & other)) t_.statement(s);
  }
  void both_sides() {
    for (const ir::Stm& s : x_.body.stms) if (TileSides::side(sides_.of(t_.p_, s)) == Side::Both) t_.statement(s);
  }
  // Whether neighbours in memory are points of the sum, in the arrays that vary with both indices.
  bool depth_is_near(uint8_t side_bit, uint8_t other) {
    for (const ir::Stm& s : x_.body.stms) {
      auto read = std::get_if<ir::Index>(&s.exp);
      uint8_t varies = sides_.of(t_.p_, s);
      if (!read || (varies & other) || !(varies & side_bit) || !(varies & TileSides::Depth)) continue;
      const std::vector<Atom>& strides = t_.array(read->array)->place->layout.strides;   // the array may be made at the point only
      for (size_t d = 0; d < read->at.size(); d++) {
        auto index = std::get_if<Atom>(&read->at[d]);
        auto stride = const_of(strides[d]);
        const Var* v = index ? var_of(*index) : nullptr;
        if (v && stride && stride->as_i64() == 1) return (sides_.of(*v) & (TileSides::Depth | side_bit)) == TileSides::Depth;
      }
    }
    return false;
  }
  // The sums with the point's values: old(k) is sum number k, right(k) what is added.
  template <class Old, class Right> std::vector<ExprId> combined(Old old, Right right) {
    std::vector<ExprId> now;
    size_t at = 0;
    for (const Combine& c : x_.reduces) {
      size_t n = c.neutral.size();
      for (size_t k = 0; k < n; k++) {
        t_.scalar_[c.op.params[k].var] = old(at + k);
        t_.scalar_[c.op.params[n + k].var] = right(at + k);
      }
      if (auto chosen = extreme(c)) {
        now.push_back(*chosen);
      } else {
        for (const ir::Stm& s : c.op.body.stms) t_.statement(s);
        for (const Atom& a : c.op.body.result) now.push_back(t_.atom(a));
      }
      at += n;
    }
    return now;
  }
  template <class Old> std::vector<ExprId> next_sums(Old old) {
    return combined(old, [&](size_t k) { return t_.atom(x_.body.result[k]); });
  }

 private:
  //   min [sum, x]   ==>   x < sum ? x : sum
  // of floats: a minimum that began with a number is one, whatever x is, so one comparison does.
  std::optional<ExprId> extreme(const Combine& c) {
    auto op = scalar_operator(t_.p_, c);
    auto first = const_of(c.neutral[0]);
    if ((op != ScalarOp::min && op != ScalarOp::max) || !first || !is_float(first->type)) return {};
    double n = first->as_f64();
    if (n != n) return {};
    ExprId sum = t_.atom(c.op.params[0].var), x = t_.atom(c.op.params[1].var);
    ExprId chosen = op == ScalarOp::min ? m_.prim(ScalarOp::lt, {x, sum}) : m_.prim(ScalarOp::lt, {sum, x});
    return m_.prim(ScalarOp::select, {chosen, x, sum});
  }
};

}  // namespace raido::kir::translation
