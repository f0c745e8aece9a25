// pairs.h - what two statements of a body need to become one: whether the first can stand where the second does.
//
// A body is a list; fusing p into a later c moves p down to c's place. That is legal under three conditions. No statement between depends on
// p and is needed by c. Nothing between consumes what p reads. And c does not consume what moves after it.
#pragma once
#include <optional>
#include <unordered_map>

#include "compiler/ir/aliases.h"

namespace raido {

class Pairs {
 protected:
  explicit Pairs(ir::Program& p) : p_(p), aliases_(p) {}

  ir::Program& p_;
  ir::Aliases aliases_;
  // What is asked of the statements of a body again and again, inner bodies included.
  struct Facts { std::vector<ir::Var> uses, arrays, consumed; };   // each variable once; arrays: those of the uses
  std::unordered_map<const ir::Stm*, Facts> facts_;
  const Facts& facts(const ir::Stm& s);
  bool uses_any(const ir::Stm& s, const ir::VarSet& vars);

  // What the statement at j needs of those before it. `through`: of others between it and those.
  struct Needs { ir::VarSet all, through; };
  const Needs& needs_of(const ir::Body& b, size_t j, std::optional<Needs>& known);
  static bool makes_any(const ir::Stm& s, const ir::VarSet& vars);
  // Whether p (at i) can stand at c (at j); `later` receives what must then stand after c.
  bool movable(ir::Body& b, size_t i, size_t j, std::vector<bool>& later);
  // Puts `fused` at c's place without p and c; what depends on p follows.
  void replace(ir::Body& b, size_t i, size_t j, const std::vector<bool>& later, ir::Stm fused);
  // The checks and attributes of both.
  static void merge(ir::Stm& into, const ir::Stm& from);

  static bool has_loops(const ir::Body& b);
  // Whether a processor does the work of `b` while an iteration of a scan waits.
  bool costs_little(const ir::Body& b) const;

 private:
  bool reads_root_of(const ir::Stm& s, ir::Var array);
  bool consumes_root_of(const ir::Stm& by, const ir::Stm& reader);
};

// Runs `on` on each body. What functions use of the constants must still be there: for the time being it counts as their result.
template <class F> void with_constants(ir::Program& program, F on) {
  ir::VarSet constants;
  for (const ir::Stm& s : program.constants.stms)
    for (ir::Bind x : s.pattern) constants.insert(x.var);
  for (const ir::Function& f : program.functions)
    ir::each_use(program, f, [&](ir::Var v) {
      if (!constants.contains(v)) return;
      constants.erase(v);
      program.constants.result.push_back(v);
    });
  std::vector<ir::Atom> used = program.constants.result;
  program.each_body(on);
  CHECK(program.constants.result == used, "fusion renamed a constant");
  program.constants.result.clear();
}

}  // namespace raido
