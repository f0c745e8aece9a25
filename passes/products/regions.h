// regions.h - where in a body something is not zero, or not what else stands for nothing: conditions and linear forms (patterns.cc).
//
// A condition that chooses between something and nothing is a guard of it. A comparison of indices is also a bound: a linear form that
// is not negative there. Products have the bounds of both factors. Of a sum those bounds are left that both summands have.
#pragma once
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/facts.h"
#include "passes/pass.h"

namespace raido {

class Regions {
 protected:
  Regions(ir::Program& p, PassContext& context) : p_(p), context_(context), facts_(p) {}

  // At most where all of these hold.
  struct Guard {
    ir::Var condition;                                     // is `value`
    bool value;
    friend bool operator==(const Guard&, const Guard&) = default;
  };
  struct Region {
    bool nowhere = false;
    std::vector<Guard> guards = {};
    std::vector<ir::Affine> bounds = {};                   // are not negative
  };
  // An array that is zero but where these forms of its indices, and of what was known where it was made, are not negative.
  struct Band {
    std::vector<ir::Var> index;                            // one for each of its first dimensions; none: a number
    std::vector<ir::Affine> bounds;
  };
  struct Range {
    std::vector<ir::Affine> at_least, at_most;             // of the index
    std::vector<ir::Affine> bounds;                        // the same as forms that are not negative
    std::vector<Guard> known;                              // conditions that say nothing more
  };
  // At one body.
  struct Look {
    template <class X> Look(const X& x, const ir::Body& b, std::vector<ir::Var> counters)
        : made(b), inside(bound_in(x)), counters(std::move(counters)) {
      inside.insert(this->counters[0]);
    }
    ir::Definitions made;
    ir::VarSet inside;
    std::vector<ir::Var> counters;                         // all the same number
    ir::Atom nothing = bool_const(false);              // a constant, or a variable
    std::unordered_map<ir::Var, Region> found = {}, updates = {};
    Look& of(const ir::Atom& other);
    bool zero() const { auto c = ir::const_of(nothing); return c && is_zero(*c); }
    bool is_outside(const ir::Affine& l) const;
    ir::Affine counted(ir::Affine l) const;                // by the first counter
  };

  ir::Program& p_;
  PassContext& context_;
  ir::Facts facts_;
  std::unordered_map<ir::Var, const ir::Dest*> dests_;     // by token, of the scopes that are open
  std::unordered_map<ir::Var, Band> bands_;

  static ir::Affine with(const ir::Affine& l, ir::Var v, const ir::Affine& form);   // instead of v
  template <class T> static void add_new(std::vector<T>& to, const std::vector<T>& from) {
    for (const T& x : from) if (std::ranges::find(to, x) == to.end()) to.push_back(x);
  }

  Region where(const ir::Atom& a, Look& look);
  // Of a sum: where one of the two may be. Of two bounds the weaker one is left, if it is known which one that is.
  Region either(const Region& a, const Region& b) const;
  // Where an accumulator is updated with something else than a neutral element on its way into the body.
  Region updates(ir::Var acc, const std::vector<ir::Bind>& params, Look& look);
  // Of the iterations that are counted; none if it is all 0 .. n-1. A bound that would leave out what may fail is none.
  std::optional<Range> range(const Region& region, const Look& look, const ir::Body& body, const ir::Dim& n) const;
  // Facts are of forms of sizes and indices; in a bound may be any variable, of which nothing is known.
  bool is_nonnegative(const ir::Affine& l) const;

 private:
  static Region both(Region a, const Region& b);           // of a product
  Region look_where(ir::Var v, Look& look);
  Region computed(const ir::Apply& x, ir::Var v, Look& look);
  Region element(const ir::Index& x, const Look& look) const;
  Region choice(const ir::Atom& condition, const Region& yes, const Region& no, const Look& look) const;
  Region holds(const ir::Atom& condition, bool value, const Look& look) const;
  Region look_updates(ir::Var acc, const std::vector<ir::Bind>& params, Look& look);
  // The form of an integer; a variable from outside counts as one whatever its value is.
  std::optional<ir::Affine> form(const ir::Atom& a, const ir::VarSet& inside) const;
  // Adds what `condition` being `value` says; false if it says more than that.
  bool learn(const ir::Atom& condition, bool value, const Look& look, std::vector<ir::Affine>& bounds) const;
  // Whether something may stop the program where `bound` is negative.
  bool may_fail(const ir::Body& b, const Look& around, const ir::Affine& bound) const;
};

}  // namespace raido
