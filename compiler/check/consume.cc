// Uniqueness and consumption: an abstract evaluation in the order of the language, where a value is the set of variables that may share
// memory with it (per component of records). Consuming a value marks all its variables; using a marked one is an error.
//
// Loops are run twice: once silently to see which parameters the body consumes, then for real with the start values consumed.
#include "compiler/check/consume.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/panic.h"
#include "compiler/base/small_vector.h"
#include "compiler/syntax/children.h"

namespace raido::check {
namespace {

using Vars = SmallVector<Binding*, 3>;    // sorted by id

void add(Vars& to, Binding* b) {
  auto it = std::lower_bound(to.begin(), to.end(), b, [](Binding* x, Binding* y) { return x->id < y->id; });
  if (it == to.end() || *it != b) to.insert(it, b);
}
void add(Vars& to, const Vars& from) {
  if (from.size() < 8) { for (Binding* b : from) add(to, b); return; }
  Vars both;
  std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(both), [](Binding* x, Binding* y) { return x->id < y->id; });
  to = std::move(both);
}
Binding* common(const Vars& a, const Vars& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) return a[i];
    (a[i]->id < b[j]->id ? i : j)++;
  }
  return nullptr;
}

// What a value may share memory with: one set, or one value for each field.
struct Aliases {
  struct Field;
  Vars vars;
  std::vector<Field> fields;
  bool record = false;
  TypeRef function = {};      // of one made in this definition: its type with the uniqueness that its body has

  Vars all() const;
  Aliases field(Name name, size_t expected = 0) const;      // expected: where it probably is
  void own(Binding* b, bool component = false);
};
struct Aliases::Field {
  Name name;
  Aliases value;
};

Vars Aliases::all() const {
  Vars out = vars;
  for (const Field& f : fields) add(out, f.value.all());
  return out;
}
Aliases Aliases::field(Name name, size_t expected) const {
  if (!record) return {vars, {}, false};
  if (expected < fields.size() && fields[expected].name == name) return fields[expected].value;
  for (const Field& f : fields) if (f.name == name) return f.value;
  return {};
}
// A variable stands for the memory of a new value; for shared memory stand the variables that have it already. The components of
// a variable belong together, though, whatever they are.
void Aliases::own(Binding* b, bool component) {
  if (!record && (component || vars.empty())) add(vars, b);
  for (Field& f : fields) f.value.own(b, true);
}

// Do two of the sets have a variable in common?
bool share(const std::vector<Vars>& sets) {
  std::unordered_set<Binding*> seen;
  for (const Vars& set : sets) for (Binding* b : set) if (!seen.insert(b).second) return true;
  return false;
}

Aliases either(const Aliases& a, const Aliases& b) {
  Aliases out;
  if (a.record && b.record && a.fields.size() == b.fields.size()) {
    out.record = true;
    for (size_t i = 0; i < a.fields.size(); i++) out.fields.push_back({a.fields[i].name, either(a.fields[i].value, b.fields[i].value)});
    return out;
  }
  out.vars = a.all();
  add(out.vars, b.all());
  return out;
}

class Consumption {
 public:
  explicit Consumption(Context& context) : c(context), types(context.types) {}

  TypeRef definition(ast::Def& def, TypeRef type) {
    if (def.params.empty()) {
      if (def.result && c.any_unique(def.result->type)) c.diags.report(def.result->span, err::unique_constant);
      exp(def.body);
      return c.strip_unique(type);
    }
    depth_ = barrier_ = 1;
    return function(def.params, def.result, def.body, type, def.result == nullptr);
  }

 private:
  // `by`: the variable named there; `loop`: the loop that started with it.
  struct Consumed { Span at; Binding* by; const ast::Loop* loop; };
  // Where each variable was consumed. It only grows; what a branch added is taken back by position.
  class State {
   public:
    using Delta = std::vector<std::pair<Binding*, Consumed>>;
    const Consumed* find(Binding* b) const {
      auto it = at_.find(b);
      return it == at_.end() ? nullptr : &it->second;
    }
    void add(Binding* b, Consumed at) { if (at_.emplace(b, at).second) order_.push_back(b); }
    // The same for what a branch consumed; its places are the ones to show.
    void add(const Delta& delta) {
      for (auto [b, at] : delta) if (at_.insert_or_assign(b, at).second) order_.push_back(b);
    }
    size_t size() const { return order_.size(); }
    Delta take(size_t from) {
      Delta out;
      for (size_t i = from; i < order_.size(); i++) {
        auto it = at_.find(order_[i]);
        out.push_back(*it);
        at_.erase(it);
      }
      order_.resize(from);
      return out;
    }

   private:
    std::unordered_map<Binding*, Consumed> at_;
    std::vector<Binding*> order_;
  };

  // --- variables ---

  bool has_memory(TypeRef t) const {
    if (types.as<PrimType>(t)) return false;
    std::optional<bool>& known = types.facts(t).has_memory;
    if (!known) known = find_memory(t);
    return *known;
  }
  bool find_memory(TypeRef t) const {
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
  Aliases by_type(TypeRef t, const Vars& vars) const {
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
  Aliases arrays_of(TypeRef t, Binding* b) const {
    Aliases out;
    if (auto* r = types.as<RecordType>(t)) {
      out.record = true;
      for (auto& f : r->fields) out.fields.push_back({f.first, arrays_of(f.second, b)});
    } else if (holds_array(t)) {
      out.vars = {b};
    }
    return out;
  }
  bool holds_array(TypeRef t) const {
    return match(types[t],
        [](const ArrayType&) { return true; },
        [&](const RecordType& r) { return std::any_of(r.fields.begin(), r.fields.end(), [&](auto& f) { return holds_array(f.second); }); },
        [&](const SumType& s) {
          for (auto& k : s.constrs) for (TypeRef p : k.second) if (holds_array(p)) return true;
          return false;
        },
        [&](const NamedType& n) {
          return std::any_of(n.args.begin(), n.args.end(), [&](const TypeArg& a) { return a.type.valid() && holds_array(a.type); });
        },
        [&](const UniqueType& u) { return holds_array(u.inner); },
        [](const auto&) { return false; });     // functions, scalars
  }
  // A type with the uniqueness that the results of another have.
  TypeRef as_unique_as(TypeRef t, TypeRef other) {
    auto *r = types.as<RecordType>(t), *s = types.as<RecordType>(other);
    auto *f = types.as<FunType>(t), *g = types.as<FunType>(other);
    if (types.as<UniqueType>(other)) return types.as<UniqueType>(t) ? t : types.add(UniqueType{t});
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

  Aliases cut(Aliases a, TypeRef t) const {
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

  void bind(Binding* b, TypeRef t, const Aliases& value, bool consumable) {
    Aliases a = cut(value, t);
    if (has_memory(t)) a.own(b);
    b->consumable = consumable;
    Vars all = a.all();
    aliases_[b] = {std::move(a), std::move(all)};
    depths_[b] = depth_;
  }

  void bind_pattern(const ast::Pat* p, TypeRef t, const Aliases& value, bool consumable) {
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
  void bind_param(const ast::Pat* p, TypeRef t) {
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
  void sizes(const ast::TypeExpr* t) {
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
  std::string text_of(const ast::Expr* e) const {
    std::string text(c.sources.text(e->span));
    return text.find_first_of(" \n") == std::string::npos || text[0] == '(' ? text : "(" + text + ")";
  }
  // A module is called as the one member of it that was used.
  std::string name_of(Binding* b) const {
    if (auto used = members_.find(b); used != members_.end() && used->second) return c.shown(*used->second);
    return b->name.valid() ? std::string(c.text(b->name)) : "the value";
  }
  void mention(const ast::Path& p) {
    auto [it, first] = members_.emplace(p.root, &p);
    if (!first && it->second && c.shown(*it->second) != c.shown(p)) it->second = nullptr;
  }

  // The variable that the expression is, if it is one of this definition.
  Binding* local(const ast::Expr* e) const {
    auto* r = std::get_if<ast::Ref>(&e->node);
    return r && r->path.root && r->path.members.empty() && aliases_.contains(r->path.root) ? r->path.root : nullptr;
  }

  void report_use(Binding* b, const ast::Expr* use, const Consumed& consumed) {
    for (const RunningLoop& l : loops_) {
      if (l.loop != consumed.loop) continue;
      if (l.in_condition) c.diags.report(use->span, err::loop_condition_uses, name_of(b)).label(consumed.at, "consumed here");
      else c.diags.report(use->span, err::loop_body_uses, name_of(b)).label(consumed.at, "consumed here").help("use the loop parameter instead");
      return;
    }
    std::string place = c.sources.place(consumed.at);
    if (use == to_consume_) c.diags.report(use->span, err::consumed_twice, name_of(b), place).label(consumed.at, "consumed here first");
    else if (consumed.by && consumed.by != b)
      c.diags.report(use->span, err::use_of_alias, name_of(b), place, name_of(consumed.by)).label(consumed.at, "`" + name_of(consumed.by) + "` is consumed here");
    else c.diags.report(use->span, err::use_after_consume, name_of(b), place).label(consumed.at, "consumed here");
  }

  void observe(Binding* b, const ast::Expr* use) {
    const Known* known = aliases_.find(b);
    if (!known) return;
    const Vars& all = known->all;
    for (Binding* v : all) {
      const Consumed* used = consumed_.find(v);
      if (!used) continue;
      report_use(b, use, *used);
      break;
    }
    if (depths_[b] < barrier_) for (Vars& captured : captures_) add(captured, all);
  }

  // The variable that an expression is, or is a part of.
  static Binding* root_of(const ast::Expr* e) {
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
  void consume(const Aliases& value, Span at, const ast::Expr* of, const ast::Loop* loop = nullptr) {
    for (Binding* v : value.all()) {
      const uint32_t* depth = depths_.find(v);
      bool global = !depth, outside_of_it = depth && *depth < barrier_;
      if (v->consumable && !global && !outside_of_it) continue;
      auto report = [&] {
        if (outside_of_it && inside_ == Inside::Size) return c.diags.report(at, err::size_consumes, name_of(v));
        if (global) return c.diags.report(at, err::consumed_global, name_of(v)).help("update a copy: `copy " + name_of(v) + "`");
        if (v->consumable && inside_ == Inside::Loop)
          return c.diags.report(at, err::consumed_in_loop, name_of(v)).help("make it a parameter of the loop");
        if (v->consumable && inside_ == Inside::Function) return c.diags.report(at, err::consumed_in_function, name_of(v));
        return c.diags.report(at, err::not_consumable, name_of(v)).help("declare it with `*`, or update a copy: `copy " + name_of(v) + "`");
      };
      auto draft = report();
      if (v->span.valid()) draft.label(v->span, "bound here");
      if (Binding* root = root_of(of); root && root != v && root->name.valid()) draft.note("`" + name_of(root) + "` shares its memory");
      return;
    }
    for (Binding* v : value.all()) consumed_.add(v, Consumed{at, root_of(of), loop});
  }

  // --- functions ---

  // Checks a body and returns the function's type with the uniqueness of its result.
  TypeRef function(std::span<ast::Pat*> params, const ast::TypeExpr* written, ast::Expr* body, TypeRef type, bool infer_unique) {
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
    bool arrays = false;
    visit_type(types, t, [&](TypeRef x) { arrays |= types.as<ArrayType>(x) != nullptr; }, [](SizeRef) {});
    for (Binding* v : arrays ? result.all() : Vars{})
      if (v->top_level || v->kind == Binding::Kind::Open || v->kind == Binding::Kind::Module) {
        if (v->def && v->def->params.size()) continue;
        c.diags.report(body->span, err::result_aliases_global, name_of(v)).help("return a copy of it");
        break;
      }
    if (written) check_result(result, t, body->span);
    else if (infer_unique) t = inferred_result(result, t, result);
    for (size_t i = arrows.size(); i-- > 0;) {
      FunType f = *types.as<FunType>(arrows[i]);
      if (f.result == t) return type;                // nothing new
      f.result = t;
      t = types.add(f);
    }
    return t;
  }

  bool outside(Binding* v) const {
    const uint32_t* d = depths_.find(v);
    return !d || *d < barrier_ || !v->consumable;
  }

  // A unique component may not share memory with what the caller keeps, nor with another component.
  void check_result(const Aliases& whole, TypeRef t, Span at) {
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
        if (outside(v)) { c.diags.report(at, err::unique_result_aliased, name_of(v)).help("return a copy: `copy " + name_of(v) + "`"); return; }
      for (size_t k = 0; k < leaves.size(); k++)
        if (k != i && common(leaves[i].first->all(), leaves[k].first->all())) { c.diags.report(at, err::result_components_alias); return; }
    }
  }

  TypeRef inferred_result(const Aliases& a, TypeRef t, const Aliases& whole) {
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

  // What is entered runs any number of times, so it may consume nothing of what is bound outside.
  enum class Inside : uint8_t { Function, Loop, Size };
  struct Inner { uint32_t depth, barrier; size_t consumed; Inside inside; };
  Inner enter(Inside what) {
    Inner saved{depth_, barrier_, consumed_.size(), inside_};
    inside_ = what;
    barrier_ = ++depth_;
    captures_.emplace_back();
    return saved;
  }
  Vars leave(const Inner& saved) {
    Vars captured = std::move(captures_.back());
    captures_.pop_back();
    depth_ = saved.depth, barrier_ = saved.barrier, inside_ = saved.inside;
    consumed_.take(saved.consumed);
    // Only what was bound outside.
    Vars out;
    for (Binding* v : captured) if (depths_[v] <= depth_) add(out, v);
    return out;
  }

  // --- expressions ---

  // Chains of `let`, `else if` and operators are walked, not descended into.
  Aliases exp(ast::Expr* e) {
    if (ast::is_let(*e)) return lets(e);
    if (std::get_if<ast::If>(&e->node)) return ifs(e);
    if (std::get_if<ast::Operator>(&e->node)) return operators(e);
    return cut(node(e), e->type);
  }

  Aliases lets(ast::Expr* e) {
    for (; ast::is_let(*e); e = ast::body_of_let(*e)) {
      if (auto* l = std::get_if<ast::Let>(&e->node)) let(*l);
      else let_function(std::get<ast::LetFun>(e->node));
    }
    return exp(e);
  }
  void let(ast::Let& l) {
    size_t before = consumed_.size();
    Aliases a = exp(l.value);
    if (consumed_.size() != before && c.has_function(l.value->type)) c.diags.report(l.value->span, err::consumption_in_function_value);
    bind_pattern(l.pat, l.pat->type, a, true);
  }
  void let_function(ast::LetFun& l) {
    Inner saved = enter(Inside::Function);
    TypeRef t = l.def->scheme->type;
    TypeRef with_result = function(l.def->params, l.def->result, l.def->body, t, !l.def->result);
    if (with_result != t) const_cast<Scheme*>(l.def->scheme)->type = with_result;
    Aliases a{leave(saved), {}, false, with_result};
    bind(l.def->self, with_result, a, true);
  }

  Aliases ifs(ast::Expr* e) {
    struct Link { TypeRef type; Aliases branch; State::Delta consumed; };
    std::vector<Link> chain;
    for (; auto* i = std::get_if<ast::If>(&e->node); e = i->else_) {
      exp(i->cond);
      size_t before = consumed_.size();
      Aliases a = exp(i->then_);
      chain.push_back({e->type, std::move(a), consumed_.take(before)});
    }
    Aliases out = exp(e);
    for (size_t k = chain.size(); k-- > 0;) {
      consumed_.add(chain[k].consumed);
      out = cut(without_consumed(either(chain[k].branch, out)), chain[k].type);
    }
    return out;
  }

  static std::string_view builtin(Context& c, const ast::Operator& o) {
    auto* r = std::get_if<ast::Ref>(&o.op->node);
    return r && r->path.root && r->path.root->kind == Binding::Kind::Builtin ? c.text(r->path.names.back()) : "";
  }

  // No operator consumes what a chain of operators on its left has made, so only what the operands share matters.
  Aliases operators(ast::Expr* e) {
    SmallVector<ast::Expr*, 8> chain;
    for (; auto* o = std::get_if<ast::Operator>(&e->node); e = o->left) chain.push_back(e);
    Aliases left = exp(e);
    for (size_t k = chain.size(); k-- > 0;) {
      auto& o = std::get<ast::Operator>(chain[k]->node);
      if (builtin(c, o).empty()) {
        std::vector<Argument> args{{o.left, std::move(left)}, {o.right, {}}};
        Vars shared = call(o.op->type, args, Order::AsWritten, 1);
        Aliases op = exp(o.op);
        add(shared, op.all());
        left = cut(result_of(type_of(o.op, op), 2, shared, chain[k]->span), chain[k]->type);
        continue;
      }
      exp(o.right);        // what `&&` and `||` consume on the right may be consumed
      left = {};
    }
    return left;
  }
  Aliases exp_to_consume(ast::Expr* e) {
    const ast::Expr* outer = to_consume_;
    to_consume_ = e;
    Aliases a = exp(e);
    to_consume_ = outer;
    return a;
  }

  // Where the value of an expression comes from, after its bindings.
  static const ast::Expr* tail(const ast::Expr* e) {
    for (;;) {
      if (auto* l = std::get_if<ast::Let>(&e->node)) e = l->body;
      else if (auto* f = std::get_if<ast::LetFun>(&e->node)) e = f->body;
      else if (auto* a = std::get_if<ast::Ascribe>(&e->node)) e = a->exp;
      else return e;
    }
  }

  enum class Order { AsWritten, LastFirst };
  using Argument = std::pair<ast::Expr*, Aliases>;
  // The first `evaluated` arguments were looked at before.
  Vars call(TypeRef fun, std::vector<Argument>& args, Order order, size_t evaluated = 0) {
    std::vector<TypeRef> params;
    TypeRef t = fun;
    for (size_t i = 0; i < args.size(); i++) {
      if (auto* u = types.as<UniqueType>(t)) t = u->inner;
      auto* f = types.as<FunType>(t);
      params.push_back(f ? f->param : types.error());
      t = f ? f->result : types.error();
    }
    Vars shared, seen;
    for (size_t n = 0; n < args.size(); n++) {
      size_t i = order == Order::LastFirst ? args.size() - 1 - n : n;
      size_t before = consumed_.size();
      Aliases a = i < evaluated ? std::move(args[i].second) : c.any_unique(params[i]) ? exp_to_consume(args[i].first) : exp(args[i].first);
      if (consumed_.size() != before && types.as<FunType>(args[i].first->type))
        c.diags.report(args[i].first->span, err::consumption_in_functional_argument);
      if (c.any_unique(params[i])) {
        std::vector<Vars> leaves;
        std::function<void(const Aliases&)> collect = [&](const Aliases& x) {
          if (!x.record) leaves.push_back(x.vars);
          for (auto& f : x.fields) collect(f.value);
        };
        collect(a);
        if (share(leaves)) c.diags.report(args[i].first->span, err::self_aliased);
        if (Binding* b = common(a.all(), seen)) c.diags.report(args[i].first->span, err::argument_aliases, name_of(b));
        else consume(a, args[i].first->span, args[i].first);
      }
      else add(shared, a.all());
      add(seen, a.all());
      args[i].second = std::move(a);
    }
    return shared;
  }

  TypeRef type_of(const ast::Expr* fun, const Aliases& value) {
    return value.function.valid() ? as_unique_as(fun->type, value.function) : fun->type;
  }

  Aliases result_of(TypeRef fun, size_t arity, Vars shared, Span at) {
    TypeRef t = fun;
    for (size_t i = 0; i < arity; i++) {
      if (auto* u = types.as<UniqueType>(t)) t = u->inner;
      auto* f = types.as<FunType>(t);
      if (!f) return {};
      t = f->result;
    }
    // Parts of one result may share memory with each other.
    int parts = 0;
    std::function<void(TypeRef)> count = [&](TypeRef x) {
      if (types.as<UniqueType>(x)) return;
      if (auto* r = types.as<RecordType>(x)) { for (auto& f : r->fields) count(f.second); return; }
      parts += has_memory(x);
    };
    count(t);
    if (parts > 1) {
      Binding* marker = c.program.bind({}, at, Binding::Kind::Value);
      marker->consumable = true;
      depths_[marker] = depth_;
      add(shared, marker);
    }
    return by_type(t, shared);
  }

  void selectors(std::span<ast::Selector> at) {
    for (ast::Selector& s : at) for (ast::Expr* part : {s.at, s.from, s.to, s.step}) if (part) exp(part);
  }

  Aliases without_consumed(Aliases a) const {
    Aliases out;
    out.record = a.record;
    for (Binding* v : a.vars) if (!consumed_.find(v)) add(out.vars, v);
    for (auto& f : a.fields) out.fields.push_back({f.name, without_consumed(f.value)});
    return out;
  }

  // ---- loops ----

  // A name that the state of a loop binds.
  struct LoopParam {
    Binding* var;
    Aliases value;
    enum Mark : int8_t { None = -1, Plain, Unique } mark;   // written type: none, without `*`, with one
  };
  // The names of the pattern, with the parts of a value that they are bound to.
  void loop_params(const ast::Pat* p, const Aliases& a, LoopParam::Mark mark, std::vector<LoopParam>& out) {
    match(p->node,
        [&](const ast::PVar& v) { out.push_back({v.var, a, mark}); },
        [&](const ast::PTuple& x) { for (size_t i = 0; i < x.parts.size(); i++) loop_params(x.parts[i], a.field(c.numeral(i)), mark, out); },
        [&](const ast::PRecord& x) { for (const ast::PField& f : x.fields) loop_params(f.pat, a.field(f.name), mark, out); },
        [&](const ast::PConstr& x) { for (const ast::Pat* q : x.args) loop_params(q, {a.all(), {}, false}, mark, out); },
        [&](const ast::PAscribe& x) { loop_params(x.pat, a, c.any_unique(x.type->type) ? LoopParam::Unique : LoopParam::Plain, out); },
        [&](const ast::PAttr& x) { loop_params(x.pat, a, mark, out); },
        [](const auto&) {});
  }
  std::vector<LoopParam> loop_params(const ast::Loop& l, const Aliases& a) {
    std::vector<LoopParam> out;
    loop_params(l.state, a, LoopParam::None, out);
    return out;
  }
  // The part of a tuple that starts or ends parameter number i.
  static const ast::Expr* part_of(const ast::Expr* whole, size_t i, size_t params) {
    auto* t = std::get_if<ast::Tuple>(&whole->node);
    return t && t->parts.size() == params ? t->parts[i] : whole;
  }
  // One iteration.
  Aliases loop_body(ast::Loop& l, const std::vector<LoopParam>& params) {
    bind_pattern(l.state, l.state->type, {}, true);
    for (const LoopParam& p : params) if (p.mark == LoopParam::Plain) p.var->consumable = false;
    if (l.form != ast::Loop::Form::While && l.index) bind_pattern(l.index, l.index->type, {}, false);
    if (l.form == ast::Loop::Form::While) {
      if (!loops_.empty()) loops_.back().in_condition = true;
      exp(l.bound);
      if (!loops_.empty()) loops_.back().in_condition = false;
    }
    return exp(l.body);
  }
  // Which parameters the body consumes, itself or by handing them to one that the next iteration consumes. Nothing is reported.
  std::vector<bool> consuming_params(ast::Loop& l, const std::vector<LoopParam>& params) {
    size_t n = params.size(), diags = c.diags.mark();
    Inner saved = enter(Inside::Loop);
    std::vector<LoopParam> ends = loop_params(l, loop_body(l, params));
    std::vector<bool> consuming(n);
    for (size_t i = 0; i < n; i++) {
      consuming[i] = params[i].mark == LoopParam::Unique;
      for (Binding* v : aliases_[params[i].var].all) if (v == params[i].var && consumed_.find(v)) consuming[i] = true;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < n && i < ends.size(); i++) {
        if (!consuming[i]) continue;
        Vars all = ends[i].value.all();
        for (size_t k = 0; k < n; k++)
          if (!consuming[k] && std::find(all.begin(), all.end(), params[k].var) != all.end()) consuming[k] = changed = true;
      }
    }
    leave(saved);
    c.diags.rollback(diags);
    return consuming;
  }
  // What such parameters start with is consumed by the loop.
  void consume_starts(ast::Loop& l, const std::vector<LoopParam>& params, const std::vector<bool>& consuming, const Aliases& iterated) {
    for (size_t i = 0; i < params.size(); i++) {
      if (!consuming[i]) continue;
      for (size_t k = 0; k < params.size(); k++)
        if (k != i && (k > i || !consuming[k]) && common(params[i].value.all(), params[k].value.all())) c.diags.report(l.init->span, err::self_aliased);
      consume(params[i].value, l.init->span, part_of(l.init, i, params.size()), &l);
    }
    // Its elements are read as the loop goes, so it counts as used in the body.
    for (Binding* v : iterated.all()) {
      const Consumed* by = consumed_.find(v);
      if (!by || by->loop != &l) continue;
      c.diags.report(l.bound->span, err::loop_body_uses, name_of(v)).label(by->at, "consumed here").help("iterate over a copy");
      break;
    }
  }
  // What the body returns for such parameters is of the loop's own, and no two share it.
  void check_ends(const ast::Loop& l, const std::vector<LoopParam>& params, const std::vector<bool>& consuming, const std::vector<LoopParam>& ends) {
    for (size_t i = 0; i < params.size() && i < ends.size(); i++) {
      Vars all = ends[i].value.all();
      Span at = part_of(tail(l.body), i, params.size())->span;
      std::string_view name = c.text(params[i].var->name);
      for (Binding* v : consuming[i] ? all : Vars{}) {
        if (const uint32_t* d = depths_.find(v); !d || *d < barrier_) {
          c.diags.report(at, err::loop_aliases_outer, name, name_of(v)).help("return a copy: `copy " + name_of(v) + "`");
          break;
        }
      }
      for (size_t k = 0; k < i && k < ends.size(); k++) {
        if (!consuming[i] && !consuming[k]) continue;
        Binding* b = common(all, ends[k].value.all());
        if (!b) continue;
        if (consuming[k]) c.diags.report(at, err::loop_aliases_parameter, name, c.text(params[k].var->name)).help("return a copy of one of them");
        else c.diags.report(at, err::loop_aliases_returned, name, name_of(b)).help("return a copy of one of them");
        break;
      }
    }
  }
  // The type of the result: unique where the parameter is consumed.
  TypeRef returned(const ast::Pat* p, TypeRef t, const std::vector<LoopParam>& params, const std::vector<bool>& consuming) {
    auto* r = types.as<RecordType>(t);
    std::vector<Field> fields;
    if (r) fields.assign(r->fields.begin(), r->fields.end());
    auto part = [&](const ast::Pat* q, Name name) {
      for (auto& f : fields) if (f.first == name) f.second = returned(q, f.second, params, consuming);
    };
    return match(p->node,
        [&](const ast::PVar& v) {
          auto at = std::find_if(params.begin(), params.end(), [&](const LoopParam& x) { return x.var == v.var; });
          return consuming[size_t(at - params.begin())] ? types.add(UniqueType{t}) : t;
        },
        [&](const ast::PTuple& x) {
          for (size_t i = 0; i < x.parts.size(); i++) part(x.parts[i], c.numeral(i));
          return types.record(fields);
        },
        [&](const ast::PRecord& x) {
          for (const ast::PField& f : x.fields) part(f.pat, f.name);
          return types.record(fields);
        },
        [&](const ast::PAscribe& x) { return returned(x.pat, t, params, consuming); },
        [&](const ast::PAttr& x) { return returned(x.pat, t, params, consuming); },
        [&](const auto&) { return t; });
  }
  Aliases loop(ast::Expr* e, ast::Loop& l) {
    Aliases iterated = l.form != ast::Loop::Form::While ? exp(l.bound) : Aliases{};
    Aliases start = exp(l.init);
    std::vector<LoopParam> params = loop_params(l, start);
    if (consuming_[e].empty() && !params.empty()) {
      std::vector<bool> found = consuming_params(l, params);   // inner loops are noted, too
      consuming_[e] = std::move(found);
    }
    const std::vector<bool> consuming = consuming_[e];
    consume_starts(l, params, consuming, iterated);
    Inner saved = enter(Inside::Loop);
    loops_.push_back({&l, false});
    Aliases result = loop_body(l, params);
    loops_.pop_back();
    check_ends(l, params, consuming, loop_params(l, result));
    leave(saved);
    // The result is like that of a call: what one parameter starts with may end in another.
    Vars shared;
    for (Binding* v : without_consumed(start).all()) add(shared, v);
    for (Binding* v : result.all()) if (const uint32_t* d = depths_.find(v); !d || *d <= depth_) add(shared, v);
    return result_of(returned(l.state, e->type, params, consuming), 0, shared, e->span);
  }

  Aliases node(ast::Expr* e) {
    return match(e->node,
        [](ast::Literal&) { return Aliases{}; },
        [&](ast::Ref& r) -> Aliases {
          Binding* b = r.path.root;
          if (!b) return {};
          if (local(e)) {
            observe(b, e);
            return aliases_.find(b)->value;
          }
          Aliases arrays = b->kind == Binding::Kind::Builtin ? Aliases{} : arrays_of(e->type, b);
          if (!r.path.members.empty() && !arrays.all().empty()) mention(r.path);
          return arrays;
        },
        [&](ast::Tuple& t) {
          Aliases out;
          out.record = true;
          for (size_t i = 0; i < t.parts.size(); i++) out.fields.push_back({c.numeral(i), exp(t.parts[i])});
          return out;
        },
        [&](ast::Record& t) {
          Aliases out;
          out.record = true;
          for (auto& f : t.fields) out.fields.push_back({f.name, exp(f.value)});
          return out;
        },
        [&](ast::Project& p) -> Aliases {
          auto* u = types.as<UniqueType>(p.record->type);
          auto* r = types.as<RecordType>(u ? u->inner : p.record->type);
          size_t index = r ? c.field_index(*r, p.field).value_or(0) : 0;
          if (Binding* b = local(p.record)) {          // without a copy of the whole record
            observe(b, p.record);
            return aliases_.find(b)->value.field(p.field, index);
          }
          return exp(p.record).field(p.field, index);
        },
        [&](ast::Index& i) {
          Aliases a = exp(i.array);
          selectors(i.at);
          return by_type(e->type, a.all());
        },
        [&](ast::ArrayLit& a) { for (ast::Expr* x : a.elems) exp(x); return Aliases{}; },
        [&](ast::Range& r) {
          exp(r.first);
          if (r.second) exp(r.second);
          exp(r.last);
          return Aliases{};
        },
        [&](ast::Apply& a) {
          std::vector<Argument> args;
          for (ast::Expr* x : a.args) args.emplace_back(x, Aliases{});
          Vars shared = call(a.fun->type, args, Order::LastFirst);
          Aliases fun = exp(a.fun);
          add(shared, fun.all());
          return result_of(type_of(a.fun, fun), args.size(), shared, e->span);
        },
        [&](ast::Construct& k) {
          Vars all;
          for (ast::Expr* x : k.args) add(all, exp(x).all());
          return Aliases{all, {}, false};
        },
        [&](ast::Unary& u) { exp(u.operand); return Aliases{}; },
        [&](ast::Section& s) {
          Aliases op = exp(s.op);
          if (!s.left && !s.right) return op;
          Vars all = op.all();
          if (s.left) add(all, exp(s.left).all());
          if (s.right) add(all, exp(s.right).all());
          return Aliases{all, {}, false};
        },
        [&](ast::AccessSection& s) { for (ast::Step& step : s.steps) selectors(step.at); return Aliases{}; },
        [&](ast::Lambda& l) {
          Inner saved = enter(Inside::Function);
          TypeRef t = function(l.params, l.result, l.body, e->type, !l.result);
          return Aliases{leave(saved), {}, false, t};
        },
        [&](ast::Match& m) {
          Aliases on = exp(m.on);
          size_t before = consumed_.size();
          std::vector<State::Delta> consumed;
          Aliases out;
          for (ast::Case& k : m.cases) {
            bind_pattern(k.pat, m.on->type, on, true);
            Aliases a = exp(k.body);
            out = consumed.empty() ? a : either(out, a);
            consumed.push_back(consumed_.take(before));
          }
          for (size_t k = consumed.size(); k-- > 0;) consumed_.add(consumed[k]);
          return without_consumed(out);
        },
        [&](ast::Loop& l) { return loop(e, l); },
        [&](ast::With& w) {
          bool only_fields = true;
          for (ast::Step& s : w.steps) { selectors(s.at); only_fields &= s.is_field; }
          // A new record may be made from a field that it replaces; an array is looked at after its new value.
          Aliases base;
          if (only_fields) base = exp(w.base);
          Aliases value = exp(w.value);
          if (!only_fields) base = exp_to_consume(w.base);
          if (only_fields) {
            Aliases* at = &base;
            for (ast::Step& s : w.steps) {
              if (!at->record) return either(base, value);
              for (auto& f : at->fields) if (f.name == s.field) { at = &f.value; break; }
            }
            *at = value;
            return base;
          }
          size_t before = c.diags.error_count();
          Binding* shared = common(value.all(), base.all());
          consume(base, w.base->span, w.base);
          if (shared && c.diags.error_count() == before)
            c.diags.report(w.value->span, err::update_aliases_value, name_of(shared)).help("use a copy: `copy " + text_of(w.value) + "`");
          return Aliases{};
        },
        [&](ast::Ascribe& a) { return exp(a.exp); },
        [&](ast::Coerce& a) { return exp(a.exp); },
        [&](ast::LocalOpen& o) { return exp(o.body); },
        [&](ast::Assert& a) { exp(a.cond); return exp(a.body); },
        [](ast::Hole&) { return Aliases{}; },
        [&](ast::Attributed& a) { return exp(a.body); },
        [](ast::SizeHole&) { return Aliases{}; },
        [](ast::Let&) -> Aliases { PANIC("a chain"); }, [](ast::LetFun&) -> Aliases { PANIC("a chain"); },
        [](ast::If&) -> Aliases { PANIC("a chain"); }, [](ast::Operator&) -> Aliases { PANIC("a chain"); });
  }

  Context& c;
  Types& types;
  struct Known { Aliases value; Vars all; };
  FlatMap<const Binding*, Known> aliases_{&c.scratch};
  FlatMap<const Binding*, uint32_t> depths_{&c.scratch};
  std::unordered_map<const ast::Expr*, std::vector<bool>> consuming_;
  std::unordered_map<const Binding*, const ast::Path*> members_;    // of modules, where they were used; null: several
  State consumed_;
  std::vector<Vars> captures_;
  struct RunningLoop { const ast::Loop* loop; bool in_condition; };
  std::vector<RunningLoop> loops_;
  const ast::Expr* to_consume_ = nullptr;            // the expression whose value is about to be consumed
  Inside inside_ = Inside::Function;
  uint32_t depth_ = 1, barrier_ = 1;
};

}  // namespace

TypeRef check_consumption(Context& c, ast::Def& def, TypeRef type) { return Consumption(c).definition(def, type); }

}  // namespace raido::check
