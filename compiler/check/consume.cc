// consume.cc - uniqueness and consumption: which types have memory, what variables share, what functions take and give.
#include "compiler/check/consume.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/check/consumption.h"

namespace raido::check {

TypeRef Consumption::definition(ast::Def& def, TypeRef type) {
  if (def.params.empty()) {
    if (def.result && c.any_unique(def.result->type)) c.diags.report(def.result->span, err::unique_constant);
    exp(def.body);
    return c.strip_unique(type);
  }
  depth_ = barrier_ = 1;
  return function(def.params, def.result, def.body, type, def.result == nullptr);
}

bool Consumption::has_memory(TypeRef t) const {
  if (types.as<PrimType>(t)) return false;
  std::optional<bool>& known = types.facts(t).has_memory;
  if (!known) known = find_memory(t);
  return *known;
}

bool Consumption::find_memory(TypeRef t) const {
  return match(types[t],
      [](const PrimType&) { return false; },
      [&](const RecordType& r) { return std::any_of(r.fields.begin(), r.fields.end(), [&](auto& f) { return has_memory(f.second); }); },
      [&](const SumType& s) {
        for (auto& k : s.constrs) for (TypeRef p : k.second) if (has_memory(p)) return true;
        return false;
      },
      [&](const UniqueType& u) { return has_memory(u.inner); },
      [](const auto&) { return true; });      // arrays, functions, abstract types
}

// `vars` at every component of the type that has memory and is not unique.
Aliases Consumption::by_type(TypeRef t, const Vars& vars) const {
  Aliases out;
  if (types.as<UniqueType>(t) || !has_memory(t)) return out;
  if (auto* r = types.as<RecordType>(t)) {
    out.record = true;
    for (auto& f : r->fields) out.fields.push_back({f.first, by_type(f.second, vars)});
    return out;
  }
  out.vars = vars;
  if (types.as<FunType>(t)) out.function = t;
  return out;
}

// Of a top-level value: its arrays. Its functions have no memory of their own; abstract values are left in peace.
Aliases Consumption::arrays_of(TypeRef t, Binding* b) const {
  Aliases out;
  if (auto* r = types.as<RecordType>(t)) {
    out.record = true;
    for (auto& f : r->fields) out.fields.push_back({f.first, arrays_of(f.second, b)});
  } else if (holds_array(t)) {
    out.vars = {b};
  }
  return out;
}

bool Consumption::holds_array(TypeRef t) const {
  return match(types[t],
      [](const ArrayType&) { return true; },
      [&](const RecordType& r) { return std::any_of(r.fields.begin(), r.fields.end(), [&](auto& f) { return holds_array(f.second); }); },
      [&](const SumType& s) {
        for (auto& k : s.constrs) for (TypeRef p : k.second) if (holds_array(p)) return true;
        return false;
      },
      [&](const UniqueType& u) { return holds_array(u.inner); },
      [](const auto&) { return false; });     // functions, scalars, abstract values
}

// What the data in a value of this type may share memory with. A function is no data.
Vars Consumption::data_of(const Aliases& a, TypeRef t) const {
  return match(types[t],
      [&](const UniqueType& u) { return data_of(a, u.inner); },
      [&](const ExistsType& e) { return data_of(a, e.body); },
      [&](const RecordType& r) {
        Vars out;
        for (auto& f : r.fields) add(out, data_of(a.field(f.first), f.second));
        return out;
      },
      [](const FunType&) { return Vars{}; },
      [&](const auto&) { return a.all(); });
}

// A type with the uniqueness that the results of another have.
TypeRef Consumption::as_unique_as(TypeRef t, TypeRef other) {
  if (types.as<UniqueType>(other)) return types.as<UniqueType>(t) ? t : types.add(UniqueType{t});
  if (auto* u = types.as<UniqueType>(t)) t = u->inner;
  auto *r = types.as<RecordType>(t), *s = types.as<RecordType>(other);
  auto *f = types.as<FunType>(t), *g = types.as<FunType>(other);
  if (r && s && r->fields.size() == s->fields.size()) {
    std::vector<Field> fields(r->fields.begin(), r->fields.end());
    std::vector<Field> others(s->fields.begin(), s->fields.end());
    for (size_t i = 0; i < fields.size(); i++) fields[i].second = as_unique_as(fields[i].second, others[i].second);
    return types.record(fields);
  }
  if (!f || !g) return t;
  FunType out = *f;
  out.result = as_unique_as(f->result, g->result);
  return types.add(out);
}

Aliases Consumption::cut(Aliases a, TypeRef t) const {
  if (!has_memory(t)) return {};
  if (auto* u = types.as<UniqueType>(t)) return cut(std::move(a), u->inner);
  if (auto* r = types.as<RecordType>(t)) {
    Aliases out;
    out.record = true;
    for (size_t i = 0; i < r->fields.size(); i++) out.fields.push_back({r->fields[i].first, cut(a.field(r->fields[i].first, i), r->fields[i].second)});
    return out;
  }
  return a;
}

void Consumption::bind(Binding* b, TypeRef t, const Aliases& value, bool consumable) {
  Aliases a = cut(value, t);
  if (has_memory(t)) a.own(b);
  b->consumable = consumable;
  Vars all = a.all();
  aliases_[b] = {std::move(a), std::move(all)};
  depths_[b] = depth_;
}

void Consumption::bind_pattern(const ast::Pat* p, TypeRef t, const Aliases& value, bool consumable) {
  if (auto* u = types.as<UniqueType>(t)) t = u->inner;
  auto part = [&](Name name) -> TypeRef {
    if (auto* r = types.as<RecordType>(t)) if (auto i = c.field_index(*r, name)) return r->fields[*i].second;
    return types.error();
  };
  match(p->node,
      [&](const ast::PVar& v) { bind(v.var, t, value, consumable); },
      [&](const ast::PTuple& x) {
        for (size_t i = 0; i < x.parts.size(); i++) {
          Name name = c.numeral(i);
          bind_pattern(x.parts[i], part(name), value.field(name, i), consumable);
        }
      },
      [&](const ast::PRecord& x) { for (const ast::PField& f : x.fields) bind_pattern(f.pat, part(f.name), value.field(f.name), consumable); },
      [&](const ast::PConstr& x) { for (const ast::Pat* q : x.args) bind_pattern(q, q->type, {value.all(), {}, false}, consumable); },
      [&](const ast::PAscribe& a) {
        sizes(a.type);
        bind_pattern(a.pat, t, value, consumable);
      },
      [&](const ast::PAttr& a) { bind_pattern(a.pat, t, value, consumable); },
      [](const auto&) {});      // wildcards and literals
}

// A parameter: consumable where its type says `*`.
void Consumption::bind_param(const ast::Pat* p, TypeRef t) {
  bool unique = c.any_unique(t);
  if (auto* u = types.as<UniqueType>(t)) t = u->inner;
  bool any = c.any_unique(t);
  auto part = [&](Name name) -> TypeRef {
    if (auto* r = types.as<RecordType>(t))
      if (auto i = c.field_index(*r, name)) return unique && !any ? types.add(UniqueType{r->fields[*i].second}) : r->fields[*i].second;
    return types.error();
  };
  match(p->node,
      [&](const ast::PVar& v) { bind(v.var, p->type.valid() ? c.strip_unique(t) : t, {}, unique); },
      [&](const ast::PTuple& x) { for (size_t i = 0; i < x.parts.size(); i++) bind_param(x.parts[i], part(c.numeral(i))); },
      [&](const ast::PRecord& x) { for (const ast::PField& f : x.fields) bind_param(f.pat, part(f.name)); },
      [&](const ast::PConstr& x) { for (const ast::Pat* q : x.args) bind_pattern(q, q->type, {}, unique); },
      [&](const ast::PAscribe& a) {
        sizes(a.type);
        bind_param(a.pat, unique && !c.any_unique(t) ? types.add(UniqueType{t}) : t);
      },
      [&](const ast::PAttr& a) { bind_param(a.pat, unique && !c.any_unique(t) ? types.add(UniqueType{t}) : t); },
      [](const auto&) {});
}

// The size expressions of a parameter's type.
void Consumption::sizes(const ast::TypeExpr* t) {
  auto size = [&](const ast::SizeExpr& s) {
    if (!s.exp || std::get_if<ast::Ref>(&s.exp->node) || std::get_if<ast::Literal>(&s.exp->node)) return;
    Inner saved = enter(Inside::Size);
    exp(s.exp);
    leave(saved);
  };
  match(t->node,
      [&](const ast::TName& n) { for (const ast::TypeArg& a : n.args) { if (a.type) sizes(a.type); else size(a.size); } },
      [&](const ast::TArray& a) { size(a.size); sizes(a.elem); },
      [&](const ast::TRecord& r) { for (auto& f : r.fields) sizes(f.second); },
      [&](const ast::TSum& s) { for (auto& clause : s.clauses) for (const ast::TypeExpr* p : clause.payload) sizes(p); },
      [](const ast::TArrow&) {},      // the sizes of a function's type are those of its calls
      [&](const ast::TExists& e) { sizes(e.body); },
      [&](const ast::TUnique& u) { sizes(u.inner); });
}

// As it can stand as an argument.
std::string Consumption::text_of(const ast::Expr* e) const {
  std::string text(c.sources.text(e->span));
  return text.find_first_of(" \n") == std::string::npos || text[0] == '(' ? text : "(" + text + ")";
}

// A module is called as the one member of it that was used.
std::string Consumption::name_of(Binding* b) const {
  if (auto used = members_.find(b); used != members_.end() && used->second) return c.shown(*used->second);
  return b->name.valid() ? std::string(c.text(b->name)) : "the value";
}

void Consumption::mention(const ast::Path& p) {
  auto [it, first] = members_.emplace(p.root, &p);
  if (!first && it->second && c.shown(*it->second) != c.shown(p)) it->second = nullptr;
}

// The variable that the expression is, if it is one of this definition.
Binding* Consumption::local(const ast::Expr* e) const {
  auto* r = std::get_if<ast::Ref>(&e->node);
  return r && r->path.root && r->path.members.empty() && aliases_.contains(r->path.root) ? r->path.root : nullptr;
}

// `through` is what it shares with what was consumed, perhaps itself.
void Consumption::report_use(Binding* b, const ast::Expr* use, const Consumed& consumed, Binding* through) {
  for (const RunningLoop& l : loops_) {
    if (l.loop != consumed.loop) continue;
    if (l.in_condition) c.diags.report(use->span, err::loop_condition_uses, name_of(b)).label(consumed.at, "consumed here");
    else c.diags.report(use->span, err::loop_body_uses, name_of(b)).label(consumed.at, "consumed here").help("use the loop parameter instead");
    return;
  }
  std::string place = c.sources.place(consumed.at);
  bool of_alias = consumed.by && consumed.by != b;
  auto parts = [&](Diagnostics::Draft d) {
    const Known* known = aliases_.find(through);
    if (of_alias && through != b && through != consumed.by && known && known->value.record)
      d.help(fmt::format("`{}` and `{}` belong to `{}`, which is consumed as a whole: take it apart where it is bound, by a pattern instead of its name",
                         name_of(consumed.by), name_of(b), name_of(through)));
  };
  if (use == to_consume_) parts(c.diags.report(use->span, err::consumed_twice, name_of(b), place).label(consumed.at, "consumed here first"));
  else if (of_alias)
    parts(c.diags.report(use->span, err::use_of_alias, name_of(b), place, name_of(consumed.by)).label(consumed.at, "`" + name_of(consumed.by) + "` is consumed here"));
  else c.diags.report(use->span, err::use_after_consume, name_of(b), place).label(consumed.at, "consumed here");
}

void Consumption::observe(Binding* b, const ast::Expr* use) {
  const Known* known = aliases_.find(b);
  if (!known) return;
  const Vars& all = known->all;
  for (Binding* v : all) {
    const Consumed* used = consumed_.find(v);
    if (!used) continue;
    report_use(b, use, *used, v);
    break;
  }
  if (depths_[b] < barrier_) for (Vars& captured : captures_) add(captured, all);
}

// The variable that an expression is, or is a part of.
Binding* Consumption::root_of(const ast::Expr* e) {
  for (;;) {
    if (auto* r = std::get_if<ast::Ref>(&e->node)) return r->path.root;
    if (auto* w = std::get_if<ast::With>(&e->node)) e = w->base;
    else if (auto* i = std::get_if<ast::Index>(&e->node)) e = i->array;
    else if (auto* p = std::get_if<ast::Project>(&e->node)) e = p->record;
    else if (auto* a = std::get_if<ast::Ascribe>(&e->node)) e = a->exp;
    else return nullptr;
  }
}

// `of` is the expression that is consumed, at `at`.
void Consumption::consume(const Aliases& value, Span at, const ast::Expr* of, const ast::Loop* loop) {
  for (Binding* v : value.all()) {
    const uint32_t* depth = depths_.find(v);
    bool global = !depth, outside_of_it = depth && *depth < barrier_;
    if (v->consumable && !global && !outside_of_it) continue;
    auto report = [&] {
      if (outside_of_it && inside_ == Inside::Size) return c.diags.report(at, err::size_consumes, name_of(v));
      if (global) return c.diags.report(at, err::consumed_global, name_of(v)).help("update a copy: `copy " + name_of(v) + "`");
      if (v->consumable && inside_ == Inside::Loop)
        return c.diags.report(at, err::consumed_in_loop, name_of(v)).help("make it a parameter of the loop");
      if (v->consumable && inside_ == Inside::Function)
        return c.diags.report(at, err::consumed_in_function, name_of(v)).help("write all elements at once with `scatter`, or one after the other in a loop");
      return c.diags.report(at, err::not_consumable, name_of(v)).help("declare it with `*`, or update a copy: `copy " + name_of(v) + "`");
    };
    auto draft = report();
    if (v->span.valid()) draft.label(v->span, "bound here");
    if (Binding* root = root_of(of); root && root != v && root->name.valid()) draft.note("`" + name_of(root) + "` shares its memory");
    return;
  }
  for (Binding* v : value.all()) consumed_.add(v, Consumed{at, root_of(of), loop});
}

// Checks a body and returns the function's type with the uniqueness of its result.
TypeRef Consumption::function(std::span<ast::Pat*> params, const ast::TypeExpr* written, ast::Expr* body, TypeRef type, bool infer_unique) {
  TypeRef t = type;
  std::vector<TypeRef> arrows;
  for (ast::Pat* p : params) {
    auto* f = types.as<FunType>(t);
    if (!f) return type;
    arrows.push_back(t);
    bind_param(p, f->param);
    t = f->result;
  }
  Aliases result = cut(exp(body), c.strip_unique(t));
  for (Binding* v : data_of(result, t))
    if (v->top_level || v->kind == Binding::Kind::Open || v->kind == Binding::Kind::Module) {
      if (v->def && v->def->params.size()) continue;
      c.diags.report(body->span, err::result_aliases_global, name_of(v)).help("return a copy of it");
      break;
    }
  keeps_promises(result, t, body->span);
  if (written) {
    check_result(result, t, body->span);
    t = without_captured(result, t);
  } else if (infer_unique) {
    t = inferred_result(result, t, result);
  }
  for (size_t i = arrows.size(); i-- > 0;) {
    FunType f = *types.as<FunType>(arrows[i]);
    if (f.result == t) return type;                // nothing new
    f.result = t;
    t = types.add(f);
  }
  return t;
}

bool Consumption::outside(Binding* v) const {
  const uint32_t* d = depths_.find(v);
  return !d || *d < barrier_ || !v->consumable;
}

// Does a function return what is bound outside of it, in a function around it?
bool Consumption::captured(Binding* v) const {
  const uint32_t* d = depths_.find(v);
  return d && *d < barrier_;
}

// A unique component may not share memory with what the caller keeps, nor with another component. What the function captures is
// seen by its callers: such a component is none of theirs to keep, and its type is taken back by `without_captured`.
void Consumption::check_result(const Aliases& whole, TypeRef t, Span at) {
  std::vector<std::pair<const Aliases*, bool>> leaves;
  std::function<void(const Aliases&, TypeRef, bool)> collect = [&](const Aliases& a, TypeRef x, bool unique) {
    if (auto* u = types.as<UniqueType>(x)) return collect(a, u->inner, true);
    if (auto* r = types.as<RecordType>(x); r && a.record) {
      for (auto& f : r->fields)
        for (auto& g : a.fields) if (g.name == f.first) collect(g.value, f.second, unique);
      return;
    }
    leaves.emplace_back(&a, unique);
  };
  collect(whole, t, false);
  for (size_t i = 0; i < leaves.size(); i++) {
    if (!leaves[i].second) continue;
    for (Binding* v : leaves[i].first->all())
      if (outside(v) && !captured(v)) {
        c.diags.report(at, err::unique_result_aliased, name_of(v)).help("return a copy: `copy " + name_of(v) + "`");
        return;
      }
    for (size_t k = 0; k < leaves.size(); k++)
      if (k != i && common(leaves[i].first->all(), leaves[k].first->all())) { c.diags.report(at, err::result_components_alias); return; }
  }
}

// The type of a result, not unique where it may share memory with what the function captures.
TypeRef Consumption::without_captured(const Aliases& a, TypeRef t) {
  auto* u = types.as<UniqueType>(t);
  if (auto* r = types.as<RecordType>(u ? u->inner : t); r && a.record) {
    std::vector<Field> fields(r->fields.begin(), r->fields.end());
    for (size_t i = 0; i < fields.size(); i++) {
      TypeRef part = fields[i].second;
      if (u && has_memory(part)) part = types.add(UniqueType{part});
      fields[i].second = without_captured(a.field(fields[i].first, i), part);
    }
    return types.record(fields);
  }
  if (!u) return t;
  Vars all = a.all();
  return std::any_of(all.begin(), all.end(), [&](Binding* v) { return captured(v); }) ? u->inner : t;
}

// Functions in a value: what their types promise must be true of those that return what they capture.
void Consumption::keeps_promises(const Aliases& a, TypeRef wanted, Span at) {
  if (auto* u = types.as<UniqueType>(wanted)) wanted = u->inner;
  if (auto* r = types.as<RecordType>(wanted)) {
    for (size_t i = 0; i < r->fields.size(); i++) keeps_promises(a.field(r->fields[i].first, i), r->fields[i].second, at);
    return;
  }
  if (!types.as<FunType>(wanted) || !a.function.valid()) return;
  std::function<bool(TypeRef, TypeRef)> fits = [&](TypeRef want, TypeRef have) {
    if (types.as<UniqueType>(have)) return true;
    if (types.as<UniqueType>(want)) return !has_memory(want);
    auto *r = types.as<RecordType>(want), *s = types.as<RecordType>(have);
    if (r && s && r->fields.size() == s->fields.size()) {
      for (size_t i = 0; i < r->fields.size(); i++) if (!fits(r->fields[i].second, s->fields[i].second)) return false;
      return true;
    }
    auto *f = types.as<FunType>(want), *g = types.as<FunType>(have);
    return !f || !g || fits(f->result, g->result);
  };
  if (fits(wanted, a.function)) return;
  c.diags.report(at, err::result_uniqueness).note("its result may be what the function captures").help("let the function return a copy");
}

TypeRef Consumption::inferred_result(const Aliases& a, TypeRef t, const Aliases& whole) {
  if (auto* r = types.as<RecordType>(t); r && a.record) {
    std::vector<Field> fields(r->fields.begin(), r->fields.end());
    for (auto& f : fields)
      for (auto& g : a.fields) if (g.name == f.first) f.second = inferred_result(g.value, f.second, whole);
    return types.record(fields);
  }
  if (!has_memory(t) || types.as<UniqueType>(t) || c.has_function(t)) return t;
  for (Binding* v : a.all()) if (outside(v)) return t;
  // Shared with another component?
  int sharing = 0;
  std::function<void(const Aliases&)> count = [&](const Aliases& x) {
    for (auto& f : x.fields) count(f.value);
    if (!x.record && common(x.vars, a.vars)) sharing++;
  };
  count(whole);
  return sharing > 1 ? t : types.add(UniqueType{t});
}

Consumption::Inner Consumption::enter(Inside what) {
  Inner saved{depth_, barrier_, consumed_.size(), inside_};
  inside_ = what;
  barrier_ = ++depth_;
  captures_.emplace_back();
  return saved;
}

Vars Consumption::leave(const Inner& saved) {
  Vars captured = std::move(captures_.back());
  captures_.pop_back();
  depth_ = saved.depth, barrier_ = saved.barrier, inside_ = saved.inside;
  consumed_.take(saved.consumed);
  // Only what was bound outside.
  Vars out;
  for (Binding* v : captured) if (depths_[v] <= depth_) add(out, v);
  return out;
}

Aliases Consumption::without_consumed(Aliases a) const {
  Aliases out;
  out.record = a.record;
  for (Binding* v : a.vars) if (!consumed_.find(v)) add(out.vars, v);
  for (auto& f : a.fields) out.fields.push_back({f.name, without_consumed(f.value)});
  return out;
}

TypeRef check_consumption(Context& c, ast::Def& def, TypeRef type) { return Consumption(c).definition(def, type); }

}  // namespace raido::check
