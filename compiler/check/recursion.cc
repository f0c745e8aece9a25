// Recursive functions can be compiled because their functional arguments never change. Every self-reference of a function with such
// parameters is a saturated call that passes them on as they are. And no result is a function.
#include "compiler/check/recursion.h"

#include <unordered_set>

#include "compiler/syntax/children.h"

namespace raido::check {
namespace {

class Recursion {
 public:
  Recursion(Context& context, const ast::Def& def, const Scheme& scheme) : c(context), types(context.types), def_(def) {
    TypeRef t = scheme.type;
    for (ast::Pat* p : def.params) {
      auto* f = types.as<FunType>(t);
      if (!f) break;
      functional_.push_back(c.has_function(f->param) ? name(p) : nullptr);
      is_functional_.push_back(c.has_function(f->param));
      t = f->result;
    }
    if (c.has_function(t)) c.diags.report(def.name_span, err::recursive_result, c.text(def.self->name));
    for (bool f : is_functional_) any_ |= f;
  }

  void body(const ast::Expr* root) {
    if (!any_) return;
    std::unordered_set<const ast::Expr*> called;                     // the function of a call that was looked at
    ast::each_expression(root, [&](const ast::Expr* e) {
      if (auto* a = std::get_if<ast::Apply>(&e->node); a && is_self(a->fun)) {
        call(e, a->args);
        called.insert(a->fun);
      }
      else if (auto* o = std::get_if<ast::Operator>(&e->node); o && is_self(o->op)) {
        ast::Expr* args[] = {o->left, o->right};
        call(e, args);
        called.insert(o->op);
      }
      else if (is_self(e) && !called.contains(e)) c.diags.report(e->span, err::recursive_value, c.text(def_.self->name));
      return true;
    });
  }

 private:
  bool is_self(const ast::Expr* e) const {
    auto* r = std::get_if<ast::Ref>(&e->node);
    return r && r->path.root == def_.self && r->path.members.empty();
  }
  static Binding* name(const ast::Pat* p) {
    if (auto* v = std::get_if<ast::PVar>(&p->node)) return v->var;
    if (auto* a = std::get_if<ast::PAscribe>(&p->node)) return name(a->pat);
    if (auto* a = std::get_if<ast::PAttr>(&p->node)) return name(a->pat);
    return nullptr;
  }
  void call(const ast::Expr* e, std::span<ast::Expr* const> args) {
    if (args.size() < def_.params.size()) {
      c.diags.report(e->span, err::recursive_unsaturated, c.text(def_.self->name));
      return;
    }
    for (size_t i = 0; i < is_functional_.size(); i++) {
      if (!is_functional_[i]) continue;
      auto* r = std::get_if<ast::Ref>(&args[i]->node);
      if (!r || !functional_[i] || r->path.root != functional_[i] || !r->path.members.empty())
        c.diags.report(args[i]->span, err::recursive_argument, functional_[i] ? c.text(functional_[i]->name) : "the parameter");
    }
  }

  Context& c;
  Types& types;
  const ast::Def& def_;
  std::vector<Binding*> functional_;
  std::vector<bool> is_functional_;
  bool any_ = false;
};

}  // namespace

void check_recursion(Context& c, const ast::Def& def, const Scheme& scheme) {
  if (def.recursive) Recursion(c, def, scheme).body(def.body);
}

}  // namespace raido::check
