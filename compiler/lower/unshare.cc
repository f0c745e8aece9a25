// unshare.cc - some arrays that the language calls fresh are not copied by lowering (zip, a map that gives its elements back). They
// share memory with what they are made of. Where such memory is updated while somebody still reads the other name, a copy is updated:
//
//   let z = zip u b        let v = copy u
//   let u[0] = x     ==>   let u' = update v [0] x
//   in (z, u)              in ((u, b), u')
//
// What an iteration returns for a state that the next one consumes is copied, too, if it returns the same memory for another state.
//
// One backward walk over each body, with the roots that are read after.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/transform.h"
#include "compiler/lower/lowerer.h"

namespace raido::lower {
namespace {

using namespace ir;

class Unsharing {
 public:
  explicit Unsharing(Program& p) : p_(p), aliases_(p) {}
  void run() {
    p_.each_body([&](Body& b) {
      body(b);
      later_.take_back_to(0);
    });
  }

 private:
  Program& p_;
  Aliases aliases_;
  TrailSet<Var> later_;                                  // roots of what is read after

  void body(Body& b) {
    for (const Atom& a : b.result) if (auto v = var_of(a)) read(*v);
    std::vector<std::pair<size_t, Stm>> copies;          // in reverse, with the statement that they come before
    for (size_t k = b.stms.size(); k-- > 0;) {
      Stm& s = b.stms[k];
      for (Stm& copy : statement(s)) copies.emplace_back(k, std::move(copy));
      if (auto x = std::get_if<If>(&s.exp)) {
        size_t mark = later_.size();
        body(x->then_);
        std::vector<Var> there = later_.take_back_to(mark);
        body(x->else_);
        for (Var r : there) later_.insert(r);
      } else {
        match(s.exp, [&](For& x) { returned(s, x.state, x.body); }, [&](While& x) { returned(s, x.state, x.body); }, [](auto&) {});
        walk_parts(s, [&](Body& inner) { body(inner); });
      }
      walk(std::as_const(s.exp), overloaded{[&](const Var& v) { read(v); }, [](const Body&) {}});
    }
    if (copies.empty()) return;
    std::vector<std::unique_ptr<Stm>> old = b.stms.take();
    for (size_t k = 0; k < old.size(); k++) {
      for (; !copies.empty() && copies.back().first == k; copies.pop_back())
        b.stms.push_back(std::make_unique<Stm>(std::move(copies.back().second)));
      b.stms.push_back(std::move(old[k]));
    }
  }
  void read(Var v) {
    if (is_array(p_.type(v)))
      for (Var r : aliases_.reach(v)) later_.insert(r);
  }
  void returned(const Stm& loop, const std::vector<Bind>& state, Body& b) {
    for (size_t i = 0; i < state.size(); i++) {
      auto v = std::get_if<Var>(&b.result[i]);
      if (!v || !aliases_.consumes(state[i].var)) continue;
      bool shared = false;
      for (size_t k = 0; k < state.size(); k++) shared = shared || (k != i && aliases_.may_alias(b.result[i], b.result[k]));
      if (!shared) continue;
      Var copy = p_.fresh(p_.hint(*v), p_.type(*v));
      b.stms.push_back(Stm{{{copy}}, Copy{*v}, {}, loop.source, {}});
      b.result[i] = copy;
    }
  }
  // Copies for what the statement consumes although it is read after, or by another operand; they are put in.
  std::vector<Stm> statement(Stm& s) {
    std::vector<Stm> made;
    auto consume = [&](Var& v) {
      bool shared = std::ranges::any_of(aliases_.reach(v), [&](Var r) { return later_.contains(r); });
      int uses = 0;
      each_use(p_, s, [&](Var u) { uses += aliases_.may_alias(Atom(u), Atom(v)); });
      if (!shared && uses <= 1) return;
      Var copy = p_.fresh(p_.hint(v), p_.type(v));
      made.push_back(Stm{{{copy}}, Copy{v}, {}, s.source, {}});
      v = copy;
    };
    auto state = [&](std::vector<Atom>& init, const std::vector<Bind>& binds) {
      for (size_t i = 0; i < init.size(); i++)
        if (auto v = std::get_if<Var>(&init[i]); v && is_array(p_.type(*v)) && aliases_.consumes(binds[i].var)) consume(*v);
    };
    each_consumed(p_, s.exp, consume);
    match(s.exp, [&](For& x) { state(x.init, x.state); }, [&](While& x) { state(x.init, x.state); }, [](auto&) {});
    return made;
  }
};

}  // namespace

void unshare(Program& p) { Unsharing(p).run(); }

}  // namespace raido::lower
