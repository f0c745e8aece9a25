// steps.h - how far numbers of a loop move from one iteration to the next, where that is always the same.
#pragma once
#include <optional>
#include <unordered_map>

#include "backends/kernel/kernel.h"

namespace raido::kir {

class Steps {
 public:
  using Step = std::optional<int64_t>;

  // Names that the loop does not declare do not move. What it hands on is declared too, with no expression.
  Steps(const Module& m, Name counter) : m_(m), step_{{counter, 1}} {}

  // In the order of the body. `init`: null where it moves by no fixed number.
  void declare(Name n, const ExprId* init) { step_[n] = init ? of(*init) : Step(); }
  // Of integers; nothing if it is not always the same, or not known.
  Step of(ExprId e) const;
  // The elements are one element, or lie side by side.
  bool is_near(const Load& l) const { Step by = of(l.index); return by == 0 || by == 1; }

 private:
  const Module& m_;
  std::unordered_map<Name, Step> step_;
};

}  // namespace raido::kir
