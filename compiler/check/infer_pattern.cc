// Types of patterns, and the names they bind. All names of one group (a function's parameters, one pattern) are different.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/similar.h"
#include "compiler/check/attributes.h"
#include "compiler/check/infer.h"

namespace raido::check {

void Infer::add_to_group(Binding* b, Group& group, const Diag<2>& twice) {
  std::string_view name = c.text(b->name);
  if (name == "&&" || name == "||") c.diags.report(b->span, err::operator_redefined, name);
  if (Binding** other = group.first.find(b->name)) {
    Span at = (*other)->span;
    c.diags.report(b->span, twice, name, c.sources.place(at)).label(at, "bound here first");
  }
  group.add(b);
}

void Infer::warn_unused() const {
  for (Binding* b : bound_)
    if (!b->used && !c.text(b->name).starts_with("_")) c.diags.report(b->span, err::unused_name, c.text(b->name));
}

void Infer::bind_all(const Group& group) {
  for (Binding* b : group.all) c.bind(b);
}

TypeRef Infer::pattern(ast::Pat* p, Group& group) {
  p->type = pattern_node(p, group);
  return p->type;
}

TypeRef Infer::pattern_node(ast::Pat* p, Group& group) {
  return match(p->node,
      [&](ast::PVar& v) {
        TypeRef t = fresh(p->span);
        locals_[v.var] = {t, {}};
        bound_.push_back(v.var);
        add_to_group(v.var, group);
        return t;
      },
      [&](ast::PWild&) { return fresh(p->span); },
      [&](ast::PTuple& t) {
        std::vector<Field> fields;
        for (size_t i = 0; i < t.parts.size(); i++) fields.emplace_back(c.numeral(i), pattern(t.parts[i], group));
        return types.record(fields);
      },
      [&](ast::PRecord& t) {
        std::vector<Field> fields;
        for (ast::PField& f : t.fields) fields.emplace_back(f.name, pattern(f.pat, group));
        c.sort_fields(fields);
        for (size_t i = 0; i + 1 < fields.size(); i++)
          if (fields[i].first == fields[i + 1].first) c.diags.report(p->span, err::duplicate_record_field, c.text(fields[i].first));
        return types.record(fields);
      },
      [&](ast::PLiteral& l) {
        if (l.literal.kind == ast::Literal::Kind::Bool) return types.prim(Prim::Bool);
        TypeRef t = literal(l.literal, p->span);
        pattern_literals_.push_back({&l, {t, p->span}});
        return t;
      },
      [&](ast::PConstr& k) {
        std::vector<TypeRef> payload;
        for (ast::Pat* q : k.args) payload.push_back(pattern(q, group));
        return with_constructor(k.name, payload, p->span);
      },
      [&](ast::PAscribe& a) {
        TypeRef written = erase(resolve(a.type, nullptr));
        TypeRef inner = pattern(a.pat, group);
        clear_why();
        if (!unify(inner, written)) {
          std::string shown = unsized_show(written);
          std::string_view text = c.sources.text(a.pat->span);
          if (std::get_if<ast::PAscribe>(&a.pat->node)) explain(c.diags.report(a.pat->span, err::pattern_outer_ascription, unsized_show(inner), shown));
          else explain_pattern(a.pat, written, c.diags.report(a.pat->span, err::pattern_ascription, text, shown));
        }
        return inner;
      },
      [&](ast::PAttr& a) { look_at(c, a.attr); return pattern(a.pat, group); });
}

void Infer::explain_pattern(const ast::Pat* p, TypeRef value, Diagnostics::Draft draft) {
  auto* pattern = std::get_if<ast::PRecord>(&p->node);
  auto* record = types.as<RecordType>(resolved(value));
  if (pattern && record && why_.code == err::unshared_fields.code && where_.empty()) {
    draft.because(reason(err::record_pattern_fields));
    std::string rest;
    for (auto& f : record->fields)
      if (std::ranges::none_of(pattern->fields, [&](const ast::PField& q) { return q.name == f.first; }))
        rest += fmt::format("{}{} = _", rest.empty() ? "" : ", ", c.text(f.first));
    if (!rest.empty()) draft.help(fmt::format("add what is not needed: `{}`", rest));
  }
  auto* constructor = std::get_if<ast::PConstr>(&p->node);
  auto* sum = types.as<SumType>(resolved(value));
  if (constructor && sum && where_.empty()) {
    Similar similar(c.text(constructor->name));
    bool known = false;
    for (auto& k : sum->constrs) {
      similar.offer(c.text(k.first));
      known |= k.first == constructor->name;
    }
    if (!known) draft.help(similar.help("#"));
  }
  explain(draft);
}

// Names of one parameter are in scope in the types of the later ones.
void Infer::params(std::span<ast::Pat*> pats, std::vector<TypeRef>& out, Group& group) {
  for (ast::Pat* p : pats) {
    size_t first = group.all.size();
    out.push_back(pattern(p, group));
    for (size_t i = first; i < group.all.size(); i++) c.bind(group.all[i]);
  }
}

}  // namespace raido::check
