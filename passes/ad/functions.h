// functions.h - derivatives of functions that are called: derived once for each set of what varies (docs/ad.md 2.5).
#pragma once
#include <map>
#include <set>

#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido::ad {

// What is done to a lambda. Code that an operator around this one differentiates again keeps functions that have rules
// of their own recognisable.
struct Mode {
  bool forward, enclosed;
  const std::optional<ir::Lambda>& rule(const ir::Custom& x) const { return forward ? x.jvp : x.vjp; }
  friend auto operator<=>(const Mode&, const Mode&) = default;
};

// A derived function of a recursive one calls itself: it has its place before it has its body.
class Functions {
 public:
  Functions(ir::Program& p, PassContext& c) : program(p), context(c) {}
  ir::Program& program;
  PassContext& context;
  using Which = std::vector<bool>;

  // Which results of f vary with these arguments.
  Which varied(ir::FunId f, const Which& args, const Mode& mode);
  // Takes what f takes, then tangents of these arguments; gives f's results, then the tangents of those that vary.
  ir::FunId forward(ir::FunId f, const Which& args, const Mode& mode);
  // Takes what f takes, then `sizes` among f's results, then adjoints of the results `seeds`; gives adjoints of these arguments.
  ir::FunId backward(ir::FunId f, const Which& args, const Which& seeds, const Mode& mode);
  std::vector<size_t> sizes(ir::FunId f, const Which& seeds) const;

 private:
  using Key = std::tuple<ir::FunId, Which, Which, Mode>;
  std::map<Key, ir::FunId> forward_, backward_;
  std::map<Key, Which> varied_, guesses_;      // finished, and while one that calls itself is looked at
  std::set<Key> seen_;
  bool guessing_ = false, changed_ = false;

  Which guess(const Key& key);
  std::vector<ir::Type> renamed_returns(ir::FunId f, const ir::Subst& renamed) const;
  ir::FunId declare(ir::FunId f, const std::string& suffix, std::vector<ir::Bind> params, std::vector<ir::Type> returns);
};

}  // namespace raido::ad
