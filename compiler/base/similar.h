// similar.h - the name most like one that nobody knows, for `did you mean`.
#pragma once
#include <string>
#include <string_view>

namespace raido {

class Similar {
 public:
  explicit Similar(std::string_view wanted);
  void offer(std::string_view name);
  const std::string& best() const { return best_; }        // empty: none is close
  std::string help(std::string_view prefix = "") const;    // "did you mean `PREFIXNAME`?", or nothing

 private:
  std::string wanted_;
  size_t limit_;
  std::string best_;
};

}  // namespace raido
