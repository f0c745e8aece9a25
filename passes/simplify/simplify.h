// simplify.h - what a rule sees and what it may answer.
//
// A rule looks at one operation and does one of three things. It declines, or gives values for the statement's results
// (emitting what it needs before). Or it changes the statement in place and has the rules tried again.
#pragma once
#include <algorithm>
#include <span>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/facts.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido::simplification {

struct Rewrite {
  enum class Kind : uint8_t { Declined, Values, Changed } kind = Kind::Declined;
  std::vector<ir::Atom> values;
  Rewrite() = default;
  Rewrite(std::vector<ir::Atom> v) : kind(Kind::Values), values(std::move(v)) {}
  Rewrite(ir::Atom a) : kind(Kind::Values), values{std::move(a)} {}
  Rewrite(ir::Var v) : Rewrite(ir::Atom(v)) {}
  Rewrite(const ir::Term& t) : Rewrite(t.atom) {}
};
inline const Rewrite no{};
inline Rewrite changed() { Rewrite r; r.kind = Rewrite::Kind::Changed; return r; }

struct Site {
  ir::Program& p;
  ir::Builder& b;                      // emits before the statement, with its source and proofs
  ir::Stm& stm;
  const ir::Facts& facts;
  const ir::Definitions& definitions;
  const ir::VarSet& consumed;          // Aliases::own_memory: such arrays keep their identity
  const PassContext& context;

  // The defining operation of a variable in scope, if it is a T. What is made from it needs its proofs, too.
  template <class T> const T* definition(const ir::Atom& a) const {
    const ir::Stm* s = definitions.of(a);
    const T* found = s ? std::get_if<T>(&s->exp) : nullptr;
    for (size_t i = 0; found && i < s->checks.size(); i++)
      if (std::ranges::find(b.checks, s->checks[i]) == b.checks.end()) b.checks.push_back(s->checks[i]);
    return found;
  }
  ir::Term term(const ir::Atom& a) const { return b.term(a); }
  Scalar elem(const ir::Atom& a) const { return ir::elem_of(p, a); }
  ir::Var result(size_t i = 0) const { return stm.pattern[i].var; }
  // Sharing x in place of a fresh array is safe only if nobody consumes either.
  bool shareable(ir::Var x) const { return !ir::is_array(p.type(x)) || !consumed.contains(x); }
  // What an earlier statement read may be read again here: nobody consumed it in between.
  bool lasts(const ir::Atom& x) const { auto v = ir::var_of(x); return !v || shareable(*v); }
};

template <class Op> struct Rule {
  std::string_view id;                 // of the rule table; its golden test has this name
  Rewrite (*apply)(Site&, Op&);
};
// The rules of an operation, in the order in which they are tried.
template <class Op> std::span<const Rule<Op>> rules() { return {}; }
template <> std::span<const Rule<ir::Apply>> rules<ir::Apply>();
template <> std::span<const Rule<ir::Convert>> rules<ir::Convert>();
template <> std::span<const Rule<ir::Identity>> rules<ir::Identity>();
template <> std::span<const Rule<ir::If>> rules<ir::If>();
template <> std::span<const Rule<ir::For>> rules<ir::For>();
template <> std::span<const Rule<ir::Index>> rules<ir::Index>();
template <> std::span<const Rule<ir::Update>> rules<ir::Update>();
template <> std::span<const Rule<ir::Permute>> rules<ir::Permute>();
template <> std::span<const Rule<ir::Reshape>> rules<ir::Reshape>();
template <> std::span<const Rule<ir::Copy>> rules<ir::Copy>();
template <> std::span<const Rule<ir::Concat>> rules<ir::Concat>();
template <> std::span<const Rule<ir::Screma>> rules<ir::Screma>();
template <> std::span<const Rule<ir::While>> rules<ir::While>();
template <> std::span<const Rule<ir::WithAcc>> rules<ir::WithAcc>();

}  // namespace raido::simplification
