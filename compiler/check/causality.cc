// Causality: a size must be computed before it is needed. Walks the body in evaluation order with the unknown sizes that exist so far;
// a name whose type mentions another one is needed too early.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "compiler/check/sizes.h"
#include "compiler/syntax/children.h"

namespace raido::check {
namespace {

class Causality {
 public:
  Causality(Context& context, const FlatMap<const Binding*, Made>& made, const ast::Def& def) : c(context), types(context.types), made_(made), def_(def) {}

  void exp(const ast::Expr* e) {
    if (std::get_if<ast::Operator>(&e->node)) operators(e);
    else if (ast::is_let(*e) || std::get_if<ast::If>(&e->node)) chain(e);
    else part(e);
  }

 private:
  // Chains are walked, not descended into.
  void operators(const ast::Expr* e) {
    std::vector<const ast::Expr*> links;
    for (; auto* o = std::get_if<ast::Operator>(&e->node); e = o->left) links.push_back(e);
    exp(e);
    for (size_t k = links.size(); k-- > 0;) {
      auto& o = std::get<ast::Operator>(links[k]->node);
      exp(o.right);
      exp(o.op);
      know(links[k]->type);
    }
  }

  // Of `let` and `if`; the rest of the chain after its first `if` is inside a branch.
  void chain(const ast::Expr* e) {
    std::vector<const ast::Expr*> links;
    std::optional<size_t> known;                     // before the first branch
    while (ast::is_let(*e) || std::get_if<ast::If>(&e->node)) {
      if (!known) links.push_back(e);
      if (auto* l = std::get_if<ast::Let>(&e->node)) {
        exp(l->value);
        know(l->pat->type);
        e = l->body;
      }
      else if (auto* f = std::get_if<ast::LetFun>(&e->node)) {
        inside([&] { exp(f->def->body); });
        e = f->body;
      }
      else {
        auto& i = std::get<ast::If>(e->node);
        exp(i.cond);
        if (!known) known = order_.size();
        inside([&] { exp(i.then_); });
        e = i.else_;
      }
    }
    exp(e);
    if (known) forget(*known);
    for (const ast::Expr* link : links) know(link->type);
  }

  void part(const ast::Expr* e) {
    match(e->node,
        [&](const ast::Ref&) { need(e->type, e->span, e); },
        [&](const ast::Hole&) { need(e->type, e->span); },
        [&](const ast::ArrayLit& a) {
          for (ast::Expr* x : a.elems) exp(x);
          if (a.elems.empty()) need(e->type, e->span);
        },
        [&](const ast::Construct& k) {
          for (ast::Expr* x : k.args) exp(x);
          need(e->type, e->span);
        },
        [&](const ast::Apply& a) {
          for (size_t i = a.args.size(); i-- > 0;) exp(a.args[i]);
          exp(a.fun);
        },
        [&](const ast::Section& s) {
          exp(s.op);                       // the section is made of it before its operand is known
          if (s.left) exp(s.left);
          if (s.right) exp(s.right);
        },
        [&](const ast::Lambda& l) {
          for (const ast::Pat* p : l.params) need(p->type, p->span);
          inside([&] { exp(l.body); });
        },
        [&](const ast::Match& m) {
          exp(m.on);
          for (const ast::Case& k : m.cases) inside([&] { know(k.pat->type); exp(k.body); });
        },
        [&](const ast::Loop& l) {
          if (l.form != ast::Loop::Form::While) exp(l.bound);
          exp(l.init);
          inside([&] {
            know(l.state->type);
            if (l.index) know(l.index->type);
            if (l.form == ast::Loop::Form::While) exp(l.bound);
            exp(l.body);
          });
        },
        [&](const auto&) { parts(e); });
    know(e->type);
  }
  void parts(const ast::Expr* e) { ast::each_child(*e, [&](const ast::Expr* child) { exp(child); }); }   // as written

  template <class F> void inside(F&& f) {
    size_t before = order_.size();
    f();
    forget(before);
  }
  void forget(size_t from) {
    for (size_t i = from; i < order_.size(); i++) known_.erase(order_[i]);
    order_.resize(from);
  }
  template <class F> void each_unknown(TypeRef t, F&& f) {
    visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) {
      c.each_name(s, [&](Binding* b) {
        if (b->kind == Binding::Kind::UnknownSize && made_.contains(b)) f(b);
      });
    });
  }
  bool bound_inside(TypeRef t, Binding* b) {
    bool found = false;
    visit_type(types, t, [&](TypeRef x) {
      if (auto* fun = types.as<FunType>(x)) found |= std::find(fun->exists.begin(), fun->exists.end(), b) != fun->exists.end();
    }, [](SizeRef) {});
    return found;
  }
  void know(TypeRef t) {
    each_unknown(t, [&](Binding* b) { if (known_.insert(b).second) order_.push_back(b); });
  }
  void need(TypeRef t, Span at, const ast::Expr* ref = nullptr) {
    each_unknown(t, [&](Binding* b) {
      if (reported_ || known_.contains(b) || bound_inside(t, b)) return;
      reported_ = true;
      if (ref && parameter(std::get<ast::Ref>(ref->node)) && differs(*ref, b)) return;
      std::string name = c.show(types.add(Size{NameSize{b}}));
      c.diags.report(at, err::causality, name).note("`" + name + "` is " + made_.find(b)->shown(c)).help("bind the value that has this size with `let` first");
    });
  }

  // A name that a function has before anything in its body is computed.
  bool parameter(const ast::Ref& r) const {
    auto binds = [&](const ast::Pat* p) { return r.path.root && r.path.root->span.begin >= p->span.begin && r.path.root->span.begin < p->span.end; };
    return r.path.members.empty() && std::any_of(def_.params.begin(), def_.params.end(), binds);
  }

  // A parameter does not wait for a size that is computed: it has another one. Says so where a call needs them equal.
  bool differs(const ast::Expr& param, Binding* unknown) {
    const Binding* root = std::get<ast::Ref>(param.node).path.root;
    const ast::Expr *there = nullptr, *call = nullptr;
    ast::each_expression(def_.body, [&](const ast::Expr* e) {
      auto* a = std::get_if<ast::Apply>(&e->node);
      if (!a || there) return !there;
      bool has_param = false;
      const ast::Expr* other = nullptr;
      for (const ast::Expr* x : a->args) {
        auto* r = std::get_if<ast::Ref>(&x->node);
        if (r && r->path.root == root) has_param = true;
        else each_unknown(x->type, [&](Binding* b) { if (b == unknown) other = x; });
      }
      if (has_param && other) there = other, call = a->fun;
      return !there;
    });
    if (!there) return false;
    std::string size = c.show(types.add(Size{NameSize{unknown}})), name(c.text(root->name)), type = c.show(c.strip_unique(there->type));
    for (size_t i = 0; (i = type.find("[" + size + "]", i)) != std::string::npos; i += 3) type.replace(i, size.size() + 2, "[n]");
    c.diags.report(there->span, err::unknown_size_mismatch, name, size)
        .note(fmt::format("in the argument of `{}`", c.sources.text(call->span).substr(0, 40)))
        .note(fmt::format("`{}` stands for the size of the parameter", name))
        .note("`" + size + "` is " + made_.find(unknown)->shown(c))
        .help(fmt::format("name the size of `{0}`, as in `[n] ({0}: [n]..)`; if the two are equal, have it checked at run time: `{1} :> {2}`", name,
                          c.sources.text(there->span).substr(0, 40), type));
    return true;
  }

  Context& c;
  Types& types;
  const FlatMap<const Binding*, Made>& made_;
  const ast::Def& def_;
  std::unordered_set<Binding*> known_;
  std::vector<Binding*> order_;                      // of known_
  bool reported_ = false;
};

}  // namespace

void Sizes::check_causality(const ast::Def& def) {
  if (!origins_.empty()) Causality(c, origins_, def).exp(def.body);
}

}  // namespace raido::check
