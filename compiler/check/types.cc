// The type table, substitution, and types and sizes as text.
#include "compiler/check/types.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "compiler/check/context.h"
#include "compiler/base/text.h"
#include "compiler/syntax/children.h"
#include "compiler/syntax/parse.h"

namespace raido::check {

namespace {
constexpr std::string_view prim_names[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool"};
}

std::string_view prim_name(Prim p) { return prim_names[size_t(p)]; }
std::optional<Prim> prim_named(std::string_view text) {
  for (size_t i = 0; i < std::size(prim_names); i++) if (prim_names[i] == text) return Prim(i);
  return {};
}

Types::Types() {
  for (size_t i = 0; i < std::size(prim_names); i++) prims_.push_back(add(PrimType{Prim(i)}));
  error_ = add(ErrorType{});
  unit_ = add(RecordType{});
  any_ = add(Size{AnySize{}});
}
const Type& Types::found(const Type& open) const {
  TypeRef t = open_[std::get<OpenType>(open).var].found;
  return t.valid() ? (*this)[t] : open;
}
TypeId Types::declare(TypeDecl decl) {
  decls_.push_back(std::move(decl));
  return {uint32_t(decls_.size() - 1)};
}

namespace {
bool field_before(std::string_view a, std::string_view b) {
  bool na = !a.empty() && a[0] >= '0' && a[0] <= '9', nb = !b.empty() && b[0] >= '0' && b[0] <= '9';
  if (na != nb) return na;
  if (na && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}
}  // namespace

void Context::sort_fields(std::vector<Field>& fields) const {
  std::sort(fields.begin(), fields.end(), [&](const Field& a, const Field& b) { return field_before(text(a.first), text(b.first)); });
}

// --- sizes and expressions ---

SizeRef Context::size_of(const ast::Expr* e) {
  if (auto* a = std::get_if<ast::Ascribe>(&e->node)) return size_of(a->exp);
  if (auto* a = std::get_if<ast::Attributed>(&e->node)) return size_of(a->body);
  if (auto* a = std::get_if<ast::Assert>(&e->node)) return size_of(a->body);
  if (auto* h = std::get_if<ast::SizeHole>(&e->node)) return h->size;
  if (auto* l = std::get_if<ast::Literal>(&e->node); l && l->kind == ast::Literal::Kind::Int)
    return types.add(Size{ConstSize{i64(l->integer)}});
  if (auto* r = std::get_if<ast::Ref>(&e->node); r && r->path.root && r->path.members.empty())
    return types.add(Size{NameSize{r->path.root}});
  return types.add(Size{ExpSize{e}});
}

const ast::Expr* Context::exp_of(SizeRef s) {
  if (auto* e = types.as<ExpSize>(s)) return e->exp;
  ast::Expr* hole = program.arena.make<ast::Expr>(Span{}, ast::SizeHole{s}, types.prim(Prim::I64));
  return hole;
}

const ast::Expr* Context::rewrite(const ast::Expr* e, const std::function<const ast::Expr*(const ast::Expr*)>& f,
                                  const std::function<TypeRef(TypeRef)>& retype) {
  if (const ast::Expr* r = f(e)) return r;
  bool changed = false;
  auto change_type = [&](TypeRef& t) {
    TypeRef before = t;
    if (retype && t.valid()) t = retype(t);
    return t != before;
  };
  auto go = [&](ast::Expr* x) {
    const ast::Expr* y = rewrite(x, f, retype);
    changed |= y != x;
    return const_cast<ast::Expr*>(y);      // the tree is shared; nobody changes an expression after checking it
  };
  ast::Expr copy = *e;
  changed = change_type(copy.type);
  auto list = [&](std::span<ast::Expr*>& items) {
    std::vector<ast::Expr*> out;
    for (ast::Expr* item : items) out.push_back(go(item));
    items = program.arena.copy(out);
  };
  auto selectors = [&](std::span<ast::Selector>& at) {
    std::vector<ast::Selector> out(at.begin(), at.end());
    for (ast::Selector& s : out)
      for (ast::Expr** part : {&s.at, &s.from, &s.to, &s.step}) if (*part) *part = go(*part);
    at = program.arena.copy(out);
  };
  auto steps = [&](std::span<ast::Step>& all) {
    std::vector<ast::Step> out(all.begin(), all.end());
    for (ast::Step& s : out) selectors(s.at);
    all = program.arena.copy(out);
  };
  match(copy.node,
      [&](ast::Ref& x) {
        std::vector<TypeRef> inst(x.inst.begin(), x.inst.end());
        bool other = false;
        for (TypeRef& t : inst) other |= change_type(t);
        if (other) x.inst = program.arena.copy(inst);
        changed |= other;
      },
      [&](ast::Tuple& x) { list(x.parts); },
      [&](ast::Record& x) {
        std::vector<ast::RecordField> fields(x.fields.begin(), x.fields.end());
        for (auto& field : fields) field.value = go(field.value);
        x.fields = program.arena.copy(fields);
      },
      [&](ast::Project& x) { x.record = go(x.record); },
      [&](ast::Index& x) { x.array = go(x.array); selectors(x.at); },
      [&](ast::ArrayLit& x) { list(x.elems); },
      [&](ast::Range& x) { x.first = go(x.first); if (x.second) x.second = go(x.second); x.last = go(x.last); },
      [&](ast::Apply& x) { x.fun = go(x.fun); list(x.args); },
      [&](ast::Construct& x) { list(x.args); },
      [&](ast::Operator& x) { x.op = go(x.op); x.left = go(x.left); x.right = go(x.right); },
      [&](ast::Unary& x) { x.operand = go(x.operand); },
      [&](ast::Section& x) { x.op = go(x.op); if (x.left) x.left = go(x.left); if (x.right) x.right = go(x.right); },
      [&](ast::AccessSection& x) { steps(x.steps); },
      [&](ast::If& x) { x.cond = go(x.cond); x.then_ = go(x.then_); x.else_ = go(x.else_); },
      [&](ast::With& x) { x.base = go(x.base); steps(x.steps); x.value = go(x.value); },
      [&](ast::Ascribe& x) { x.exp = go(x.exp); },
      [&](ast::Coerce& x) { x.exp = go(x.exp); },
      [&](ast::LocalOpen& x) { x.body = go(x.body); },
      [&](ast::Assert& x) { x.cond = go(x.cond); x.body = go(x.body); },
      [&](ast::Attributed& x) { x.body = go(x.body); },
      [](auto&) {});      // leaves, and the binding constructs that no size may contain
  return changed ? program.arena.make<ast::Expr>(copy) : e;
}

void Context::each_name(const ast::Expr* e, const std::function<void(Binding*)>& f) const {
  ast::each_expression(e, [&](const ast::Expr* x) {
    if (auto* r = std::get_if<ast::Ref>(&x->node); r && r->path.root) {
      Binding* origin = origin_of(r->path);
      f(origin ? origin : r->path.root);
    }
    else if (auto* h = std::get_if<ast::SizeHole>(&x->node)) each_name(h->size, f);
    return true;
  });
}
void Context::each_name(SizeRef s, const std::function<void(Binding*)>& f) const {
  if (resolve_size) s = resolve_size(s);
  if (auto* n = types.as<NameSize>(s)) f(n->name);
  else if (auto* e = types.as<ExpSize>(s)) each_name(e->exp, f);
}
bool Context::mentions(SizeRef s, Binding* b) const {
  bool found = false;
  each_name(s, [&](Binding* x) { found |= x == b; });
  return found;
}
void Context::each_size_name(TypeRef t, const std::function<void(Binding*)>& f) const {
  visit_type(types, resolve_type ? resolve_type(t) : t, [](TypeRef) {}, [&](SizeRef s) { each_name(s, f); });
}
bool Context::mentions(TypeRef t, Binding* b) const {
  bool found = false;
  each_size_name(t, [&](Binding* x) { found |= x == b; });
  return found;
}

std::optional<size_t> Context::field_index(const RecordType& r, Name name) const {
  auto at = std::lower_bound(r.fields.begin(), r.fields.end(), name, [&](auto& f, Name n) { return field_before(text(f.first), text(n)); });
  return at != r.fields.end() && at->first == name ? std::optional(size_t(at - r.fields.begin())) : std::nullopt;
}

// --- substitution ---

SizeRef Context::substitute(SizeRef size, const Subst& s) {
  if (s.empty()) return size;
  if (resolve_size) size = resolve_size(size);
  if (auto* n = types.as<NameSize>(size)) {
    const SizeRef* to = s.sizes.find(n->name);
    return to ? *to : size;
  }
  if (auto* e = types.as<ExpSize>(size)) {
    // The types of what it consists of. The sizes in these are of no use.
    auto retype = [&](TypeRef t) { return s.types.empty() ? t : substitute(t, s, false); };
    const ast::Expr* out = rewrite(e->exp, [&](const ast::Expr* x) -> const ast::Expr* {
      if (auto* h = std::get_if<ast::SizeHole>(&x->node)) {
        SizeRef r = substitute(h->size, s);
        return r == h->size ? x : exp_of(r);
      }
      auto* r = std::get_if<ast::Ref>(&x->node);
      if (!r || !r->path.root) return nullptr;
      Binding* origin = origin_of(r->path);
      const SizeRef* to = s.sizes.find(origin ? origin : r->path.root);
      if (!to) return nullptr;
      auto *n = types.as<NameSize>(*to);
      auto *type = x->type.valid() ? types.as<PrimType>(x->type) : nullptr;
      if (!n || (type && type->prim == Prim::I64)) return exp_of(*to);
      ast::Ref other = *r;                               // a function, say, that the size applies
      other.path.root = n->name;
      other.path.members = {};
      return program.arena.make<ast::Expr>(x->span, other, x->type.valid() ? retype(x->type) : x->type);
    }, retype);
    return out == e->exp ? size : size_of(out);
  }
  return size;
}

TypeRef Context::substitute(TypeRef t, const Subst& s, bool in_sizes) {
  if (s.empty()) return t;
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (resolve_type) {
          TypeRef r = resolve_type(x);
          if (r != x) return substitute(r, s, in_sizes);
        }
        auto* n = types.as<NamedType>(x);
        if (!n) return {};
        const TypeMember* known = s.types.find(n->decl);
        if (!known) return {};
        const TypeMember& member = *known;
        if (member.params.empty()) return member.body;
        Subst args;
        for (size_t i = 0; i < member.params.size() && i < n->args.size(); i++) {
          if (member.params[i].size) args.sizes[member.params[i].size] = substitute(n->args[i].size, s);
          else args.types[member.params[i].type] = {{}, substitute(n->args[i].type, s), Lifted::No, {}};
        }
        return substitute(member.body, args);
      },
      [&](SizeRef d) { return in_sizes ? substitute(d, s) : d; });
}

Lifted Context::liftedness(TypeRef t) const {
  Lifted out = Lifted::No;
  auto raise = [&](Lifted l) { out = std::max(out, l); };
  visit_type(types, resolve_type ? resolve_type(t) : t,
      [&](TypeRef x) {
        if (types.as<FunType>(x)) raise(Lifted::Full);
        if (types.as<ExistsType>(x)) raise(Lifted::Size);
        if (auto* n = types.as<NamedType>(x)) raise(types[n->decl].lifted);
      },
      [](SizeRef) {});
  return out;
}
bool Context::has_function(TypeRef t) const { return liftedness(t) == Lifted::Full; }

TypeRef Context::strip_pointless(TypeRef t) {
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        auto* u = types.as<UniqueType>(x);
        if (!u) return {};
        bool memory = types.is_error(u->inner);
        visit_type(types, u->inner, [&](TypeRef y) { memory |= types.as<ArrayType>(y) || types.as<NamedType>(y); }, [](SizeRef) {});
        return memory ? TypeRef{} : u->inner;
      },
      [](SizeRef s) { return s; });
}

TypeRef Context::strip_unique(TypeRef t) {
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (auto* u = types.as<UniqueType>(x)) return strip_unique(u->inner);
        return types.as<FunType>(x) ? x : TypeRef{};
      },
      [](SizeRef s) { return s; });
}
bool Context::holds_nothing(TypeRef t) const {
  return match(types[t],
      [&](const ArrayType& a) { return holds_nothing(a.elem); },
      [&](const RecordType& r) { return !r.fields.empty() && std::all_of(r.fields.begin(), r.fields.end(), [&](auto& f) { return holds_nothing(f.second); }); },
      [&](const SumType& s) {
        return s.constrs.size() == 1 && std::all_of(s.constrs[0].second.begin(), s.constrs[0].second.end(), [&](TypeRef p) { return holds_nothing(p); });
      },
      [&](const UniqueType& u) { return holds_nothing(u.inner); },
      [](const auto&) { return false; });
}

bool Context::witnesses(TypeRef t, const Binding* size, bool by_values) const {
  auto is_it = [&](SizeRef s) { auto* n = types.as<NameSize>(s); return n && n->name == size; };
  return match(types[t],
      [&](const ArrayType& a) { return (is_it(a.size) && !(by_values && holds_nothing(a.elem))) || witnesses(a.elem, size, by_values); },
      [&](const RecordType& r) {
        for (auto& f : r.fields) if (witnesses(f.second, size, by_values)) return true;
        return false;
      },
      [&](const SumType& s) {
        for (auto& k : s.constrs) for (TypeRef p : k.second) if (witnesses(p, size, by_values)) return true;
        return false;
      },
      [&](const NamedType& n) {
        for (const TypeArg& a : n.args) if (a.size.valid() && is_it(a.size)) return true;
        return false;
      },
      [&](const UniqueType& u) { return witnesses(u.inner, size, by_values); },
      [&](const ExistsType& e) { return witnesses(e.body, size, by_values); },
      [](const auto&) { return false; });      // sizes inside of functions belong to no value
}

bool Context::any_unique(TypeRef t) const {
  return match(types[t],
      [](const UniqueType&) { return true; },
      [&](const RecordType& r) {
        for (auto& field : r.fields) if (any_unique(field.second)) return true;
        return false;
      },
      [&](const SumType& s) {
        for (auto& c : s.constrs) for (TypeRef p : c.second) if (any_unique(p)) return true;
        return false;
      },
      [&](const ExistsType& e) { return any_unique(e.body); },
      [](const auto&) { return false; });      // `*` has no meaning inside arrays and functions
}

// --- text ---

std::string Context::shown(const ast::Path& path) const {
  return join(path.names, ".", [&](Name n) { return std::string(text(n)); });
}

namespace {

struct Printer {
  const Context& c;

  TypeRef resolved(TypeRef t) const { return c.resolve_type ? c.resolve_type(t) : t; }
  bool is_tuple(const RecordType& r) const {
    if (r.fields.size() == 1) return false;
    for (size_t i = 0; i < r.fields.size(); i++) if (c.text(r.fields[i].first) != std::to_string(i)) return false;
    return true;
  }
  // Braces evaluate from left to right; sums and arguments do so with some C++ compilers only. What is open is named in this order.
  static std::string in_order(std::initializer_list<std::string> parts) {
    std::string out;
    for (const std::string& part : parts) out += part;
    return out;
  }
  // prec: 0 anything, 1 no arrow, 2 an atom.
  std::string type(TypeRef t, int prec) const {
    auto parens = [&](bool needed, std::string s) { return needed ? "(" + s + ")" : s; };
    t = resolved(t);
    return match(c.types[t],
        [&](const PrimType& p) { return std::string(prim_name(p.prim)); },
        [&](const ArrayType& a) { return in_order({"[", is_open(a.size) ? "" : size(a.size), "]", type(a.elem, 2)}); },
        [&](const RecordType& r) {
          if (is_tuple(r)) return "(" + join(r.fields, ", ", [&](auto& f) { return type(f.second, 0); }) + ")";
          return "{" + join(r.fields, ", ", [&](auto& f) { return std::string(c.text(f.first)) + ": " + type(f.second, 0); }) + "}";
        },
        [&](const SumType& s) {
          std::string out = join(s.constrs, " | ", [&](auto& k) {
            std::string clause = "#" + std::string(c.text(k.first));
            for (TypeRef p : k.second) clause += " " + type(p, 2);
            return clause;
          });
          return parens(prec >= 2, out);
        },
        [&](const FunType& f) {
          std::string from = f.name ? "(" + std::string(c.text(f.name->name)) + ": " + type(f.param, 0) + ")" : type(f.param, 1);
          std::string to;
          if (!f.exists.empty()) {
            to = "?";
            for (Binding* b : f.exists) to += "[" + name(b) + "]";
            to += ".";
          }
          return parens(prec >= 1, from + " -> " + to + type(f.result, 0));
        },
        [&](const NamedType& n) {
          const TypeDecl& d = c.types[n.decl];
          std::string out = d.shown.empty() ? std::string(c.text(d.name)) : d.shown;
          for (const TypeArg& a : n.args) out += a.type.valid() ? " " + type(a.type, 2) : " [" + size(a.size) + "]";
          return parens(prec >= 2 && !n.args.empty(), out);
        },
        [&](const UniqueType& u) { return "*" + type(u.inner, 1); },
        [&](const ExistsType& e) {
          std::string out = "?";
          for (Binding* b : e.sizes) out += "[" + name(b) + "]";
          return parens(prec >= 1, out + "." + type(e.body, 0));
        },
        [&](const VarType& v) { return c.show_variable ? c.show_variable(v.var) : "t" + std::to_string(v.var); },
        [&](const OpenType& o) { return type(c.types.erased(o), prec); },
        [](const ErrorType&) { return std::string("?"); });
  }
  std::string name(Binding* b) const { return b->name.valid() ? std::string(c.text(b->name)) : c.anonymous_name(b); }
  std::string size(SizeRef s) const {
    if (c.resolve_size) s = c.resolve_size(s);
    return match(c.types[s],
        [](const ConstSize& k) { return std::to_string(k.value); },
        [&](const NameSize& n) { return name(n.name); },
        [&](const ExpSize& e) { return exp(*e.exp, 0); },
        [](const AnySize&) { return std::string(); },
        [&](const VarSize& v) { return c.open_size_name(v.var); });
  }
  bool is_open(SizeRef s) const { return c.types.as<VarSize>(c.resolve_size ? c.resolve_size(s) : s) != nullptr; }
  // How closely the operator of `e` binds.
  int level(const ast::Expr& e) const { return ast::operator_level(exp(*std::get<ast::Operator>(e.node).op, 0)); }
  // prec: 0 anything, 1 operand, 2 atom.
  std::string exp(const ast::Expr& e, int prec) const {
    auto parens = [&](bool needed, std::string s) { return needed ? "(" + s + ")" : s; };
    auto list = [&](auto& items) { return join(items, ", ", [&](ast::Expr* x) { return exp(*x, 0); }); };
    if (auto* l = std::get_if<ast::Literal>(&e.node)) {
      if (l->kind == ast::Literal::Kind::Int) return std::to_string(l->integer);
      if (l->kind == ast::Literal::Kind::Bool) return l->integer ? "true" : "false";
    }
    if (auto* r = std::get_if<ast::Ref>(&e.node)) return c.shown(r->path);
    if (auto* h = std::get_if<ast::SizeHole>(&e.node)) {
      std::string inner = size(h->size);
      SizeRef s = c.resolve_size ? c.resolve_size(h->size) : h->size;
      return parens(prec > 0 && c.types.as<ExpSize>(s), inner);
    }
    if (auto* o = std::get_if<ast::Operator>(&e.node)) {
      bool looser = std::get_if<ast::Operator>(&o->left->node) && level(*o->left) < level(e);
      return parens(prec > 1, in_order({exp(*o->left, looser ? 2 : 1), " ", exp(*o->op, 0), " ",
                                        exp(*o->right, std::get_if<ast::Apply>(&o->right->node) ? 1 : 2)}));
    }
    if (auto* u = std::get_if<ast::Unary>(&e.node))
      return parens(prec > 1, (u->op == ast::Unary::Op::Negate ? "-" : "!") + exp(*u->operand, 2));
    if (auto* a = std::get_if<ast::Apply>(&e.node)) {
      std::string out = exp(*a->fun, 2);
      for (ast::Expr* arg : a->args) out += " " + exp(*arg, 2);
      return parens(prec > 1, out);
    }
    if (auto* p = std::get_if<ast::Project>(&e.node)) return exp(*p->record, 2) + "." + std::string(c.text(p->field));
    if (auto* t = std::get_if<ast::Tuple>(&e.node)) return "(" + list(t->parts) + ")";
    if (auto* t = std::get_if<ast::ArrayLit>(&e.node)) return "[" + list(t->elems) + "]";
    if (auto* i = std::get_if<ast::If>(&e.node))
      return parens(prec > 0, in_order({"if ", exp(*i->cond, 0), " then ", exp(*i->then_, 0), " else ", exp(*i->else_, 0)}));
    return std::string(c.sources.text(e.span));
  }
};

}  // namespace

std::string Context::open_size_name(uint32_t var) const {
  return "d" + std::to_string(open_sizes_.emplace(var, open_sizes_.size()).first->second);
}

std::string Context::anonymous_name(const Binding* b) const {
  return "k" + std::to_string(anonymous_.emplace(b, anonymous_.size()).first->second);
}

std::string Context::show(TypeRef t) const { return Printer{*this}.type(t, 0); }
std::string Context::show(SizeRef s) const { return Printer{*this}.size(s); }
std::string Context::show_exp(const ast::Expr& e) const { return Printer{*this}.exp(e, 0); }

}  // namespace raido::check
