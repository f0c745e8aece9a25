// functions.h - functions that are called: each is derived once for each set of arguments that vary (docs/ad.md 2.5).
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

// Which results of a function vary, and the functions that were derived from functions.
class Functions {
 public:
  Functions(ir::Program& p, PassContext& c) : program(p), context(c) {}
  ir::Program& program;
  PassContext& context;
  using Which = std::vector<bool>;
  using Key = std::tuple<ir::FunId, Which, Which, Mode>;         // a function, which arguments vary, which results have seeds

  // Which results of f vary with these arguments.
  Which varied(ir::FunId f, const Which& args, const Mode& mode);
  // What was derived for this key. A derived function of a recursive one calls itself: it is declared before it has its body.
  std::optional<ir::FunId> derived(const Key& key) const;
  ir::FunId declare(const Key& key, const std::string& suffix, std::vector<ir::Bind> params, std::vector<ir::Type> returns);
  // The types of f's results, in a clone of f with these names.
  std::vector<ir::Type> returns(ir::FunId f, const ir::Subst& renamed) const;

 private:
  std::map<Key, ir::FunId> derived_;
  std::map<Key, Which> varied_, guesses_;      // finished, and while one that calls itself is looked at
  std::set<Key> seen_;
  bool guessing_ = false, changed_ = false;

  Which guess(const Key& key);
};

}  // namespace raido::ad
