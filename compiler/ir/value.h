// value.h - a value of the outside world: a scalar or a regular array, row major, in little-endian bytes.
//
// What entry points take and return, what data files hold and what test blocks compare. The interpreter's own
// representation is richer (interpreter.h); this one crosses its border.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "compiler/ir/scalar.h"

namespace raido::ir {

struct Value {
  Scalar elem = Scalar::I32;
  std::vector<int64_t> shape;  // empty: a scalar
  std::string bytes;           // count() elements of bytes_of(elem) bytes

  int64_t count() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
  }
  template <class T> T at(int64_t i) const {
    T x;
    std::memcpy(&x, bytes.data() + size_t(i) * sizeof(T), sizeof(T));
    return x;
  }
  template <class T> void push(T x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof(T)); }
  friend bool operator==(const Value&, const Value&) = default;
};

}  // namespace raido::ir
