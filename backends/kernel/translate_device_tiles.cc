// translate_device_tiles.cc - a contraction as tiles on a device: a block of threads makes a tile of sums, each thread some rows and columns of it.
//
//   seg tile (i < n, j < m, k < q) { x = a[i, k]; y = b[k, j]; z = x * y in z } reduces (add [0])
//     ==>
//   for each tile of sums and each part of the depth, a block {
//     sums[r][c] = 0                                          in registers
//     for steps of the part {
//       rows[thread row][k][r] = x; columns[k][c] = y         in shared memory, by all threads of the block, which have read them before
//       the x and y of the next step                          on their way while this one is computed
//       for k { own_rows[r] = rows[..]; own_columns[c] = columns[..]; sums[r][c] += own_rows[r] * own_columns[c] }
//     }
//     s[i, j] = sums[r][c]                                    or the sum of a part, which a second kernel adds up
//   }
//
// 16 threads stand side by side in a tile and share its columns, so a tile has more rows the more threads a block has. The rows of a
// thread are neighbours. Its columns are two vectors of 16 bytes. The first vectors of 16 threads lie side by side, and so do the second ones.
// So a warp reads shared memory without conflicts. It has two rows of threads. Neighbours in the warp differ in their columns, and the
// next two in their rows. Then each quarter of a warp reads what the next quarter reads, and the device serves both at once. After the
// last row, column and point their numbers are taken once more, and nobody stores what comes of them.
// Where there are few tiles the depth has several parts, enough to fill the device.
//
// Where most of such a tile would be empty, a block has several small ones: each group of its threads has one of its own, with eight threads side by
// side. Places of numbers that divisions make, since one index stands for several, come in two parts: that of the row or column is computed before the
// steps, and that of the points of a step once for all threads. All threads come to all barriers, and leave out only what stands between.
#include <algorithm>

#include "backends/kernel/contraction.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/transform.h"

namespace raido::kir::translation {

class FromCore::DeviceTiles : Contraction {
 public:
  DeviceTiles(FromCore& t, const ir::Stm& s, const Seg& x, bool small) : Contraction(t, s, x), small_(small) {
    int widest_row = 1;
    for (const Operand& y : of_rows_) widest_row = std::max(widest_row, int(bytes_of(kept(y.var))));
    rows_are_near_ = depth_is_near(TileSides::Rows, TileSides::Columns);
    columns_are_near_ = depth_is_near(TileSides::Columns, TileSides::Rows);
    vector_ = std::clamp<int64_t>(vector_bytes / widest(), 1, 4);
    of_thread_ = x.body.result.size() > 1 ? 4 : 8;
    columns_ = side_ * 2 * vector_;
    depth_ = std::clamp<int64_t>(near_bytes / std::max(widest(), widest_row), 4, 8);
    auto too_much = [&] {
      int64_t bytes = 0;
      for (const Operand& y : of_rows_) bytes += most_rows * row_apart(kept(y.var)) * bytes_of(kept(y.var));
      for (const Operand& y : of_columns_) bytes += (small_ ? most_groups : 1) * depth_ * points_apart() * bytes_of(kept(y.var));
      return bytes > costs::gpu::tile_bytes;
    };
    while (too_much() && depth_ > 4) depth_ /= 2;
    while (too_much() && of_thread_ > 4) of_thread_ /= 2;
    apart_ = !too_much();
    tensors_ = !small_ && multiplies_matrices();
    def_.add_all(x.body);
  }

  // Matrices of f64, by units of the device.
  bool multiplies_in_units() const { return tensors_; }
  static int64_t threads() { return usual_block; }
  // Rows of a tile of the usual block, and columns.
  std::pair<int64_t, int64_t> sides() const { return {(small_ ? warp : usual_block) / side_ * of_thread_, columns_}; }
  void run() {
    for (Var v : t_.free_vars_of_places(x_)) (void)t_.memory(v);
    ExprId size = m_.expr({Hardware{Builtin::BlockSize}, Scalar::I64});
    ExprId tile_rows = named("tile_rows", m_.mul(thread_rows(size), number(of_thread_)));
    across_ = named("across", parts(extent_[1], number(columns_)));
    ExprId count = m_.mul(parts(extent_[0], tile_rows), across_);
    down_across_ = named("tiles_of_one", count);
    for (ExprId n : batch_) count = m_.mul(count, n);
    ExprId tiles = named("tiles", count);
    // As many parts as there are blocks missing, if each is long enough; a part is a number of whole steps.
    ExprId missing = quot(number(costs::gpu::full_device), m_.prim(ScalarOp::max, {m_.mul(tiles, small_ ? threads_of_group(size) : size), number(1)}));
    ExprId most = m_.prim(ScalarOp::max, {least(missing, quot(extent_[2], number(costs::gpu::tile_part))), number(1)});
    length_ = named("length", m_.mul(parts(parts(extent_[2], most), number(depth_)), number(depth_)));
    parts_ = named("parts", m_.prim(ScalarOp::max, {parts(extent_[2], m_.prim(ScalarOp::max, {length_, number(1)})), number(1)}));
    several_ = named("several", m_.prim(ScalarOp::lt, {number(1), parts_}));
    for (size_t k = 0; k < x_.body.result.size(); k++) {
      Scalar t = sum_type(k);
      partial_.push_back(m_.memory("partial", t, Space::Device));
      ExprId kept_parts = m_.prim(ScalarOp::select, {several_, parts_, number(0)});
      std::vector<ExprId> factors = batch_;
      factors.insert(factors.end(), {kept_parts, extent_[0], extent_[1], number(bytes_of(t))});
      emit(kir::Alloc{partial_[k], factors, false});
    }
    Name tiles_of_part = m_.name("tiles", Scalar::I64);
    tiles_ = m_.var(tiles_of_part);
    Kernel kernel = t_.kernel_of((small_ ? "small_tile_" : "tile_") + t_.p_.hint(s_.pattern[0].var), [&] { this->kernel(); });
    kernel.collective = kernel.dense = true;
    ExprId workers = m_.mul(tiles, parts_);
    t_.launch(std::move(kernel), tiles_of_part, {{tiles, m_.mul(small_ ? parts(workers, groups_of(size)) : workers, size)}});
    when(several_, [&] {
      std::vector<ExprId> cells = batch_;
      cells.insert(cells.end(), {extent_[0], extent_[1]});
      t_.kernel("sum_" + t_.p_.hint(s_.pattern[0].var), cells, [&](const Point& cell) { sum_of_parts(cell); });
    });
    for (Name n : partial_) emit(Release{n});
  }

 private:
  // Bytes that a thread reads from shared memory at once; bytes that lie beside each other
  // where the depth does: two sectors.
  static constexpr int64_t vector_bytes = 16, near_bytes = 64, bank_bytes = 128, warp = costs::gpu::warp, usual_block = 256, most_groups = 8;
  const bool small_;
  const int64_t side_ = small_ ? 8 : 16;
  int64_t of_thread_, vector_, columns_, depth_;         // rows of a thread; columns of one of its two vectors; of a tile; points of a step
  bool rows_are_near_, columns_are_near_;                // the points of a row, or of a column, lie beside each other in memory
  bool apart_ = true;                                    // there is room to keep stores from meeting in a bank
  bool tensors_ = false;                                 // where a device has units that multiply matrices, they make the sums
  ExprId across_, down_across_, tiles_;                  // tiles beside each other, of one contraction, and in all
  ExprId length_, parts_, several_;                      // points of a part, parts of the depth
  Point one_;                                            // the contraction of the batch
  std::vector<Name> partial_;
  ExprId group_;                                         // of small tiles, and the threads of one
  ExprId local_, down_, right_, thread_rows_, active_;   // the thread; its place in the tile; threads below each other, threads in all
  ExprId works_;                                         // the thread has sums
  ExprId row_, column_, first_, end_, last_;             // the tile's first; the part's first point, the one after it, its last
  std::optional<ExprId> short_;                          // 32 bits say where the numbers of the sides lie; none: that is not known before
  // A read whose place has two parts: see parted().
  struct Parted { const ir::Stm* read; size_t d; Name side, points; };
  ir::Definitions def_;                                  // of the body
  std::vector<Parted> of_points_;                        // of both sides
  struct Sum { Name memory; Scalar type; };
  std::vector<Sum> sums_;
  Name lane_places_;

  int64_t of_row() const { return 2 * vector_; }         // columns of a thread
  ExprId both(ExprId a, ExprId b) { return m_.prim(ScalarOp::and_, {a, b}); }
  ExprId quot(ExprId a, ExprId b) { return m_.prim(ScalarOp::quot, {a, b}); }
  ExprId rest(ExprId a, ExprId b, ExprId q) { return less(a, m_.mul(q, b)); }
  ExprId most(ExprId a, ExprId b) { return m_.prim(ScalarOp::max, {a, b}); }
  // Of a block: the groups that make tiles of their own; threads of a group, and how many of them are below each other. These are whole warps.
  ExprId groups_of(ExprId size) { return least(number(most_groups), quot(size, number(warp))); }
  ExprId threads_of_group(ExprId size) {
    if (!small_) return m_.mul(quot(size, number(warp)), number(warp));
    return m_.mul(most(number(1), least(number(2), quot(size, number(warp * most_groups)))), number(warp));
  }
  ExprId thread_rows(ExprId size) { return m_.mul(quot(threads_of_group(size), number(warp)), number(warp / side_)); }
  template <class F> void when(ExprId cond, F fill) { emit(kir::If{cond, t_.block(fill), {}}); }
  template <class F> void loop(const char* hint, ExprId n, F fill, bool unrolled = true) {
    Name i = m_.name(hint, Scalar::I64);
    kir::For x{i, number(0), n, t_.block([&] { fill(m_.var(i)); })};
    x.unrolled = unrolled;
    emit(std::move(x));
  }
  Name own(const std::string& hint, Scalar t, int64_t count) {
    Name n = m_.memory(hint, t, Space::Private);
    emit(DeclareArray{n, {number(count)}});
    return n;
  }

  void kernel() {
    for (Operand& y : of_rows_) {
      int64_t apart = row_apart(kept(y.var)), each = small_ ? 0 : apart / side_;
      shared(y, "_rows", each, most_rows * (apart - each * side_));
    }
    for (Operand& y : of_columns_) shared(y, "_columns", 0, (small_ ? most_groups : 1) * depth_ * points_apart());
    of_points_ = parted(0, TileSides::Columns, of_rows_);
    for (Parted& r : parted(1, TileSides::Rows, of_columns_)) of_points_.push_back(r);
    for (Parted& r : of_points_) {
      r.points = m_.memory("points", Scalar::I32, Space::Private);
      emit(DeclareShared{r.points, 0, int((small_ ? most_groups : 1) * depth_)});
    }
    Name fine = m_.name("fine", Scalar::Bool);
    emit(Unfailed{fine});
    tile(m_.var(fine));
  }
  static constexpr int64_t most_rows = 64;               // threads below each other, in all groups of the largest block
  // Elements of a vector that is read at once.
  static int64_t wide(Scalar t) { return std::clamp<int64_t>(vector_bytes / bytes_of(t), 1, 4); }
  // From one thread row to the next in the panel of rows; from one point to the next in that of columns.
  int64_t row_apart(Scalar t) const { return depth_ * of_thread_ + (apart_ ? of_thread_ : wide(t)); }
  int64_t points_apart() const { return columns_ + (tensors_ ? tensor::column_points - tensor::columns : apart_ && columns_are_near_ ? vector_ : 0); }
  // Neighbouring lanes of a warp store neighbouring points of a row, or neighbouring rows. The rows of a thread stand in another order where points
  // would meet in a bank: row r of point k at r ^ turned(k). Vectors stay whole. So stores meet in no bank, nor do loads of vectors.
  ExprId turned(Scalar t, ExprId k) {
    int64_t period = bank_bytes / (bytes_of(t) * of_thread_);      // points that fill the banks once
    if (!apart_ || bytes_of(t) < 4 || (!rows_are_near_ && !tensors_) || period >= depth_) return number(0);
    ExprId filled = quot(k, number(period));
    if (bytes_of(t) == 4 || of_thread_ == 4) return m_.mul(filled, number(wide(t)));
    ExprId odd = m_.prim(ScalarOp::rem, {filled, number(2)});
    return m_.prim(ScalarOp::xor_, {m_.mul(odd, number(4)), m_.mul(quot(filled, number(2)), number(2))});
  }
  void shared(Operand& y, const char* what, int64_t each, int64_t more) {
    y.panel = m_.memory(t_.p_.hint(y.var) + what, kept(y.var), Space::Private);
    emit(DeclareShared{y.panel, int(each), int(more)});
  }

  void tile(ExprId fine) {
    ExprId size = m_.expr({Hardware{Builtin::BlockSize}, Scalar::I64});
    local_ = named("local", m_.expr({Hardware{Builtin::LocalId}, Scalar::I64}));
    if (small_) {
      active_ = named("active", threads_of_group(size));
      group_ = named("group", quot(local_, active_));
      local_ = named("of_group", rest(local_, active_, group_));
    }
    auto digit = [&](int64_t weight, int64_t base) { return m_.prim(ScalarOp::rem, {quot(local_, number(weight)), number(base)}); };
    auto place = [&](const char* hint, ExprId e) { return tensors_ ? e : named(hint, e); };       // nothing uses it where tensors do the work
    const ExprId below_each = digit(2, 2);
    down_ = place("down", m_.add(m_.mul(quot(local_, number(warp)), number(warp / side_)), small_ ? m_.add(m_.mul(digit(16, 2), number(2)), below_each) : below_each));
    right_ = place("right", m_.add(m_.mul(digit(4, side_ / 2), number(2)), digit(1, 2)));
    thread_rows_ = named("thread_rows", thread_rows(size));
    if (!small_) active_ = named("active", m_.mul(thread_rows_, number(side_)));
    ExprId worker = m_.expr({Hardware{Builtin::BlockId}, Scalar::I64});
    if (small_) worker = named("worker", m_.add(m_.mul(worker, groups_of(size)), group_));
    ExprId part = named("part", quot(worker, tiles_)), number_of = named("tile", rest(worker, tiles_, part));
    ExprId has_sums = small_ ? both(m_.prim(ScalarOp::lt, {group_, groups_of(size)}), m_.prim(ScalarOp::lt, {part, parts_})) : m_.prim(ScalarOp::lt, {local_, active_});
    works_ = named("works", both(fine, has_sums));
    if (!batch_.empty()) {
      ExprId one = named("one", quot(number_of, down_across_));
      number_of = named("tile_of_one", rest(number_of, down_across_, one));
      one_ = t_.point_of(one, batch_);
      for (size_t d = 0; d < one_.size(); d++) t_.scalar_[x_.index[d].var] = one_[d];
    }
    ExprId below = named("below", quot(number_of, across_));
    row_ = named("row", m_.mul(below, m_.mul(thread_rows_, number(of_thread_))));
    column_ = named("column", m_.mul(rest(number_of, across_, below), number(columns_)));
    ExprId first = named("first", m_.mul(part, length_)), last = named("last", least(m_.add(first, length_), extent_[2]));
    const std::vector<Atom> neutral = this->neutral();
    for (size_t k = 0; k < neutral.size(); k++) {
      sums_.push_back({own("sums", kept(sum_type(k)), of_thread_ * of_row()), sum_type(k)});
      loop("c", number(of_thread_ * of_row()), [&](ExprId c) { keep(sums_[k].memory, c, t_.atom(neutral[k]), sums_[k].type); });
    }
    first_ = first;
    end_ = last;
    Fetch rows = fetch_of_rows(), columns = fetch_of_columns();
    short_ = places_are_short();
    for (Fetch* f : {&rows, &columns}) prepare(*f);
    if (tensors_) {
      lane_places_ = m_.memory("lane_places", Scalar::I32, Space::Private);
      emit(TilePlaces{lane_places_, first_row()});
    }
    if (!of_points_.empty()) when(has_points(), [&] { put_points(first, less(last, number(1))); });
    // All threads of a block come to its barriers, whether they have something to do or not.
    ExprId steps = named("steps", parts(less(last, first), number(depth_))), all_steps = small_ ? quot(length_, number(depth_)) : steps;
    loop("step", m_.add(all_steps, number(1)), [&](ExprId step) {
      ExprId now = m_.prim(ScalarOp::lt, {number(0), step}), next = m_.prim(ScalarOp::lt, {step, steps});
      ExprId works = small_ ? named("in_part", both(works_, m_.prim(ScalarOp::le, {step, steps}))) : works_;
      ExprId to = named("to", m_.add(first, m_.mul(step, number(depth_)))), from = named("from", less(to, number(depth_)));
      last_ = named("last_point", less(last, number(1)));
      emit(Barrier{});
      when(both(now, works), [&] {
        put(rows, from);
        put(columns, from);
        if (!of_points_.empty()) when(next, [&] { put_points(to, last_); });
      });
      emit(Barrier{});
      when(both(next, works), [&] {
        Block part_of_it = t_.block([&] { get(rows, to, true), get(columns, to, true); });
        t_.short_addresses_ = short_.has_value();
        Block whole = t_.block([&] { get(rows, to, false), get(columns, to, false); });
        t_.short_addresses_ = false;
        ExprId is_whole = m_.prim(ScalarOp::le, {m_.add(to, number(depth_)), last});
        emit(kir::If{short_ ? both(is_whole, *short_) : is_whole, std::move(whole), std::move(part_of_it)});
      });
      when(both(now, works), [&] {
        ExprId count = named("count", least(number(depth_), less(last, from)));
        where_tensors([&] { emit(MultiplyTiles{sums_[0].memory, of_rows_[0].panel, of_columns_[0].panel, lane_places_, first_row(), count}); }, [&] {
          Block all = t_.block([&] { loop("k", number(depth_), [&](ExprId k) { point(from, k); }); });
          Block some = t_.block([&] { loop("k", count, [&](ExprId k) { point(from, k); }, false); });
          emit(kir::If{m_.prim(ScalarOp::eq, {count, number(depth_)}), std::move(all), std::move(some)});
        });
      });
    }, false);
    when(works_, [&] {
      where_tensors([&] { store_sums_of_warp(part); }, [&] { store_sums(part); });
    });
  }
  template <class F, class G> void where_tensors(F with, G without) {
    if (!tensors_) return without();
    Block then = t_.block(with), otherwise = t_.block(without);
    emit(kir::If{m_.expr({Hardware{Builtin::HasTensors}, Scalar::I64}), std::move(then), std::move(otherwise)});
  }
  // One sum of products of two f64, one of each side.
  bool multiplies_matrices() {
    if (x_.body.result.size() != 1 || of_rows_.size() != 1 || of_columns_.size() != 1 || scalar_operator(t_.p_, x_.reduces[0]) != ScalarOp::add) return false;
    const ir::Stm* only = nullptr;
    for (const ir::Stm& s : x_.body.stms) {
      if (TileSides::side(sides_.of(t_.p_, s)) != Side::Both) continue;
      if (only) return false;
      only = &s;
    }
    const Var* result = var_of(x_.body.result[0]);
    auto product = only ? std::get_if<ir::Apply>(&only->exp) : nullptr;
    if (!product || product->op != ScalarOp::mul || !result || *result != only->pattern[0].var) return false;
    const Var *a = var_of(product->args[0]), *b = var_of(product->args[1]), row = of_rows_[0].var, column = of_columns_[0].var;
    bool of_both = a && b && ((*a == row && *b == column) || (*a == column && *b == row));
    return of_both && type(row) == Scalar::F64 && depth_ == tensor::depth && columns_ == tensor::columns && row_apart(Scalar::F64) == tensor::row_group;
  }

  // ---- what the threads of a block share ----

  // Whether 32 bits say where the numbers of both sides lie, in arrays whose layouts do not vary within the tile.
  bool layouts_vary() const {
    const VarSet own = bound_in(x_.body);
    bool varies = false;
    for (const ir::Stm& s : x_.body.stms) {
      auto read = std::get_if<Index>(&s.exp);
      if (!read) continue;
      const ArrayType& type = std::get<ArrayType>(t_.p_.type(read->array));
      auto look = [&](const Atom& a) {
        auto v = var_of(a);
        varies = varies || (v && (own.contains(*v) || std::ranges::any_of(x_.index, [&](Bind i) { return i.var == *v; })));
      };
      const Lmad& l = type.place->layout;
      look(l.offset);
      for (const Atom& a : l.strides) look(a);
      for (const Dim& d : type.shape) look(d);
    }
    return varies;
  }
  std::optional<ExprId> places_are_short() {
    if (layouts_vary()) return {};
    auto fits = [&](ExprId n) { return m_.prim(ScalarOp::lt, {n, number(int64_t(1) << 31)}); };
    ExprId all = both(fits(extent_[0]), both(fits(extent_[1]), fits(extent_[2])));
    for (const ir::Stm& s : x_.body.stms) {
      auto read = std::get_if<Index>(&s.exp);
      if (!read) continue;
      const ArrayType& type = std::get<ArrayType>(t_.p_.type(read->array));
      const Lmad& l = type.place->layout;
      ExprId most = m_.prim(ScalarOp::abs, {t_.atom(l.offset)});
      for (size_t d = 0; d < type.shape.size(); d++) most = m_.add(most, m_.mul(t_.atom(type.shape[d]), m_.prim(ScalarOp::abs, {t_.atom(l.strides[d])})));
      all = both(all, fits(most));
    }
    return named("short", all);
  }
  // How the threads of a block read what one step needs of a side. A thread reads a number in each round. As many rounds as the usual block
  // needs go by way of registers; those that smaller blocks need beyond that do not.
  struct Fetch {
    size_t d;                                            // the index of the side
    uint8_t other;                                       // what of the body is not of the side
    std::vector<Operand>& of;
    std::vector<Name> next;                              // of the next step, by operand and round
    std::vector<Name> places;                            // in shared memory, likewise
    std::vector<Parted> parted;                          // all that it reads, if their places have parts
    Name index;                                          // of the side, by round: in 32 bits, if these are enough
    int64_t rounds;
    std::optional<ExprId> count;                         // of all numbers, if it need not be that of the rounds
    ExprId first;                                        // of the side's index in the tile
    std::function<std::pair<ExprId, ExprId>(ExprId)> where;        // index and point of a round
    std::function<ExprId(const Operand&, ExprId, ExprId)> place;   // in shared memory
  };
  ExprId has_points() { return both(works_, m_.prim(ScalarOp::lt, {first_, end_})); }
  // What no step changes. Compilers for devices would compute it anew in each.
  void prepare(Fetch& f) {
    for (size_t o = 0; o < f.of.size(); o++) f.places.push_back(own("places", Scalar::I32, f.rounds));
    for (const Parted& r : of_points_) {
      if (r.d != f.d) continue;
      f.parted.push_back(r);
      f.parted.back().side = own("place", Scalar::I32, f.rounds);
    }
    const bool keeps_index = short_ && f.parted.empty();
    if (keeps_index) f.index = own("index", Scalar::I32, f.rounds);
    loop("t", number(f.rounds), [&](ExprId t) {
      auto [index, k] = f.where(t);
      auto keep_place = [&](Name array, ExprId place) {
        emit(Store{array, t, m_.expr({Cast{place}, Scalar::I32})});
        emit(Settle{array, t});
      };
      for (size_t o = 0; o < f.of.size(); o++) keep_place(f.places[o], f.place(f.of[o], index, k));
      if (keeps_index) keep_place(f.index, index_of(f, index));
      if (f.parted.empty()) return;
      when(has_points(), [&] {
        at(f.d, named("at", index_of(f, index)));
        for (const ir::Stm& s : x_.body.stms) if (!(sides_.of(t_.p_, s) & ~bit_of(f.d))) t_.statement(s);
        for (const Parted& r : f.parted) keep_place(r.side, place_of_part(r, false));
      });
    });
  }
  // After the last one it is taken once more.
  ExprId index_of(const Fetch& f, ExprId index) { return least(m_.add(f.first, index), less(extent_[f.d], number(1))); }
  Fetch fetch_of_rows() {
    const bool near = rows_are_near_;
    ExprId run = near ? number(depth_) : named("run", m_.mul(thread_rows_, number(of_thread_)));
    ExprId slow = named("slow", quot(local_, run)), fast = named("fast", rest(local_, run, slow));
    ExprId each = near ? named("each", m_.mul(thread_rows_, number(side_ / depth_))) : number(side_ / of_thread_);   // of the slow index, from one round to the next
    Fetch f{0, TileSides::Columns, of_rows_, {}, {}, {}, {}, depth_ * of_thread_ / side_, {}, row_, {}, {}};
    f.where = [=, this](ExprId t) {
      ExprId second = m_.add(m_.mul(t, each), slow);
      return near ? std::pair(second, fast) : std::pair(fast, second);
    };
    f.place = [=, this](const Operand& y, ExprId r, ExprId k) {
      ExprId thread = quot(r, number(of_thread_));
      return m_.add(row_place(y, thread, k), m_.prim(ScalarOp::xor_, {rest(r, number(of_thread_), thread), turned(kept(y.var), k)}));
    };
    declare_next(f);
    return f;
  }
  Fetch fetch_of_columns() {
    const bool near = columns_are_near_;
    Fetch f{1, TileSides::Rows, of_columns_, {}, {}, {}, {}, std::max<int64_t>(1, depth_ * columns_ / (small_ ? warp : usual_block)), number(depth_ * columns_), column_, {}, {}};
    f.where = [=, this](ExprId t) {
      ExprId e = named("e", m_.add(m_.mul(t, active_), local_)), run = number(near ? depth_ : columns_), slow = quot(e, run);
      return near ? std::pair(slow, rest(e, run, slow)) : std::pair(rest(e, run, slow), slow);
    };
    f.place = [=, this](const Operand&, ExprId c, ExprId k) { return m_.add(column_place(k), c); };
    declare_next(f);
    return f;
  }
  void declare_next(Fetch& f) {
    for (const Operand& y : f.of) f.next.push_back(own("next", kept(y.var), f.rounds));
  }
  // The numbers of a round, from memory. may_end: the part may end before the step does.
  void read(const Fetch& f, ExprId from, ExprId index, ExprId k, bool may_end) {
    at(f.d, index);
    at(2, named("k", may_end ? least(m_.add(from, k), last_) : m_.add(from, k)));
    one_side(f.other);
  }

  // Places that are sums of what varies with the side and of what varies with the points. Where divisions make them, as where one counter stands for
  // several, each part is computed once: that of the side before the steps, that of the points of a step by few threads, for all.
  static uint8_t bit_of(size_t d) { return d == 0 ? TileSides::Rows : TileSides::Columns; }
  bool is_parted(const Atom& a, uint8_t side) const {
    auto v = var_of(a);
    const uint8_t varies = v ? sides_.of(*v) : uint8_t(0);
    if ((varies & (side | TileSides::Depth)) != (side | TileSides::Depth)) return true;
    auto op = def_.get<ir::Apply>(*v);
    return op && (op->op == ScalarOp::add || op->op == ScalarOp::sub) && elem_of(t_.p_.type(*v)) == Scalar::I64 && is_parted(op->args[0], side) && is_parted(op->args[1], side);
  }
  // One of the two parts.
  ExprId part_of(const Atom& a, uint8_t side, bool of_points) {
    auto v = var_of(a);
    const uint8_t varies = v ? sides_.of(*v) : uint8_t(0);
    if (!(varies & TileSides::Depth)) return of_points ? number(0) : t_.atom(a);
    if (!(varies & side)) return of_points ? t_.atom(a) : number(0);
    auto op = def_.get<ir::Apply>(*v);
    const ExprId left = part_of(op->args[0], side, of_points), right = part_of(op->args[1], side, of_points);
    return op->op == ScalarOp::add ? m_.add(left, right) : less(left, right);
  }
  // All reads that the operands of a side need, if their places have parts and divisions make some.
  std::vector<Parted> parted(size_t d, uint8_t other, const std::vector<Operand>& operands) {
    const uint8_t side = bit_of(d);
    std::vector<Parted> found;
    bool divides = false;
    VarSet wanted;
    for (const Operand& y : operands) wanted.insert(y.var);
    for (size_t k = x_.body.stms.size(); k-- > 0;) {
      const ir::Stm& s = x_.body.stms[k];
      const uint8_t varies = sides_.of(t_.p_, s);
      if (varies & other) continue;
      auto op = std::get_if<ir::Apply>(&s.exp);
      divides = divides || (varies && op && (op->op == ScalarOp::quot || op->op == ScalarOp::div));
      if (!varies || std::ranges::none_of(s.pattern, [&](Bind y) { return wanted.contains(y.var); })) continue;
      auto read = std::get_if<Index>(&s.exp);
      if (read && is_scalar(t_.p_.type(s.pattern[0].var))) {
        for (const Selector& i : read->at) if (!is_parted(std::get<Atom>(i), side)) return {};
        if (sides_.of(read->array)) return {};
        found.push_back({&s, d, {}, {}});
        continue;
      }
      if (!is_step(s.exp)) return {};
      bool counts = false;
      each_use(t_.p_, s, [&](Var v) {
        wanted.insert(v);
        counts = counts || std::ranges::find(x_.index, v, &Bind::var) != x_.index.end();
      });
      if (counts) return {};
    }
    return divides && !layouts_vary() ? found : std::vector<Parted>();
  }
  ExprId place_of_part(const Parted& r, bool of_points) {
    auto read = std::get_if<Index>(&r.read->exp);
    Layout from = t_.layout(read->array);
    if (of_points) from.offset = number(0);
    std::vector<ExprId> at;
    for (const Selector& i : read->at) at.push_back(part_of(std::get<Atom>(i), bit_of(r.d), of_points));
    return m_.expr({Cast{t_.address(from, at)}, Scalar::I32});
  }
  ExprId point_place(ExprId k) { return small_ ? m_.add(m_.mul(group_, number(depth_)), k) : k; }
  void put_points(ExprId from, ExprId last) {
    when(m_.prim(ScalarOp::lt, {local_, number(depth_)}), [&] {
      at(2, named("k", least(m_.add(from, local_), last)));
      for (const ir::Stm& s : x_.body.stms) if (!(sides_.of(t_.p_, s) & ~TileSides::Depth)) t_.statement(s);
      for (const Parted& r : of_points_) emit(Store{r.points, point_place(local_), place_of_part(r, true)});
    });
  }
  // The numbers of a round of a whole step.
  void read_parted(const Fetch& f, ExprId from, ExprId t, ExprId k) {
    at(2, named("k", m_.add(from, k)));
    VarSet wanted;
    for (const Operand& y : f.of) wanted.insert(y.var);
    std::vector<const ir::Stm*> needed;
    for (size_t n = x_.body.stms.size(); n-- > 0;) {
      const ir::Stm& s = x_.body.stms[n];
      if ((sides_.of(t_.p_, s) & f.other) || std::ranges::none_of(s.pattern, [&](Bind y) { return wanted.contains(y.var); })) continue;
      needed.push_back(&s);
      if (std::ranges::find(f.parted, &s, &Parted::read) == f.parted.end()) each_use(t_.p_, s, [&](Var v) { wanted.insert(v); });
    }
    for (const ir::Stm* s : std::vector(needed.rbegin(), needed.rend())) {
      auto r = std::ranges::find(f.parted, s, &Parted::read);
      if (r == f.parted.end()) { t_.statement(*s); continue; }
      const Var v = s->pattern[0].var;
      ExprId place = m_.prim(ScalarOp::add, {m_.expr({Load{r->side, t}, Scalar::I32}), m_.expr({Load{r->points, point_place(k)}, Scalar::I32})});
      t_.scalar_[v] = t_.load(t_.layout(std::get<Index>(s->exp).array).memory, place, t_.p_.hint(v));
    }
  }
  template <class F> void in_range(const Fetch& f, ExprId t, F fill) {
    if (!f.count) return fill();
    when(m_.prim(ScalarOp::lt, {m_.add(m_.mul(t, active_), local_), *f.count}), fill);
  }
  void get(const Fetch& f, ExprId from, bool may_end) {
    loop("t", number(f.rounds), [&](ExprId t) {
      in_range(f, t, [&] {
        auto [index, k] = f.where(t);
        bool kept = t_.short_addresses_;
        if (kept && !f.parted.empty()) read_parted(f, from, t, k);
        else read(f, from, kept ? m_.expr({Cast{m_.expr({Load{f.index, t}, Scalar::I32})}, Scalar::I64}) : named("at", index_of(f, index)), k, may_end);
        for (size_t o = 0; o < f.of.size(); o++) keep(f.next[o], t, t_.scalar_[f.of[o].var], type(f.of[o].var));
      });
    });
  }
  void put(const Fetch& f, ExprId from) {
    loop("t", number(f.rounds), [&](ExprId t) {
      in_range(f, t, [&] {
        for (size_t o = 0; o < f.of.size(); o++) {
          Name x = m_.name("x", kept(f.of[o].var));
          emit(Declare{x, m_.expr({Load{f.next[o], t}, kept(f.of[o].var)})});
          emit(Store{f.of[o].panel, m_.expr({Load{f.places[o], t}, Scalar::I32}), m_.var(x)});
        }
      });
    });
    if (!f.count) return;
    ExprId rounds = parts(less(*f.count, local_), active_);
    Name t = m_.name("t", Scalar::I64);
    Block b = t_.block([&] {
      auto [index, k] = f.where(m_.var(t));
      read(f, from, named("at", index_of(f, index)), k, true);
      for (const Operand& y : f.of) keep(y.panel, f.place(y, index, k), t_.scalar_[y.var], type(y.var));
    });
    emit(kir::For{t, number(f.rounds), rounds, std::move(b)});
  }
  ExprId column_place(ExprId k) { return m_.mul(small_ ? m_.add(m_.mul(group_, number(depth_)), k) : k, number(points_apart())); }
  ExprId row_place(const Operand& y, ExprId thread, ExprId k) {
    if (small_) thread = m_.add(m_.mul(group_, thread_rows_), thread);
    return m_.add(m_.mul(thread, number(row_apart(kept(y.var)))), m_.mul(k, number(of_thread_)));
  }

  // ---- what a thread has for itself ----

  // Column number c of the thread, in the tile.
  ExprId column_of(ExprId c) {
    ExprId vector = quot(c, number(vector_));
    return m_.add(m_.mul(vector, number(side_ * vector_)), m_.add(m_.mul(right_, number(vector_)), rest(c, number(vector_), vector)));
  }
  void point(ExprId from, ExprId k) {
    std::vector<Name> rows, columns;
    for (const Operand& y : of_rows_) {
      rows.push_back(own("own_rows", kept(y.var), of_thread_));
      int64_t vector = std::min(of_thread_, wide(kept(y.var)));
      for (int64_t r = 0; r < of_thread_; r += vector)
        emit(LoadVector{rows.back(), number(r), y.panel, m_.add(row_place(y, down_, k), m_.prim(ScalarOp::xor_, {number(r), turned(kept(y.var), k)})), int(vector)});
    }
    for (const Operand& y : of_columns_) {
      columns.push_back(own("own_columns", kept(y.var), of_row()));
      for (int64_t c = 0; c < of_row(); c += vector_)
        emit(LoadVector{columns.back(), number(c), y.panel, m_.add(column_place(k), column_of(number(c))), int(vector_)});
    }
    at(2, m_.add(from, k));
    loop("r", number(of_thread_), [&](ExprId r) {
      at(0, least(m_.add(row_, m_.add(m_.mul(down_, number(of_thread_)), r)), less(extent_[0], number(1))));
      for (size_t o = 0; o < rows.size(); o++) t_.scalar_[of_rows_[o].var] = kept_value(rows[o], r, type(of_rows_[o].var), "x");
      loop("c", number(of_row()), [&](ExprId c) {
        at(1, least(m_.add(column_, column_of(c)), less(extent_[1], number(1))));
        for (size_t o = 0; o < columns.size(); o++) t_.scalar_[of_columns_[o].var] = kept_value(columns[o], c, type(of_columns_[o].var), "y");
        both_sides();
        ExprId cell = m_.add(m_.mul(r, number(of_row())), c);
        std::vector<ExprId> now = next_sums([&](size_t s) { return kept_value(sums_[s].memory, cell, sums_[s].type, "sum"); });
        for (size_t s = 0; s < now.size(); s++) keep(sums_[s].memory, cell, now[s], sums_[s].type);
      });
    });
  }
  void store_sums(ExprId part) {
    store(part, of_thread_, of_row(), [&](ExprId r) { return m_.add(m_.mul(down_, number(of_thread_)), r); }, [&](ExprId c) { return column_of(c); },
          [&](ExprId r, ExprId c) { return m_.add(m_.mul(r, number(of_row())), c); });
  }
  // Of a tile that a warp's units made: whose the sums are is said in backends/runtime/words.h.
  ExprId first_row() { return m_.mul(quot(local_, number(warp)), number(8 * tensor::groups)); }
  void store_sums_of_warp(ExprId part) {
    auto rem = [&](ExprId a, int64_t n) { return m_.prim(ScalarOp::rem, {a, number(n)}); };
    ExprId lane = named("lane", rem(local_, warp)), row = named("row", m_.add(first_row(), quot(lane, number(tensor::lanes))));
    ExprId pair = named("pair", m_.mul(rem(lane, tensor::lanes), number(2)));
    store(part, tensor::groups, tensor::sums / tensor::groups, [&](ExprId r) { return m_.add(row, m_.mul(r, number(8))); },
          [&](ExprId c) { return m_.add(m_.mul(quot(c, number(2)), number(8)), m_.add(pair, rem(c, 2))); },
          [&](ExprId r, ExprId c) { return m_.add(m_.mul(quot(c, number(2)), number(4)), m_.add(m_.mul(r, number(2)), rem(c, 2))); });
  }
  // The thread's sums: their rows and columns in the tile, and where it keeps them.
  template <class Row, class Column, class Place> void store(ExprId part, int64_t rows, int64_t columns, Row row, Column column, Place place) {
    loop("r", number(rows), [&](ExprId r) {
      ExprId i = named("i", m_.add(row_, row(r)));
      when(m_.prim(ScalarOp::lt, {i, extent_[0]}), [&] {
        loop("c", number(columns), [&](ExprId c) {
          ExprId j = named("j", m_.add(column_, column(c)));
          when(m_.prim(ScalarOp::lt, {j, extent_[1]}), [&] {
            std::vector<ExprId> sums;
            for (const Sum& s : sums_) sums.push_back(kept_value(s.memory, place(r, c), s.type, "sum"));
            Point cell = one_;
            cell.insert(cell.end(), {i, j});
            Block partial = t_.block([&] { for (size_t k = 0; k < sums.size(); k++) t_.store(partial_[k], place_of(part, cell), sums[k]); });
            Block whole = t_.block([&] { put(sums, cell); });
            emit(kir::If{several_, std::move(partial), std::move(whole)});
          });
        });
      });
    });
  }
  ExprId place_of(ExprId part, const Point& cell) {
    ExprId place = part;
    for (size_t d = 0; d < cell.size(); d++) place = m_.add(m_.mul(place, d < batch_.size() ? batch_[d] : extent_[d - batch_.size()]), cell[d]);
    return place;
  }
  void put(const std::vector<ExprId>& sums, const Point& cell) {
    for (size_t k = 0; k < sums.size(); k++) {
      Layout to = t_.layout(s_.pattern[k].var);
      t_.store(to.memory, t_.address(to, cell), sums[k]);
    }
  }
  void sum_of_parts(const Point& cell) {
    std::vector<ExprId> sums;
    for (const Atom& ne : neutral()) sums.push_back(named("sum", t_.atom(ne)));
    Name part = m_.name("part", Scalar::I64);
    Block b = t_.block([&] {
      ExprId place = named("place", place_of(m_.var(part), cell));
      std::vector<ExprId> right;
      for (Name n : partial_) right.push_back(t_.load(n, place, "right"));
      std::vector<ExprId> now = combined([&](size_t k) { return sums[k]; }, [&](size_t k) { return right[k]; });
      for (ExprId& x : now) x = named("now", x);
      for (size_t k = 0; k < now.size(); k++) emit(Assign{std::get<Name>(m_.exprs[sums[k].index].node), now[k]});
    });
    emit(kir::For{part, number(0), parts_, std::move(b)});
    put(sums, cell);
  }
};

// Small tiles where their area is less than two thirds of that of large ones: they read more for a sum. They also take longer, so large ones have to
// fill the device.
void FromCore::device_tile(const ir::Stm& s, const Seg& x) {
  DeviceTiles large(*this, s, x, false), small(*this, s, x, true);
  if (large.multiplies_in_units()) return large.run();
  auto area = [&](const DeviceTiles& tiles) {
    auto whole = [&](const Dim& n, int64_t side) { return m_.mul(m_.prim(ScalarOp::quot, {m_.add(atom(n), m_.number(side - 1)), m_.number(side)}), m_.number(side)); };
    const auto [rows, columns] = tiles.sides();
    return m_.mul(whole(x.extent.end()[-3], rows), whole(x.extent.end()[-2], columns));
  };
  ExprId few = m_.prim(ScalarOp::lt, {m_.mul(area(small), m_.number(3)), m_.mul(area(large), m_.number(2))});
  ExprId work = m_.mul(area(large), m_.prim(ScalarOp::max, {m_.prim(ScalarOp::quot, {atom(x.extent.back()), m_.number(costs::gpu::tile_part)}), m_.number(1)}));
  for (size_t d = 0; d + 3 < x.extent.size(); d++) work = m_.mul(work, atom(x.extent[d]));
  const auto [rows, columns] = large.sides();
  few = m_.prim(ScalarOp::and_, {few, m_.prim(ScalarOp::le, {m_.number(costs::gpu::full_device / large.threads() * rows * columns), work})});
  Block in_small = block([&] { small.run(); }), in_large = block([&] { large.run(); });
  emit(kir::If{few, std::move(in_small), std::move(in_large)});
}

}  // namespace raido::kir::translation
