// patterns.cc - binding of patterns, and `match` as a chain of `if`s on tests of the value's form.
#include <fmt/format.h>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

void Lowerer::bind_pattern(const ast::Pat& p, const Value& v, Scope* scope) {
  if (p.type.valid() && !std::holds_alternative<check::PrimType>(checked_.result.types[p.type])) {
    bind_sizes({p.type, scope}, v, scope);
    check_shape({p.type, scope}, v, p.span);
  }
  match(p.node,
        [&](const ast::PVar& x) {
          scope->values[x.var] = v;
          if (options_.breakpoints) types_of_names_[x.var] = p.type;
          auto d = std::get_if<Dynamic>(&v);
          const Var* var = d ? ir::var_of(d->atom) : nullptr;
          if (var && (program_.hint(*var) == "t" || program_.hint(*var) == "x")) program_.vars[var->index].hint = text(x.var->name);
        },
        [&](const ast::PWild&) {},
        [&](const ast::PTuple& x) {
          for (size_t i = 0; i < x.parts.size(); i++) bind_pattern(*x.parts[i], component(v, i), scope);
        },
        [&](const ast::PRecord& x) {
          for (const ast::PField& f : x.fields) bind_pattern(*f.pat, field(v, f.name), scope);
        },
        [&](const ast::PLiteral&) {},
        [&](const ast::PConstr& x) {
          TypeIn sum = resolve({p.type, scope});
          size_t k = constructor_index(sum, x.name);
          for (size_t i = 0; i < x.args.size(); i++) bind_pattern(*x.args[i], payload(sum, v, k, i), scope);
        },
        [&](const ast::PAscribe& x) {
          bind_sizes({x.type->type, scope}, v, scope);
          check_written(x.type, v);
          bind_pattern(*x.pat, v, scope);
        },
        [&](const ast::PAttr& x) {
          if (loop_state_ && text(x.attr.name) == "true_dep")        // the one attribute of a pattern that is kept
            for (const Atom& a : atoms(v)) {
              auto var = ir::var_of(a);
              if (!var) continue;
              program_.vars[var->index].attrs.push_back({"true_dep", {}});
              if (auto name = std::get_if<ast::PVar>(&x.pat->node)) program_.vars[var->index].hint = text(name->var->name);
            }
          bind_pattern(*x.pat, v, scope);
        });
}

Value Lowerer::payload(TypeIn sum, const Value& v, size_t constructor, size_t i) {
  if (auto choice = std::get_if<std::shared_ptr<const Choice>>(&v)) return (*choice)->payload.at(i);
  const std::shared_ptr<const SumLayout> kept = layout(sum);
  const SumLayout& l = *kept;
  const check::SumType& type = std::get<check::SumType>(head(sum));
  auto s = std::get_if<std::shared_ptr<const Sum>>(&v);
  CHECK(s, "a payload of what is no sum");
  size_t next = 0;
  return build({type.constrs[constructor].second[i], sum.scope},
               [&] { return (*s)->slots.at(l.where[constructor][i][next++]); });
}

Term Lowerer::test(const ast::Pat& p, const Value& v, Scope* scope) {
  Term yes = term(bool_const(true));
  auto all = [&](const Term& a, const Term& b) {
    auto c = ir::const_of(a.atom);
    return c && c->bits ? b : and_(a, b);
  };
  return match(p.node,
      [&](const ast::PTuple& x) {
        Term t = yes;
        for (size_t i = 0; i < x.parts.size(); i++) t = all(t, test(*x.parts[i], component(v, i), scope));
        return t;
      },
      [&](const ast::PRecord& x) {
        Term t = yes;
        for (const ast::PField& f : x.fields) t = all(t, test(*f.pat, field(v, f.name), scope));
        return t;
      },
      [&](const ast::PLiteral& x) {
        Term wanted = term(literal(x.literal, {p.type, scope}));
        return eq(term(v), x.negative ? -wanted : wanted);
      },
      [&](const ast::PConstr& x) {
        TypeIn sum = resolve({p.type, scope});
        size_t k = constructor_index(sum, x.name);
        auto choice = std::get_if<std::shared_ptr<const Choice>>(&v);
        if (choice && (*choice)->constructor != k) return term(bool_const(false));
        auto s = std::get_if<std::shared_ptr<const Sum>>(&v);
        CHECK(s || choice, "a constructor pattern on what is no sum");
        Term t = yes;
        if (s && !std::holds_alternative<std::monostate>((*s)->tag))
          t = eq(term((*s)->tag), term(integer_constant(Scalar::I8, i64(k))));
        for (size_t i = 0; i < x.args.size(); i++) t = all(t, test(*x.args[i], payload(sum, v, k, i), scope));
        return t;
      },
      [&](const ast::PAscribe& x) { return test(*x.pat, v, scope); },
      [&](const ast::PAttr& x) { return test(*x.pat, v, scope); },
      [&](const auto&) { return yes; });
}

Value Lowerer::match_cases(const ast::Match& m, const Value& on, size_t from, Scope* scope) {
  const ast::Case& c = m.cases[from];
  auto take = [&] {
    Scope* inner = new_scope(scope);
    bind_pattern(*c.pat, on, inner);
    return eval(*c.body, inner);
  };
  if (from + 1 == m.cases.size()) return take();   // the checker proved that the cases cover everything
  Term cond = test(*c.pat, on, scope);
  return emit_if(cond.atom, take, [&] { return match_cases(m, on, from + 1, scope); });
}

}  // namespace raido::lower
