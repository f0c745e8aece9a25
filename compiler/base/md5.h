// md5.h - the MD5 sum of a text, as 32 hexadecimal digits.
#pragma once
#include <string>
#include <string_view>

namespace raido {

std::string md5(std::string_view text);

}  // namespace raido
