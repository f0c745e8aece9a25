// Types of expressions, one case per node.
#include <algorithm>
#include <cmath>

#include "compiler/base/panic.h"
#include "compiler/base/similar.h"
#include "compiler/base/small_vector.h"
#include "compiler/check/attributes.h"
#include "compiler/check/infer.h"
#include "compiler/source/habits.h"
#include "compiler/syntax/children.h"

namespace raido::check {

namespace {
std::string quoted_type(const std::string& t) { return "\n  " + t; }
}  // namespace

std::string Infer::source(const ast::Expr* e) const {
  std::string text(c.sources.text(e->span));
  size_t newline = text.find('\n');
  if (newline != std::string::npos) text = text.substr(0, newline) + " ...";
  return text;
}

TypeRef Infer::fun_type(const std::vector<TypeRef>& params, TypeRef result) {
  for (size_t i = params.size(); i-- > 0;) result = types.fun(params[i], result);
  return result;
}

void Infer::expect(ast::Expr* e, TypeRef actual, TypeRef expected, const Diag<2>& kind) {
  clear_why();
  if (unify(expected, actual)) return;
  auto draft = c.diags.report(e->span, kind, quoted_type(unsized_show(actual)), quoted_type(unsized_show(expected)));
  explain(draft);
  draft.help(conversion(actual, expected, e));
}

std::string Infer::conversion(TypeRef from, TypeRef to, const ast::Expr* e) {
  auto prim = [&](TypeRef t) -> std::optional<Prim> {
    if (auto* p = types.as<PrimType>(resolved(t))) return p->prim;
    // What may be any signed integer is an index or a size.
    auto* v = types.as<VarType>(resolved(t));
    if (v && vars_[v->var].kind == TypeVar::Kind::Overloaded && vars_[v->var].set == signed_ints) return Prim::I64;
    return {};
  };
  auto source_type = prim(from), target = prim(to);
  std::string text = source(e);
  if (!source_type || !target || source_type == target || target == Prim::Bool || text.size() > 40 || text.ends_with(" ...")) return "";
  bool atom = text.find(' ') == std::string::npos || text[0] == '(';
  return fmt::format("convert: `{}.{} {}`", prim_name(*target), prim_name(*source_type), atom ? text : "(" + text + ")");
}

void Infer::condition(ast::Expr* e) { expect(e, infer(e), types.prim(Prim::Bool)); }

TypeRef Infer::literal(const ast::Literal& l, Span at) {
  switch (l.kind) {
    case ast::Literal::Kind::Bool: return types.prim(Prim::Bool);
    case ast::Literal::Kind::String: return types.array(types.prim(Prim::U8), types.any());
    case ast::Literal::Kind::Int: return l.has_suffix ? types.prim(l.suffix) : overloaded(numbers, at);
    case ast::Literal::Kind::Float: return l.has_suffix ? types.prim(l.suffix) : overloaded(floats, at);
  }
  return types.error();
}

// Chains of `let`, `else if` and operators are walked, not descended into: they are as long as generated programs make them.
// Nothing is known of the type of what has a mistake inside, so that what follows from it is not reported.
TypeRef Infer::infer(ast::Expr* e) {
  if (ast::is_let(*e)) return lets(e);
  if (std::get_if<ast::If>(&e->node)) return ifs(e);
  if (std::get_if<ast::Operator>(&e->node)) return operators(e);
  size_t before = c.diags.error_count();
  TypeRef t = infer_node(e);
  return e->type = c.diags.error_count() == before ? t : types.error();
}

TypeRef Infer::lets(ast::Expr* e) {
  auto mark = c.mark();
  SmallVector<ast::Expr*, 8> chain;
  for (; ast::is_let(*e); e = ast::body_of_let(*e)) {
    chain.push_back(e);
    if (auto* l = std::get_if<ast::Let>(&e->node)) let(*l);
    else local_function(std::get<ast::LetFun>(e->node));
  }
  TypeRef t = infer(e);
  c.restore(mark);
  for (ast::Expr* link : chain) link->type = t;
  return t;
}

TypeRef Infer::ifs(ast::Expr* e) {
  std::vector<std::pair<ast::Expr*, TypeRef>> chain;               // with the type of the branch
  for (; auto* i = std::get_if<ast::If>(&e->node); e = i->else_) {
    condition(i->cond);
    chain.emplace_back(e, infer(i->then_));
  }
  TypeRef b = infer(e);
  for (size_t k = chain.size(); k-- > 0;) {
    auto [link, a] = chain[k];
    auto& i = std::get<ast::If>(link->node);
    clear_why();
    if (!unify(a, b))
      explain(c.diags.report(link->span, err::branches_differ, quoted_type(unsized_show(a)), quoted_type(unsized_show(b)))
          .label(i.then_->span, unsized_show(a)).label(i.else_->span, unsized_show(b)));
    no_functions_.push_back({a, {link->span, &err::if_result}});
    b = link->type = a;
  }
  return b;
}

TypeRef Infer::operators(ast::Expr* e) {
  SmallVector<ast::Expr*, 8> chain;
  for (; auto* o = std::get_if<ast::Operator>(&e->node); e = o->left) chain.push_back(e);
  TypeRef t = infer(e);
  for (size_t k = chain.size(); k-- > 0;) t = chain[k]->type = operator_(chain[k], std::get<ast::Operator>(chain[k]->node), t);
  return t;
}

bool Infer::is_builtin(const ast::Expr* op) const {
  auto* r = std::get_if<ast::Ref>(&op->node);
  return r && r->path.root && r->path.root->kind == Binding::Kind::Builtin;
}

// Resolves the name; a value followed by projections becomes Project nodes.
TypeRef Infer::ref(ast::Expr* e, ast::Ref& r) {
  auto found = c.lookup(r.path, false);
  if (!found) return types.error();
  if (found->used < r.path.names.size()) {
    if (r.infix) {
      c.diags.report(r.path.span, err::unknown_name, c.shown(r.path));
      return types.error();
    }
    ast::Path whole = r.path;
    ast::Path head = whole;
    head.names = whole.names.subspan(0, found->used);
    head.spans = whole.spans.subspan(0, found->used);
    head.span = join(head.spans.front(), head.spans.back());
    ast::Expr* inner = c.program.arena.make<ast::Expr>(head.span, ast::Ref{head, {}}, TypeRef{});
    for (size_t i = found->used; i < whole.names.size(); i++) {
      Span upto = join(whole.spans[0], whole.spans[i]);
      ast::Project p{inner, whole.names[i], whole.spans[i]};
      if (i + 1 == whole.names.size()) e->node = p;
      else inner = c.program.arena.make<ast::Expr>(upto, p, TypeRef{});
    }
    return infer_node(e);
  }
  Binding* b = r.path.root;
  if (b->kind == Binding::Kind::Builtin) return builtin_section(e);
  if (r.path.members.empty()) {
    if (current_ && b == current_->self) current_->recursive = true;
    if (const Local* local = locals_.find(b)) {
      if (local->params.empty()) return local->type;
      Context::Subst s;
      std::vector<TypeRef> inst;
      for (TypeId id : local->params) {
        TypeRef v = fresh(e->span);
        vars_.back().bound = types[id].lifted;
        inst.push_back(v);
        s.types[id] = {{}, v, Lifted::No, {}};
      }
      r.inst = c.program.arena.copy(inst);
      return c.substitute(zonk(local->type), s);
    }
  }
  const Scheme* scheme = found->entry.scheme ? found->entry.scheme : r.path.members.empty() ? b->scheme : nullptr;
  if (!scheme) return types.error();        // its definition failed to check
  std::vector<TypeRef> inst;
  TypeRef t = instantiate(*scheme, e->span, &inst);
  r.inst = c.program.arena.copy(inst);
  std::string_view name = c.text(r.path.names.back());
  if (b == c.program.prelude && (name == "jvp" || name == "jvp2" || name == "vjp" || name == "vjp2")) derivatives_.push_back(e);
  return t;
}

// The type of an overloaded operator applied to operands of type `operand`.
TypeRef Infer::builtin_type(std::string_view op, TypeRef operand, Span at) {
  auto constrain = [&](PrimSet set) {
    clear_why();
    if (unify(operand, overloaded(set, at))) return true;
    explain(c.diags.report(at, err::bad_operand, op, unsized_show(operand)));
    return false;
  };
  if (op == "==" || op == "!=") return types.prim(Prim::Bool);
  if (op == "&&" || op == "||") { constrain(bit(Prim::Bool)); return types.prim(Prim::Bool); }
  if (op == "<" || op == "<=" || op == ">" || op == ">=") { constrain(all_prims); return types.prim(Prim::Bool); }
  if (op == "!") return constrain(PrimSet(ints | bit(Prim::Bool))) ? operand : types.error();
  bool arithmetic = op == "neg" || op == "+" || op == "-" || op == "*" || op == "/" || op == "%" || op == "**";
  return constrain(arithmetic ? numbers : ints) ? operand : types.error();
}

TypeRef Infer::builtin_section(ast::Expr* op_exp) {
  std::string_view op = c.text(std::get<ast::Ref>(op_exp->node).path.names.back());
  TypeRef operand = fresh(op_exp->span);
  if (op == "==" || op == "!=") equalities_.emplace_back(op_exp, operand);
  TypeRef result = builtin_type(op, operand, op_exp->span);
  return types.fun(operand, op == "neg" || op == "!" ? result : types.fun(operand, result));
}

// Does the left number type hold more than the right one?
bool Infer::wider(TypeRef left, TypeRef right) const {
  auto* l = types.as<PrimType>(resolved(left));
  auto* r = types.as<PrimType>(resolved(right));
  if (!l || !r) return false;
  auto weight = [](Prim p) { return is_float(p) ? 10 + int(p) : int(p) % 4; };
  return weight(l->prim) >= weight(r->prim);
}

// `l`: the type of the left operand.
TypeRef Infer::operator_(ast::Expr* e, ast::Operator& o, TypeRef l) {
  auto& path = std::get<ast::Ref>(o.op->node).path;
  TypeRef r = infer(o.right);
  auto found = c.terms.find(path.names[0]);
  bool maybe_builtin = path.names.size() == 1 && found && found->root && found->root->kind == Binding::Kind::Builtin;
  if (!maybe_builtin) {
    TypeRef f = infer(o.op);
    if (!is_builtin(o.op)) {
      std::string name = c.shown(path);
      size_t before = c.diags.error_count();
      f = apply_one(f, name, 0, l, o.left, e->span);
      if (c.diags.error_count() != before) return types.error();
      return types.is_error(f) ? f : apply_one(f, name, 1, r, o.right, e->span);
    }
  }
  if (maybe_builtin) path.root = found->root;
  std::string_view op = c.text(path.names.back());
  clear_why();
  if (!unify(l, r)) {
    explain(c.diags.report(e->span, err::mixed_operands, op, source(o.right), unsized_show(l), unsized_show(r))
        .label(o.left->span, unsized_show(l)).label(o.right->span, unsized_show(r))
        .help(wider(l, r) ? conversion(r, l, o.right) : conversion(l, r, o.left)));
    return types.error();
  }
  if (op == "==" || op == "!=") equalities_.emplace_back(e, l);
  TypeRef result = builtin_type(op, l, e->span);
  o.op->type = types.fun(l, types.fun(l, result));
  return result;
}

// Was the type of this parameter of a local function open where the function is defined? Then an earlier use decided it.
bool Infer::fixed_by_use(const ast::Expr* fun, size_t index) const {
  auto* r = fun ? std::get_if<ast::Ref>(&fun->node) : nullptr;
  const Local* local = r && r->path.root ? locals_.find(r->path.root) : nullptr;
  if (!local) return false;
  TypeRef t = local->type;
  for (; index > 0; index--) {
    auto* f = types.as<FunType>(resolved(t));
    if (!f) return false;
    t = f->result;
  }
  auto* f = types.as<FunType>(resolved(t));
  bool found = false;
  if (f) visit_type(types, f->param, [&](TypeRef x) {
    auto* v = types.as<VarType>(x);
    found |= v && std::find(local->open.begin(), local->open.end(), v->var) != local->open.end();
  }, [](SizeRef) {});
  return found;
}

// Was the type of this parameter chosen for want of a written one? Then to write it helps, and a conversion does harm.
std::string Infer::chosen_type(const ast::Expr* fun, size_t index, TypeRef arg) {
  auto* r = fun ? std::get_if<ast::Ref>(&fun->node) : nullptr;
  const ast::Def* def = r && r->path.root ? r->path.root->def : nullptr;
  auto* p = types.as<PrimType>(resolved(arg));
  if (!def || !p || index >= def->params.size() || !c.diags.has(err::defaulted.code, def->name_span)) return "";
  auto* name = std::get_if<ast::PVar>(&def->params[index]->node);
  return name ? fmt::format("annotate `{}`, whose types were chosen: `({}: {})`", c.text(def->self->name), c.text(name->var->name), prim_name(p->prim)) : "";
}

TypeRef Infer::apply_one(TypeRef fun, std::string_view fun_text, size_t index, TypeRef arg, ast::Expr* arg_exp, Span at, const ast::Expr* fun_exp) {
  fun = resolved(fun);
  if (types.is_error(fun)) {
    unify(arg, fun);
    return fun;
  }
  if (auto* v = types.as<VarType>(fun); v && vars_[v->var].kind != TypeVar::Kind::Free) {
    c.diags.report(at, err::not_a_function, fun_text, unsized_show(fun)).help(std::string(arg_exp ? habit(source(arg_exp)) : ""));
    return types.error();
  }
  if (auto* f = types.as<FunType>(fun)) {
    TypeRef param = f->param, result = f->result;
    clear_why();
    if (!unify(param, arg)) {
      auto draft = c.diags.report(arg_exp ? arg_exp->span : at, err::cannot_apply, fun_text, arg_exp ? source(arg_exp) : "its argument",
                                  quoted_type(unsized_show(param)), quoted_type(unsized_show(arg)));
      explain(draft);
      if (why_.code.empty() && fixed_by_use(fun_exp, index)) {
        draft.because(reason(err::one_type_only, fun_text));
        draft.help(fmt::format("give it a type parameter: `let {} 'a (x: a) = ...`", fun_text));
      }
      else if (std::string chosen = chosen_type(fun_exp, index, arg); !chosen.empty()) draft.help(chosen);
      else if (arg_exp) draft.help(conversion(arg, param, arg_exp));
    }
    return result;
  }
  if (types.as<VarType>(fun)) {
    TypeRef result = fresh(at);
    clear_why();
    if (!unify(fun, types.fun(arg, result))) {
      explain(c.diags.report(at, err::cannot_apply, fun_text, arg_exp ? source(arg_exp) : "its argument", quoted_type(unsized_show(fun)), quoted_type(unsized_show(arg))));
      return types.error();
    }
    return result;
  }
  if (index == 0) c.diags.report(at, err::not_a_function, fun_text, unsized_show(fun));
  else c.diags.report(at, err::too_many_arguments, fun_text, std::to_string(index));
  return types.error();
}

TypeRef Infer::apply(TypeRef fun, ast::Expr* fun_exp, std::span<ast::Expr*> args, Span at) {
  std::string text = source(fun_exp);
  for (size_t i = 0; i < args.size(); i++) {
    TypeRef arg = infer(args[i]);
    size_t before = c.diags.error_count();
    fun = apply_one(fun, text, i, arg, args[i], at, fun_exp);
    if (c.diags.error_count() == before) continue;
    // What the other arguments should be may depend on the wrong one.
    for (size_t k = i + 1; k < args.size(); k++) infer(args[k]);
    return types.error();                            // what does not fit the result may follow from it, too
  }
  return fun;
}

// What may be meant by the field of something that has no such field.
std::string Infer::other_than_field(TypeRef record, Name field, const ast::Expr* of) {
  std::string_view name = c.text(field);
  if (auto* r = types.as<RecordType>(record)) {
    Similar similar(name);
    for (auto& [known, type] : r->fields) similar.offer(c.text(known));
    return similar.help();
  }
  bool length = types.as<ArrayType>(record) && (name == "len" || name == "size" || name == "count");
  const TermEntry* function = c.terms.find(length ? c.intern("length") : field);
  std::string argument = of ? source(of) : "..";
  if (!function || function->module || argument.find(' ') != std::string::npos) return "";
  return fmt::format("functions stand before their arguments: `{} {}`", length ? "length" : name, argument);
}

TypeRef Infer::project(TypeRef record, Name field, Span at, const ast::Expr* of) {
  record = resolved(record);
  if (types.is_error(record)) return record;
  if (auto* r = types.as<RecordType>(record))
    if (auto i = c.field_index(*r, field)) return r->fields[*i].second;
  TypeRef out = fresh(at);
  TypeRef need = with_field(field, out, at);
  clear_why();
  if (!unify(record, need)) {
    c.diags.report(at, err::no_such_field, c.text(field), unsized_show(record)).help(other_than_field(record, field, of));
    vars_[types.as<VarType>(need)->var].link = types.error();
    return types.error();
  }
  return out;
}

TypeRef Infer::select(TypeRef array, std::span<ast::Selector> at, Span span) {
  TypeRef elem = fresh(span);
  vars_.back().bound = Lifted::No;
  TypeRef whole = elem;
  for (size_t i = 0; i < at.size(); i++) whole = types.array(whole, types.any());
  clear_why();
  if (!unify(array, whole)) {
    c.diags.report(span, err::too_deep_index, quoted_type(unsized_show(array)), quoted_type(unsized_show(whole)))
        .note("indexed with " + std::to_string(at.size()) + (at.size() == 1 ? " index" : " indices"));
    return types.error();
  }
  TypeRef i64_type = types.prim(Prim::I64);
  size_t slices = 0;
  for (ast::Selector& s : at) {
    if (s.slice) {
      slices++;
      for (ast::Expr* part : {s.from, s.to, s.step}) if (part) expect(part, infer(part), i64_type, err::slice_type);
    }
    else expect(s.at, infer(s.at), overloaded(signed_ints, s.span), err::index_type);
  }
  TypeRef out = elem;
  for (size_t i = 0; i < slices; i++) out = types.array(out, types.any());
  return out;
}

TypeRef Infer::steps(TypeRef base, std::span<ast::Step> all) {
  for (ast::Step& s : all) base = s.is_field ? project(base, s.field, s.span) : select(base, s.at, s.span);
  return base;
}

TypeRef Infer::lambda(ast::Lambda& l) {
  auto mark = c.mark();
  std::vector<TypeRef> from;
  Group group;
  params(l.params, from, group);
  TypeRef written;
  if (l.result) written = erase(resolve(l.result, nullptr));
  TypeRef body = infer(l.body);
  if (l.result) {
    clear_why();
    if (!unify(written, body)) explain(c.diags.report(l.body->span, err::body_type, quoted_type(unsized_show(written)), quoted_type(unsized_show(body))));
  }
  c.restore(mark);
  return fun_type(from, body);
}

void Infer::let(ast::Let& l) {
  TypeRef value = infer(l.value);
  Group group;
  for (ast::TypeParam& p : l.sizes) {
    locals_[p.size] = {types.prim(Prim::I64), {}};
    add_to_group(p.size, group, err::duplicate_size_binder);
    c.bind(p.size);
  }
  TypeRef p = pattern(l.pat, group);
  clear_why();
  if (!unify(p, value)) explain_pattern(l.pat, c.diags.report(l.pat->span, err::pattern_value, c.sources.text(l.pat->span), quoted_type(unsized_show(value))));
  bind_all(group);
}

void Infer::local_function(ast::LetFun& l) {
  ast::Def& def = *l.def;
  auto mark = c.mark();
  level_++;
  bind_type_params(def.tparams);
  std::vector<TypeRef> from;
  Group group;
  for (ast::TypeParam& p : def.tparams) if (p.size) group.add(p.size);
  params(def.params, from, group);
  TypeRef written;
  if (def.result) written = erase(resolve(def.result, nullptr));
  c.defining.emplace_back(def.self->name, "a local function");
  TypeRef body = infer(def.body);
  c.defining.pop_back();
  if (def.result) {
    clear_why();
    if (!unify(written, body)) explain(c.diags.report(def.body->span, err::body_type, quoted_type(unsized_show(written)), quoted_type(unsized_show(body))));
  }
  level_--;
  c.restore(mark);
  Local local{zonk(fun_type(from, body)), {}};
  for (ast::TypeParam& p : def.tparams) if (p.type.valid()) local.params.push_back(p.type);
  if (local.params.empty())
    visit_type(types, local.type, [&](TypeRef x) {
      if (auto* v = types.as<VarType>(x)) if (vars_[v->var].level > level_ || vars_[v->var].kind == TypeVar::Kind::Free) local.open.push_back(v->var);
    }, [](SizeRef) {});
  locals_[def.self] = local;
  bound_.push_back(def.self);
  std::string_view name = c.text(def.self->name);
  if (name == "&&" || name == "||") c.diags.report(def.name_span, err::operator_redefined, name);
  c.bind(def.self);
}

TypeRef Infer::loop(ast::Loop& l) {
  TypeRef init = infer(l.init);
  auto mark = c.mark();
  TypeRef bound;
  if (l.form != ast::Loop::Form::While) bound = infer(l.bound);
  Group group;
  TypeRef state = pattern(l.state, group);
  clear_why();
  if (!unify(state, init))
    explain_pattern(l.state, c.diags.report(l.state->span, err::loop_initial, c.sources.text(l.state->span), quoted_type(unsized_show(init))).label(l.init->span, unsized_show(init)));
  no_functions_.push_back({state, {l.state->span, &err::loop_of_function}});
  bind_all(group);
  switch (l.form) {
    case ast::Loop::Form::While: condition(l.bound); break;
    case ast::Loop::Form::For: {
      expect(l.bound, bound, overloaded(ints, l.bound->span), err::loop_bound);
      Group index;
      TypeRef i = pattern(l.index, index);
      unify(i, bound);
      counted_.push_back(&l);
      bind_all(index);
      break;
    }
    case ast::Loop::Form::ForIn: {
      TypeRef elem = fresh(l.index->span);
      vars_.back().bound = Lifted::No;
      expect(l.bound, bound, types.array(elem, types.any()), err::for_in_array);
      Group index;
      TypeRef i = pattern(l.index, index);
      clear_why();
      if (!unify(i, elem))
        explain_pattern(l.index, c.diags.report(l.index->span, err::pattern_value, c.sources.text(l.index->span), quoted_type(unsized_show(elem))));
      bind_all(index);
      break;
    }
  }
  TypeRef body = infer(l.body);
  expect(l.body, body, state, err::loop_body);
  c.restore(mark);
  return state;
}

TypeRef Infer::counted_literal(ast::Expr* e, ast::Literal& l) {
  TypeRef t = literal(l, e->span);
  if (l.kind == ast::Literal::Kind::Int || l.kind == ast::Literal::Kind::Float) literals_.emplace_back(e, false);
  return t;
}
TypeRef Infer::array_literal(Span at, ast::ArrayLit& a) {
  TypeRef elem = fresh(at);
  vars_.back().bound = Lifted::No;
  for (ast::Expr* x : a.elems) {
    TypeRef t = infer(x);
    expect(x, t, elem, err::array_elements);
  }
  return types.array(elem, types.any());
}
TypeRef Infer::range(Span at, ast::Range& r) {
  TypeRef t = infer(r.first);
  expect(r.first, t, overloaded(ints, r.first->span), err::range_parts);
  if (r.second) {
    expect(r.second, infer(r.second), t, err::range_parts);
    auto value = [](const ast::Expr* x) -> std::optional<uint64_t> {
      auto* l = std::get_if<ast::Literal>(&x->node);
      if (!l || l->kind != ast::Literal::Kind::Int) return {};
      return l->integer;
    };
    bool same_value = value(r.first) && value(r.first) == value(r.second);
    if (same_value || c.sources.text(r.first->span) == c.sources.text(r.second->span)) c.diags.report(at, err::range_step);
  }
  expect(r.last, infer(r.last), t, err::range_parts);
  return types.array(t, types.any());
}
TypeRef Infer::unary(Span at, ast::Unary& u) {
  bool negate = u.op == ast::Unary::Op::Negate;
  TypeRef t = infer(u.operand);
  // The range is checked with the sign, if that stands right in front.
  auto* literal = std::get_if<ast::Literal>(&u.operand->node);
  if (negate && literal && !literals_.empty() && literals_.back().first == u.operand)
    literals_.back().second = !source(u.operand).starts_with("(");
  clear_why();
  if (!unify(t, overloaded(negate ? numbers : PrimSet(ints | bit(Prim::Bool)), at)))
    explain(c.diags.report(at, err::unary_operand, quoted_type(unsized_show(t)), negate ? "\n  a number" : "\n  an integer or bool"));
  return t;
}
TypeRef Infer::section(Span at, ast::Section& s) {
  TypeRef f = infer(s.op);
  std::string name = source(s.op);
  if (s.left) {
    TypeRef rest = apply_one(f, name, 0, infer(s.left), s.left, at);
    clear_why();
    if (!unify(rest, types.fun(fresh(at), fresh(at)))) {
      c.diags.report(at, err::section_operator, quoted_type(unsized_show(f)), "\n  a function of two arguments");
      return types.error();
    }
    return rest;
  }
  if (!s.right) return f;
  TypeRef left = fresh(at), right = fresh(at), result = fresh(at);
  clear_why();
  if (!unify(f, types.fun(left, types.fun(right, result)))) {
    c.diags.report(at, err::section_operator, quoted_type(unsized_show(f)), "\n  a function of two arguments");
    return types.error();
  }
  TypeRef arg = infer(s.right);
  clear_why();
  if (!unify(right, arg))
    explain(c.diags.report(s.right->span, err::cannot_apply, name, source(s.right), quoted_type(unsized_show(right)), quoted_type(unsized_show(arg))));
  return types.fun(left, result);
}
TypeRef Infer::match_cases(Span at, ast::Match& m) {
  TypeRef on = infer(m.on);
  TypeRef result;
  for (ast::Case& k : m.cases) {
    auto mark = c.mark();
    Group group;
    TypeRef p = pattern(k.pat, group);
    clear_why();
    if (!unify(p, on)) explain_pattern(k.pat, c.diags.report(k.pat->span, err::pattern_value, c.sources.text(k.pat->span), quoted_type(unsized_show(on))));
    bind_all(group);
    TypeRef t = infer(k.body);
    c.restore(mark);
    if (!result.valid()) { result = t; continue; }
    clear_why();
    if (!unify(result, t))
      explain(c.diags.report(k.body->span, err::branches_differ, quoted_type(unsized_show(result)), quoted_type(unsized_show(t))));
  }
  if (!result.valid()) return types.error();
  no_functions_.push_back({result, {at, &err::match_result}});
  return result;
}
TypeRef Infer::local_open(ast::Expr* e, ast::LocalOpen& o) {
  if (o.module.names.size() == 1 && c.names_intrinsics(o.module)) {
    // A matter of names: nothing is left of it in the tree.
    c.diags.report(o.module.span, err::direct_intrinsic);
    auto mark = c.mark();
    c.open_intrinsics();
    ast::Expr* body = o.body;
    TypeRef t = infer(body);
    c.restore(mark);
    e->node = body->node;
    return t;
  }
  auto found = c.lookup(o.module, true);
  if (!found) return types.error();
  if (found->entry.module->is_functor()) {
    c.diags.report(o.module.span, err::unapplied_functor, c.shown(o.module));
    return types.error();
  }
  auto mark = c.mark();
  o.self->module = found->entry.module;
  c.open(*found->entry.module, o.self);
  TypeRef t = infer(o.body);
  c.restore(mark);
  return t;
}

TypeRef Infer::infer_node(ast::Expr* e) {
  return match(e->node,
      [&](ast::Literal& l) { return counted_literal(e, l); },
      [&](ast::Ref& r) { return ref(e, r); },
      [&](ast::Tuple& t) {
        std::vector<Field> fields;
        for (size_t i = 0; i < t.parts.size(); i++) fields.emplace_back(c.numeral(i), infer(t.parts[i]));
        return types.record(fields);
      },
      [&](ast::Record& t) {
        std::vector<Field> fields;
        for (auto& field : t.fields) fields.emplace_back(field.name, infer(field.value));
        c.sort_fields(fields);
        return types.record(fields);
      },
      [&](ast::Project& p) { return project(infer(p.record), p.field, p.field_span, p.record); },
      [&](ast::Index& i) { TypeRef array = infer(i.array); return select(array, i.at, e->span); },
      [&](ast::ArrayLit& a) { return array_literal(e->span, a); },
      [&](ast::Range& r) { return range(e->span, r); },
      [&](ast::Apply& a) { TypeRef f = infer(a.fun); return apply(f, a.fun, a.args, e->span); },
      [&](ast::Construct& k) {
        std::vector<TypeRef> payload;
        for (ast::Expr* x : k.args) payload.push_back(infer(x));
        return with_constructor(k.name, payload, e->span);
      },
      [&](ast::Unary& u) { return unary(e->span, u); },
      [&](ast::Section& s) { return section(e->span, s); },
      [&](ast::AccessSection& s) {
        TypeRef base = fresh(e->span);
        TypeRef out = steps(base, s.steps);
        if (auto* v = types.as<VarType>(resolved(base))) vars_[v->var].section = true;
        return types.fun(base, out);
      },
      [&](ast::Lambda& l) { return lambda(l); },
      [&](ast::Match& m) { return match_cases(e->span, m); },
      [&](ast::Loop& l) { return loop(l); },
      [&](ast::With& w) {
        TypeRef base = infer(w.base);
        TypeRef target = steps(base, w.steps);
        TypeRef value = infer(w.value);
        bool in_array = std::any_of(w.steps.begin(), w.steps.end(), [](const ast::Step& s) { return !s.is_field; });
        expect(w.value, value, target, in_array ? err::update_value : err::field_update);
        return base;
      },
      [&](ast::Ascribe& a) {
        TypeRef written = erase(resolve(a.type, nullptr));
        TypeRef t = infer(a.exp);
        clear_why();
        if (!unify(written, t)) explain(c.diags.report(a.exp->span, err::ascription, quoted_type(unsized_show(written)), quoted_type(unsized_show(t))));
        return written;
      },
      [&](ast::Coerce& a) {
        TypeRef written = erase(resolve(a.type, nullptr));
        TypeRef t = infer(a.exp);
        expect(a.exp, t, written, err::coerced_type);
        return written;
      },
      [&](ast::LocalOpen& o) { return local_open(e, o); },
      [&](ast::Assert& a) { condition(a.cond); return infer(a.body); },
      [&](ast::Hole&) {
        holes_.push_back(e);
        return fresh(e->span);
      },
      [&](ast::Attributed& a) { look_at(c, a.attr); return infer(a.body); },
      [&](ast::SizeHole&) { return types.prim(Prim::I64); },
      [](ast::Let&) -> TypeRef { PANIC("a chain"); }, [](ast::LetFun&) -> TypeRef { PANIC("a chain"); },
      [](ast::If&) -> TypeRef { PANIC("a chain"); }, [](ast::Operator&) -> TypeRef { PANIC("a chain"); });
}

// --- a whole definition ---

namespace {
// Does the value fit the type? `negated`: the literal stands after a minus.
bool fits(const ast::Literal& l, Prim p, bool negated) {
  if (is_float(p)) {
    double limit = p == Prim::F64 ? 1.7976931348623157e308 : p == Prim::F32 ? 3.4028235677973366e38 : 65520.0;
    return p == Prim::F64 ? std::isfinite(l.real) : std::fabs(l.real) < limit;
  }
  if (l.too_big) return false;
  unsigned bits = 8u << (unsigned(p) % 4);
  uint64_t limit = is_signed(p) ? (uint64_t(1) << (bits - 1)) - (negated ? 0 : 1)
                   : negated    ? 0
                   : bits == 64 ? ~uint64_t(0)
                                : (uint64_t(1) << bits) - 1;
  return l.integer <= limit;
}

// What an overloaded variable becomes that nothing else decides.
Prim default_of(PrimSet set) {
  if ((set & (set - 1)) == 0)
    for (int p = 0; p < 12; p++) if (set & bit(Prim(p))) return Prim(p);
  return set & bit(Prim::I32) ? Prim::I32 : Prim::F64;
}
}  // namespace

// Gives every open overloaded variable its default; reports records and sums that stay open.
void Infer::default_vars() {
  for (uint32_t i = 0; i < vars_.size(); i++) {
    if (vars_[i].link.valid()) continue;
    switch (vars_[i].kind) {
      case TypeVar::Kind::Overloaded: {
        PrimSet set = vars_[i].set;
        bool single = (set & (set - 1)) == 0;
        if (!single && !(set & (bit(Prim::I32) | bit(Prim::F64)))) {
          c.diags.report(vars_[i].origin, err::ambiguous_number, set_names(set));
          vars_[i].link = types.error();
          break;
        }
        vars_[i].link = types.prim(default_of(set));
        break;
      }
      case TypeVar::Kind::Record: {
        std::string names;
        for (auto& f : vars_[i].parts->fields) names += (names.empty() ? "" : ", ") + std::string(c.text(f.first));
        if (errors_from_ == c.diags.error_count())
          c.diags.report(vars_[i].origin, err::ambiguous_record, names).help("write the type of the parameter or name that the record comes from");
        vars_[i].link = types.error();
        break;
      }
      case TypeVar::Kind::Sum: {
        std::string names;
        for (auto& k : vars_[i].parts->constrs) names += (names.empty() ? "#" : ", #") + std::string(c.text(k.first));
        if (errors_from_ == c.diags.error_count()) c.diags.report(vars_[i].origin, err::ambiguous_sum, names);
        vars_[i].link = types.error();
        break;
      }
      case TypeVar::Kind::Free: break;
    }
  }
}

void Infer::finish() {
  default_vars();
  for (TypeVar& v : vars_) if (!v.link.valid()) v.link = types.unit();
}

bool Infer::definition(ast::Def& def) {
  size_t before = errors_from_ = c.diags.error_count();
  c.forget_anonymous_names();
  current_ = &def;
  auto mark = c.mark();
  std::string_view name = c.text(def.self->name);
  if (name == "&&" || name == "||") c.diags.report(def.name_span, err::operator_redefined, name);
  bind_type_params(def.tparams);
  Group group;
  for (ast::TypeParam& p : def.tparams) if (p.size) group.add(p.size);
  std::vector<TypeRef> from;
  params(def.params, from, group);
  TypeRef result = fresh(def.name_span);
  bool intrinsic = c.sources[def.span.file].builtin &&
                   std::any_of(def.attrs.begin(), def.attrs.end(), [&](const ast::Attr& a) { return c.text(a.name) == "intrinsic"; });
  if (intrinsic) intrinsic_result_sizes.emplace();
  if (def.result) result = erase(resolve(def.result, intrinsic ? &*intrinsic_result_sizes : nullptr));
  TypeRef type = fun_type(from, result);
  if (!def.params.empty()) {
    // In scope in its own body, unless a parameter has the same name.
    bool hidden = group.first.contains(def.self->name) || (c.earlier_names && c.terms.find(def.self->name));
    locals_[def.self] = {type, {}};
    if (!hidden) c.bind(def.self);
  }
  c.defining.emplace_back(def.self->name, "a constant");
  TypeRef body = infer(def.body);
  c.defining.pop_back();
  clear_why();
  if (!unify(result, body))
    explain(c.diags.report(def.body->span, err::body_type, quoted_type(unsized_show(result)), quoted_type(unsized_show(body)))
                .help(conversion(body, result, def.body)));
  c.restore(mark);
  current_ = nullptr;

  // What is visible in the type is worth a word when it is defaulted, unless it may follow from a mistake.
  if (!c.diags.has_errors()) visit_type(types, zonk(type), [&](TypeRef t) {
    auto* v = types.as<VarType>(t);
    if (!v || vars_[v->var].kind != TypeVar::Kind::Overloaded || vars_[v->var].link.valid()) return;
    PrimSet set = vars_[v->var].set;
    Prim choice = default_of(set);
    if (set != bit(choice)) c.diags.report(def.name_span, err::defaulted, prim_name(choice));
    vars_[v->var].link = types.prim(choice);
  }, [](SizeRef) {});
  default_vars();

  // What stays open in the result of a branch or a loop may be anything but a function.
  for (auto& [t, at] : no_functions_) visit_type(types, zonk(t), [&](TypeRef x) {
    if (auto* v = types.as<VarType>(x)) vars_[v->var].bound = std::min(vars_[v->var].bound, Lifted::Size);
  }, [](SizeRef) {});

  for (ast::TypeParam& p : def.tparams) if (p.type.valid()) generalised.push_back(p.type);
  TypeRef whole = zonk(type);
  std::vector<uint32_t> open;
  visit_type(types, whole, [&](TypeRef t) {
    if (auto* v = types.as<VarType>(t)) if (std::find(open.begin(), open.end(), v->var) == open.end()) open.push_back(v->var);
  }, [](SizeRef) {});
  for (size_t i = 0; i < open.size(); i++) {
    Name letter = c.intern("t" + std::to_string(i));
    TypeId id = types.declare({TypeDecl::Kind::Param, letter, def.name_span, vars_[open[i]].bound, {}, {}, 0});
    vars_[open[i]].link = types.add(NamedType{id, {}});
    generalised.push_back(id);
  }
  for (TypeVar& v : vars_) if (!v.link.valid()) v.link = types.unit();

  for (auto [e, negated] : literals_) {
    auto& l = std::get<ast::Literal>(e->node);
    auto* p = types.as<PrimType>(zonk(e->type));
    if (p && !l.has_suffix && !fits(l, p->prim, negated))
      c.diags.report(e->span, err::literal_range, (negated ? "-" : "") + std::string(c.sources.text(e->span)), prim_name(p->prim));
  }
  for (auto& [l, at] : pattern_literals_) {
    auto* p = types.as<PrimType>(zonk(at.first));
    bool negated = c.sources.text(at.second).starts_with("-");
    if (p && !l->has_suffix && !fits(*l, p->prim, negated)) c.diags.report(at.second, err::literal_range, c.sources.text(at.second), prim_name(p->prim));
  }
  // After a mistake a type that was left open says nothing: only functions that are there count.
  bool broken = c.diags.error_count() != before;
  for (auto& [e, operand] : equalities_) {
    TypeRef t = zonk(operand);
    bool bad = false, array = false;
    visit_type(types, t, [&](TypeRef x) {
      bad |= types.as<FunType>(x) || (types.as<NamedType>(x) && !broken);
      array |= types.as<ArrayType>(x) != nullptr;
    }, [](SizeRef) {});
    if (bad) c.diags.report(e->span, err::no_equality, c.show(t));
    else if (array) c.diags.report(e->span, err::array_equality);
  }
  for (auto& [t, at] : no_functions_) {
    TypeRef z = zonk(t);
    if (!broken && c.has_function(z)) c.diags.report(at.first, *at.second, c.show(z));
  }
  for (const ast::Loop* l : counted_) {
    auto* p = types.as<PrimType>(zonk(l->bound->type));
    if (!p || !is_integer(p->prim) || (unsigned(p->prim) % 4) >= 2) continue;
    unsigned bits = 8u << (unsigned(p->prim) % 4);
    c.diags.report(l->index->span, err::narrow_index, prim_name(p->prim), std::to_string((1 << (is_signed(p->prim) ? bits - 1 : bits)) - 1))
        .label(l->bound->span, "its type is that of the bound");
  }
  // A derivative among integers alone is rarely meant.
  for (ast::Expr* e : broken ? std::vector<ast::Expr*>() : derivatives_) {
    std::span<const TypeRef> inst = std::get<ast::Ref>(e->node).inst;
    for (size_t i = 0; i < 2 && i < inst.size(); i++) {
      bool discrete = false, may_vary = false;
      visit_type(types, zonk(inst[i]), [&](TypeRef t) {
        auto* p = types.as<PrimType>(t);
        (p && !is_float(p->prim) ? discrete : may_vary) |= p || types.as<NamedType>(t) || types.is_error(t);
      }, [](SizeRef) {});
      if (discrete && !may_vary) {
        c.diags.report(e->span, err::integer_derivative, i == 0 ? "argument of the function" : "result of the function").help("use floating-point numbers, like 1.0 or f64");
        break;
      }
    }
  }
  for (ast::Expr* hole : holes_) {
    if (!(intrinsic && def.body == hole)) c.diags.report(hole->span, err::hole, c.show(zonk(hole->type)));
  }
  return c.diags.error_count() == before;
}

}  // namespace raido::check
