// aliases.h - what values share memory with, for the check of uniqueness: sets of variables, one for each component of a record.
#pragma once
#include "compiler/base/small_vector.h"
#include "compiler/check/context.h"

namespace raido::check {

using Vars = SmallVector<Binding*, 3>;    // sorted by id

void add(Vars& to, Binding* b);
void add(Vars& to, const Vars& from);
Binding* common(const Vars& a, const Vars& b);           // null: none
bool overlap(const std::vector<Vars>& sets);             // do two of them have a variable in common?

// What a value may share memory with: one set, or one value for each field.
struct Aliases {
  struct Field;
  Vars vars;
  std::vector<Field> fields;
  bool record = false;
  TypeRef function = {};      // of one made in this definition: its type with the uniqueness that its body has

  Vars all() const;
  Aliases field(Name name, size_t expected = 0) const;      // expected: where it probably is
  // A variable stands for the memory of a new value; for shared memory stand the variables that have it already. The components of
  // a variable belong together, though, whatever they are.
  void own(Binding* b, bool component = false);
};
struct Aliases::Field {
  Name name;
  Aliases value;
};

Aliases either(const Aliases& a, const Aliases& b);       // of a value that is one of two

}  // namespace raido::check
