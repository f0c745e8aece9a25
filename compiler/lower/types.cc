// types.cc - types of the checker as lowering sees them: their leaves, their sizes, and what their parameters stand for.
//
// A type is always read together with the scope its names belong to (TypeIn). Sizes are evaluated only when somebody
// asks: most never are, because the shape of a value says more than its type.
#include "compiler/lower/lowerer.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/syntax/children.h"

namespace raido::lower {

namespace {

Scalar scalar_of(ast::Prim p) {
  switch (p) {
    case ast::Prim::I8: return Scalar::I8;
    case ast::Prim::I16: return Scalar::I16;
    case ast::Prim::I32: return Scalar::I32;
    case ast::Prim::I64: return Scalar::I64;
    case ast::Prim::U8: return Scalar::U8;
    case ast::Prim::U16: return Scalar::U16;
    case ast::Prim::U32: return Scalar::U32;
    case ast::Prim::U64: return Scalar::U64;
    case ast::Prim::F16: return Scalar::F16;
    case ast::Prim::F32: return Scalar::F32;
    case ast::Prim::F64: return Scalar::F64;
    case ast::Prim::Bool: return Scalar::Bool;
  }
  PANIC("no such primitive type");
}

}  // namespace

TypeIn Lowerer::resolve(TypeIn t) {
  for (;;) {
    t = bare(t);
    if (!std::holds_alternative<check::NamedType>(head(t))) return t;
    t = meaning(t);
  }
}

// Without uniqueness and quantifiers at its head.
TypeIn Lowerer::bare(TypeIn t) const {
  for (;;) {
    if (auto u = std::get_if<check::UniqueType>(&head(t))) t.type = u->inner;
    else if (auto e = std::get_if<check::ExistsType>(&head(t))) t.type = e->body;
    else return t;
  }
}

// What a NamedType stands for.
TypeIn Lowerer::meaning(TypeIn t) {
  auto& n = std::get<check::NamedType>(head(t));
  const TypeEntry* entry = nullptr;
  for (Scope* s = t.scope; s && !entry; s = s->parent)
    if (auto it = s->types.find(n.decl); it != s->types.end()) entry = &it->second;
  if (!entry)
    if (auto it = root_->types.find(n.decl); it != root_->types.end()) entry = &it->second;
  CHECK(entry, "the type `{}` is not known", text(checked_.result.types[n.decl].name));
  TypeIn next{entry->type, entry->scope};
  if (entry->def && !entry->def->params.empty()) {
    next.scope = new_scope(entry->scope, false);
    for (size_t i = 0; i < entry->def->params.size() && i < n.args.size(); i++) {
      const ast::TypeParam& p = entry->def->params[i];
      if (p.kind == ast::TypeParam::Kind::Size) next.scope->values[p.size] = SizeIn{n.args[i].size, t.scope};
      else next.scope->types[p.type] = TypeEntry{n.args[i].type, t.scope};
    }
  }
  return next;
}

Scalar Lowerer::prim(TypeIn t) {
  t = resolve(t);
  auto p = std::get_if<check::PrimType>(&head(t));
  CHECK(p, "a scalar type was expected");
  return scalar_of(p->prim);
}

void Lowerer::leaves_of(TypeIn t, const std::vector<SizeIn>& outer, std::vector<Leaf>& out) {
  t = resolve(t);
  match(head(t),
        [&](const check::PrimType& p) { out.push_back({scalar_of(p.prim), outer}); },
        [&](const check::ArrayType& a) {
          std::vector<SizeIn> dims = outer;
          dims.push_back(argument({a.size, t.scope}));
          leaves_of({a.elem, t.scope}, dims, out);
        },
        [&](const check::RecordType& r) {
          for (auto& [n, type] : r.fields) leaves_of({type, t.scope}, outer, out);
          if (r.fields.empty()) out.push_back({Scalar::Bool, outer});
        },
        [&](const check::SumType&) {
          std::shared_ptr<const SumLayout> l = layout(t);
          if (l->tagged) out.push_back({Scalar::I8, outer});
          for (const Leaf& slot : l->slots) {
            Leaf leaf{slot.elem, outer};
            leaf.dims.insert(leaf.dims.end(), slot.dims.begin(), slot.dims.end());
            out.push_back(std::move(leaf));
          }
        },
        [&](const auto&) { PANIC("a type without a representation"); });
}
std::vector<Leaf> Lowerer::leaves_of(TypeIn t) {
  std::vector<Leaf> out;
  leaves_of(t, {}, out);
  return out;
}

// A type that occurs many times is one node, so the answers are kept: as a tree a type may be exponentially large.
bool Lowerer::closed(TypeRef t) {
  if (auto known = closed_.find(t.index); known != closed_.end()) return known->second;
  const check::Types& types = checked_.result.types;
  bool yes = match(types[t],
      [](const check::PrimType&) { return true; },
      [&](const check::ArrayType& a) { return std::holds_alternative<check::ConstSize>(types[a.size]) && closed(a.elem); },
      [&](const check::RecordType& r) { return std::ranges::all_of(r.fields, [&](auto& f) { return closed(f.second); }); },
      [&](const check::SumType& s) {
        return std::ranges::all_of(s.constrs, [&](auto& k) { return std::ranges::all_of(k.second, [&](TypeRef p) { return closed(p); }); });
      },
      [](const auto&) { return false; });
  return closed_[t.index] = yes;
}

// Without slots there is a tag, so that an array of such sums has a length.
std::shared_ptr<const SumLayout> Lowerer::layout(TypeIn sum) {
  if (auto known = layouts_.find(sum.type.index); known != layouts_.end()) return known->second;
  const check::SumType& type = std::get<check::SumType>(head(sum));
  auto made = std::make_shared<SumLayout>();
  SumLayout& l = *made;
  l.tagged = type.constrs.size() > 1;
  Slots all;
  for (auto& [n, payloads] : type.constrs) {
    all.next_constructor();
    auto& where = l.where.emplace_back();
    for (TypeRef p : payloads) {
      auto& slots = where.emplace_back();
      for (Leaf& leaf : leaves_of({p, sum.scope})) {
        slots.push_back(all.place(leaf.elem, !leaf.dims.empty()));
        if (all.count() > l.slots.size()) l.slots.push_back(leaf);
      }
    }
  }
  l.tagged = l.tagged || l.slots.empty();
  if (closed(sum.type)) layouts_[sum.type.index] = made;
  return made;
}

Layout Lowerer::describe(TypeIn t) {
  t = resolve(t);
  Layout l;
  match(head(t),
        [&](const check::PrimType& p) {
          l.elem = scalar_of(p.prim);
          l.leaves = 1;
        },
        [&](const check::ArrayType& a) {
          l.kind = Layout::Kind::Array;
          l.element.push_back(describe({a.elem, t.scope}));
          l.leaves = l.element[0].leaves;
        },
        [&](const check::RecordType& r) {
          l.kind = Layout::Kind::Record;
          for (auto& [n, type] : r.fields) {
            l.fields.push_back({std::string(text(n)), describe({type, t.scope})});
            l.leaves += l.fields.back().layout.leaves;
          }
          if (r.fields.empty()) l.leaves = 1;
        },
        [&](const check::SumType& s) {
          if (!first_order(t)) {
            l.kind = Layout::Kind::Function;
            return;
          }
          l.kind = Layout::Kind::Sum;
          std::shared_ptr<const SumLayout> where = layout(t);
          l.tagged = where->tagged;
          l.leaves = where->slots.size() + size_t(where->tagged);
          for (size_t i = 0; i < s.constrs.size(); i++) {
            Layout::Constructor c;
            c.name = text(s.constrs[i].first);
            for (TypeRef p : s.constrs[i].second) c.payload.push_back(describe({p, t.scope}));
            c.slots = where->where[i];
            l.constructors.push_back(std::move(c));
          }
        },
        [&](const auto&) { l.kind = Layout::Kind::Function; });
  return l;
}

std::optional<Atom> Lowerer::size(SizeIn s) {
  return match(checked_.result.types[s.size],
      [&](const check::ConstSize& c) -> std::optional<Atom> { return Atom(i64_const(c.value)); },
      [&](const check::NameSize& n) -> std::optional<Atom> {
        const Value* v = find(n.name, s.scope);
        if (!v) return {};
        if (auto d = std::get_if<Dynamic>(v)) return d->atom;
        if (auto lazy = std::get_if<SizeIn>(v)) return size(*lazy);
        if (std::holds_alternative<std::shared_ptr<const DefValue>>(*v))
          return atom(instantiate(*std::get<std::shared_ptr<const DefValue>>(*v), {}, n.name->span));
        return {};
      },
      [&](const check::ExpSize& e) -> std::optional<Atom> {
        // A size may mention one that is not known here; then it is not known either.
        bool known = true;
        std::function<void(const ast::Expr&)> look = [&](const ast::Expr& x) {
          match(x.node,
                [&](const ast::Ref& r) { known = known && (r.path.root->kind == Binding::Kind::Builtin || find(r.path.root, s.scope)); },
                [&](const ast::Operator& o) { look(*o.left), look(*o.right); },
                [&](const ast::Unary& u) { look(*u.operand); },
                [&](const ast::Apply& a) {
                  look(*a.fun);
                  for (ast::Expr* arg : a.args) look(*arg);
                },
                [&](const ast::Project& p) { look(*p.record); },
                [&](const ast::Index& i) { look(*i.array); },
                [&](const ast::If& i) { look(*i.cond), look(*i.then_), look(*i.else_); },
                [&](const ast::SizeHole& h) { known = known && size({h.size, s.scope}).has_value(); },
                [&](const auto&) {});
        };
        look(*e.exp);
        if (!known) return {};
        return atom(eval(*e.exp, s.scope));
      },
      [&](const auto&) -> std::optional<Atom> { return {}; });
}

Value Lowerer::build(TypeIn t, const std::function<Value()>& next) {
  t = resolve(t);
  return match(head(t),
      [&](const check::PrimType&) { return next(); },
      [&](const check::ArrayType& a) { return build({a.elem, t.scope}, next); },
      [&](const check::RecordType& r) {
        if (r.fields.empty()) return next();
        std::vector<std::pair<Name, Value>> fields;
        for (auto& [n, type] : r.fields) fields.emplace_back(n, build({type, t.scope}, next));
        return product(std::move(fields));
      },
      [&](const check::SumType&) -> Value {
        std::shared_ptr<const SumLayout> l = layout(t);
        auto sum = std::make_shared<Sum>();
        if (l->tagged) sum->tag = next();
        for (size_t i = 0; i < l->slots.size(); i++) sum->slots.push_back(next());
        return sum;
      },
      [&](const auto&) -> Value { PANIC("a type without a representation"); });
}

// Names the sizes of a value: size parameters, `let [n]`, and unknown sizes that the value's expression made.
void Lowerer::bind_sizes(TypeIn t, const Value& v, Scope* scope, size_t depth) {
  if (closed(t.type)) return;
  const check::Type& type = head(t);
  match(type,
        [&](const check::UniqueType& u) { bind_sizes({u.inner, t.scope}, v, scope, depth); },
        [&](const check::ExistsType& e) { bind_sizes({e.body, t.scope}, v, scope, depth); },
        [&](const check::NamedType& n) {
          if (n.args.empty()) return;   // a type parameter: its sizes are its user's
          if (auto d = std::get_if<Dynamic>(&v); d && is_accumulator(d->atom)) {
            TypeIn over = resolve({n.args[0].type, t.scope});
            if (auto a = std::get_if<check::ArrayType>(&head(over)))
              bind_size({a->size, over.scope}, std::get<ir::AccType>(program_.type(d->atom)).space.at(0), scope);
            return;
          }
          TypeIn inner = resolve(t);
          if (inner.type != t.type) bind_sizes(inner, v, scope, depth);
        },
        [&](const check::ArrayType& a) {
          std::vector<Dynamic> all;
          leaves(v, all);
          if (!all.empty()) bind_size({a.size, t.scope}, shape(all[0].atom).at(depth), scope);
          bind_sizes({a.elem, t.scope}, v, scope, depth + 1);
        },
        [&](const check::RecordType& r) {
          auto p = std::get_if<std::shared_ptr<const Product>>(&v);
          for (size_t i = 0; p && i < r.fields.size() && i < (*p)->fields.size(); i++)
            bind_sizes({r.fields[i].second, t.scope}, (*p)->fields[i].second, scope, depth);
        },
        [&](const check::SumType& s) {
          auto choice = std::get_if<std::shared_ptr<const Choice>>(&v);
          for (size_t c = 0; c < s.constrs.size(); c++)
            for (size_t i = 0; i < s.constrs[c].second.size() && (!choice || (*choice)->constructor == c); i++)
              bind_sizes({s.constrs[c].second[i], t.scope}, payload(t, v, c, i), scope, depth);
        },
        [&](const auto&) {});
}
void Lowerer::bind_size(SizeIn s, const Atom& dim, Scope* scope) {
  auto n = std::get_if<check::NameSize>(&checked_.result.types[s.size]);
  if (!n || n->name->kind == Binding::Kind::Value) return;
  const Value* known = find(n->name, s.scope);
  if (!known) {
    scope->values[n->name] = Dynamic{dim, false};
  } else if (auto lazy = std::get_if<SizeIn>(known)) {
    SizeIn target = *lazy;
    scope->values[n->name] = Dynamic{dim, false};
    if (!target.scope->global) bind_size(target, dim, target.scope);      // there it belongs to an abstract type: each value has its own
  }
}

// The size that the parameter of an abbreviation stands for.
SizeIn Lowerer::argument(SizeIn s) const {
  for (;;) {
    auto n = std::get_if<check::NameSize>(&checked_.result.types[s.size]);
    const Value* v = n ? find(n->name, s.scope) : nullptr;
    auto lazy = v ? std::get_if<SizeIn>(v) : nullptr;
    if (!lazy) return s;
    s = *lazy;
  }
}

// What the size parameters in a size stand for at a use; n in `n + 1` too, since equal sizes are written alike.
void Lowerer::match_size(const check::Scheme& scheme, SizeIn general, SizeIn use, Scope* into) {
  check::Types& types = checked_.result.types;
  auto is_param = [&](const Binding* b) { return std::find(scheme.sizes.begin(), scheme.sizes.end(), b) != scheme.sizes.end(); };
  if (auto n = std::get_if<check::NameSize>(&types[general.size]); n && is_param(n->name)) {
    into->values.try_emplace(n->name, use);
    return;
  }
  if (SizeIn meant = argument(general); meant.size != general.size) return match_size(scheme, meant, use, into);
  use = argument(use);
  auto *g = std::get_if<check::ExpSize>(&types[general.size]), *u = std::get_if<check::ExpSize>(&types[use.size]);
  if (!g || !u) return;
  std::function<void(const ast::Expr*, const ast::Expr*)> walk_both = [&](const ast::Expr* a, const ast::Expr* b) {
    auto named = [&](const ast::Expr* e) -> std::optional<SizeRef> {      // the size that it stands for as a whole
      if (auto hole = std::get_if<ast::SizeHole>(&e->node)) return hole->size;
      auto r = std::get_if<ast::Ref>(&e->node);
      if (r && r->path.members.empty()) return types.add(check::Size{check::NameSize{r->path.root}});
      return {};
    };
    std::optional<SizeRef> left = named(a), right = named(b);
    if (left || right) {
      auto whole = [&](std::optional<SizeRef> s, const ast::Expr* e) { return s ? *s : types.add(check::Size{check::ExpSize{e}}); };
      SizeIn x{whole(left, a), general.scope}, y{whole(right, b), use.scope};
      if (left || argument(y).size != y.size) match_size(scheme, x, y, into);
      return;
    }
    std::vector<const ast::Expr*> parts, others;
    ast::each_child(*a, [&](ast::Expr* child) { parts.push_back(child); });
    ast::each_child(*b, [&](ast::Expr* child) { others.push_back(child); });
    for (size_t i = 0; parts.size() == others.size() && i < parts.size(); i++) walk_both(parts[i], others[i]);
  };
  walk_both(g->exp, u->exp);
}

// What the parameters of a polymorphic definition stand for at a use.
void Lowerer::match_scheme(const check::Scheme& scheme, TypeIn general, TypeIn use, Scope* into) {
  general = bare(general), use = bare(use);
  auto inner = [&](TypeRef g, TypeRef u) { match_scheme(scheme, {g, general.scope}, {u, use.scope}, into); };
  auto size_param = [&](SizeRef g, SizeRef u) { match_size(scheme, {g, general.scope}, {u, use.scope}, into); };
  if (auto gn = std::get_if<check::NamedType>(&head(general))) {
    auto un = std::get_if<check::NamedType>(&head(use));
    if (std::find(scheme.types.begin(), scheme.types.end(), gn->decl) != scheme.types.end()) {
      if (un && un->args.empty()) use = resolve(use);
      into->types.try_emplace(gn->decl, TypeEntry{use.type, use.scope, nullptr});
    } else if (un && un->decl == gn->decl) {
      for (size_t i = 0; i < gn->args.size() && i < un->args.size(); i++) {
        if (gn->args[i].type.valid()) inner(gn->args[i].type, un->args[i].type);
        else size_param(gn->args[i].size, un->args[i].size);
      }
    } else {
      match_scheme(scheme, meaning(general), use, into);
    }
    return;
  }
  use = resolve(use);
  const check::Type& u = head(use);
  match(head(general),
        [&](const check::ArrayType& a) {
          auto other = std::get_if<check::ArrayType>(&u);
          if (!other) return;
          size_param(a.size, other->size);
          inner(a.elem, other->elem);
        },
        [&](const check::RecordType& r) {
          auto other = std::get_if<check::RecordType>(&u);
          for (size_t i = 0; other && i < r.fields.size() && i < other->fields.size(); i++) inner(r.fields[i].second, other->fields[i].second);
        },
        [&](const check::SumType& s) {
          auto other = std::get_if<check::SumType>(&u);
          for (size_t i = 0; other && i < s.constrs.size() && i < other->constrs.size(); i++)
            for (size_t k = 0; k < s.constrs[i].second.size() && k < other->constrs[i].second.size(); k++)
              inner(s.constrs[i].second[k], other->constrs[i].second[k]);
        },
        [&](const check::FunType& f) {
          auto other = std::get_if<check::FunType>(&u);
          if (!other) return;
          inner(f.param, other->param);
          inner(f.result, other->result);
        },
        [&](const auto&) {});
}

namespace {
const check::FunType* function_type(const check::Types& types, TypeRef t) {
  while (auto u = std::get_if<check::UniqueType>(&types[t])) t = u->inner;
  return std::get_if<check::FunType>(&types[t]);
}
}  // namespace

TypeIn Lowerer::param_type(const ast::Def& def, size_t i, Scope* scope) {
  TypeRef t = def.scheme->type;
  for (; i > 0; i--) t = function_type(checked_.result.types, t)->result;
  return {function_type(checked_.result.types, t)->param, scope};
}
// Of a definition or a lambda.
TypeIn Lowerer::param_type(const Closure& c, size_t i) {
  if (c.kind == Closure::Kind::Def) return param_type(*static_cast<const ast::Def*>(c.code), i, c.scope);
  TypeIn t = resolve(c.type);
  for (; i > 0; i--) t = resolve({std::get<check::FunType>(head(t)).result, t.scope});
  return {std::get<check::FunType>(head(t)).param, t.scope};
}
TypeIn Lowerer::result_type(const Closure& c) {
  if (c.kind == Closure::Kind::Def) return result_type(*static_cast<const ast::Def*>(c.code), c.scope);
  TypeIn t = resolve(c.type);
  for (size_t i = arity(c); i > 1; i--) t = resolve({std::get<check::FunType>(head(t)).result, t.scope});
  return {std::get<check::FunType>(head(t)).result, t.scope};
}
TypeIn Lowerer::result_type(const ast::Def& def, Scope* scope) {
  TypeRef t = def.scheme->type;
  for (size_t i = 0; i < def.params.size(); i++) t = function_type(checked_.result.types, t)->result;
  return {t, scope};
}

Value Lowerer::blank(TypeIn t) {
  t = resolve(t);
  if (std::holds_alternative<check::FunType>(head(t)))
    return std::make_shared<Closure>(Closure{Closure::Kind::Blank, nullptr, t.scope, {}, {}, t});
  if (auto r = std::get_if<check::RecordType>(&head(t))) {
    std::vector<std::pair<Name, Value>> fields;
    for (auto& [n, type] : r->fields) fields.emplace_back(n, blank({type, t.scope}));
    return product(std::move(fields));
  }
  if (auto s = std::get_if<check::SumType>(&head(t)); s && !first_order(t)) {
    auto choice = std::make_shared<Choice>();
    for (TypeRef x : s->constrs[0].second) choice->payload.push_back(blank({x, t.scope}));
    return choice;
  }
  std::vector<Leaf> all = leaves_of(t);
  size_t next = 0;
  return build(t, [&]() -> Value {
    const Leaf& leaf = all[next++];
    std::vector<Dim> dims;
    for (const SizeIn& s : leaf.dims) dims.push_back(size(s).value_or(Atom(i64_const(0))));
    return dynamic(b_->replicate(dims, raido::constant(leaf.elem, 0)));
  });
}

// A type without its sizes, for the key of an instance.
std::string Lowerer::type_key(TypeIn t) {
  t = resolve(t);
  return match(head(t),
      [&](const check::PrimType& p) { return std::string(check::prim_name(p.prim)); },
      [&](const check::ArrayType& a) { return "[]" + type_key({a.elem, t.scope}); },
      [&](const check::RecordType& r) {
        std::string s = "{";
        for (auto& [n, type] : r.fields) s += fmt::format("{}:{},", text(n), type_key({type, t.scope}));
        return s + "}";
      },
      [&](const check::SumType& u) {
        std::string s = "<";
        for (auto& [n, payloads] : u.constrs) {
          s += fmt::format("#{}", text(n));
          for (TypeRef p : payloads) s += " " + type_key({p, t.scope});
        }
        return s + ">";
      },
      [&](const check::FunType& f) { return fmt::format("({}->{})", type_key({f.param, t.scope}), type_key({f.result, t.scope})); },
      [&](const auto&) { return std::string("?"); });
}

}  // namespace raido::lower
