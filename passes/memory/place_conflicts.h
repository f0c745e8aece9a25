// place_conflicts.h - the second step of `place`: whether an array may be built where a later statement will copy it.
//
// From its creation to that statement nothing else may read or write the memory there. An exception is work element by element. There the
// new array lies where an array lies that it is computed from. No element of that one is read after the new element was written in its
// place.
#pragma once
#include "compiler/ir/analysis/affine.h"
#include "passes/memory/place_candidates.h"

namespace raido::placement {

// How another array lies in the memory in question: what is made is this part of it.
struct Overlap {
  std::vector<Selector> part = {};
  Affine shift = {};                   // by rows: what is made may begin before it, or after its end
  VarSet sizes = {};                   // its extents
};

class Conflicts {
 public:
  Conflicts(const Program& p, Origins& origins) : p_(p), origins_(origins), forms_(p) {}

  // The block may have another name, by which it can be reached, too.
  void may_have_other_name(Var block) { with_other_names_.insert(block); }
  // Whether `made`, created by statement `from`, may lie at `where` from then on; statement `to`, or the end of the body, will put it
  // there. Afterwards nobody uses it by another name. `into`: the update that makes it a part of an array, if `to` is one. A loop that may do so
  // only if its iterations run in order does, if the answer is yes.
  bool may_lie_there(const Candidates& c, Var made, size_t from, size_t to, const Place& where, const Update* into) const;

 private:
  const Program& p_;
  Origins& origins_;
  Forms forms_;
  VarSet with_other_names_;

  const ArrayType* array(Var v) const { return std::get_if<ArrayType>(&p_.type(v)); }
  bool may_be_one(Var x, Var y) const { return x == y || (with_other_names_.contains(x) && with_other_names_.contains(y)); }
  std::optional<Affine> first_row(const Place& where, const Place& v) const;
  std::optional<Overlap> overlap(Var v, Var made, const Place& where, const Update* into) const;
  bool is_other_part(const Candidates& c, Var made, Var v) const;
  bool may_be_there(const Stm& s, Var v, const VarSet& names) const;
};

}  // namespace raido::placement
