// Unification of types without sizes. A variable is free, or one of a set of primitives, or a record or sum of which only some fields
// or constructors are known.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/check/infer.h"

namespace raido::check {

Infer::Infer(Context& context) : c(context), types(context.types), outer_show_(c.show_variable) {
  c.show_variable = [this](uint32_t var) -> std::string {
    if (var >= vars_.size()) return "t" + std::to_string(var);
    const TypeVar& v = vars_[var];
    // The type of a failed occurs check contains itself.
    struct Nested { uint32_t& n; explicit Nested(uint32_t& depth) : n(depth) { n++; } ~Nested() { n--; } } nested(shown_depth_);
    if (shown_depth_ > 3) return "...";
    switch (v.kind) {
      case TypeVar::Kind::Overloaded:
        if (v.set == floats) return "float";
        if ((v.set & ~ints) == 0) return "integer";
        if ((v.set & ~numbers) == 0) return "number";
        break;
      case TypeVar::Kind::Record:
        return "{" + join(v.parts->fields, ", ", [&](auto& f) { return std::string(c.text(f.first)) + ": " + unsized_show(f.second); }) + ", ...}";
      case TypeVar::Kind::Sum:
        return "(" + join(v.parts->constrs, " | ", [&](auto& k) {
          std::string clause = "#" + std::string(c.text(k.first));
          for (TypeRef p : k.second) clause += " " + unsized_show(p);
          return clause;
        }) + " | ...)";
      case TypeVar::Kind::Free: break;
    }
    return "t" + std::to_string(shown_vars_.emplace(var, shown_vars_.size()).first->second);
  };
}
Infer::~Infer() { c.show_variable = outer_show_; }

TypeRef Infer::fresh(Span at) {
  TypeVar v;
  v.level = level_;
  v.origin = at;
  vars_.push_back(std::move(v));
  return types.add(VarType{uint32_t(vars_.size() - 1)});
}
TypeRef Infer::overloaded(PrimSet set, Span at) {
  TypeRef t = fresh(at);
  vars_.back().kind = TypeVar::Kind::Overloaded;
  vars_.back().set = set;
  vars_.back().bound = Lifted::No;
  return t;
}

TypeRef Infer::with_field(Name name, TypeRef type, Span at) {
  TypeRef t = fresh(at);
  vars_.back().kind = TypeVar::Kind::Record;
  vars_.back().parts = parts_.emplace_back(std::make_unique<TypeVar::Parts>()).get();
  vars_.back().parts->fields.emplace_back(name, type);
  return t;
}
TypeRef Infer::with_constructor(Name name, const std::vector<TypeRef>& payload, Span at) {
  TypeRef t = fresh(at);
  vars_.back().kind = TypeVar::Kind::Sum;
  vars_.back().parts = parts_.emplace_back(std::make_unique<TypeVar::Parts>()).get();
  vars_.back().parts->constrs.emplace_back(name, types.keep(payload));
  return t;
}

TypeRef Infer::resolved(TypeRef t) const {
  TypeRef end = t;
  for (auto* v = types.as<VarType>(end); v && vars_[v->var].link.valid(); v = types.as<VarType>(end)) end = vars_[v->var].link;
  while (t != end) {                                                // shortens the way for the next one
    TypeRef& link = vars_[types.as<VarType>(t)->var].link;
    t = link;
    link = end;
  }
  return end;
}

TypeRef Infer::zonk(TypeRef t) {
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        TypeRef r = resolved(x);
        return r != x ? zonk(r) : types.as<VarType>(x) || types.as<PrimType>(x) ? x : TypeRef{};
      },
      [](SizeRef s) { return s; });
}

// What is known of a type now: of a record or a sum that is not known yet, the fields and constructors that are.
TypeRef Infer::known_now(TypeRef t) {
  return rebuild(types, zonk(t),
      [&](TypeRef x) -> TypeRef {
        auto* v = types.as<VarType>(x);
        const TypeVar::Parts* parts = v ? vars_[v->var].parts : nullptr;
        if (!parts) return v ? x : TypeRef{};
        std::vector<Field> fields = parts->fields;
        for (Field& f : fields) f.second = known_now(f.second);
        std::vector<Clause> clauses = parts->constrs;
        for (Clause& k : clauses) {
          std::vector<TypeRef> payload(k.second.begin(), k.second.end());
          for (TypeRef& p : payload) p = known_now(p);
          k.second = types.keep(payload);
        }
        return vars_[v->var].kind == TypeVar::Kind::Sum ? types.add(SumType{types.keep(clauses)}) : types.record(fields);
      },
      [](SizeRef s) { return s; });
}

void Infer::note_open(const ast::Expr* at, TypeRef a, TypeRef b) {
  bool open = false;
  auto is_open = [&](TypeRef x) {
    auto* v = types.as<VarType>(x);
    return v && vars_[v->var].kind != TypeVar::Kind::Overloaded;
  };
  a = zonk(a), b = zonk(b);
  for (TypeRef t : {a, b})
    visit_type(types, t, [&](TypeRef x) { open |= is_open(x); }, [](SizeRef) {});
  if (open) open_types[at] = {known_now(a), known_now(b)};
}

// The type without sizes, uniqueness and names of parameters.
TypeRef Infer::erase(TypeRef t) {
  if (types.as<PrimType>(t)) return t;
  if (TypeRef known = types.facts(t).erased; known.valid()) return known;
  return types.facts(t).erased = rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (auto* u = types.as<UniqueType>(x)) return erase(u->inner);
        if (auto* e = types.as<ExistsType>(x)) return erase(e->body);
        if (auto* o = types.as<OpenType>(x)) return types.erased(*o);
        if (auto* f = types.as<FunType>(x)) return types.fun(erase(f->param), erase(f->result));
        return {};
      },
      [&](SizeRef) { return types.any(); });
}

TypeRef Infer::instantiate(const Scheme& scheme, Span at, std::vector<TypeRef>* inst) {
  Context::Subst s;
  std::vector<TypeRef> args;
  for (TypeId id : scheme.types) {
    TypeRef v = fresh(at);
    vars_.back().bound = types[id].lifted;
    vars_.back().param = id;
    vars_.back().param_of = c.sources.text(at);
    args.push_back(v);
    s.types[id] = {{}, v, Lifted::No, {}};
  }
  if (inst) *inst = args;
  return c.substitute(erase(scheme.type), s);
}

bool Infer::fail(std::string why) {
  if (!why_) why_ = {{}, std::move(why)};
  return false;
}

bool Infer::at(std::string where) {
  where_.push_back(std::move(where));
  return false;
}

Reason Infer::why() const {
  Reason out = why_;
  if (out && !where_.empty()) {
    std::vector<std::string> path(where_.rbegin(), where_.rend());
    out.text += "\n" + join(path, ", ", [](const std::string& s) { return s; });
  }
  return out;
}

// A number that is something else goes by what it should have been: a condition, an operand, a branch. Only where nothing more is
// known than the two types it has a code of its own.
void Infer::explain(Diagnostics::Draft draft) {
  Reason r = why();
  bool generic = draft.code() == err::cannot_apply.code || draft.code() == err::body_type.code || draft.code() == err::ascription.code;
  if (r.code == err::not_among.code && !generic) r.code = {};
  if (r.code == err::unshared_fields.code && draft.code() == err::record_pattern_fields.code) r.code = {};
  // What a type parameter or an array cannot be is no difference between two types.
  for (std::string_view code : {err::array_of_functions.code, err::functional_instance.code, err::lifted_element.code, err::size_lifted_element.code})
    if (why_.code == code) { draft.instead(why_); return; }
  draft.because(r);
}

// Lowers what `t` may be; false if it already is more. `of`: the variable that asks for it.
bool Infer::restrict(TypeRef t, Lifted bound, const TypeVar& of) {
  if (bound == Lifted::Full) return true;
  t = resolved(t);
  if (auto* v = types.as<VarType>(t)) {
    TypeVar& var = vars_[v->var];
    if (var.bound <= bound) return true;
    var.bound = bound;
    if (!var.param.valid()) var.param = of.param, var.param_of = of.param_of;
    bool ok = true;
    if (!var.parts) return true;
    for (auto& f : var.parts->fields) ok &= restrict(f.second, bound, of);
    for (auto& k : var.parts->constrs) for (TypeRef p : k.second) ok &= restrict(p, bound, of);
    return ok;
  }
  return match(types[t],
      [&](const FunType&) {
        if (of.param.valid()) return fail(err::functional_instance, unsized_show(t), c.text(types[of.param].name), of.param_of);
        return fail(err::array_of_functions, unsized_show(t));
      },
      [&](const RecordType& r) {
        for (auto& f : r.fields) if (!restrict(f.second, bound, of)) return false;
        return true;
      },
      [&](const SumType& s) {
        for (auto& k : s.constrs) for (TypeRef p : k.second) if (!restrict(p, bound, of)) return false;
        return true;
      },
      [&](const NamedType& n) {
        if (types[n.decl].lifted <= bound) return true;
        if (types[n.decl].lifted == Lifted::Full) return fail(err::lifted_element, unsized_show(t));
        return fail(err::size_lifted_element, unsized_show(t));
      },
      [](const auto&) { return true; });   // primitives, arrays
}

// Occurs check, and keeps inner type parameters from escaping into variables of outer levels.
bool Infer::adjust(TypeRef t, uint32_t var, uint32_t level) {
  t = resolved(t);
  auto each = [&](TypeRef x) { return adjust(x, var, level); };
  return match(types[t],
      [&](const VarType& v) {
        if (v.var == var) return fail("occurs");
        TypeVar& other = vars_[v.var];
        if (other.level > level) other.level = level;
        if (!other.parts) return true;
        for (auto& f : other.parts->fields) if (!each(f.second)) return false;
        for (auto& k : other.parts->constrs) for (TypeRef p : k.second) if (!each(p)) return false;
        return true;
      },
      [&](const ArrayType& a) { return each(a.elem); },
      [&](const RecordType& r) {
        for (auto& f : r.fields) if (!each(f.second)) return false;
        return true;
      },
      [&](const SumType& s) {
        for (auto& k : s.constrs) for (TypeRef p : k.second) if (!each(p)) return false;
        return true;
      },
      [&](const FunType& f) { return each(f.param) && each(f.result); },
      [&](const NamedType& n) {
        if (types[n.decl].level > level)
          return fail(err::type_scope, c.text(types[n.decl].name));
        for (const TypeArg& arg : n.args) if (arg.type.valid() && !each(arg.type)) return false;
        return true;
      },
      [&](const UniqueType& u) { return each(u.inner); },
      [](const auto&) { return true; });
}

std::string set_names(PrimSet set) {
  std::string names;
  for (int i = 0; i < 12; i++)
    if (set & bit(Prim(i))) names += (names.empty() ? "" : ", ") + std::string(prim_name(Prim(i)));
  return names;
}

// What the message itself says needs no note.
bool Infer::differ(TypeRef a, TypeRef b) {
  auto abstract = [&](TypeRef t) { auto* n = types.as<NamedType>(t); return n && types[n->decl].kind == TypeDecl::Kind::Abstract; };
  if (abstract(a) && abstract(b)) return fail(err::abstract_types, shown(a), shown(b));
  if (unify_depth_ == 1) return false;
  return fail(join(std::vector<std::string>{"Cannot unify\n  ", shown(a), "\nwith\n  ", shown(b)}, ""));
}

bool Infer::payloads(Name constructor, std::span<const TypeRef> a, std::span<const TypeRef> b) {
  if (a.size() != b.size())
    return fail(err::constructor_arity, c.text(constructor), std::to_string(a.size()), std::to_string(b.size()));
  for (size_t i = 0; i < a.size(); i++) {
    if (unify(a[i], b[i])) continue;
    if (why_.code.empty() && where_.empty())
      why_ = reason(err::constructor_payload, c.text(constructor), quoted_type(b[i]), quoted_type(a[i]));
    return at("in the payload of `#" + std::string(c.text(constructor)) + "`");
  }
  return true;
}

// A record or sum requirement meets a type that is not a variable.
bool Infer::fields_fit(TypeVar& v, TypeRef t) {
  if (v.kind == TypeVar::Kind::Overloaded) {
    if (auto* p = types.as<PrimType>(t); p && (v.set & bit(p->prim))) return true;
    return fail(err::not_among, set_names(v.set), unsized_show(t));
  }
  if (v.kind == TypeVar::Kind::Record) {
    auto* r = types.as<RecordType>(t);
    for (auto& [name, type] : std::vector(v.parts->fields)) {
      const Field* found = nullptr;
      if (r) for (auto& f : r->fields) if (f.first == name) found = &f;
      if (!found && v.section) return fail(err::not_a_record, c.text(name), unsized_show(t));
      if (!found) return fail(err::no_such_field, c.text(name), unsized_show(t));
      if (!unify(found->second, type)) return at("in the field `" + std::string(c.text(name)) + "`");
    }
    return true;
  }
  if (v.kind == TypeVar::Kind::Sum) {
    auto* s = types.as<SumType>(t);
    for (auto& [name, payload] : std::vector(v.parts->constrs)) {
      const Clause* found = nullptr;
      if (s) for (auto& k : s->constrs) if (k.first == name) found = &k;
      if (!found && !s) return fail("The type " + unsized_show(t) + " is not a sum type: it has no constructors");
      if (!found) return fail(err::unshared_constructors, "#" + std::string(c.text(name)));
      if (!payloads(name, found->second, payload)) return false;
    }
  }
  return true;
}

// Says of the failed occurs check what would contain what.
void Infer::name_occurs(TypeRef self, TypeRef whole) {
  if (!why_.code.empty() || why_.text != "occurs") return;
  why_ = {};
  fail(err::occurs, unsized_show(self), unsized_show(whole));
}

bool Infer::bind_var(uint32_t var, TypeRef t) {
  if (!adjust(t, var, vars_[var].level)) {
    name_occurs(types.add(VarType{var}), t);
    return false;
  }
  TypeVar copy = vars_[var];
  if (!fields_fit(copy, t)) return false;
  vars_[var].link = t;
  return restrict(t, copy.bound, copy);
}

bool Infer::merge_vars(TypeRef ta, TypeRef tb) {
  uint32_t a = types.as<VarType>(ta)->var, b = types.as<VarType>(tb)->var;
  if (a == b) return true;
  if (vars_[a].kind == TypeVar::Kind::Free) std::swap(a, b), std::swap(ta, tb);
  if (vars_[b].kind != TypeVar::Kind::Free && vars_[a].kind != vars_[b].kind) {
    for (uint32_t v : {a, b})
      if (const TypeVar& record = vars_[v]; record.kind == TypeVar::Kind::Record) {
        std::string other = unsized_show(v == a ? tb : ta);
        if (record.section) return fail(err::not_a_record, c.text(record.parts->fields[0].first), other);
        return fail(err::no_such_field, c.text(record.parts->fields[0].first), other);
      }
    return fail("A number is not a sum type");
  }
  TypeVar vb = std::move(vars_[b]);
  vars_[b].link = ta;
  vars_[a].level = std::min(vars_[a].level, vb.level);
  bool ok = restrict(ta, vb.bound, vb);
  switch (vb.kind) {
    case TypeVar::Kind::Overloaded:
      if (!(vars_[a].set & vb.set)) {
        vars_[b] = std::move(vb);
        return fail(err::not_among, set_names(vars_[a].set), unsized_show(tb));
      }
      vars_[a].set &= vb.set;
      break;
    case TypeVar::Kind::Record:
      for (auto& [name, type] : vb.parts->fields) {
        auto& fields = vars_[a].parts->fields;
        auto it = std::find_if(fields.begin(), fields.end(), [&, n = name](auto& f) { return f.first == n; });
        if (it == fields.end()) { fields.emplace_back(name, type); ok &= adjust(type, a, vars_[a].level); }
        else ok &= unify(TypeRef(it->second), type);
      }
      break;
    case TypeVar::Kind::Sum:
      for (auto& [name, payload] : vb.parts->constrs) {
        auto& constrs = vars_[a].parts->constrs;
        auto it = std::find_if(constrs.begin(), constrs.end(), [&, n = name](auto& k) { return k.first == n; });
        if (it == constrs.end()) {
          constrs.emplace_back(name, payload);
          for (TypeRef p : payload) ok &= adjust(p, a, vars_[a].level);
          continue;
        }
        if (!payloads(name, it->second, payload)) return false;
      }
      break;
    case TypeVar::Kind::Free: break;
  }
  if (!ok) name_occurs(ta, ta);
  return ok;
}

namespace {
// `0` is the first component of a tuple.
std::string component(std::string_view field) {
  static constexpr const char* ordinals[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"};
  if (field.size() == 1 && field[0] >= '0' && field[0] <= '8') return fmt::format("in the {} tuple component", ordinals[field[0] - '0']);
  if (std::isdigit(static_cast<unsigned char>(field[0]))) return fmt::format("in the tuple component {} (from 0)", field);
  return fmt::format("in the field `{}`", field);
}
}  // namespace

bool Infer::unify(TypeRef a, TypeRef b) {
  unify_depth_++;
  bool ok = unify_parts(a, b);
  unify_depth_--;
  // What follows from an error is not reported.
  return ok || (unify_depth_ == 0 && (broken(a) || broken(b)));
}

bool Infer::broken(TypeRef t) {
  bool found = false;
  visit_type(types, zonk(t), [&](TypeRef x) { found |= types.is_error(x); }, [](SizeRef) {});
  return found;
}

void Infer::spoil(TypeRef t) {
  visit_type(types, zonk(t), [&](TypeRef x) {
    auto* v = types.as<VarType>(x);
    if (!v || vars_[v->var].link.valid()) return;
    vars_[v->var].link = types.error();
    TypeVar::Parts* parts = vars_[v->var].parts;
    if (!parts) return;
    for (Field& f : parts->fields) spoil(f.second);
    for (Clause& k : parts->constrs) for (TypeRef payload : k.second) spoil(payload);
  }, [](SizeRef) {});
}

bool Infer::unify_parts(TypeRef a, TypeRef b) {
  a = resolved(a), b = resolved(b);
  if (a == b) return true;
  auto* va = types.as<VarType>(a);
  auto* vb = types.as<VarType>(b);
  if (types.is_error(a) || types.is_error(b)) {        // what is made of it is as unknown, and nobody is to say so again
    spoil(a), spoil(b);
    return true;
  }
  if (va && vb) return merge_vars(a, b);
  if (va) return bind_var(va->var, b);
  if (vb) return bind_var(vb->var, a);
  const Type &ta = types[a], &tb = types[b];
  if (ta.index() != tb.index()) return differ(a, b);
  return match(ta,
      [&](const PrimType& p) { return p.prim == std::get<PrimType>(tb).prim || differ(a, b); },
      [&](const ArrayType& x) { return unify(x.elem, std::get<ArrayType>(tb).elem) || at("in the element type"); },
      [&](const RecordType& x) {
        auto& y = std::get<RecordType>(tb);
        bool same = x.fields.size() == y.fields.size();
        for (size_t i = 0; same && i < x.fields.size(); i++) same = x.fields[i].first == y.fields[i].first;
        if (!same) {
          auto is_tuple = [&](const RecordType& r) { return r.fields.empty() || std::isdigit(static_cast<unsigned char>(c.text(r.fields[0].first)[0])); };
          if (is_tuple(x) != is_tuple(y)) return differ(a, b);
          if (is_tuple(x))
            return fail(err::tuple_sizes, std::to_string(x.fields.size()), std::to_string(y.fields.size()));
          std::string unshared;
          auto collect = [&](const RecordType& r, const RecordType& s) {
            for (auto& f : r.fields)
              if (std::none_of(s.fields.begin(), s.fields.end(), [&](auto& g) { return g.first == f.first; }))
                unshared += (unshared.empty() ? "" : ", ") + std::string(c.text(f.first));
          };
          collect(x, y);
          collect(y, x);
          return fail(err::unshared_fields, unshared);
        }
        for (size_t i = 0; i < x.fields.size(); i++)
          if (!unify(x.fields[i].second, y.fields[i].second)) return at(component(c.text(x.fields[i].first)));
        return true;
      },
      [&](const SumType& x) {
        auto& y = std::get<SumType>(tb);
        std::string unshared;
        bool same = std::equal(x.constrs.begin(), x.constrs.end(), y.constrs.begin(), y.constrs.end(), [](auto& k, auto& m) { return k.first == m.first; });
        auto collect = [&](const SumType& r, const SumType& s) {
          for (auto& k : r.constrs)
            if (std::none_of(s.constrs.begin(), s.constrs.end(), [&](auto& m) { return m.first == k.first; }))
              unshared += (unshared.empty() ? "#" : ", #") + std::string(c.text(k.first));
        };
        if (!same) collect(x, y), collect(y, x);
        if (!unshared.empty()) return fail(err::unshared_constructors, unshared);
        for (size_t i = 0; i < x.constrs.size(); i++)
          if (!payloads(x.constrs[i].first, x.constrs[i].second, y.constrs[i].second)) return false;
        return true;
      },
      [&](const FunType& x) { auto& y = std::get<FunType>(tb); return (unify(x.param, y.param) || at("in the parameter type")) && (unify(x.result, y.result) || at("in the result type")); },
      [&](const NamedType& x) {
        auto& y = std::get<NamedType>(tb);
        if (x.decl != y.decl) return differ(a, b);
        for (size_t i = 0; i < x.args.size(); i++)
          if (x.args[i].type.valid() && !unify(x.args[i].type, y.args[i].type)) return at("in the argument of `" + std::string(c.text(types[x.decl].name)) + "`");
        return true;
      },
      [&](const UniqueType& x) { return unify(x.inner, std::get<UniqueType>(tb).inner); },
      [&](const auto&) { return true; });    // ExistsType is erased; variables and errors were handled
}

}  // namespace raido::check
