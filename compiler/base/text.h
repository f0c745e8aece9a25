// text.h - joining, splitting and quoting of text, and the characters of names. Formatting is {fmt}.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace raido {

template <class C, class F> std::string join(const C& items, std::string_view separator, F&& show) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    out += show(item);
  }
  return out;
}
inline std::string join(const std::vector<std::string>& items, std::string_view separator) {
  return join(items, separator, [](const std::string& item) { return item; });
}

// Whether `c` may stand in a name of the source after its first character (spec: names); of ASCII, whatever the locale.
inline bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}

// The pieces between separators; "a,,b" has three.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); i++)
    if (i == text.size() || text[i] == separator) {
      pieces.emplace_back(text.substr(start, i - start));
      start = i + 1;
    }
  return pieces;
}

// A C, JSON and core string literal of `text`; control characters are escaped.
inline std::string quote(std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') { out += '\\'; out += c; }
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (static_cast<unsigned char>(c) < 32) { out += "\\u00"; out += digits[c >> 4]; out += digits[c & 15]; }
    else out += c;
  }
  return out + '"';
}

}  // namespace raido
