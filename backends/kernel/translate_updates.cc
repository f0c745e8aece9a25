// translate_updates.cc - a grid whose threads update accumulators: histograms, and sums for adjoints.
//
// An update of memory of the device is atomic, and slow where threads meet. So each block has copies of the arrays in its shared memory, if
// they fit there and have enough updates for each of their cells (raido_grid_of_updates decides that for each array, when the numbers are
// known). There are as many blocks as fill the device; each thread takes every so many points.
//
//   the copies of the block := the neutral element
//   for each point of the thread: its code, in which an update is one of a copy, or one of memory if there is none
//   each cell of memory := the operator of it and the copies
//
// Neighbouring threads update different copies, where there are several. The copies of a cell lie side by side: lane k updates number k of them,
// in a bank of its own. They are combined from number k on, for the same reason. decisions/041 says why it is done like this.
#include "backends/kernel/collective.h"

#include <algorithm>
#include <cmath>

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
    for (Own& o : own_) shape.copies.push_back({host("at"), host("copies"), o.cells, m_.names[o.memory.index].type, o.updates});
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
    Name memory;
    ExprId cells;
    int64_t updates;
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
      Name memory = m_.memory("own", elem_of(t_.p_.type(d->arrays[0])), Space::Shared);
      own_.push_back({acc->token, d, memory, declare("cells", cells), int64_t(std::clamp(count[acc->token], 1.0, 1e6)), {}, {}});
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
    t_.emit(kir::Own{o.memory, op(ScalarOp::max, o.at, m_.number(0))});
    ExprId copy = declare("copy", turned(local_, o)), stride = o.copies;
    std::vector<ExprId> shape = t_.shape(o.dest->arrays[0]), strides(shape.size());
    for (size_t d = shape.size(); d-- > 0; stride = m_.mul(stride, shape[d])) strides[d] = stride;
    t_.copied_[o.token] = Copied{{o.memory, copy, strides}, exists(o)};
    when(exists(o), [&] {
      each_from("cell", local_, size_, m_.mul(o.cells, o.copies), [&](ExprId cell) { t_.store(o.memory, cell, neutral(o)); });
    });
  }
  // Nothing added leaves -0.0 what it is.
  ExprId neutral(const Own& o) {
    ExprId given = t_.atom(o.dest->combine->neutral[0]);
    Scalar type = m_.names[o.memory.index].type;
    if (scalar_operator(t_.p_, *o.dest->combine) != ScalarOp::add || !is_float(type)) return given;
    return m_.constant(raido::constant(type, -0.0));
  }
  void end(const Own& o) {
    each_from("cell", local_, size_, o.cells, [&](ExprId cell) {
      ExprId first = declare("first", m_.mul(cell, o.copies));
      auto number = [&](ExprId k) { return m_.add(first, turned(m_.add(cell, k), o)); };
      ExprId sum = declare("sum", t_.load(o.memory, number(m_.number(0)), "x"));
      Name k = m_.name("k", Scalar::I64);
      Block b = t_.block([&] {
        ExprId left = declare("left", sum), right = t_.load(o.memory, number(m_.var(k)), "right");
        const Combine& c = *o.dest->combine;
        guarded(false, [&] {
          t_.scalar_[c.op.params[0].var] = left;
          t_.scalar_[c.op.params[1].var] = right;
          t_.body(c.op.body, {});
          assign(sum, t_.atom(c.op.body.result[0]));
        });
      });
      t_.emit(kir::For{k, m_.number(1), o.copies, std::move(b)});
      guarded(false, [&] {
        Layout to = t_.layout(o.dest->arrays[0]);
        t_.combine_atomically(*o.dest->combine, to.memory, t_.address(to, t_.point_of(cell, t_.shape(o.dest->arrays[0]))), sum);
      });
    });
  }
};

void FromCore::updates(const ir::Stm& s, const Seg& x) { Updates(*this, s, x).run(); }

}  // namespace raido::kir::translation
