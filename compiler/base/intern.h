// intern.h - names as ids: equal text, equal id.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/base/id.h"

namespace raido {

using Name = Id<struct NameTag>;

class Names {
 public:
  Name intern(std::string_view text);
  // Valid while the table lives.
  std::string_view text(Name name) const { return texts_[name.index]; }

 private:
  std::deque<std::string> texts_;                          // addresses stay, so the map's keys do
  std::unordered_map<std::string_view, Name> ids_;
};

}  // namespace raido
