// writer_vector_scan.cc - a scan in vectors of 32 bytes, as C compilers with vectors of their own have them (backends/runtime/scans.h).
//
//   for (i64 i = 0; i < count; i += 2 * lanes) {
//     e = two vectors of elements
//     e' = op (the last element of the group to the left) e, where there is one       for groups of 1, 2, .. elements, in each vector
//     the same for the second vector, with the last element of the first one
//     what the scan reaches = op reached e;   reached = op reached (the last element of e)
//   }
//
// Only the last line waits for the block before, for the time of one operator. A group on the left is never empty, so the neutral element has no part
// in it. Bools are masks, with all bits of an element set or none. The text of the operator stands there once for each time that it is used.
#include <algorithm>

#include "backends/kernel/walk.h"
#include "backends/kernel/writer.h"

namespace raido::kir {

class Writer::VectorScans {
 public:
  VectorScans(Writer& w, const VectorScan& x) : w_(w), m_(w.m_), x_(x) {
    for (Name n : x.left) bytes_ = std::max(bytes_, bytes_of(m_.names[n.index].type));
    for (const auto* names : {&x.left, &x.right}) for (Name n : *names) vectors_.insert(n);
    for (const Stm& s : x.body) {
      const Declare& d = std::get<Declare>(s.node);
      vectors_.insert(d.var);
      each_name(m_, *d.init, [&](Name n) { read_.insert(n); });
    }
    for (ExprId e : x.results) each_name(m_, e, [&](Name n) { read_.insert(n); });
  }

  void run() {
    w_.out += "#if RAIDO_SCAN_VECTORS\n";
    w_.line("{");
    w_.depth_++;
    each([&](size_t k) { w_.line(fmt::format("{} raido_c{} = {};", type(k), k, splat(m_.names[x_.reached[k].index].type, w_.name(x_.reached[k])))); });
    const int lanes = 32 / bytes_;
    w_.line(fmt::format("for (i64 raido_i = 0; raido_i < {}; raido_i += {}) {{", w_.expr(x_.count), 2 * lanes));
    w_.depth_++;
    for (int q : {0, 1}) each([&](size_t k) {
      w_.line(fmt::format("{} raido_e{}_{} = {};", type(k), q, k, fmt::format("RAIDO_GET_{}({}, {} + raido_i + {})", suffix(k), w_.name(x_.from[k]), w_.expr(x_.from_at[k]), q * lanes)));
    });
    for (int group = 1; group < lanes; group *= 2)
      for (int q : {0, 1})
        apply([&](size_t k) { return fmt::format("RAIDO_LEFT{}_{}({})", bytes_, group, element(q, k)); }, [&](size_t k) { return element(q, k); },
              [&](size_t k, const std::string& value) { return fmt::format("{} = RAIDO_RIGHT{}_{}({}, {});", element(q, k), bytes_, group, w_.name(x_.right[k]), value); }, true);
    apply([&](size_t k) { return last(element(0, k)); }, [&](size_t k) { return element(1, k); }, [&](size_t k, const std::string& value) { return element(1, k) + " = " + value + ";"; });
    each([&](size_t k) { w_.line(fmt::format("{} raido_n{};", type(k), k)); });
    auto reached = [&](size_t k) { return fmt::format("raido_c{}", k); };
    apply(reached, [&](size_t k) { return last(element(1, k)); }, [&](size_t k, const std::string& value) { return fmt::format("raido_n{} = {};", k, value); });
    for (int q : {0, 1})
      apply(reached, [&](size_t k) { return element(q, k); }, [&](size_t k, const std::string& value) { return element(q, k) + " = " + value + ";"; });
    each([&](size_t k) {
      w_.line(fmt::format("raido_c{0} = raido_n{0};", k));
      if (!x_.to[k].valid()) return;
      for (int q : {0, 1}) w_.line(fmt::format("RAIDO_SET_{}({}, {} + raido_i + {}, {});", suffix(k), w_.name(x_.to[k]), w_.expr(x_.to_at[k]), q * lanes, element(q, k)));
    });
    w_.depth_--;
    w_.line("}");
    each([&](size_t k) { w_.line(fmt::format("{} = raido_c{}[0]{};", w_.name(x_.reached[k]), k, is_bool(k) ? " != 0" : "")); });
    w_.depth_--;
    w_.line("}");
    w_.out += "#else\n";
    w_.block(x_.one_by_one);
    w_.out += "#endif\n";
  }

 private:
  Writer& w_;
  const Module& m_;
  const VectorScan& x_;
  int bytes_ = 1;                              // of an element in a vector
  IdSet<Name> vectors_, read_;                 // names of the operator: vectors; those that it reads

  template <class F> void each(F f) { for (size_t k = 0; k < x_.left.size(); k++) f(k); }
  bool is_bool(size_t k) const { return m_.names[x_.left[k].index].type == Scalar::Bool; }
  std::string vector(Scalar t) const { return fmt::format("raido_v{}", t == Scalar::Bool ? fmt::format("i{}", 8 * bytes_) : std::string(name_of(t))); }
  std::string type(size_t k) const { return vector(m_.names[x_.left[k].index].type); }
  std::string suffix(size_t k) const { return is_bool(k) ? fmt::format("bool{}", bytes_) : std::string(name_of(m_.names[x_.left[k].index].type)); }
  std::string splat(Scalar t, const std::string& text) const {
    return t == Scalar::Bool ? fmt::format("-(({0}){{0}} + (i{1})({2}))", vector(t), 8 * bytes_, text) : fmt::format("(({}) - ({}){{0}})", text, vector(t));
  }
  static std::string element(int q, size_t k) { return fmt::format("raido_e{}_{}", q, k); }
  std::string last(const std::string& e) const { return fmt::format("RAIDO_LAST{}({})", bytes_, e); }

  // The operator on these operands. `set` says what becomes of each result. reads_right: it needs all of the right operand.
  template <class L, class R, class S> void apply(L left, R right, S set, bool reads_right = false) {
    w_.line("{");
    w_.depth_++;
    each([&](size_t k) { if (read_.contains(x_.left[k])) w_.line(fmt::format("const {} {} = {};", type(k), w_.name(x_.left[k]), left(k))); });
    each([&](size_t k) { if (reads_right || read_.contains(x_.right[k])) w_.line(fmt::format("const {} {} = {};", type(k), w_.name(x_.right[k]), right(k))); });
    for (const Stm& s : x_.body) {
      const Declare& d = std::get<Declare>(s.node);
      w_.line(fmt::format("const {} {} = {};", vector(m_.names[d.var.index].type), w_.name(d.var), value(*d.init)));
    }
    each([&](size_t k) { w_.line(set(k, value(x_.results[k]))); });
    w_.depth_--;
    w_.line("}");
  }

  std::string value(ExprId id) const {
    const Expr& e = m_.exprs[id.index];
    return match(e.node,
      [&](const Const& c) { return splat(e.type, literal(c)); },
      [&](const Name& n) { return vectors_.contains(n) ? w_.name(n) : splat(e.type, w_.name(n)); },
      [&](const Prim& p) { return operation(p); },
      [](const Cast&) -> std::string { PANIC("a conversion in a scan in vectors"); },
      [](const Load&) -> std::string { PANIC("memory in the operator of a scan in vectors"); },
      [](const Hardware&) -> std::string { PANIC("hardware in the operator of a scan in vectors"); });
  }
  std::string operation(const Prim& p) const {
    using enum ScalarOp;
    std::vector<std::string> a;
    for (ExprId e : p.args) a.push_back(value(e));
    const std::string v = vector(p.at);
    // Integers wrap around, so they are unsigned meanwhile.
    auto arithmetic = [&](const char* op) {
      if (is_float(p.at)) return fmt::format("({} {} {})", a[0], op, a[1]);
      const std::string u = vector(unsigned_of(p.at));
      return fmt::format("(({})(({}){} {} ({}){}))", v, u, a[0], op, u, a[1]);
    };
    auto compared = [&](const char* op) { return fmt::format("(({})({} {} {}))", vector(Scalar::Bool), a[0], op, a[1]); };
    switch (p.op) {
      case add: return arithmetic("+");
      case sub: return arithmetic("-");
      case mul: return arithmetic("*");
      case div: return arithmetic("/");
      case neg: return is_float(p.at) ? fmt::format("(-{})", a[0]) : fmt::format("(({0})(-({1}){2}))", v, vector(unsigned_of(p.at)), a[0]);
      case not_: return fmt::format("(~{})", a[0]);
      case and_: return fmt::format("({} & {})", a[0], a[1]);
      case or_: return fmt::format("({} | {})", a[0], a[1]);
      case xor_: return fmt::format("({} ^ {})", a[0], a[1]);
      case eq: return compared("==");
      case ne: return compared("!=");
      case lt: return compared("<");
      case le: return compared("<=");
      case min: case max:
        if (is_float(p.at)) return fmt::format("raido_{}_{}({}, {})", p.op == min ? "lesser" : "greater", name_of(p.at), a[0], a[1]);
        return fmt::format("RAIDO_{}_VECTOR{}({}, {}, {})", p.op == min ? "LESSER" : "GREATER", bytes_, v, a[0], a[1]);
      case select: return fmt::format("RAIDO_SELECT_VECTOR{}({}, {}, {}, {})", bytes_, v, a[0], a[1], a[2]);
      default: PANIC("an operation without vectors in a scan");
    }
  }
};

void Writer::vector_scan(const VectorScan& x) {
  vector_scans = true;
  VectorScans(*this, x).run();
}

}  // namespace raido::kir
