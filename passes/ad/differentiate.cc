// differentiate.cc - replaces jvp and vjp by derivative code, innermost operators first, until none is left.
//
// After one round all operators whose lambda held no other are gone, and what they left is ordinary core code, which the
// next round may differentiate again. The program is simplified in between, so that records of records do not appear.
// Custom derivatives that nobody differentiates are their function.
#include "passes/ad/differentiate.h"

#include "compiler/ir/rewrite.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

bool is_operator(const Exp& e) { return std::holds_alternative<Jvp>(e) || std::holds_alternative<Vjp>(e); }

class Differentiation {
 public:
  Differentiation(Program& p, PassContext& context) : p_(p), context_(context) {}
  size_t expanded = 0;

  // Returns whether the body held an operator before.
  bool body(Body& whole) {
    bool found = false;
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      bool inner = false;
      walk_parts(s, [&](Body& part) { inner = body(part) || inner; });
      found = found || inner || is_operator(s.exp);
      if (!is_operator(s.exp) || inner || !context_.refused.empty()) return false;
      std::vector<Atom> values = match(s.exp, [&](Vjp& x) { return ad::expand_vjp(b, context_, std::move(x)); },
                                       [&](Jvp& x) { return ad::expand_jvp(b, context_, std::move(x)); },
                                       [](auto&) { return std::vector<Atom>{}; });
      for (size_t i = 0; i < s.pattern.size(); i++) results.emplace(s.pattern[i].var, values.at(i));
      expanded++;
      context_.stats.count("ad.operators");
      return true;
    });
    return found;
  }
  void drop_custom(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& part) { drop_custom(part); });
      auto custom = std::get_if<Custom>(&s.exp);
      if (!custom) return false;
      std::vector<Atom> values = b.inline_once(std::move(custom->f), custom->args);
      for (size_t i = 0; i < s.pattern.size(); i++) results.emplace(s.pattern[i].var, values[i]);
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
};

}  // namespace

void differentiate(ir::Program& program, PassContext& context) {
  Differentiation pass(program, context);
  for (;;) {
    bool found = false;
    program.each_body([&](ir::Body& b) { found = pass.body(b) || found; });
    if (!found || !context.refused.empty()) break;
    static const Pipeline tidy = {pass::simplify, pass::cse, pass::dce, pass::split};
    run(tidy, program, context);
  }
  program.each_body([&](ir::Body& b) { pass.drop_custom(b); });
}

}  // namespace raido
