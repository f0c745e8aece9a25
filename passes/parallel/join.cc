// join.cc - devices: kernels of one body over the same points become one kernel, at the place of the first.
//
//   F17  let ys = seg grid (i < n) { f }                let ys, zs = seg grid (i < n) { f; g [f's result for ys[i]] }
//        let zs = seg grid (j < n) { g [ys[j]] }   ==>
//   F18  copy, replicate or iota beside it         ==>  one more result
//   F19  update a [k] ys, where ys has other uses,
//        or was not made here                      ==>  update a [k] zs, zs one more result, which `place` builds there
//
// Each launch costs as much as work on some thousand elements. A kernel moves up together with the scalar code that it needs. It reads
// what it would have read later: an array that it uses is not overwritten before that. It stays where it is if what it makes belongs into
// an array that is used in between: it could not be built there.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "passes/memory/place_origins.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

bool is_heavy(const Body& b) {
  bool found = false;
  each_stm(b, [&](const Stm& s) { found |= kind_of(s.exp) == Kind::Loop; });
  return found;
}
// What may be computed sooner, since all it needs is.
bool is_movable(const Stm& s) {
  Kind k = kind_of(s.exp);
  return k == Kind::Step || k == Kind::View || k == Kind::Read || k == Kind::Check;
}

// Those that have joined others. `Origins` looks at them for the bodies around, too.
using Statements = std::vector<std::unique_ptr<Stm>>;

class BodyJoin {
 public:
  BodyJoin(Program& p, PassContext& c, const Aliases& aliases, placement::Origins& origins, Statements& joined)
      : p_(p), c_(c), aliases_(aliases), origins_(origins), joined_(joined) {}

  void run(Body& b) {
    uses_.add(p_, b);
    for (const Stm& s : b.stms)
      if (auto x = std::get_if<Update>(&s.exp)) if (auto v = var_of(x->value)) updates_.emplace(*v, &s);
    for (auto& s : b.stms.take()) {
      if (std::holds_alternative<Update>(s->exp)) update(std::move(s));
      else statement(std::move(s));
    }
    for (const Group& g : groups_)
      if (g.update && !g.joined) {                       // nothing is gained by this copy
        std::get<Update>(g.update->exp).value = std::get<Copy>(nodes_[g.node].stm->exp).array;
        nodes_[g.node].stm = nullptr;
      }
    std::ranges::stable_sort(nodes_, {}, &Node::at);
    for (Node& n : nodes_) if (n.stm) b.stms.push_back(std::move(n.stm));
  }

 private:
  struct Node {
    std::unique_ptr<Stm> stm;                            // none: it has joined another
    size_t at;                                           // odd; even: before the statement at the next place
  };
  struct Group {
    size_t node;
    std::vector<Dim> extent;
    bool joined = false;
    Stm* update = nullptr;                               // for which the first copy was made
  };
  Program& p_;
  PassContext& c_;
  const Aliases& aliases_;
  placement::Origins& origins_;
  Statements& joined_;
  Uses uses_;
  std::unordered_multimap<Var, const Stm*> updates_;     // by their values
  std::vector<Node> nodes_;
  std::unordered_map<Var, size_t> made_;                 // by which node
  std::vector<Group> groups_;
  std::vector<size_t> moving_;

  size_t add(std::unique_ptr<Stm> s) {
    for (Bind b : s->pattern) made_[b.var] = nodes_.size();
    nodes_.push_back({std::move(s), 2 * nodes_.size() + 1});
    return nodes_.size() - 1;
  }
  void statement(std::unique_ptr<Stm> s) {
    auto extent = points(*s);
    size_t node = add(std::move(s));
    if (!extent || join(node, *extent)) return;
    groups_.push_back({node, *extent});
  }
  void update(std::unique_ptr<Stm> s) {
    Update& x = std::get<Update>(s->exp);
    auto y = var_of(x.value);
    if (!y || !is_array(p_.type(*y)) || aliases_.may_alias(*y, x.array) || is_made_for_it(*y)) { add(std::move(s)); return; }
    Var copied = p_.fresh(p_.hint(*y), p_.type(*y));
    updates_.emplace(copied, s.get());
    size_t node = add(std::make_unique<Stm>(Stm{{{copied}}, Copy{*y}, {}, s->source, {}}));
    x.value = copied;
    if (std::vector<Dim> extent = shape_of(p_.type(*y)); join(node, extent)) c_.stats.count("join.F19");
    else groups_.push_back({node, extent, false, s.get()});
    add(std::move(s));
  }
  // Whether `place` can build it there without our help.
  bool is_made_for_it(Var y) {
    if (uses_.of(y) != 1 || !made_.contains(y)) return false;
    Var start = origins_.of(y, origins_.depth(y));
    return made_.contains(start) && origins_.creates(start);
  }

  // The points of a kernel that makes an element of its results at each.
  std::optional<std::vector<Dim>> points(const Stm& s) const {
    if (!s.attrs.empty() || !aliases_.consumed(s).empty()) return {};
    if (std::holds_alternative<Copy>(s.exp)) return shape_of(p_.type(s.pattern[0].var));
    if (auto x = std::get_if<Replicate>(&s.exp); x && is_scalar(p_.type(x->value))) return x->shape;
    if (auto x = std::get_if<Iota>(&s.exp); x && elem_of(p_, x->start) == Scalar::I64) return std::vector<Dim>{x->n};
    auto x = std::get_if<Seg>(&s.exp);
    bool is_map = x && x->level == SegLevel::Grid && !x->collective && x->reduces.empty() && x->scans.empty() && x->dests.empty() &&
                  x->post.params.empty() && x->post.body.result.empty() && x->post_reduces.empty() && !x->parts;
    if (!is_map || std::ranges::any_of(s.pattern, [&](Bind b) { return !is_array(p_.type(b.var)); })) return {};
    return x->extent;
  }
  // The same as a seg.
  Seg seg_of(const Stm& s) {
    if (auto x = std::get_if<Seg>(&s.exp)) return *x;
    Seg out{SegLevel::Grid, {}, *points(s), {}, {}, {}, {}, {}, {}};
    Builder b(p_, out.body.stms);
    b.source = s.source;
    std::vector<Atom> at;
    for (size_t d = 0; d < out.extent.size(); d++) out.index.push_back({p_.fresh("i", scalar_type(Scalar::I64))});
    for (Bind i : out.index) at.push_back(i.var);
    out.body.result = {match(s.exp,
      [&](const Copy& x) { return b.index(p_.hint(x.array), x.array, at); },
      [&](const Replicate& x) { return x.value; },
      [&](const Iota& x) -> Atom { return b.bind1("at", Apply{ScalarOp::add, {x.start, b.bind1("step", Apply{ScalarOp::mul, {x.step, at[0]}})}}); },
      [](const auto&) -> Atom { PANIC("no kernel over points"); })};
    return out;
  }

  bool join(size_t node, const std::vector<Dim>& extent) {
    for (Group& g : reversed(groups_))
      if (g.extent == extent && can_join(g, node) && c_.allow()) {
        merge(g, node);
        return true;
      }
    return false;
  }
  bool can_join(const Group& g, size_t node) {
    const Stm &first = *nodes_[g.node].stm, &s = *nodes_[node].stm;
    const size_t place = nodes_[g.node].at;
    auto seg = std::get_if<Seg>(&s.exp), before = std::get_if<Seg>(&first.exp);
    if (first.pattern.size() + s.pattern.size() > costs::gpu::joined_results) return false;
    if (seg && before && is_heavy(seg->body) && is_heavy(before->body)) return false;
    moving_.clear();
    bool possible = true;
    std::unordered_map<Var, size_t> read;                // results of the group -> how often
    each_use(p_, s, [&](Var v) {
      if (binds(first, v)) read[v]++;
      else possible = possible && is_there(v, g.node);
    });
    for (auto [v, times] : read) possible = possible && (seg ? own_reads(*seg, v).size() : std::holds_alternative<Copy>(s.exp)) == times;
    for (Bind b : s.pattern)
      for (auto [x, end] = updates_.equal_range(b.var); x != end; x++) {
        each_use(p_, x->second->exp, [&](Var v) { possible = possible && (v == b.var || is_there(v, g.node)); });
        possible = possible && is_free(std::get<Update>(x->second->exp).array, place, nodes_[node].at);
      }
    return possible;
  }
  // Whether v is known where the group's kernel stands, if the statements in moving_ move there.
  bool is_there(Var v, size_t group) {
    auto made = made_.find(v);
    if (made == made_.end() || nodes_[made->second].at < nodes_[group].at) return true;
    size_t n = made->second;
    if (n == group || !nodes_[n].stm || !is_movable(*nodes_[n].stm)) return false;
    if (std::ranges::find(moving_, n) != moving_.end()) return true;
    moving_.push_back(n);
    bool all = true;
    each_use(p_, *nodes_[n].stm, [&](Var u) { all = all && is_there(u, group); });
    return all;
  }
  // Whether nobody between these places uses the memory of the array.
  bool is_free(Var array, size_t from, size_t to) const {
    for (size_t n = 0; n < nodes_.size(); n++) {
      if (!nodes_[n].stm || nodes_[n].at <= from || nodes_[n].at >= to || std::ranges::find(moving_, n) != moving_.end()) continue;
      bool used = false;
      each_use(p_, *nodes_[n].stm, [&](Var v) { used = used || (is_array(p_.type(v)) && aliases_.may_alias(v, array)); });
      if (used) return false;
    }
    return true;
  }
  // The statements that read of v the element of their own point.
  std::vector<Stm*> own_reads(const Seg& x, Var v) const {
    std::vector<Stm*> out;
    each_stm(x.body, [&](const Stm& s) {
      auto read = std::get_if<Index>(&s.exp);
      if (read && read->array == v && is_scalar(p_.type(s.pattern[0].var)) &&
          std::ranges::equal(read->at, x.index, [](const Selector& at, Bind i) { return at == Selector(Atom(i.var)); }))
        out.push_back(const_cast<Stm*>(&s));
    });
    return out;
  }

  void merge(Group& g, size_t node) {
    for (size_t n : moving_) nodes_[n].at = nodes_[g.node].at - 1;
    Stm &first = *nodes_[g.node].stm, &s = *nodes_[node].stm;
    c_.stats.count(std::holds_alternative<Seg>(s.exp) ? "join.F17" : "join.F18");
    if (!std::holds_alternative<Seg>(first.exp)) first.exp = seg_of(first);
    Seg &all = std::get<Seg>(first.exp), more = seg_of(s);
    for (size_t k = 0; k < first.pattern.size(); k++)
      for (Stm* read : own_reads(more, first.pattern[k].var)) read->exp = Identity{all.body.result[k]};
    Subst same;
    for (size_t d = 0; d < all.index.size(); d++) same.emplace(more.index[d].var, all.index[d].var);
    substitute(p_, more.body, same);
    all.body.stms.splice(all.body.stms.size(), std::move(more.body.stms));
    all.body.result.insert(all.body.result.end(), more.body.result.begin(), more.body.result.end());
    first.pattern.insert(first.pattern.end(), s.pattern.begin(), s.pattern.end());
    first.checks.insert(first.checks.end(), s.checks.begin(), s.checks.end());
    for (Bind b : s.pattern) made_[b.var] = g.node;
    joined_.push_back(std::move(nodes_[node].stm));
    g.joined = true;
  }
};

void join_all(Program& p, PassContext& c, const Aliases& aliases, placement::Origins& origins, Statements& joined, Body& b) {
  for (Stm& s : b.stms)
    if (!std::holds_alternative<Seg>(s.exp))             // kernels run the operators of accumulators, too
      walk_parts(s, overloaded{[&](Body& inner) { join_all(p, c, aliases, origins, joined, inner); }, [](Dest&) {}});
  BodyJoin(p, c, aliases, origins, joined).run(b);
}

}  // namespace

void join(Program& program, PassContext& context) {
  const Aliases aliases(program);
  placement::Origins origins(program);
  Statements joined;
  program.each_body([&](Body& b) { join_all(program, context, aliases, origins, joined, b); });
}

}  // namespace raido
