// text_tokens.h - the text form as tokens (parse.cc): words with inner dots and digits, numbers, strings, single characters.
//
// The first error is recorded with its line, and the rest of the text is dropped. So every loop over tokens ends.
#pragma once
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"

namespace raido::ir {

class TextTokens {
 protected:
  explicit TextTokens(std::string_view text) : text_(text), rest_(text) {}

  std::string_view text_, rest_;
  std::string error_;

  bool ok() const { return error_.empty(); }
  void fail(std::string message);

  static bool word_char(char c);
  std::string_view peek();                                  // empty at the end
  std::string next();
  bool accept(std::string_view token);
  void expect(std::string_view token);
  i64 integer();
  std::string string();
  // A number without its suffix; false: it is none of this type.
  static bool number(std::string_view token, Scalar type, Const& c);

 private:
  void skip();                                              // spaces and comments
};

}  // namespace raido::ir
