// translate_tiles.cc - a contraction as tiles: each number that is read serves a row or a column of sums, which stay in registers.
//
//   seg tile (i < n, j < m, k < q) { x = a[i, k]; y = b[k, j]; z = x * y in z } reduces (add [0])
//     ==>
//   for blocks of columns; for blocks of the sum's points {
//     panels[p][k][l] = y                        column j = the l-th of panel p
//     for tiles of rows {
//       rows[k][r] = x                           row i = the r-th of the tile; x stays in its array if that has points side by side
//       for panels p {                           one or two vectors of columns, if no more are there
//         sums[r][l] = 0, or what the points before have added up to
//         for k; for r; for l { sums[r][l] += rows[k][r] * panels[p][k][l] }
//         c[i, j] = sums[r][l]                   of rows and columns that are there
//   }}}
//
// The loops over r and over the vectors of l are written out by the C compiler, which knows their numbers (backends/runtime/tiles.h);
// the loop over the elements of one vector becomes one instruction for each operation. After the last row and the last column
// their numbers are taken once more, and nobody stores what comes of them. Each sum is taken in the order of its points.
#include "backends/kernel/contraction.h"

namespace raido::kir::translation {

class FromCore::Tiles : Contraction {
 public:
  Tiles(FromCore& t, const ir::Stm& s, const Seg& x) : Contraction(t, s, x) {
    lanes_ = hardware(Builtin::VectorLanes, widest());
    rows_ = hardware(Builtin::TileRows);
    vectors_ = x.body.result.size() > 1 ? number(1) : hardware(Builtin::TileVectors);   // the sums share the registers
    columns_ = m_.mul(vectors_, lanes_);
  }

  void run() {
    if (batch_.empty()) return contraction();
    if (t_.target_ != Target::Multicore || t_.in_task_) return each(false);
    const ExprId few = number(costs::cpu::shared_batch);
    emit(If{m_.prim(ScalarOp::lt, {product(batch_), few}), t_.block([&] { each(false); }), t_.block([&] { each(true); })});
  }

 private:
  ExprId rows_, vectors_, lanes_, columns_;            // of a tile: rows, vectors and their elements in a row, both together
  const bool rows_in_place_ = in_place();
  std::vector<ExprId> batch_at_ = std::vector<ExprId>(batch_.size());   // which one of the batch

  // Whether a tile reads its rows where they are: one number at each point, the next one beside it. The caches see as many streams as there are rows.
  bool in_place() {
    if (of_rows_.size() != 1 || type(of_rows_[0].var) != kept(of_rows_[0].var) || !depth_is_near(TileSides::Rows, TileSides::Columns)) return false;
    for (const ir::Stm& s : x_.body.stms) {
      const uint8_t varies = sides_.of(t_.p_, s);
      const bool read = std::holds_alternative<ir::Index>(s.exp) && ((varies & TileSides::Depth) || !is_scalar(t_.p_.type(s.pattern[0].var)));
      if (TileSides::side(varies) == Side::Rows && !read) return false;
    }
    return true;
  }
  ExprId hardware(Builtin b, int bytes = 0) { return m_.expr({Hardware{b, bytes}, Scalar::I64}); }
  ExprId up(ExprId columns) { return m_.mul(parts(columns, columns_), columns_); }

  // ---- loops ----

  template <class F> void loop(const char* hint, ExprId n, F fill, bool For::*how = nullptr) {
    Name i = m_.name(hint, Scalar::I64);
    For x{i, number(0), n, t_.block([&] { fill(m_.var(i)); })};
    if (how) x.*how = true;
    emit(std::move(x));
  }
  // How many vectors columns fill, and how many columns these have.
  struct Columns { ExprId vectors, in_vectors; };
  Columns by_vectors(ExprId columns) {
    ExprId vectors = named("vectors", m_.prim(ScalarOp::quot, {columns, lanes_}));
    return {vectors, named("in_vectors", m_.mul(vectors, lanes_))};
  }
  template <class F> void vectors_of(Columns c, F fill) {
    loop("v", c.vectors, [&](ExprId v) { loop("l", lanes_, [&](ExprId l) { fill(m_.add(m_.mul(v, lanes_), l)); }, &For::lanes); });
  }
  // Blocks of `size`, the last may have less: at least so many blocks.
  template <class F> void for_blocks(const char* hint, ExprId n, ExprId size, ExprId at_least, F fill) {
    ExprId blocks = named("blocks", m_.prim(ScalarOp::max, {parts(n, size), at_least}));
    loop(hint, blocks, [&](ExprId b) {
      ExprId first = named("first", m_.mul(b, size));
      fill(first, named("count", least(size, less(n, first))));
    });
  }

  ExprId product(const std::vector<ExprId>& extents) {
    ExprId all = number(1);
    for (ExprId n : extents) all = m_.mul(all, n);
    return all;
  }
  // All contractions of a batch, one after the other or, if they are `apart`, by different threads.
  void each(bool apart) {
    auto one = [&](ExprId b) {
      for (size_t d = batch_.size(); d-- > 0;) {
        const ExprId before = named("before", m_.prim(ScalarOp::quot, {b, batch_[d]}));
        batch_at_[d] = t_.scalar_[x_.index[d].var] = named("batch", less(b, m_.mul(before, batch_[d])));
        b = before;
      }
      contraction();
    };
    const ExprId all = named("all", product(batch_));
    if (apart) shared(all, one);
    else loop("b", all, one);
  }
  void contraction() {
    const ExprId depth = number(costs::cpu::panel_depth), width = number(costs::cpu::panel_bytes / widest());
    for (Operand& y : of_columns_) y.panel = m_.memory(t_.p_.hint(y.var) + "_panels", kept(y.var), Space::Host);
    // A block holds as much as the contraction has, or as one pass takes.
    ExprId most = m_.mul(least(extent_[2], depth), up(least(extent_[1], width)));
    for (const Operand& y : of_columns_) emit(Alloc{y.panel, {most, number(bytes_of(kept(y.var)))}, true});
    for_blocks("columns", extent_[1], width, number(0), [&](ExprId first_column, ExprId columns) {
      for_blocks("depth", extent_[2], depth, number(1), [&](ExprId first, ExprId count) { block_of_columns(first_column, columns, first, count); });
    });
    for (const Operand& y : of_columns_) emit(Release{y.panel});
  }

  // ---- panels, tiles ----

  void block_of_columns(ExprId first_column, ExprId columns, ExprId first, ExprId count) {
    ExprId panels = named("panels", parts(columns, columns_)), tiles = named("tiles", parts(extent_[0], rows_));
    shared(panels, [&](ExprId p) { pack_columns(p, first_column, first, count); });
    shared(tiles, [&](ExprId t) {
      ExprId row = named("row", m_.mul(t, rows_));
      if (!rows_in_place_) pack_rows(row, first, count);
      declare_sums();
      loop("p", panels, [&](ExprId p) { one_tile(row, m_.add(first_column, m_.mul(p, columns_)), p, first, count); });
    });
  }
  // A loop that threads share.
  template <class F> void shared(ExprId n, F fill) {
    if (t_.target_ != Target::Multicore || t_.in_task_) return loop("t", n, fill);
    Name from = m_.name("first", Scalar::I64), to = m_.name("last", Scalar::I64), t = m_.name("t", Scalar::I64);
    t_.in_task_ = true;
    Block chunk = t_.block([&] { emit(For{t, m_.var(from), m_.var(to), t_.block([&] { fill(m_.var(t)); })}); });
    t_.in_task_ = false;
    emit(ParallelFor{from, to, n, std::move(chunk), m_.sites++});
  }

  // Copies one side's numbers: of the n from `begin` on, and of the depth's `count`, number (k, l) to place(k, l) of its panel. What memory has beside
  // each other is read so. Along columns that is by vectors, and along rows at once, if all n are there. Otherwise the last one is taken again, until
  // there are `used`.
  template <class Place> void pack(size_t side, ExprId begin, ExprId n, ExprId used, ExprId first, ExprId count, Place place) {
    const uint8_t own = side == 0 ? TileSides::Rows : TileSides::Columns, other = side == 0 ? TileSides::Columns : TileSides::Rows;
    auto last = [&](ExprId l) { return named("last", least(m_.add(begin, l), less(extent_[side], number(1)))); };
    auto move = [&](ExprId i, ExprId k, ExprId l) {
      at(side, i);
      at(2, m_.add(first, k));
      one_side(other);
      for (const Operand& y : side == 0 ? of_rows_ : of_columns_) keep(y.panel, place(k, l), t_.scalar_[y.var], type(y.var));
    };
    auto there = [&](ExprId k) { return [&, k](ExprId l) { move(m_.add(begin, l), k, l); }; };
    auto again = [&](ExprId k) { return [&, k](ExprId l) { move(last(l), k, l); }; };
    if (depth_is_near(own, other)) {
      loop("l", used, [&](ExprId l) {
        ExprId i = last(l);
        loop("k", count, [&](ExprId k) { move(i, k, l); });
      });
    } else if (side == 0) {
      Block whole = t_.block([&] { loop("k", count, [&](ExprId k) { loop("l", n, there(k), &For::unrolled); }); });
      Block cut = t_.block([&] { loop("k", count, [&](ExprId k) { loop("l", used, again(k), &For::scattered); }); });
      emit(If{m_.prim(ScalarOp::le, {m_.add(begin, n), extent_[side]}), std::move(whole), std::move(cut)});
    } else {
      const Columns c = by_vectors(least(used, less(extent_[1], begin)));
      loop("k", count, [&](ExprId k) {
        vectors_of(c, there(k));
        loop("l", less(used, c.in_vectors), [&](ExprId l) { again(k)(m_.add(c.in_vectors, l)); }, &For::scattered);
      });
    }
  }
  // What a tile computes where so many columns are left: one or two vectors of them if that is enough, else all of a row.
  ExprId used_columns(ExprId left) {
    ExprId needed = parts(left, lanes_), beyond = m_.prim(ScalarOp::max, {less(needed, number(2)), number(0)});
    return named("used", least(columns_, m_.mul(lanes_, m_.add(needed, m_.mul(vectors_, beyond)))));
  }
  void pack_columns(ExprId p, ExprId first_column, ExprId first, ExprId count) {
    ExprId column = named("column", m_.add(first_column, m_.mul(p, columns_)));
    pack(1, column, columns_, used_columns(less(extent_[1], column)), first, count, [&](ExprId k, ExprId l) { return panel_place(p, k, count, l); });
  }
  ExprId panel_place(ExprId p, ExprId k, ExprId count, ExprId l) { return m_.add(m_.mul(m_.add(m_.mul(p, count), k), columns_), l); }
  ExprId row_place(ExprId k, ExprId r) { return m_.add(m_.mul(k, rows_), r); }

  void row_point(ExprId row, ExprId r, ExprId k) {
    at(0, least(m_.add(row, r), less(extent_[0], number(1))));
    at(2, k);
    one_side(TileSides::Columns);
  }
  void pack_rows(ExprId row, ExprId first, ExprId count) {
    for (Operand& y : of_rows_) {
      y.panel = m_.memory(t_.p_.hint(y.var) + "_rows", kept(y.var), Space::Private);
      emit(DeclareArray{y.panel, {number(costs::cpu::panel_depth), rows_}});
    }
    pack(0, row, rows_, rows_, first, count, [&](ExprId k, ExprId r) { return row_place(k, r); });
  }

  // ---- sums ----

  struct Sum { Name vectors, tile, copy; };            // in registers; all of a tile, in memory; one vector, in memory
  std::vector<Sum> sums_;
  void declare_sums() {
    sums_.clear();
    for (size_t k = 0; k < x_.body.result.size(); k++) {
      Scalar t = kept(sum_type(k));
      std::string hint = t_.p_.hint(s_.pattern[k].var);
      auto memory = [&](const char* what) { return m_.memory(hint + what, t, Space::Private); };
      sums_.push_back({{}, memory("_tile"), memory("_vector")});
      emit(DeclareArray{sums_[k].tile, {rows_, vectors_, lanes_}});
    }
  }
  ExprId tile_place(ExprId r, ExprId l) { return m_.add(m_.mul(r, columns_), l); }

  void one_tile(ExprId row, ExprId column, ExprId p, ExprId first, ExprId count) {
    column = named("column", column);
    ExprId rows = named("rows", least(rows_, less(extent_[0], row))), columns = named("columns", least(columns_, less(extent_[1], column)));
    const std::vector<Atom> neutral = this->neutral();
    for (size_t k = 0; k < sums_.size(); k++)
      loop("l", m_.mul(rows_, columns_), [&](ExprId l) { keep(sums_[k].tile, l, t_.atom(neutral[k]), sum_type(k)); });
    const Columns whole = by_vectors(columns);
    auto each_cell = [&](auto fill) {
      for (size_t k = 0; k < sums_.size(); k++)
        loop("r", rows, [&](ExprId r) {
          auto cell = [&](ExprId l) {
            auto to = t_.layout(s_.pattern[k].var);
            std::vector<ExprId> at = batch_at_;
            at.insert(at.end(), {m_.add(row, r), m_.add(column, l)});
            fill(k, to.memory, t_.address(to, at), tile_place(r, l));
          };
          vectors_of(whole, cell);
          loop("l", less(columns, whole.in_vectors), [&](ExprId l) { cell(m_.add(whole.in_vectors, l)); });
        });
    };
    Block before = t_.block([&] {
      each_cell([&](size_t k, Name to, ExprId cell, ExprId place) { keep(sums_[k].tile, place, t_.load(to, cell, "sum"), sum_type(k)); });
    });
    emit(If{m_.prim(ScalarOp::lt, {number(0), first}), std::move(before), {}});
    auto points = [&](ExprId vectors) { return t_.block([&] { all_points(row, column, p, first, count, vectors); }); };
    auto more_than = [&](int64_t vectors) { return m_.prim(ScalarOp::lt, {m_.mul(number(vectors), lanes_), columns}); };
    if (sums_.size() > 1) {
      all_points(row, column, p, first, count, vectors_);
    } else {
      Block few = t_.block([&] { emit(If{more_than(1), points(number(2)), points(number(1))}); });
      emit(If{more_than(2), points(vectors_), std::move(few)});
    }
    each_cell([&](size_t k, Name to, ExprId cell, ExprId place) { emit(Store{to, cell, kept_value(sums_[k].tile, place, sum_type(k), "sum")}); });
  }
  // The sums of the first `vectors` in each row.
  void all_points(ExprId row, ExprId column, ExprId p, ExprId first, ExprId count, ExprId vectors) {
    for (size_t k = 0; k < sums_.size(); k++) {
      sums_[k].vectors = m_.memory(t_.p_.hint(s_.pattern[k].var) + "_vectors", kept(sum_type(k)), Space::Private);
      emit(DeclareVectors{sums_[k].vectors, lanes_, rows_, vectors});
    }
    move_tile(vectors, false);
    loop("k", count, [&](ExprId k) { one_point(row, column, p, k, first, count, vectors); });
    move_tile(vectors, true);
  }
  template <class F> void each_vector(ExprId vectors, F fill) {
    loop("r", rows_, [&](ExprId r) { loop("v", vectors, [&](ExprId v) { fill(r, v); }, &For::unrolled); }, &For::unrolled);
  }
  // Between memory and registers. Not number by number: gcc would make copies of half a vector of such a loop, and keep the sums in memory.
  void move_tile(ExprId vectors, bool back) {
    each_vector(vectors, [&](ExprId r, ExprId v) {
      for (const Sum& s : sums_) emit(MoveVector{s.vectors, r, v, s.tile, tile_place(r, m_.mul(v, lanes_)), !back});
    });
  }
  // All sums of the tile, with what one point adds.
  void one_point(ExprId row, ExprId column, ExprId p, ExprId k, ExprId first, ExprId count, ExprId vectors) {
    loop("r", rows_, [&](ExprId r) {
      if (rows_in_place_) row_point(row, r, m_.add(first, k));
      else for (const Operand& y : of_rows_) t_.scalar_[y.var] = kept_value(y.panel, row_place(k, r), type(y.var), t_.p_.hint(y.var));
      loop("v", vectors, [&](ExprId v) {
        for (const Sum& s : sums_) {
          emit(DeclareArray{s.copy, {lanes_}});
          emit(MoveVector{s.vectors, r, v, s.copy, m_.number(0), false});
        }
        loop("l", lanes_, [&](ExprId l) {
          ExprId in_panel = m_.add(m_.mul(v, lanes_), l);
          for (const Operand& y : of_columns_) t_.scalar_[y.var] = kept_value(y.panel, panel_place(p, k, count, in_panel), type(y.var), t_.p_.hint(y.var));
          at(0, least(m_.add(row, r), less(extent_[0], number(1))));
          at(1, least(m_.add(column, in_panel), less(extent_[1], number(1))));
          at(2, m_.add(first, k));
          both_sides();
          add_to_sums(l);
        }, &For::lanes);
        for (const Sum& s : sums_) emit(MoveVector{s.vectors, r, v, s.copy, m_.number(0), true});
      }, &For::unrolled);
    }, &For::unrolled);
  }
  void add_to_sums(ExprId l) {
    std::vector<ExprId> now = next_sums([&](size_t k) { return kept_value(sums_[k].copy, l, sum_type(k), "sum"); });
    for (size_t k = 0; k < now.size(); k++) keep(sums_[k].copy, l, now[k], sum_type(k));
  }
};

void FromCore::tile(const ir::Stm& s, const Seg& x) { Tiles(*this, s, x).run(); }

}  // namespace raido::kir::translation
