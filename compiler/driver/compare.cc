// compare.cc - element by element.
#include "compiler/driver/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/data.h"

namespace raido {
namespace {

using ir::Value;

std::string shown(const Value& v, int64_t i) {
  if (v.elem == Scalar::Bool) return v.at<uint8_t>(i) ? "True" : "False";
  if (is_float(v.elem)) {
    double x = number_at(v, i);
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
  }
  return scalar_text(v, i, false);
}

void compare(size_t number, const Value& got, const Value& expected, double tolerance, size_t limit, std::vector<std::string>& out) {
  auto dims = [](const Value& v) { return fmt::format("[{}]", join(v.shape, ",", [](int64_t d) { return std::to_string(d); })); };
  if (got.shape != expected.shape) {
    out.push_back(fmt::format("Value #{}: expected array of shape {}, got {}", number, dims(expected), dims(got)));
    return;
  }
  if (got.elem != expected.elem) {
    out.push_back(fmt::format("Value #{}: expected value of type {}, got {}", number, name_of(expected.elem), name_of(got.elem)));
    return;
  }
  double off = tolerance;
  bool tight = tolerance < 0.002;
  if (is_float(expected.elem))
    for (int64_t i = 0; i < expected.count(); i++)
      if (double x = number_at(expected, i); std::isfinite(x)) off = std::max(off, tolerance * (tight ? std::fabs(x) : x));
  for (int64_t i = 0; i < got.count() && out.size() < limit; i++) {
    bool same;
    if (is_float(got.elem)) {
      double a = number_at(got, i), b = number_at(expected, i);
      same = (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= off;
    } else {
      size_t size = size_t(bytes_of(got.elem));
      same = std::memcmp(got.bytes.data() + size_t(i) * size, expected.bytes.data() + size_t(i) * size, size) == 0;
    }
    if (same) continue;
    std::vector<int64_t> index(got.shape.size());
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0;) index[d] = rest % got.shape[d], rest /= got.shape[d];
    std::string where = index.empty() ? "" : fmt::format(" index [{}]", join(index, ",", [](int64_t d) { return std::to_string(d); }));
    out.push_back(fmt::format("Value #{}{}: expected {}, got {}", number, where, shown(expected, i), shown(got, i)));
  }
}

}  // namespace

std::vector<std::string> differences(const std::vector<Value>& got, const std::vector<Value>& expected, double tolerance, size_t limit) {
  if (got.size() != expected.size()) return {fmt::format("Expected {} values, got {}", expected.size(), got.size())};
  std::vector<std::string> out;
  for (size_t i = 0; i < got.size() && out.size() < limit; i++) compare(i, got[i], expected[i], tolerance, limit, out);
  return out;
}

}  // namespace raido
