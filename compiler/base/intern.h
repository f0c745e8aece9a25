// intern.h - names as ids: equal text, equal id.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/id.h"

namespace raido {

using Name = Id<struct NameTag>;

class Names {
 public:
  Name intern(std::string_view text);
  // Valid while the table lives.
  std::string_view text(Name name) const { return texts_[name.index]; }

 private:
  struct Slot { uint32_t hash; Name name; };               // no name: free
  void grow();

  Arena arena_;
  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;                                // a power of two, at most three quarters full; a name is found by its hash
};

}  // namespace raido
