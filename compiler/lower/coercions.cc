// coercions.cc - `e :> t`: the shapes of all leaves are compared with those of the type, and have them from then on.
#include <fmt/format.h>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

Value Lowerer::coerce(const ast::Coerce& c, const ast::Expr& e, Scope* scope) {
  Value v = eval(*c.exp, scope);
  at(e);
  check_written(c.type, v);
  return coerced(v, {e.type, scope}, quoted(c.type->span));
}

// Checks the sizes of the arrays in v against t and gives them t's sizes.
Value Lowerer::coerced(const Value& v, TypeIn t, const std::string& type_text) {
  t = resolve(t);
  if (auto r = std::get_if<check::RecordType>(&head(t))) {
    std::vector<std::pair<Name, Value>> fields;
    for (size_t i = 0; i < r->fields.size(); i++)
      fields.emplace_back(r->fields[i].first, coerced(component(v, i), {r->fields[i].second, t.scope}, type_text));
    return product(std::move(fields));
  }
  if (auto choice = std::get_if<std::shared_ptr<const Choice>>(&v)) {
    auto out = std::make_shared<Choice>(**choice);
    auto& types = std::get<check::SumType>(head(t)).constrs[out->constructor].second;
    for (size_t i = 0; i < types.size(); i++) out->payload[i] = coerced(out->payload[i], {types[i], t.scope}, type_text);
    return out;
  }
  if (auto sum = std::get_if<std::shared_ptr<const Sum>>(&v); sum && std::holds_alternative<check::SumType>(head(t)))
    return coerced_sum(**sum, t, type_text);
  if (!std::holds_alternative<check::ArrayType>(head(t))) return v;
  std::vector<Leaf> parts = leaves_of(t);
  std::vector<Atom> all = atoms(v);
  std::vector<std::vector<Dim>> shapes;
  std::vector<Var> proofs;
  for (size_t i = 0; i < all.size(); i++) {
    // Leaves of one shape are checked once.
    size_t same = 0;
    while (same < i && (shape(all[same]) != shape(all[i]) || parts[same].dims.size() != parts[i].dims.size())) same++;
    if (same < i) shapes.push_back(shapes[same]);
    else {
      shapes.push_back(wanted_shape(all[i], parts[i]));
      proofs.push_back(check_fits(all[i], shapes[i], term(bool_const(true)), type_text));
    }
  }
  return checked_by(proofs, [&] {
    size_t next = 0;
    return map_leaves(v, [&](const Dynamic& d) -> Value { return Dynamic{with_shape(d.atom, shapes[next++]), d.borrowed}; });
  });
}

// Only the payload of the constructor that the value has is compared; the others become blank.
Value Lowerer::coerced_sum(const Sum& sum, TypeIn t, const std::string& type_text) {
  const std::shared_ptr<const SumLayout> kept = layout(t);
  const SumLayout& l = *kept;
  auto out = std::make_shared<Sum>(sum);
  for (size_t c = 0; c < l.where.size(); c++)
    for (auto& payload : l.where[c])
      for (size_t slot : payload) {
        Atom array = atom(sum.slots[slot]);
        std::vector<Dim> want = wanted_shape(array, l.slots[slot]);
        if (want == shape(array)) continue;
        Term active = l.tagged ? eq(term(atom(sum.tag)), term(integer_constant(Scalar::I8, i64(c)))) : term(bool_const(true));
        Var proof = check_fits(array, want, active, type_text);
        out->slots[slot] = checked_by({proof}, [&]() -> Value {
          if (!l.tagged) return dynamic(with_shape(array, want));
          return emit_if(active.atom, [&] { return dynamic(with_shape(array, want)); },
                         [&] { return dynamic(b_->replicate(want, raido::constant(l.slots[slot].elem, 0))); });
        });
      }
  return out;
}

// The shape of an array with the sizes of its type, as far as these are known.
std::vector<Dim> Lowerer::wanted_shape(const Atom& array, const Leaf& leaf) {
  std::vector<Dim> want = shape(array);
  for (size_t k = 0; k < leaf.dims.size(); k++) if (std::optional<Atom> n = size(leaf.dims[k])) want[k] = *n;
  return want;
}

// Fails where `when` holds and the shape of the array is another one.
Var Lowerer::check_fits(const Atom& array, const std::vector<Dim>& want, const Term& when, const std::string& type_text) {
  std::vector<Dim> have = shape(array);
  Term ok = term(bool_const(true));
  std::string shown;
  bool known = true;                                   // what the type asks for can be read in the message
  for (size_t k = 0; k < want.size(); k++) {
    if (want[k] != have[k]) ok = and_(ok, eq(term(have[k]), term(want[k])));
    shown += "[{}]";
    known &= !ir::var_of(want[k]);
  }
  if (!ir::const_of(when.atom)) ok = or_(not_(when), ok);
  std::vector<Atom> args(have.begin(), have.end());
  if (!known) args.insert(args.end(), want.begin(), want.end());
  return check(ok, fill(err::coercion.text, {shown, type_text, known ? "" : " Here that is " + shown + "."}), args);
}

}  // namespace raido::lower
