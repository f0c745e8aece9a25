// one_place.h - what is zero but for one place of a map, and of arrays the place (decision 030).
//
// A value in the body of a map has places: it is zero unless the counter of the map equals each of them. Scalar rules compute the places
// of a result from those of its operands. The analysis follows values through inner maps, loops, branches and scopes of accumulators.
// If all elements of an array but one are zero, the index of that one is its point. The next map over the array uses it.
#pragma once
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/transform.h"

namespace raido {

// Something is zero, unless the counter is at each of these.
struct Places {
  bool nowhere = false;
  std::vector<ir::Atom> at = {};
  bool has(const ir::Atom& e) const { return nowhere || std::ranges::find(at, e) != at.end(); }
  friend bool operator==(const Places&, const Places&) = default;
};
Places either(Places a, const Places& b);                // of a product
Places common(const Places& a, const Places& b);         // of a sum

// A map, reduction or both, whose body gives what is combined and what is returned.
inline bool is_plain(const ir::Screma& x) { return x.scans.empty() && x.post_reduces.empty() && ir::identity_post(x); }

class OnePlace {
 public:
  // `strict`: zero times something may not be zero.
  OnePlace(const ir::Program& p, bool strict) : p_(p), strict_(strict) {}

  // What the bodies of a statement know from outside. To be called before them.
  void enter(const ir::Stm& s);
  // A statement of the body, the ones before it being noted. With the inner bodies, unless they were visited.
  void note(const ir::Stm& s, const ir::Body& around);
  void visited(const ir::Stm& s) { for (ir::Bind x : s.pattern) visited_.insert(x.var); }

  const ir::Definitions& made() const { return made_; }
  bool is_made_in(ir::Var v, const ir::Body& b) const { return body_of_[v] == &b; }
  bool is_counting(ir::Var array) const { return counting_.contains(array); }      // 0, 1, 2, ..
  bool is_single(ir::Var array) const { return single_.contains(array); }          // of a map \j -> if j == e then v else 0
  // Of which it is the element, or with which it begins; null: neither.
  const ir::Var* source(ir::Var v) const { auto found = element_of_.find(v); return found == element_of_.end() ? nullptr : &found->second; }
  bool is_zero_outside(const ir::Atom& a) const;         // of something from outside

  struct Look {                                          // at the body of one screma
    explicit Look(const ir::Screma& s) : x(s), inside(ir::bound_in(s.pre)) {}
    const ir::Screma& x;
    ir::VarSet inside;
    std::unordered_map<ir::Var, Places> found = {};
    bool outside(const ir::Atom& a) const { auto v = ir::var_of(a); return !v || !inside.contains(*v); }
    const ir::Var* input(const ir::Atom& a) const {              // of which it is the element
      for (size_t k = 0; k < x.inputs.size(); k++) if (a == ir::Atom(x.pre.params[k].var)) return &x.inputs[k];
      return nullptr;
    }
  };
  // Where it is not zero.
  Places where(Look& look, const ir::Atom& a) const;
  // Where an accumulator is updated with something else than zeros, since it came into the body.
  Places updates(Look& look, const ir::Atom& end) const;
  // Whether it is: if j == e then v else 0, for a v from outside; of arrays for each element.
  bool is_single(const Look& look, const ir::Atom& a) const;

 private:
  const ir::Program& p_;
  bool strict_;
  ir::Definitions made_;
  ir::VarMap<const ir::Body*> body_of_;                  // what binds it
  ir::VarSet visited_;                                   // results of statements whose bodies are noted
  ir::VarSet counting_;
  std::unordered_map<ir::Var, ir::Var> element_of_;      // parameter of a map -> its input; accumulator of a loop -> what it begins as
  std::unordered_map<ir::Var, const ir::Dest*> dests_;   // by token
  std::unordered_map<ir::Var, ir::Atom> point_;          // array -> the only index of its outer dimension where it is not zero
  ir::VarSet single_;

  bool is_counter(const Look& look, const ir::Atom& a) const;
  Places value(Look& look, ir::Var v) const;
  Places computed(Look& look, const ir::Apply& x) const;
  Places branches(Look& look, const ir::Atom& c, const Places& yes, const Places& no) const;
  Places condition(const Look& look, const ir::Atom& c, bool value) const;
  std::vector<Places> states(Look& look, const ir::Stm& s, const ir::For& x) const;
  bool is_token_inside(const Look& look, ir::Var acc) const;
};

}  // namespace raido
