// walk.h - visits the parts of any struct that names its fields.
//
// A struct takes part by one line, `static auto fields(auto& s) { return std::tie(s.width, s.inputs); }`. From it come
// visiting, substitution, cloning, equality, hashing, printing and parsing; nobody writes visitors.
#pragma once
#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "compiler/base/list.h"
#include "compiler/base/match.h"

namespace raido {

template <class T> concept HasFields = requires(T& t) { std::remove_const_t<T>::fields(t); };
template <class T> constexpr bool is_vector = false;
template <class T> constexpr bool is_vector<std::vector<T>> = true;
template <class T> constexpr bool is_vector<List<T>> = true;
template <class T> constexpr bool is_optional = false;
template <class T> constexpr bool is_optional<std::optional<T>> = true;
template <class T> constexpr bool is_variant = false;
template <class... Ts> constexpr bool is_variant<std::variant<Ts...>> = true;

// Visits the parts of `x` in field order. A part that `f` accepts is passed to `f` and not looked into. Any other
// struct with fields(), vector, optional or variant is walked. The rest is skipped.
template <class X, class F> void walk(X& x, F&& f) {
  using T = std::remove_const_t<X>;
  if constexpr (std::invocable<F&, X&>) f(x);
  else if constexpr (std::is_same_v<T, std::vector<bool>>) return;
  else if constexpr (is_vector<T>) { for (auto& part : x) walk(part, f); }
  else if constexpr (is_optional<T>) { if (x) walk(*x, f); }
  else if constexpr (is_variant<T>) match(x, [&](auto& part) { walk(part, f); });
  else if constexpr (HasFields<X>) std::apply([&](auto&... part) { (walk(part, f), ...); }, T::fields(x));
}

// The parts only: like walk, but never hands `x` itself to `f`.
template <class X, class F> void walk_parts(X& x, F&& f) {
  std::apply([&](auto&... part) { (walk(part, f), ...); }, std::remove_const_t<X>::fields(x));
}

}  // namespace raido
