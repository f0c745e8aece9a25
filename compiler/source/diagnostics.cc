// Collects reports; fills the holes of their texts; sorts them by file and position.
#include "compiler/source/diagnostics.h"

#include <algorithm>
#include <tuple>

namespace raido {

std::string fill(std::string_view text, const std::vector<std::string>& args) {
  std::string filled;
  size_t n = 0;
  for (size_t i = 0; i < text.size(); i++)
    if (text.substr(i, 2) == "{}") { filled += args[n++]; i++; }
    else filled += text[i];
  return filled;
}

Diagnostics::Draft Diagnostics::add(std::string_view code, Severity severity, Span at, std::string_view text,
                                    std::vector<std::string> args) {
  if (severity == Severity::Error) errors_++;
  reports_.push_back({code, severity, at, fill(text, args), {}, {}, ""});
  return {*this, reports_.size() - 1};
}

Diagnostics::Draft& Diagnostics::Draft::because(const Reason& why) {
  if (!why) return *this;
  if (why.code.empty()) return note(why.text);
  report().code = why.code;
  report().text += "\n" + why.text;
  return *this;
}

Diagnostics::Draft& Diagnostics::Draft::instead(const Reason& why) {
  report().code = why.code;
  report().text = why.text;
  return *this;
}

const std::vector<MessageKind>& all_kinds() {
  static const std::vector<MessageKind> kinds = {
#define DIAG(code, name, severity, text) {#code, #name, Severity::severity, text},
#include "compiler/source/errors.def"
#undef DIAG
  };
  return kinds;
}

void Diagnostics::because(size_t mark, const Reason& why) {
  for (size_t i = mark; i < reports_.size(); i++)
    if (reports_[i].severity == Severity::Error) Draft(*this, i).because(why);
}

bool Diagnostics::has(std::string_view code, Span at) const {
  return std::any_of(reports_.begin(), reports_.end(), [&](const Report& r) {
    return r.code == code && r.span.file == at.file && r.span.begin == at.begin;
  });
}

void Diagnostics::rollback(size_t mark) {
  for (size_t i = mark; i < reports_.size(); i++) errors_ -= reports_[i].severity == Severity::Error;
  reports_.erase(reports_.begin() + std::ptrdiff_t(mark), reports_.end());
}

std::vector<Report> Diagnostics::sorted(const std::vector<std::string>& optional) const {
  std::vector<Report> out;
  for (const Report& r : reports_) {
    auto asked_for = [&](std::string_view code) { return code == "all" || code == r.code; };
    if (r.severity != Severity::Optional || std::any_of(optional.begin(), optional.end(), asked_for)) out.push_back(r);
  }
  auto key = [](const Report& r) { return std::tuple(r.span.file.index, r.span.begin, r.span.end); };
  std::stable_sort(out.begin(), out.end(), [&](const Report& a, const Report& b) { return key(a) < key(b); });
  auto same = [&](const Report& a, const Report& b) { return key(a) == key(b) && a.code == b.code; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

}  // namespace raido
