// fingerprint.h - 32 hexadecimal digits that stand for a text: of programs, and in the names of files made from a text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace raido {

// 128 bits of FNV-1a.
struct Fingerprint {
  __extension__ using Bits = unsigned __int128;
  Bits state = (Bits(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d;
  void add(std::string_view text) {
    const Bits prime = (Bits(1) << 88) | 0x13b;
    for (char c : text) state = (state ^ static_cast<unsigned char>(c)) * prime;
    state = (state ^ 0xff) * prime;     // a separator: it occurs in no UTF-8 text
  }
  std::string digits() const { return fmt::format("{:016x}{:016x}", uint64_t(state >> 64), uint64_t(state)); }
};

}  // namespace raido
