// translate_scan.cc - a grid whose threads scan together: rows of elements, in one pass over them.
//
// All points of all rows stand in one line, which is cut into tiles. Each block has one tile, and each of its threads has some neighbouring
// elements. At the start of a row nothing counts that came before; whether a point is such a start follows from its number alone. Neighbouring
// threads load and store neighbouring elements, and exchange them through shared memory.
//
// Where a block may wait for earlier ones there is one launch:
//   0  The block scans its tile and publishes the total. It combines what earlier tiles have published, from the nearest one back to one that
//      knows the prefix at its end. Then it publishes its own prefix. `post` makes the results of each element and what comes before it.
// Elsewhere there are three:
//   1  Each block publishes the total of its tile.
//   2  One block scans these totals to prefixes.
//   3  Each block scans its tile as in 0. The prefix before it is known.
//
// Every thread reaches every barrier, as in translate_collective.cc. decisions/037 says why it is done like this.
#include "backends/kernel/collective.h"

namespace raido::kir::translation {

class FromCore::Scan : Together {
 public:
  Scan(FromCore& t, const ir::Stm& s, const Seg& x) : Together(t, s, x) {}

  void run() {
    for (Var v : t_.free_vars_of_places(x_)) (void)t_.memory(v);
    extent_ = t_.atoms(x_.extent);
    ExprId points = m_.number(1);
    for (ExprId n : extent_) points = m_.mul(points, n);
    points_ = declare("points", points);
    if (extent_.size() > 1) length_ = declare("length", extent_.back());
    auto host = [&](const char* hint) { return m_.name(hint, Scalar::I64); };
    for (const Combine& c : x_.scans) for (const Atom& ne : c.neutral) item_bytes_ += int(bytes_of(elem_of(t_.p_, ne)));
    items_ = m_.expr({Hardware{Builtin::Items, item_bytes_}, Scalar::I64});
    TileShape shape{host("tiles"), host("together"), host("apart"), host("one"), host("launch"), m_.memory("states", Scalar::I32, Space::Device), points_, items_};
    tiles_ = m_.var(shape.tiles);
    launch_ = m_.var(shape.launch);
    states_ = shape.states;
    t_.emit(shape);
    ExprId cells = m_.prim(ScalarOp::select, {op(ScalarOp::lt, tiles_, m_.number(2)), m_.number(0), m_.mul(tiles_, m_.number(2))});
    for (const Combine& c : x_.scans)
      for (const Atom& ne : c.neutral) {
        Scalar type = elem_of(t_.p_, ne);
        auto own = [&](const char* hint) { return m_.memory(hint, type, Space::Private); };
        operands_.push_back({t_.atom(ne), m_.name("x", type), own("shared"), own("items"), m_.memory("published", type, Space::Device)});
        t_.emit(kir::Alloc{operands_.back().published, {cells, m_.number(bytes_of(type))}, false});
      }
    for (size_t k = operands_.size(); k < x_.body.result.size(); k++) mapped_.push_back(m_.memory("mapped", elem_of(t_.p_, x_.body.result[k]), Space::Private));
    Name mode = m_.name("mode", Scalar::I64);
    mode_ = m_.var(mode);
    Kernel k = t_.kernel_of("scan_" + t_.p_.hint(s_.pattern[0].var), [&] { kernel(); });
    k.collective = true;
    std::vector<std::pair<ExprId, ExprId>> launches;
    for (auto [number, threads] : {std::pair(Whole, shape.together), {Totals, shape.apart}, {Reached, shape.one}, {Apart, shape.apart}})
      launches.push_back({m_.number(number), m_.var(threads)});
    t_.launch(std::move(k), mode, launches);
    for (const Operand& o : operands_) t_.emit(Release{o.published});
  }

 private:
  enum Mode { Whole, Totals, Reached, Apart };
  using Values = std::vector<ExprId>;
  struct Operand {                                  // of the operators, in order
    ExprId neutral;
    Name value;                                     // of the thread: the total of its elements, then of all up to these
    Name shared, items, published;                  // published: the totals of tiles, then what is reached with them
  };
  std::vector<Operand> operands_;
  std::vector<Name> mapped_;                        // what goes past the scan
  std::vector<ExprId> extent_;
  int item_bytes_ = 0;
  ExprId items_;                                    // elements of a thread
  Name states_;
  ExprId points_, tiles_, launch_, mode_, tile_, size_, first_, block_;   // the same for all threads; a tile has `size` points from `first` on
  std::optional<ExprId> length_;                    // of a row, if there are several
  ExprId local_, fine_, low_, wide_;                // the thread's points: from `low` on, so many; fine: no check had failed when it began

  ExprId lt(ExprId a, ExprId b) { return op(ScalarOp::lt, a, b); }
  ExprId sub(ExprId a, ExprId b) { return op(ScalarOp::sub, a, b); }
  ExprId no(ExprId a) { return m_.prim(ScalarOp::not_, {a}); }
  ExprId is_mode(Mode m) { return is(mode_, m); }
  Values load_all(Name Operand::*from, ExprId at, const char* hint) {
    Values out;
    for (const Operand& o : operands_) out.push_back(t_.load(o.*from, at, hint));
    return out;
  }
  void store_all(Name Operand::*to, ExprId at, const Values& values) {
    for (size_t k = 0; k < operands_.size(); k++) t_.store(operands_[k].*to, at, values[k]);
  }
  Values declare_all(const char* hint, const Values& values) {
    Values out;
    for (ExprId v : values) out.push_back(declare(hint, v));
    return out;
  }
  void assign_all(const Values& to, const Values& values) { for (size_t k = 0; k < to.size(); k++) assign(to[k], values[k]); }
  Values neutral() const { Values out; for (const Operand& o : operands_) out.push_back(o.neutral); return out; }
  Values values() { Values out; for (const Operand& o : operands_) out.push_back(m_.var(o.value)); return out; }
  void combine_into(const Values& to, const Values& left, const Values& right) {
    combine(x_.scans, left, right, [&](size_t k, ExprId now) { assign(to[k], now); });
  }
  // to := to op right, where `goes_on`; else right.
  void append(const Values& to, const Values& right, std::optional<ExprId> goes_on = {}) {
    if (!goes_on) return combine_into(to, declare_all("left", to), right);
    Values left = declare_all("left", to);
    assign_all(to, right);
    when(*goes_on, [&] { combine_into(to, left, right); });
  }

  // ---- where rows start ----
  // The start of the row of the point before `end`.
  ExprId start_before(ExprId end) {
    ExprId row = declare("row", op(ScalarOp::quot, sub(end, m_.number(1)), *length_));   // a statement of its own: see quotients.h
    return declare("row_start", m_.mul(row, *length_));
  }
  // No row starts at the points from `from`, which is not the first of all, up to `end`.
  std::optional<ExprId> no_start(ExprId from, ExprId end) {
    if (!length_) return {};
    return lt(start_before(end), from);
  }
  // `cond`, and no row starts there.
  ExprId and_no_start(ExprId cond, ExprId from, ExprId end) {
    auto none = no_start(from, end);
    return none ? both(cond, *none) : cond;
  }

  template <class F> void each_item(int from, F fill) {
    Name k = m_.name("k", Scalar::I64);
    kir::For loop{k, m_.number(from), items_, t_.block([&] { fill(m_.var(k)); })};
    loop.unrolled = true;
    t_.emit(std::move(loop));
  }
  // The points of a tile by threads: neighbours have neighbouring ones.
  template <class F> void each_point(F fill) {
    each_item(0, [&](ExprId k) {
      ExprId at = declare("at", m_.add(m_.mul(k, block_), local_));
      fill(k, at, declare("point", m_.add(first_, at)));
    });
  }
  // The tiles of a thread, the same number of neighbours for each, while one block works on all: fill(tile, whether what is reached before it counts).
  template <class F> void each_tile(ExprId from, ExprId each, ExprId least, F fill) {
    Name p = m_.name("p", Scalar::I64);
    ExprId tile = m_.var(p), to = declare("to", op(ScalarOp::min, m_.add(from, each), tiles_));
    Block one = t_.block([&] {
      ExprId start = declare("start", m_.mul(tile, size_));
      fill(tile, and_no_start(lt(least, tile), start, m_.add(start, size_)));
    });
    t_.emit(kir::For{p, from, to, std::move(one)});
  }
  ExprId tiles_of_thread() { return declare("each", op(ScalarOp::quot, m_.add(tiles_, sub(block_, m_.number(1))), block_)); }

  void kernel() {
    for (const Operand& o : operands_) t_.emit(DeclareShared{o.shared, 0, 0, item_bytes_});
    local_ = declare("local", builtin(Builtin::LocalId));
    block_ = declare("block", builtin(Builtin::BlockSize));
    size_ = declare("size", m_.mul(block_, items_));
    Name tile = m_.name("tile", Scalar::I64);
    t_.emit(NextTile{tile, states_, tiles_});
    tile_ = m_.var(tile);
    first_ = declare("first", m_.mul(tile_, size_));
    low_ = declare("low", m_.add(first_, m_.mul(local_, items_)));
    wide_ = declare("wide", items_);
    fine_ = unfailed();
    for (const Operand& o : operands_) t_.emit(Declare{o.value, o.neutral});
    for (const Operand& o : operands_) t_.emit(DeclareArray{o.items, {items_}});
    for (Name n : mapped_) t_.emit(DeclareArray{n, {items_}});
    Block totals = t_.block([&] { total_of_tiles(); }), elements = t_.block([&] { load_elements(); scan_items(); });
    t_.emit(kir::If{is_mode(Reached), std::move(totals), std::move(elements)});
    scan_threads();
    Block reached = t_.block([&] { publish_reached(); });
    Block rest = t_.block([&] {
      Block total = t_.block([&] {
        when(is(local_, 0), [&] { store_all(&Operand::published, tile_, load_all(&Operand::shared, sub(block_, m_.number(1)), "total")); });
      });
      Block results = t_.block([&] { finish(); });
      t_.emit(kir::If{is_mode(Totals), std::move(total), std::move(results)});
    });
    t_.emit(kir::If{is_mode(Reached), std::move(reached), std::move(rest)});
  }

  // ---- tiles, in one block ----
  void total_of_tiles() {
    ExprId each = tiles_of_thread(), from = declare("from", m_.mul(local_, each));
    assign(low_, m_.mul(from, size_));
    assign(wide_, m_.mul(each, size_));
    each_tile(from, each, from, [&](ExprId tile, ExprId goes_on) { append(values(), load_all(&Operand::published, tile, "total"), goes_on); });
  }
  void publish_reached() {
    ExprId each = tiles_of_thread(), from = declare("from", m_.mul(local_, each));
    Values reached = before_thread();
    each_tile(from, each, m_.number(0), [&](ExprId tile, ExprId goes_on) {
      append(reached, load_all(&Operand::published, tile, "total"), goes_on);
      store_all(&Operand::published, m_.add(tiles_, tile), reached);
    });
  }
  // What is reached before the thread's points in the block; for the first thread it says nothing.
  Values before_thread() {
    ExprId thread = declare("thread", op(ScalarOp::max, sub(local_, m_.number(1)), m_.number(0)));
    return load_all(&Operand::shared, thread, "before");
  }

  // ---- a tile ----
  ExprId unfailed() {
    Name fine = m_.name("fine", Scalar::Bool);
    t_.emit(Unfailed{fine});
    return m_.var(fine);
  }
  void load_elements() {
    each_point([&](ExprId k, ExprId at, ExprId point) {
      Values x = declare_all("element", neutral());
      // Also of points outside: what is undefined is one value to one use and another to the next, in a compiler that knows it.
      for (Name n : mapped_) t_.store(n, k, m_.constant(convert(m_.names[n.index].type, i64_const(0))));
      when(both(fine_, lt(point, points_)), [&] {
        guarded(false, [&] {
          Point here = t_.point_of(point, extent_);
          for (size_t d = 0; d < here.size(); d++) t_.scalar_[x_.index[d].var] = here[d];
          t_.body(x_.body, {});
          for (size_t j = 0; j < x_.body.result.size(); j++) {
            ExprId value = t_.atom(x_.body.result[j]);
            if (j < operands_.size()) assign(x[j], value);
            else t_.store(mapped_[j - operands_.size()], k, value);
          }
        });
      });
      store_all(&Operand::shared, at, x);
    });
    t_.emit(Barrier{});
  }
  // A row begins with the neutral element, as everywhere: it need not be neutral for what is no number.
  void scan_items() {
    ExprId own = declare("own", m_.mul(local_, items_));
    std::optional<ExprId> start, next;                   // of the row of `low`, and of the row after that
    if (length_) {
      start = start_before(m_.add(low_, m_.number(1)));
      next = declare("next", m_.add(*start, *length_));
    }
    Values element = load_all(&Operand::shared, own, "element");
    assign_all(values(), element);
    when(start ? op(ScalarOp::eq, *start, low_) : is(low_, 0), [&] { combine_into(values(), neutral(), element); });
    store_all(&Operand::items, m_.number(0), values());
    each_item(1, [&](ExprId k) {
      Values right = load_all(&Operand::shared, m_.add(own, k), "right");
      Values left = values();
      if (length_) {
        ExprId starts = declare("starts", op(ScalarOp::eq, m_.add(low_, k), *next));
        assign(*next, m_.prim(ScalarOp::select, {starts, m_.add(*next, *length_), *next}));
        for (size_t j = 0; j < left.size(); j++) left[j] = m_.prim(ScalarOp::select, {starts, operands_[j].neutral, left[j]});
      }
      combine_into(values(), declare_all("left", left), right);
      store_all(&Operand::items, k, values());
    });
    t_.emit(Barrier{});
  }
  // x := what is reached with the thread's points, from the start of the tile, or of the row, on. Also in shared memory.
  void scan_threads() {
    store_all(&Operand::shared, local_, values());
    ExprId apart = declare("apart", m_.number(1));
    std::optional<ExprId> start;
    if (length_) start = start_before(m_.add(low_, wide_));
    Block step = t_.block([&] {
      t_.emit(Barrier{});
      Values now = declare_all("now", values());
      ExprId others = m_.mul(sub(apart, m_.number(1)), wide_), has_other = op(ScalarOp::le, apart, local_);
      when(start ? both(has_other, lt(*start, sub(low_, others))) : has_other, [&] {
        combine_into(now, load_all(&Operand::shared, sub(local_, apart), "left"), values());
      });
      t_.emit(Barrier{});
      assign_all(values(), now);
      store_all(&Operand::shared, local_, values());
      assign(apart, m_.mul(apart, m_.number(2)));
    });
    t_.emit(kir::While{{}, lt(apart, block_), std::move(step)});
    t_.emit(Barrier{});
  }
  void finish() {
    Values before = before_thread();
    Values total = load_all(&Operand::shared, sub(block_, m_.number(1)), "total");
    ExprId later = lt(m_.number(0), tile_), end = m_.add(first_, size_);
    ExprId open = declare("open", and_no_start(later, first_, m_.add(first_, m_.number(1))));   // it begins inside of a row
    ExprId known = declare("known", no(and_no_start(later, first_, end)));                      // its total is what is reached with it
    Values carried = declare_all("carried", neutral());
    Block waits = t_.block([&] { reach(carried, total, open, known); });
    Block is_there = t_.block([&] {
      when(open, [&] { assign_all(carried, load_all(&Operand::published, m_.add(tiles_, sub(tile_, m_.number(1))), "x")); });
      t_.emit(Barrier{});
    });
    t_.emit(kir::If{builtin(Builtin::OrdersBlocks), std::move(waits), std::move(is_there)});
    when(open, [&] {
      Values right = declare_all("right", before);
      auto none = no_start(first_, low_);
      ExprId follows = lt(m_.number(0), local_);
      for (size_t k = 0; k < before.size(); k++) assign(before[k], m_.prim(ScalarOp::select, {follows, right[k], carried[k]}));
      when(none ? both(follows, *none) : follows, [&] { combine_into(before, carried, right); });
    });
    store_items(before, open);
    t_.emit(Barrier{});
    store_results();
  }
  // carried := what is reached before the tile, if it begins inside of a row; and what can be said of the tile is published.
  void reach(const Values& carried, const Values& total, ExprId open, ExprId known) {
    when(both(lt(m_.number(1), tiles_), is(local_, 0)), [&] {
      store_all(&Operand::published, m_.add(tile_, m_.mul(tiles_, m_.prim(ScalarOp::select, {known, m_.number(1), m_.number(0)}))), total);
      t_.emit(Publish{states_, tile_, launch_, known});
    });
    t_.emit(Barrier{});
    when(open, [&] {
      look_back(carried);
      when(is(local_, 0), [&] {
        store_all(&Operand::shared, m_.number(0), carried);
        when(no(known), [&] {
          Values reached = declare_all("reached", total);
          combine_into(reached, carried, total);
          store_all(&Operand::published, m_.add(tiles_, tile_), reached);
          t_.emit(Publish{states_, tile_, launch_, m_.constant(bool_const(true))});
        });
      });
      t_.emit(Barrier{});
      assign_all(carried, load_all(&Operand::shared, m_.number(0), "x"));
      t_.emit(Barrier{});
    });
  }
  // The same for the first thread.
  void look_back(const Values& carried) {
    ExprId end = declare("end", tile_), more = declare("more", m_.constant(bool_const(true)));
    Block look = t_.block([&] {
      Name first = m_.name("from", Scalar::I64), reached = m_.name("reached", Scalar::Bool);
      t_.emit(LookBack{first, reached, states_, launch_, end});
      ExprId from = m_.var(first), count = sub(end, from);
      when(lt(local_, count), [&] {
        ExprId half = m_.prim(ScalarOp::select, {both(m_.var(reached), is(local_, 0)), tiles_, m_.number(0)});
        store_all(&Operand::shared, local_, load_all(&Operand::published, m_.add(half, m_.add(from, local_)), "x"));
      });
      std::vector<Name> shared;
      for (const Operand& o : operands_) shared.push_back(o.shared);
      combine_neighbours(x_.scans, shared, m_.number(0), local_, count, {});
      t_.emit(Barrier{});
      when(is(local_, 0), [&] {
        Values sum = load_all(&Operand::shared, m_.number(0), "x");
        Values right = declare_all("right", carried);
        assign_all(carried, sum);
        when(lt(end, tile_), [&] { combine_into(carried, sum, right); });
      });
      t_.emit(Barrier{});
      assign(end, from);
      assign(more, no(m_.var(reached)));
    });
    t_.emit(kir::While{{}, more, std::move(look)});
  }
  void store_items(const Values& before, ExprId open) {
    ExprId follows = declare("follows", op(ScalarOp::or_, lt(m_.number(0), local_), open)), own = declare("own", m_.mul(local_, items_));
    std::optional<ExprId> start;
    if (length_) start = declare("start", m_.add(start_before(low_), *length_));   // the first one from `low` on
    each_item(0, [&](ExprId k) {
      Values right = load_all(&Operand::items, k, "right"), now = declare_all("now", right);
      when(start ? both(follows, lt(m_.add(low_, k), *start)) : follows, [&] { combine_into(now, before, right); });
      store_all(&Operand::shared, m_.add(own, k), now);
    });
  }
  // If a check of an element failed, it is not there.
  void store_results() {
    ExprId fine = t_.returns_checked_ ? unfailed() : fine_;
    each_point([&](ExprId k, ExprId at, ExprId point) {
      when(both(fine, lt(point, points_)), [&] {
        guarded(false, [&] {
          Point here = t_.point_of(point, extent_);
          for (size_t d = 0; d < here.size(); d++) t_.scalar_[x_.index[d].var] = here[d];
          for (size_t j = 0; j < x_.post.params.size(); j++) {
            Var v = x_.post.params[j].var;
            t_.scalar_[v] = j < operands_.size() ? t_.load(operands_[j].shared, at, t_.p_.hint(v)) : t_.load(mapped_[j - operands_.size()], k, t_.p_.hint(v));
          }
          t_.body(x_.post.body, {});
          for (size_t j = 0; j < s_.pattern.size(); j++) t_.put_mapped(s_.pattern[j].var, x_.post.body.result[j], here);
        });
      });
    });
  }
};

void FromCore::scan(const ir::Stm& s, const Seg& x) { Scan(*this, s, x).run(); }

}  // namespace raido::kir::translation
