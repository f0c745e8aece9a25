// explain_sizes.cc - see explain_sizes.h.
#include "compiler/driver/explain_sizes.h"

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/ir/scalar.h"

namespace raido::explain_ad {

using namespace ir;

std::string SizeTexts::of(const Atom& a) const {
  constexpr size_t longest = 40;                           // characters that a person reads
  std::string text = of(a, 0);
  return text.size() > longest ? ".." : text;
}
std::string SizeTexts::of(const Atom& a, int depth) const {
  if (auto c = const_of(a)) return std::to_string(c->as_i64());
  Var v = *var_of(a);
  auto apply = depth > 5 ? nullptr : made_.get<Apply>(v);
  if (!apply || apply->args.size() != 2) return p_.hint(v);
  const Atom &x = apply->args[0], &y = apply->args[1];
  auto part = [&](const Atom& b) {
    std::string text = of(b, depth + 1);
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  switch (apply->op) {
    case ScalarOp::max: return is_const(x, 0) ? of(y, depth + 1) : fmt::format("max({}, {})", of(x, depth + 1), of(y, depth + 1));
    case ScalarOp::min: return fmt::format("min({}, {})", of(x, depth + 1), of(y, depth + 1));
    case ScalarOp::add:
      if (auto c = const_of(x)) return c->as_i64() < 0 ? fmt::format("{} - {}", part(y), -c->as_i64()) : fmt::format("{} + {}", part(y), c->as_i64());
      return fmt::format("{} + {}", part(x), part(y));
    case ScalarOp::sub: return fmt::format("{} - {}", part(x), part(y));
    case ScalarOp::mul: return fmt::format("{} * {}", part(x), part(y));
    case ScalarOp::div: case ScalarOp::quot: return fmt::format("{} / {}", part(x), part(y));
    default: return p_.hint(v);
  }
}

std::string SizeTexts::type(Var v) const {
  std::string text;
  for (const Dim& d : shape_of(p_.type(v))) text += "[" + of(d) + "]";
  return text + std::string(name_of(elem_of(p_.type(v))));
}

std::string SizeTexts::product(const std::vector<std::string>& factors) {
  i64 number = 1;
  std::vector<std::string> rest;
  for (const std::string& f : factors) {
    bool sum = f.find_first_of("+-/(") != std::string::npos;
    for (const std::string& part : sum ? std::vector{f} : split(f, ' ')) {
      if (part == "*") continue;
      if (part.find_first_not_of("0123456789") == std::string::npos && part.size() < 9) number *= std::stoll(part);
      else rest.push_back(part);
    }
  }
  if (number != 1 || rest.empty()) rest.insert(rest.begin(), std::to_string(number));
  if (rest.size() > 1) for (std::string& part : rest) if (part.find(' ') != std::string::npos) part = "(" + part + ")";
  return join(rest, " * ");
}

std::string SizeTexts::bytes(Var v, bool row, int arrays) const {
  std::vector<std::string> factors{std::to_string(arrays * bytes_of(elem_of(p_.type(v))))};
  std::vector<Dim> shape = shape_of(p_.type(v));
  for (size_t d = row; d < shape.size(); d++) factors.push_back(of(shape[d]));
  return product(factors);
}

}  // namespace raido::explain_ad
