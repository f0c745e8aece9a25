// simplify.cc - the engine: rules of simplify.h to a fixed point.
//
// A body is walked top-down. Each statement first takes the replacements found so far, then its operation's rules until
// all decline, then its inner bodies. A body in which a rule fired, or in a body of its statements, is walked again. What comes before
// the first change then keeps its inner bodies as they are, so that the time does not grow with the depth. Every rule makes the
// program smaller or simpler by a measure of its own, and a limit of rounds stops a mistake in that.
#include "passes/simplify/simplify.h"

#include <unordered_set>

#include "compiler/ir/aliases.h"
#include "compiler/ir/costs.h"

namespace raido {
namespace {

using namespace ir;
using namespace simplification;


class Simplifier {
 public:
  Simplifier(Program& p, PassContext& context) : p_(p), context_(context), facts_(p) {
    Aliases aliases(p);
    consumed_ = aliases.own_memory();
    // A view of a consumed array may not take the place of another array either.
    for (uint32_t i = 0; i < p.vars.size(); i++)
      if (is_array(p.vars[i].type) && aliases.has_root_in({i}, consumed_)) consumed_.insert({i});
  }
  void run() {
    for (Function& f : p_.functions) for (Bind b : f.lambda.params) facts_.bound(b.var);
    body(p_.constants, 0);
    for (Function& f : p_.functions) body(f.lambda.body, 0);
  }

 private:
  Program& p_;
  PassContext& context_;
  Facts facts_;
  Definitions definitions_;
  VarSet consumed_;
  Subst replaced_;                                       // only grows
  std::unordered_set<const Stm*> fresh_;                 // made by rules and not looked at since

  // `since`: how many replacements have been made in `whole` already.
  // Whether a rule fired in it.
  bool body(Body& whole, size_t since) {
    size_t mark = facts_.mark();
    bool fired = true, ever = false;
    for (int round = 0; round < costs::simplify_rounds && fired; round++) {
      facts_.forget_since(mark);                         // a later statement proves nothing about an earlier assertion
      size_t before = replaced_.size();
      fired = walk_once(whole, since, round > 0);
      ever = ever || fired;
      since = before;
    }
    facts_.forget_since(mark);
    return ever;
  }
  // `again`: it has been walked, and what is before the first rule that fires now is as it was then.
  bool walk_once(Body& whole, size_t since, bool again) {
    bool fired = false;
    Builder b(p_, whole.stms);
    b.into(whole, [&](List<Stm>& stms) {
      for (auto& item : stms.take()) fired = statement(b, whole, std::move(item), since, again && !fired) || fired;
    });
    make_replacements(whole.result, since);
    return fired;
  }
  bool statement(Builder& b, Body& whole, std::unique_ptr<Stm> item, size_t since, bool as_it_was) {
    Stm& s = *item;
    bool fresh = fresh_.erase(&s) > 0, replaced = make_replacements(s, since);
    size_t made_here = replaced_.size();
    drop_known_proofs(s);
    b.source = s.source;
    b.checks = s.checks;
    size_t before = whole.stms.size();
    bool fired = false, inside = false;
    for (int tries = 0; tries < costs::simplify_tries; tries++) {
      Rewrite r = try_rules(b, s);
      if (r.kind == Rewrite::Kind::Declined) break;
      fired = true;
      if (r.kind == Rewrite::Kind::Changed) continue;
      // What was made just now carries the checks of s; a value from elsewhere must not lose them.
      VarSet made;
      for (size_t i = before; i < whole.stms.size(); i++)
        for (Bind x : whole.stms[i].pattern) made.insert(x.var);
      for (size_t i = 0; i < s.pattern.size(); i++) {
        Atom to = r.values.at(i);
        bool guarded = b.checks.empty() || (var_of(to) && made.contains(*var_of(to))) || is_check(p_.type(to));
        if (!guarded) to = b.bind1(p_.hint(s.pattern[i].var), Identity{to});
        replaced_.insert_or_assign(s.pattern[i].var, to);
        if (auto v = var_of(to); v && consumed_.contains(s.pattern[i].var)) consumed_.insert(*v);   // what was consumed, is
      }
      define_new(whole, before);
      return true;
    }
    define_new(whole, before);
    if (fired || fresh || replaced || !as_it_was) facts_.in_bodies(s, [&](Body& inner) { inside = body(inner, made_here) || inside; });
    whole.stms.push_back(std::move(item));
    define(whole.stms.back());
    return fired || inside;
  }
  // assert true is a proof of nothing: its users forget it, and it dies                                [S12]
  void drop_known_proofs(Stm& s) {
    auto known = [&](Var v) {
      auto a = definitions_.get<Assert>(v);
      auto c = a ? const_of(a->cond) : nullptr;
      return c && c->bits;
    };
    if (size_t n = std::erase_if(s.checks, known)) context_.stats.count("simplify.S12", int64_t(n));
  }
  // Whether there was one to make.
  template <class X> bool make_replacements(X& x, size_t since) {
    if (since == replaced_.size()) return false;
    bool made = false;
    auto in_atom = [&](Atom& a) {
      for (auto v = var_of(a); v; v = var_of(a)) {       // what it is replaced by may have been replaced later
        auto found = replaced_.find(*v);
        if (found == replaced_.end()) return;
        a = found->second;
        made = true;
      }
    };
    auto in_var = [&](Var& v) {
      Atom a = v;
      in_atom(a);
      auto to = var_of(a);
      CHECK(to, "a constant cannot take the place of the array `{}`", p_.hint(v));
      v = *to;
    };
    walk(x, overloaded{in_var, in_atom, [&](Bind& b) { walk(p_.vars[b.var.index].type, overloaded{in_var, in_atom}); }});
    return made;
  }
  void define_new(Body& whole, size_t from) {
    for (size_t i = from; i < whole.stms.size(); i++) {
      define(whole.stms[i]);
      fresh_.insert(&whole.stms[i]);
    }
  }
  void define(const Stm& s) {
    definitions_.add(s);
    facts_.bind(s);
  }
  Rewrite try_rules(Builder& b, Stm& s) {
    return match(s.exp, [&]<class Op>(Op& op) -> Rewrite {
      for (const Rule<Op>& rule : rules<Op>()) {
        Site site{p_, b, s, facts_, definitions_, consumed_, context_};
        b.checks = s.checks;
        Rewrite r = rule.apply(site, op);
        if (r.kind == Rewrite::Kind::Declined) continue;
        if (r.kind == Rewrite::Kind::Changed) s.checks = b.checks;
        context_.stats.count(std::string("simplify.") + std::string(rule.id));
        return r;
      }
      return no;
    });
  }
};

}  // namespace

void simplify(ir::Program& program, PassContext& context) { Simplifier(program, context).run(); }

}  // namespace raido
