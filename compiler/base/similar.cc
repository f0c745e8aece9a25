// similar.cc - by edit distance.
#include "compiler/base/similar.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace raido {
namespace {

// Edit distance, given up beyond `limit`. Two neighbours that changed places are one step.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    before = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    if (*std::min_element(row.begin(), row.end()) > limit) return limit + 1;
  }
  return row[b.size()];
}

}  // namespace

Similar::Similar(std::string_view wanted) : wanted_(wanted), limit_(std::max<size_t>(1, wanted.size() / 3)) {}

void Similar::offer(std::string_view name) {
  if (name.empty() || name == wanted_ || name.starts_with("_")) return;
  size_t d = distance(wanted_, name, limit_);
  if (d < wanted_.size() && d <= limit_ && (best_.empty() || d < limit_)) {
    best_ = name;
    limit_ = d;
  }
}

std::string Similar::help(std::string_view prefix) const { return best_.empty() ? "" : fmt::format("did you mean `{}{}`?", prefix, best_); }

}  // namespace raido
