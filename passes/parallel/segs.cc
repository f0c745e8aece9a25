// segs.cc - see segs.h.
#include "passes/parallel/segs.h"

#include <algorithm>

#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"

namespace raido {
using namespace ir;

bool is_seg_map(const Seg& x) {
  return x.reduces.empty() && x.scans.empty() && x.post_reduces.empty() && x.dests.empty() && x.post.params.empty() && x.post.body.result.empty();
}

bool can_be_chunked(const Program& p, const Stm& s, const Seg& x) {
  if (x.scans.empty()) return true;
  for (const Combine& c : x.scans)
    if (!c.shape.empty()) return false;
  for (Bind b : s.pattern)
    if (is_acc(p.type(b.var))) return false;
  return true;
}

bool fits_block(const Program& p, const std::vector<Combine>& ops) {
  int64_t bytes = 0;
  for (const Combine& c : ops) {
    if (!combines_scalars(p, c)) return false;
    for (const Atom& ne : c.neutral) bytes += bytes_of(elem_of(p, ne));
  }
  return !ops.empty() && bytes <= costs::gpu::shared_bytes;
}

namespace {

// Accumulators are written to, and hold nothing.
bool makes_scalars(const Program& p, const Body& b, bool or_updates) {
  auto is_fine = [&](const Type& t) { return is_scalar(t) || (or_updates && is_acc(t)); };
  bool fine = std::ranges::all_of(b.result, [&](const Atom& a) { return is_fine(p.type(a)); });
  each_stm(b, [&](const Stm& s) {
    bool view = std::holds_alternative<Index>(s.exp) || std::holds_alternative<Permute>(s.exp);
    for (Bind v : s.pattern) {
      const Type& t = p.type(v.var);
      fine = fine && (is_fine(t) || std::holds_alternative<CheckType>(t) || (view && is_array(t)));
    }
  });
  return fine;
}

}  // namespace

bool makes_only_scalars(const Program& p, const Body& b) { return makes_scalars(p, b, false); }
bool is_collective_scan(const Program& p, const Stm& s, const Seg& x) {
  if (x.level != SegLevel::Grid || x.parts || !x.reduces.empty() || !x.post_reduces.empty() || !x.dests.empty()) return false;
  bool fine = std::ranges::all_of(s.pattern, [&](Bind b) { return is_array(p.type(b.var)) || is_acc(p.type(b.var)); });
  return fine && fits_block(p, x.scans) && makes_only_scalars(p, x.body) && makes_scalars(p, x.post.body, true);
}

// Each component is combined by an operation of its own that commutes.
static bool commutes(const Program& p, const Combine& c) {
  size_t n = c.neutral.size();
  return c.op.body.stms.size() == n && std::all_of(c.op.body.stms.begin(), c.op.body.stms.end(), [&](const Stm& s) {
    auto x = std::get_if<Apply>(&s.exp);
    if (!x || x->args.size() != 2 || !is_commutative(x->op, elem_of(p, x->args[0]))) return false;
    size_t k = size_t(std::ranges::find(c.op.body.result, Atom(s.pattern[0].var)) - c.op.body.result.begin());
    if (k == n) return false;
    Atom a = c.op.params[k].var, b = c.op.params[n + k].var;
    return (x->args[0] == a && x->args[1] == b) || (x->args[0] == b && x->args[1] == a);
  });
}
bool all_commute(const Program& p, const std::vector<Combine>& ops) {
  return std::ranges::all_of(ops, [&](const Combine& c) { return c.commutative || commutes(p, c); });
}

Stm with_updates(Program& p, const Stm& s, Seg x) {
  WithAcc w{std::move(x.dests), {}};
  x.dests = {};
  std::vector<Var> accs;
  size_t indices = 0, values = 0, arrays = 0;
  for (const Dest& d : w.dests) {
    Var token = p.fresh("token", CheckType{});
    w.scope.params.push_back({token});
    accs.push_back(p.fresh("acc", dest_type(p, d, token)));
    indices += size_t(d.rank);
    values += d.arrays.size();
    arrays += d.arrays.size();
  }
  for (Var a : accs) w.scope.params.push_back({a});
  size_t others = x.body.result.size() - indices - values, at = others, value_at = others + indices;
  std::vector<Atom> result(x.body.result.begin(), x.body.result.begin() + ptrdiff_t(others));
  Builder inner(p, x.body.stms);
  inner.source = s.source;
  for (size_t k = 0; k < w.dests.size(); k++) {
    size_t rank = size_t(w.dests[k].rank), n = w.dests[k].arrays.size();
    auto begin = x.body.result.begin();
    AccUpdate u{accs[k], {begin + ptrdiff_t(at), begin + ptrdiff_t(at + rank)}, {begin + ptrdiff_t(value_at), begin + ptrdiff_t(value_at + n)}};
    at += rank;
    value_at += n;
    result.push_back(inner.bind1("acc", std::move(u)));
  }
  x.body.result = std::move(result);

  Stm seg{{}, {}, {}, s.source, s.attrs};
  size_t further = s.pattern.size() - arrays;
  for (size_t k = 0; k < further; k++) {
    Var v = p.fresh(p.hint(s.pattern[k].var), p.type(s.pattern[k].var));
    seg.pattern.push_back({v});
  }
  for (size_t k = 0; k < accs.size(); k++) {
    Var v = p.fresh("acc", p.type(accs[k]));
    seg.pattern.push_back({v});
    w.scope.body.result.push_back(v);
  }
  for (size_t k = 0; k < further; k++) w.scope.body.result.push_back(seg.pattern[k].var);
  seg.exp = std::move(x);
  w.scope.body.stms.push_back(std::move(seg));

  Stm out{{}, std::move(w), s.checks, s.source, s.attrs};
  out.pattern.assign(s.pattern.begin() + ptrdiff_t(further), s.pattern.end());
  out.pattern.insert(out.pattern.end(), s.pattern.begin(), s.pattern.begin() + ptrdiff_t(further));
  return out;
}

}  // namespace raido
