// ranges.h - how large the numbers inside of a statement can be, in terms of what is known before it.
//
// Sizes, indices and numbers of iterations inside of a nest are mostly sums and products of sizes outside and of loop counters. Their
// largest value over all iterations follows from the ends of the counters.
#pragma once
#include <optional>
#include <unordered_map>

#include "compiler/ir/term.h"

namespace raido::ad {

// What is asked is emitted by the builder, before the statement. None: not known.
class Ranges {
 public:
  Ranges(ir::Builder& b, const ir::Stm& s);
  // A number that is the same in all iterations.
  std::optional<ir::Term> exactly(const ir::Atom& a);
  std::optional<ir::Term> most(const ir::Atom& a);
  std::optional<ir::Term> least(const ir::Atom& a);
  // Whether it is a function of counters and of what is outside: no record is needed to have it again.
  bool computed(const ir::Atom& a) const;
  bool outside(const ir::Atom& a) const;

 private:
  struct Made {
    const ir::Stm* by;
    size_t result;
  };
  using Known = std::unordered_map<ir::Var, std::optional<ir::Term>>;
  ir::Builder& b_;
  ir::Program& p_;
  ir::VarSet inside_;
  std::unordered_map<ir::Var, Made> made_;
  std::unordered_map<ir::Var, ir::Dim> counters_;          // 0 <= counter < size
  Known exact_, most_, least_;

  void look(const ir::Stm& s);
  const ir::Apply* apply_of(ir::Var v) const;
  std::optional<ir::Term> remember(Known& known, const ir::Atom& a, std::optional<ir::Term> (Ranges::*find)(ir::Var));
  std::optional<ir::Term> find_exactly(ir::Var v);
  std::optional<ir::Term> find_most(ir::Var v) { return end(v, true); }
  std::optional<ir::Term> find_least(ir::Var v) { return end(v, false); }
  std::optional<ir::Term> end(ir::Var v, bool upper);
  std::optional<ir::Term> at(const ir::Atom& a, bool upper) { return upper ? most(a) : least(a); }
  std::optional<ir::Term> either(const ir::Atom& x, const ir::Atom& y, bool upper);
  bool not_negative(const ir::Atom& a);
};

}  // namespace raido::ad
