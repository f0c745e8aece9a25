// vector_loops.cc - what C compilers make of a loop of the printed program.
#include "backends/kernel/vector_loops.h"

#include "backends/kernel/loop_parts.h"
#include "backends/kernel/steps.h"
#include "backends/kernel/walk.h"

#include <algorithm>
#include <functional>

#include "compiler/base/match.h"

namespace raido::kir {
namespace {

struct Value {
  ExprId value;
  Name declared = {}, assigned = {};                       // what becomes it, if it is a variable
  bool side = false;                                       // in a branch
};

// Calls f of each value that the statements compute. Loops for vectors have no others.
template <class F> void each_value(const Block& b, const F& f, bool side = false) {
  for (const Stm& s : b)
    match(s.node, [&](const Declare& d) { if (d.init) f(Value{*d.init, d.var, {}, side}); }, [&](const Assign& a) { f(Value{a.value, {}, a.var, side}); },
          [&](const Store& w) { f(Value{w.index, {}, {}, side}); f(Value{w.value, {}, {}, side}); },
          [&](const If& x) { f(Value{x.cond, {}, {}, side}); each_value(x.then_, f, true); each_value(x.else_, f, true); }, [](const auto&) {});
}

}  // namespace

VectorLoop::VectorLoop(const Module& m, const For& x) : m_(m), x_(x) {
  own_.insert(x.i);
  Steps steps(m, x.i);
  std::function<void(const Block&)> note = [&](const Block& b) {
    for (const Stm& s : b) {
      match(s.node, [&](const Declare& d) { own_.insert(d.var); steps.declare(d.var, d.init ? &*d.init : nullptr); }, [&](const Assign& a) { own_.insert(a.var); },
            [](const auto&) {});                           // others have no numbers
      each_body(s, note);
    }
  };
  note(x.body);
  int narrowest = 8;                                       // bytes of a number
  std::vector<std::pair<ExprId, bool>> found;              // and whether it is in a branch
  each_value(x.body, [&](const Value& v) {
    any_part(m, v.value, [&](ExprId e) {
      const Scalar s = m.exprs[e.index].type;
      if (s != Scalar::Bool) narrowest = std::min(narrowest, bytes_of(s));
      if (auto l = std::get_if<Load>(&m.exprs[e.index].node); l && steps.of(l->index) == -1) found.push_back({e, v.side});
      return false;
    });
  });
  for (auto [load, side] : found) if (side || bytes_of(m.exprs[load.index].type) > narrowest) backward_.push_back(load);
}

bool VectorLoop::is_given(ExprId e) const {
  return !any_part(m_, e, [&](ExprId part) {
    auto n = std::get_if<Name>(&m_.exprs[part.index].node);
    return n ? own_.contains(*n) : std::holds_alternative<Load>(m_.exprs[part.index].node);
  });
}
bool VectorLoop::divides_by_given(ExprId e) const {
  using enum ScalarOp;
  auto p = std::get_if<Prim>(&m_.exprs[e.index].node);
  bool runs_as_vectors = !x_.scattered && !x_.rest && !x_.few && !x_.pairs;
  return runs_as_vectors && p && is_integer(p->at) && (p->op == div || p->op == mod || p->op == quot || p->op == rem) && is_without_vectors(m_, e) && is_given(p->args[1]);
}
std::vector<ExprId> VectorLoop::given_divisors() const {
  std::vector<ExprId> found;
  each_value(x_.body, [&](const Value& v) {
    any_part(m_, v.value, [&](ExprId e) {
      if (!divides_by_given(e)) return false;
      ExprId divisor = std::get<Prim>(m_.exprs[e.index].node).args[1];
      if (std::ranges::find(found, divisor) == found.end()) found.push_back(divisor);
      return false;
    });
  });
  return found;
}

std::vector<Name> VectorLoop::given_conditions() const {
  std::vector<Name> found;
  bool nested = false;
  for (const Stm& s : x_.body)
    each_body(s, [&](const Block& side) { for (const Stm& inner : side) nested = nested || std::holds_alternative<If>(inner.node); });
  if (nested) return {};
  auto take = [&](ExprId e) {
    each_name(m_, e, [&](Name n) {
      if (m_.names[n.index].type == Scalar::Bool && !m_.names[n.index].memory && !own_.contains(n) && std::ranges::find(found, n) == found.end()) found.push_back(n);
    });
  };
  each_value(x_.body, [&](const Value& v) {
    if (m_.exprs[v.value.index].type == Scalar::Bool && !v.declared.valid() && !v.assigned.valid()) take(v.value);   // of a branch
    any_part(m_, v.value, [&](ExprId e) {
      if (auto p = std::get_if<Prim>(&m_.exprs[e.index].node); p && p->op == ScalarOp::select) take(p->args[0]);
      return false;
    });
  });
  return found;
}

Widths VectorLoop::widths() const {
  bool scalar = false, widest = false;
  each_value(x_.body, [&](const Value& v) {
    any_part(m_, v.value, [&](ExprId e) {
      if (is_without_vectors(m_, e)) (divides_by_given(e) ? widest : scalar) = true;
      return false;
    });
  });
  if (!x_.lanes && (scalar || !computes_or_chooses(x_.body) || !stores_by_counter())) return Widths::None;
  for (const Stm& s : x_.body) {
    auto next = std::get_if<Assign>(&s.node);
    if (!x_.lanes && next && std::ranges::none_of(x_.reduced, [&](const Reduced& r) { return r.var == next->var; }) && !combines_integers(*next)) return Widths::None;
  }
  return widest && !x_.lanes ? Widths::Widest : Widths::All;
}
// Whether the iterations combine integers: let y = op(x, ..); x = y, where the operands may come in any order, and nothing else reads x or y.
bool VectorLoop::combines_integers(const Assign& a) const {
  auto made = std::get_if<Name>(&m_.exprs[a.value.index].node);
  if (!made) return false;
  const Prim* op = nullptr;
  size_t reads = 0;
  each_value(x_.body, [&](const Value& v) {
    if (v.declared == *made) op = std::get_if<Prim>(&m_.exprs[v.value.index].node);
    each_name(m_, v.value, [&](Name n) { reads += n == a.var || n == *made; });
  });
  if (!op || reads != 2 || !is_integer(op->at)) return false;
  switch (op->op) {
    case ScalarOp::add: case ScalarOp::mul: case ScalarOp::min: case ScalarOp::max: case ScalarOp::and_: case ScalarOp::or_: case ScalarOp::xor_: break;
    default: return false;
  }
  return std::ranges::any_of(op->args, [&](ExprId e) { auto n = std::get_if<Name>(&m_.exprs[e.index].node); return n && *n == a.var; });
}
// Whether what the iterations store lies at places that no element of an array, nor a float, decides.
bool VectorLoop::stores_by_counter() const {
  IdSet<Name> elsewhere;
  auto follows = [&](ExprId e) {
    return !any_part(m_, e, [&](ExprId part) {
      return match(m_.exprs[part.index].node, [](const Load&) { return true; }, [&](Name n) { return elsewhere.contains(n); },
                   [&](const Cast& c) { return is_float(m_.exprs[c.value.index].type); }, [](const auto&) { return false; });
    });
  };
  bool by_counter = true;
  std::function<void(const Block&)> look = [&](const Block& b) {
    for (const Stm& s : b) {
      auto name = std::get_if<Declare>(&s.node);
      auto store = std::get_if<Store>(&s.node);
      if (name && name->init && !follows(*name->init)) elsewhere.insert(name->var);
      by_counter = by_counter && !(store && !follows(store->index));
      each_body(s, look);
    }
  };
  look(x_.body);
  return by_counter;
}

std::vector<Name> VectorLoop::general() const {
  if (stores_by_counter()) return {};
  IdSet<Name> stored, cells;                               // arrays, and what is read of them
  std::function<void(const Block&)> look = [&](const Block& b) {
    for (const Stm& s : b) {
      if (auto w = std::get_if<Store>(&s.node)) stored.insert(w->memory);
      each_body(s, look);
    }
  };
  look(x_.body);
  each_value(x_.body, [&](const Value& v) {
    auto l = v.declared.valid() ? std::get_if<Load>(&m_.exprs[v.value.index].node) : nullptr;
    if (l && stored.contains(l->memory)) cells.insert(v.declared);
  });
  std::vector<Name> found;
  each_value(x_.body, [&](const Value& v) {
    auto p = std::get_if<Prim>(&m_.exprs[v.value.index].node);
    if (!p || (p->op != ScalarOp::min && p->op != ScalarOp::max) || !is_integer(p->at) || bytes_of(p->at) < 4) return;
    for (ExprId e : p->args)
      if (auto n = std::get_if<Name>(&m_.exprs[e.index].node); n && own_.contains(*n) && *n != x_.i && !cells.contains(*n)) found.push_back(*n);
  });
  return found;
}

std::vector<Const> VectorLoop::met_by_functions() const {
  std::vector<Const> found;
  bool calls = false;
  auto take = [&](ExprId e) {
    auto c = m_.const_of(e);
    if (c && (c->type == Scalar::F64 || c->type == Scalar::F32) && std::ranges::find(found, *c) == found.end()) found.push_back(*c);
  };
  each_value(x_.body, [&](const Value& v) {
    if (v.side && v.assigned.valid()) take(v.value);
    any_part(m_, v.value, [&](ExprId part) {
      auto p = std::get_if<Prim>(&m_.exprs[part.index].node);
      calls = calls || (p && is_float(p->at) && is_call(p->op));
      if (p && (p->op == ScalarOp::min || p->op == ScalarOp::max || p->op == ScalarOp::select)) for (ExprId a : p->args) take(a);
      return false;
    });
  });
  return calls ? found : std::vector<Const>{};
}

bool VectorLoop::calls_of_counter() const {
  if (x_.lanes || !m_.const_of(x_.from) || !only_computes(x_.body)) return false;
  IdSet<Name> read;                                        // they are made of elements of arrays
  auto reads = [&](ExprId e) {
    return any_part(m_, e, [&](ExprId part) {
      auto n = std::get_if<Name>(&m_.exprs[part.index].node);
      return n ? read.contains(*n) : std::holds_alternative<Load>(m_.exprs[part.index].node);
    });
  };
  auto calls = [&](ExprId e) {
    return any_part(m_, e, [&](ExprId part) {
      auto p = std::get_if<Prim>(&m_.exprs[part.index].node);
      auto c = std::get_if<Cast>(&m_.exprs[part.index].node);
      auto rounds = [](ScalarOp op) { return op == ScalarOp::floor || op == ScalarOp::ceil || op == ScalarOp::trunc || op == ScalarOp::round; };
      bool call = p && is_float(p->at) && (is_call(p->op) || rounds(p->op));
      bool truncates = c && is_float(m_.exprs[c->value.index].type) && is_integer(m_.exprs[part.index].type);
      return (call || truncates) && !reads(part);
    });
  };
  bool found = false;
  each_value(x_.body, [&](const Value& v) {
    found = found || calls(v.value);
    if (reads(v.value)) for (Name n : {v.declared, v.assigned}) if (n.valid()) read.insert(n);
  });
  return found;
}

}  // namespace raido::kir
