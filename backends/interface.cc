// interface.cc - names in C.
#include "backends/interface.h"

#include <fmt/format.h>
#include <optional>

#include "compiler/base/md5.h"

namespace raido {
namespace {

bool is_identifier(std::string_view s) {
  if (s.empty() || !isalpha(static_cast<unsigned char>(s[0]))) return false;
  for (char c : s) if (!isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

// The parts between the commas of `(a, (b, c))` that are not in brackets.
std::vector<std::string> components(std::string_view inside) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (size_t i = 0; i < inside.size(); i++) {
    char c = inside[i];
    depth += c == '(' || c == '{' || c == '[';
    depth -= c == ')' || c == '}' || c == ']';
    if (c == ',' && depth == 0) {
      out.emplace_back();
      while (i + 1 < inside.size() && inside[i + 1] == ' ') i++;
    } else {
      out.back() += c;
    }
  }
  return out;
}

bool closes_at_end(std::string_view s) {
  int depth = 0;
  for (size_t i = 0; i < s.size(); i++) {
    depth += s[i] == '(';
    depth -= s[i] == ')';
    if (depth == 0 && i + 1 < s.size()) return false;
  }
  return depth == 0;
}

std::optional<std::string> readable(std::string text) {
  if (text == "()") return "unit";
  if (text == "{}") return "rec__";
  size_t rank = 0;
  while (text.starts_with("[]")) text.erase(0, 2), rank++;
  if (rank > 0) {
    auto elem = readable(text);
    return elem ? std::optional(fmt::format("arr{}d_{}", rank, *elem)) : std::nullopt;
  }
  if (text.starts_with("(") && closes_at_end(text)) {
    std::vector<std::string> parts = components(std::string_view(text).substr(1, text.size() - 2));
    std::string out = fmt::format("tup{}", parts.size());
    for (const std::string& part : parts) {
      auto name = readable(part);
      if (!name) return {};
      out += "_" + *name;
    }
    return out;
  }
  if (size_t dot = text.find('.'); dot != std::string::npos) text[dot] = '_';      // as other compilers do: one dot only
  return is_identifier(text) ? std::optional(text) : std::nullopt;
}

}  // namespace

std::string InterfaceEntry::stars() const {
  std::string out(unique ? "*" : "-");
  for (bool part : unique_parts) out += part ? '*' : '-';
  return out;
}

std::string type_name_in_c(const std::string& text) { return "opaque_" + readable(text).value_or(md5(text)); }

}  // namespace raido
