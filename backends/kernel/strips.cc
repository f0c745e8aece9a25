// strips.cc - loops that add to neighbouring places, such as gradients of stencils.
//
//   for i in from .. to { A; a[i] += x; a[i + 1] += y }
//     ==>
//   base = from
//   while (base + W <= to) {                                          W = 32, then 8
//     for l < W { i = base + l; A; xs[l] = x; ys[l] = y }
//     for l < W { a[base + l + 1] += ys[l] }
//     for l < W { a[base + l] += xs[l] }
//     base += W
//   }
//   for i in base .. to { A; a[i] += x; a[i + 1] += y }               the last iterations
//
// A branch in A may choose numbers. An iteration reads what the one before it has added, so a C compiler makes no vectors of the loop. Each of
// the loops over a strip is one.
// The core program says that what iterations add may be added in any order, and that they do not read these arrays (`sums`). Places
// further on come first: so each element gets what is added to it in the order of iterations, and the sums are the same to the last bit.
#include "backends/kernel/strips.h"

#include <algorithm>
#include <map>

#include "backends/kernel/loop_parts.h"
#include "backends/kernel/walk.h"
#include "compiler/base/match.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

class Strips {
 public:
  Strips(Module& m, const For& loop) : m_(m), loop_(loop) {}

  // Whether strips pay. Finds what is added where.
  bool fits() {
    if (loop_.sums.memories.empty() || !loop_.reduced.empty() || loop_.scattered || loop_.lanes || loop_.spmd || loop_.group || loop_.unrolled || loop_.rest) return false;
    if (!chooses_only(loop_.body, false) || loop_.body.size() > costs::cpu::strip_statements) return false;
    auto from = m_.const_of(loop_.from), to = m_.const_of(loop_.to);
    if (from && to && to->as_i64() - from->as_i64() < widths().back()) return false;
    return find_updates() && updates_.size() <= costs::cpu::strip_updates && std::ranges::any_of(updates_, [&](const Update& u) {
      return std::ranges::count(updates_, u.memory, &Update::memory) > 1;
    });
  }

  // What stands in the place of the loop.
  Block run() {
    auto row = [&](const Update& u) { return std::ranges::find(updates_, u.at.terms, [](const Update& x) { return x.at.terms; }) - updates_.begin(); };
    for (Update& u : updates_) u.row = row(u);
    std::ranges::stable_sort(updates_, [](const Update& a, const Update& b) { return std::pair(a.row, -a.at.constant) < std::pair(b.row, -b.at.constant); });
    base_ = m_.name("base", Scalar::I64);
    Block out;
    out.push_back({Declare{base_, loop_.from}});
    for (Update& u : updates_) {
      u.strip = m_.memory("strip", m_.names[u.memory.index].type, ir::Space::Host);
      out.push_back({DeclareArray{u.strip, {m_.number(widths()[0])}}});
    }
    for (int64_t width : widths()) {
      Block strip;
      strip.push_back(computed(width));
      for (const Update& u : updates_) strip.push_back(added(u, width));
      out.push_back(while_whole(m_, base_, width, loop_.to, std::move(strip)));
    }
    out.push_back({last_iterations(m_, loop_, base_)});
    return out;
  }

 private:
  // Each strip ends with the sum of a vector for each of the numbers, which is too much for short ones.
  std::vector<int64_t> widths() const { return loop_.sums.numbers.empty() ? std::vector<int64_t>{32, 8} : std::vector<int64_t>{32}; }
  // A sum of multiples of what the loop does not change, a constant, and the counter.
  struct Place {
    std::map<uint32_t, int64_t> terms;
    int64_t constant = 0, counter = 0;
  };
  struct Update { Name memory; Place at; ExprId value; Name strip = {}; ptrdiff_t row = 0; };   // row: the first with such terms

  Module& m_;
  const For& loop_;
  Name base_;
  std::vector<Update> updates_;
  Block rest_;                                 // of the body, without the updates
  bool stores_ = false;                        // it stores something itself
  IdMap<Name, const Declare*> declared_;
  IdMap<Name, int> reads_;
  IdSet<Name> chosen_;                         // numbers that branches assign
  IdSet<Name> own_;                            // memories where each iteration stores at a place of its own

  // Whether it computes, and branches compute numbers.
  bool chooses_only(const Block& b, bool in_branch) {
    bool only = true;
    for (const Stm& s : b)
      only = only && match(s.node, [](const Declare&) { return true; }, [&](const Store&) { return !in_branch; },
        [&](const Assign& a) {
          if (in_branch) chosen_.insert(a.var);
          return !in_branch || std::ranges::none_of(loop_.sums.numbers, [&](const Reduced& r) { return r.var == a.var; });
        },
        [&](const If& x) { return chooses_only(x.then_, true) && chooses_only(x.else_, true); }, [](const auto&) { return false; });
    return only;
  }
  bool is_sum(Name memory) const { return std::ranges::count(loop_.sums.memories, memory) > 0 && !own_.contains(memory); }
  void count(ExprId e) {
    each_name(m_, e, [&](Name n) { reads_[n]++; });
  }
  const Declare* only_read_once(ExprId e) {
    auto n = std::get_if<Name>(&m_.exprs[e.index].node);
    return n && declared_[*n] && reads_[*n] == 1 ? declared_[*n] : nullptr;
  }
  void count(const Block& b) {
    for (const Stm& s : b)
      match(s.node, [&](const Declare& d) { declared_[d.var] = &d; if (d.init) count(*d.init); }, [&](const Store& st) { count(st.index); count(st.value); },
            [&](const Assign& a) { reads_[a.var] += chosen_.contains(a.var); count(a.value); },
            [&](const If& x) { count(x.cond); count(x.then_); count(x.else_); }, [](const auto&) {});
  }
  bool reads_sum(const Declare& d) const {
    auto load = d.init ? std::get_if<Load>(&m_.exprs[d.init->index].node) : nullptr;
    return load && is_sum(load->memory);
  }
  bool reads_sum(const Block& b) const {
    bool found = false;
    for (const Stm& s : b)
      found = found || match(s.node, [&](const Declare& d) { return reads_sum(d); }, [&](const If& x) { return reads_sum(x.then_) || reads_sum(x.else_); },
        [](const auto&) { return false; });
    return found;
  }

  // sum = old + value, where old is what was at the place, and nobody else reads the two.
  struct Addition { Name sum, old; ExprId value; };
  std::optional<Addition> addition(const Store& store) {
    const Declare* sum = only_read_once(store.value);
    auto add = sum && sum->init ? std::get_if<Prim>(&m_.exprs[sum->init->index].node) : nullptr;
    if (!add || add->op != ScalarOp::add || !is_float(add->at) || add->at == Scalar::F16) return {};
    for (size_t k = 0; k < 2; k++) {
      const Declare* old = only_read_once(add->args[k]);
      auto load = old && old->init ? std::get_if<Load>(&m_.exprs[old->init->index].node) : nullptr;
      if (load && load->memory == store.memory && load->index == store.index) return Addition{sum->var, old->var, add->args[1 - k]};
    }
    return {};
  }

  // False if the arrays are used in another way, or some place is not the next one in each iteration.
  bool find_updates() {
    count(loop_.body);
    IdSet<Name> dropped;
    for (const Stm& s : loop_.body) {
      auto store = std::get_if<Store>(&s.node);
      if (!store || !is_sum(store->memory)) continue;
      std::optional<Addition> added = addition(*store);
      if (!added) { own_.insert(store->memory); continue; }
      std::optional<Place> at = place(store->index);
      if (!at || at->counter != 1) return false;
      updates_.push_back({store->memory, *at, added->value});
      dropped.insert(added->sum);
      dropped.insert(added->old);
    }
    for (const Update& u : updates_) if (own_.contains(u.memory)) return false;
    for (const Stm& s : loop_.body) {
      bool fine = match(s.node,
        [&](const Declare& d) {
          if (dropped.contains(d.var)) return true;
          rest_.push_back(s);
          return !reads_sum(d);
        },
        [&](const If& x) {
          rest_.push_back(s);
          return !reads_sum(x.then_) && !reads_sum(x.else_);
        },
        [&](const Store& st) {
          if (is_sum(st.memory)) return true;
          rest_.push_back(s);
          return stores_ = true;
        },
        [&](const Assign& a) {
          rest_.push_back(s);
          return std::ranges::any_of(loop_.sums.numbers, [&](const Reduced& r) { return r.var == a.var && r.op == ScalarOp::add; });
        },
        [](const auto&) { return false; });
      if (!fine) return false;
    }
    drop_unread();
    return true;
  }
  // Names that only the places of updates were computed of. The last iterations still read them.
  void drop_unread() {
    reads_ = {};
    for (const Update& u : updates_) count(u.value);
    rest_.filter_backwards([&](Stm& s) {
      auto d = std::get_if<Declare>(&s.node);
      if (d && reads_[d->var] == 0) return false;
      if (d && d->init) count(*d->init);
      if (auto choice = std::get_if<If>(&s.node)) count(choice->cond), count(choice->then_), count(choice->else_);
      if (auto store = std::get_if<Store>(&s.node)) count(store->index), count(store->value);
      if (auto assign = std::get_if<Assign>(&s.node)) count(assign->value);
      return true;
    });
  }
  // Nothing of the loop's body.
  bool is_outside(ExprId e) {
    return !any_part(m_, e, [&](ExprId part) {
      auto n = std::get_if<Name>(&m_.exprs[part.index].node);
      return n ? *n == loop_.i || declared_[*n] : std::holds_alternative<Load>(m_.exprs[part.index].node);
    });
  }
  std::optional<Place> place(ExprId e) {
    if (auto c = m_.const_of(e)) return Place{{}, c->as_i64(), 0};
    if (is_outside(e)) return Place{{{e.index, 1}}, 0, 0};
    return match(m_.exprs[e.index].node,
      [&](Name n) -> std::optional<Place> {
        if (n == loop_.i) return Place{{}, 0, 1};
        return declared_[n]->init && !chosen_.contains(n) ? place(*declared_[n]->init) : std::nullopt;
      },
      [&](const Prim& p) -> std::optional<Place> {
        if (p.op == ScalarOp::add || p.op == ScalarOp::sub) return sum(place(p.args[0]), place(p.args[1]), p.op == ScalarOp::add ? 1 : -1);
        if (p.op != ScalarOp::mul) return {};
        for (size_t k : {0, 1})
          if (auto c = m_.const_of(p.args[k])) return sum(Place{}, place(p.args[1 - k]), c->as_i64());
        return {};
      },
      [](const auto&) -> std::optional<Place> { return {}; });
  }
  // a + times * b
  static std::optional<Place> sum(std::optional<Place> a, const std::optional<Place>& b, int64_t times) {
    if (!a || !b) return {};
    for (auto [term, n] : b->terms)
      if ((a->terms[term] += n * times) == 0) a->terms.erase(term);
    a->constant += b->constant * times;
    a->counter += b->counter * times;
    return a;
  }

  template <class F> Stm each(int64_t width, bool lanes, F f) {
    Name l = m_.name("l", Scalar::I64);
    For each{l, m_.number(0), m_.number(width), {}};
    f(m_.var(l), each.body);
    each.lanes = lanes;
    return {std::move(each)};
  }
  Stm computed(int64_t width) {
    Stm loop = each(width, !stores_, [&](ExprId l, Block& b) {
      if (reads_[loop_.i] > 0) b.push_back({Declare{loop_.i, m_.add(m_.var(base_), l)}});
      for (const Stm& s : rest_) b.push_back(s);
      for (const Update& u : updates_) b.push_back({Store{u.strip, l, u.value}});
    });
    std::get<For>(loop.node).reduced = loop_.sums.numbers;
    return loop;
  }
  Stm added(const Update& u, int64_t width) {
    return each(width, true, [&](ExprId l, Block& b) {
      ExprId at = m_.add(m_.var(base_), m_.number(u.at.constant));
      for (auto [term, n] : u.at.terms) at = m_.add(m_.mul(ExprId{term}, m_.number(n)), at);
      at = m_.add(at, l);
      Scalar t = m_.names[u.memory.index].type;
      b.push_back({Store{u.memory, at, m_.add(m_.expr({Load{u.memory, at}, t}), m_.expr({Load{u.strip, l}, t}))}});
    });
  }
};

}  // namespace

void add_in_strips(Module& m, Block& b) { rewrite_loops<Strips>(m, b); }

}  // namespace raido::kir
