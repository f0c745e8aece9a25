// shapes.cc - Options::check_shapes: is the shape of every value what its type says?
//
// The checker proves that sizes are equal, and the rest of the compiler believes it. A value keeps the shape it has, and its type
// is read where somebody asks for a size. With this option every expression and every pattern gets an assertion that compares the
// two. It does so as far as the sizes of the type can be computed at that point. So a size that was assumed and neither proved
// nor checked stops the interpreter, at the first value that shows it.
#include <fmt/format.h>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

// Conjoins to `fits` that the sizes of t are those of v; `depth`: how many dimensions of v's leaves lie outside of t.
void Lowerer::compare_shape(TypeIn t, const Value& v, size_t depth, Term& fits) {
  if (auto d = std::get_if<Dynamic>(&v); d && is_accumulator(d->atom)) return;
  auto own_sizes = [&] {                       // of a type that has some: they are this value's
    TypeIn body = resolve(t);
    Scope* scope = new_scope(body.scope);
    bind_sizes({body.type, scope}, v, scope, depth);
    compare_shape({body.type, scope}, v, depth, fits);
  };
  match(head(t),
        [&](const check::UniqueType& u) { compare_shape({u.inner, t.scope}, v, depth, fits); },
        [&](const check::ExistsType&) { own_sizes(); },
        [&](const check::NamedType&) { own_sizes(); },
        [&](const check::ArrayType& a) {
          std::vector<Atom> leaves = atoms(v);
          std::optional<Atom> n = size({a.size, t.scope});
          // What a type parameter stands for has sizes of the caller, which a function that is called does not know.
          bool foreign = n && ir::var_of(*n) && ir::var_of(*n)->index < first_own_ && !global_.contains(*ir::var_of(*n));
          if (foreign) return compare_shape({a.elem, t.scope}, v, depth + 1, fits);
          auto name = std::get_if<check::NameSize>(&checked_.result.types[a.size]);
          CHECK(n || !name || (name->name->kind != Binding::Kind::Value && name->name->kind != Binding::Kind::Size),
                "the size `{}` has no value where a value has the type {}", text(name->name->name), shown(t.type));
          for (const Atom& leaf : leaves)
            if (n && shape(leaf).at(depth) != *n) fits = and_(fits, eq(term(shape(leaf)[depth]), term(*n)));
          compare_shape({a.elem, t.scope}, v, depth + 1, fits);
        },
        [&](const check::RecordType& r) {
          for (size_t i = 0; i < r.fields.size(); i++) compare_shape({r.fields[i].second, t.scope}, component(v, i), depth, fits);
        },
        [&](const check::SumType& s) {
          auto choice = std::get_if<std::shared_ptr<const Choice>>(&v);
          for (size_t c = 0; c < s.constrs.size(); c++)
            for (size_t i = 0; i < s.constrs[c].second.size() && (!choice || (*choice)->constructor == c); i++)
              compare_shape({s.constrs[c].second[i], t.scope}, payload(t, v, c, i), depth, fits);
        },
        [](const auto&) {});
}

// The shape of `v`, which is the value of `what`, against its type.
void Lowerer::check_shape(TypeIn t, const Value& v, Span what) {
  if (!options_.check_shapes || std::exchange(checking_shape_, true)) return;
  Term fits = term(bool_const(true));
  compare_shape(t, v, 0, fits);
  checking_shape_ = false;
  assert_shape(fits, fmt::format("`{}` has the type {}", quoted(what), shown(t.type)), atoms(v));
}

// ---- Types as written ----

// What the parameters of an abbreviation stand for in a value: the sizes, and the shapes below some depth.
struct Lowerer::Arguments {
  std::unordered_map<const Binding*, Dim> sizes;
  std::unordered_map<TypeId, std::vector<Dim>> shapes;
};

// Each argument of an abbreviation is one thing, even if it is `[]` and the abbreviation uses it twice.
void Lowerer::compare_arguments(TypeRef t, const Value& v, size_t depth, Arguments& known, Term& fits) {
  auto same = [&](const Dim& a, const Dim& b) { if (a != b) fits = and_(fits, eq(term(a), term(b))); };
  match(checked_.result.types[t],
        [&](const check::UniqueType& u) { compare_arguments(u.inner, v, depth, known, fits); },
        [&](const check::ExistsType& e) { compare_arguments(e.body, v, depth, known, fits); },
        [&](const check::NamedType& n) {
          std::vector<Dim> below;
          for (const Atom& leaf : atoms(v)) {
            std::vector<Dim> dims = shape(leaf);
            below.insert(below.end(), dims.begin() + ptrdiff_t(depth), dims.end());
          }
          auto [it, fresh] = known.shapes.try_emplace(n.decl, below);
          for (size_t i = 0; !fresh && i < below.size() && i < it->second.size(); i++) same(below[i], it->second[i]);
        },
        [&](const check::ArrayType& a) {
          std::vector<Atom> leaves = atoms(v);
          auto name = std::get_if<check::NameSize>(&checked_.result.types[a.size]);
          if (name && !leaves.empty()) same(shape(leaves[0]).at(depth), known.sizes.try_emplace(name->name, shape(leaves[0])[depth]).first->second);
          compare_arguments(a.elem, v, depth + 1, known, fits);
        },
        [&](const check::RecordType& r) {
          for (size_t i = 0; i < r.fields.size(); i++) compare_arguments(r.fields[i].second, component(v, i), depth, known, fits);
        },
        [](const auto&) {});
}

void Lowerer::compare_written(const ast::TypeExpr& t, const Value& v, size_t depth, Term& fits) {
  match(t.node,
        [&](const ast::TUnique& u) { compare_written(*u.inner, v, depth, fits); },
        [&](const ast::TExists& e) { compare_written(*e.body, v, depth, fits); },
        [&](const ast::TArray& a) { compare_written(*a.elem, v, depth + 1, fits); },
        [&](const ast::TRecord& r) { for (auto& [n, field_type] : r.fields) compare_written(*field_type, field(v, n), depth, fits); },
        [&](const ast::TName& n) {
          auto def = type_defs_.find({n.definition.file, n.definition.begin});
          if (n.args.empty() || def == type_defs_.end()) return;
          Arguments known;
          compare_arguments(def->second->type, v, depth, known, fits);
        },
        [](const auto&) {});
}

// The shape of `v` against a written type: what Expr::type and Pat::type, where abbreviations are expanded, do not say any more.
void Lowerer::check_written(const ast::TypeExpr* t, const Value& v) {
  if (!options_.check_shapes || !t) return;
  Term fits = term(bool_const(true));
  compare_written(*t, v, 0, fits);
  assert_shape(fits, fmt::format("a value has the type {}", quoted(t->span)), atoms(v));
}

void Lowerer::assert_shape(const Term& fits, const std::string& claim, const std::vector<Atom>& leaves) {
  if (auto c = ir::const_of(fits.atom); c && c->bits) return;
  std::string shown;
  std::vector<Atom> args;
  for (const Atom& leaf : leaves) {
    shown += shown.empty() ? "" : ", ";
    for (const Dim& d : shape(leaf)) shown += "[{}]", args.push_back(d);
  }
  std::string message = fmt::format("internal error: {}, but its shape is {}", claim, shown);
  b_->bind1("c", ir::Assert{fits.atom, program_.text(message), std::move(args)});
}

}  // namespace raido::lower
