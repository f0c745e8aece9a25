// Names that C does not allow, with `z` and another letter for each character that it does not have.
#include "compiler/base/c_names.h"

#include <fmt/format.h>

#include <cctype>

namespace raido {

std::string encoded(const std::string& name) {
  std::string out;
  for (char c : name) {
    if (c == 'z') out += "zz";
    else if (c == 'Z') out += "ZZ";
    else if (c == '_') out += "zu";
    else if (c == '\'') out += "zq";
    else if (c == '.') out += "zi";
    else if (isalnum(static_cast<unsigned char>(c))) out += c;
    else out += fmt::format("z{:x}U", static_cast<unsigned char>(c));
  }
  return out;
}

std::string c_identifier(const std::string& name) {
  bool plain = !name.empty();
  for (char c : name) plain = plain && (isalnum(static_cast<unsigned char>(c)) || c == '_');
  return plain ? name : encoded(name);
}

}  // namespace raido
