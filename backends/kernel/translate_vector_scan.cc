// translate_vector_scan.cc - a scan of a strip of scalars, which a processor makes in vectors.
//
//   ss = seg simd (j < n) { es[j] } scans (op [c])
//     ==>
//   reached = c
//   VectorScan { ss[j] = reached = op reached es[j] }        writer_vector_scan.cc: in vectors where there are any
//
// Elements that do not lie side by side are copied first, and results afterwards.
#include "backends/kernel/translator.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/traits.h"

namespace raido::kir::translation {

class FromCore::VectorScanOf {
 public:
  VectorScanOf(FromCore& t, const ir::Stm& s, const Seg& x) : t_(t), m_(t.m_), s_(s), x_(x), op_(x.scans[0]), count_(t.atom(x.extent[0])) {}

  void run() {
    scan_.count = count_;
    for (size_t k = 0; k < width(); k++) {
      const Scalar t = elem(k);
      scan_.reached.push_back(m_.name("reached", t));
      t_.emit(Declare{scan_.reached[k], t_.atom(op_.neutral[k])});
      scan_.left.push_back(m_.name("left", t));
      scan_.right.push_back(m_.name("right", t));
      scan_.to.emplace_back();
      scan_.to_at.push_back(m_.number(0));
    }
    find_elements();
    Block copies;
    for (size_t q = 0; q < s_.pattern.size(); q++) result(q, copies);
    scan_.body = t_.block([&] { scan_.results = combined(scan_.left, scan_.right); });
    one_by_one();
    t_.emit(std::move(scan_));
    for (Stm& copy : copies) t_.out_->push_back(std::move(copy));
  }

 private:
  FromCore& t_;
  Module& m_;
  const ir::Stm& s_;
  const Seg& x_;
  const Combine& op_;
  const ExprId count_;
  VectorScan scan_;

  size_t width() const { return op_.neutral.size(); }
  Scalar elem(size_t k) const { return elem_of(t_.p_, op_.neutral[k]); }
  static bool is_dense(const ArrayType& a) {
    auto stride = const_of(a.place->layout.strides.back());
    return stride && stride->as_i64() == 1;
  }
  Name local(const char* hint, size_t k) {
    const Name copy = m_.memory(hint, elem(k), Space::Host);
    t_.emit(DeclareArray{copy, {count_}});
    return copy;
  }

  // Where the elements lie. They are copied unless each is read from an array in which the next one follows it.
  void find_elements() {
    Forms forms;
    std::vector<const ir::Stm*> reads(width());
    bool beside = true;
    for (const ir::Stm& m : x_.body.stms) {
      forms.define(t_.p_, m);
      auto read = std::get_if<Index>(&m.exp);
      beside = beside && (read || ir::kind_of(m.exp) == ir::Kind::Step);
      for (size_t k = 0; k < width(); k++) if (x_.body.result[k] == Atom(m.pattern[0].var)) reads[k] = &m;
    }
    const Var j = x_.index[0].var;
    for (const ir::Stm* m : reads) beside = beside && m && std::holds_alternative<Index>(m->exp) && follows(std::get<Index>(m->exp), forms, j);
    if (!beside) return copy_elements();
    t_.scalar_[j] = m_.number(0);
    for (const ir::Stm& m : x_.body.stms) if (!std::holds_alternative<Index>(m.exp)) t_.statement(m);
    for (const ir::Stm* m : reads) {
      const Index& read = std::get<Index>(m->exp);
      std::vector<ExprId> at;
      for (const Selector& i : read.at) at.push_back(t_.atom(std::get<Atom>(i)));
      const Layout l = t_.layout(read.array);
      scan_.from.push_back(l.memory);
      scan_.from_at.push_back(t_.address(l, at));
    }
  }
  bool follows(const Index& read, const Forms& forms, Var j) const {
    const ArrayType& a = std::get<ArrayType>(t_.p_.type(read.array));
    for (size_t d = 0; d < read.at.size(); d++) {
      auto at = std::get_if<Atom>(&read.at[d]);
      if (!at || forms.of(*at).factor(j) != (d + 1 == read.at.size() ? 1 : 0)) return false;
      if (auto v = var_of(*at)) for (const ir::Stm& m : x_.body.stms) if (std::holds_alternative<Index>(m.exp) && m.pattern[0].var == *v) return false;
    }
    return read.at.size() == a.shape.size() && is_dense(a);
  }
  void copy_elements() {
    for (size_t k = 0; k < width(); k++) {
      scan_.from.push_back(local("elements", k));
      scan_.from_at.push_back(m_.number(0));
    }
    const Name i = m_.name("i", Scalar::I64);
    t_.emit(kir::For{i, m_.number(0), count_, t_.block([&] {
      t_.scalar_[x_.index[0].var] = m_.var(i);
      t_.body(x_.body, {});
      for (size_t k = 0; k < width(); k++) t_.emit(Store{scan_.from[k], m_.var(i), t_.atom(x_.body.result[k])});
    })});
  }
  // Where result q goes, one of what the scan has reached.
  void result(size_t q, Block& copies) {
    size_t k = 0;
    while (x_.post.body.result[q] != Atom(x_.post.params[k].var)) k++;
    const Layout l = t_.layout(s_.pattern[q].var);
    auto at = [&](ExprId i) { return t_.address(l, {i}); };
    if (is_dense(std::get<ArrayType>(t_.p_.type(s_.pattern[q].var)))) {
      scan_.to[k] = l.memory;
      scan_.to_at[k] = at(m_.number(0));
      return;
    }
    scan_.to[k] = local("results", k);
    const Name i = m_.name("i", Scalar::I64);
    copies.push_back({kir::For{i, m_.number(0), count_, t_.block([&] { t_.store(l.memory, at(m_.var(i)), t_.load(scan_.to[k], m_.var(i), "result")); })}});
  }
  // Emits the operator; returns its results.
  std::vector<ExprId> combined(const std::vector<Name>& left, const std::vector<Name>& right) {
    for (size_t k = 0; k < width(); k++) {
      t_.scalar_[op_.op.params[k].var] = m_.var(left[k]);
      t_.scalar_[op_.op.params[width() + k].var] = m_.var(right[k]);
    }
    t_.body(op_.op.body, {});
    return t_.atoms(op_.op.body.result);
  }
  void one_by_one() {
    const Name i = m_.name("i", Scalar::I64);
    Block step = t_.block([&] {
      std::vector<Name> left, right;
      for (size_t k = 0; k < width(); k++) {
        left.push_back(m_.name("left", elem(k)));
        right.push_back(m_.name("right", elem(k)));
        t_.emit(Declare{left[k], m_.var(scan_.reached[k])});
        t_.emit(Declare{right[k], m_.expr({Load{scan_.from[k], m_.add(scan_.from_at[k], m_.var(i))}, elem(k)})});
      }
      const std::vector<ExprId> now = combined(left, right);
      for (size_t k = 0; k < width(); k++) {
        t_.emit(Assign{scan_.reached[k], now[k]});
        if (scan_.to[k].valid()) t_.emit(Store{scan_.to[k], m_.add(scan_.to_at[k], m_.var(i)), m_.var(scan_.reached[k])});
      }
    });
    scan_.one_by_one.push_back({kir::For{i, m_.number(0), count_, std::move(step)}});
  }
};

void FromCore::vector_scan(const ir::Stm& s, const Seg& x) { VectorScanOf(*this, s, x).run(); }

}  // namespace raido::kir::translation
