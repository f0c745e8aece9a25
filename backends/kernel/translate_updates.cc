// translate_updates.cc - a grid whose threads update accumulators: histograms, and sums for adjoints.
//
// An update of memory of the device is atomic, and slow where threads meet. So each block has copies of the arrays in its shared memory, if
// they fit there and have enough updates for each of their cells. raido_grid_of_updates decides that for each array, when the numbers are
// known. There are as many blocks as fill the device; each thread takes every so many points.
//
//   the copies of the block := the neutral element
//   for each point of the thread: its code, in which an update is one of a copy, or one of memory if there is none
//   each cell of memory := the operator of it and the copies
//
// Neighbouring threads update different copies, where there are several. The copies of a cell lie side by side: lane k updates number k of them,
// in a bank of its own. They are combined from number k on, for the same reason. decisions/041 says why it is done like this.
#include "backends/kernel/collective.h"

#include <algorithm>
#include <functional>

#include "compiler/ir/costs.h"

namespace raido::kir::translation {
namespace {

// How many cells one run of the body updates, about.
void count_updates(const Program& p, const Body& b, double runs, VarMap<double>& count) {
  for (const ir::Stm& s : b.stms) {
    double times = runs;
    if (auto u = std::get_if<AccUpdate>(&s.exp)) {
      double cells = runs;
      for (const Dim& n : shape_of(p.type(u->values[0]))) cells *= costs::expected(n);
      count[std::get<AccType>(p.type(u->acc)).token] += cells;
    }
    if (auto f = std::get_if<ir::For>(&s.exp)) times *= costs::expected(f->n);
    if (std::holds_alternative<ir::While>(s.exp)) times *= costs::unknown_trips;
    walk_parts(s, overloaded{[&](const Body& inner) { count_updates(p, inner, times, count); }, [](const Lambda&) {}});
  }
}

}  // namespace

bool FromCore::is_gathered(Var token) const {
  const Dest* d = dest_[token];
  return d && d->conflict == Conflict::Atomic && d->combine;
}

class FromCore::Updates : Together {
 public:
  Updates(FromCore& t, const ir::Stm& s, const Seg& x) : Together(t, s, x) {}

  void run() {
    for (Var v : t_.free_vars_of_places(x_)) (void)t_.memory(v);
    extent_ = t_.atoms(x_.extent);
    ExprId points = m_.number(1);
    for (ExprId n : extent_) points = m_.mul(points, n);
    points_ = declare("points", points);
    find_copies();
    auto host = [&](const char* hint) { return m_.name(hint, Scalar::I64); };
    UpdateShape shape{{}, host("threads"), host("shared"), points_};
    for (Own& o : own_) shape.copies.push_back({host("at"), host("copies"), o.cells, o.bytes, o.updates});
    for (size_t k = 0; k < own_.size(); k++) {
      own_[k].at = m_.var(shape.copies[k].at);
      own_[k].copies = m_.var(shape.copies[k].count);
    }
    t_.emit(shape);
    Kernel k = t_.kernel_of("updates_" + t_.p_.hint(s_.pattern[0].var), [&] { kernel(m_.var(shape.threads)); });
    k.collective = k.dynamic = true;
    t_.launch(std::move(k), shape.threads, {{m_.var(shape.threads), m_.var(shape.threads)}}, m_.var(shape.shared));
    for (const Own& o : own_) t_.copied_[o.token].reset();
  }

 private:
  struct Own {
    Var token;
    const Dest* dest;
    std::vector<Name> memories;                     // for each array, and at last for locks, if there are any
    bool locks;
    ExprId cells;
    int64_t bytes, updates;
    ExprId at, copies;                              // the same for all threads
  };
  std::vector<Own> own_;
  std::vector<ExprId> extent_;
  ExprId points_, local_, size_;

  void find_copies() {
    VarMap<double> count;
    count_updates(t_.p_, x_.body, 1, count);
    for (Bind b : s_.pattern) {
      auto acc = std::get_if<AccType>(&t_.p_.type(b.var));
      if (!acc || !t_.is_gathered(acc->token)) continue;
      const Dest* d = t_.dest_[acc->token];
      ExprId cells = m_.number(1);
      for (ExprId n : t_.shape(d->arrays[0])) cells = m_.mul(cells, n);
      Own o{acc->token, d, {}, t_.needs_lock(*d), declare("cells", cells), 0, int64_t(std::clamp(count[acc->token], 1.0, 1e6)), {}, {}};
      for (Var v : d->arrays) o.memories.push_back(m_.memory("own", elem_of(t_.p_.type(v)), Space::Shared));
      if (o.locks) o.memories.push_back(m_.memory("locks", Scalar::I32, Space::Shared));
      for (Name n : o.memories) o.bytes += bytes_of(m_.names[n.index].type);
      own_.push_back(std::move(o));
    }
  }
  ExprId exists(const Own& o) { return op(ScalarOp::le, m_.number(0), o.at); }
  // fill(k) for k = from, from + step, .. below n
  template <class F> void each_from(const char* hint, ExprId from, ExprId step, ExprId n, F fill) {
    ExprId k = declare(hint, from);
    Block b = t_.block([&] {
      fill(k);
      assign(k, m_.add(k, step));
    });
    t_.emit(kir::While{{}, op(ScalarOp::lt, k, n), std::move(b)});
  }

  void kernel(ExprId threads) {
    local_ = declare("local", builtin(Builtin::LocalId));
    size_ = declare("size", builtin(Builtin::BlockSize));
    for (const Own& o : own_) begin(o);
    t_.emit(Barrier{});
    each_from("point", declare("id", builtin(Builtin::GlobalId)), threads, points_, [&](ExprId point) {
      guarded(true, [&] {
        Point at = t_.point_of(point, extent_);
        for (size_t d = 0; d < at.size(); d++) t_.scalar_[x_.index[d].var] = at[d];
        t_.body(x_.body, {});
        for (size_t k = 0; k < s_.pattern.size(); k++) t_.put_mapped(s_.pattern[k].var, x_.body.result[k], at);
      });
    });
    t_.emit(Barrier{});
    for (const Own& o : own_) when(exists(o), [&] { end(o); });
  }
  ExprId turned(ExprId k, const Own& o) { return op(ScalarOp::and_, k, op(ScalarOp::sub, o.copies, m_.number(1))); }   // a power of two
  void begin(const Own& o) {
    ExprId all = m_.mul(o.cells, o.copies);
    place(o, all);
    ExprId copy = declare("copy", turned(local_, o)), stride = o.copies;
    std::vector<ExprId> shape = t_.shape(o.dest->arrays[0]), strides(shape.size());
    for (size_t d = shape.size(); d-- > 0; stride = m_.mul(stride, shape[d])) strides[d] = stride;
    Copied copied{{}, {}, exists(o)};
    for (size_t k = 0; k < arrays(o); k++) copied.own.push_back({o.memories[k], copy, strides});
    if (o.locks) copied.locks = o.memories.back();
    t_.copied_[o.token] = std::move(copied);
    when(exists(o), [&] {
      each_from("cell", local_, size_, all, [&](ExprId cell) {
        for (size_t k = 0; k < arrays(o); k++) t_.store(o.memories[k], cell, neutral(o, k));
        if (o.locks) t_.store(o.memories.back(), cell, m_.constant(raido::constant(Scalar::I32, 0)));
      });
    });
  }
  static size_t arrays(const Own& o) { return o.dest->arrays.size(); }
  // One array after the other, the largest elements first.
  void place(const Own& o, ExprId all) {
    auto bytes = [&](Name n) { return bytes_of(m_.names[n.index].type); };
    std::vector<Name> order = o.memories;
    std::ranges::stable_sort(order, std::greater<>(), bytes);
    int64_t before = 0;
    for (Name n : order) {
      t_.emit(kir::Own{n, m_.add(m_.mul(op(ScalarOp::max, o.at, m_.number(0)), m_.number(8)), m_.mul(all, m_.number(before)))});
      before += bytes(n);
    }
  }
  // Nothing added leaves -0.0 what it is.
  ExprId neutral(const Own& o, size_t k) {
    Scalar type = m_.names[o.memories[k].index].type;
    if (scalar_operator(t_.p_, *o.dest->combine) != ScalarOp::add || !is_float(type)) return t_.atom(o.dest->combine->neutral[k]);
    return m_.constant(raido::constant(type, -0.0));
  }
  void end(const Own& o) {
    const Combine& c = *o.dest->combine;
    size_t n = arrays(o);
    each_from("cell", local_, size_, o.cells, [&](ExprId cell) {
      ExprId first = declare("first", m_.mul(cell, o.copies));
      auto load = [&](const char* hint, ExprId k) {
        ExprId at = m_.add(first, turned(m_.add(cell, k), o));
        std::vector<ExprId> values;
        for (size_t a = 0; a < n; a++) values.push_back(t_.load(o.memories[a], at, hint));
        return values;
      };
      std::vector<ExprId> sums;
      for (ExprId x : load("x", m_.number(0))) sums.push_back(declare("sum", x));
      Name k = m_.name("k", Scalar::I64);
      Block b = t_.block([&] {
        std::vector<ExprId> left;
        for (ExprId x : sums) left.push_back(declare("left", x));
        combine(c, left, load("right", m_.var(k)), [&](size_t a, ExprId now) { assign(sums[a], now); });
      });
      t_.emit(kir::For{k, m_.number(1), o.copies, std::move(b)});
      guarded(false, [&] {
        std::vector<Layout> cells;
        for (Var v : o.dest->arrays) cells.push_back(t_.layout(v));
        t_.combine_cell(*o.dest, cells, t_.point_of(cell, t_.shape(o.dest->arrays[0])), sums, t_.locks_[o.token]);
      });
    });
  }
};

void FromCore::updates(const ir::Stm& s, const Seg& x) { Updates(*this, s, x).run(); }

}  // namespace raido::kir::translation
