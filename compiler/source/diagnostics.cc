// Collects reports; fills the holes of their texts; sorts them by file and position.
#include "compiler/source/diagnostics.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace raido {

Diagnostics::Draft Diagnostics::add(const char* code, Severity severity, Span at, std::string_view text,
                                    std::vector<std::string> args) {
  std::string filled;
  size_t n = 0;
  for (size_t i = 0; i < text.size(); i++)
    if (text.substr(i, 2) == "{}") { filled += args[n++]; i++; }
    else filled += text[i];
  if (severity == Severity::Error) errors_++;
  reports_.push_back({code, severity, at, std::move(filled), {}, {}, ""});
  return {*this, reports_.size() - 1};
}

void Diagnostics::rollback(size_t mark) {
  for (size_t i = mark; i < reports_.size(); i++) errors_ -= reports_[i].severity == Severity::Error;
  reports_.erase(reports_.begin() + std::ptrdiff_t(mark), reports_.end());
}

std::vector<Report> Diagnostics::sorted() const {
  std::vector<Report> out = reports_;
  auto key = [](const Report& r) { return std::tuple(r.span.file.index, r.span.begin, r.span.end); };
  std::stable_sort(out.begin(), out.end(), [&](const Report& a, const Report& b) { return key(a) < key(b); });
  auto same = [&](const Report& a, const Report& b) { return key(a) == key(b) && std::strcmp(a.code, b.code) == 0; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

}  // namespace raido
