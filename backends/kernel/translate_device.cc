// translate_device.cc - kernels, parallel loops and accumulators.
#include "backends/kernel/quotients.h"
#include "backends/kernel/translator.h"

#include <algorithm>
#include <fmt/format.h>

#include "compiler/ir/costs.h"

namespace raido::kir::translation {

void FromCore::kernel(const std::string& hint, const std::vector<ExprId>& extent, const Fill& fill) {
  Name id = m_.name("id", Scalar::I64), total = m_.name("threads", Scalar::I64);
  ExprId threads = m_.number(1);
  for (ExprId n : extent) threads = m_.mul(threads, n);
  Kernel k = kernel_of(hint, [&] {
    emit(Declare{id, m_.expr({Hardware{Builtin::GlobalId}, Scalar::I64})});
    Block work = block([&] { fill(point_of(m_.var(id), extent)); });
    emit(If{m_.prim(ScalarOp::lt, {m_.var(id), m_.var(total)}), std::move(work), {}});
  });
  launch(std::move(k), total, {{threads, threads}});
}
FromCore::Point FromCore::point_of(ExprId number, const std::vector<ExprId>& extent) {
  Point at(extent.size());
  Counted counted{{}, extent, std::vector<ExprId>(extent.size())};
  for (size_t d = extent.size(); d-- > 0;) {
    at[d] = number;
    counted.number[d] = number;
    if (d == 0) break;
    Name i = m_.name("i", Scalar::I64), q = m_.name("q", Scalar::I64);
    emit(Declare{q, m_.prim(ScalarOp::quot, {number, extent[d]})});
    emit(Declare{i, m_.prim(ScalarOp::sub, {number, m_.mul(m_.var(q), extent[d])})});
    at[d] = m_.var(i);
    number = m_.var(q);
  }
  counted.at = at;
  if (!at.empty()) counted_[at[0].index] = std::move(counted);
  return at;
}
void FromCore::launch(Kernel k, Name own, const std::vector<std::pair<ExprId, ExprId>>& own_and_threads, std::optional<ExprId> shared) {
  multiply_for_quotients(m_, k, own, *out_);
  k.params = {own};
  std::vector<ExprId> args = {own_and_threads[0].first};
  for (Name n : free_names(m_, k.body)) {
    if (n == own) continue;
    k.params.push_back(n);
    args.push_back(m_.var(n));
  }
  for (auto [value, threads] : own_and_threads) {
    args[0] = value;
    emit(Launch{int(m_.kernels.size()), args, threads, shared});
  }
  m_.kernels.push_back(std::move(k));
}
void FromCore::seg(const ir::Stm& s, const Seg& x) {
  if (x.level == SegLevel::Tile) return target_ == Target::Gpu ? device_tile(s, x) : tile(s, x);
  if (x.level == SegLevel::Simd) return vector_scan(s, x);
  if (x.collective) return x.scans.empty() ? collective(s, x) : scan(s, x);
  if (x.level == SegLevel::Grid && std::ranges::any_of(s.pattern, [&](Bind b) {
        auto acc = std::get_if<AccType>(&p_.type(b.var));
        return acc && is_gathered(acc->token);
      })) return updates(s, x);
  std::vector<ExprId> extent = atoms(x.extent);
  auto run = [&](const std::vector<ExprId>& at) {
    for (size_t d = 0; d < at.size(); d++) scalar_[x.index[d].var] = at[d];
    body(x.body, {});
    for (size_t k = 0; k < s.pattern.size(); k++) put_mapped(s.pattern[k].var, x.body.result[k], at);
  };
  if (x.level == SegLevel::Grid) {
    std::string hint = s.pattern.empty() ? "seg" : "map_" + p_.hint(s.pattern[0].var);
    for (Var v : free_vars_of_places(x)) (void)memory(v);
    if (!map_turned(s, x, hint, run)) kernel(hint, extent, run);
    return;
  }
  Name first = m_.name("first", Scalar::I64), last = m_.name("last", Scalar::I64), i = m_.name(p_.hint(x.index[0].var), Scalar::I64);
  CHECK(extent.size() == 1, "a task seg over {} dimensions", extent.size());
  bool outer = std::exchange(in_task_, true), marks = std::exchange(marks_, marks_ && !side_by_side(x.vectors));
  Block chunk = block([&] {
    if (marks) mark(place_);
    for (const Workspace& w : x.workspaces) alloc(w.block.var, w.bytes, true, s.source);
    Block each_one = block([&] { run({m_.var(i)}); });
    For loop{i, m_.var(first), m_.var(last), std::move(each_one)};
    loop.spmd = side_by_side(x.vectors);
    loop.interleaved = x.vectors == Vectors::Interleaved;
    loop.apart = x.vectors == Vectors::Apart;
    if (x.group) loop.group = group(*x.group);
    emit(std::move(loop));
    for (const Workspace& w : x.workspaces) if (!on_stack_.contains(w.block.var)) emit(Release{memory(w.block.var)});
  });
  in_task_ = outer;
  marks_ = marks;
  emit(ParallelFor{first, last, extent[0], std::move(chunk), m_.sites++});
}
void FromCore::put_mapped(Var to, const Atom& value, const Point& at) {
  if (array(to) && !array(value)) store(layout(to).memory, address(layout(to), at), atom(value));
}
std::vector<Var> FromCore::free_vars_of_places(const Seg& x) {
  std::vector<Var> out;
  each_use(p_, x, [&](Var v) {
    if (is_constant_.contains(v) && is_scalar(p_.type(v))) (void)constant(v);
    if (auto a = array(v); a && a->place && is_constant_.contains(a->place->block)) out.push_back(a->place->block);
  });
  return out;
}

void FromCore::with_acc(const ir::Stm& s, const WithAcc& x) {
  for (size_t k = 0; k < x.dests.size(); k++) {
    Var token = x.scope.params[k].var;
    dest_[token] = &x.dests[k];
    if (in_kernel_ || !needs_lock(x.dests[k])) continue;
    locks_[token] = m_.memory("locks", Scalar::I32, Space::Device);
    emit(Locks{*locks_[token]});
  }
  size_t accs = x.dests.size(), arrays = 0;
  for (const Dest& d : x.dests) arrays += d.arrays.size();
  std::vector<Bind> further(s.pattern.begin() + ptrdiff_t(arrays), s.pattern.end());
  std::vector<Name> names = live_outs(further);
  body(x.scope.body, {});
  assign(names, {x.scope.body.result.begin() + ptrdiff_t(accs), x.scope.body.result.end()});
}
void FromCore::acc_update(const AccUpdate& x) {
  const AccType& acc = std::get<AccType>(p_.type(x.acc));
  const Dest& dest = *dest_[acc.token];
  std::optional<ExprId> inside;
  std::vector<ExprId> at = atoms(x.at);
  for (size_t d = 0; d < at.size() && !x.in_range; d++) {
    ExprId here = m_.prim(ScalarOp::and_, {m_.prim(ScalarOp::le, {m_.number(0), at[d]}), m_.prim(ScalarOp::lt, {at[d], atom(acc.space[d])})});
    inside = inside ? m_.prim(ScalarOp::and_, {*inside, here}) : here;
  }
  Block yes = block([&] { update_cells(dest, x, at); });
  if (inside) emit(If{*inside, std::move(yes), {}});
  else for (auto& inner : yes.take()) out_->push_back(std::move(*inner));
}
void FromCore::update_cells(const Dest& dest, const AccUpdate& x, const std::vector<ExprId>& at) {
  std::vector<Layout> cells;
  for (Var v : dest.arrays) {
    Layout l = layout(v);
    cells.push_back({l.memory, address(l, at), {l.strides.begin() + ptrdiff_t(at.size()), l.strides.end()}});
  }
  std::vector<ExprId> extent = array(x.values[0]) ? shape(x.values[0]) : std::vector<ExprId>{};
  if (!dest.combine) {
    stores_meet_ = dest.conflict == Conflict::Atomic && (target_ != Target::Gpu || in_kernel_);   // host code runs on one thread
    for (size_t k = 0; k < cells.size(); k++) put(cells[k], x.values[k]);
    stores_meet_ = false;
    return;
  }
  std::vector<ExprId> index;
  Var token = std::get<AccType>(p_.type(x.acc)).token;
  const std::optional<Copied> copied = copied_[token];
  const std::optional<Name> locks = locks_[token];
  auto point = [&](const std::vector<ExprId>& j) {
    std::vector<ExprId> values;
    for (const Atom& v : x.values) values.push_back(array(v) ? load(layout(v).memory, address(layout(v), j), "x") : atom(v));
    if (!copied) return combine_cell(dest, cells, j, values, locks);
    std::vector<ExprId> cell = at;
    cell.insert(cell.end(), j.begin(), j.end());
    Block own = block([&] {
      std::vector<Name> memories;
      for (const Layout& l : copied->own) memories.push_back(l.memory);
      ExprId place = address(copied->own[0], cell);
      combine_atomically(*dest.combine, memories, std::vector<ExprId>(memories.size(), place), values, copied->locks, place);
    });
    Block all = block([&] { combine_cell(dest, cells, j, values, locks); });
    emit(If{copied->exists, std::move(own), std::move(all)});
  };
  CHECK(dest.combine->shape.empty() == extent.empty(), "an operator on rows reaches an accumulator that was kept");
  nest(extent, index, point);
}
void FromCore::combine_cell(const Dest& dest, const std::vector<Layout>& cells, const std::vector<ExprId>& j, const std::vector<ExprId>& values,
                            std::optional<Name> locks) {
  bool alone = dest.conflict == Conflict::None || (target_ == Target::Gpu && !in_kernel_);   // host code of a device program runs on one thread
  std::vector<Name> memories;
  std::vector<ExprId> index;
  for (const Layout& l : cells) {
    memories.push_back(l.memory);
    index.push_back(address(l, j));
  }
  if (alone) return combine_alone(*dest.combine, memories, index, values);
  combine_atomically(*dest.combine, memories, index, values, locks, m_.prim(ScalarOp::and_, {index[0], m_.number(costs::gpu::locks - 1)}));
}
void FromCore::combine_alone(const Combine& c, const std::vector<Name>& memories, const std::vector<ExprId>& index, const std::vector<ExprId>& values) {
  size_t n = memories.size();
  for (size_t k = 0; k < n; k++) {
    scalar_[c.op.params[k].var] = load(memories[k], index[k], "old");
    scalar_[c.op.params[n + k].var] = values[k];
  }
  body(c.op.body, {});
  for (size_t k = 0; k < n; k++) store(memories[k], index[k], atom(c.op.body.result[k]));
}
bool FromCore::needs_lock(const Dest& d) const {
  if (target_ != Target::Gpu || d.conflict != Conflict::Atomic || !d.combine || scalar_operator(p_, *d.combine)) return false;
  return d.arrays.size() > 1 || bytes_of(elem_of(p_.type(d.arrays[0]))) < 4;
}
void FromCore::combine_atomically(const Combine& c, const std::vector<Name>& memories, const std::vector<ExprId>& index, const std::vector<ExprId>& values,
                                  std::optional<Name> locks, ExprId place) {
  if (auto op = scalar_operator(p_, c)) return emit(Atomic{memories[0], index[0], values[0], *op});
  if (locks) {
    Block b = block([&] { combine_alone(c, memories, index, values); });
    return emit(Locked{*locks, place, memories, index, std::move(b)});
  }
  CHECK(memories.size() == 1, "no atomic form of this operator");
  Name old = m_.name("old", m_.names[memories[0].index].type);
  scalar_[c.op.params[0].var] = m_.var(old);
  scalar_[c.op.params[1].var] = values[0];
  Block b = block([&] { body(c.op.body, {}); });
  emit(Swap{memories[0], index[0], old, std::move(b), atom(c.op.body.result[0])});
}

}  // namespace raido::kir::translation
