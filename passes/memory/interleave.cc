// interleave.cc
//
//   let as = scratch f64 [n]  ..  let hs = scratch f64 [n]            one block of 8 n elements, as at 0, 8, 16 ..
//   let as', .., hs', x' = for i < n (.., x = x0) {                   .., hs at 7, 15, 23 ..
//     as[i] := x.0  ..  hs[i] := x.7  ..
//   }
//   for k < n { let j = n - 1 - k .. as'[j] .. hs'[j] .. }
//
// The pass takes what a loop records for the one back through it, if that is many scalars. One stream goes through memory instead
// of as many as there are arrays (decision 016). The arrays are only read, all in the same bodies at the same indices, and the
// loop has state beside them. So it runs one iteration after the other, and no vector unit wants an array's elements to be
// neighbours.
#include "passes/memory/interleave.h"

#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"

namespace raido {
using namespace ir;
namespace {


class Interleave {
 public:
  explicit Interleave(const Program& p) : p_(p) {
    p.each_body([&](const Body& b) {
      body(b);
      uses_.add(p, b);
    });
  }
  std::unordered_map<Var, Interleaved> run() {
    std::unordered_map<Var, Interleaved> out;
    p_.each_body([&](const Body& b) { groups(b, out); });
    return out;
  }

 private:
  using Reads = std::vector<std::pair<size_t, Atom>>;           // the body, the index

  const Program& p_;
  Uses uses_;
  VarMap<Reads> reads_;
  size_t bodies_ = 0;

  void body(const Body& b) {
    size_t here = bodies_++;
    for (const Stm& s : b.stms) {
      auto x = std::get_if<Index>(&s.exp);
      auto at = x && x->at.size() == 1 ? std::get_if<Atom>(&x->at[0]) : nullptr;
      if (at) reads_[x->array].emplace_back(here, *at);
      walk_parts(s, [&](const Body& inner) { body(inner); });
    }
  }
  // The index at which the loop writes its state k, if that is all it does to it. The state starts from an array of scalars that
  // nobody else uses.
  std::optional<Atom> filled_at(const Body& b, const Stm& s, const For& loop, size_t k) const {
    auto init = var_of(loop.init[k]), last = var_of(loop.body.result[k]);
    Var state = loop.state[k].var, out = s.pattern[k].var;
    if (!init || !last || !is_array(p_.type(state)) || shape_of(p_.type(state)).size() != 1) return {};
    bool fresh = false;
    for (const Stm& x : b.stms) fresh = fresh || (std::holds_alternative<Scratch>(x.exp) && x.pattern[0].var == *init);
    if (!fresh || uses_.of(*init) != 1 || uses_.of(state) != 1 || uses_.of(*last) != 1 || uses_.of(out) != reads_[out].size()) return {};
    for (const Stm& x : loop.body.stms) {
      auto update = std::get_if<Update>(&x.exp);
      if (!update || update->array != state || x.pattern[0].var != *last || update->at.size() != 1) continue;
      auto at = std::get_if<Atom>(&update->at[0]);
      return at && x.checks.empty() ? std::optional(*at) : std::nullopt;
    }
    return {};
  }
  void groups(const Body& b, std::unordered_map<Var, Interleaved>& out) const {
    for (const Stm& s : b.stms) {
      walk_parts(s, [&](const Body& inner) { groups(inner, out); });
      auto loop = std::get_if<For>(&s.exp);
      if (!loop || may_mix(*loop)) continue;
      std::vector<std::vector<size_t>> sets;
      size_t filled = 0;
      std::vector<std::optional<Atom>> at;
      for (size_t k = 0; k < loop->state.size(); k++) {
        at.push_back(filled_at(b, s, *loop, k));
        if (!at[k]) continue;
        filled++;
        auto alike = [&](const std::vector<size_t>& set) {
          Var x = s.pattern[set[0]].var, y = s.pattern[k].var;
          return at[set[0]] == at[k] && elem_of(p_.type(x)) == elem_of(p_.type(y)) && shape_of(p_.type(x)) == shape_of(p_.type(y)) && reads_[x] == reads_[y];
        };
        auto set = std::ranges::find_if(sets, alike);
        if (set == sets.end()) sets.push_back({k});
        else set->push_back(k);
      }
      if (filled == loop->state.size()) continue;
      for (const std::vector<size_t>& set : sets) {
        if (set.size() < costs::cpu::interleaved_streams) continue;
        for (size_t n = 0; n < set.size(); n++)
          out.emplace(*var_of(loop->init[set[n]]), Interleaved{*var_of(loop->init[set[0]]), int64_t(n), int64_t(set.size())});
      }
    }
  }
};

}  // namespace

std::unordered_map<Var, Interleaved> interleaved(const Program& p) { return Interleave(p).run(); }

}  // namespace raido
