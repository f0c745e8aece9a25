// generate.h - values made by chance, the same for the same seed: for dataset, random inputs of tests and property tests.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/value.h"

namespace raido {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  double unit() { return double(next() >> 11) * 0x1p-53; }        // from 0 to below 1
  uint64_t below(uint64_t n) { return n == 0 ? next() : next() % n; }   // 0 stands for 2^64

 private:
  uint64_t state_;
};

// The smallest and the greatest value of each type, both included: integers as 64 bits, floats as double.
struct Bounds {
  struct Range { uint64_t low = 0, high = 0; double from = 0, to = 1; };
  std::array<Range, 12> of;       // by Scalar
  Bounds();
  // "MIN:MAX" for a type; false if it makes no sense.
  bool set(Scalar type, std::string_view text);
};

// A type like `[10][20]f32`, or a value; none if the text is neither.
struct TypeOrValue {
  std::optional<ir::Value> value;
  Scalar elem = Scalar::I32;
  std::vector<int64_t> shape;
};
std::optional<TypeOrValue> parse_type_or_value(std::string_view text);
ir::Value random_value(Scalar elem, std::vector<int64_t> shape, const Bounds& bounds, Random& random);

}  // namespace raido
