// names.cc - a walk over the tree. A use has the type it was instantiated to, a binding the one that was inferred for it.
#include "compiler/driver/names.h"

#include "compiler/syntax/children.h"

namespace raido {
namespace {

using UseKind = NameUse::Kind;

class Walker {
 public:
  Walker(const check::Checked& checked, const std::function<void(const NameUse&)>& f) : checked_(checked), f_(f) {}

  void decls(std::span<const ast::Decl> all) {
    for (const ast::Decl& d : all)
      match(d.node,
            [&](const ast::Def* def) { definition(*def); },
            [&](const ast::TypeDef* t) {
              defines(UseKind::Type, t->name, t->name_span, {}, t->name_span);
              type_params(t->params);
              type(t->body);
            },
            [&](const ast::ModTypeDef* m) {
              defines(UseKind::ModType, m->name, m->name_span, {}, m->span);
              mod_type(*m->type);
            },
            [&](const ast::ModDef* m) {
              binding(m->self, {}, UseKind::Module);
              mod_exp(*m->exp);
            },
            [&](const ast::Open* o) { mod_exp(*o->exp); });
  }

 private:
  void found(NameUse use) {
    // `(+)` and `` `f` `` without what is around them.
    auto at = [&](uint32_t i) { return checked_.sources[use.at.file].text[i]; };
    auto around = [](char c) { return c == '(' || c == ')' || c == '`' || c == ' '; };
    while (use.at.valid() && use.at.end > use.at.begin && around(at(use.at.begin))) use.at.begin++;
    while (use.at.valid() && use.at.end > use.at.begin && around(at(use.at.end - 1))) use.at.end--;
    if (use.at.valid() && use.at.end > use.at.begin) f_(use);
  }
  std::string text(Name n) const { return std::string(checked_.program.names.text(n)); }
  std::string text(Span at) const { return std::string(checked_.sources.text(at)); }
  ast::TypeRef size_type() const { return checked_.result.types.prim(ast::Prim::I64); }

  void defines(UseKind kind, Name name, Span at, ast::TypeRef type, Span definition, bool stands_for_field = false) {
    NameUse use;
    use.kind = kind, use.name = text(name), use.at = use.whole = at, use.type = type, use.definition = definition;
    use.defines = true, use.stands_for_field = stands_for_field;
    found(std::move(use));
  }
  void binding(const ast::Binding* b, ast::TypeRef type, UseKind kind = UseKind::Value) {
    if (b) defines(kind, b->name, b->span, type, b->def ? b->def->span : b->span);
  }
  void path(const ast::Path& p, ast::TypeRef type, bool stands_for_field = false) {
    if (p.spans.empty()) return;
    size_t last = p.spans.size() - 1;
    prefixes(p, last);
    check::Found what = check::find(p);
    NameUse use;
    use.kind = what.module ? UseKind::Module : UseKind::Value;
    use.name = text(p.span), use.at = p.spans[last], use.whole = p.span, use.module = what.module, use.definition = what.definition;
    if (!what.module) use.type = type;
    use.stands_for_field = stands_for_field;
    found(std::move(use));
  }
  // The modules before the last name of a path.
  void prefixes(const ast::Path& p, size_t last) {
    for (size_t i = 0; i < last && i < p.spans.size(); i++) {
      size_t after = p.names.size() - 1 - i;
      if (!p.root || p.members.size() < after) return;
      ast::Path part = p;
      part.members = p.members.first(p.members.size() - after);
      check::Found what = check::find(part);
      NameUse use;
      use.kind = UseKind::Module, use.name = text(p.names[i]), use.at = use.whole = p.spans[i], use.module = what.module;
      use.definition = what.definition, use.prefix = true;
      found(std::move(use));
    }
  }
  // The name of a type or of a module type; the checker keeps where it is defined.
  void named(UseKind kind, const ast::Path& p, Span definition) {
    if (p.spans.empty()) return;
    prefixes(p, p.spans.size() - 1);
    NameUse use;
    use.kind = kind, use.name = text(p.span), use.at = p.spans.back(), use.whole = p.span, use.definition = definition;
    found(std::move(use));
  }
  void field(Name name, Span at, ast::TypeRef type) {
    NameUse use;
    use.kind = UseKind::Field, use.name = text(name), use.at = use.whole = at, use.type = type;
    found(std::move(use));
  }

  // --- declarations ---
  void type_params(std::span<const ast::TypeParam> params) {
    for (const ast::TypeParam& p : params) {
      if (p.size) binding(p.size, size_type());
      else defines(UseKind::Type, p.name, p.span, {}, p.span);
    }
  }
  void definition(const ast::Def& def) {
    defines(UseKind::Value, def.self->name, def.name_span, def.scheme ? def.scheme->type : ast::TypeRef{}, def.span);
    type_params(def.tparams);
    for (const ast::Pat* p : def.params) pattern(*p);
    type(def.result);
    if (def.body) expression(*def.body);
  }
  void mod_exp(const ast::ModExp& e) {
    match(e.node,
          [&](const ast::MName& n) { path(n.path, {}); },
          [&](const ast::MBody& b) { decls(b.decls); },
          [&](const ast::MLambda& l) {
            binding(l.param->self, {}, UseKind::Module);
            mod_type(*l.param->type);
            mod_exp(*l.body);
          },
          [&](const ast::MApply& a) { mod_exp(*a.fun), mod_exp(*a.arg); },
          [](const ast::MImport&) {},
          [&](const ast::MAscribe& a) { mod_exp(*a.exp), mod_type(*a.type); });
  }
  void mod_type(const ast::ModType& m) {
    match(m.node,
          [&](const ast::SName& n) { named(UseKind::ModType, n.path, n.definition); },
          [&](const ast::SSpecs& s) {
            for (const ast::Spec& spec : s.specs)
              match(spec.node,
                    [&](const ast::SpecVal& v) {
                      defines(UseKind::Value, v.name, v.name_span, v.type->type, spec.span);
                      type_params(v.tparams);
                      type(v.type);
                    },
                    [&](const ast::SpecType& t) {
                      defines(UseKind::Type, t.name, t.name_span, {}, spec.span);
                      type_params(t.params);
                      type(t.body);
                    },
                    [&](const ast::SpecModule& n) {
                      defines(UseKind::Module, n.name, n.name_span, {}, spec.span);
                      mod_type(*n.type);
                    },
                    [&](const ast::SpecInclude& i) { mod_type(*i.type); });
          },
          [&](const ast::SWith& w) {
            mod_type(*w.base);
            type_params(w.params);
            type(w.body);
          },
          [&](const ast::SArrow& a) {
            binding(a.param, {}, UseKind::Module);
            mod_type(*a.from), mod_type(*a.to);
          });
  }

  // --- types: their names and those in their sizes ---
  void type(const ast::TypeExpr* t) {
    if (!t) return;
    auto size = [&](const ast::SizeExpr& s) { if (s.exp) expression(*s.exp); };
    match(t->node,
          [&](const ast::TName& n) {
            named(UseKind::Type, n.path, n.definition);
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
  void pattern(const ast::Pat& p, bool stands_for_field = false) {
    match(p.node,
          [&](const ast::PVar& v) { defines(UseKind::Value, v.var->name, v.var->span, p.type, v.var->span, stands_for_field); },
          [](const ast::PWild&) {},
          [&](const ast::PTuple& t) { for (ast::Pat* q : t.parts) pattern(*q); },
          [&](const ast::PRecord& r) {
            for (const ast::PField& f : r.fields) {
              bool same = f.pat->span.begin == f.span.begin && f.pat->span.end == f.span.end;
              if (!same) field(f.name, f.span, f.pat->type);
              pattern(*f.pat, same);
            }
          },
          [](const ast::PLiteral&) {},
          [&](const ast::PConstr& c) { for (ast::Pat* q : c.args) pattern(*q); },
          [&](const ast::PAscribe& a) { pattern(*a.pat, stands_for_field), type(a.type); },
          [&](const ast::PAttr& a) { pattern(*a.pat, stands_for_field); });
  }

  // --- expressions ---
  void expression(const ast::Expr& root) {
    std::vector<const ast::Expr*> open{&root};
    while (!open.empty()) {
      const ast::Expr& e = *open.back();
      open.pop_back();
      match(e.node,
            [&](const ast::Ref& r) { path(r.path, e.type); },
            [&](const ast::Project& p) { field(p.field, p.field_span, e.type); },
            [&](const ast::Record& r) {
              for (const ast::RecordField& f : r.fields) {
                auto* itself = std::get_if<ast::Ref>(&f.value->node);
                if (itself && f.value->span.begin == f.span.begin && f.value->span.end == f.span.end) path(itself->path, f.value->type, true);
                else field(f.name, f.span, f.value->type), open.push_back(f.value);
              }
            },
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
      if (std::get_if<ast::Record>(&e.node)) continue;
      auto* local = std::get_if<ast::LetFun>(&e.node);
      ast::each_child(e, [&](const ast::Expr* child) {
        if (!local || child != local->def->body) open.push_back(child);
      });
    }
  }

  const check::Checked& checked_;
  const std::function<void(const NameUse&)>& f_;
};

}  // namespace

void each_name(const check::Checked& checked, const ast::File& file, const std::function<void(const NameUse&)>& f) {
  Walker(checked, f).decls(file.decls);
}

std::optional<uint32_t> byte_at(const SourceFile& file, uint32_t line, uint32_t column) {
  if (line < 1 || column < 1 || line > file.line_starts.size()) return {};
  uint32_t at = file.line_starts[line - 1];
  for (uint32_t k = 1; k < column; k++) {
    if (at >= file.text.size() || file.text[at] == '\n') return {};
    do at++; while (at < file.text.size() && (static_cast<unsigned char>(file.text[at]) & 0xC0) == 0x80);
  }
  return at;
}

}  // namespace raido
