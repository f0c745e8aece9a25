// records.cc - of arrays that a loop records in every iteration only the rows and columns that are read.
//
//   let r = scratch [n, m, n]                      let c = scratch [n, m]
//   let rs = for i < n (.., r1 = r) {              let cs = for i < n (.., c1 = c) {
//     let r2 = update r1 [i] a                       let col = index a [0 +: m, i]
//     ..                                      ==>    let c2 = update c1 [i] col ..
//   }                                              }
//   .. for k < n (..) {                            .. for k < n (..) {
//     let i = sub [n - 1, k]                         let i = sub [n - 1, k]
//     .. index rs [i, j, i] ..                       .. index cs [i, j] ..
//   }                                              }
//
// An elimination is such a loop: from step i of a matrix it reads row i and column i. Its return sweep (docs/ad.md 7.2) then needs
// n * n numbers instead of n * n * n. In each read one index after the first must have the form of the first, in one of at most two
// dimensions. These have as many elements as the loop has iterations, so the row is there in each iteration.
//
//   let r, q = scratch [n, ..]                       let w = update (scratch [n + 1, ..]) [0] a
//   let x, rs, qs = for i < n (s = a, r1 = r,        let x, ws = for i < n (s = a, w1 = w) {
//                              q1 = q) {
//     let r2 = update r1 [i] s
//     let t = tanh s ..                        ==>     let t = tanh s ..
//     let q2 = update q1 [i] t                         let w2 = update w1 [i + 1] t
//     in t, r2, q2                                     in t, w2
//   }                                                }
//                                                    let rs = index ws [0 +: n] ; let qs = index ws [1 +: n]
//
// What an iteration makes of a state is the state of the next one. So a record of the one and a record of the other are the same rows.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/build.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Records {
 public:
  Records(Program& p, PassContext& context) : p_(p), context_(context), forms_(p), aliases_(p), consumed_(aliases_.own_memory()) {
    p.each_body([&](Body& b) {
      each_use(p, b, [&](Var v) { uses_[v]++; });
      each_stm(b, [&](Stm& s) {
        if (auto x = std::get_if<Index>(&s.exp)) reads_[x->array].push_back(x);
      });
    });
  }

  void body(Body& b) {
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& stms) {
      for (auto& s : stms.take()) {
        walk_parts(*s, [&](Body& inner) { body(inner); });
        List<Stm> after;
        if (auto loop = std::get_if<For>(&s->exp)) {
          out.source = s->source;
          for (size_t k = 0, n = loop->state.size(); k < n; k++) record(out, *s, *loop, k);
          for (size_t k = 0, n = loop->state.size(); k < n; k++) next_states(out, *s, *loop, k, after);
        }
        out.emit(std::move(s));
        for (auto& made : after.take()) out.emit(std::move(made));
      }
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Forms forms_;
  Aliases aliases_;
  VarSet consumed_;                                        // roots
  std::unordered_map<Var, size_t> uses_;
  std::unordered_map<Var, std::vector<Index*>> reads_;

  // The statement that writes row i of state number k, which nothing else does or reads.
  std::optional<size_t> recording(const For& loop, size_t k) {
    const Var state = loop.state[k].var;
    for (size_t at = 0; at < loop.body.stms.size(); at++) {
      const Stm& s = loop.body.stms[at];
      auto x = std::get_if<Update>(&s.exp);
      if (x && x->array == state && x->at == std::vector<Selector>{loop.i.var} && loop.body.result[k] == Atom(s.pattern[0].var) &&
          uses_[state] == 1 && uses_[s.pattern[0].var] == 1)
        return at;
    }
    return {};
  }
  // State number k, if it is a record that can be replaced. `out` makes what stands before the loop.
  void record(Builder& out, Stm& s, For& loop, size_t k) {
    const Var whole = s.pattern[k].var, state = loop.state[k].var;
    const std::vector<Dim> shape = shape_of(p_.type(whole));
    auto& stms = loop.body.stms;
    const std::optional<size_t> found_at = recording(loop, k);
    if (!found_at || shape.size() < 2 || shape[0] != loop.n) return;
    const size_t at = *found_at;
    const std::vector<Index*>& reads = reads_[whole];
    if (reads.empty() || uses_[whole] != reads.size()) return;
    std::set<size_t> dims;                                 // those in which reads are at the number of the iteration
    auto fits = [&](const Index& x, size_t d) {
      auto first = std::get_if<Atom>(&x.at[0]), other = std::get_if<Atom>(&x.at[d]);
      return first && other && shape[d] == loop.n && forms_.of(*first) == forms_.of(*other);
    };
    auto dimension = [&](const Index& x) {                 // one of `dims` if possible; none: 0
      size_t found = 0;
      for (size_t d = x.at.size(); d-- > 1;)
        if (fits(x, d) && (!dims.contains(found) || dims.contains(d))) found = d;
      return found;
    };
    auto choices = [&](const Index& x) {
      size_t count = 0;
      for (size_t d = 1; d < x.at.size(); d++) count += fits(x, d);
      return count;
    };
    for (bool single : {true, false})
      for (Index* x : reads) if ((choices(*x) == 1) == single) dims.insert(dimension(*x));
    if (dims.contains(0) || dims.size() > 2 || !context_.allow()) return;
    context_.stats.count("records.parts");

    const Var a = *var_of(std::get<Update>(stms[at].exp).value);
    std::unordered_map<size_t, Var> made;                  // dimension -> the new record after the loop
    List<Stm> added;
    Builder inside(p_, added);
    inside.source = stms[at].source;
    for (size_t d : dims) {
      std::vector<Dim> kept = shape;
      kept.erase(kept.begin() + long(d));
      Var start = out.bind1(p_.hint(whole), Scratch{elem_of(p_, whole), kept});
      Var now = p_.fresh(p_.hint(state), p_.type(start)), end = p_.fresh(p_.hint(whole), p_.type(start));
      std::vector<Selector> part;
      for (size_t e = 1; e < d; e++) part.push_back(Slice{i64_const(0), shape[e], i64_const(1)});
      part.push_back(loop.i.var);
      Var value = inside.bind1(p_.hint(a), Index{a, part});
      Var next = inside.bind1(p_.hint(state), Update{now, {loop.i.var}, value});
      loop.state.push_back({now});
      loop.init.push_back(start);
      loop.body.result.push_back(next);
      s.pattern.push_back({end});
      made.emplace(d, end);
    }
    for (Index* x : reads) {
      size_t d = dimension(*x);
      x->array = made.at(d);
      x->at.erase(x->at.begin() + long(d));
    }
    stms.splice(at, std::move(added));
    // Nobody reads the old record: dead code.
  }

  // State number k, if it has a record and what becomes of it has one, too. `after` makes both of one record after the loop.
  void next_states(Builder& out, Stm& s, For& loop, size_t k, List<Stm>& after) {
    const Var state = loop.state[k].var;
    auto record_of = [&](const Atom& value) -> std::optional<size_t> {
      for (size_t r = 0; r < loop.state.size(); r++) {
        const Var whole = s.pattern[r].var;
        auto at = recording(loop, r);
        if (at && std::get<Update>(loop.body.stms[*at].exp).value == value && shape_of(p_.type(whole))[0] == loop.n &&
            !reads_[whole].empty() && uses_[whole] == reads_[whole].size() && !aliases_.has_root_in(whole, consumed_))
          return r;
      }
      return {};
    };
    auto r = record_of(state), q = var_of(loop.body.result[k]) ? record_of(loop.body.result[k]) : std::nullopt;
    if (!r || !q || r == q) return;
    std::vector<Dim> shape = shape_of(p_.type(s.pattern[*r].var));
    if (shape != shape_of(p_.type(s.pattern[*q].var)) || !context_.allow()) return;
    context_.stats.count("records.next");
    shape[0] = (out.term(loop.n) + 1).atom;
    const Var whole = s.pattern[*r].var, start = out.bind1(p_.hint(whole), Scratch{elem_of(p_, whole), shape});
    loop.init.push_back(out.update(start, {i64_const(0)}, loop.init[k]));
    const Var now = p_.fresh(p_.hint(state) + "_rec", p_.type(start)), end = p_.fresh(p_.hint(whole), p_.type(start));
    loop.state.push_back({now});
    Builder inside(p_, loop.body.stms);
    inside.source = loop.body.stms[*recording(loop, *q)].source;
    loop.body.result.push_back(inside.update(now, {(inside.term(loop.i.var) + 1).atom}, loop.body.result[k]));
    s.pattern.push_back({end});
    for (auto [from, record] : {std::pair{0, *r}, {1, *q}}) {
      const Var old = std::exchange(s.pattern[record].var, p_.fresh(p_.hint(whole), p_.type(whole)));
      after.push_back({{{old}}, Index{end, {Slice{i64_const(from), loop.n, i64_const(1)}}}, {}, s.source, {}});
    }
  }
};

}  // namespace

void records(Program& program, PassContext& context) {
  Records pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
