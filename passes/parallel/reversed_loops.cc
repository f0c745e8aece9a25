// reversed_loops.cc - CPU: a loop whose array is only wanted back to front stores it so.
//
//   ys = for i < n (s = scratch [n]) {                       zs = for i < n (s = scratch [n]) {
//     .. s' = s with [i] = y in s'                  ==>        .. s' = s with [(n - 1) - i] = y in s'                                          Y1
//   }                                                        }
//   zs = ys[n - 1 :: -1]
//
// The array then lies where it is wanted, as a row of a result, and is not copied there. So adjoints of scans, which run back to front, and sums of all
// that comes after an element need no copy. Loops whose iterations do not wait for each other stay: they may become lanes.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class ReversedLoops {
 public:
  ReversedLoops(Program& p, PassContext& context) : p_(p), context_(context), forms_(p) {}

  void body(Body& whole) {
    for (Stm& s : whole.stms) {
      forms_.define(p_, s);
      walk_parts(s, [&](Body& inner) { body(inner); });
    }
    std::unordered_map<Var, Var> reversed;                 // the result of a loop, and what it is back to front
    for (const Stm& view : whole.stms)
      if (auto from = reverses(view); from && count_uses(p_, whole, *from) == 1) reversed.emplace(*from, view.pattern[0].var);
    if (reversed.empty()) return;
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto loop = std::get_if<For>(&s.exp);
      for (size_t k = 0; loop && k < s.pattern.size(); k++) {
        auto found = reversed.find(s.pattern[k].var);
        Update* store = found == reversed.end() ? nullptr : only_store(*loop, k);
        if (!store || !context_.allow()) continue;
        const Atom last = (b.term(loop->n) - b.number(Scalar::I64, 1)).atom;
        Body before = b.body([&] { return std::vector<Atom>{(b.term(last) - b.term(loop->i.var)).atom}; });
        store->at[0] = before.result[0];
        loop->body.stms.splice(0, std::move(before.stms));
        results.emplace(found->second, s.pattern[k].var);
        context_.stats.count("reversed_loops.Y1");
      }
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Forms forms_;

  // The array that the statement reads back to front, all of it.
  std::optional<Var> reverses(const Stm& s) const {
    auto x = std::get_if<Index>(&s.exp);
    auto slice = x && x->at.size() == 1 && s.checks.empty() ? std::get_if<Slice>(&x->at[0]) : nullptr;
    if (!slice || !is_const(slice->stride, -1) || slice->count != std::get<ArrayType>(p_.type(x->array)).shape[0]) return {};
    return forms_.of(slice->start) == forms_.of(slice->count) - 1 ? std::optional(x->array) : std::nullopt;
  }
  // The store of element i, a whole row, if that is all that happens to a state which has an element for each iteration.
  Update* only_store(For& x, size_t state) const {
    const Var v = x.state[state].var;
    auto type = std::get_if<ArrayType>(&p_.type(v));
    const bool waits = !x.any_order && std::ranges::any_of(x.state, [&](Bind b) { return is_scalar(p_.type(b.var)); });
    if (!waits || !type || type->shape[0] != x.n || x.budget || x.slots || count_uses(p_, x.body, v) != 1) return nullptr;
    for (Stm& s : x.body.stms) {
      auto update = std::get_if<Update>(&s.exp);
      if (!update || update->array != v) continue;
      const Var next = s.pattern[0].var;
      return update->at == std::vector<Selector>{Atom(x.i.var)} && x.body.result[state] == Atom(next) && count_uses(p_, x.body, next) == 1 ? update : nullptr;
    }
    return nullptr;
  }
};

}  // namespace

void reversed_loops(Program& program, PassContext& context) {
  ReversedLoops pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
