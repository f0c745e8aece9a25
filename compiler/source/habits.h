// habits.h - words and signs that other languages have and this one has not, with what is written here.
// They become the help of a message about an unknown name, an unknown type or an unexpected token.
#pragma once
#include <string_view>

namespace raido {

std::string_view habit(std::string_view word);   // empty: the word is not of this kind

}  // namespace raido
