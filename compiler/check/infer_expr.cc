// infer_expr.cc - types of expressions, one case per node.
#include <algorithm>

#include "compiler/base/panic.h"
#include "compiler/base/similar.h"
#include "compiler/base/small_vector.h"
#include "compiler/check/attributes.h"
#include "compiler/check/infer.h"
#include "compiler/syntax/children.h"

namespace raido::check {

// For a message: the start of the first line.
std::string Infer::source(const ast::Expr* e) const {
  constexpr size_t most = 120;
  std::string text(c.sources.text(e->span));
  size_t end = std::min(text.find('\n'), text.size());
  if (end > most) for (end = most; (text[end] & 0xc0) == 0x80;) end--;      // not within a character
  return end == text.size() ? text : text.substr(0, end) + " ...";
}

TypeRef Infer::fun_type(const std::vector<TypeRef>& params, TypeRef result) {
  for (size_t i = params.size(); i-- > 0;) result = types.fun(params[i], result);
  return result;
}

void Infer::expect(ast::Expr* e, TypeRef actual, TypeRef expected, const Diag<2>& kind, std::string_view otherwise) {
  clear_why();
  if (unify(expected, actual)) return;
  auto draft = c.diags.report(e->span, kind, quoted_type(actual), quoted_type(expected));
  explain(draft);
  std::string help = conversion(actual, expected, e);
  draft.help(help.empty() ? std::string(otherwise) : help);
}

// An abstract type of a module, where something else is given or wanted.
std::string Infer::hidden_type(TypeRef a, TypeRef b) const {
  for (auto [t, other] : {std::pair{a, b}, {b, a}}) {
    auto* n = types.as<NamedType>(resolved(t));
    if (!n || types[n->decl].kind != TypeDecl::Kind::Abstract || types[n->decl].shown.find('.') == std::string::npos) continue;
    if (auto* m = types.as<NamedType>(resolved(other)); m && m->decl == n->decl) continue;
    std::string_view shown = types[n->decl].shown;
    return fmt::format("the module type hides what `{}` is: use the functions of the module, or add `with {} = ..` to the module type", shown,
                       shown.substr(shown.rfind('.') + 1));
  }
  return "";
}

std::string Infer::conversion(TypeRef from, TypeRef to, const ast::Expr* e) {
  auto prim = [&](TypeRef t) -> std::optional<Prim> {
    if (auto* p = types.as<PrimType>(resolved(t))) return p->prim;
    // What may be any signed integer is an index or a size.
    auto* v = types.as<VarType>(resolved(t));
    if (v && vars_[v->var].kind == TypeVar::Kind::Overloaded && vars_[v->var].set == signed_ints) return Prim::I64;
    return {};
  };
  auto *from_array = types.as<ArrayType>(resolved(from)), *to_array = types.as<ArrayType>(resolved(to));
  if (from_array && to_array) {
    std::string inner = types.as<ArrayType>(resolved(from_array->elem)) ? "" : conversion(from_array->elem, to_array->elem, e);
    size_t name = inner.find('`');
    return inner.starts_with("convert:") ? inner.insert(name + 1, "map ") : "";
  }
  auto source_type = prim(from), target = prim(to);
  auto* open = types.as<VarType>(resolved(to));
  bool any_float = open && vars_[open->var].kind == TypeVar::Kind::Overloaded && vars_[open->var].set == floats;
  if (any_float) target = Prim::F64;
  std::string text = source(e);
  bool named = std::get_if<ast::Ref>(&e->node) || std::get_if<ast::Apply>(&e->node);
  if (named && types.as<FunType>(resolved(from)) && !types.as<FunType>(resolved(to)) && text.size() <= 40 && !text.ends_with(" ...")) {
    int lacks = arity(from);
    return fmt::format("`{}` is a function, which lacks {} argument{}", text, lacks, lacks == 1 ? "" : "s");
  }
  if (std::string hidden = hidden_type(from, to); !hidden.empty()) return hidden;
  if (!source_type || !target || source_type == target || target == Prim::Bool || text.size() > 40 || text.ends_with(" ...")) return "";
  bool atom = text.find(' ') == std::string::npos || text[0] == '(';
  std::string function = fmt::format(".{} {}`", prim_name(*source_type), atom ? text : "(" + text + ")");
  return fmt::format("convert: `{}{}", prim_name(*target), function) + (any_float ? " or `f32" + function : "");
}

void Infer::condition(ast::Expr* e) {
  TypeRef t = infer(e);
  auto* p = types.as<PrimType>(resolved(t));
  if (!p || p->prim == Prim::Bool) return expect(e, t, types.prim(Prim::Bool));
  std::string text = source(e);
  bool atom = text.find(' ') == std::string::npos || std::get_if<ast::Apply>(&e->node);
  c.diags.report(e->span, err::condition_type, "\n  " + std::string(prim_name(p->prim)), "\n  bool")
      .help(text.ends_with(" ...") ? "" : fmt::format("compare it: `{} != 0`", atom ? text : "(" + text + ")"));
}

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
    auto& [link, a] = chain[k];
    auto& i = std::get<ast::If>(link->node);
    clear_why();
    note_open(i.then_, a, b);
    if (!unify(a, b)) {
      explain(c.diags.report(link->span, err::branches_differ, quoted_type(a), quoted_type(b))
          .label(i.then_->span, unsized_show(a)).label(i.else_->span, unsized_show(b)));
      a = types.error();
    }
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

// What may be meant by the field of something that has no such field.
std::string Infer::other_than_field(TypeRef record, Name field, const ast::Expr* of) {
  std::string_view name = c.text(field);
  if (auto* r = types.as<RecordType>(record)) {
    Similar similar(name);
    for (auto& [known, type] : r->fields) similar.offer(c.text(known));
    if (std::string help = similar.help(); !help.empty()) return help;
    std::vector<std::string> all;
    for (auto& [known, type] : r->fields) all.push_back(fmt::format("`{}`", c.text(known)));
    const size_t shown = std::min<size_t>(all.size(), 8);
    return all.empty() ? "it has no fields" : fmt::format("it has {}{}", fmt::join(all.begin(), all.begin() + ptrdiff_t(shown), ", "), shown < all.size() ? " .." : "");
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
    c.diags.report(span, err::too_deep_index, quoted_type(array), quoted_type(whole))
        .note("indexed with " + std::to_string(at.size()) + (at.size() == 1 ? " index" : " indices"))
        .help(types.as<RecordType>(resolved(array)) ? "the parts of a tuple are `t.0`, `t.1` and so on" : "");
    return types.error();
  }
  TypeRef i64_type = types.prim(Prim::I64);
  size_t slices = 0;
  for (ast::Selector& s : at) {
    if (s.slice) {
      slices++;
      for (ast::Expr* part : {s.from, s.to, s.step}) if (part) expect(part, infer(part), i64_type, err::slice_type);
    }
    else if (TypeRef t = infer(s.at); types.as<ArrayType>(resolved(t)))
      c.diags.report(s.at->span, err::index_type, quoted_type(t), "\n  integer")
          .help("a slice is `xs[i:j]`, without the element `j`; elements at several places are `map (\\i -> xs[i]) is`");
    else expect(s.at, t, overloaded(signed_ints, s.span), err::index_type);
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
    if (!unify(written, body)) explain(c.diags.report(ast::result_of(l.body)->span, err::body_type, quoted_type(written), quoted_type(body)));
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
  if (!unify(p, value)) explain_pattern(l.pat, value, c.diags.report(l.pat->span, err::pattern_value, c.sources.text(l.pat->span), quoted_type(value)));
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
    if (!unify(written, body))
      explain(c.diags.report(ast::result_of(def.body)->span, err::body_type, quoted_type(written), quoted_type(body))
                  .help(conversion(body, written, def.body)));
  }
  level_--;
  c.restore(mark);
  Local local{zonk(fun_type(from, def.result ? written : body)), {}};
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
  note_open(l.init, init, init);
  if (!unify(state, init))
    explain_pattern(l.state, init, c.diags.report(l.state->span, err::loop_initial, c.sources.text(l.state->span), quoted_type(init)).label(l.init->span, unsized_show(init)));
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
        explain_pattern(l.index, elem, c.diags.report(l.index->span, err::pattern_value, c.sources.text(l.index->span), quoted_type(elem)));
      bind_all(index);
      break;
    }
  }
  TypeRef body = infer(l.body);
  auto* begins = types.as<RecordType>(resolved(state));
  auto* ends = types.as<RecordType>(resolved(body));
  bool counts = begins && ends && begins->fields.size() != ends->fields.size();
  expect(ast::result_of(l.body), body, state, err::loop_body, counts ? "the body returns a value for each part of the state that the loop begins with" : "");
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
  if (auto* call = std::get_if<ast::Apply>(&r.first->node)) range_argument_ = {call->args.back(), std::string(c.sources.text(join(call->args.back()->span, at)))};
  TypeRef t = infer(r.first);
  range_argument_ = {};
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
    explain(c.diags.report(at, err::unary_operand, quoted_type(t), negate ? "\n  a number" : "\n  an integer or bool"));
  return t;
}
TypeRef Infer::section(Span at, ast::Section& s) {
  TypeRef f = infer(s.op);
  std::string name = source(s.op);
  if (s.left) {
    TypeRef rest = apply_one(f, name, 0, infer(s.left), s.left, at);
    clear_why();
    if (!unify(rest, types.fun(fresh(at), fresh(at)))) {
      c.diags.report(at, err::section_operator, quoted_type(f), "\n  a function of two arguments");
      return types.error();
    }
    return rest;
  }
  if (!s.right) return f;
  TypeRef left = fresh(at), right = fresh(at), result = fresh(at);
  clear_why();
  if (!unify(f, types.fun(left, types.fun(right, result)))) {
    c.diags.report(at, err::section_operator, quoted_type(f), "\n  a function of two arguments");
    return types.error();
  }
  TypeRef arg = infer(s.right);
  clear_why();
  if (!unify(right, arg)) {
    auto draft = c.diags.report(s.right->span, err::cannot_apply, name, source(s.right), quoted_type(right), quoted_type(arg));
    explain(draft);
    if (std::get_if<ast::Operator>(&s.right->node) && !source(s.right).starts_with("("))
      draft.help(fmt::format("all that follows is the operand of `{0}`; where it is not, write a function: `\\x -> x {0} {1}`", name, source(s.right)));
  }
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
    if (!unify(p, on)) explain_pattern(k.pat, on, c.diags.report(k.pat->span, err::pattern_value, c.sources.text(k.pat->span), quoted_type(on)));
    bind_all(group);
    TypeRef t = infer(k.body);
    c.restore(mark);
    if (!result.valid()) { result = t; continue; }
    clear_why();
    note_open(k.body, result, t);
    if (!unify(result, t))
      explain(c.diags.report(ast::result_of(k.body)->span, err::branches_differ, quoted_type(result), quoted_type(t)));
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
    c.unapplied(o.module.span, c.shown(o.module));
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
        if (!unify(written, t)) explain(c.diags.report(a.exp->span, err::ascription, quoted_type(written), quoted_type(t)));
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
      [&](ast::Attributed& a) {
        look_at(c, a.attr);
        if (!a.attr.is_integer && c.text(a.attr.name) == "param") tunable_.push_back(&a);
        return infer(a.body);
      },
      [&](ast::SizeHole&) { return types.prim(Prim::I64); },
      [](ast::Let&) -> TypeRef { PANIC("a chain"); }, [](ast::LetFun&) -> TypeRef { PANIC("a chain"); },
      [](ast::If&) -> TypeRef { PANIC("a chain"); }, [](ast::Operator&) -> TypeRef { PANIC("a chain"); });
}

}  // namespace raido::check
