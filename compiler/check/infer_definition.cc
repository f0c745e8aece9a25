// infer_definition.cc - a whole definition: its type, defaults for numbers that nothing decides, generalisation, and the checks that
// need to know all types.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compiler/check/infer.h"
#include "compiler/syntax/children.h"

namespace raido::check {

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
  size_t before = errors_from_ = c.diags.error_count(), unknown = c.unknown_uses;
  TypeRef type = definition_type(def);
  if (!c.diags.has_errors()) default_visible(def, type);
  default_vars();
  generalise(def, type);
  check_literals();
  // After a mistake a type that was left open says nothing: only functions that are there count.
  bool broken = c.diags.error_count() != before || c.unknown_uses != unknown;
  check_equalities(def, broken);
  if (!broken) check_no_functions();
  check_indices();
  check_tunable();
  if (!broken) check_derivatives();
  for (ast::Expr* hole : holes_)
    if (!(is_intrinsic(def) && def.body == hole)) c.diags.report(hole->span, err::hole, c.show(zonk(hole->type)));
  return c.diags.error_count() == before && c.unknown_uses == unknown;
}

bool Infer::is_intrinsic(const ast::Def& def) const {
  return c.sources[def.span.file].builtin &&
         std::any_of(def.attrs.begin(), def.attrs.end(), [&](const ast::Attr& a) { return c.text(a.name) == "intrinsic"; });
}

// The type of the parameters and the body; much of it may still be open.
TypeRef Infer::definition_type(ast::Def& def) {
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
  bool intrinsic = is_intrinsic(def);
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
    explain(c.diags.report(ast::result_of(def.body)->span, err::body_type, quoted_type(result), quoted_type(body))
                .help(conversion(body, result, def.body)));
  c.restore(mark);
  current_ = nullptr;
  return type;
}

// What is visible in the type is worth a word when it is defaulted, unless it may follow from a mistake. One warning tells all
// of them: what to write is a type at the name.
void Infer::default_visible(const ast::Def& def, TypeRef type) {
  std::optional<Diagnostics::Draft> told;
  visit_type(types, zonk(type), [&](TypeRef t) {
    auto* v = types.as<VarType>(t);
    if (!v || vars_[v->var].kind != TypeVar::Kind::Overloaded || vars_[v->var].link.valid()) return;
    TypeVar& open = vars_[v->var];
    Prim choice = default_of(open.set);
    open.link = types.prim(choice);
    if (open.set == bit(choice)) return;
    if (!told) told.emplace(c.diags.report(def.name_span, err::defaulted, prim_name(choice)));
    told->label(open.origin, fmt::format("this becomes `{}`", prim_name(choice)));
  }, [](SizeRef) {});
}

void Infer::generalise(const ast::Def& def, TypeRef type) {
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
}

void Infer::check_literals() {
  for (auto [e, negated] : literals_) {
    auto& l = std::get<ast::Literal>(e->node);
    auto* p = types.as<PrimType>(zonk(e->type));
    if (p && !l.has_suffix && !fits(l, p->prim, negated))
      c.diags.report(e->span, err::literal_range, (negated ? "-" : "") + std::string(c.sources.text(e->span)), prim_name(p->prim))
          .help(l.kind == ast::Literal::Kind::Int && p->prim == Prim::I32 && fits(l, Prim::I64, negated) ? fmt::format("an `i64` holds it: `{}i64`", c.sources.text(e->span)) : "");
  }
  for (auto& [l, at] : pattern_literals_) {
    auto* p = types.as<PrimType>(zonk(at.first));
    if (p && !l->literal.has_suffix && !fits(l->literal, p->prim, l->negative)) c.diags.report(at.second, err::literal_range, c.sources.text(at.second), prim_name(p->prim));
  }
}

void Infer::check_equalities(const ast::Def& def, bool broken) {
  // The other type parameters are letters for what was left open.
  auto written = [&](TypeId id) {
    return std::find(generalised.begin(), generalised.end(), id) == generalised.end() ||
           std::any_of(def.tparams.begin(), def.tparams.end(), [&](const ast::TypeParam& p) { return p.type == id; });
  };
  for (auto& [e, operand] : equalities_) {
    TypeRef t = zonk(operand);
    bool bad = false, array = false, unwritten = false;
    visit_type(types, t, [&](TypeRef x) {
      auto* named = types.as<NamedType>(x);
      bad |= types.as<FunType>(x) || (named && !broken);
      array |= types.as<ArrayType>(x) != nullptr;
      unwritten |= named && !written(named->decl);
    }, [](SizeRef) {});
    if (bad) c.diags.report(e->span, err::no_equality, c.show(t))
        .help(unwritten ? "nothing says which type is compared: write it at a parameter, as in `(x: i32)`" : "");
    else if (array) c.diags.report(e->span, err::array_equality);
  }
}

void Infer::check_no_functions() {
  for (auto& [t, at] : no_functions_) {
    TypeRef z = zonk(t);
    if (c.has_function(z)) c.diags.report(at.first, *at.second, c.show(z));
  }
}

// The index of a loop has the type of its bound, which may be too narrow for what is meant.
void Infer::check_indices() {
  for (const ast::Loop* l : counted_) {
    auto* p = types.as<PrimType>(zonk(l->bound->type));
    if (!p || !is_integer(p->prim) || (unsigned(p->prim) % 4) >= 2) continue;
    unsigned bits = 8u << (unsigned(p->prim) % 4);
    c.diags.report(l->index->span, err::narrow_index, prim_name(p->prim), std::to_string((1 << (is_signed(p->prim) ? bits - 1 : bits)) - 1))
        .label(l->bound->span, "its type is that of the bound");
  }
}

// #[param(name)] is for numbers of type i64. An abstract type may be that in the end.
void Infer::check_tunable() {
  for (const ast::Attributed* a : tunable_) {
    TypeRef t = zonk(a->body->type);
    auto* p = types.as<PrimType>(t);
    bool named = a->attr.args.size() == 1 && a->attr.args[0].name.valid();
    if (!named) c.diags.report(a->attr.span, err::idle_param, "it takes one name");
    else if (p ? p->prim != Prim::I64 : !types.as<NamedType>(t) && !types.is_error(t))
      c.diags.report(a->attr.span, err::idle_param, "it is for numbers of type i64").label(a->body->span, "this has type " + c.show(t));
  }
}

// A derivative among integers alone is rarely meant.
void Infer::check_derivatives() {
  for (ast::Expr* e : derivatives_) {
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
}

}  // namespace raido::check
