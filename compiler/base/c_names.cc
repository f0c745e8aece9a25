// Names that C does not allow, with `z` and another letter for each character that it does not have.
#include "compiler/base/c_names.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

namespace raido {

std::string encoded(const std::string& name) {
  static constexpr std::string_view characters = "_'.&|^$=>#<-!+/*%\\()[]:Zz", letters = "uqiabcdeghlmnpstvrLRMNCZz";
  std::string out;
  for (char c : name) {
    if (size_t at = characters.find(c); at != characters.npos) (out += isupper(static_cast<unsigned char>(letters[at])) ? 'Z' : 'z') += letters[at];
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
