// expressions.cc - evaluation of expressions: a plain evaluator, whose results happen to contain core variables.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "compiler/lower/lowerer.h"
#include "compiler/syntax/children.h"
#include "compiler/syntax/format.h"

namespace raido::lower {

Value Lowerer::eval(const ast::Expr& e, Scope* scope) {
  CHECK(e.type.valid(), "an expression without a type");
  ir::Source saved = b_->source;
  at(e);
  // Chains of `let` and of operators are walked, not descended into.
  std::vector<const ast::Expr*> chain;
  auto sized = [&](const ast::Expr& x, const Value& v) {
    if (x.size) scope->values[x.size] = v;
    if (std::holds_alternative<check::PrimType>(checked_.result.types[x.type])) return;
    bind_sizes({x.type, scope}, v, scope);
    check_shape({x.type, scope}, v, place(x));
  };
  Value v;
  if (std::get_if<ast::Operator>(&e.node)) {
    const ast::Expr* left = &e;
    for (; auto* o = std::get_if<ast::Operator>(&left->node); left = o->left) chain.push_back(left);
    v = eval(*left, scope);
    for (size_t k = chain.size(); k-- > 0;) {
      at(*chain[k]);
      v = operation(std::get<ast::Operator>(chain[k]->node), *chain[k], v, scope);
      sized(*chain[k], v);
    }
  }
  else if (ast::is_let(e)) {
    const ast::Expr* body = &e;
    for (; ast::is_let(*body); body = ast::body_of_let(*body)) {
      chain.push_back(body);
      if (auto* l = std::get_if<ast::Let>(&body->node)) {
        Value value = eval(*l->value, scope);
        bind_pattern(*l->pat, value, scope);
      }
      else {
        ast::Def* def = std::get<ast::LetFun>(body->node).def;
        scope->values[def->self] = std::make_shared<DefValue>(DefValue{def, scope});
      }
    }
    v = eval(*body, scope);
    for (size_t k = chain.size(); k-- > 0;) sized(*chain[k], v);
  }
  else {
    v = eval_node(e, scope);
    sized(e, v);
  }
  b_->source = saved;
  return v;
}

Value Lowerer::eval_node(const ast::Expr& e, Scope* scope) {
  TypeIn type{e.type, scope};
  return match(e.node,
      [&](const ast::Literal& x) { return literal(x, type); },
      [&](const ast::Ref& x) { return reference(x, e, scope); },
      [&](const ast::Tuple& x) {
        std::vector<Value> parts(x.parts.size());
        for (size_t i = 0; i < parts.size(); i++) parts[i] = eval(*x.parts[i], scope);
        return tuple(std::move(parts));
      },
      [&](const ast::Record& x) { return record(x, type, scope); },
      [&](const ast::Project& x) { return field(eval(*x.record, scope), x.field); },
      [&](const ast::Index& x) {
        Value v = eval(*x.array, scope);
        std::vector<Var> checks;
        std::vector<ir::Selector> s = selectors(x.at, shape_prefix(v, x.at.size()), scope, checks);
        return checked_by(checks, [&] { return index(v, s); });
      },
      [&](const ast::ArrayLit& x) { return array_literal(x, e, scope); },
      [&](const ast::Range& x) { return range(x, e, scope); },
      [&](const ast::Apply& x) { return application(x, e, scope); },
      [&](const ast::Construct& x) { return construct(x, e, scope); },
      [&](const ast::Unary& x) { return unary(x, scope); },
      [&](const ast::Section& x) -> Value {
        Value op = eval(*x.op, scope);
        if (!x.left && !x.right) return op;
        Value operand = eval(x.left ? *x.left : *x.right, scope);
        return std::make_shared<Closure>(Closure{Closure::Kind::Section, &e, scope, {op, operand}, {}, {}});
      },
      [&](const ast::AccessSection&) -> Value {
        return std::make_shared<Closure>(Closure{Closure::Kind::Access, &e, scope, {}, {}, type});
      },
      [&](const ast::Lambda& x) -> Value {
        return std::make_shared<Closure>(Closure{Closure::Kind::Lambda, &x, scope, {}, {}, type});
      },
      [&](const ast::If& x) {             // what a branch binds is unknown after it
        Atom cond = atom(eval(*x.cond, scope));
        return emit_if(cond, [&] { return eval(*x.then_, new_scope(scope)); }, [&] { return eval(*x.else_, new_scope(scope)); });
      },
      [&](const ast::Match& x) { return match_cases(x, eval(*x.on, scope), 0, scope); },
      [&](const ast::Loop& x) { return loop(x, scope); },
      [&](const ast::With& x) { return with(x, scope); },
      [&](const ast::Ascribe& x) {
        Value v = eval(*x.exp, scope);
        check_written(x.type, v);
        return v;
      },
      [&](const ast::Coerce& x) { return coerce(x, e, scope); },
      [&](const ast::LocalOpen& x) {
        scope->values[x.self] = path(x.module, scope);
        return eval(*x.body, scope);
      },
      [&](const ast::Assert& x) { return assertion(x, scope); },
      [&](const ast::Hole&) { return hole(e, scope); },
      [&](const ast::Attributed& x) { return attributed(x, scope); },
      [&](const ast::SizeHole& x) -> Value {
        std::optional<Atom> n = size({x.size, scope});
        CHECK(n, "a size is not known where it is needed");
        return dynamic(*n);
      },
      [](const ast::Let&) -> Value { PANIC("a chain"); }, [](const ast::LetFun&) -> Value { PANIC("a chain"); },
      [](const ast::Operator&) -> Value { PANIC("a chain"); });
}

Value Lowerer::record(const ast::Record& r, TypeIn type, Scope* scope) {
  TypeIn t = resolve(type);
  std::unordered_map<Name, Value> by_name;
  for (const ast::RecordField& f : r.fields) by_name[f.name] = eval(*f.value, scope);
  std::vector<std::pair<Name, Value>> fields;
  for (auto& [n, field_type] : std::get<check::RecordType>(head(t)).fields) fields.emplace_back(n, by_name.at(n));
  return product(std::move(fields));
}

Value Lowerer::application(const ast::Apply& a, const ast::Expr& e, Scope* scope) {
  bool keep = std::exchange(kept_, nullptr) == &e;
  std::vector<Value> args(a.args.size());
  for (size_t i = args.size(); i-- > 0;) args[i] = eval(*a.args[i], scope);
  Value f = eval(*a.fun, scope);
  at(e);
  keep_call_ = keep;
  Value result = apply(f, std::move(args));
  keep_call_ = false;
  return result;
}

Value Lowerer::literal(const ast::Literal& l, TypeIn type) {
  if (l.kind == ast::Literal::Kind::String) {
    ir::DataArray data{Scalar::U8, {i64(l.text.size())}, std::string(l.text)};
    if (l.text.empty()) return dynamic(b_->bind1("t", ir::Scratch{Scalar::U8, {i64_const(0)}}));
    program_.data.push_back(std::move(data));
    return dynamic(b_->bind1("t", ir::Data{{uint32_t(program_.data.size() - 1)}}));
  }
  Scalar s = prim(type);
  if (l.kind == ast::Literal::Kind::Bool) return dynamic(bool_const(l.integer != 0));
  if (l.kind == ast::Literal::Kind::Int && !is_float(s)) return dynamic(integer_constant(s, i64(l.integer)));
  return dynamic(raido::constant(s, l.real));
}

Value Lowerer::reference(const ast::Ref& r, const ast::Expr& e, Scope* scope) {
  if (r.path.root->kind == Binding::Kind::Builtin)
    return std::make_shared<Closure>(Closure{Closure::Kind::Builtin, r.path.root, scope, {}, {}, {e.type, scope}});
  Value v = path(r.path, scope);
  if (auto d = std::get_if<std::shared_ptr<const DefValue>>(&v)) return instantiate(**d, {e.type, scope}, place(e));
  if (auto lazy = std::get_if<SizeIn>(&v)) {
    std::optional<Atom> n = size(*lazy);
    CHECK(n, "the size `{}` is not known here", text(r.path.root->name));
    return dynamic(*n);
  }
  return v;
}

// ---- Operators ----

Value Lowerer::operation(const ast::Operator& o, const ast::Expr& e, const Value& left, Scope* scope) {
  auto ref = std::get_if<ast::Ref>(&o.op->node);
  bool is_builtin = ref && ref->path.root->kind == Binding::Kind::Builtin;
  std::string_view op = is_builtin ? text(ref->path.root->name) : "";
  if (op == "&&" || op == "||") {
    auto right = [&] { return eval(*o.right, new_scope(scope)); };
    auto known = [&] { return dynamic(bool_const(op == "||")); };
    return op == "&&" ? emit_if(atom(left), right, known) : emit_if(atom(left), known, right);
  }
  Value right = eval(*o.right, scope);
  at(e);
  if (is_builtin) return builtin(op, left, right, {o.left->type, scope}, e.span);
  Value f = eval(*o.op, scope);
  at(e);
  return apply(f, {left, right});
}

Value Lowerer::builtin(std::string_view op, const Value& left, const Value& right, TypeIn operands, Span) {
  if (op == "==") return equal(left, right);
  if (op == "!=") return dynamic(not_(term(equal(left, right))).atom);
  if (op == "&&") return dynamic(and_(term(left), term(right)).atom);
  if (op == "||") return dynamic(or_(term(left), term(right)).atom);
  if (op == "<") return dynamic(lt(term(left), term(right)).atom);
  if (op == "<=") return dynamic(le(term(left), term(right)).atom);
  if (op == ">") return dynamic(lt(term(right), term(left)).atom);
  if (op == ">=") return dynamic(le(term(right), term(left)).atom);
  Scalar s = prim(operands);
  struct Row { std::string_view text; ScalarOp op; };
  static constexpr Row rows[] = {{"+", ScalarOp::add}, {"-", ScalarOp::sub}, {"*", ScalarOp::mul}, {"/", ScalarOp::div},
                                 {"%", ScalarOp::mod}, {"**", ScalarOp::pow}, {"//", ScalarOp::quot}, {"%%", ScalarOp::rem},
                                 {"&", ScalarOp::and_}, {"|", ScalarOp::or_}, {"^", ScalarOp::xor_}, {"<<", ScalarOp::shl},
                                 {">>", ScalarOp::shr}};
  for (const Row& row : rows)
    if (row.text == op)
      return arithmetic(row.op == ScalarOp::mod && is_float(s) ? ScalarOp::rem : row.op, {atom(left), atom(right)}, s);
  PANIC("unknown operator `{}`", op);
}

// A scalar operation with the checks that the language demands.
Value Lowerer::arithmetic(ScalarOp op, std::vector<Atom> args, Scalar s) {
  std::vector<Var> checks;
  if (!is_float(s) && s != Scalar::Bool) {
    if (op == ScalarOp::div || op == ScalarOp::mod || op == ScalarOp::quot || op == ScalarOp::rem)
      checks.push_back(check(not_(eq(term(args[1]), b_->number(s, 0))), err::division_by_zero.text, {}));
    if (op == ScalarOp::pow && is_signed(s))
      checks.push_back(check(le(b_->number(s, 0), term(args[1])), err::negative_exponent.text, {}));
  }
  return checked_by(checks, [&] {
    std::vector<Term> terms;
    for (const Atom& a : args) terms.push_back(term(a));
    return dynamic(ir::apply(op, terms).atom);
  });
}

Atom Lowerer::equal_arrays(const Atom& left, const Atom& right) {
  std::vector<Dim> dims = shape(left);
  if (dims.empty()) return eq(term(left), term(right)).atom;
  Var a = *ir::var_of(left), b = *ir::var_of(with_shape(right, dims));
  std::vector<std::pair<std::string, ir::Type>> params = {{"x", ir::row_type(program_.type(a))}, {"y", ir::row_type(program_.type(b))}};
  ir::Screma s{dims[0], {a, b}, {}, {}, {}, {}, {}};
  s.pre = plain_lambda(params, [&](const std::vector<Atom>& xy) { return std::vector<Atom>{equal_arrays(xy[0], xy[1])}; });
  s.reduces.push_back(b_->combine(ScalarOp::and_, Scalar::Bool, 1));
  return b_->bind1("same", std::move(s));
}
Value Lowerer::equal(const Value& left, const Value& right) {
  std::vector<Atom> a = atoms(left), b = atoms(right);
  CHECK(a.size() == b.size(), "different structures are compared");
  Term same = term(bool_const(true));
  for (size_t i = 0; i < a.size(); i++) {
    Term one = term(equal_arrays(a[i], b[i]));
    same = i == 0 ? one : and_(same, one);
  }
  return dynamic(same.atom);
}

Value Lowerer::unary(const ast::Unary& u, Scope* scope) {
  Term x = term(eval(*u.operand, scope));
  return dynamic((u.op == ast::Unary::Op::Negate ? -x : not_(x)).atom);
}

// ---- Checks written by the user ----

namespace {
// Braces are holes in messages: text of the program must not look like one.
std::string without_holes(std::string text) {
  for (size_t i; (i = text.find("{}")) != std::string::npos;) text.replace(i, 2, "{ }");
  return text;
}
}  // namespace

// On one line: white space in source text is as good as a blank.
std::string Lowerer::quoted(Span span) const {
  std::string out;
  for (char c : checked_.sources.text(span)) {
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return without_holes(std::move(out));
}

Value Lowerer::assertion(const ast::Assert& a, Scope* scope) {
  Term cond = term(eval(*a.cond, scope));
  Var ok = check(cond, fill(err::assertion.text, {without_holes(ast::expression_on_one_line(checked_.sources.text(a.cond->span)))}), {});
  if (!ok.valid()) return eval(*a.body, scope);
  return guarded(checked_by({ok}, [&] { return eval(*a.body, scope); }), {ok});
}

Value Lowerer::hole(const ast::Expr& e, Scope* scope) {
  Var never = b_->bind1("c", ir::Assert{bool_const(false),
                                        program_.text(fill(err::reached_hole.text, {shown(e.type)})), {}});
  return guarded(blank({e.type, scope}), {never});
}

void Lowerer::breakpoint(Scope* scope) {
  Breakpoint here;
  std::vector<Atom> args;
  std::set<std::string> seen;
  for (Scope* s = scope; s && !s->global; s = s->parent) {
    std::vector<const Binding*> names;
    for (auto& [b, value] : s->values)
      if (b->name.valid() && (b->kind == Binding::Kind::Size || types_of_names_.contains(b))) names.push_back(b);
    std::sort(names.begin(), names.end(), [](const Binding* a, const Binding* b) { return a->id < b->id; });
    for (const Binding* b : names) {
      std::string name(text(b->name));
      if (!seen.insert(name).second) continue;
      Breakpoint::Local local{name, "i64", {}};
      if (b->kind == Binding::Kind::Size) {
        const Value& v = s->values.at(b);
        auto lazy = std::get_if<SizeIn>(&v);
        std::optional<Atom> n = lazy ? size(*lazy) : std::optional<Atom>(atom(v));
        if (!n) continue;
        local.layout.elem = Scalar::I64;
        local.layout.leaves = 1;
        args.push_back(*n);
      } else {
        TypeRef type = types_of_names_.at(b);
        local.layout = describe({type, s});
        if (local.layout.kind == Layout::Kind::Function) continue;
        local.type = shown(type);
        std::vector<Atom> parts = atoms(s->values.at(b));
        if (parts.size() != local.layout.leaves) continue;      // a function is among its parts
        args.insert(args.end(), parts.begin(), parts.end());
      }
      here.locals.push_back(std::move(local));
    }
  }
  b_->attrs.push_back({"break", {i64(options_.breakpoints->size())}});
  b_->bind1("stop", ir::Assert{bool_const(true), program_.text(""), std::move(args)});
  b_->attrs.pop_back();
  options_.breakpoints->push_back(std::move(here));
}

// A number that is v unless the user of the program sets it; it is asked for once. The least number says that it is not set.
Value Lowerer::tunable(std::string_view key, const Value& v) {
  Atom fallback = atom(v), unset = ir::const_of(fallback) ? fallback : Atom(i64_const(INT64_MIN));
  ir::Builder* saved = std::exchange(b_, &constants_builder_);
  Var set = b_->bind1("param", ir::Tunable{std::string(key), "custom", unset});
  b_ = saved;
  global_.insert(set);
  if (unset == fallback) return dynamic(set);
  return dynamic(ir::select({eq(term(set), term(unset)), term(fallback), term(set)}).atom);
}

Value Lowerer::attributed(const ast::Attributed& a, Scope* scope) {
  std::string_view n = text(a.attr.name);
  if (n == "unsafe") {
    bool saved = std::exchange(unsafe_, true);
    Value v = eval(*a.body, scope);
    unsafe_ = saved;
    return v;
  }
  if (n == "trace" || n == "opaque") {
    std::string word = n == "trace" && !a.attr.args.empty() ? std::string(text(a.attr.args[0].name)) : "";
    Value v = eval(*a.body, scope);
    b_->attrs.push_back({std::string(n), {}, word});
    Value r = map_leaves(v, [&](const Dynamic& d) -> Value {
      return Dynamic{b_->bind1(ir::var_of(d.atom) ? program_.hint(*ir::var_of(d.atom)) : "t", ir::Identity{d.atom}), d.borrowed};
    });
    b_->attrs.pop_back();
    return r;
  }
  if (n == "break" && options_.breakpoints) {
    Value v = eval(*a.body, scope);
    at(a.body->span);
    breakpoint(scope);
    return v;
  }
  if (n == "param" && a.attr.args.size() == 1 && a.attr.args[0].name.valid()) {
    Value v = eval(*a.body, scope);
    return is_prim({a.body->type, scope}) && prim({a.body->type, scope}) == Scalar::I64 ? tunable(text(a.attr.args[0].name), v) : v;
  }
  if (n == "noinline") {
    kept_ = a.body;
    return eval(*a.body, scope);
  }
  if (n == "stripmine" || n == "checkpoint" || n == "bound") {           // of a loop, and not of what is in it
    const ast::Expr* body = a.body;
    while (auto inner = std::get_if<ast::Attributed>(&body->node)) body = inner->body;
    if (!std::holds_alternative<ast::Loop>(body->node)) return eval(*a.body, scope);
    std::vector<int64_t> numbers;
    for (const ast::Attr& arg : a.attr.args) if (arg.is_integer) numbers.push_back(int64_t(arg.integer));
    loop_attrs_.push_back({std::string(n), numbers});
    return eval(*a.body, scope);
  }
  static constexpr std::string_view passed_on[] = {"sequential", "sequential_outer", "sequential_inner", "unroll", "warn",
                                                   "flattening", "incremental_flattening", "scratch", "blank", "distinct"};
  if (std::find(std::begin(passed_on), std::end(passed_on), n) == std::end(passed_on)) return eval(*a.body, scope);
  // The hint belongs to the loop or parallel operator that the body is; it is put on the statements made for it.
  ir::Attr hint{std::string(n), {}};
  for (const ast::Attr& arg : a.attr.args) {
    if (arg.is_integer) hint.args.push_back(int64_t(arg.integer));
    else hint.word += (hint.word.empty() ? "" : "_") + std::string(text(arg.name));
  }
  b_->attrs.push_back(std::move(hint));
  Value v = eval(*a.body, scope);
  b_->attrs.pop_back();
  return v;
}

// ---- Sums, arrays ----

size_t Lowerer::constructor_index(TypeIn sum, Name n) {
  const check::SumType& s = std::get<check::SumType>(head(sum));
  for (size_t i = 0; i < s.constrs.size(); i++)
    if (s.constrs[i].first == n) return i;
  PANIC("no constructor `{}`", text(n));
}

Value Lowerer::construct(const ast::Construct& c, const ast::Expr& e, Scope* scope) {
  TypeIn t = resolve({e.type, scope});
  size_t k = constructor_index(t, c.name);
  if (!first_order(t)) {
    auto choice = std::make_shared<Choice>(Choice{k, std::vector<Value>(c.args.size())});
    for (size_t i = c.args.size(); i-- > 0;) choice->payload[i] = eval(*c.args[i], scope);
    return choice;
  }
  const std::shared_ptr<const SumLayout> kept = layout(t);
  const SumLayout& l = *kept;
  std::vector<std::optional<Value>> slots(l.slots.size());
  for (size_t i = c.args.size(); i-- > 0;) {
    std::vector<Dynamic> parts;
    leaves(eval(*c.args[i], scope), parts);
    for (size_t j = 0; j < parts.size(); j++) slots[l.where[k][i][j]] = parts[j];
  }
  auto sum = std::make_shared<Sum>();
  if (l.tagged) sum->tag = dynamic(integer_constant(Scalar::I8, i64(k)));
  for (size_t i = 0; i < slots.size(); i++) {
    if (!slots[i]) {
      std::vector<Dim> dims;
      for (const SizeIn& s : l.slots[i].dims) dims.push_back(size(s).value_or(Atom(i64_const(0))));
      slots[i] = dynamic(b_->replicate(dims, raido::constant(l.slots[i].elem, 0)));
    }
    sum->slots.push_back(*slots[i]);
  }
  return sum;
}

Value Lowerer::array_literal(const ast::ArrayLit& a, const ast::Expr& e, Scope* scope) {
  TypeIn t = resolve({e.type, scope});
  TypeIn elem{std::get<check::ArrayType>(head(t)).elem, t.scope};
  if (a.elems.empty()) {
    std::vector<Leaf> all = leaves_of(elem);
    size_t next = 0;
    return build(elem, [&]() -> Value {
      const Leaf& leaf = all[next++];
      std::vector<Dim> dims = {i64_const(0)};
      for (const SizeIn& s : leaf.dims) {
        std::optional<Atom> n = size(s);
        dims.push_back(n.value_or(Atom(i64_const(0))));
      }
      return dynamic(b_->bind1("t", ir::Scratch{leaf.elem, dims}));
    });
  }
  std::vector<std::vector<Atom>> rows(a.elems.size());
  Value first;
  for (size_t i = 0; i < a.elems.size(); i++) {
    Value v = eval(*a.elems[i], scope);
    rows[i] = atoms(v);
    if (i == 0) first = v;
  }
  at(e);
  std::vector<Atom> arrays;
  for (size_t k = 0; k < rows[0].size(); k++) {
    std::vector<Dim> dims = shape(rows[0][k]);
    std::vector<Atom> column;
    bool constant = dims.empty();
    for (auto& row : rows) {
      column.push_back(with_shape(row[k], dims));
      constant = constant && ir::const_of(row[k]);
    }
    if (constant && column.size() > 64) {
      ir::DataArray data{ir::const_of(column[0])->type, {i64(column.size())}, {}};
      for (const Atom& x : column)
        data.bytes.append(reinterpret_cast<const char*>(&ir::const_of(x)->bits), size_t(bytes_of(data.elem)));
      program_.data.push_back(std::move(data));
      arrays.push_back(b_->bind1("t", ir::Data{{uint32_t(program_.data.size() - 1)}}));
    } else {
      arrays.push_back(b_->bind1("t", ir::ArrayLit{std::move(column)}));
    }
  }
  return rebuild(first, arrays);
}

Value Lowerer::iota(Term start, Term step, Atom count) {
  return dynamic(b_->bind1("is", ir::Iota{std::move(count), start.atom, step.atom}));
}

// x..<z, x..y..<z, x..>z, x..y..>z, x...z, x..y...z at any integer type. Differences of narrow types are exact as i64. Those of 64 bits may
// need one bit more: they are divided as u64, and a range of 2^63 elements is refused. Steps that are small constants need no such division.
Value Lowerer::range(const ast::Range& r, const ast::Expr& e, Scope* scope) {
  Scalar s = prim({r.first->type, scope});
  Value last_value = eval(*r.last, scope);
  std::optional<Value> second_value;
  if (r.second) second_value = eval(*r.second, scope);
  Term first = term(eval(*r.first, scope)), last = term(last_value);
  at(e);
  auto wide = [&](const Term& x) { return ir::convert(Scalar::I64, x); };
  Term zero = number(0), one = number(1), x = wide(first), z = wide(last);
  bool inclusive = r.kind == ast::Range::Kind::Inclusive, down = r.kind == ast::Range::Kind::DownTo;
  Term up_ok = le(first, last), down_ok = le(last, first), ok = down ? down_ok : up_ok, distance = down ? x - z : z - x, step = one;
  if (second_value) {
    Term second = term(*second_value), y = wide(second), up = lt(first, second);
    ok = inclusive ? ir::all_of({not_(eq(first, second)), ir::select({up, up_ok, down_ok})}) : and_(ok, down ? lt(second, first) : up);
    if (inclusive) distance = ir::select({up, distance, x - z});
    step = ir::select({up, y - x, x - y});
  }
  auto small = [](const Term& t, int64_t least) {
    const Const* c = ir::const_of(t.atom);
    return c && c->as_i64() >= least && c->as_i64() < 1 << 30;
  };
  bool unsigned_division = bytes_of(s) == 8 && !small(step, 1);
  Term count = distance;
  if (unsigned_division) {
    auto bits = [&](const Term& x) { return ir::convert(Scalar::U64, x); };
    Term n = bits(distance), divisor = ir::apply(ScalarOp::max, {bits(step), bits(one)});
    Term whole = ir::apply(ScalarOp::quot, {inclusive ? n : n - 1, divisor}) + 1;
    count = wide(inclusive ? whole : ir::select({eq(n, bits(zero)), bits(zero), whole}));
    ok = and_(ok, le(inclusive ? one : zero, count));
  } else if (bytes_of(s) == 8) {
    const Term& least = down ? z : x;
    bool exact = small(least, 0) && !(inclusive && second_value);
    if (!exact) ok = and_(ok, le(zero, distance));
    if (inclusive ? !exact || ir::is_const(least.atom, 0) : !ir::is_const(step.atom, 1))
      ok = and_(ok, le(zero, distance + (inclusive ? one : step - 1)));
  }
  const char* dots = inclusive ? "..." : down ? "..>" : "..<";
  std::string message = second_value ? fmt::format("Range {{}}..{{}}{}{{}} is invalid.", dots) : fmt::format("Range {{}}{}{{}} is invalid.", dots);
  std::vector<Atom> args = {first.atom};
  if (second_value) args.push_back(atom(*second_value));
  args.push_back(last.atom);
  Var proof = check(ok, message, args);
  return checked_by({proof}, [&] {
    if (!unsigned_division) {
      Term divisor = ir::is_const(step.atom, 1) ? one : ir::apply(ScalarOp::max, {step, one});
      count = ir::apply(ScalarOp::quot, {inclusive ? distance : distance + divisor - one, divisor});
      if (inclusive) count = count + 1;
    }
    // The size waits for the proof, too: it may be used where no element is. That of 0..<n stays n, which other arrays have, as with `iota`.
    if (!ir::is_const(x.atom, 0) || down || inclusive || second_value) count = b_->term(b_->bind1("n", ir::Identity{count.atom}));
    return iota(first, second_value ? term(*second_value) - first : b_->number(s, down ? -1 : 1), count.atom);
  });
}

}  // namespace raido::lower
