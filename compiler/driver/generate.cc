// generate.cc - the values.
#include "compiler/driver/generate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "compiler/driver/data.h"

namespace raido {
namespace {
int bits_of(Scalar s) { return s == Scalar::Bool ? 1 : 8 * int(bytes_of(s)); }
bool counts_from_zero(Scalar s) { return s == Scalar::U8 || s == Scalar::U16 || s == Scalar::U32 || s == Scalar::U64 || s == Scalar::Bool; }
}  // namespace

uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

Bounds::Bounds() {
  for (size_t i = 0; i < of.size(); i++) {
    Scalar s = Scalar(i);
    if (is_float(s)) continue;
    int bits = bits_of(s);
    uint64_t ones = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    of[i].low = counts_from_zero(s) ? 0 : ~(ones >> 1);
    of[i].high = counts_from_zero(s) ? ones : ones >> 1;
  }
}

bool Bounds::set(Scalar type, std::string_view text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  std::string_view parts[2] = {text.substr(0, colon), text.substr(colon + 1)};
  Range& r = of[size_t(type)];
  for (int i = 0; i < 2; i++) {
    const char *begin = parts[i].data(), *end = begin + parts[i].size();
    std::from_chars_result got{};
    if (is_float(type)) {
      got = std::from_chars(begin, end, i ? r.to : r.from);
    } else if (counts_from_zero(type)) {
      got = std::from_chars(begin, end, i ? r.high : r.low);
    } else {
      int64_t n = 0;
      got = std::from_chars(begin, end, n);
      (i ? r.high : r.low) = uint64_t(n);
    }
    if (got.ec != std::errc() || got.ptr != end || begin == end) return false;
  }
  if (is_float(type)) {
    double most = type == Scalar::F16 ? 65504 : type == Scalar::F32 ? double(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
    return -most <= r.from && r.from <= r.to && r.to <= most;
  }
  const Range whole = Bounds().of[size_t(type)];
  if (counts_from_zero(type)) return r.low <= r.high && r.high <= whole.high;
  return int64_t(whole.low) <= int64_t(r.low) && int64_t(r.low) <= int64_t(r.high) && int64_t(r.high) <= int64_t(whole.high);
}

std::optional<TypeOrValue> parse_type_or_value(std::string_view text) {
  TypeOrValue out;
  size_t at = 0;
  while (at < text.size() && text[at] == '[') {
    size_t end = text.find(']', at);
    if (end == std::string_view::npos) break;
    int64_t n = 0;
    auto got = std::from_chars(text.data() + at + 1, text.data() + end, n);
    if (got.ec != std::errc() || got.ptr != text.data() + end || n < 0) break;
    out.shape.push_back(n);
    at = std::min(text.find_first_not_of(' ', end + 1), text.size());
  }
  if (auto elem = scalar_named(text.substr(at))) {
    out.elem = *elem;
    return out;
  }
  DataReader reader(text);
  out.value = reader.read();
  if (!out.value || !reader.at_end()) return {};
  return out;
}

ir::Value random_value(Scalar elem, std::vector<int64_t> shape, const Bounds& bounds, Random& random) {
  ir::Value v{elem, std::move(shape), {}};
  const Bounds::Range& r = bounds.of[size_t(elem)];
  int64_t n = v.count();
  v.bytes.reserve(size_t(n) * size_t(bytes_of(elem)));
  for (int64_t i = 0; i < n; i++) {
    if (is_float(elem)) {
      double u = random.unit(), width = r.to - r.from;
      double x = std::isinf(width) ? 2 * (r.from / 2 + (r.to / 2 - r.from / 2) * u) : r.from + width * u;
      if (elem == Scalar::F64) v.push(x);
      else if (elem == Scalar::F32) v.push(float(x));
      else v.push(uint16_t(constant(Scalar::F16, x).bits));
      continue;
    }
    uint64_t bits = r.low + random.below(r.high - r.low + 1);
    v.bytes.append(reinterpret_cast<const char*>(&bits), size_t(bytes_of(elem)));
  }
  return v;
}

}  // namespace raido
