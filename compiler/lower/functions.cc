// functions.cc - uses of definitions, application, and the functions that remain in the core.
//
// A call is evaluated in place: the body of the function is run on the arguments, so closures and polymorphism disappear
// on the way. Only a recursive definition, or one that is used very often, becomes a core function. There is one for each static
// shape of its arguments. It is found again by a key made of code, types and structure, without any size. Its parameters are the
// dynamic parts of the arguments and of everything that closures among them have captured.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compiler/lower/lowerer.h"
#include "compiler/syntax/children.h"

namespace raido::lower {

Value Lowerer::instantiate(const DefValue& d, TypeIn use, Span span) {
  const ast::Def& def = *d.def;
  CHECK(def.scheme, "`{}` has not been checked", text(def.self->name));
  Scope* scope = d.scope;
  bool general = !def.scheme->types.empty() || !def.scheme->sizes.empty();
  if (general) {
    scope = new_scope(d.scope);
    if (use.type.valid()) match_scheme(*def.scheme, {def.scheme->type, scope}, use, scope);
  }
  if (!def.params.empty()) return std::make_shared<Closure>(Closure{Closure::Kind::Def, &def, scope, {}, {}, {}});
  if (const ast::Attr* attr = intrinsic_attr(def)) {
    Value v = intrinsic(def, *attr, scope, {});
    return v;
  }
  if (!general && d.scope->global) return constant(def, d.scope);
  ir::Source saved = std::exchange(call_source_, here(span));
  Value v = eval(*def.body, general ? scope : new_scope(d.scope));
  call_source_ = saved;
  return v;
}

// A top-level value: computed once, by Program::constants, when something needs it.
Value Lowerer::constant(const ast::Def& def, Scope* scope) {
  std::optional<Value>& known = constants_[{&def, scope}];
  if (known) return *known;
  ir::Builder* saved = std::exchange(b_, &constants_builder_);
  ir::Source saved_source = std::exchange(call_source_, ir::Source{});
  std::vector<Var> saved_checks = std::exchange(b_->checks, {});
  bool saved_unsafe = std::exchange(unsafe_, false);
  uint32_t mark = uint32_t(program_.vars.size());
  Value v = owned(eval(*def.body, new_scope(scope)));
  check_written(def.result, v);
  for (uint32_t i = mark; i < program_.vars.size(); i++) global_.insert(Var{i});
  unsafe_ = saved_unsafe;
  b_->checks = saved_checks;
  call_source_ = saved_source;
  b_ = saved;
  constants_[{&def, scope}] = v;
  return v;
}

size_t Lowerer::arity(const Closure& c) const {
  switch (c.kind) {
    case Closure::Kind::Lambda: return static_cast<const ast::Lambda*>(c.code)->params.size();
    case Closure::Kind::Def: return static_cast<const ast::Def*>(c.code)->params.size();
    case Closure::Kind::Builtin: {
      std::string_view n = text(static_cast<const Binding*>(c.code)->name);
      return n == "neg" || n == "!" ? 1 : 2;
    }
    case Closure::Kind::Section: return 1;
    case Closure::Kind::Access: return 1;
    case Closure::Kind::Blank: return 1;
  }
  PANIC("no such closure");
}

Value Lowerer::apply(const Value& f, std::vector<Value> args) {
  auto closure = std::get_if<std::shared_ptr<const Closure>>(&f);
  CHECK(closure, "what is applied is no function");
  if (!(*closure)->checks.empty()) {
    auto unchecked = std::make_shared<Closure>(**closure);
    std::vector<Var> checks = std::exchange(unchecked->checks, {});
    return guarded(checked_by(checks, [&] { return apply(unchecked, std::move(args)); }), checks);
  }
  std::vector<Value> all = (*closure)->args;
  all.insert(all.end(), args.begin(), args.end());
  size_t n = arity(**closure);
  if (all.size() < n) {
    auto partial = std::make_shared<Closure>(**closure);
    partial->args = std::move(all);
    return partial;
  }
  std::vector<Value> rest(all.begin() + ptrdiff_t(n), all.end());
  all.resize(n);
  Value result = call(**closure, std::move(all));
  return rest.empty() ? result : apply(result, std::move(rest));
}

Value Lowerer::call(const Closure& c, std::vector<Value> args) {
  auto function_types = [&](size_t i) {
    TypeIn t = resolve(c.type);
    for (; i > 0; i--) t = resolve({std::get<check::FunType>(head(t)).result, t.scope});
    return TypeIn{std::get<check::FunType>(head(t)).param, t.scope};
  };
  bool keep = std::exchange(keep_call_, false);
  auto can_be_called = [&] {                             // an accumulator only what is around it can hold
    std::vector<Dynamic> all;
    for (const Value& v : args) leaves(v, all);
    return first_order(result_type(c)) && std::ranges::none_of(all, [&](const Dynamic& d) { return is_accumulator(d.atom); });
  };
  switch (c.kind) {
    case Closure::Kind::Builtin: {
      std::string_view n = text(static_cast<const Binding*>(c.code)->name);
      if (n == "neg") return dynamic((-term(args[0])).atom);
      if (n == "!") return dynamic(not_(term(args[0])).atom);
      return builtin(n, args[0], args[1], function_types(0), {});
    }
    case Closure::Kind::Section: {
      auto e = static_cast<const ast::Expr*>(c.code);
      at(*e);
      return std::get<ast::Section>(e->node).left ? apply(c.captured[0], {c.captured[1], args[0]}) : apply(c.captured[0], {args[0], c.captured[1]});
    }
    case Closure::Kind::Access: {
      auto e = static_cast<const ast::Expr*>(c.code);
      at(*e);
      return access(std::get<ast::AccessSection>(e->node).steps, args[0], c.scope);
    }
    case Closure::Kind::Blank: {
      const check::FunType& f = std::get<check::FunType>(head(resolve(c.type)));
      Scope* scope = new_scope(c.scope);
      if (f.name) scope->values[f.name] = args[0];
      return blank({f.result, scope});
    }
    case Closure::Kind::Lambda: {
      auto l = static_cast<const ast::Lambda*>(c.code);
      if ((keep || often_in_place(l, l->body->span)) && can_be_called()) return call_instance(c, args, keep);
      calls.in_place++;
      Scope* scope = new_scope(c.scope);
      for (size_t i = 0; i < args.size(); i++) bind_pattern(*l->params[i], args[i], scope);
      Value v = eval(*l->body, scope);
      check_written(l->result, v);
      return v;
    }
    case Closure::Kind::Def: break;
  }
  auto def = static_cast<const ast::Def*>(c.code);
  ir::Source call_place = b_->source;
  if (const ast::Attr* attr = intrinsic_attr(*def)) return intrinsic(*def, *attr, c.scope, args);
  auto has = [&](std::string_view attr) { return std::ranges::any_of(def->attrs, [&](const ast::Attr& a) { return text(a.name) == attr; }); };
  keep = keep || has("noinline");
  bool apart = keep || (!has("inline") && often_in_place(def, def->span));
  if (def->recursive || (apart && can_be_called())) return call_instance(c, args, keep);
  Scope* scope = new_scope(c.scope);
  for (size_t i = 0; i < args.size(); i++) bind_pattern(*def->params[i], args[i], scope);
  bool builtin_code = checked_.sources[def->span.file].builtin;
  calls.in_place += !builtin_code;
  ir::Source saved = call_source_;
  call_source_ = call_place;
  bool saved_unsafe = builtin_code ? unsafe_ : std::exchange(unsafe_, false);
  Value v = eval(*def->body, scope);
  check_written(def->result, v);
  unsafe_ = saved_unsafe;
  call_source_ = saved;
  b_->source = call_place;
  return v;
}

// Evaluating in place is best for the passes that come after, but code must not grow with the number of call paths. So a definition
// or lambda that was evaluated in place often enough is called from then on.
bool Lowerer::often_in_place(const void* code, Span span) {
  constexpr int in_place_limit = 48;
  return !checked_.sources[span.file].builtin && ++in_place_[code] > in_place_limit;
}

bool Lowerer::first_order(TypeIn t) {
  if (closed(t.type)) return true;
  t = resolve(t);
  return match(head(t),
      [&](const check::ArrayType&) { return true; },
      [&](const check::PrimType&) { return true; },
      [&](const check::RecordType& r) {
        return std::all_of(r.fields.begin(), r.fields.end(), [&](auto& f) { return first_order({f.second, t.scope}); });
      },
      [&](const check::SumType& s) {
        return std::all_of(s.constrs.begin(), s.constrs.end(), [&](auto& k) {
          return std::all_of(k.second.begin(), k.second.end(), [&](TypeRef p) { return first_order({p, t.scope}); });
        });
      },
      [&](const auto&) { return false; });
}

bool Lowerer::has_unique(TypeIn t) {
  if (closed(t.type)) return false;
  auto any = [&](TypeRef x) { return has_unique({x, t.scope}); };
  return match(head(t),
      [&](const check::UniqueType&) { return true; },
      [&](const check::RecordType& r) { return std::any_of(r.fields.begin(), r.fields.end(), [&](auto& f) { return any(f.second); }); },
      [&](const check::SumType& s) {
        return std::any_of(s.constrs.begin(), s.constrs.end(), [&](auto& k) { return std::any_of(k.second.begin(), k.second.end(), any); });
      },
      [&](const auto&) { return false; });
}

// ---- Functions of the core ----

// The key and the dynamic parts of some values; then, inside the function, the same values made of its parameters.
struct Lowerer::Capture {
  std::string key;
  std::vector<Atom> atoms;                  // each once
  std::unordered_map<const Scope*, size_t> scopes;
  std::vector<Scope*> originals, copies;
  std::vector<Atom> replacement;            // of atoms
  std::vector<Var> checks;                  // that the closures need
  // Size parameters that had to be evaluated, which is done once.
  std::map<std::pair<const Scope*, const Binding*>, std::optional<Atom>> sizes;
  std::set<std::pair<const void*, const Scope*>> read;      // code that was looked through, and where its names have their values
  std::set<std::pair<const Scope*, const Binding*>> mentioned;   // the values that it names

  size_t number(const Atom& a) {
    for (size_t i = 0; i < atoms.size(); i++)
      if (atoms[i] == a) return i;
    atoms.push_back(a);
    return atoms.size() - 1;
  }
};

// Nothing but floating-point data. What a type needs is never of this kind; the rest of a scope is kept without asking for its use.
bool Lowerer::only_floats(const Value& v) const {
  if (auto d = std::get_if<Dynamic>(&v)) return !is_accumulator(d->atom) && is_float(ir::elem_of(program_, d->atom));
  if (auto p = std::get_if<std::shared_ptr<const Product>>(&v))
    return std::all_of((*p)->fields.begin(), (*p)->fields.end(), [&](auto& f) { return only_floats(f.second); });
  return false;
}

// Data in scope that nobody mentions is no parameter: a rule of differentiation would seem to depend on it.
void Lowerer::mentions(const Value& v, Capture& into) {
  auto code = [&](const void* key, const ast::Expr* body, Scope* scope) {
    if (!scope || scope->global || !into.read.insert({key, scope}).second) return;
    ast::each_expression(body, [&](const ast::Expr* e) {
      auto ref = std::get_if<ast::Ref>(&e->node);
      if (!ref || !ref->path.root) return true;
      const Binding* b = ref->path.root;
      Scope* home = scope;
      while (home && !home->values.contains(b)) home = home->parent;
      if (home && into.mentioned.insert({home, b}).second) mentions(home->values.at(b), into);
      return true;
    });
  };
  match(v,
        [&](const std::shared_ptr<const Product>& p) { for (auto& [n, x] : p->fields) mentions(x, into); },
        [&](const std::shared_ptr<const Sum>& s) { for (const Value& x : s->slots) mentions(x, into); },
        [&](const std::shared_ptr<const Choice>& c) { for (const Value& x : c->payload) mentions(x, into); },
        [&](const std::shared_ptr<const Closure>& c) {
          if (c->kind == Closure::Kind::Lambda) code(c->code, static_cast<const ast::Lambda*>(c->code)->body, c->scope);
          if (c->kind == Closure::Kind::Def) code(c->code, static_cast<const ast::Def*>(c->code)->body, c->scope);
          for (const Value& x : c->captured) mentions(x, into);
          for (const Value& x : c->args) mentions(x, into);
        },
        [&](const std::shared_ptr<const DefValue>& d) { code(d->def, d->def->body, d->scope); },
        [&](const auto&) {});
}

void Lowerer::capture(const Value& v, Capture& into) {
  match(v,
        [&](const std::monostate&) { into.key += "_"; },
        [&](const Dynamic& d) {
          if (const Var* var = ir::var_of(d.atom); var && global_.contains(*var)) {
            into.key += fmt::format("g{};", var->index);
            return;
          }
          if (is_accumulator(d.atom)) {                  // in scope, but nothing inside may use it
            into.key += "a;";
            return;
          }
          // Sizes first: a telescope. Constants are parameters too, else recursion on a number would never end.
          std::vector<Dim> dims = shape(d.atom);
          into.key += std::string(name_of(ir::elem_of(program_, d.atom)));
          for (const Dim& n : dims) {
            const Var* var = ir::var_of(n);
            if (var && global_.contains(*var)) into.key += fmt::format("[g{}]", var->index);
            else into.key += fmt::format("[{}]", into.number(n));
          }
          into.key += fmt::format("#{}{};", into.number(d.atom), d.borrowed ? "~" : "");   // what is borrowed is copied inside
        },
        [&](const std::shared_ptr<const Product>& p) {
          into.key += "{";
          for (auto& [n, x] : p->fields) {
            into.key += fmt::format("{}=", n.index);
            capture(x, into);
          }
          into.key += "}";
        },
        [&](const std::shared_ptr<const Sum>& s) {
          into.key += "<";
          capture(s->tag, into);
          for (const Value& x : s->slots) capture(x, into);
          into.key += ">";
        },
        [&](const std::shared_ptr<const Choice>& c) {
          into.key += fmt::format("#{}(", c->constructor);
          for (const Value& x : c->payload) capture(x, into);
          into.key += ")";
        },
        [&](const std::shared_ptr<const Closure>& c) {
          into.checks.insert(into.checks.end(), c->checks.begin(), c->checks.end());
          into.key += fmt::format("\\{}(", fmt::ptr(c->code));
          capture(c->scope, into);
          for (const Value& x : c->captured) capture(x, into);
          into.key += "|";
          for (const Value& x : c->args) capture(x, into);
          into.key += ")";
        },
        [&](const std::shared_ptr<const DefValue>& d) {
          into.key += fmt::format("d{}", fmt::ptr(d->def));
          capture(d->scope, into);
        },
        [&](const std::shared_ptr<const Module>& m) { into.key += fmt::format("m{}", fmt::ptr(m.get())); },
        [&](const std::shared_ptr<const Functor>& f) { into.key += fmt::format("f{}", fmt::ptr(f->code)); },
        [&](const SizeIn&) { PANIC("a size parameter outside a scope"); });
}
void Lowerer::capture(Scope* scope, Capture& into) {
  if (!scope || scope->global) {
    into.key += fmt::format("@{}", fmt::ptr(scope));
    return;
  }
  auto [it, fresh] = into.scopes.try_emplace(scope, into.originals.size());
  into.key += fmt::format("S{}", it->second);
  if (!fresh) return;
  into.originals.push_back(scope);
  std::vector<const Binding*> names;
  for (auto& [b, v] : scope->values)
    if (into.mentioned.contains({scope, b}) || !only_floats(v)) names.push_back(b);
  std::sort(names.begin(), names.end(), [](auto a, auto b) { return a->id < b->id; });
  for (const Binding* b : names) {
    into.key += fmt::format("${}:", b->id);
    Value v = scope->values.at(b);
    if (auto lazy = std::get_if<SizeIn>(&v)) {
      std::optional<Atom> n = into.sizes[{scope, b}] = size(*lazy);
      v = n ? dynamic(*n) : Value(std::monostate{});
    }
    capture(v, into);
  }
  std::vector<TypeId> types;
  for (auto& [id, entry] : scope->types) types.push_back(id);
  std::sort(types.begin(), types.end());
  for (TypeId id : types) {
    TypeEntry entry = scope->types.at(id);
    into.key += fmt::format("%{}:{}", id.index, entry.def ? "" : type_key({entry.type, entry.scope}));
  }
  capture(scope->parent, into);
}

Value Lowerer::replay(const Value& v, Capture& from) {
  return match(v,
      [&](const Dynamic& d) -> Value {
        if (const Var* var = ir::var_of(d.atom); var && global_.contains(*var)) return d;
        if (is_accumulator(d.atom)) return std::monostate{};
        return Dynamic{from.replacement.at(from.number(d.atom)), d.borrowed};
      },
      [&](const std::shared_ptr<const Product>& p) -> Value {
        std::vector<std::pair<Name, Value>> fields;
        for (auto& [n, x] : p->fields) fields.emplace_back(n, replay(x, from));
        return product(std::move(fields));
      },
      [&](const std::shared_ptr<const Sum>& s) -> Value {
        auto sum = std::make_shared<Sum>();
        sum->tag = replay(s->tag, from);
        for (const Value& x : s->slots) sum->slots.push_back(replay(x, from));
        return sum;
      },
      [&](const std::shared_ptr<const Choice>& c) -> Value {
        auto choice = std::make_shared<Choice>(*c);
        for (Value& x : choice->payload) x = replay(Value(x), from);
        return choice;
      },
      [&](const std::shared_ptr<const Closure>& c) -> Value {
        auto copy = std::make_shared<Closure>(*c);
        copy->checks.clear();                  // the call has them
        copy->scope = replay(c->scope, from);
        if (copy->type.scope) copy->type.scope = replay(c->type.scope, from);
        for (Value& x : copy->captured) x = replay(Value(x), from);
        for (Value& x : copy->args) x = replay(Value(x), from);
        return copy;
      },
      [&](const std::shared_ptr<const DefValue>& d) -> Value {
        return std::make_shared<DefValue>(DefValue{d->def, replay(d->scope, from)});
      },
      [&](const auto& same) -> Value { return same; });
}
Scope* Lowerer::replay(Scope* scope, Capture& from) {
  if (!scope || scope->global) return scope;
  auto it = from.scopes.find(scope);
  if (it == from.scopes.end()) return scope;   // only types look there
  Scope*& copy = from.copies[it->second];
  if (copy) return copy;
  copy = new_scope(nullptr);
  Scope* result = copy;
  result->parent = replay(scope->parent, from);
  for (auto& [b, v] : scope->values) {
    if (!from.mentioned.contains({scope, b}) && only_floats(v)) continue;
    Value x = v;
    if (std::holds_alternative<SizeIn>(v)) {
      std::optional<Atom> n = from.sizes[{scope, b}];
      x = n ? dynamic(*n) : Value(std::monostate{});
    }
    x = replay(x, from);
    if (!std::holds_alternative<std::monostate>(x)) result->values[b] = x;
  }
  for (auto& [id, entry] : scope->types) result->types[id] = TypeEntry{entry.type, replay(entry.scope, from), entry.def};
  return result;
}

// A name for a function of the core that no other has: letters, digits and underscores.
std::string Lowerer::function_name(std::string wanted) const {
  for (char& ch : wanted)
    if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '_') ch = '_';
  auto taken = [&](const std::string& n) {
    return std::any_of(program_.functions.begin(), program_.functions.end(), [&](const ir::Function& f) { return f.name == n; });
  };
  std::string name = wanted;
  for (int i = 1; taken(name); i++) name = fmt::format("{}_{}", wanted, i);
  return name;
}

// A call of a function that stays one: its instance for what the arguments and the environment are.
struct Lowerer::InstanceCall {
  const Closure& c;
  bool keep, without_checks;                     // without_checks: a lambda is part of what is around it
  Capture captured = {};
  std::vector<Value> args = {};
  std::vector<Atom> consumed = {};               // arrays of arguments that are unique
  std::vector<Leaf> result = {};
  size_t result_sizes = 0;                       // returned before the leaves

  const ast::Def* def() const { return c.kind == Closure::Kind::Def ? static_cast<const ast::Def*>(c.code) : nullptr; }
  const ast::Lambda* lambda() const { return def() ? nullptr : static_cast<const ast::Lambda*>(c.code); }
  std::span<ast::Pat*> params() const { return def() ? def()->params : lambda()->params; }
  const ast::Expr& body() const { return def() ? *def()->body : *lambda()->body; }
  const ast::TypeExpr* written_result() const { return def() ? def()->result : lambda()->result; }
};

Value Lowerer::call_instance(const Closure& c, const std::vector<Value>& args, bool keep) {
  for (const Value& v : args)
    for (const Atom& a : atoms(v))
      if (is_accumulator(a)) {
        refuse_accumulator("it is given to a recursive function");
        return blank(result_type(c));
      }
  ir::Source call_place = b_->source;
  InstanceCall x{c, keep, c.kind != Closure::Kind::Def && unsafe_};
  capture(x, args);
  x.result = leaves_of(result_type(c));
  for (const Leaf& l : x.result) x.result_sizes += l.dims.size();
  auto found = instances_.find(x.captured.key);
  (found == instances_.end() ? calls.specialisations : calls.shared)++;
  ir::FunId function = found == instances_.end() ? new_instance(x) : found->second.function;
  b_->source = call_place;
  const std::vector<Var>& checks = x.captured.checks;
  std::vector<Var> results = checked_by(checks, [&] { return b_->bind(std::string("r"), ir::Call{function, x.captured.atoms}); });
  size_t next = x.result_sizes;
  return guarded(build(result_type(c), [&] { return dynamic(results.at(next++)); }), checks);
}

// What distinguishes the instance, and the atoms that it takes.
void Lowerer::capture(InstanceCall& x, const std::vector<Value>& args) {
  Capture& cap = x.captured;
  cap.key = fmt::format("{}{}{}{}", fmt::ptr(x.c.code), derivative_depth_ > 0 ? "'" : "", x.without_checks ? "!" : "", x.keep ? "=" : "");
  mentions(std::make_shared<Closure>(x.c), cap);
  for (const Value& v : args) mentions(v, cap);
  capture(x.c.scope, cap);
  for (size_t i = 0; i < args.size(); i++) {
    bool unique = has_unique(param_type(x.c, i));
    x.args.push_back(unique ? owned(args[i]) : args[i]);
    if (unique)
      for (const Atom& a : atoms(x.args.back())) if (ir::is_array(program_.type(a))) x.consumed.push_back(a);
    cap.key += "/";
    capture(x.args.back(), cap);
  }
}

// The function is declared before its body, which may call it.
ir::FunId Lowerer::new_instance(InstanceCall& x) {
  CHECK(instances_.size() < 10000, "more than 10,000 instances of recursive functions");
  ir::FunId id{uint32_t(program_.functions.size())};
  program_.functions.emplace_back();
  instances_[x.captured.key] = {id};
  uint32_t saved_first = std::exchange(first_own_, uint32_t(program_.vars.size()));
  ir::Lambda lambda;
  lambda.params = instance_params(x.captured);
  std::vector<bool> consumes(x.captured.atoms.size(), false);
  for (const Atom& a : x.consumed) consumes[x.captured.number(a)] = true;
  ir::Function& f = program_.functions[id.index];
  f.name = function_name(fmt::format("{}_{}", x.def() ? text(x.def()->self->name) : "lambda", id.index));
  f.lambda.params = lambda.params;
  f.consumes = consumes;
  f.returns = instance_returns(x);
  if (x.keep) f.attrs.push_back({"noinline", {}});
  lambda.body = instance_body(x);
  first_own_ = saved_first;
  program_.functions[id.index].lambda = std::move(lambda);
  return id;
}

std::vector<ir::Bind> Lowerer::instance_params(Capture& cap) {
  std::vector<ir::Bind> params;
  cap.copies.assign(cap.originals.size(), nullptr);
  cap.replacement.resize(cap.atoms.size());
  // Atoms were numbered sizes first, so the type of each mentions only parameters before it.
  for (size_t i = 0; i < cap.atoms.size(); i++) {
    ir::Type t = program_.type(cap.atoms[i]);
    walk(t, [&](Atom& a) {
      const Var* v = ir::var_of(a);
      if (!(v && global_.contains(*v))) a = cap.replacement.at(cap.number(a));
    });
    std::string hint = ir::var_of(cap.atoms[i]) ? program_.hint(*ir::var_of(cap.atoms[i])) : "x";
    Var param = program_.fresh(hint, t);
    params.push_back({param});
    cap.replacement[i] = param;
  }
  return params;
}

// The sizes of all leaves, then the leaves.
std::vector<ir::Type> Lowerer::instance_returns(const InstanceCall& x) const {
  std::vector<ir::Type> returns(x.result_sizes, ir::scalar_type(Scalar::I64));
  size_t next_size = 0;
  for (const Leaf& l : x.result) {
    std::vector<Dim> dims;
    for (size_t k = 0; k < l.dims.size(); k++) dims.push_back(ir::result_number(next_size++));
    returns.push_back(ir::array_type(l.elem, dims));
  }
  return returns;
}

ir::Body Lowerer::instance_body(InstanceCall& x) {
  ir::Body body;
  Scope* scope = new_scope(replay(x.c.scope, x.captured));
  std::vector<Value> args;
  for (const Value& arg : x.args) args.push_back(replay(arg, x.captured));
  ir::Builder inner(program_, body.stms);
  ir::Builder* saved = std::exchange(b_, &inner);
  ir::Source saved_source = std::exchange(call_source_, ir::Source{});
  bool saved_unsafe = std::exchange(unsafe_, x.without_checks);
  for (size_t i = 0; i < args.size(); i++) bind_pattern(*x.params()[i], args[i], scope);
  Value result = owned(eval(x.body(), scope));
  check_written(x.written_result(), result);
  unsafe_ = saved_unsafe;
  std::vector<Atom> values = atoms(result);
  for (const Atom& a : values)
    for (const Dim& d : shape(a)) body.result.push_back(d);
  body.result.insert(body.result.end(), values.begin(), values.end());
  call_source_ = saved_source;
  b_ = saved;
  return body;
}

}  // namespace raido::lower
