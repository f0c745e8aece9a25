// Entry points: every `entry` of the root file, `main`, and what the command line asks for. First-order and monomorphic; each size of
// a parameter is to be read off an argument.
#include "compiler/check/entry_points.h"

#include <algorithm>
#include <map>

#include "compiler/base/c_names.h"

namespace raido::check {
namespace {

class EntryPoints {
 public:
  EntryPoints(Context& context, const Options& options) : c(context), types(context.types), options_(options) {}

  std::vector<EntryPoint> run(const ast::File& root) {
    std::vector<std::string> wanted = options_.extra_entry_points;
    for (const ast::Decl& d : root.decls) {
      auto* def = std::get_if<ast::Def*>(&d.node);
      if (!def) continue;
      std::string name(c.text((*def)->self->name));
      if (!options_.value.empty() && name == options_.value) {
        EntryPoint e{name, *def, {}, {}, true};
        e.result.type = (*def)->scheme->type;
        out_.push_back(std::move(e));
        continue;
      }
      bool asked = std::erase(wanted, name) > 0;         // perhaps more than once
      if (!asked && !(*def)->entry && name != "main") continue;
      entry(**def, name);
    }
    for (const std::string& name : wanted) c.diags.report({}, err::no_entry_point, name);
    return std::move(out_);
  }

 private:
  void entry(const ast::Def& def, const std::string& name) {
    const Scheme& s = *def.scheme;
    if (!s.types.empty()) { c.diags.report(def.name_span, err::polymorphic_entry); return; }
    EntryPoint e{name, &def, {}, {}, false};
    TypeRef t = s.type;
    size_t i = 0;
    std::vector<TypeRef> params;
    std::vector<Binding*> exists;
    const ast::TypeExpr* rest = def.result;            // the annotation of what is left of the type
    while (auto* f = types.as<FunType>(t)) {
      ast::Pat* param = i < def.params.size() ? def.params[i] : param_of_value(def.body, i - def.params.size());
      const ast::TArrow* arrow = rest && i >= def.params.size() ? std::get_if<ast::TArrow>(&rest->node) : nullptr;
      External x = external(f->param, i < def.params.size() ? annotation(param) : arrow ? arrow->from : nullptr);
      if (arrow && arrow->name) x.name = c.text(arrow->name->name);
      else if (Binding* b = param ? whole(param) : nullptr) x.name = c.text(b->name);
      if (i >= def.params.size()) rest = arrow ? arrow->to : nullptr;
      if (c.has_function(f->param)) { c.diags.report(def.name_span, err::higher_order_entry); return; }
      params.push_back(f->param);
      e.params.push_back(std::move(x));
      exists.insert(exists.end(), f->exists.begin(), f->exists.end());
      t = f->result;
      i++;
    }
    if (c.has_function(t)) { c.diags.report(def.name_span, err::higher_order_entry); return; }
    e.result = external(t, rest);
    for (Binding* size : s.sizes) {
      bool in_params = false, witnessed = false;
      for (TypeRef p : params) {
        in_params |= c.mentions(p, size);
        witnessed |= c.witnesses(p, size, true);
      }
      if (!in_params) { c.diags.report(def.name_span, err::entry_result_size, c.text(size->name)); return; }
      if (!witnessed && !bound_as_value(def, size)) { c.diags.report(def.name_span, err::entry_size_not_constructive, c.text(size->name)); return; }
    }
    if (auto [it, is_new] = names_.emplace(c_identifier(name), def.name_span); !is_new)
      c.diags.report(def.name_span, err::entry_names_clash, name, c.sources.place(it->second));
    out_.push_back(std::move(e));
  }

  bool bound_as_value(const ast::Def& def, Binding* size) const {
    for (ast::Pat* p : def.params) if (whole(p) == size) return true;
    return false;
  }

  static Binding* whole(ast::Pat* p) {
    if (auto* v = std::get_if<ast::PVar>(&p->node)) return v->var;
    if (auto* a = std::get_if<ast::PAscribe>(&p->node)) return whole(a->pat);
    if (auto* a = std::get_if<ast::PAttr>(&p->node)) return whole(a->pat);
    return nullptr;
  }
  // Of the function that an entry point gives, if it is written as one, or is a definition.
  static ast::Pat* param_of_value(const ast::Expr* e, size_t i) {
    for (;;) {
      if (auto* l = std::get_if<ast::Lambda>(&e->node)) {
        if (i < l->params.size()) return l->params[i];
        i -= l->params.size();
        e = l->body;
      }
      else if (auto* let = std::get_if<ast::Let>(&e->node)) e = let->body;
      else if (auto* a = std::get_if<ast::Apply>(&e->node)) {
        i += a->args.size();
        e = a->fun;
      }
      else if (auto* r = std::get_if<ast::Ref>(&e->node); r && r->path.members.empty() && r->path.root->def && !r->path.root->def->recursive) {
        const ast::Def& def = *r->path.root->def;
        if (i < def.params.size()) return def.params[i];
        i -= def.params.size();
        e = def.body;
      }
      else return nullptr;
    }
  }
  static const ast::TypeExpr* annotation(ast::Pat* p) {
    if (auto* a = std::get_if<ast::PAscribe>(&p->node)) return a->type;
    if (auto* a = std::get_if<ast::PAttr>(&p->node)) return annotation(a->pat);
    return nullptr;
  }

  // Primitives and arrays of them are seen through; anything else is opaque, called as written.
  External external(TypeRef t, const ast::TypeExpr* written) {
    External x;
    x.type = t;
    x.written = written;
    x.unique = c.any_unique(t);
    TypeRef bare = c.strip_unique(t), elem = bare;
    if (auto* r = types.as<RecordType>(t))
      for (const auto& [name, type] : r->fields) x.unique_parts.push_back(c.any_unique(type));
    std::string dims;
    while (auto* a = types.as<ArrayType>(elem)) { dims += "[]"; elem = a->elem; }
    if (auto* p = types.as<PrimType>(elem)) {
      x.type_name = dims + std::string(prim_name(p->prim));
      return x;
    }
    x.opaque = true;
    if (written) {
      const ast::TypeExpr* w = written;
      while (auto* u = std::get_if<ast::TUnique>(&w->node)) w = u->inner;
      std::string text(c.sources.text(w->span));
      // Without sizes.
      std::string plain;
      int depth = 0;
      for (char ch : text) {
        if (ch == '[') { depth++; plain += ch; }
        else if (ch == ']') { depth--; plain += ch; }
        else if (depth == 0) plain += ch == '\n' ? ' ' : ch;
      }
      x.type_name = plain;
    }
    else x.type_name = c.show(erase_sizes(bare));
    return x;
  }
  TypeRef erase_sizes(TypeRef t) {
    return rebuild(types, t, [](TypeRef) { return TypeRef{}; }, [&](SizeRef) { return types.any(); });
  }

  Context& c;
  Types& types;
  const Options& options_;
  std::vector<EntryPoint> out_;
  std::map<std::string, Span> names_;
};

}  // namespace

std::vector<EntryPoint> entry_points(Context& c, const ast::File& root, const Options& options) {
  return EntryPoints(c, options).run(root);
}

}  // namespace raido::check
