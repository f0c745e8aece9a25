// functions.cc - which results of called functions vary, and the table of derived functions                docs/ad.md 2.5
#include "passes/ad/activity/functions.h"

#include "passes/ad/activity/activity.h"

namespace raido::ad {

using namespace ir;

Functions::Which Functions::varied(FunId f, const Which& args, const Mode& mode) {
  Key key{f, args, {}, mode};
  if (auto known = varied_.find(key); known != varied_.end()) return known->second;
  if (guessing_) return guess(key);
  guessing_ = true;
  do {
    changed_ = false;
    seen_.clear();
    guess(key);
  } while (changed_);
  guessing_ = false;
  varied_.merge(guesses_);
  guesses_.clear();
  return varied_.at(key);
}
// One look at the function with what is known of those that it calls; less than all at first, never too much.
Functions::Which Functions::guess(const Key& key) {
  const auto& [f, args, none, mode] = key;
  const Lambda& l = program.functions[f.index].lambda;
  Which& known = guesses_.try_emplace(key, Which(l.body.result.size())).first->second;
  if (!seen_.insert(key).second) return known;
  Activity inner(*this, mode);
  inner.analyse(l, args);
  Which now;
  for (const Atom& r : l.body.result) now.push_back(inner.varied(r));
  if (now != known) changed_ = true;
  return known = now;
}

std::optional<FunId> Functions::derived(const Key& key) const {
  auto found = derived_.find(key);
  return found == derived_.end() ? std::nullopt : std::optional(found->second);
}
FunId Functions::declare(const Key& key, const std::string& suffix, std::vector<Bind> params, std::vector<Type> returns) {
  Function derived;
  auto taken = [&](const std::string& name) { return program.function(name) != nullptr; };
  const std::string base = program.functions[std::get<FunId>(key).index].name + suffix;
  derived.name = base;
  for (int i = 1; taken(derived.name); i++) derived.name = base + "_" + std::to_string(i);
  derived.consumes.assign(params.size(), false);
  derived.lambda.params = std::move(params);
  derived.returns = std::move(returns);
  program.functions.push_back(std::move(derived));
  context.stats.count("ad.functions");
  return derived_[key] = {uint32_t(program.functions.size() - 1)};
}

std::vector<Type> Functions::returns(FunId f, const Subst& renamed) const {
  std::vector<Type> types = program.functions[f.index].returns;
  for (Type& t : types)
    walk(t, [&](Var& v) { if (auto found = renamed.find(v); found != renamed.end()) v = *var_of(found->second); });
  return types;
}

}  // namespace raido::ad
