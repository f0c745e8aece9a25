// translate_turned.cc - kernels that read arrays across: tiles of these go through shared memory.
//
//   y[i, j] = f a[i, j] b[j, i]               threads beside each other have neighbouring j, so they read b far apart
//   ==>  each block has a tile of 32 i and 32 j
//     b_tile[i][j] = b[j, i]                  here they have neighbouring i
//     barrier
//     y[i, j] = f a[i, j] b_tile[i][j]        here neighbouring j
//
// A copy of a transposed array is such a kernel. So is a map: its results say which index its threads have beside each other. Reads of a map
// are taken first if they stand in no branch. Then each of them is one that the point makes anyway. Where either side of a tile would be mostly
// empty, there is no tile. A row of a tile has one more element, so that threads meet in no bank.
#include "backends/kernel/counting.h"
#include "backends/kernel/translator.h"

#include <algorithm>

#include "compiler/ir/costs.h"

namespace raido::kir::translation {
namespace {

constexpr int64_t side = costs::gpu::warp, least = side / 2;         // of a tile; of an array that is taken in tiles
constexpr size_t most_arrays = 4;                                    // whose tiles have room: 34 KiB of f64

std::optional<size_t> near(const Module& m, const std::vector<ExprId>& strides) {
  for (size_t d = 0; d < strides.size(); d++)
    if (auto c = m.const_of(strides[d]); c && c->as_i64() == 1) return d;
  return {};
}
// No loops, no checks and no arrays: as much work as the reads themselves.
bool is_light(const Program& p, const Body& b) {
  for (const ir::Stm& s : b.stms) {
    if (std::ranges::any_of(s.pattern, [&](Bind v) { return !is_scalar(p.type(v.var)); })) return false;
    if (auto x = std::get_if<ir::If>(&s.exp)) {
      if (!is_light(p, x->then_) || !is_light(p, x->else_)) return false;
    } else if (!std::holds_alternative<Apply>(s.exp) && !std::holds_alternative<Convert>(s.exp) && !std::holds_alternative<Index>(s.exp) &&
               !std::holds_alternative<Identity>(s.exp)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void FromCore::turned(const std::string& hint, const std::vector<ExprId>& extent, size_t down, size_t across, const std::vector<Far>& far, const TileFill& fill) {
  auto declare = [&](const char* hint, ExprId value) {
    Name n = m_.name(hint, Scalar::I64);
    emit(Declare{n, value});
    return m_.var(n);
  };
  auto less = [&](ExprId a, ExprId b) { return m_.prim(ScalarOp::lt, {a, b}); };
  auto quot = [&](ExprId a, ExprId b) { return m_.prim(ScalarOp::quot, {a, b}); };
  const ExprId size = m_.expr({Hardware{Builtin::BlockSize}, Scalar::I64}), sides = m_.number(side);
  auto tiles = [&](ExprId n) { return quot(m_.add(n, m_.number(side - 1)), sides); };
  std::vector<ExprId> counts = extent;
  counts[down] = declare("tiles_down", tiles(extent[down]));
  counts[across] = declare("tiles_across", tiles(extent[across]));
  Name width = m_.name("width", Scalar::I64);
  std::vector<ExprId> limits = extent;
  limits[across] = m_.var(width);
  Name fine = m_.name("fine", Scalar::Bool);
  ExprId all = m_.number(1);
  for (ExprId n : counts) all = m_.mul(all, n);
  Kernel k = kernel_of(hint, [&] {
    std::vector<Name> tile;
    for (const Far& f : far) {
      tile.push_back(m_.memory("tile", m_.names[f.memory.index].type, Space::Private));
      emit(DeclareShared{tile.back(), 0, int(side * (side + 1))});
    }
    ExprId local = declare("local", m_.expr({Hardware{Builtin::LocalId}, Scalar::I64}));
    ExprId slow = declare("slow", quot(local, sides)), fast = declare("fast", m_.prim(ScalarOp::sub, {local, m_.mul(slow, sides)}));
    ExprId rows = quot(size, sides), rounds = quot(m_.add(rows, m_.number(side - 1)), rows);
    Point first = point_of(m_.expr({Hardware{Builtin::BlockId}, Scalar::I64}), counts);
    for (size_t d : {down, across}) first[d] = declare("first", m_.mul(first[d], sides));
    // All points of the tile: `fast` along dimension `d`. Threads beyond the last whole row of a block have none.
    auto points = [&](size_t d, auto&& at) {
      const size_t other = d == down ? across : down;
      Point here = first;
      here[d] = declare("i", m_.add(first[d], fast));
      Name r = m_.name("r", Scalar::I64);
      Block round = block([&] {
        ExprId row = declare("row", m_.add(m_.mul(m_.var(r), rows), slow));
        here[other] = declare("j", m_.add(first[other], row));
        Block one = block([&] { at(here, row); });
        emit(If{m_.prim(ScalarOp::and_, {less(row, sides), less(here[other], limits[other])}), std::move(one), {}});
      });
      Block column = block([&] {
        kir::For loop{r, m_.number(0), rounds, std::move(round)};
        loop.unrolled = true;
        emit(std::move(loop));
      });
      emit(If{m_.prim(ScalarOp::and_, {m_.var(fine), m_.prim(ScalarOp::and_, {less(slow, rows), less(here[d], limits[d])})}), std::move(column), {}});
    };
    auto place = [&](ExprId i, ExprId j) { return m_.add(m_.mul(i, m_.number(side + 1)), j); };
    points(down, [&](const Point& at, ExprId row) {
      for (size_t k = 0; k < far.size(); k++) emit(Store{tile[k], place(fast, row), load(far[k].memory, far[k].address(at), "x")});
    });
    emit(Barrier{});
    points(across, [&](const Point& at, ExprId row) {
      std::vector<ExprId> taken;
      for (Name t : tile) taken.push_back(load(t, place(row, fast), "x"));
      fill(at, taken);
    });
  });
  // If an earlier kernel has failed, what it made may lead anywhere.
  k.body.insert(0, is_steered_by_memory(m_, k) ? kir::Stm{Unfailed{fine}} : kir::Stm{Declare{fine, m_.constant(bool_const(true))}});
  k.collective = true;
  launch(std::move(k), width, {{extent[across], m_.mul(all, size)}});
}

// The kernel where both dimensions are long enough, else `plain`.
void FromCore::in_tiles(const std::string& hint, const std::vector<ExprId>& extent, size_t down, size_t across, const std::vector<Far>& far, const TileFill& fill,
                        const std::function<void()>& plain) {
  auto long_enough = [&](size_t d) { return m_.prim(ScalarOp::le, {m_.number(least), extent[d]}); };
  ExprId pays = m_.prim(ScalarOp::and_, {long_enough(down), long_enough(across)});
  const auto known = m_.const_of(pays);
  if (known == bool_const(false)) return plain();
  Block tiles = block([&] { turned(hint, extent, down, across, far, fill); });
  if (known) {
    for (auto& stm : tiles.take()) out_->push_back(std::move(*stm));
    return;
  }
  Block others = block(plain);
  emit(If{pays, std::move(tiles), std::move(others)});
}
bool FromCore::copy_turned(const Layout& to, const Layout& from, const std::vector<ExprId>& extent) {
  if (target_ != Target::Gpu || in_kernel_ || !is_device(to.memory) || !is_device(from.memory)) return false;
  auto across = near(m_, to.strides), down = near(m_, from.strides);
  if (!across || !down || *across == *down) return false;
  const std::vector<Far> far = {{from.memory, [&](const Point& at) { return address(from, at); }}};
  in_tiles("turn", extent, *down, *across, far, [&](const Point& at, const std::vector<ExprId>& x) { store(to.memory, address(to, at), x[0]); },
           [&] { each(extent, true, [&](const Point& at) { store(to.memory, address(to, at), load(from.memory, address(from, at), "x")); }); });
  return true;
}
bool FromCore::map_turned(const ir::Stm& s, const Seg& x, const std::string& hint, const std::function<void(const Point&)>& run) {
  if (x.extent.size() < 2 || s.pattern.empty() || !is_light(p_, x.body)) return false;
  size_t across = x.extent.size() - 1;
  for (Bind b : s.pattern) {
    if (!array(b.var) || array(b.var)->shape.size() != x.extent.size()) return false;
  }
  auto dimension = [&](const Atom& a) -> std::optional<size_t> {
    for (size_t d = 0; d < x.index.size(); d++) if (a == Atom{x.index[d].var}) return d;
    return {};
  };
  // The dimensions along which neighbours read it far apart.
  VarSet inside;
  for (const ir::Stm& stm : x.body.stms) for (Bind b : stm.pattern) inside.insert(b.var);
  auto far_along = [&](const Index& read) -> std::optional<size_t> {
    std::optional<size_t> down;
    bool moves = false;
    const Lmad& l = array(read.array)->place->layout;
    for (size_t d = 0; d < read.at.size(); d++) {
      const Atom& at = std::get<Atom>(read.at[d]);
      if (auto v = var_of(at); v && inside.contains(*v)) return {};
      auto counted = dimension(at);
      if (is_const(l.strides[d], 1)) down = counted;
      else moves |= counted == across;
    }
    return moves && down != across ? down : std::nullopt;
  };
  std::optional<size_t> down;
  std::vector<Var> taken;
  std::vector<Far> far;
  for (const ir::Stm& stm : x.body.stms) {
    auto read = std::get_if<Index>(&stm.exp);
    auto d = read ? far_along(*read) : std::nullopt;
    if (!d || (down && *down != *d) || taken.size() == most_arrays) continue;
    down = d;
    taken.push_back(stm.pattern[0].var);
    Layout l = layout(read->array);
    far.push_back({l.memory, [this, &x, read, l](const Point& at) {
      for (size_t d = 0; d < at.size(); d++) scalar_[x.index[d].var] = at[d];
      std::vector<ExprId> place;
      for (const Selector& i : read->at) place.push_back(atom(std::get<Atom>(i)));
      return address(l, place);
    }});
  }
  if (!down) return false;
  std::vector<ExprId> extent = atoms(x.extent);
  in_tiles(hint, extent, *down, across, far,
           [&](const Point& at, const std::vector<ExprId>& values) {
             for (size_t k = 0; k < taken.size(); k++) taken_[taken[k]] = values[k];
             run(at);
             for (Var v : taken) taken_[v] = {};
           },
           [&] { kernel(hint, extent, run); });
  return true;
}

}  // namespace raido::kir::translation
