// intern.cc - the table behind Names.
#include "compiler/base/intern.h"

namespace raido {

Name Names::intern(std::string_view text) {
  if (auto found = ids_.find(text); found != ids_.end()) return found->second;
  Name name{uint32_t(texts_.size())};
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), name);
  return name;
}

}  // namespace raido
