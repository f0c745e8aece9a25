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

template <class T> struct Handler {
  void* function = nullptr;            // none: the walk looks inside of the part
  void (*call)(void*, T&) = nullptr;
  explicit operator bool() const { return call != nullptr; }
  void operator()(T& x) const { call(function, x); }
};
struct Handlers {
  Handler<Var> var;
  Handler<Atom> atom;
  Handler<Bind> bind;
  Handler<Stm> stm;
  Handler<Body> body;
  Handler<Lambda> lambda;
  Handler<Dest> dest;
};

template <class T> concept Walkable =
    std::same_as<T, Type> || std::same_as<T, Stm> || std::same_as<T, Exp> || std::same_as<T, Body> || std::same_as<T, Lambda> || std::same_as<T, Dest>;
template <class T> concept WithParts = std::same_as<T, Stm> || std::same_as<T, Body> || std::same_as<T, Lambda> || std::same_as<T, Dest>;
template <Walkable X> void visit(X& x, const Handlers& handlers);
template <WithParts X> void visit_parts(X& x, const Handlers& handlers);

template <bool is_const, class F> Handlers handlers_of(F& f) {
  Handlers handlers;
  auto set = [&]<class T>(Handler<T>& handler) {
    using Part = std::conditional_t<is_const, const T&, T&>;
    if constexpr (std::invocable<F&, Part>)
      handler = {const_cast<void*>(static_cast<const void*>(&f)), [](void* function, T& x) { (*static_cast<F*>(function))(static_cast<Part>(x)); }};
  };
  set(handlers.var), set(handlers.atom), set(handlers.bind), set(handlers.stm), set(handlers.body), set(handlers.lambda), set(handlers.dest);
  return handlers;
}

template <class X, class F> requires Walkable<std::remove_const_t<X>> void walk(X& x, F&& f) {
  if constexpr (std::invocable<F&, X&>) f(x);
  else visit(const_cast<std::remove_const_t<X>&>(x), handlers_of<std::is_const_v<X>>(f));
}
template <class X, class F> requires WithParts<std::remove_const_t<X>> void walk_parts(X& x, F&& f) {
  visit_parts(const_cast<std::remove_const_t<X>&>(x), handlers_of<std::is_const_v<X>>(f));
}

}  // namespace raido::ir
