// visit.h - walk() over programs (base/walk.h says what it does), compiled once instead of once for each caller.
//
// A program is a deep variant, and a walk that is compiled for one function is large. Here the function's operators become a table of
// pointers, one for each kind of part that a walk may stop at; visit.cc has the only walk. Included at the end of ir.h.
#pragma once
#include <concepts>
#include <type_traits>

namespace raido::ir {

using raido::walk;                     // of everything else: vectors, single operations
using raido::walk_parts;

// Null: the walk looks inside of such a part.
struct Handlers {
  void (*var)(void* function, Var&);
  void (*atom)(void* function, Atom&);
  void (*bind)(void* function, Bind&);
  void (*stm)(void* function, Stm&);
  void (*body)(void* function, Body&);
  void (*lambda)(void* function, Lambda&);
  void (*dest)(void* function, Dest&);
};
struct Callback {
  void* function;
  const Handlers& handlers;
};

template <class T> concept Walkable =
    std::same_as<T, Type> || std::same_as<T, Stm> || std::same_as<T, Exp> || std::same_as<T, Body> || std::same_as<T, Lambda> || std::same_as<T, Dest>;
template <class T> concept WithParts = std::same_as<T, Stm> || std::same_as<T, Body> || std::same_as<T, Lambda> || std::same_as<T, Dest>;
template <Walkable X> void visit(X& x, Callback f);
template <WithParts X> void visit_parts(X& x, Callback f);

template <bool is_const, class F, class T> constexpr auto handler_of() -> void (*)(void*, T&) {
  using Part = std::conditional_t<is_const, const T&, T&>;
  if constexpr (std::invocable<F&, Part>) return [](void* function, T& x) { (*static_cast<F*>(function))(static_cast<Part>(x)); };
  else return nullptr;
}
template <bool is_const, class F> inline constexpr Handlers handlers_of = {
    handler_of<is_const, F, Var>(), handler_of<is_const, F, Atom>(), handler_of<is_const, F, Bind>(), handler_of<is_const, F, Stm>(),
    handler_of<is_const, F, Body>(), handler_of<is_const, F, Lambda>(), handler_of<is_const, F, Dest>()};
template <bool is_const, class F> Callback callback(F& f) {
  return {const_cast<void*>(static_cast<const void*>(&f)), handlers_of<is_const, F>};
}

template <class X, class F> requires Walkable<std::remove_const_t<X>> void walk(X& x, F&& f) {
  if constexpr (std::invocable<F&, X&>) f(x);
  else if constexpr (std::same_as<std::remove_const_t<X>, Type>) {
    if (std::holds_alternative<ScalarType>(x)) return;               // most types are, and have no parts
    visit(const_cast<Type&>(x), callback<std::is_const_v<X>>(f));
  }
  else visit(const_cast<std::remove_const_t<X>&>(x), callback<std::is_const_v<X>>(f));
}
template <class X, class F> requires WithParts<std::remove_const_t<X>> void walk_parts(X& x, F&& f) {
  visit_parts(const_cast<std::remove_const_t<X>&>(x), callback<std::is_const_v<X>>(f));
}

}  // namespace raido::ir
