// apart.cc - see apart.h.
#include "passes/memory/apart.h"

#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"

namespace raido {

using namespace ir;

ApartLoops::ApartLoops(const Program& p, const BlockAliases& aliases, const Body& whole) : p_(p), aliases_(aliases), positions_(p, whole) {
  each_stm(whole, [&](const Stm& s) {
    auto scope = std::get_if<WithAcc>(&s.exp);
    for (size_t d = 0; scope && d < scope->dests.size(); d++) {
      const Dest& dest = scope->dests[d];
      auto a = std::get_if<ArrayType>(&p.type(dest.arrays[0]));
      if (!dest.combine && dest.arrays.size() == 1 && size_t(dest.rank) == a->shape.size() && a->place) written_.emplace(scope->scope.params[d].var, *a->place);
    }
  });
}

class ApartLoops::Iterations {
 public:
  Iterations(const ApartLoops& all, Var i, const Body& body) : all_(all), p_(all.p_), i_(i), body_(body) {
    for (const Stm& s : body.stms) if (s.pattern.size() == 1) forms_.define(p_, s);
    each_bind(body, [&](Var v) { if (forms_.of(v) == Affine(v)) varies_.insert(v); });
  }

  // Numbers go from one iteration to the next in any order or not at all; each array of the state gets one element, at a place that moves.
  bool of(const For& x) {
    for (Bind b : x.state) varies_.insert(b.var);
    for (size_t k = 0; k < x.state.size(); k++) {
      const Type& t = p_.type(x.state[k].var);
      if (std::holds_alternative<BlockType>(t) || (is_scalar(t) && !x.any_order)) return false;
      if (is_scalar(t) || std::holds_alternative<CheckType>(t)) continue;
      auto store = store_of(x.body.result[k], x.state[k].var);
      if (!store || !moves(store->at)) return false;
      stores_.push_back(std::move(*store));
    }
    return alone();
  }
  // A task stores its results after all that it reads.
  bool of(const Stm& s, const Seg& x) {
    if (x.level != SegLevel::Task || x.index.size() != 1 || !x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty() || !x.dests.empty()) return false;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      auto made = std::get_if<ArrayType>(&p_.type(s.pattern[k].var));
      if (!made || !made->place || !is_scalar(p_.type(x.body.result[k]))) return false;
      stores_.push_back({nullptr, *made->place, {}});
    }
    return alone();
  }

 private:
  const ApartLoops& all_;
  const Program& p_;
  Var i_;
  const Body& body_;
  Forms forms_;
  VarSet varies_;                                // from iteration to iteration, by no fixed number
  struct Stored { const Stm* by; Place place; std::vector<Selector> at; };   // by nobody: after the iterations
  std::vector<Stored> stores_;
  size_t reads_ = 0;                             // of other places than those that are stored
  bool gathers_ = false;                         // one of these reads is at a place that C compilers cannot follow, or may be hidden from them as it goes back

  // How the next version of a state is made: an element of the array is another one.
  std::optional<Stored> store_of(const Atom& result, Var state) const {
    for (const Stm& s : body_.stms) {
      if (s.pattern.size() != 1 || Atom(s.pattern[0].var) != result) continue;
      if (auto x = std::get_if<Update>(&s.exp); x && x->array == state && !x->in_place) {
        auto a = std::get_if<ArrayType>(&p_.type(state));
        return a && a->place ? std::optional(Stored{&s, *a->place, x->at}) : std::nullopt;
      }
      if (auto x = std::get_if<AccUpdate>(&s.exp); x && x->acc == state)
        if (auto found = all_.written_.find(std::get<AccType>(p_.type(state)).token); found != all_.written_.end())
          return Stored{&s, found->second, {x->at.begin(), x->at.end()}};
    }
    return {};
  }
  // By which number the index moves with the iteration.
  std::optional<i64> moves_by(const Selector& d) const {
    auto index = std::get_if<Atom>(&d);
    return !index ? std::nullopt : const_of(*index) ? std::optional<i64>(0) : stride(forms_.of(*index), i_, [&](Var v) { return varies_.contains(v); });
  }
  // Along one dimension the place moves with the iteration; along the others it moves by fixed numbers, or not.
  bool moves(const std::vector<Selector>& at) const {
    bool moves = false;
    for (const Selector& d : at) {
      auto by = moves_by(d);
      if (!by) return false;
      moves = moves || *by != 0;
    }
    return moves;
  }
  // Nobody else stores in these blocks, and there are more pairs of places than C compilers compare, or some that they cannot.
  bool alone() {
    for (size_t k = 0; k < stores_.size(); k++)
      for (size_t j = 0; j < k; j++) if (all_.aliases_.may_be_one(stores_[j].place.block, stores_[k].place.block)) return false;
    return only_these(body_) && (gathers_ || stores_.size() * reads_ + stores_.size() * (stores_.size() - 1) / 2 > costs::cpu::alias_tests);
  }
  // The other statements compute, or read what is stored nowhere; or the iteration's own place.
  bool only_these(const Body& b) {
    for (const Stm& s : b.stms) if (!is_one(s)) return false;
    return true;
  }
  bool is_one(const Stm& s) {
    if (has_attr(s.attrs, "trace")) return false;
    switch (kind_of(s.exp)) {
      case Kind::Step: return !std::holds_alternative<Tunable>(s.exp);
      case Kind::Constant: case Kind::View: return true;
      case Kind::Read: return reads(std::get<Index>(s.exp));
      case Kind::Write: return std::ranges::any_of(stores_, [&](const Stored& w) { return w.by == &s; });
      case Kind::Branch: return only_these(std::get<If>(s.exp).then_) && only_these(std::get<If>(s.exp).else_);
      case Kind::Check: {                                  // one that is the same in all iterations stands before the loop
        auto c = var_of(std::get<Assert>(s.exp).cond);
        return !c || !varies_.contains(*c);
      }
      case Kind::Loop: case Kind::Make: case Kind::Parallel: case Kind::Scope: case Kind::Operator: case Kind::Call: case Kind::Block: return false;
    }
    return false;
  }
  bool reads(const Index& x) {
    auto a = std::get_if<ArrayType>(&p_.type(x.array));
    auto own = [&](const Stored& w) {
      return w.by && a && a->place && a->place->block == w.place.block && all_.positions_.same(a->place->layout, x.at, w.place.layout, w.at);
    };
    const bool other = std::ranges::none_of(stores_, own);
    reads_ += other;
    gathers_ = gathers_ || (other && !stores_.empty() && std::ranges::any_of(x.at, [&](const Selector& d) { auto by = moves_by(d); return !by || *by < 0; }));
    return a && a->place && std::ranges::all_of(stores_, [&](const Stored& w) { return own(w) || !all_.aliases_.may_be_one(w.place.block, a->place->block); });
  }
};

bool ApartLoops::has(const For& loop) const { return Iterations(*this, loop.i.var, loop.body).of(loop); }
bool ApartLoops::has(const Stm& s, const Seg& task) const { return task.index.size() == 1 && Iterations(*this, task.index[0].var, task.body).of(s, task); }

}  // namespace raido
