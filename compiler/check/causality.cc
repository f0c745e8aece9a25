// Causality: a size must be computed before it is needed. Walks the body in evaluation order with the unknown sizes that exist so far;
// a name whose type mentions another one is needed too early.
#include <algorithm>

#include "compiler/check/sizes.h"
#include "compiler/syntax/children.h"

namespace raido::check {
namespace {

class Causality {
 public:
  Causality(Context& context, const std::unordered_map<const Binding*, std::string>& made) : c(context), types(context.types), made_(made) {}

  void exp(const ast::Expr* e) {
    match(e->node,
        [&](const ast::Ref&) { need(e->type, e->span); },
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
        [&](const ast::Operator& o) { exp(o.left); exp(o.right); exp(o.op); },
        [&](const ast::Section& s) {
          if (s.left) exp(s.left);
          if (s.right) exp(s.right);
          exp(s.op);
        },
        [&](const ast::Lambda& l) {
          for (const ast::Pat* p : l.params) need(p->type, p->span);
          inside([&] { exp(l.body); });
        },
        [&](const ast::LetFun& l) {
          inside([&] { exp(l.def->body); });
          exp(l.body);
        },
        [&](const ast::If& i) {
          exp(i.cond);
          inside([&] { exp(i.then_); });
          inside([&] { exp(i.else_); });
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
        [&](const ast::Let& l) {
          exp(l.value);
          know(l.pat->type);
          exp(l.body);
        },
        [&](const auto&) { ast::each_child(*e, [&](const ast::Expr* child) { exp(child); }); });   // parts as written
    know(e->type);
  }

 private:
  template <class F> void inside(F&& f) {
    size_t before = known_.size();
    f();
    known_.resize(before);
  }
  template <class F> void each_unknown(TypeRef t, F&& f) {
    visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) {
      c.each_name(s, [&](Binding* b) {
        if (b->kind == Binding::Kind::UnknownSize && !b->top_level && made_.count(b)) f(b);
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
    each_unknown(t, [&](Binding* b) { if (std::find(known_.begin(), known_.end(), b) == known_.end()) known_.push_back(b); });
  }
  void need(TypeRef t, Span at) {
    each_unknown(t, [&](Binding* b) {
      if (reported_ || std::find(known_.begin(), known_.end(), b) != known_.end() || bound_inside(t, b)) return;
      reported_ = true;
      std::string name = c.show(types.add(Size{NameSize{b}}));
      c.diags.report(at, err::causality, name).note("`" + name + "` is " + made_.at(b)).help("bind the value that has this size with `let` first");
    });
  }

  Context& c;
  Types& types;
  const std::unordered_map<const Binding*, std::string>& made_;
  std::vector<Binding*> known_;
  bool reported_ = false;
};

}  // namespace

void Sizes::check_causality(const ast::Def& def) {
  if (!origins_.empty()) Causality(c, origins_).exp(def.body);
}

}  // namespace raido::check
