// tile_sums.cc - contractions are found in nests of maps, and their sums taken out.
//
//   with_acc [a] (op) \acc -> map n \i -> .. map m \j -> .. map q \k -> .. upd acc [j, k] v
//   ==>
//   let s = seg tile (j < m, k < q, i < n) { v } reduces op
//   a with s added to it, and the nest without the update
//
// What v needs is views and arithmetic, which the tile does itself, or a value of a costly operation. Such a value becomes an array:
// the outermost map comes apart into the one that makes these arrays and the one that reads them. So no work is done twice.
#include "passes/locality/tile_sums.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/tile_sides.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/cleanup/dce.h"
#include "passes/locality/idle.h"

namespace raido {
using namespace ir;
namespace {

// The body that a path goes on in.
template <class S> auto& inner(S& s) {
  auto map = std::get_if<Screma>(&s.exp);
  return map ? map->pre.body : std::get<WithAcc>(s.exp).scope.body;
}
template <class B> B& body_at(B& whole, const StmPath& path, size_t depth) {
  B* b = &whole;
  for (size_t d = 0; d < depth; d++) b = &inner(b->stms[path[d]]);
  return *b;
}
template <class B> auto& stm_at(B& whole, const StmPath& path, size_t depth) { return body_at(whole, path, depth).stms[path[depth]]; }

bool calls(const Stm& s) {
  auto op = std::get_if<Apply>(&s.exp);
  return op && is_call(op->op);
}
// Arithmetic that is not dearer than memory.
bool all_steps(const Body& b) {
  for (const Stm& s : b.stms) if (!is_step(s.exp) || std::holds_alternative<Tunable>(s.exp) || calls(s)) return false;
  return true;
}
bool few(const Dim& n, i64 least) { auto c = const_of(n); return c && c->as_i64() < least; }
// Of points in order: a short sum has no vectors, and what is copied serves many sums.
bool tile_pays(i64 rows, i64 columns, i64 depth) {
  return depth <= costs::cpu::tile_short_sums || rows * columns >= costs::cpu::tile_uses * (rows + columns);
}
// What `unroll` makes straight code of: then the map around it is a vector.
bool is_straight(const Dim& columns, const Dim& depth) {
  auto at_most = [](const Dim& n, i64 most) { return few(n, most + 1); };
  return at_most(depth, costs::unrolled_width) || (at_most(columns, costs::unrolled_width) && at_most(depth, costs::unrolled_sum));
}
bool is_place(const Exp& e) { return std::holds_alternative<Index>(e) || std::holds_alternative<Permute>(e); }

constexpr size_t batches = 2;                            // maps more than a contraction has
constexpr size_t device_maps = 10;                       // of a contraction on a device, where several count rows, columns or points

Var token_of(const Program& p, const AccUpdate& u) { return std::get<AccType>(p.type(u.acc)).token; }
// The number of the path's outermost map.
size_t home_of(const Body& whole, const StmPath& path) {
  size_t d = 0;
  while (!std::holds_alternative<Screma>(stm_at(whole, path, d).exp)) d++;
  return d;
}

}  // namespace

std::array<i64, 3> least_tile(Target target) {
  if (target == Target::Gpu) return {costs::gpu::tile_rows, costs::gpu::tile_columns, costs::gpu::tile_depth};
  return {costs::cpu::tile_rows, costs::cpu::tile_columns, costs::cpu::tile_depth};
}

// ---- the search ----

std::optional<TileSum> TileSums::first(Body& whole) {
  whole_ = &whole;
  inside_ = {};
  inside_.add_all(whole);
  bound_ = bound_in(whole);
  std::optional<TileSum> found;
  StmPath path;
  search(whole, path, 0, found);
  return found;
}

size_t TileSums::most_maps() const { return c_.target == Target::Gpu ? device_maps : 3 + batches; }

bool TileSums::search(Body& b, StmPath& path, size_t maps, std::optional<TileSum>& found) {
  for (size_t k = 0; k < b.stms.size() && !found; k++) {
    path.push_back(k);
    Stm& s = b.stms[k];
    auto map = std::get_if<Screma>(&s.exp);
    if (map && maps >= 2 && maps < most_maps() && is_scalar_sum(*map)) of_reduction(path, found);
    if (!found && map && maps < most_maps()) search(map->pre.body, path, maps + 1, found);
    if (auto scope = std::get_if<WithAcc>(&s.exp)) search(scope->scope.body, path, maps, found);
    if (std::holds_alternative<AccUpdate>(s.exp) && maps >= 3) of_update(path, found);
    path.pop_back();
  }
  return found.has_value();
}

bool TileSums::is_scalar_sum(const Screma& x) const {
  if (!identity_post(x) || x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty()) return false;
  if (x.pre.body.result.size() != width_of(x.reduces) || x.pre.body.result.size() > costs::cpu::tile_results) return false;
  for (const Combine& c : x.reduces) {
    if (!c.shape.empty() || !all_steps(c.op.body)) return false;
    for (Bind b : c.op.params) if (!is_scalar(p_.type(b.var))) return false;
  }
  return true;
}

std::vector<const Screma*> TileSums::maps_of(const StmPath& path) const {
  std::vector<const Screma*> maps;
  for (size_t d = 0; d < path.size(); d++)
    if (auto x = std::get_if<Screma>(&stm_at(*whole_, path, d).exp)) maps.push_back(x);
  return maps;
}

bool TileSums::of_reduction(const StmPath& path, std::optional<TileSum>& found) {
  std::vector<const Screma*> maps = maps_of(path);
  TileSum c{path, {}};
  const size_t n = maps.size() - 1;
  std::optional<Body> all = points(c, maps[n]->pre.body.result);
  if (!all) return false;
  std::vector<size_t> kept(n);
  std::iota(kept.begin(), kept.end(), 0);
  c.tile = Seg{SegLevel::Tile, {}, {}, clone(p_, *all), {}, {}, {}, {}, {}};
  for (const Combine& op : maps[n]->reduces) c.tile.reduces.push_back(clone(p_, op));
  if (!arrange_together(c, maps, kept, {n}, 0) && !arrange(c, maps, kept, n)) return false;
  if (!make_values(c)) return false;
  found = std::move(c);
  return true;
}

// Which of the maps count rows and columns: the last two of `kept`, or of a batch any two for which it pays. The others come first. A reduction in
// the last two stays in the maps around these on processors: it is found in them again.
bool TileSums::arrange(TileSum& c, const std::vector<const Screma*>& maps, std::vector<size_t> kept, size_t summed) {
  const size_t n = kept.size();
  auto pays_with = [&](size_t rows, size_t columns) {
    c.order.clear();
    for (size_t d : kept) if (d != rows && d != columns) c.order.push_back(d);
    c.order.insert(c.order.end(), {rows, columns});
    c.tile.index.clear();
    c.tile.extent.clear();
    for (size_t d : c.order) {
      c.tile.index.push_back(counters_[d]);
      c.tile.extent.push_back(maps[d]->width);
    }
    c.tile.index.push_back(counters_[summed]);
    c.tile.extent.push_back(maps[summed]->width);
    return pays(c.tile);
  };
  bool found = pays_with(kept[n - 2], kept[n - 1]);
  if (found && n > 2 && c_.target != Target::Gpu && !c.token.valid()) return false;
  for (size_t columns = n; columns-- > 0 && n > 2 && !found;)
    for (size_t rows = n; rows-- > 0 && !found;) if (rows != columns) found = pays_with(kept[rows], kept[columns]);
  if (c.order == kept) c.order.clear();
  c.extent.clear();
  for (size_t d : kept) c.extent.push_back(maps[d]->width);
  return found;
}

// On devices several maps count rows, columns or points together, so that batches are what both sides vary with. Each number of a counter is one of
// its maps' numbers, as digits are. Of numbers that stand in memory some are of the rows, the others of the columns. `last`: the maps that the
// last part of the index of an update varies with, as bits.
bool TileSums::arrange_together(TileSum& c, const std::vector<const Screma*>& maps, const std::vector<size_t>& kept, const std::vector<size_t>& summed, unsigned last) {
  if (c_.target != Target::Gpu || kept.size() + summed.size() == 3) return false;
  for (size_t d = 0; d < maps.size(); d++)
    if (auto n = var_of(maps[d]->width); n && bound_.contains(*n)) return false;
  VarMap<unsigned> varies;                               // bit d: the value depends on the counter of map d
  unsigned all_kept = 0;
  for (size_t d : kept) all_kept |= 1u << d;
  for (size_t d = 0; d < counters_.size(); d++) varies[counters_[d].var] = 1u << d;
  std::vector<unsigned> reads;
  for (const Stm& s : c.tile.body.stms) {
    unsigned with = 0;
    each_use(p_, s, [&](Var v) { with |= varies[v]; });
    for (Bind y : s.pattern) varies[y.var] = with;
    const unsigned of = with & all_kept;
    if (is_place(s.exp) && is_scalar(p_.type(s.pattern[0].var)) && of && std::ranges::find(reads, of) == reads.end()) reads.push_back(of);
  }
  unsigned rows = 0, columns = 0;
  for (unsigned one : reads) {
    unsigned others = 0;
    for (unsigned other : reads) if (other != one) others |= other;
    const unsigned own = one & ~others, rest = others & ~one;
    if (own && rest && std::popcount(own | rest) > std::popcount(rows | columns)) rows = own, columns = rest;
  }
  if (!rows || std::popcount(rows | columns) < 2) return false;
  auto constants = [&](unsigned group) {
    int count = 0;
    for (size_t d : kept) count += (group >> d & 1) && const_of(maps[d]->width);
    return count;
  };
  // Columns are neighbours in memory. Of rows there should be few.
  if (!last) last = 1u << kept.back();
  const bool rows_last = (rows & last) != 0, columns_last = (columns & last) != 0;
  const int fewer = constants(columns) - constants(rows);
  if (rows_last != columns_last ? rows_last : fewer != 0 ? fewer > 0 : rows > columns) std::swap(rows, columns);
  std::vector<std::vector<size_t>> groups;
  for (size_t d : kept) if (!((rows | columns) >> d & 1)) groups.push_back({d});
  for (unsigned side : {rows, columns}) {
    groups.emplace_back();
    for (size_t d : kept) if (side >> d & 1) groups.back().push_back(d);
  }
  groups.push_back(summed);
  if (std::ranges::all_of(groups, [](const auto& group) { return group.size() == 1; })) return false;

  Seg tile = clone(p_, c.tile);
  List<Stm> sizes, code;
  Builder digits(p_, code);
  for (const std::vector<size_t>& group : groups) count_together(tile, sizes, digits, maps, group);
  digits.emit_all(std::move(tile.body.stms));
  tile.body.stms = std::move(code);
  keep_needed(p_, tile.body);
  if (!pays(tile)) return false;
  c.tile = std::move(tile);
  c.sizes = std::move(sizes);
  groups.pop_back();
  for (const std::vector<size_t>& group : groups)
    for (size_t d : group) c.order.push_back(d), c.shape.push_back(maps[d]->width);
  if (c.order == kept) c.order.clear();
  for (size_t d : kept) c.extent.push_back(maps[d]->width);
  return true;
}

// One dimension of the tile for the maps of a group.
void TileSums::count_together(Seg& tile, List<Stm>& sizes, Builder& digits, const std::vector<const Screma*>& maps, const std::vector<size_t>& group) {
  const Bind own = counters_[group.back()];
  if (group.size() == 1) {
    tile.index.push_back(own);
    tile.extent.push_back(maps[group[0]]->width);
    return;
  }
  Builder outside(p_, sizes);
  Dim size = maps[group[0]]->width;
  for (size_t k = 1; k < group.size(); k++) {
    const Dim n = maps[group[k]]->width;
    auto a = const_of(size), b = const_of(n);
    size = a && b ? Dim(i64_const(a->as_i64() * b->as_i64())) : Dim(outside.bind1("all", Apply{ScalarOp::mul, {size, n}}));
  }
  Var rest = p_.fresh(p_.hint(own.var), scalar_type(Scalar::I64));
  tile.index.push_back({rest});
  tile.extent.push_back(size);
  auto let = [&](Var v, Exp e) {
    Stm s;
    s.pattern = {{v}};
    s.exp = std::move(e);
    digits.emit(std::move(s));
  };
  for (size_t k = group.size(); k-- > 1;) {
    const Dim n = maps[group[k]]->width;
    const Var q = k == 1 ? counters_[group[0]].var : p_.fresh("rest", scalar_type(Scalar::I64));
    let(q, Apply{ScalarOp::quot, {rest, n}});
    const Var start = digits.bind1("start", Apply{ScalarOp::mul, {q, n}});
    let(counters_[group[k]].var, Apply{ScalarOp::sub, {rest, start}});
    rest = q;
  }
}

bool TileSums::of_update(const StmPath& path, std::optional<TileSum>& found) {
  const AccUpdate& u = std::get<AccUpdate>(stm_at(*whole_, path, path.size() - 1).exp);
  TileSum c{path, {}};
  c.in_range = u.in_range;
  const Dest* dest = nullptr;
  c.token = token_of(p_, u);
  for (size_t d = 0; d < path.size() && !dest; d++) {
    const Stm& s = stm_at(*whole_, path, d);
    if (std::holds_alternative<Screma>(s.exp)) c.maps++;
    auto scope = std::get_if<WithAcc>(&s.exp);
    for (size_t k = 0; scope && k < scope->dests.size(); k++)
      if (scope->scope.params[k].var == c.token) { dest = &scope->dests[k]; c.scope = d; }
  }
  const std::vector<const Screma*> maps = maps_of(path);
  const size_t n = maps.size();
  if (!dest || c.maps > n - 2 || !dest->combine || !dest->combine->commutative || !scalar_operator(p_, *dest->combine)) return false;
  if (u.values.size() != 1 || !is_scalar(p_.type(u.values[0])) || dest->arrays.size() != 1) return false;
  std::vector<Atom> wanted = u.values;
  wanted.insert(wanted.end(), u.at.begin(), u.at.end());
  std::optional<Body> all = points(c, wanted);
  if (!all) return false;

  VarMap<unsigned> varies;                               // bit d: the value depends on the counter of map d
  for (size_t d = 0; d < n; d++) varies[counters_[d].var] = 1u << d;
  for (const Stm& s : all->stms) {
    unsigned with = 0;
    each_use(p_, s, [&](Var v) { with |= varies[v]; });
    for (Bind y : s.pattern) varies[y.var] = with;
  }
  auto of = [&](const Atom& a) { auto v = var_of(a); return v ? varies[*v] : 0u; };
  unsigned dims = (1u << c.maps) - 1;                    // the array of a scope inside of maps belongs to one of their iterations
  for (size_t k = 1; k < all->result.size(); k++) dims |= of(all->result[k]);
  std::vector<size_t> summed;
  for (size_t d = 0; d < n; d++) (dims >> d & 1 ? c.kept : summed).push_back(d);
  if (summed.empty() || c.kept.size() < 2 || (summed.size() > 1 && c_.target != Target::Gpu)) return false;
  unsigned last = of(all->result.back());                // columns are neighbours in memory
  if (n == 3 && c.maps == 0 && std::has_single_bit(last) && size_t(std::countr_zero(last)) == c.kept[0]) std::swap(c.kept[0], c.kept[1]);

  c.at = *all;
  c.at.result.erase(c.at.result.begin());
  all->result.resize(1);
  keep_needed(p_, c.at);
  keep_needed(p_, *all);
  c.tile = Seg{SegLevel::Tile, {}, {}, clone(p_, *all), {clone(p_, *dest->combine)}, {}, {}, {}, {}};
  if (!arrange_together(c, maps, c.kept, summed, last) && (summed.size() > 1 || !arrange(c, maps, c.kept, summed[0]))) return false;
  if (!make_values(c)) return false;
  found = std::move(c);
  return true;
}

// Whether loops over the points read neighbours: a vector of points is then as good as a row of sums, and nothing is copied.
bool TileSums::reads_points_in_order(const Seg& x) const {
  if (c_.options.strict_fp || c_.target == Target::Gpu) return false;
  const TileSides sides(p_, x);
  Definitions own;
  own.add_all(x.body);
  for (const Stm& s : x.body.stms) {
    auto read = std::get_if<Index>(&s.exp);
    if (!read || !is_scalar(p_.type(s.pattern[0].var)) || !(sides.of(p_, s) & TileSides::Depth)) continue;
    auto last = std::get_if<Atom>(&read->at.back());
    const Var* point = last ? var_of(*last) : nullptr;
    if (!point || !(sides.of(*point) & TileSides::Depth)) return false;
    Var array = read->array;
    while (auto row = own.get<Index>(array)) array = row->array;
    if (own.get<Permute>(array) || inside_.get<Permute>(array) || outside_.get<Permute>(array)) return false;
  }
  return true;
}

// Both sides read, what is done at each point is arithmetic, and there is not much to copy.
bool TileSums::pays(const Seg& x) const {
  const std::array<i64, 3> least = least_tile(c_.target);
  for (size_t d = 0, batch = x.extent.size() - 3; d < x.extent.size(); d++) {
    auto n = var_of(x.extent[d]);
    if ((n && bound_.contains(*n)) || (d >= batch && few(x.extent[d], least[d - batch]))) return false;
  }
  const Dim* last = &x.extent.back() - 2;
  if (c_.target != Target::Gpu && is_straight(last[1], last[2])) return false;
  if (reads_points_in_order(x)) {
    if (few(last[1], costs::cpu::tile_uses)) return false;
    auto rows = const_of(last[0]), columns = const_of(last[1]), depth = const_of(last[2]);
    if (rows && columns && depth && !tile_pays(rows->as_i64(), columns->as_i64(), depth->as_i64())) return false;
  }
  const TileSides sides(p_, x);
  bool rows = false, columns = false;
  size_t reads = 0;
  for (const Stm& s : x.body.stms) {
    if (!s.checks.empty() || (!is_place(s.exp) && !is_step(s.exp))) return false;
    uint8_t varies = sides.of(p_, s);
    auto side = TileSides::side(varies);
    if (side == TileSides::Side::Both && (is_place(s.exp) || calls(s))) return false;
    if (!is_place(s.exp) || !is_scalar(p_.type(s.pattern[0].var)) || !(varies & TileSides::Depth)) continue;
    reads++;
    (side == TileSides::Side::Rows ? rows : columns) |= (varies & (TileSides::Rows | TileSides::Columns)) != 0;
  }
  auto fits = [&](TileSides::Side side) { return sides.operands(p_, x, side).size() <= costs::gpu::tile_operands; };
  if (c_.target == Target::Gpu && !(fits(TileSides::Side::Rows) && fits(TileSides::Side::Columns))) return false;
  return rows && columns && reads <= costs::cpu::tile_reads;
}

// ---- what a point needs ----

bool TileSums::counts(Var array) const {
  for (const Definitions* d : {&inside_, &outside_})
    if (auto iota = d->get<Iota>(array)) return is_const(iota->start, 0) && is_const(iota->step, 1) && elem_of(p_.type(array)) == Scalar::I64;
  return false;
}

// The statements that compute them from the counters.
std::optional<Body> TileSums::points(TileSum& c, std::vector<Atom> wanted) {
  counters_.clear();
  const size_t n = maps_of(c.path).size();
  for (size_t d = 0; d < n; d++) counters_.push_back({p_.fresh(d + 3 == n ? "i" : d + 2 == n ? "j" : d + 1 == n ? "k" : "batch", scalar_type(Scalar::I64))});
  VarSet needed;
  each_use(p_, wanted, [&](Var v) { needed.insert(v); });
  std::vector<List<Stm>> parts;                          // from inside
  Subst counted;
  size_t depth = c.path.size(), maps = n;
  bool reduction = std::holds_alternative<Screma>(stm_at(*whole_, c.path, depth - 1).exp);
  if (!reduction) depth--;
  for (; maps > 0; depth--) {
    const Body& b = body_at(*whole_, c.path, depth);
    auto stms = slice(c, b, depth < c.path.size() ? c.path[depth] : b.stms.size(), needed, depth, maps);
    if (!stms) return {};
    parts.push_back(std::move(*stms));
    auto map = std::get_if<Screma>(&stm_at(*whole_, c.path, depth - 1).exp);
    if (!map) continue;
    List<Stm> reads;
    if (!elements(*map, --maps, needed, reads, counted)) return {};
    parts.push_back(std::move(reads));
  }
  Body all;
  for (; !parts.empty(); parts.pop_back())
    for (auto& s : parts.back().take()) all.stms.push_back(std::move(s));
  all.result = std::move(wanted);
  all = clone(p_, all);                                  // what stays has types with the parameters, maybe
  substitute(p_, all, counted);
  keep_needed(p_, all);
  return all;
}

// The elements that a map has for its counter.
bool TileSums::elements(const Screma& x, size_t map, VarSet& needed, List<Stm>& out, Subst& counted) {
  for (size_t k = 0; k < x.inputs.size(); k++) {
    if (!needed.contains(x.pre.params[k].var)) continue;
    if (!is_array(p_.type(x.inputs[k]))) return false;
    needed.insert(x.inputs[k]);
    if (counts(x.inputs[k])) { counted.emplace(x.pre.params[k].var, counters_[map].var); continue; }
    Stm read;
    read.pattern = {x.pre.params[k]};
    read.exp = Index{x.inputs[k], {Atom(counters_[map].var)}};
    out.push_back(std::move(read));
  }
  return true;
}

// The statements before number `end` that `needed` are made by, and what these are made by, in order. None if an innermost one is more than
// arithmetic and views.
std::optional<List<Stm>> TileSums::slice(TileSum& c, const Body& b, size_t end, VarSet& needed, size_t depth, size_t maps) {
  std::vector<List<Stm>> parts;
  for (size_t k = end; k-- > 0;) {
    const Stm& s = b.stms[k];
    if (std::ranges::none_of(s.pattern, [&](Bind y) { return needed.contains(y.var); })) continue;
    if (!s.checks.empty()) return {};
    parts.emplace_back();
    bool step = is_step(s.exp) && !std::holds_alternative<Tunable>(s.exp);
    if (is_place(s.exp) || (step && (maps == counters_.size() || !calls(s)))) {
      parts.back().push_back(s);
      each_use(p_, s, [&](Var v) { needed.insert(v); });
    } else if (maps == counters_.size() || !keep_value(c, s, needed, depth, maps, parts.back())) {
      return {};
    }
  }
  List<Stm> out;
  for (; !parts.empty(); parts.pop_back())
    for (auto& s : parts.back().take()) out.push_back(std::move(s));
  return out;
}

// Reads what the statement makes from arrays.
bool TileSums::keep_value(TileSum& c, const Stm& s, const VarSet& needed, size_t depth, size_t maps, List<Stm>& reads) {
  for (Bind y : s.pattern) {
    if (!needed.contains(y.var)) continue;
    Type t = p_.type(y.var);
    std::vector<Dim> shape = shape_of(t), around;
    if (!is_scalar(t) && (!is_array(t) || maps + shape.size() >= counters_.size())) return false;
    for (const Screma* map : maps_of({c.path.begin(), c.path.begin() + ptrdiff_t(depth)})) {
      if (!identity_post(*map) || !map->post_reduces.empty()) return false;
      around.push_back(map->width);
    }
    for (const std::vector<Dim>& dims : {shape, around})
      for (const Dim& n : dims) if (auto v = var_of(n); v && bound_.contains(*v)) return false;
    bool consumed = false;
    each_stm(*whole_, [&](const Stm& other) { each_consumed(p_, other.exp, [&](Var v) { consumed |= v == y.var; }); });
    if (consumed) return false;
    Var made = p_.fresh(p_.hint(y.var), lifted(around, t));
    std::vector<Selector> at;
    for (size_t k = 0; k < maps; k++) at.push_back(Atom(counters_[k].var));
    Stm read;
    read.pattern = {y};
    read.exp = Index{made, std::move(at)};
    reads.push_back(std::move(read));
    c.values.push_back({y.var, made, depth, maps});
  }
  return true;
}

// The map that makes the arrays of these values, alone. None if it needs an accumulator.
std::optional<Body> TileSums::maker(const TileSum& c, const std::vector<NestValue>& values) {
  size_t home = home_of(*whole_, c.path);
  Stm map = stm_at(*whole_, c.path, home);
  Subst renamed;
  map.exp = clone(p_, map.exp, &renamed);
  for (Bind& y : map.pattern) y.var = p_.fresh(p_.hint(y.var), p_.type(y.var));
  Body made;
  made.stms.push_back(std::move(map));
  StmPath path(c.path.begin() + ptrdiff_t(home), c.path.end());
  path[0] = 0;
  for (const NestValue& v : values) made.result.push_back(expose(made, path, v.depth - home, 0, *var_of(renamed.at(v.var)), v.made));
  drop_unused(p_, c_, made);
  drop_idle(p_, made);
  VarSet tokens = bound_in(made);
  bool fine = true;
  auto look = [&](Var v) { if (auto acc = std::get_if<AccType>(&p_.type(v))) fine = fine && tokens.contains(acc->token); };
  each_bind(made, look);
  each_use(p_, made, look);
  return fine ? std::optional(std::move(made)) : std::nullopt;
}

// What the outermost map has no part in is made once.
bool TileSums::make_values(TileSum& c) {
  auto map_of = [](Body& b) { return std::get_if<Screma>(&b.stms.back().exp); };
  std::vector<NestValue> same, others;
  for (NestValue& v : c.values) {
    std::optional<Body> alone = maker(c, {v});
    if (!alone) return false;
    v.same = counters_.size() == 3 && v.maps == 2 && map_of(*alone) && map_of(*alone)->inputs.empty();
    (v.same ? same : others).push_back(v);
  }
  if (!others.empty()) c.before = std::move(maker(c, others)->stms);
  if (same.empty()) return true;
  Body once = *maker(c, same);
  Screma& map = *map_of(once);
  Subst rows;
  for (size_t k = 0; k < same.size(); k++) {
    Var made = same[k].made;
    p_.vars[made.index].type = row_type(p_.type(made));
    rows.emplace(*var_of(map.pre.body.result[k]), made);
    for (Body* b : {&c.tile.body, &c.at})
      for (Stm& s : b->stms)
        if (auto read = std::get_if<Index>(&s.exp); read && read->array == made) read->at.erase(read->at.begin());
  }
  for (auto& s : map.pre.body.stms.take()) {
    for (Bind& y : s->pattern)
      if (auto row = rows.find(y.var); row != rows.end()) y.var = *var_of(row->second);
    substitute(p_, *s, rows);
    c.before.push_back(std::move(s));
  }
  return true;
}

// ---- how it comes apart ----

// Makes v, of the body at depth `from`, a result of the statement at depth `to` of the path.
Var TileSums::expose(Body& b, const StmPath& path, size_t from, size_t to, Var v, Var last) {
  for (size_t d = from; d-- > to;) {
    Stm& s = stm_at(b, path, d);
    inner(s).result.push_back(v);
    auto map = std::get_if<Screma>(&s.exp);
    Type t = map ? lifted(map->width, p_.type(v)) : p_.type(v);
    v = d == to && last.valid() ? last : p_.fresh(p_.hint(v), t);
    s.pattern.push_back({v});
  }
  return v;
}

// Hands the elements of an array, or its rows, into the maps from number `first` to n.
void TileSums::pass_in(const std::vector<Screma*>& maps, size_t first, size_t n, Var array, Bind element) {
  for (size_t k = first; k < n; k++) {
    Bind now = k + 1 == n ? element : Bind{p_.fresh(p_.hint(element.var), row_type(p_.type(array)))};
    maps[k]->inputs.push_back(array);
    maps[k]->pre.params.push_back(now);
    array = now.var;
  }
}

void TileSums::take_out(Body& whole, TileSum& c) {
  size_t home = home_of(whole, c.path), last = c.path.size() - 1;
  std::vector<Screma*> maps;
  for (size_t d = 0; d < last; d++)
    if (auto x = std::get_if<Screma>(&stm_at(whole, c.path, d).exp)) maps.push_back(x);
  Stm& point = stm_at(whole, c.path, last);
  for (const NestValue& v : c.values) {
    for (Stm& s : body_at(whole, c.path, v.depth).stms)
      for (Bind& y : s.pattern) if (y.var == v.var) y.var = p_.fresh(p_.hint(v.var), p_.type(v.var));
    pass_in(maps, v.same ? 1 : 0, v.maps, v.made, {v.var});
  }
  List<Stm> before = std::move(c.before);
  Builder b(p_, before);
  b.source = stm_at(whole, c.path, home).source;
  b.checks = stm_at(whole, c.path, home).checks;
  Body& around = body_at(whole, c.path, last);
  bool update = std::holds_alternative<AccUpdate>(point.exp);
  std::vector<Var> sums = b.bind(update ? "sum" : p_.hint(point.pattern[0].var), std::move(c.tile));
  if (!c.shape.empty())
    for (Var& v : sums) v = b.bind1(p_.hint(v), Reshape{v, c.shape});
  if (!c.order.empty()) {
    std::vector<size_t> kept = c.order;
    std::ranges::sort(kept);
    std::vector<int> at;
    for (size_t d : kept) at.push_back(int(std::ranges::find(c.order, d) - c.order.begin()));
    for (Var& v : sums) v = b.permute(v, at);
  }
  if (update) {
    add_sums(whole, c, b, sums[0], home, maps);
    substitute(p_, around, Subst{{point.pattern[0].var, std::get<AccUpdate>(point.exp).acc}});
  } else {
    for (size_t k = 0; k < sums.size(); k++) pass_in(maps, 0, maps.size(), sums[k], point.pattern[k]);
  }
  Body& body = body_at(whole, c.path, home);
  size_t at = c.path[home];
  around.stms.erase(point);                              // deeper than the map, whose number stays
  body.stms.splice(at, std::move(before));
  drop_idle(p_, whole);
  drop_unused(p_, c_, whole);
}

// Whether the sums are all that the array of the accumulator gets: one sum for each cell, and neutral elements before.
bool TileSums::is_whole(const TileSum& c, const Dest& d) const {
  const Replicate* fill = inside_.get<Replicate>(d.arrays[0]);
  if (!fill) fill = outside_.get<Replicate>(d.arrays[0]);
  if (!fill || fill->value != d.combine->neutral[0]) return false;
  std::vector<Dim> space = shape_of(p_.type(d.arrays[0]));
  if (c.at.result.size() != space.size() || space.size() != c.kept.size() - c.maps) return false;
  for (size_t k = 0; k < space.size(); k++)
    if (c.at.result[k] != Atom(counters_[c.kept[k + c.maps]].var) || space[k] != c.extent[k + c.maps]) return false;
  return true;
}

// The array of the accumulator gets the sums after its scope: they are all it gets, or are added in a scope of their own.
void TileSums::add_sums(Body& whole, TileSum& c, Builder& before, Var sums, size_t home, const std::vector<Screma*>& maps) {
  Body& around = body_at(whole, c.path, c.scope);
  Stm& s = around.stms[c.path[c.scope]];
  WithAcc& w = std::get<WithAcc>(s.exp);
  size_t number = 0, first = 0, updates = 0;
  while (w.scope.params[number].var != c.token) first += w.dests[number++].arrays.size();
  each_stm(w.scope.body, [&](const Stm& t) { auto u = std::get_if<AccUpdate>(&t.exp); updates += u && token_of(p_, *u) == c.token; });
  const bool all = updates == 1 && is_whole(c, w.dests[number]);
  Dest dest{{}, w.dests[number].rank, clone(p_, *w.dests[number].combine)};
  Var array = s.pattern[first].var, old = p_.fresh(p_.hint(array), p_.type(array));
  if (c.maps == 0) {
    sums = expose(whole, c.path, home, c.scope, sums);
  } else {
    Type t = p_.type(sums);
    for (size_t d = 0; d < c.maps; d++) t = row_type(t);
    Var row = p_.fresh(p_.hint(sums), t);
    pass_in(maps, 0, c.maps, sums, {row});
    sums = row;
  }
  if (all) {
    substitute(p_, around, Subst{{array, sums}});
    s.pattern[first].var = old;
    return;
  }
  s.pattern[first].var = old;
  dest.arrays = {old};
  Body at = clone(p_, c.at);
  for (size_t d = 0; d < c.maps; d++) {
    if (!mentions(p_, at, counters_[d].var)) continue;
    Var counter = p_.fresh("i", scalar_type(Scalar::I64));
    pass_in(maps, d, d + 1, before.iota(maps[d]->width), {counter});
    substitute(p_, at, Subst{{counters_[d].var, counter}});
  }
  Var token = p_.fresh("t", CheckType{});
  Var acc = p_.fresh("acc", dest_type(p_, dest, token));
  Stm added;
  added.pattern = {{array}};
  added.source = s.source;
  added.checks = s.checks;
  Body code;
  Builder b(p_, code.stms);
  b.source = s.source;
  auto nest = [&](auto& self, size_t d, Var data, Var into) -> Var {
    if (d == c.kept.size()) {
      b.emit_all(std::move(at.stms));
      return b.bind1(p_.hint(acc), AccUpdate{into, at.result, {data}, c.in_range});
    }
    const Dim n = c.extent[d];
    Builder::Params params = {{p_.hint(data), row_type(p_.type(data))}, {"i", scalar_type(Scalar::I64)}, {p_.hint(acc), p_.type(into)}};
    Var is = b.iota(n);
    return b.map(p_.hint(acc), n, b.lambda(params, [&](const std::vector<Var>& in) {
      substitute(p_, at, Subst{{counters_[c.kept[d]].var, in[1]}});
      return std::vector<Atom>{self(self, d + 1, in[0], in[2])};
    }), {data, is, into})[0];
  };
  code.result = {nest(nest, c.maps, sums, acc)};
  WithAcc scope{{std::move(dest)}, Lambda{{{token}, {acc}}, std::move(code)}};
  added.exp = std::move(scope);
  around.stms.insert(c.path[c.scope] + 1, std::move(added));
}

}  // namespace raido
