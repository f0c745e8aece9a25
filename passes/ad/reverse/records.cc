// records.cc - see records.h.
#include "passes/ad/reverse/records.h"

#include <algorithm>

#include "compiler/ir/costs.h"
#include "passes/ad/activity/common.h"

namespace raido::ad {

using namespace ir;

namespace {

class Recorder {
 public:
  Recorder(Builder& b, Stm& loop, const Emit& emit) : b_(b), p_(b.program), loop_(loop), f_(std::get<For>(loop.exp)), emit_(emit) {
    each_bind(loop_.exp, [&](Var v) { bound_.insert(v); });
    for (size_t k = 0; k < f_.body.stms.size(); k++)
      for (Bind x : f_.body.stms[k].pattern) made_[x.var] = k;
  }
  Records run(const std::vector<Atom>& all) {
    std::vector<size_t> wanted;
    for (const Atom& x : all) wanted.push_back(item(x));
    record();
    auto read = [items = std::make_shared<std::vector<Item>>(std::move(items_)), wanted](Builder& b, const Atom& i, const std::vector<Atom>& slots) {
      std::vector<Atom> values;
      for (const Item& x : *items) values.push_back(x.read(b, i, slots, values));
      std::vector<Atom> out;
      for (size_t k : wanted) out.push_back(values[k]);
      return out;
    };
    return {std::move(slots_), read, std::move(records_), std::move(filled_)};
  }

 private:
  // How the return sweep has a value again. Sizes come before the arrays that have them.
  struct Item {
    enum class Kind { Constant, Outside, Iteration, Computed, Row, Part } kind;
    Atom value;                                    // in the body
    size_t slot = 0;                               // the first of its slots
    std::vector<Stm> slice = {};                   // Computed: statements over the iteration `i` and what is in the slots
    std::vector<Var> free = {};
    Var i = {};
    std::vector<std::pair<size_t, Dim>> dims = {};  // Part: the shape, each a value or a size that is known outside
    std::string hint = {};

    Atom read(Builder& b, const Atom& now, const std::vector<Atom>& slots, const std::vector<Atom>& values) const {
      switch (kind) {
        case Kind::Constant: return value;
        case Kind::Outside: return slots[slot];
        case Kind::Iteration: return now;
        case Kind::Computed: {
          Subst known;
          known.emplace(i, now);
          for (size_t k = 0; k < free.size(); k++) known.emplace(free[k], slots[slot + k]);
          for (const Stm& s : slice) {
            Stm again = clone(b.program, s, &known);
            substitute(b.program, again, known);
            b.emit(std::move(again));
          }
          return known.at(*var_of(value));
        }
        case Kind::Row: return b.index(hint, *var_of(slots[slot]), {now});
        case Kind::Part: {
          std::vector<Dim> shape;
          Term size = b.term(i64_const(1));
          for (const auto& [k, known] : dims) {
            shape.push_back(k == known_outside ? known : values[k]);
            size = size * b.term(shape.back());
          }
          Atom start = b.index("start", *var_of(slots[slot + 1]), {now});
          Var part = b.slice(hint, *var_of(slots[slot]), {start, size.atom, i64_const(1)});
          return b.bind1(hint, Reshape{part, shape});
        }
      }
      PANIC("no such kind of kept value");
    }
  };
  static constexpr size_t known_outside = ~size_t{0};

  Builder& b_;
  Program& p_;
  Stm& loop_;
  For& f_;
  const Emit& emit_;
  VarSet bound_;
  std::unordered_map<Var, size_t> made_;           // by which statement of the body
  std::unordered_map<Var, size_t> known_;
  std::unordered_map<Var, Dim> before_loop_;
  std::vector<Item> items_;
  std::vector<Atom> slots_;
  std::vector<Records::Record> records_;
  std::vector<std::pair<size_t, Atom>> filled_;
  std::vector<Atom> next_;                         // results of the body for new state

  bool outside(const Atom& x) const { return !var_of(x) || !bound_.contains(*var_of(x)); }
  size_t item(const Atom& x) {
    if (auto v = var_of(x))
      if (auto found = known_.find(*v); found != known_.end()) return found->second;
    Item made{Item::Kind::Constant, x};
    if (auto v = var_of(x)) {
      made.hint = p_.hint(*v);
      if (outside(x)) {
        made.kind = Item::Kind::Outside;
        made.slot = slots_.size();
        slots_.push_back(x);
      } else if (*v == f_.i.var) {
        made.kind = Item::Kind::Iteration;
      } else if (!computed(made, *v)) {
        made.kind = Item::Kind::Row;
        std::vector<Dim> shape = shape_of(p_.type(*v));
        for (const Dim& size : shape) {
          Dim d = before_loop(size);
          if (!outside(d)) made.kind = Item::Kind::Part;
          made.dims.emplace_back(outside(d) ? known_outside : item(d), d);
        }
      }
    }
    // A part's shape is known where the loop's slots are: sizes outside go through slots as well.
    if (made.kind == Item::Kind::Part)
      for (auto& [k, d] : made.dims) if (k == known_outside && var_of(d)) k = item(d);
    items_.push_back(std::move(made));
    if (auto v = var_of(x)) known_.emplace(*v, items_.size() - 1);
    return items_.size() - 1;
  }
  // A size that no iteration changes, outside.
  Dim before_loop(const Dim& d) {
    if (outside(d)) return d;
    auto [found, first] = before_loop_.try_emplace(*var_of(d), d);
    Item slice{Item::Kind::Computed, d};
    if (!first || !computed(slice, *var_of(d), false)) return found->second;
    return found->second = slice.read(b_, i64_const(0), {slice.free.begin(), slice.free.end()}, {});
  }
  // Whether a scalar is a function of the iteration and of what the loop does not change.
  bool computed(Item& made, Var v, bool of_iteration = true) {
    if (!is_scalar(p_.type(v))) return false;
    std::vector<size_t> stms;
    std::vector<Var> free;
    std::function<bool(const Atom&)> look = [&](const Atom& x) {
      auto u = var_of(x);
      if (!u) return true;
      if (*u == f_.i.var) return of_iteration;
      if (outside(x)) {
        if (std::ranges::find(free, *u) == free.end()) free.push_back(*u);
        return true;
      }
      auto by = made_.find(*u);
      if (by == made_.end()) return false;
      if (std::ranges::find(stms, by->second) != stms.end()) return true;
      const Stm& s = f_.body.stms[by->second];
      if (!s.checks.empty() || stms.size() == costs::ad::recomputed_statements) return false;
      bool ok = match(s.exp, [&](const Apply& a) { return std::ranges::all_of(a.args, look); },
                      [&](const Convert& c) { return look(c.value); }, [&](const Identity& id) { return look(id.value); },
                      [](const auto&) { return false; });
      stms.push_back(by->second);
      return ok;
    };
    if (!look(v)) return false;
    std::ranges::sort(stms);
    for (size_t k : stms) made.slice.push_back(f_.body.stms[k]);
    made.kind = Item::Kind::Computed;
    made.i = f_.i.var;
    if (of_iteration) {
      made.slot = slots_.size();
      slots_.insert(slots_.end(), free.begin(), free.end());
    }
    made.free = std::move(free);
    return true;
  }

  // The number of elements that arrays of each of these shapes have over all iterations.
  std::vector<Atom> count(const std::vector<std::vector<Dim>>& shapes) {
    Subst renamed;
    Stm loop = clone(p_, loop_, &renamed);
    For& f = std::get<For>(loop.exp);
    Builder inside(p_, f.body.stms);
    inside.source = loop.source;
    std::vector<Atom> totals;
    for (std::vector<Dim> shape : shapes) {
      for (Dim& d : shape)
        if (auto found = var_of(d) ? renamed.find(*var_of(d)) : renamed.end(); found != renamed.end()) d = found->second;
      Var total = p_.fresh("total", scalar_type(Scalar::I64));
      f.body.result.push_back((inside.term(total) + elements(inside, shape)).atom);
      f.state.push_back({total});
      f.init.push_back(i64_const(0));
      totals.push_back(p_.fresh("total", scalar_type(Scalar::I64)));
      loop.pattern.push_back({*var_of(totals.back())});
    }
    emit_(std::move(loop));
    return totals;
  }
  static Term elements(Builder& b, const std::vector<Dim>& shape) {
    Term n = b.term(i64_const(1));
    for (const Dim& d : shape) n = n * b.term(d);
    return n;
  }
  // New state of the loop: its result is given where it is known.
  struct State { Var inside, after; size_t result; };
  State carry(const std::string& hint, const Atom& init, const Type& inside, const Type& after) {
    State s{p_.fresh(hint, inside), p_.fresh(hint, after), f_.body.result.size() + next_.size()};
    f_.state.push_back({s.inside});
    f_.init.push_back(init);
    loop_.pattern.push_back({s.after});
    next_.push_back({});
    return s;
  }
  State carry(const std::string& hint, const Atom& init) { return carry(hint, init, p_.type(init), p_.type(init)); }
  void next(const State& s, Atom value) { next_[s.result - f_.body.result.size()] = std::move(value); }

  // Rows for records: as many as are known to be needed; or some, and more of them where these are full.
  struct Room {
    Dim first, inside, after;
    State size = {};                                                 // of one that is enlarged
    std::vector<State> records = {};
    std::vector<Var> now = {};                                       // in the iteration, when there is room in it
  };
  Room room(const Dim& known) const { return {known, known, known}; }
  Room enlargeable(i64 first) {
    State size = carry("room", i64_const(first));
    return {i64_const(first), size.inside, size.after, size};
  }
  size_t record_in(Room& room, const std::string& hint, Scalar elem, const std::vector<Dim>& row) {
    auto shape = [&](const Dim& rows) {
      std::vector<Dim> dims{rows};
      dims.insert(dims.end(), row.begin(), row.end());
      return dims;
    };
    Var init = b_.bind1(hint, Scratch{elem, shape(room.first)});
    room.records.push_back(carry(hint, init, array_type(elem, shape(room.inside)), array_type(elem, shape(room.after))));
    room.now.push_back(room.records.back().inside);
    return room.records.size() - 1;
  }
  // Makes room for `needed` rows, of which `used` are filled.
  void make_room(Builder& in, Room& room, const Term& needed, const Term& used) {
    If full;
    full.cond = lt(in.term(room.inside), needed).atom;
    full.then_ = in.body([&] {
      Term more = in.term(room.inside) + needed;
      std::vector<Atom> out{more.atom};
      for (Var old : room.now) {
        std::vector<Dim> shape = shape_of(p_.type(old));
        shape[0] = more.atom;
        Slice filled{i64_const(0), used.atom, i64_const(1)};
        Var rows = in.slice(p_.hint(old), old, filled), larger = in.bind1(p_.hint(old), Scratch{elem_of(p_.type(old)), shape});
        out.push_back(in.bind1(p_.hint(old), Update{larger, {filled}, rows}));
      }
      return out;
    });
    std::vector<std::string> hints{"room"};
    full.else_.result = {room.inside};
    for (Var v : room.now) {
      hints.push_back(p_.hint(v));
      full.else_.result.push_back(v);
    }
    std::vector<Var> out = in.bind(hints, std::move(full));
    next(room.size, out[0]);
    room.now.assign(out.begin() + 1, out.end());
  }

  // Values that are no functions of the iteration. Rows are recorded one for each iteration; parts, whose sizes change, one after the
  // other, with the place where each starts in a row of its own.
  static bool is_recorded(const Item& x) { return x.kind == Item::Kind::Row || x.kind == Item::Kind::Part; }
  struct Place { Room room; State start; size_t starts, made; Atom size; };
  struct Written { Item* item; size_t made, record; };
  struct Recording {
    bool enlarged;
    std::vector<std::vector<Dim>> shapes = {};                       // of parts; those of one shape start at the same places
    Room rows = {};
    std::vector<Place> places = {};                                  // of shapes
    std::vector<Written> written = {};
    std::vector<List<Stm>> added = {};                               // before the first statement, and after each

    size_t number(const std::vector<Dim>& shape) const { return size_t(std::ranges::find(shapes, shape) - shapes.begin()); }
  };

  // The recorded values get state in the loop, written where they are made.
  void record() {
    if (std::ranges::none_of(items_, is_recorded)) return;
    Recording r{f_.counted};
    r.added.resize(f_.body.stms.size() + 1);
    make_rooms(r);
    for (Item& x : items_) if (is_recorded(x)) r.written.push_back(record_of(r, x));
    if (r.enlarged) {
      Builder in = at(r, 0);
      make_room(in, r.rows, in.term(f_.i.var) + 1, in.term(f_.i.var));
    }
    for (size_t k = 0; k < r.places.size(); k++) start_part(r, k);
    for (const Written& x : r.written) {
      x.item->slot = slots_.size();
      x.item->kind == Item::Kind::Row ? write_row(r, x) : write_part(r, x);
      records_.push_back({*var_of(slots_[x.item->slot]), *var_of(x.item->value)});
    }
    put_between(r.added);
    f_.body.result.insert(f_.body.result.end(), next_.begin(), next_.end());
  }
  void make_rooms(Recording& r) {
    bool scalars = true;
    for (const Item& x : items_) {
      if (!is_recorded(x)) continue;
      std::vector<Dim> shape = shape_of(p_.type(*var_of(x.value)));
      scalars = scalars && (shape.empty() || x.kind == Item::Kind::Part);
      if (x.kind == Item::Kind::Part && r.number(shape) == r.shapes.size()) r.shapes.push_back(shape);
    }
    std::vector<Atom> totals;
    if (!r.shapes.empty() && !r.enlarged) totals = count(r.shapes);
    r.rows = r.enlarged ? enlargeable(scalars ? costs::ad::first_records : 1) : room(ir::apply(ScalarOp::max, {b_.term(f_.n), b_.term(i64_const(0))}).atom);
    for (size_t k = 0; k < r.shapes.size(); k++) {                   // sizes are made before what has them
      size_t last = 0;
      for (const Dim& d : r.shapes[k])
        if (auto by = var_of(d) ? made_.find(*var_of(d)) : made_.end(); by != made_.end()) last = std::max(last, by->second + 1);
      size_t starts = record_in(r.rows, "starts", Scalar::I64, {});
      State start = carry("start", i64_const(0));
      r.places.push_back({r.enlarged ? enlargeable(0) : room(totals[k]), start, starts, last, {}});
    }
  }
  Written record_of(Recording& r, Item& x) {
    Var v = *var_of(x.value);
    auto by = made_.find(v);
    std::vector<Dim> dims;
    for (const auto& [k, d] : x.dims) dims.push_back(d);
    bool row = x.kind == Item::Kind::Row;
    Room& in = row ? r.rows : r.places[r.number(shape_of(p_.type(v)))].room;
    return {&x, by == made_.end() ? 0 : by->second + 1, record_in(in, x.hint + "_rec", elem_of(p_.type(v)), row ? dims : std::vector<Dim>{})};
  }

  Builder at(Recording& r, size_t place) {
    Builder in(p_, r.added[place]);
    in.source = loop_.source;
    return in;
  }
  // Where the parts of a shape start in this iteration.
  void start_part(Recording& r, size_t k) {
    Place& x = r.places[k];
    Builder in = at(r, x.made);
    Term start = in.term(x.start.inside);
    Term size = elements(in, r.shapes[k]);
    x.size = size.atom;
    next(r.rows.records[x.starts], in.update(r.rows.now[x.starts], {f_.i.var}, start.atom));
    next(x.start, (start + size).atom);
    if (r.enlarged) make_room(in, x.room, start + size, start);
  }
  void write_row(Recording& r, const Written& x) {
    Builder in = at(r, x.made);
    Var whole = r.rows.now[x.record];
    next(r.rows.records[x.record], in.update(whole, {f_.i.var}, as_type(in, *var_of(x.item->value), row_type(p_.type(whole)))));
    add_slot(r, r.rows.records[x.record].after, f_.n);
  }
  void write_part(Recording& r, const Written& x) {
    Var v = *var_of(x.item->value);
    Builder in = at(r, x.made);
    Place& place = r.places[r.number(shape_of(p_.type(v)))];
    const State& record = place.room.records[x.record];
    const std::string hint = p_.hint(record.after);
    Var flat = in.bind1(hint, Reshape{v, {place.size}});
    next(record, in.bind1(hint, Update{place.room.now[x.record], {Slice{place.start.inside, place.size, i64_const(1)}}, flat}));
    add_slot(r, record.after, place.start.after);
    add_slot(r, r.rows.records[place.starts].after, f_.n);
  }
  void add_slot(const Recording& r, Var record, const Atom& size) {
    slots_.push_back(record);
    if (r.enlarged) filled_.emplace_back(slots_.size() - 1, size);
  }
  void put_between(std::vector<List<Stm>>& added) {
    List<Stm> all;
    auto put = [&](List<Stm>& some) { for (auto& s : some.take()) all.push_back(std::move(s)); };
    put(added[0]);
    std::vector<std::unique_ptr<Stm>> old = f_.body.stms.take();
    for (size_t k = 0; k < old.size(); k++) {
      all.push_back(std::move(old[k]));
      put(added[k + 1]);
    }
    f_.body.stms = std::move(all);
  }
};

}  // namespace

Records record(Builder& b, Stm& loop, const std::vector<Atom>& values, const Emit& emit) { return Recorder(b, loop, emit).run(values); }

void Records::cut(Builder& b) {
  for (const auto& [k, size] : filled) {
    Var whole = *var_of(slots[k]);
    slots[k] = b.slice(b.program.hint(whole), whole, {i64_const(0), size, i64_const(1)});
  }
}

}  // namespace raido::ad
