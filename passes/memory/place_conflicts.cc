// place_conflicts.cc - see place_conflicts.h.
#include "passes/memory/place_conflicts.h"

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/layout.h"

namespace raido::placement {
namespace {

// What one statement reads of the array `v` and writes to `names`, in the coordinates of v and in the order of the text. It reads v by
// elements, also those of rows and parts that it names.
class Touched {
 public:
  struct Cell {
    Access access;
    size_t time;
    bool in_order;                     // the loops around run one iteration after the other
  };

  // `there`: the part of v where `names` lie. `kept`: the loops in s that could run in any order run in order.
  Touched(const Program& p, Origins& origins, const Forms& forms, const Stm& s, const VarSet& names, Var v, const Overlap& there, bool kept)
      : p_(p), origins_(origins), forms_(forms), names_(names), there_(there), inside_(bound_in(s.exp)), kept_(kept) {
    views_.emplace(v, Coordinates());
    if (auto map = std::get_if<Seg>(&s.exp)) points(s, *map);
    else statement(s, {}, true, true);
    size_t of_v = 0, of_names = 0;
    each_use(p, s.exp, [&](Var u) { of_v += views_.contains(u), of_names += names_.contains(u); });
    known_ = known_ && read_ == of_v && accounted_ == of_names;
  }
  // Whether this is all that it does to them, and it reads no element after it wrote there.
  bool reads_first(VarSet sizes) const {
    if (!known_) return false;
    Known known;
    known.sizes = std::move(sizes);
    for (Var n : counts_) known.sizes.insert(n);
    for (const Cell& r : reads_)
      for (const Cell& w : writes_) {
        size_t shared = 0;
        while (shared < r.access.nest.size() && shared < w.access.nest.size() && r.access.nest[shared].var == w.access.nest[shared].var) shared++;
        int order = (r.in_order && w.in_order ? Earlier : Apart) | (w.time < r.time ? Together : 0);
        if (!disjoint(r.access, w.access, shared, Order(order), known)) return false;
      }
    return true;
  }

 private:
  // Which places of v the places of a part of it are, for each dimension of v: `start` + `step` * the part's next place, or `start` if step
  // is 0. Dimensions of v after the last one are those of the part.
  struct Coordinate {
    std::optional<Affine> start;
    i64 step;
  };
  using Coordinates = std::vector<Coordinate>;

  const Program& p_;
  Origins& origins_;
  const Forms& forms_;
  VarSet names_;
  std::unordered_map<Var, Coordinates> views_;     // v and parts of it
  const Overlap& there_;
  VarSet inside_;
  bool kept_;
  std::vector<Var> counts_;            // of iterations: sizes where there are any
  std::vector<Cell> reads_, writes_;
  size_t time_ = 0, read_ = 0;         // uses of views that read an element, or name a part
  size_t accounted_ = 0;               // uses of names that change nothing, or that are followed
  bool known_ = true;

  // A kernel that makes the array, and maybe others: each point writes its own element, after its reads.
  void points(const Stm& s, const Seg& x) {
    auto made = std::ranges::find_if(s.pattern, [&](Bind b) { return names_.contains(b.var); });
    known_ = x.level == SegLevel::Grid && x.reduces.empty() && x.scans.empty() && x.dests.empty() &&
             made != s.pattern.end() && shape_of(p_.type(made->var)).size() == x.index.size();
    Nest nest;
    enter(nest, s.exp);
    body(x.body, nest, false, false);
    std::vector<Selector> own;
    for (Bind i : x.index) own.push_back(Atom(i.var));
    write(nest, own, false);
  }
  void body(const Body& b, const Nest& nest, bool may_write, bool in_order) { for (const Stm& s : b.stms) statement(s, nest, may_write, in_order); }
  // Writes are followed through counted loops only.
  void statement(const Stm& s, const Nest& nest, bool may_write, bool in_order) {
    time_++;
    auto loop = std::get_if<For>(&s.exp);
    if (loop && may_mix(*loop) && !kept_) in_order = false;
    if (loop && may_write) follow(s, *loop);
    Nest inner = nest;
    enter(inner, s.exp);
    walk_parts(s, [&](const Body& b) { body(b, inner, loop && may_write, in_order); });
    if (loop && may_write)
      for (size_t k = 0; k < loop->state.size(); k++) accounted_ += is_name(loop->state[k].var) && is_name(loop->body.result[k]);
    if (auto x = std::get_if<Index>(&s.exp)) {
      bool element = is_scalar(p_.type(s.pattern[0].var));
      accounted_ += element && is_name(x->array);
      if (auto view = views_.find(x->array); view != views_.end()) {
        read_++;
        Coordinates part = part_of(nest, view->second, x->at);
        if (element) reads_.push_back({{nest, cells(part)}, time_, in_order});
        else views_.emplace(s.pattern[0].var, std::move(part));
      }
    }
    if (auto x = std::get_if<Update>(&s.exp); x && may_write && is_name(x->array)) {
      accounted_++;
      write(nest, x->at, in_order);
      names_.insert(s.pattern[0].var);
    }
  }
  bool is_name(const Atom& a) const { return var_of(a) && names_.contains(*var_of(a)); }
  void follow(const Stm& s, const For& loop) {
    for (size_t k = 0; k < loop.init.size(); k++) {
      if (!is_name(loop.init[k])) continue;
      accounted_++;
      known_ = known_ && origins_.works_in_place(loop, k);
      names_.insert(loop.state[k].var);
      names_.insert(s.pattern[k].var);
    }
  }
  void enter(Nest& nest, const Exp& e) {
    size_t before = nest.size();
    add_counters(nest, inside_, e, forms_);
    for (size_t k = before; k < nest.size(); k++)
      if (nest[k].count) for (const Affine::Term& t : nest[k].count->terms) if (*nest[k].count == Affine(t.var)) counts_.push_back(t.var);
  }
  void write(const Nest& nest, const std::vector<Selector>& at, bool in_order) {
    auto out = cells(part_of(nest, part_of(nest, {}, there_.part), at));
    if (!out.empty() && out[0]) *out[0] = *out[0] + there_.shift;
    writes_.push_back({{nest, out}, time_, in_order});
  }
  // The part `at` of a part.
  Coordinates part_of(const Nest& nest, Coordinates part, const std::vector<Selector>& at) const {
    auto form = [&](const Atom& i) { return form_in(nest, inside_, i, forms_); };
    size_t next = 0;
    for (const Selector& x : at) {
      while (next < part.size() && part[next].step == 0) next++;
      if (next == part.size()) part.push_back({Affine(0), 1});
      Coordinate& c = part[next++];
      auto slice = std::get_if<Slice>(&x);
      auto i = form(slice ? slice->start : std::get<Atom>(x));
      auto step = slice ? const_of(slice->stride) : nullptr;
      if (c.start && i && (step || !slice)) c.start->add(*i, c.step);
      else c.start.reset();
      c.step = !slice ? 0 : step ? c.step * step->as_i64() : 1;
    }
    return part;
  }
  static std::vector<std::optional<Affine>> cells(const Coordinates& part) {
    std::vector<std::optional<Affine>> out;
    for (const Coordinate& c : part) out.push_back(c.step == 0 ? c.start : std::nullopt);
    return out;
  }
};

}  // namespace

// Where row 0 of `where` lies in v, whose elements lie as far apart.
std::optional<Affine> Conflicts::first_row(const Place& where, const Place& v) const {
  if (v.block != where.block || v.layout.strides != where.layout.strides) return {};
  Affine distance = forms_.of(where.layout.offset) - forms_.of(v.layout.offset), row = forms_.of(where.layout.strides[0]);
  if (row == Affine(1)) return distance;
  if (row == Affine(0)) return {};
  i64 n = row.is_constant() ? distance.constant / row.constant : distance.factor(row.terms[0].var) / row.terms[0].factor;
  return distance == n * row ? std::optional(Affine(n)) : std::nullopt;
}

// Arrays at one place have the same coordinates, those of rows before or after it shifted ones. Elements at different ones are different if
// the rows are equally long.
std::optional<Overlap> Conflicts::overlap(Var v, Var made, const Place& where, const Update* into) const {
  const ArrayType& t = *array(v);
  std::optional<Overlap> out;
  const ArrayType* whole = nullptr;
  if (same_place(*t.place, where)) out = Overlap{}, whole = array(made);
  else if (into && same_place(*t.place, *array(into->array)->place)) out = Overlap{into->at}, whole = array(into->array);
  else if (auto first = first_row(where, *t.place)) out = Overlap{{}, *first}, whole = array(made);
  if (!out || !std::equal(t.shape.begin() + 1, t.shape.end(), whole->shape.begin() + 1, whole->shape.end())) return {};
  for (const Dim& n : t.shape) if (auto size = var_of(n)) out->sizes.insert(*size);
  return out;
}

// Whether the result v of a statement that uses `names` may lie where they do. What starts as an array lies there. What a scope makes beside its
// accumulators does not, if its body cannot see `names`.
bool Conflicts::may_be_there(const Stm& s, Var v, const VarSet& names) const {
  if (auto start = origins_.starts_as(s, v)) return names.contains(*var_of(*start));
  auto scope = std::get_if<WithAcc>(&s.exp);
  return may_alias(s.exp) && !(scope && !mentions(p_, scope->scope.body, names));
}

// Whether v lies in one part of a concatenation or literal, if in any, and `made` in another one.
bool Conflicts::is_other_part(const Candidates& c, Var made, Var v) const {
  auto start = c.started_as.find(v);
  auto own = c.consumer.find(made), other = c.consumer.find(start == c.started_as.end() ? v : start->second);
  return own != c.consumer.end() && other != c.consumer.end() && own->second.stm == other->second.stm && own->second.part != other->second.part;
}

// Whether the loops lose nothing if their iterations run in order: neither lanes nor sums.
static bool may_keep_order(const Stm& s) {
  auto loop = std::get_if<For>(&s.exp);
  bool straight = loop && loop->any_order && loop->any_order->empty();
  if (straight) each_stm(loop->body, [&](const Stm& inner) { walk_parts(inner, [&](const Body&) { straight = false; }); });
  return straight;
}

bool Conflicts::may_lie_there(const Candidates& c, Var made, size_t from, size_t to, const Place& where, const Update* into) const {
  VarSet names;
  names.insert(made);
  std::vector<For*> in_order;
  bool written = false;                                  // some of it, before statement k
  for (size_t k = from; k < c.stms.size(); k++) {
    Stm& s = *c.stms[k];
    bool uses = false;
    for (Var v : c.uses[k]) {
      if (names.contains(v)) { uses = true; continue; }
      if (k >= to || !array(v) || !array(v)->place || !may_be_one(array(v)->place->block, where.block)) continue;
      if (is_other_part(c, made, v)) continue;
      auto there = written ? std::nullopt : overlap(v, made, where, into);
      if (!there) return false;
      auto reads_first = [&](bool kept) { return Touched(p_, origins_, forms_, s, names, v, *there, kept).reads_first(there->sizes); };
      if (reads_first(false)) continue;
      if (!may_keep_order(s) || !reads_first(true)) return false;
      in_order.push_back(&std::get<For>(s.exp));
    }
    written = written || uses || (k == from && !std::holds_alternative<Scratch>(s.exp));
    if (k == from || k == to || !uses) continue;
    if (k > to) return false;
    for (Bind b : s.pattern)
      if (array(b.var) && may_be_there(s, b.var, names)) names.insert(b.var);
  }
  size_t results = 0;
  for (const Atom& a : c.result) results += var_of(a) && names.contains(*var_of(a));
  if (results > (to == c.stms.size() ? 1 : 0)) return false;
  for (For* loop : in_order) loop->any_order.reset();
  return true;
}

}  // namespace raido::placement
