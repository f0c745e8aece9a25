// md5.cc - RFC 1321.
#include "compiler/base/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace raido {

std::string md5(std::string_view text) {
  static const std::array<uint32_t, 64> sines = [] {
    std::array<uint32_t, 64> t;
    for (size_t i = 0; i < 64; i++) t[i] = uint32_t(std::floor(std::fabs(std::sin(double(i + 1))) * 4294967296.0));
    return t;
  }();
  constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::string bytes(text);
  bytes += '\x80';
  while (bytes.size() % 64 != 56) bytes += '\0';
  for (int i = 0; i < 8; i++) bytes += char((uint64_t(text.size()) * 8) >> (8 * i));
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (size_t at = 0; at < bytes.size(); at += 64) {
    uint32_t words[16] = {}, a = state[0], b = state[1], c = state[2], d = state[3];
    for (size_t i = 0; i < 64; i++) words[i / 4] |= uint32_t(static_cast<unsigned char>(bytes[at + i])) << (8 * (i % 4));
    for (size_t i = 0; i < 64; i++) {
      uint32_t f = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c) : i < 48 ? b ^ c ^ d : c ^ (b | ~d);
      size_t word = i < 16 ? i : i < 32 ? (5 * i + 1) % 16 : i < 48 ? (3 * i + 5) % 16 : 7 * i % 16;
      uint32_t sum = a + f + sines[i] + words[word];
      a = d, d = c, c = b;
      b += std::rotl(sum, shifts[i / 16][i % 4]);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  }
  std::string out;
  for (uint32_t s : state)
    for (int i = 0; i < 4; i++) {
      uint32_t byte = (s >> (8 * i)) & 255;
      out += "0123456789abcdef"[byte / 16];
      out += "0123456789abcdef"[byte % 16];
    }
  return out;
}

}  // namespace raido
