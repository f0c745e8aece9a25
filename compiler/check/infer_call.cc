// infer_call.cc - types of names, operators and applications. What an argument should have been is explained where it stands.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/small_vector.h"
#include "compiler/check/infer.h"
#include "compiler/source/habits.h"

namespace raido::check {

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
  auto* v = types.as<VarType>(resolved(left));
  if (!l || !r) return v && vars_[v->var].kind == TypeVar::Kind::Overloaded && vars_[v->var].set == floats;
  auto weight = [](Prim p) { return is_float(p) ? 10 + int(p) : int(p) % 4; };
  return weight(l->prim) >= weight(r->prim);
}

// `l`: the type of the left operand.
TypeRef Infer::operator_(ast::Expr* e, ast::Operator& o, TypeRef l) {
  auto& path = std::get<ast::Ref>(o.op->node).path;
  size_t mark = c.diags.mark();
  TypeRef r = infer(o.right);
  auto found = c.terms.find(path.names[0]);
  bool maybe_builtin = path.names.size() == 1 && found && found->root && found->root->kind == Binding::Kind::Builtin;
  std::string_view between = c.sources.text({e->span.file, o.left->span.end, o.right->span.begin});
  auto* function = maybe_builtin ? types.as<FunType>(resolved(l)) : nullptr;
  auto mistaken = [&](std::string help) {
    c.diags.rollback(mark);
    c.diags.report(e->span, err::bad_operand, c.text(path.names[0]), unsized_show(l)).help(help);
    return types.error();
  };
  if (function && between.starts_with(" ") && between.ends_with("-")) {
    // `f -x` is a difference for the language, but hardly for who wrote it.
    auto* call = std::get_if<ast::Apply>(&o.right->node);
    return mistaken(fmt::format("a negative argument has parentheses: `(-{})`", source(call ? call->fun : o.right)));
  }
  if (function && types.as<FunType>(resolved(function->param)))
    return mistaken(fmt::format("an operator that is an argument has parentheses: `{} ({})`", source(o.left), c.text(path.names[0])));
  if (!maybe_builtin) {
    TypeRef f = infer(o.op);
    if (!is_builtin(o.op)) {
      std::string name = c.shown(path);
      size_t before = c.diags.error_count();
      f = apply_one(f, name, 0, l, o.left, e->span);
      if (c.diags.error_count() != before) return types.error();
      bool known = !types.is_error(resolved(l)) && !types.is_error(f);   // else what the operator is may follow from a mistake
      if (known) return apply_one(f, name, 1, r, o.right, e->span);
      unify(r, types.error());
      return types.error();
    }
  }
  if (maybe_builtin) path.root = found->root;
  std::string_view op = c.text(path.names.back());
  clear_why();
  if (!unify(l, r)) {
    explain(c.diags.report(e->span, err::mixed_operands, op, source(o.right), shown(l), shown(r))
        .label(o.left->span, unsized_show(l)).label(o.right->span, unsized_show(r))
        .help(wider(l, r) || types.as<FunType>(resolved(r)) ? conversion(r, l, o.right) : conversion(l, r, o.left)));
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

// `f(a, b)` is f of a pair. Where f takes these as arguments, that was meant.
std::string Infer::listed_arguments(TypeRef fun, std::string_view fun_text, const ast::Expr* arg) const {
  auto* tuple = arg ? std::get_if<ast::Tuple>(&arg->node) : nullptr;
  if (!tuple || tuple->parts.empty()) return "";
  std::string call(fun_text);
  for (const ast::Expr* part : tuple->parts) {
    auto* f = types.as<FunType>(resolved(fun));
    if (!f || types.as<RecordType>(resolved(f->param))) return "";
    std::string text = source(part);
    bool atom = std::get_if<ast::Ref>(&part->node) || std::get_if<ast::Literal>(&part->node) || std::get_if<ast::ArrayLit>(&part->node) || text[0] == '(';
    call += atom ? " " + text : " (" + text + ")";
    fun = f->result;
  }
  return fmt::format("arguments stand side by side: `{}`", call);
}

int Infer::arity(TypeRef t) const {
  int n = 0;
  for (t = resolved(t); auto* f = types.as<FunType>(t); t = resolved(f->result)) n++;
  return n;
}

// Of a function that is an argument: does it take as many arguments as it will be given?
std::string Infer::other_count(std::string_view fun_text, int given, TypeRef arg, const ast::Expr* arg_exp) const {
  int takes = arity(arg);
  if (!arg_exp || given == 0 || takes == 0 || given == takes || source(arg_exp).size() > 40) return "";
  return fmt::format("`{}` takes {} argument{}, and `{}` gives it {}", source(arg_exp), takes, takes == 1 ? "" : "s", fun_text, given);
}

// Is it of the kind of the next parameter, and not of this one, then one before it was left out: the neutral element of a reduction.
std::string Infer::left_out(std::string_view fun_text, const FunType& fun, size_t index, TypeRef arg, const ast::Expr* arg_exp) const {
  auto* next = types.as<FunType>(resolved(fun.result));
  auto is_array = [&](TypeRef t) { return types.as<ArrayType>(resolved(t)) != nullptr; };
  if (!next || !arg_exp || is_array(fun.param) || !is_array(arg) || !is_array(next->param)) return "";
  size_t takes = index + 1 + size_t(arity(fun.result));
  return fmt::format("`{}` takes {} arguments: one before `{}` was left out", fun_text, takes, source(arg_exp));
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
    int given = arity(param);
    clear_why();
    if (!unify(param, arg)) {
      auto draft = c.diags.report(arg_exp ? arg_exp->span : at, err::cannot_apply, fun_text, arg_exp ? source(arg_exp) : "its argument",
                                  quoted_type(param), quoted_type(arg));
      explain(draft);
      if (why_.code.empty() && fixed_by_use(fun_exp, index)) {
        draft.because(reason(err::one_type_only, fun_text));
        draft.help(fmt::format("give it a type parameter: `let {} 'a (x: a) = ...`", fun_text));
      }
      else if (std::string chosen = chosen_type(fun_exp, index, arg); !chosen.empty()) draft.help(chosen);
      else if (std::string list = listed_arguments(fun, fun_text, arg_exp); !list.empty()) draft.help(list);
      else if (std::string counts = other_count(fun_text, given, arg, arg_exp); !counts.empty()) draft.help(counts);
      else if (std::string lacks = left_out(fun_text, *f, index, arg, arg_exp); !lacks.empty()) draft.help(lacks);
      else if (arg_exp && arg_exp == range_argument_.first) draft.help(fmt::format("a range that is an argument has parentheses: `({})`", range_argument_.second));
      else if (arg_exp) draft.help(conversion(arg, param, arg_exp));
    }
    return result;
  }
  if (types.as<VarType>(fun)) {
    TypeRef result = fresh(at);
    clear_why();
    if (!unify(fun, types.fun(arg, result))) {
      explain(c.diags.report(at, err::cannot_apply, fun_text, arg_exp ? source(arg_exp) : "its argument", quoted_type(fun), quoted_type(arg)));
      return types.error();
    }
    return result;
  }
  if (arg_exp && c.diags.has(err::unknown_name.code, arg_exp->span)) return types.error();
  bool indexed = arg_exp && types.as<ArrayType>(fun) && std::holds_alternative<ast::ArrayLit>(arg_exp->node);
  std::string array(fun_text);
  if (array.starts_with('"')) array = "(" + array + ")";
  std::string shown = fmt::format("{}{}", array, arg_exp ? source(arg_exp) : "");
  std::string help = indexed ? fmt::format("an index stands directly after the array: `{}`", shown.find(" ...") == std::string::npos ? shown : "xs[i]")
                             : std::string(arg_exp ? habit(source(arg_exp)) : "");
  if (index == 0) c.diags.report(at, err::not_a_function, fun_text, unsized_show(fun)).help(help);
  else c.diags.report(at, err::too_many_arguments, fun_text, std::to_string(index)).help(help);
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

}  // namespace raido::check
