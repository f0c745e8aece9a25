// loop_latency.cc - see loop_latency.h. Each variable has the cycles after the start of the iteration at which it is there, if it depends
// on what the iteration took over.
#include "passes/memory/loop_latency.h"

#include <algorithm>
#include <optional>

#include "compiler/base/flat_map.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/visit.h"

namespace raido {

using namespace ir;

namespace {

bool is_float_product(const Program& p, const Exp& e) {
  auto op = std::get_if<Apply>(&e);
  return op && op->op == ScalarOp::mul && is_float(elem_of(p, op->args[0]));
}
// A product of floats counts where it is used: a sum takes it into one operation.
size_t latency(const Program& p, const Exp& e) {
  auto op = std::get_if<Apply>(&e);
  if (!op) return std::holds_alternative<Convert>(e) ? costs::cpu::float_cycles : 0;
  if (!is_float(elem_of(p, op->args.back()))) return op->op == ScalarOp::mul ? costs::cpu::product_cycles : 1;
  if (op->op == ScalarOp::div || op->op == ScalarOp::sqrt) return costs::cpu::division_cycles;
  return op->op == ScalarOp::mul ? 0 : costs::cpu::float_cycles;
}
bool takes_products(const Exp& e) {
  auto op = std::get_if<Apply>(&e);
  return op && (op->op == ScalarOp::add || op->op == ScalarOp::sub);
}

class Chain {
 public:
  Chain(const Program& p, const For& loop) : p_(p), loop_(loop) {
    for (size_t k = 0; k < loop.state.size(); k++) {
      Var v = loop.state[k].var;
      if (!is_scalar(p.type(v))) arrays_[v] = k;
      else if (!loop.any_order) at_[v] = 0;
    }
    stores_.resize(loop.state.size());
    read_.resize(loop.state.size());
    each_stm(loop.body, [&](const Stm& s) {
      forms_.define(p, s);
      auto store = std::get_if<Update>(&s.exp);
      const size_t* found = store ? arrays_.find(store->array) : nullptr;
      if (!found) return;
      const size_t state = *found;                            // the map may move when it grows
      stores_[state].push_back(&store->at);
      arrays_[s.pattern[0].var] = state;
    });
  }

  size_t length() {
    body(loop_.body);
    size_t most = 0;
    for (size_t k = 0; k < loop_.state.size(); k++) {
      const Atom& next = loop_.body.result[k];
      if (is_scalar(p_.type(next)) || read_[k]) most = std::max(most, at(next).value_or(0) + product(next));
    }
    return most;
  }

 private:
  const Program& p_;
  const For& loop_;
  Forms forms_;
  FlatMap<Var, size_t> at_;                          // what depends on the iteration before, and when it is there
  FlatMap<Var, size_t> arrays_;                      // each version of an array of the state, and the number of that state
  std::vector<std::vector<const std::vector<Selector>*>> stores_;   // of each state: at which indices
  std::vector<bool> read_;                           // of each state: whether earlier stores are read
  VarSet products_;                                  // of floats, which are not counted yet

  std::optional<size_t> at(const Atom& a) const {
    auto v = var_of(a);
    const size_t* found = v ? at_.find(*v) : nullptr;
    return found ? std::optional(*found) : std::nullopt;
  }
  size_t product(const Atom& a) const { auto v = var_of(a); return v && products_.contains(*v) ? costs::cpu::float_cycles : 0; }
  void body(const Body& b) { for (const Stm& s : b.stms) statement(s); }
  void statement(const Stm& s) {
    if (auto branch = std::get_if<If>(&s.exp)) {
      body(branch->then_);
      body(branch->else_);
      for (size_t k = 0; k < s.pattern.size(); k++)
        define(s.pattern[k].var, std::max({at(branch->cond), at(branch->then_.result[k]), at(branch->else_.result[k])}));
      return;
    }
    std::optional<size_t> from = reads_earlier(s.exp) ? std::optional<size_t>(0) : std::nullopt;
    each_use(p_, s, [&](Var v) {
      if (arrays_.contains(v) && !std::holds_alternative<Update>(s.exp)) return;
      if (auto there = at(v)) from = std::max(from, std::optional(*there + (takes_products(s.exp) ? 0 : product(v))));
    });
    if (!from) return;
    if (is_float_product(p_, s.exp)) products_.insert(s.pattern[0].var);
    for (Bind b : s.pattern) define(b.var, *from + latency(p_, s.exp));
  }
  void define(Var v, std::optional<size_t> at) { if (at) at_[v] = *at; }
  // Whether it reads an element that an earlier iteration may have stored: at another index than the stores of its own iteration.
  bool reads_earlier(const Exp& e) {
    auto read = std::get_if<Index>(&e);
    const size_t* k = read ? arrays_.find(read->array) : nullptr;
    if (!k || std::ranges::all_of(stores_[*k], [&](auto* at) { return is_one(*at, read->at); })) return false;
    return read_[*k] = true;
  }
  bool is_one(const std::vector<Selector>& a, const std::vector<Selector>& b) const {
    return std::ranges::equal(a, b, [&](const Selector& x, const Selector& y) {
      auto i = std::get_if<Atom>(&x), j = std::get_if<Atom>(&y);
      return i && j && forms_.of(*i) == forms_.of(*j);
    });
  }
};

}  // namespace

size_t loop_latency(const Program& p, const For& loop) { return Chain(p, loop).length(); }

}  // namespace raido
