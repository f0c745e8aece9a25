// visit.cc - the walk over programs.
#include "compiler/ir/ir.h"

namespace raido::ir {
namespace {

// Most walks look for bodies only: without handlers of uses or binders, the compiler leaves out the loops over them.
template <bool uses, bool binds> struct Walk {
  void* function;
  const Handlers& handlers;
  void operator()(Var& v) {
    if constexpr (uses) if (handlers.var) handlers.var(function, v);
  }
  void operator()(Atom& a) {
    if constexpr (!uses) return;
    else if (handlers.atom) handlers.atom(function, a);
    else if (auto v = std::get_if<Var>(&a)) (*this)(*v);
  }
  void operator()(Bind& b) {
    if constexpr (binds) handlers.bind(function, b);
  }
  void operator()(Stm& s) { handle_or_enter(handlers.stm, s); }
  void operator()(Body& b) { handle_or_enter(handlers.body, b); }
  void operator()(Lambda& l) { handle_or_enter(handlers.lambda, l); }
  void operator()(Dest& d) { handle_or_enter(handlers.dest, d); }
  void operator()(Type& t) { match(t, [&](auto& kind) { parts(kind); }); }
  void operator()(Exp& e) { match(e, [&](auto& operation) { parts(operation); }); }

  template <class X> void handle_or_enter(void (*handler)(void*, X&), X& x) {
    if (handler) handler(function, x);
    else parts(x);
  }
  template <class X> void parts(X& x) {
    std::apply([&](auto&... part) { (raido::walk(part, *this), ...); }, X::fields(x));
  }
};

template <class F> void with_walk(Callback f, F go) {
  bool uses = f.handlers.var || f.handlers.atom;
  if (uses && f.handlers.bind) go(Walk<true, true>{f.function, f.handlers});
  else if (uses) go(Walk<true, false>{f.function, f.handlers});
  else if (f.handlers.bind) go(Walk<false, true>{f.function, f.handlers});
  else go(Walk<false, false>{f.function, f.handlers});
}

}  // namespace

template <Walkable X> void visit(X& x, Callback f) { with_walk(f, [&](auto walk) { walk(x); }); }
template <WithParts X> void visit_parts(X& x, Callback f) { with_walk(f, [&](auto walk) { walk.parts(x); }); }

template void visit(Type&, Callback);
template void visit(Stm&, Callback);
template void visit(Exp&, Callback);
template void visit(Body&, Callback);
template void visit(Lambda&, Callback);
template void visit(Dest&, Callback);
template void visit_parts(Stm&, Callback);
template void visit_parts(Body&, Callback);
template void visit_parts(Lambda&, Callback);
template void visit_parts(Dest&, Callback);

}  // namespace raido::ir
