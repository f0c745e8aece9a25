// match.h - match(variant, lambdas...): a switch over a variant in which a missing case does not compile.
#pragma once
#include <utility>
#include <variant>

namespace raido {

template <class... Fs> struct overloaded : Fs... { using Fs::operator()...; };
template <class... Fs> overloaded(Fs...) -> overloaded<Fs...>;

template <class V, class... Fs> decltype(auto) match(V&& v, Fs&&... fs) {
  return std::visit(overloaded{std::forward<Fs>(fs)...}, std::forward<V>(v));
}

}  // namespace raido
