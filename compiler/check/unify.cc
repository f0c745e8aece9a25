// Unification of types without sizes. A variable is free, or one of a set of primitives, or a record or sum of which only some fields
// or constructors are known.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/check/infer.h"

namespace raido::check {

Infer::Infer(Context& context) : c(context), types(context.types), outer_show_(context.show_variable) {
  c.show_variable = [this](uint32_t var) -> std::string {
    if (var < vars_.size() && vars_[var].kind == TypeVar::Kind::Overloaded) {
      PrimSet set = vars_[var].set;
      return set == floats ? "float" : (set & ~ints) == 0 ? "integer" : (set & ~numbers) == 0 ? "number" : "t" + std::to_string(var);
    }
    return "t" + std::to_string(var);
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

// The type without sizes, uniqueness and names of parameters.
TypeRef Infer::erase(TypeRef t) {
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (auto* u = types.as<UniqueType>(x)) return erase(u->inner);
        if (auto* e = types.as<ExistsType>(x)) return erase(e->body);
        if (auto* f = types.as<FunType>(x)) {
          FunType old = *f;
          return types.fun(erase(old.param), erase(old.result));
        }
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
    args.push_back(v);
    s.types[id.index] = {{}, v, Lifted::No, {}};
  }
  if (inst) *inst = args;
  return c.substitute(erase(scheme.type), s);
}

bool Infer::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  return false;
}

// Lowers what `t` may be; false if it already is more.
bool Infer::restrict(TypeRef t, Lifted bound) {
  if (bound == Lifted::Full) return true;
  t = resolved(t);
  if (auto* v = types.as<VarType>(t)) {
    TypeVar& var = vars_[v->var];
    if (var.bound <= bound) return true;
    var.bound = bound;
    bool ok = true;
    for (auto& f : std::vector(var.fields)) ok &= restrict(f.second, bound);
    for (auto& k : std::vector(vars_[v->var].constrs)) for (TypeRef p : k.second) ok &= restrict(p, bound);
    return ok;
  }
  return match(types[t],
      [&](const FunType&) { return fail("the type " + unsized_show(t) + " was found to be functional"); },
      [&](const RecordType& r) {
        for (auto& f : r.fields) if (!restrict(f.second, bound)) return false;
        return true;
      },
      [&](const SumType& s) {
        for (auto& k : s.constrs) for (TypeRef p : k.second) if (!restrict(p, bound)) return false;
        return true;
      },
      [&](const NamedType& n) {
        if (types[n.decl].lifted <= bound) return true;
        return fail("the type " + unsized_show(t) + " is lifted and cannot be an array element or the instance of a type parameter that is not");
      },
      [](const auto&) { return true; });   // primitives, arrays
}

// Occurs check, and keeps inner type parameters from escaping into variables of outer levels.
bool Infer::adjust(TypeRef t, uint32_t var, uint32_t level) {
  t = resolved(t);
  auto each = [&](TypeRef x) { return adjust(x, var, level); };
  return match(types[t],
      [&](const VarType& v) {
        if (v.var == var) return fail("Occurs check: the type would contain itself");
        TypeVar& other = vars_[v.var];
        if (other.level > level) other.level = level;
        for (auto& f : std::vector(other.fields)) if (!each(f.second)) return false;
        for (auto& k : std::vector(vars_[v.var].constrs)) for (TypeRef p : k.second) if (!each(p)) return false;
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
      [&](const FunType& f) { FunType g = f; return each(g.param) && each(g.result); },
      [&](const NamedType& n) {
        if (types[n.decl].level > level)
          return fail("the type parameter `" + std::string(c.text(types[n.decl].name)) + "` would escape (scope violation)");
        for (const TypeArg& arg : n.args) if (arg.type.valid() && !each(arg.type)) return false;
        return true;
      },
      [&](const UniqueType& u) { return each(u.inner); },
      [](const auto&) { return true; });
}

// A record or sum requirement meets a type that is not a variable.
bool Infer::fields_fit(TypeVar& v, TypeRef t) {
  auto fields = v.fields;
  auto constrs = v.constrs;
  if (v.kind == TypeVar::Kind::Overloaded) {
    if (auto* p = types.as<PrimType>(t); p && (v.set & bit(p->prim))) return true;
    std::string names;
    for (int i = 0; i < 12; i++)
      if (v.set & bit(Prim(i))) names += (names.empty() ? "" : ", ") + std::string(prim_name(Prim(i)));
    return fail("Cannot instantiate type that must be one of " + names + " with " + unsized_show(t));
  }
  if (v.kind == TypeVar::Kind::Record) {
    auto* r = types.as<RecordType>(t);
    for (auto& [name, type] : fields) {
      const std::pair<Name, TypeRef>* found = nullptr;
      if (r) for (auto& f : r->fields) if (f.first == name) found = &f;
      if (!found) return fail("Cannot unify record type with fields `" + std::string(c.text(name)) + "` with " + unsized_show(t));
      if (!unify(found->second, type)) return false;
    }
    return true;
  }
  if (v.kind == TypeVar::Kind::Sum) {
    auto* s = types.as<SumType>(t);
    for (auto& [name, payload] : constrs) {
      const std::pair<Name, std::vector<TypeRef>>* found = nullptr;
      if (s) for (auto& k : s->constrs) if (k.first == name) found = &k;
      if (!found) return fail("the type " + unsized_show(t) + " has no constructor `#" + std::string(c.text(name)) + "`; Unshared constructors: #" + std::string(c.text(name)));
      if (found->second.size() != payload.size())
        return fail("uses of the constructor `#" + std::string(c.text(name)) + "` differ in arity");
      for (size_t i = 0; i < payload.size(); i++) if (!unify(found->second[i], payload[i])) return false;
    }
  }
  return true;
}

bool Infer::bind_var(uint32_t var, TypeRef t) {
  if (!adjust(t, var, vars_[var].level)) return false;
  TypeVar copy = vars_[var];
  if (!fields_fit(copy, t)) return false;
  vars_[var].link = t;
  return restrict(t, copy.bound);
}

bool Infer::merge_vars(uint32_t a, uint32_t b) {
  if (a == b) return true;
  if (vars_[a].kind == TypeVar::Kind::Free) std::swap(a, b);
  if (vars_[b].kind != TypeVar::Kind::Free && vars_[a].kind != vars_[b].kind)
    return fail("a number cannot be a record or a sum: the requirements contradict each other");
  TypeVar vb = std::move(vars_[b]);
  TypeRef ta = types.add(VarType{a});
  vars_[b].link = ta;
  vars_[a].level = std::min(vars_[a].level, vb.level);
  bool ok = restrict(ta, vb.bound);
  switch (vb.kind) {
    case TypeVar::Kind::Overloaded:
      vars_[a].set &= vb.set;
      if (!vars_[a].set) return fail("Cannot instantiate type that must be one of two disjoint sets");
      break;
    case TypeVar::Kind::Record:
      for (auto& [name, type] : vb.fields) {
        auto& fields = vars_[a].fields;
        auto it = std::find_if(fields.begin(), fields.end(), [&, n = name](auto& f) { return f.first == n; });
        if (it == fields.end()) { fields.emplace_back(name, type); ok &= adjust(type, a, vars_[a].level); }
        else ok &= unify(TypeRef(it->second), type);
      }
      break;
    case TypeVar::Kind::Sum:
      for (auto& [name, payload] : vb.constrs) {
        auto& constrs = vars_[a].constrs;
        auto it = std::find_if(constrs.begin(), constrs.end(), [&, n = name](auto& k) { return k.first == n; });
        if (it == constrs.end()) {
          constrs.emplace_back(name, payload);
          for (TypeRef p : payload) ok &= adjust(p, a, vars_[a].level);
          continue;
        }
        std::vector<TypeRef> other = it->second;
        if (other.size() != payload.size())
          return fail("uses of the constructor `#" + std::string(c.text(name)) + "` differ in arity");
        for (size_t i = 0; i < payload.size(); i++) ok &= unify(other[i], payload[i]);
      }
      break;
    case TypeVar::Kind::Free: break;
  }
  return ok;
}

bool Infer::unify(TypeRef a, TypeRef b) {
  unify_depth_++;
  bool ok = unify_parts(a, b);
  unify_depth_--;
  return ok;
}

bool Infer::unify_parts(TypeRef a, TypeRef b) {
  a = resolved(a), b = resolved(b);
  if (a == b || types.is_error(a) || types.is_error(b)) return true;
  auto* va = types.as<VarType>(a);
  auto* vb = types.as<VarType>(b);
  if (va && vb) return merge_vars(va->var, vb->var);
  if (va) return bind_var(va->var, b);
  if (vb) return bind_var(vb->var, a);
  auto differ = [&] {
    // What the message itself says needs no note.
    if (unify_depth_ == 1 && !types.as<NamedType>(a)) return false;
    return fail("Cannot unify\n  " + unsized_show(a) + "\nwith\n  " + unsized_show(b));
  };
  const Type &ta = types[a], &tb = types[b];
  if (ta.index() != tb.index()) return differ();
  return match(ta,
      [&](const PrimType& p) { return p.prim == std::get<PrimType>(tb).prim || differ(); },
      [&](const ArrayType& x) { return unify(x.elem, std::get<ArrayType>(tb).elem); },
      [&](const RecordType& x) {
        auto& y = std::get<RecordType>(tb);
        bool same = x.fields.size() == y.fields.size();
        for (size_t i = 0; same && i < x.fields.size(); i++) same = x.fields[i].first == y.fields[i].first;
        if (!same) {
          auto is_tuple = [&](const RecordType& r) { return r.fields.empty() || std::isdigit(static_cast<unsigned char>(c.text(r.fields[0].first)[0])); };
          if (is_tuple(x) && is_tuple(y))
            return fail("the tuples have " + std::to_string(x.fields.size()) + " and " + std::to_string(y.fields.size()) + " elements respectively");
          std::string unshared;
          auto collect = [&](const RecordType& r, const RecordType& s) {
            for (auto& f : r.fields)
              if (std::none_of(s.fields.begin(), s.fields.end(), [&](auto& g) { return g.first == f.first; }))
                unshared += (unshared.empty() ? "" : ", ") + std::string(c.text(f.first));
          };
          collect(x, y);
          collect(y, x);
          return fail("the record types have unshared fields: " + unshared);
        }
        for (size_t i = 0; i < x.fields.size(); i++) if (!unify(x.fields[i].second, y.fields[i].second)) return false;
        return true;
      },
      [&](const SumType& x) {
        auto& y = std::get<SumType>(tb);
        std::string unshared;
        auto collect = [&](const SumType& r, const SumType& s) {
          for (auto& k : r.constrs)
            if (std::none_of(s.constrs.begin(), s.constrs.end(), [&](auto& m) { return m.first == k.first; }))
              unshared += (unshared.empty() ? "#" : ", #") + std::string(c.text(k.first));
        };
        collect(x, y);
        collect(y, x);
        if (!unshared.empty()) return fail("Unshared constructors: " + unshared);
        for (size_t i = 0; i < x.constrs.size(); i++) {
          if (x.constrs[i].second.size() != y.constrs[i].second.size())
            return fail("uses of the constructor `#" + std::string(c.text(x.constrs[i].first)) + "` differ in arity");
          for (size_t k = 0; k < x.constrs[i].second.size(); k++)
            if (!unify(x.constrs[i].second[k], y.constrs[i].second[k])) return false;
        }
        return true;
      },
      [&](const FunType& x) { auto& y = std::get<FunType>(tb); return unify(x.param, y.param) && unify(x.result, y.result); },
      [&](const NamedType& x) {
        auto& y = std::get<NamedType>(tb);
        if (x.decl != y.decl) return differ();
        for (size_t i = 0; i < x.args.size(); i++)
          if (x.args[i].type.valid() && !unify(x.args[i].type, y.args[i].type)) return false;
        return true;
      },
      [&](const UniqueType& x) { return unify(x.inner, std::get<UniqueType>(tb).inner); },
      [&](const auto&) { return true; });    // ExistsType is erased; variables and errors were handled
}

}  // namespace raido::check
