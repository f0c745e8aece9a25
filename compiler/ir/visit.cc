// visit.cc - the walk over programs.
#include "compiler/ir/ir.h"

namespace raido::ir {
namespace {

struct Walk {
  const Handlers& handlers;
  void operator()(Var& v) { if (handlers.var) handlers.var(v); }
  void operator()(Atom& a) {
    if (handlers.atom) handlers.atom(a);
    else if (auto v = std::get_if<Var>(&a)) (*this)(*v);
  }
  void operator()(Bind& b) { if (handlers.bind) handlers.bind(b); }
  void operator()(Stm& s) { handle_or_enter(handlers.stm, s); }
  void operator()(Body& b) { handle_or_enter(handlers.body, b); }
  void operator()(Lambda& l) { handle_or_enter(handlers.lambda, l); }
  void operator()(Dest& d) { handle_or_enter(handlers.dest, d); }
  void operator()(Type& t) { match(t, [&](auto& kind) { parts(kind); }); }
  void operator()(Exp& e) { match(e, [&](auto& operation) { parts(operation); }); }

  template <class X> void handle_or_enter(const Handler<X>& handler, X& x) {
    if (handler) handler(x);
    else parts(x);
  }
  template <class X> void parts(X& x) {
    std::apply([&](auto&... part) { (raido::walk(part, *this), ...); }, X::fields(x));
  }
};

}  // namespace

template <Walkable X> void visit(X& x, const Handlers& handlers) { Walk{handlers}(x); }
template <WithParts X> void visit_parts(X& x, const Handlers& handlers) { Walk{handlers}.parts(x); }

template void visit(Type&, const Handlers&);
template void visit(Stm&, const Handlers&);
template void visit(Exp&, const Handlers&);
template void visit(Body&, const Handlers&);
template void visit(Lambda&, const Handlers&);
template void visit(Dest&, const Handlers&);
template void visit_parts(Stm&, const Handlers&);
template void visit_parts(Body&, const Handlers&);
template void visit_parts(Lambda&, const Handlers&);
template void visit_parts(Dest&, const Handlers&);

}  // namespace raido::ir
