// consume_expr.cc - what an expression consumes, and what its value shares memory with. Branches start from the same state, and what
// any of them consumed is consumed after them.
#include <algorithm>

#include "compiler/base/panic.h"
#include "compiler/check/consumption.h"
#include "compiler/syntax/children.h"

namespace raido::check {

// Chains of `let`, `else if` and operators are walked, not descended into.
Aliases Consumption::exp(ast::Expr* e) {
  if (ast::is_let(*e)) return lets(e);
  if (std::get_if<ast::If>(&e->node)) return ifs(e);
  if (std::get_if<ast::Operator>(&e->node)) return operators(e);
  return cut(node(e), e->type);
}

Aliases Consumption::lets(ast::Expr* e) {
  for (; ast::is_let(*e); e = ast::body_of_let(*e)) {
    if (auto* l = std::get_if<ast::Let>(&e->node)) let(*l);
    else let_function(std::get<ast::LetFun>(e->node));
  }
  return exp(e);
}

void Consumption::let(ast::Let& l) {
  size_t before = consumed_.size();
  Aliases a = exp(l.value);
  if (consumed_.size() != before && c.has_function(l.value->type)) c.diags.report(l.value->span, err::consumption_in_function_value);
  bind_pattern(l.pat, l.pat->type, a, true);
}

void Consumption::let_function(ast::LetFun& l) {
  Inner saved = enter(Inside::Function);
  TypeRef t = l.def->scheme->type;
  TypeRef with_result = function(l.def->params, l.def->result, l.def->body, t, !l.def->result);
  if (with_result != t) const_cast<Scheme*>(l.def->scheme)->type = with_result;
  Aliases a{leave(saved), {}, false, with_result};
  bind(l.def->self, with_result, a, true);
}

Aliases Consumption::ifs(ast::Expr* e) {
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

std::string_view Consumption::builtin(Context& c, const ast::Operator& o) {
  auto* r = std::get_if<ast::Ref>(&o.op->node);
  return r && r->path.root && r->path.root->kind == Binding::Kind::Builtin ? c.text(r->path.names.back()) : "";
}

// No operator consumes what a chain of operators on its left has made, so only what the operands share matters.
Aliases Consumption::operators(ast::Expr* e) {
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

Aliases Consumption::exp_to_consume(ast::Expr* e) {
  const ast::Expr* outer = to_consume_;
  to_consume_ = e;
  Aliases a = exp(e);
  to_consume_ = outer;
  return a;
}

// The first `evaluated` arguments were looked at before.
Vars Consumption::call(TypeRef fun, std::vector<Argument>& args, Order order, size_t evaluated) {
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
      if (overlap(leaves)) c.diags.report(args[i].first->span, err::self_aliased);
      if (Binding* b = common(a.all(), seen)) c.diags.report(args[i].first->span, err::argument_aliases, name_of(b));
      else consume(a, args[i].first->span, args[i].first);
    }
    else add(shared, a.all());
    keeps_promises(a, params[i], args[i].first->span);
    add(seen, a.all());
    args[i].second = std::move(a);
  }
  return shared;
}

TypeRef Consumption::type_of(const ast::Expr* fun, const Aliases& value) {
  return value.function.valid() ? as_unique_as(fun->type, value.function) : fun->type;
}

Aliases Consumption::result_of(TypeRef fun, size_t arity, Vars shared, Span at) {
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

void Consumption::selectors(std::span<ast::Selector> at) {
  for (ast::Selector& s : at) for (ast::Expr* part : {s.at, s.from, s.to, s.step}) if (part) exp(part);
}

Aliases Consumption::ref(ast::Expr* e, ast::Ref& r) {
  Binding* b = r.path.root;
  if (!b) return {};
  if (local(e)) {
    observe(b, e);
    return aliases_.find(b)->value;
  }
  Aliases arrays = b->kind == Binding::Kind::Builtin ? Aliases{} : arrays_of(e->type, b);
  if (!r.path.members.empty() && !arrays.all().empty()) mention(r.path);
  return arrays;
}

Aliases Consumption::project(ast::Project& p) {
  auto* u = types.as<UniqueType>(p.record->type);
  auto* r = types.as<RecordType>(u ? u->inner : p.record->type);
  size_t index = r ? c.field_index(*r, p.field).value_or(0) : 0;
  if (Binding* b = local(p.record)) {          // without a copy of the whole record
    observe(b, p.record);
    return aliases_.find(b)->value.field(p.field, index);
  }
  return exp(p.record).field(p.field, index);
}

Aliases Consumption::apply(ast::Expr* e, ast::Apply& a) {
  std::vector<Argument> args;
  for (ast::Expr* x : a.args) args.emplace_back(x, Aliases{});
  Vars shared = call(a.fun->type, args, Order::LastFirst);
  Aliases fun = exp(a.fun);
  add(shared, fun.all());
  return result_of(type_of(a.fun, fun), args.size(), shared, e->span);
}

Aliases Consumption::section(ast::Expr* e, ast::Section& s) {
  Aliases op = exp(s.op);
  if (!s.left && !s.right) return op;
  Vars all = op.all();
  if (s.left) add(all, exp(s.left).all());
  if (s.right) add(all, exp(s.right).all());
  auto* first = types.as<FunType>(type_of(s.op, op));
  auto* second = first ? types.as<FunType>(first->result) : nullptr;
  auto* own = types.as<FunType>(e->type);
  if (!second || !own) return Aliases{all, {}, false};
  FunType f = *own;
  f.result = as_unique_as(own->result, second->result);
  return Aliases{all, {}, false, types.add(f)};
}

Aliases Consumption::match_cases(ast::Match& m) {
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
}

Aliases Consumption::with(ast::With& w) {
  bool only_fields = true;
  for (ast::Step& s : w.steps) { selectors(s.at); only_fields &= s.is_field; }
  return only_fields ? with_field(w) : update(w);
}

// The record may itself be made from the field that it replaces.
Aliases Consumption::with_field(ast::With& w) {
  Aliases base = exp(w.base), value = exp(w.value), *at = &base;
  for (ast::Step& s : w.steps) {
    if (!at->record) return either(base, value);
    for (auto& f : at->fields) if (f.name == s.field) { at = &f.value; break; }
  }
  *at = value;
  return base;
}

// The array is looked at after its new value.
Aliases Consumption::update(ast::With& w) {
  Aliases value = exp(w.value), base = exp_to_consume(w.base);
  size_t before = c.diags.error_count();
  Binding* shared = common(value.all(), base.all());
  consume(base, w.base->span, w.base);
  if (shared && c.diags.error_count() == before)
    c.diags.report(w.value->span, err::update_aliases_value, name_of(shared)).help("use a copy: `copy " + text_of(w.value) + "`");
  return {};
}

Aliases Consumption::node(ast::Expr* e) {
  return match(e->node,
      [](ast::Literal&) { return Aliases{}; },
      [&](ast::Ref& r) { return ref(e, r); },
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
      [&](ast::Project& p) { return project(p); },
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
      [&](ast::Apply& a) { return apply(e, a); },
      [&](ast::Construct& k) {
        Vars all;
        for (ast::Expr* x : k.args) add(all, exp(x).all());
        return Aliases{all, {}, false};
      },
      [&](ast::Unary& u) { exp(u.operand); return Aliases{}; },
      [&](ast::Section& s) { return section(e, s); },
      [&](ast::AccessSection& s) { for (ast::Step& step : s.steps) selectors(step.at); return Aliases{}; },
      [&](ast::Lambda& l) {
        Inner saved = enter(Inside::Function);
        TypeRef t = function(l.params, l.result, l.body, e->type, !l.result);
        return Aliases{leave(saved), {}, false, t};
      },
      [&](ast::Match& m) { return match_cases(m); },
      [&](ast::Loop& l) { return loop(e, l); },
      [&](ast::With& w) { return with(w); },
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

}  // namespace raido::check
