// cse.cc - equal expressions once (C2): a statement whose expression stands already in scope takes its results.
//
// Expressions are compared up to the names bound inside, so whole scremas and branches count. Array results are shared
// only if neither copy is consumed; fresh arrays that are consumed somewhere stay apart. Proofs join: the later statement
// needs only the earlier one's checks, which are subsumed because it ran.
#include "compiler/ir/aliases.h"
#include "passes/pass.h"

#include "compiler/ir/transform.h"

namespace raido {
namespace {

using namespace ir;

class Cse {
 public:
  Cse(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p) {
    p.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) {
        for (Var v : aliases_.consumed(s))
          for (Var r : aliases_.roots(v)) consumed_.insert(r);
      });
    });
  }
  void body(Body& b) {
    size_t mark = trail_.size();
    List<Stm> kept;
    for (auto& item : b.stms.take()) {
      rename_in(*item);
      walk_parts(*item, [&](Body& inner) { body(inner); });
      if (duplicate(*item)) continue;
      remember(*item);
      kept.push_back(std::move(item));
    }
    b.stms = std::move(kept);
    rename_in(b.result);
    while (trail_.size() > mark) {
      auto& bucket = known_[trail_.back()];
      bucket.pop_back();
      trail_.pop_back();
    }
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet consumed_;
  VarMap<Var> replaced_;                                  // dropped binder -> the one that stays
  std::unordered_map<uint64_t, std::vector<const Stm*>> known_;
  std::vector<uint64_t> trail_;

  void rename(Var& v) { if (replaced_[v].valid()) v = replaced_[v]; }
  void rename(Atom& a) { if (auto v = std::get_if<Var>(&a)) rename(*v); }
  template <class X> void rename_in(X& x) {
    auto in_var = [&](Var& v) { rename(v); };
    auto in_atom = [&](Atom& atom) { rename(atom); };
    walk(x, overloaded{in_var, in_atom, [&](Bind& bind) { walk(p_.vars[bind.var.index].type, overloaded{in_var, in_atom}); }});
  }
  bool shareable(const Stm& s) const {
    for (Bind b : s.pattern) {
      const Type& t = p_.type(b.var);
      if (is_acc(t) || std::holds_alternative<BlockType>(t)) return false;
      if (is_array(t))
        for (Var r : aliases_.roots(b.var))
          if (consumed_.contains(r)) return false;
    }
    if (!aliases_.consumed(s).empty() || !s.attrs.empty()) return false;
    return match(s.exp, [](const Alloc&) { return false; }, [](const Scratch&) { return false; },
                 [](const auto&) { return true; });
  }
  bool duplicate(Stm& s) {
    if (!shareable(s)) return false;
    auto found = known_.find(hash_of(p_, s.exp));
    if (found == known_.end()) return false;
    for (const Stm* earlier : found->second) {
      if (!alike(p_, earlier->exp, s.exp) || earlier->pattern.size() != s.pattern.size()) continue;
      bool same = true;                                   // places differ at level memory
      for (size_t i = 0; i < s.pattern.size() && p_.level == Memory; i++)
        same = same && same_type(p_.type(earlier->pattern[i].var), p_.type(s.pattern[i].var));
      if (!same || !context_.allow()) continue;
      for (size_t i = 0; i < s.pattern.size(); i++) replaced_[s.pattern[i].var] = earlier->pattern[i].var;
      context_.stats.count("cse.hits");
      return true;
    }
    return false;
  }
  void remember(const Stm& s) {
    if (!shareable(s)) return;
    uint64_t h = hash_of(p_, s.exp);
    known_[h].push_back(&s);
    trail_.push_back(h);
  }
};

}  // namespace

void cse(ir::Program& program, PassContext& context) {
  Cse pass(program, context);
  pass.body(program.constants);
  for (ir::Function& f : program.functions) pass.body(f.lambda.body);
}

}  // namespace raido
