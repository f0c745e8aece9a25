// values.cc - values as lists of leaves and back; joining the branches of an `if`; lambdas of parallel operators.
//
// The types of core arrays mention core variables. Two variables that are equal at run time (the checker proved it)
// may differ here. The function with_shape settles that by a reshape, which costs nothing. A size that is born inside a
// branch becomes a result of the branch. A size that is born inside the lambda of a map is computed again outside.
#include <algorithm>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

void Lowerer::leaves(const Value& v, std::vector<Dynamic>& out) const {
  match(v,
        [&](const Dynamic& d) { out.push_back(d); },
        [&](const std::shared_ptr<const Product>& p) {
          for (auto& [n, f] : p->fields) leaves(f, out);
        },
        [&](const std::shared_ptr<const Sum>& s) {
          leaves(s->tag, out);
          for (const Value& x : s->slots) leaves(x, out);
        },
        [&](const std::shared_ptr<const Choice>& c) {
          for (const Value& x : c->payload) leaves(x, out);
        },
        [&](const auto&) {});
}
std::vector<Atom> Lowerer::atoms(const Value& v) const {
  std::vector<Dynamic> all;
  leaves(v, all);
  std::vector<Atom> out;
  for (Dynamic& d : all) out.push_back(std::move(d.atom));
  return out;
}

Value Lowerer::map_leaves(const Value& v, const std::function<Value(const Dynamic&)>& f,
                          const std::function<Value(const Closure&)>& function) const {
  return match(v,
      [&](const Dynamic& d) { return f(d); },
      [&](const std::shared_ptr<const Product>& p) {
        std::vector<std::pair<Name, Value>> fields;
        for (auto& [n, x] : p->fields) fields.emplace_back(n, map_leaves(x, f, function));
        return product(std::move(fields));
      },
      [&](const std::shared_ptr<const Sum>& s) -> Value {
        auto sum = std::make_shared<Sum>();
        sum->tag = map_leaves(s->tag, f, function);
        for (const Value& x : s->slots) sum->slots.push_back(map_leaves(x, f, function));
        return sum;
      },
      [&](const std::shared_ptr<const Choice>& c) -> Value {
        auto choice = std::make_shared<Choice>(*c);
        for (Value& x : choice->payload) x = map_leaves(Value(x), f, function);
        return choice;
      },
      [&](const std::shared_ptr<const Closure>& c) -> Value { return function ? function(*c) : Value(c); },
      [&](const auto& other) -> Value { return other; });
}
Value Lowerer::rebuild(const Value& like, const std::vector<Atom>& atoms) const {
  size_t next = 0;
  return map_leaves(like, [&](const Dynamic&) { return dynamic(atoms.at(next++)); });
}

// A record without fields is `false`: so an array of such has a length.
Value Lowerer::product(std::vector<std::pair<Name, Value>> fields) const {
  if (fields.empty()) return dynamic(bool_const(false));
  return std::make_shared<const Product>(Product{std::move(fields)});
}
Value Lowerer::tuple(std::vector<Value> parts) {
  std::vector<std::pair<Name, Value>> fields;
  for (size_t i = 0; i < parts.size(); i++) fields.emplace_back(name(std::to_string(i)), std::move(parts[i]));
  return product(std::move(fields));
}
Value Lowerer::field(const Value& v, Name f) const {
  auto p = std::get_if<std::shared_ptr<const Product>>(&v);
  CHECK(p, "`{}` of what is no record", text(f));
  for (auto& [n, x] : (*p)->fields)
    if (n == f) return x;
  PANIC("no field `{}`", text(f));
}
Value Lowerer::component(const Value& v, size_t i) const {
  auto p = std::get_if<std::shared_ptr<const Product>>(&v);
  CHECK(p && i < (*p)->fields.size(), "component {} of what is no such tuple", i);
  return (*p)->fields[i].second;
}
Atom Lowerer::atom(const Value& v) const {
  auto d = std::get_if<Dynamic>(&v);
  CHECK(d, "a scalar or an array was expected");
  return d->atom;
}
Var Lowerer::array(const Value& v) const {
  const Var* x = ir::var_of(std::get<Dynamic>(v).atom);
  CHECK(x, "an array was expected");
  return *x;
}

Atom Lowerer::outer_size(const Value& v) const { return shape(atoms(v).at(0)).at(0); }

// Made before `mark`, so in scope where the counter of variables stood there.
bool Lowerer::visible(const Atom& a, uint32_t mark) const {
  const Var* v = ir::var_of(a);
  return !v || v->index < mark || global_.contains(*v);
}

Atom Lowerer::with_shape(const Atom& a, const std::vector<Dim>& wanted) {
  std::vector<Dim> have = shape(a);
  if (wanted.empty() || have == wanted) return a;
  if (options_.check_shapes) {
    Term fits = term(bool_const(true));
    for (size_t i = 0; i < wanted.size(); i++) if (have[i] != wanted[i]) fits = and_(fits, eq(term(have[i]), term(wanted[i])));
    assert_shape(fits, "an array takes the shape that the types around it give", {a});
  }
  return b_->bind1(program_.hint(*ir::var_of(a)), ir::Reshape{*ir::var_of(a), wanted});
}
Value Lowerer::with_outer(const Value& v, const Dim& n) {
  return map_leaves(v, [&](const Dynamic& d) -> Value {
    std::vector<Dim> dims = shape(d.atom);
    dims.at(0) = n;
    return Dynamic{with_shape(d.atom, dims), d.borrowed};
  });
}
Value Lowerer::owned(const Value& v) {
  return map_leaves(v, [&](const Dynamic& d) -> Value {
    if (!d.borrowed || !ir::is_array(program_.type(d.atom))) return Dynamic{d.atom, false};
    return dynamic(b_->copy(*ir::var_of(d.atom)));
  });
}

// What was computed before gets a new name after the check; a function keeps the proofs for its calls.
Value Lowerer::guarded(const Value& v, const std::vector<Var>& checks) {
  if (checks.empty()) return v;
  return checked_by(checks, [&] {
    return map_leaves(v,
        [&](const Dynamic& d) -> Value {
          return Dynamic{b_->bind1(ir::var_of(d.atom) ? program_.hint(*ir::var_of(d.atom)) : "t", ir::Identity{d.atom}), d.borrowed};
        },
        [&](const Closure& c) -> Value {
          auto closure = std::make_shared<Closure>(c);
          closure->checks.insert(closure->checks.end(), checks.begin(), checks.end());
          return closure;
        });
  });
}

Value Lowerer::emit_if(const Atom& cond, const std::function<Value()>& then_, const std::function<Value()>& else_) {
  if (auto c = ir::const_of(cond)) return c->bits ? then_() : else_();
  uint32_t mark = uint32_t(program_.vars.size());
  Value left, right;
  ir::If stm{cond, {}, {}};
  stm.then_ = b_->body([&] { left = owned(then_()); return std::vector<Atom>{}; });
  stm.else_ = b_->body([&] { right = owned(else_()); return std::vector<Atom>{}; });
  std::vector<Atom> a = atoms(left), b = atoms(right);
  CHECK(a.size() == b.size(), "the branches of an `if` have different structures");
  std::vector<Atom> sizes_a, sizes_b, leaves_a, leaves_b;
  std::vector<std::optional<Atom>> same(a.size());
  for (size_t i = 0; i < a.size(); i++) {
    if (a[i] == b[i] && visible(a[i], mark)) {
      same[i] = a[i];
      continue;
    }
    std::vector<Dim> da = shape(a[i]), db = shape(b[i]);
    for (size_t d = 0; d < da.size(); d++) {
      if (da[d] == db[d] && visible(da[d], mark)) continue;
      bool listed = false;
      for (size_t k = 0; k < sizes_a.size(); k++) listed = listed || (sizes_a[k] == da[d] && sizes_b[k] == db[d]);
      if (!listed) sizes_a.push_back(da[d]), sizes_b.push_back(db[d]);
    }
    leaves_a.push_back(a[i]), leaves_b.push_back(b[i]);
  }
  size_t sizes = sizes_a.size();
  for (size_t i = 0; i < leaves_a.size(); i++) sizes_a.push_back(leaves_a[i]), sizes_b.push_back(leaves_b[i]);
  std::vector<Var> vars;
  if (!sizes_a.empty()) {
    std::vector<std::string> hints;
    for (const Atom& x : sizes_a) hints.push_back(ir::var_of(x) ? program_.hint(*ir::var_of(x)) : "t");
    stm.then_.result = std::move(sizes_a);
    stm.else_.result = std::move(sizes_b);
    vars = b_->bind(hints, std::move(stm));
  }
  size_t i = 0, next = sizes;
  return map_leaves(left, [&](const Dynamic&) {
    std::optional<Atom>& s = same[i++];
    return dynamic(s ? *s : Atom(vars.at(next++)));
  });
}

ir::Lambda Lowerer::plain_lambda(const std::vector<std::pair<std::string, ir::Type>>& params,
                                 const std::function<std::vector<Atom>(const std::vector<Atom>&)>& body) {
  return b_->lambda(params, [&](const std::vector<Var>& vars) { return body({vars.begin(), vars.end()}); });
}

ir::Lambda Lowerer::lambda(const std::vector<std::pair<std::string, ir::Type>>& params,
                           const std::function<Value(const std::vector<Atom>&)>& body, TypeIn expected, Value& like,
                           const std::function<std::vector<Atom>(const ir::Lambda&)>& probe) {
  uint32_t mark = uint32_t(program_.vars.size());
  ir::Lambda l = plain_lambda(params, [&](const std::vector<Atom>& vars) {
    like = body(vars);
    return atoms(like);
  });
  uint32_t end = uint32_t(program_.vars.size());
  auto inside = [&](const Atom& a) { return !visible(a, mark) && ir::var_of(a)->index < end; };
  std::vector<Leaf> types;
  if (expected.type.valid()) types = leaves_of(expected);
  std::optional<std::vector<Atom>> probed;
  std::vector<Dim> born;                                  // sizes born inside, in order of first occurrence
  std::vector<std::pair<Dim, Dim>> known;                 // and what they are outside
  for (const Atom& r : l.body.result)
    for (const Dim& d : shape(r))
      if (inside(d) && std::find(born.begin(), born.end(), d) == born.end()) born.push_back(d);
  std::vector<std::vector<Dim>> wanted;
  for (size_t i = 0; i < l.body.result.size(); i++) {
    wanted.push_back(shape(l.body.result[i]));
    for (size_t k = 0; k < wanted[i].size(); k++) {
      Dim& d = wanted[i][k];
      if (!inside(d)) continue;
      auto found = std::find_if(known.begin(), known.end(), [&](auto& pair) { return pair.first == d; });
      if (found == known.end()) {
        std::optional<Atom> outside;
        if (i < types.size() && k < types[i].dims.size()) outside = size(types[i].dims[k]);
        if (outside && inside(*outside)) outside = {};
        if (!outside) {
          if (!probed) {
            ir::Lambda sizes = ir::clone(program_, l);    // the same code, giving the sizes
            std::vector<Atom> results = sizes.body.result;
            sizes.body.result.clear();
            for (const Dim& s : born)
              for (size_t j = 0; j < l.body.result.size(); j++) {
                std::vector<Dim> dims = shape(l.body.result[j]), cloned = shape(results[j]);
                auto at = std::find(dims.begin(), dims.end(), s);
                if (at == dims.end()) continue;
                sizes.body.result.push_back(cloned[size_t(at - dims.begin())]);
                break;
              }
            probed = probe(sizes);
          }
          outside = probed->at(size_t(std::find(born.begin(), born.end(), d) - born.begin()));
        }
        known.emplace_back(d, *outside);
        found = known.end() - 1;
      }
      d = found->second;
    }
  }
  ir::Builder inner(program_, l.body.stms);
  inner.source = b_->source;
  ir::Builder* outer = std::exchange(b_, &inner);
  for (size_t i = 0; i < wanted.size(); i++) l.body.result[i] = with_shape(l.body.result[i], wanted[i]);
  b_ = outer;
  return l;
}

}  // namespace raido::lower
