// query.cc - walks the tree of the root file and keeps the smallest name that covers the place.
//
// A use has the type it was instantiated to, a binding the one that was inferred for it.
#include "compiler/driver/query.h"

#include "compiler/syntax/children.h"

namespace raido {
namespace {

class Finder {
 public:
  Finder(check::Checked& checked, uint32_t offset) : checked_(checked), offset_(offset) {}

  std::optional<QueryAnswer> run() {
    decls(checked_.program.root->decls);
    return best_;
  }

 private:
  bool covers(Span s) const {
    return s.valid() && s.file == checked_.program.root->id && s.begin <= offset_ && offset_ < s.end;
  }
  void found(std::string name, Span at, ast::TypeRef type, Span definition) {
    if (!covers(at)) return;
    if (best_ && best_->position.end - best_->position.begin < at.end - at.begin) return;
    best_ = QueryAnswer{std::move(name), at, type, definition};
  }
  std::string text(Name n) const { return std::string(checked_.program.names.text(n)); }
  ast::TypeRef size_type() const { return checked_.result.types.prim(ast::Prim::I64); }

  void binding(const ast::Binding* b, ast::TypeRef type) {
    if (b) found(text(b->name), b->span, type, b->def ? b->def->span : b->span);
  }
  void path(const ast::Path& p, ast::TypeRef type) {
    if (!covers(p.span)) return;
    check::Found what = check::find(p);
    found(std::string(checked_.sources.text(p.span)), p.span, what.module ? ast::TypeRef{} : type, what.definition);
  }

  // --- declarations ---
  void decls(std::span<const ast::Decl> all) {
    for (const ast::Decl& d : all)
      match(d.node,
            [&](const ast::Def* def) { definition(*def); },
            [&](const ast::TypeDef* t) {
              found(text(t->name), t->name_span, {}, t->span);
              type(t->body);
            },
            [&](const ast::ModTypeDef* m) {
              found(text(m->name), m->name_span, {}, m->span);
              mod_type(*m->type);
            },
            [&](const ast::ModDef* m) {
              binding(m->self, {});
              mod_exp(*m->exp);
            },
            [&](const ast::Open* o) { mod_exp(*o->exp); });
  }
  void definition(const ast::Def& def) {
    if (def.scheme) found(text(def.self->name), def.name_span, def.scheme->type, def.span);
    for (const ast::TypeParam& p : def.tparams) binding(p.size, size_type());
    for (const ast::Pat* p : def.params) pattern(*p);
    type(def.result);
    expression(*def.body);
  }
  void mod_exp(const ast::ModExp& e) {
    match(e.node,
          [&](const ast::MName& n) { path(n.path, {}); },
          [&](const ast::MBody& b) { decls(b.decls); },
          [&](const ast::MLambda& l) {
            binding(l.param->self, {});
            mod_type(*l.param->type);
            mod_exp(*l.body);
          },
          [&](const ast::MApply& a) { mod_exp(*a.fun), mod_exp(*a.arg); },
          [](const ast::MImport&) {},
          [&](const ast::MAscribe& a) { mod_exp(*a.exp), mod_type(*a.type); });
  }
  void mod_type(const ast::ModType& m) {
    match(m.node,
          [&](const ast::SName& n) { found(std::string(checked_.sources.text(n.path.span)), n.path.span, {}, n.definition); },
          [&](const ast::SSpecs& s) {
            for (const ast::Spec& spec : s.specs)
              match(spec.node,
                    [&](const ast::SpecVal& v) { found(text(v.name), v.name_span, v.type->type, spec.span), type(v.type); },
                    [&](const ast::SpecType& t) { type(t.body); },
                    [&](const ast::SpecModule& n) { mod_type(*n.type); },
                    [&](const ast::SpecInclude& i) { mod_type(*i.type); });
          },
          [&](const ast::SWith& w) { mod_type(*w.base), type(w.body); },
          [&](const ast::SArrow& a) { mod_type(*a.from), mod_type(*a.to); });
  }

  // --- types: their names and those in their sizes ---
  void type(const ast::TypeExpr* t) {
    if (!t) return;
    auto size = [&](const ast::SizeExpr& s) { if (s.exp) expression(*s.exp); };
    match(t->node,
          [&](const ast::TName& n) {
            found(std::string(checked_.sources.text(n.path.span)), n.path.span, {}, n.definition);
            for (const ast::TypeArg& a : n.args) size(a.size), type(a.type);
          },
          [&](const ast::TArray& a) { size(a.size), type(a.elem); },
          [&](const ast::TRecord& r) { for (auto& f : r.fields) type(f.second); },
          [&](const ast::TSum& s) { for (auto& c : s.clauses) for (ast::TypeExpr* p : c.payload) type(p); },
          [&](const ast::TArrow& a) {
            if (a.name) binding(a.name, a.from->type);
            type(a.from), type(a.to);
          },
          [&](const ast::TExists& e) {
            for (ast::Binding* b : e.sizes) binding(b, size_type());
            type(e.body);
          },
          [&](const ast::TUnique& u) { type(u.inner); });
  }

  // --- patterns ---
  void pattern(const ast::Pat& p) {
    match(p.node,
          [&](const ast::PVar& v) { found(text(v.var->name), v.var->span, p.type, v.var->span); },
          [](const ast::PWild&) {},
          [&](const ast::PTuple& t) { for (ast::Pat* q : t.parts) pattern(*q); },
          [&](const ast::PRecord& r) { for (const ast::PField& f : r.fields) pattern(*f.pat); },
          [](const ast::PLiteral&) {},
          [&](const ast::PConstr& c) { for (ast::Pat* q : c.args) pattern(*q); },
          [&](const ast::PAscribe& a) { pattern(*a.pat), type(a.type); },
          [&](const ast::PAttr& a) { pattern(*a.pat); });
  }

  // --- expressions: those that cover the place ---
  void expression(const ast::Expr& root) {
    std::vector<const ast::Expr*> open{&root};
    while (!open.empty()) {
      const ast::Expr& e = *open.back();
      open.pop_back();
      if (e.span.valid() && !covers(e.span)) continue;
      match(e.node,
            [&](const ast::Ref& r) { path(r.path, e.type); },
            [&](const ast::Project& p) { found(text(p.field), p.field_span, e.type, {}); },
            [&](const ast::Lambda& l) {
              for (const ast::Pat* p : l.params) pattern(*p);
              type(l.result);
            },
            [&](const ast::Match& m) { for (const ast::Case& c : m.cases) pattern(*c.pat); },
            [&](const ast::Let& l) {
              for (const ast::TypeParam& p : l.sizes) binding(p.size, size_type());
              pattern(*l.pat);
            },
            [&](const ast::LetFun& l) { definition(*l.def); },
            [&](const ast::Loop& l) {
              pattern(*l.state);
              if (l.index) pattern(*l.index);
            },
            [&](const ast::Ascribe& a) { type(a.type); },
            [&](const ast::Coerce& a) { type(a.type); },
            [&](const ast::LocalOpen& o) { path(o.module, {}); },
            [](const auto&) {});   // no names of their own
      ast::each_child(e, [&](const ast::Expr* child) { open.push_back(child); });
    }
  }

  check::Checked& checked_;
  uint32_t offset_;
  std::optional<QueryAnswer> best_;
};

}  // namespace

std::optional<QueryAnswer> query(check::Checked& checked, uint32_t line, uint32_t column) {
  const SourceFile& file = checked.sources[checked.program.root->id];
  if (line < 1 || column < 1 || line > file.line_starts.size()) return {};
  uint32_t at = file.line_starts[line - 1];
  for (uint32_t k = 1; k < column; k++) {                  // columns count characters
    if (at >= file.text.size() || file.text[at] == '\n') return {};
    do at++; while (at < file.text.size() && (static_cast<unsigned char>(file.text[at]) & 0xC0) == 0x80);
  }
  return Finder(checked, at).run();
}

}  // namespace raido
