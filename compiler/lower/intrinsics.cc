// intrinsics.cc - definitions of the prelude that the compiler provides: scalar operations, parallel operators,
// rearrangements, derivatives. Each function takes the arguments of one call and emits core code.
#include <algorithm>

#include "compiler/lower/lowerer.h"

namespace raido::lower {

struct Lowerer::Site {
  const ast::Def& def;
  Scope* scope;                    // with its type and size parameters
  const std::vector<Value>& args;
};

// Only the prelude's: elsewhere the attribute means nothing.
const ast::Attr* Lowerer::intrinsic_attr(const ast::Def& def) const {
  if (!checked_.sources[def.span.file].builtin) return nullptr;
  for (const ast::Attr& a : def.attrs)
    if (text(a.name) == "intrinsic") return &a;
  return nullptr;
}

Value Lowerer::intrinsic(const ast::Def& def, const ast::Attr& attr, Scope* scope, const std::vector<Value>& args) {
  std::string_view n = attr.args.empty() ? text(def.self->name) : text(attr.args[0].name);
  if (n.ends_with('_')) n.remove_suffix(1);   // a second, local name of the same
  Site s{def, scope, args};
  // The sizes of the parameters' types have names that the function's types may mention.
  for (size_t i = 0; i < args.size(); i++) bind_sizes(param_type(def, i, scope), args[i], scope);
#define INTRINSIC(word, function) \
  if (n == word) return function(s);
#include "compiler/lower/intrinsics.def"
#undef INTRINSIC
  std::optional<ScalarOp> op = scalar_op_named(n);
  CHECK(op, "the prelude asks for an intrinsic `{}` that does not exist", n);
  return scalar_intrinsic(*op, s);
}

// ---- Scalars ----

Value Lowerer::scalar_intrinsic(ScalarOp op, Site& s) {
  std::vector<Atom> args;
  for (const Value& v : s.args) args.push_back(atom(v));
  Scalar working = working_type(op, ir::elem_of(program_, args[0]), ir::elem_of(program_, args[args.size() > 1 ? 1 : 0]));
  if (op == ScalarOp::mod && is_float(working)) op = ScalarOp::rem;
  return arithmetic(op, std::move(args), working);
}
Value Lowerer::convert_intrinsic(Site& s) {
  return dynamic(ir::convert(prim(result_type(s.def, s.scope)), term(s.args[0])).atom);
}
Value Lowerer::gt_intrinsic(Site& s) { return dynamic(lt(term(s.args[1]), term(s.args[0])).atom); }
Value Lowerer::ge_intrinsic(Site& s) { return dynamic(le(term(s.args[1]), term(s.args[0])).atom); }

// ---- Parallel operators ----

// The memory of the results is made before the first element, and there may be none. So their sizes are checked before the map: those that
// inputs do not have, with the words of the element's own check if there is one.
std::vector<Var> Lowerer::check_sizes(const ir::Lambda& element) {
  std::vector<Dim> known;
  for (const ir::Bind& p : element.params)
    for (const Dim& d : ir::shape_of(program_.type(p.var))) known.push_back(d);
  auto own_check = [&](const Dim& d) -> const ir::Stm* {
    const Var* at_least_0 = nullptr;
    for (const ir::Stm& s : element.body.stms) {
      auto* compared = std::get_if<ir::Apply>(&s.exp);
      if (compared && compared->op == ScalarOp::le && compared->args == std::vector<Atom>{number(0).atom, d}) at_least_0 = &s.pattern[0].var;
      auto* checked = std::get_if<ir::Assert>(&s.exp);
      if (checked && at_least_0 && checked->cond == Atom(*at_least_0)) return &s;
    }
    return nullptr;
  };
  std::vector<Var> checks;
  for (const Atom& r : element.body.result)
    for (const Dim& d : shape(r)) {
      if (std::ranges::find(known, d) != known.end()) continue;
      known.push_back(d);
      const ir::Stm* own = own_check(d);
      ir::Source here = std::exchange(b_->source, own ? own->source : b_->source);
      checks.push_back(check(le(number(0), term(d)), own ? program_.texts.at(std::get<ir::Assert>(own->exp).message.index)
                                                         : "Negative allocation: the elements of an array have the size {}.", {d}));
      b_->source = here;
    }
  return checks;
}

Value Lowerer::map_over(const std::function<Value(const Value&)>& f, const Value& xs, TypeIn result) {
  Atom width = outer_size(xs);
  std::vector<Atom> arrays = atoms(with_outer(xs, width));
  std::vector<std::pair<std::string, ir::Type>> params;
  std::vector<Var> inputs;
  for (const Atom& a : arrays) {
    inputs.push_back(*ir::var_of(a));
    std::string hint = program_.hint(inputs.back());
    params.emplace_back(hint.size() > 1 && hint.back() == 's' ? hint.substr(0, hint.size() - 1) : "x", ir::row_type(program_.type(a)));
  }
  Value like;
  auto body = [&](const std::vector<Atom>& elems) { return owned(f(rebuild(xs, elems))); };
  // Without a first element the sizes of the elements do not matter: 0.
  auto probe = [&](const ir::Lambda& sizes) {
    Term some = lt(number(0), term(width));
    ir::If stm{some.atom, {}, {}};
    stm.then_ = b_->body([&] {
      std::vector<Atom> first;
      for (Var v : inputs) first.push_back(b_->bind1("first", ir::Index{v, {ir::Selector(Atom(i64_const(0)))}}));
      return b_->inline_call(sizes, first);
    });
    stm.else_.result.assign(stm.then_.result.size(), Atom(i64_const(0)));
    std::vector<Atom> out;
    for (Var v : b_->bind(std::string("size"), std::move(stm))) out.push_back(v);
    return out;
  };
  ir::Lambda l = lambda(params, body, result, like, probe);
  // What comes out as it went in is the input itself; the language calls it fresh, so it counts as borrowed.
  std::vector<std::optional<Atom>> same;
  std::vector<Atom> computed;
  std::vector<std::string> hints;
  for (const Atom& r : l.body.result) {
    std::optional<Atom>& input = same.emplace_back();
    for (size_t i = 0; i < inputs.size(); i++)
      if (r == Atom(l.params[i].var)) input = inputs[i];
    if (input) continue;
    computed.push_back(r);
    hints.push_back(ir::var_of(r) ? program_.hint(*ir::var_of(r)) : "t");
  }
  l.body.result = computed;
  std::vector<Var> vars;
  if (!computed.empty())
    vars = checked_by(check_sizes(l), [&] { return b_->bind(hints, ir::Screma{width, inputs, std::move(l), {}, {}, {}, {}}); });
  size_t i = 0, next = 0;
  return map_leaves(like, [&](const Dynamic&) -> Value {
    std::optional<Atom>& input = same[i++];
    return input ? Dynamic{*input, true} : Dynamic{vars.at(next++), false};
  });
}

Value Lowerer::map_intrinsic(Site& s) {
  TypeIn f = resolve(param_type(s.def, 0, s.scope));
  TypeIn elem{std::get<check::FunType>(head(f)).result, f.scope};
  return map_over([&](const Value& x) { return apply(s.args[0], {x}); }, s.args[1], elem);
}

ir::Combine Lowerer::combine(const Value& op, const Value& ne, const Value& like, const std::vector<ir::Type>& rows,
                             bool commutative) {
  ir::Combine c;
  std::vector<std::pair<std::string, ir::Type>> params;
  for (const char* hint : {"a", "b"})
    for (const ir::Type& t : rows) params.emplace_back(hint, t);
  c.op = plain_lambda(params, [&](const std::vector<Atom>& vars) {
    auto half = vars.begin() + ptrdiff_t(rows.size());
    std::vector<Atom> results = atoms(owned(apply(op, {rebuild(like, {vars.begin(), half}), rebuild(like, {half, vars.end()})})));
    for (size_t i = 0; i < results.size(); i++) results[i] = with_shape(results[i], ir::shape_of(rows[i]));
    return results;
  });
  c.neutral = atoms(ne);
  for (size_t i = 0; i < rows.size(); i++) c.neutral[i] = with_shape(c.neutral[i], ir::shape_of(rows[i]));
  c.commutative = commutative;
  return c;
}

Value Lowerer::fold(Site& s, bool scan, bool commutative) {
  const Value &op = s.args[0], &ne = s.args[1];
  Atom width = outer_size(s.args[2]);
  Value xs = with_outer(s.args[2], width);
  std::vector<Var> inputs;
  std::vector<ir::Type> rows;
  for (const Atom& a : atoms(xs)) {
    inputs.push_back(*ir::var_of(a));
    rows.push_back(ir::row_type(program_.type(a)));
  }
  ir::Combine c = combine(op, ne, xs, rows, commutative);
  std::vector<Var> vars = scan ? b_->scan("t", width, std::move(c), inputs) : b_->reduce("t", width, std::move(c), inputs);
  return rebuild(xs, {vars.begin(), vars.end()});
}
Value Lowerer::reduce_intrinsic(Site& s) { return fold(s, false, false); }
Value Lowerer::reduce_comm_intrinsic(Site& s) { return fold(s, false, true); }
Value Lowerer::scan_intrinsic(Site& s) { return fold(s, true, false); }

Value Lowerer::histogram(const Value& dest, const Value& op, const Value& ne, const Value& at, const Value& values, int rank) {
  Value target = owned(dest);
  std::vector<Atom> arrays = atoms(target), indices = atoms(at), xs = atoms(values);
  Atom width = shape(indices[0]).at(0);
  ir::Dest d;
  std::vector<ir::Type> rows;
  std::vector<Var> inputs;
  d.rank = rank;
  for (const Atom& a : arrays) {
    d.arrays.push_back(*ir::var_of(a));
    std::vector<Dim> dims = shape(a);
    rows.push_back(ir::array_type(ir::elem_of(program_, a), {dims.begin() + rank, dims.end()}));
  }
  for (const Atom& a : indices) inputs.push_back(*ir::var_of(with_shape(a, {width})));
  for (size_t i = 0; i < xs.size(); i++) {
    std::vector<Dim> dims = ir::shape_of(rows[i]);
    dims.insert(dims.begin(), width);
    inputs.push_back(*ir::var_of(with_shape(xs[i], dims)));
  }
  d.combine = combine(op, ne, values, rows, true);
  std::vector<std::pair<std::string, ir::Type>> params;
  for (Var v : inputs) params.emplace_back("x", ir::row_type(program_.type(v)));
  ir::Lambda pre = plain_lambda(params, [](const std::vector<Atom>& vars) { return vars; });
  std::vector<Var> vars = b_->bind(std::string("h"), ir::Hist{width, inputs, std::move(pre), {std::move(d)}});
  return rebuild(target, {vars.begin(), vars.end()});
}
Value Lowerer::hist_intrinsic(Site& s) {   // op ne k is as
  Term k = term(s.args[2]);
  Var ok = check(le(number(0), k), "Range 0..1..<{} is invalid.", {k.atom});
  Value dest = checked_by({ok}, [&] {
    return map_leaves(s.args[1], [&](const Dynamic& d) { return dynamic(b_->replicate({k.atom}, d.atom)); });
  });
  return histogram(dest, s.args[0], s.args[1], s.args[3], s.args[4], 1);
}
// dest op ne is as
Value Lowerer::reduce_by_index_intrinsic(Site& s) { return histogram(s.args[0], s.args[1], s.args[2], s.args[3], s.args[4], 1); }
Value Lowerer::reduce_by_index_2d_intrinsic(Site& s) { return histogram(s.args[0], s.args[1], s.args[2], s.args[3], s.args[4], 2); }
Value Lowerer::reduce_by_index_3d_intrinsic(Site& s) { return histogram(s.args[0], s.args[1], s.args[2], s.args[3], s.args[4], 3); }

// An accumulator on the arrays of `target` around a map, whose body returns the accumulator that it is given.
Value Lowerer::accumulate(const Value& target, int rank, std::optional<ir::Combine> combine, const Atom& width, std::vector<Var> inputs,
                          const std::function<Atom(const std::vector<Atom>& elems, Var acc)>& body) {
  ir::WithAcc w;
  ir::Dest d;
  d.rank = rank;
  d.combine = std::move(combine);
  for (const Atom& a : atoms(target)) d.arrays.push_back(*ir::var_of(a));
  Var token = program_.fresh("token", ir::CheckType{}), acc = program_.fresh("acc", ir::dest_type(program_, d, token));
  w.dests.push_back(std::move(d));
  w.scope.params = {{token}, {acc}};
  w.scope.body = b_->body([&] {
    std::vector<std::pair<std::string, ir::Type>> params;
    for (Var v : inputs) params.emplace_back("x", ir::row_type(program_.type(v)));
    params.emplace_back("acc", program_.type(acc));
    inputs.push_back(acc);
    ir::Lambda pre = plain_lambda(params, [&](const std::vector<Atom>& vars) {
      return std::vector<Atom>{body({vars.begin(), vars.end() - 1}, *ir::var_of(vars.back()))};
    });
    return std::vector<Atom>{b_->map("acc", width, std::move(pre), inputs).at(0)};
  });
  std::vector<Var> vars = b_->bind(std::string("s"), std::move(w));
  return rebuild(target, {vars.begin(), vars.end()});
}

Value Lowerer::scatter_to(const Value& dest, const Value& at, const Value& values, int rank) {
  Value target = owned(dest);
  std::vector<Atom> arrays = atoms(target), indices = atoms(at), xs = atoms(values);
  Atom width = shape(indices[0]).at(0);
  std::vector<Var> inputs;
  for (const Atom& a : indices) inputs.push_back(*ir::var_of(with_shape(a, {width})));
  for (size_t i = 0; i < xs.size(); i++) {
    std::vector<Dim> dims = shape(arrays[i]);
    dims.erase(dims.begin(), dims.begin() + rank);
    dims.insert(dims.begin(), width);
    inputs.push_back(*ir::var_of(with_shape(xs[i], dims)));
  }
  return accumulate(target, rank, {}, width, std::move(inputs), [&](const std::vector<Atom>& elems, Var acc) {
    auto values_from = elems.begin() + ptrdiff_t(indices.size());
    return Atom(b_->bind1("acc", ir::AccUpdate{acc, {elems.begin(), values_from}, {values_from, elems.end()}}));
  });
}
Value Lowerer::scatter_intrinsic(Site& s) { return scatter_to(s.args[0], s.args[1], s.args[2], 1); }
Value Lowerer::scatter_2d_intrinsic(Site& s) { return scatter_to(s.args[0], s.args[1], s.args[2], 2); }
Value Lowerer::scatter_3d_intrinsic(Site& s) { return scatter_to(s.args[0], s.args[1], s.args[2], 3); }

void Lowerer::refuse_accumulator(std::string_view why) {
  Span span;
  if (ir::Source at = b_->source; at.valid()) {
    const ir::SourceInfo& i = program_.sources[at.index];
    span = checked_.sources.span(i.file, {i.line, i.column}, {i.end_line, i.end_column});
  }
  checked_.diags.report(span, err::accumulator_use, why);
}

// f, which updates the accumulator it is given, for all elements of bs.
Value Lowerer::stream(const Value& dest, std::optional<ir::Combine> combine, const Value& f, const Value& bs) {
  Value target = owned(dest);
  Atom width = outer_size(bs);
  std::vector<Var> inputs;
  for (const Atom& a : atoms(with_outer(bs, width))) inputs.push_back(*ir::var_of(a));
  return accumulate(target, 1, std::move(combine), width, std::move(inputs), [&](const std::vector<Atom>& elems, Var acc) {
    Atom end = atom(apply(f, {dynamic(acc), rebuild(bs, elems)}));
    ir::Type given = program_.type(acc), type = program_.type(end);
    auto returned = std::get_if<ir::AccType>(&type);           // null after a refusal
    if (returned && returned->token == std::get<ir::AccType>(given).token) return end;
    if (returned) refuse_accumulator("the function of a stream returns the accumulator of another stream");
    return Atom(acc);
  });
}
// dest f bs
Value Lowerer::scatter_stream_intrinsic(Site& s) { return stream(s.args[0], {}, s.args[1], s.args[2]); }
// dest op ne f bs
Value Lowerer::hist_stream_intrinsic(Site& s) {
  std::vector<ir::Type> rows;
  for (const Atom& a : atoms(s.args[0])) rows.push_back(ir::row_type(program_.type(a)));
  return stream(s.args[0], combine(s.args[1], s.args[2], s.args[0], rows, true), s.args[3], s.args[4]);
}
Value Lowerer::acc_write_intrinsic(Site& s) {
  if (!is_accumulator(atom(s.args[0]))) return s.args[0];      // after a refusal
  Var acc = array(s.args[0]);
  std::vector<ir::ElemType> elems = std::get<ir::AccType>(program_.type(acc)).elems;
  std::vector<Atom> values = atoms(s.args[2]);
  for (size_t i = 0; i < values.size(); i++) values[i] = with_shape(values[i], elems.at(i).shape);
  return dynamic(b_->bind1("acc", ir::AccUpdate{acc, {atom(s.args[1])}, values}));
}

// ---- Rearrangements ----

// ok as offset n1 s1 n2 s2 ..: an array of which a strided view is made.
Value Lowerer::checked_view_intrinsic(Site& s) {
  std::string view;
  std::vector<Atom> shown{atom(s.args[2])};
  for (size_t i = 3; i < s.args.size(); i += 2) {
    view += i == 3 ? "({}, {})" : ", ({}, {})";
    shown.push_back(atom(s.args[i])), shown.push_back(atom(s.args[i + 1]));
  }
  shown.push_back(outer_size(s.args[1]));
  Var ok = check(term(s.args[0]), fill(err::flat_view.text, {"{}", view, "{}"}), shown);
  return checked_by({ok}, [&] {
    return map_leaves(s.args[1], [&](const Dynamic& d) -> Value {
      return Dynamic{b_->bind1(program_.hint(*ir::var_of(d.atom)), ir::Identity{d.atom}), d.borrowed};
    });
  });
}

Value Lowerer::concat_intrinsic(Site& s) {
  std::vector<Atom> a = atoms(s.args[0]), b = atoms(s.args[1]), out;
  for (size_t i = 0; i < a.size(); i++) {
    std::vector<Dim> dims = shape(a[i]), other = shape(b[i]);
    Term n = term(dims[0]) + term(other[0]);
    dims[0] = other[0];
    out.push_back(b_->bind1("t", ir::Concat{0, {*ir::var_of(a[i]), *ir::var_of(with_shape(b[i], dims))}, n.atom}));
  }
  return rebuild(s.args[0], out);
}
Value Lowerer::flatten_intrinsic(Site& s) {
  return map_leaves(s.args[0], [&](const Dynamic& d) -> Value {
    std::vector<Dim> dims = shape(d.atom);
    dims[1] = (term(dims[0]) * term(dims[1])).atom;
    dims.erase(dims.begin());
    return Dynamic{b_->bind1(program_.hint(*ir::var_of(d.atom)), ir::Reshape{*ir::var_of(d.atom), dims}), d.borrowed};
  });
}
Value Lowerer::unflatten_intrinsic(Site& s) {
  TypeIn t = resolve(result_type(s.def, s.scope));
  const check::ArrayType& outer = std::get<check::ArrayType>(head(t));
  TypeIn row = resolve({outer.elem, t.scope});
  std::optional<Atom> n = size({outer.size, t.scope}), m = size({std::get<check::ArrayType>(head(row)).size, row.scope});
  CHECK(n && m, "the sizes of an `unflatten` are not known");
  std::vector<Atom> all = atoms(s.args[0]);
  Atom length = shape(all[0])[0];
  // The product as such, not what is left of it in 64 bits.
  Term whole = eq(ir::apply(ScalarOp::mul_hi, {term(*n), term(*m)}), number(0));
  Term ok = ir::all_of({le(number(0), term(*n)), le(number(0), term(*m)), whole, eq(term(*n) * term(*m), term(length))});
  Var proof = check(ok, "Cannot unflatten array of shape [{}] to array of shape [{}][{}]", {length, *n, *m});
  return checked_by({proof}, [&] {
    return map_leaves(s.args[0], [&](const Dynamic& d) -> Value {
      std::vector<Dim> dims = shape(d.atom);
      dims[0] = *m;
      dims.insert(dims.begin(), *n);
      return Dynamic{b_->bind1(program_.hint(*ir::var_of(d.atom)), ir::Reshape{*ir::var_of(d.atom), dims}), d.borrowed};
    });
  });
}
Value Lowerer::transpose_intrinsic(Site& s) {
  return map_leaves(s.args[0], [&](const Dynamic& d) -> Value {
    std::vector<int> order(shape(d.atom).size());
    for (size_t i = 0; i < order.size(); i++) order[i] = int(i);
    std::swap(order[0], order[1]);
    return Dynamic{b_->permute(*ir::var_of(d.atom), order), d.borrowed};
  });
}
// Arrays of pairs are pairs of arrays, so nothing happens; but the result counts as fresh while it shares memory.
Value Lowerer::zip_intrinsic(Site& s) {
  Value a = s.args[0], b = s.args[1];
  std::vector<Atom> left = atoms(a);
  b = with_outer(b, shape(left[0])[0]);
  return map_leaves(tuple({a, b}), [](const Dynamic& d) -> Value { return Dynamic{d.atom, true}; });
}
Value Lowerer::unzip_intrinsic(Site& s) { return s.args[0]; }

Value Lowerer::iota_intrinsic(Site& s) {
  Term n = term(s.args[0]);
  Var ok = check(le(number(0), n), "Range 0..1..<{} is invalid.", {n.atom});
  return checked_by({ok}, [&] { return iota(number(0), number(1), n.atom); });
}
Value Lowerer::replicate_intrinsic(Site& s) {
  Term n = term(s.args[0]);
  Var ok = check(le(number(0), n), "Negative allocation: cannot replicate {} times.", {n.atom});
  return checked_by({ok}, [&] {
    return map_leaves(s.args[1], [&](const Dynamic& d) { return dynamic(b_->replicate({n.atom}, d.atom)); });
  });
}
Value Lowerer::copy_intrinsic(Site& s) {
  return map_leaves(s.args[0], [&](const Dynamic& d) {
    if (!ir::is_array(program_.type(d.atom))) return dynamic(d.atom);
    return dynamic(b_->copy(*ir::var_of(d.atom)));
  });
}
Value Lowerer::copy_intrinsic_manifest(Site& s) { return copy_intrinsic(s); }

Value Lowerer::trace_intrinsic(Site& s) {
  b_->attrs.push_back({"trace", {}, "trace"});
  Value v = map_leaves(s.args[0], [&](const Dynamic& d) { return dynamic(b_->bind1("t", ir::Identity{d.atom})); });
  b_->attrs.pop_back();
  return v;
}
// Takes a number k and an array. The result has k elements like those of the array. Their values are unspecified until the caller sets them.
Value Lowerer::unset_intrinsic(Site& s) {
  return map_leaves(s.args[1], [&](const Dynamic& d) {
    std::vector<Dim> dims = shape(d.atom);
    dims[0] = atom(s.args[0]);
    return dynamic(b_->bind1("t", ir::Scratch{ir::elem_of(program_, d.atom), std::move(dims)}));
  });
}
Value Lowerer::opaque_intrinsic(Site& s) {
  b_->attrs.push_back({"opaque", {}});
  Value v = map_leaves(s.args[0], [&](const Dynamic& d) { return dynamic(b_->bind1("t", ir::Identity{d.atom})); });
  b_->attrs.pop_back();
  return v;
}

// ---- Derivatives ----

// A tangent or an adjoint `d` of a value is of the constructors that the value has, though its tags are zero: tags have no
// derivative. A slot may be a tag for one constructor and a number for another one, so it is chosen by the tag around it.
Value Lowerer::of_constructors(TypeIn t, const Value& value, const Value& d, const std::vector<Dim>& many) {
  t = resolve(t);
  auto choose = [&](const Atom& tag, size_t constructor, const Atom& a, const Atom& b) -> Atom {
    auto one = [&](const Atom& tag, const Atom& a, const Atom& b) {
      Term chosen = eq(term(tag), term(integer_constant(Scalar::I8, i64(constructor))));
      return atom(emit_if(chosen.atom, [&] { return dynamic(a); }, [&] { return dynamic(b); }));
    };
    std::vector<Dim> dims = shape(tag);
    if (dims.empty()) return one(tag, a, b);
    return b_->map_all("tag", dims, {*ir::var_of(tag), *ir::var_of(a), *ir::var_of(b)}, [&](const std::vector<Var>& x) {
      return std::vector<Atom>{one(x[0], x[1], x[2])};
    }).at(0);
  };
  return match(head(t),
      [&](const check::ArrayType& a) { return of_constructors({a.elem, t.scope}, value, d, many); },
      [&](const check::RecordType& r) -> Value {
        if (r.fields.empty()) return d;
        std::vector<std::pair<Name, Value>> fields;
        for (auto& [n, type] : r.fields)
          fields.emplace_back(n, of_constructors({type, t.scope}, field(value, n), field(d, n), many));
        return product(std::move(fields));
      },
      [&](const check::SumType& type) -> Value {
        const std::shared_ptr<const SumLayout> kept = layout(t);
        const SumLayout& l = *kept;
        auto out = std::make_shared<Sum>(*std::get<std::shared_ptr<const Sum>>(d));
        if (l.tagged) {
          Atom tag = b_->replicate(many, atom(std::get<std::shared_ptr<const Sum>>(value)->tag));
          out->tag = dynamic(many.empty() && !shape(tag).empty() ? Atom(b_->copy(*ir::var_of(tag))) : tag);
        }
        for (size_t c = 0; c < type.constrs.size(); c++)
          for (size_t i = 0; i < type.constrs[c].second.size(); i++) {
            Value before = payload(t, d, c, i);
            std::vector<Atom> old = atoms(before);
            std::vector<Atom> now = atoms(of_constructors({type.constrs[c].second[i], t.scope}, payload(t, value, c, i), before, many));
            for (size_t j = 0; j < now.size(); j++) {
              if (now[j] == old[j]) continue;
              size_t slot = l.where[c][i][j], users = 0;
              for (auto& payloads : l.where)
                for (auto& leaves : payloads) users += size_t(std::count(leaves.begin(), leaves.end(), slot));
              out->slots[slot] = dynamic(users == 1 ? now[j] : choose(atom(out->tag), c, now[j], atom(out->slots[slot])));
            }
          }
        return out;
      },
      [&](const auto&) { return d; });
}

// f, x, seed. The node's results are f's results and then the derivatives.
Value Lowerer::derivative(Site& s, bool forward, bool with_value, bool batch) {
  uses_ad_ = true;
  const Value &f = s.args[0], &x = s.args[1], &seeds = s.args[2];
  TypeIn f_type = resolve(param_type(s.def, 0, s.scope));
  TypeIn result{std::get<check::FunType>(head(f_type)).result, f_type.scope};
  std::vector<Dim> many;
  if (batch) many = {outer_size(seeds)};
  std::vector<Atom> at = atoms(x), directions = atoms(batch ? with_outer(seeds, many[0]) : seeds);
  std::vector<std::pair<std::string, ir::Type>> params;
  for (const Atom& a : at) params.emplace_back(ir::var_of(a) ? program_.hint(*ir::var_of(a)) : "x", program_.type(a));
  Value like;
  derivative_depth_++;
  ir::Lambda l = lambda(params, [&](const std::vector<Atom>& vars) { return owned(apply(f, {rebuild(x, vars)})); }, result, like,
                        [&](const ir::Lambda& sizes) { return b_->inline_call(sizes, at); });
  derivative_depth_--;
  std::vector<Atom> results = l.body.result;
  for (size_t i = 0; i < directions.size(); i++) {
    std::vector<Dim> dims = many, one = shape(forward ? at[i] : results[i]);
    dims.insert(dims.end(), one.begin(), one.end());
    directions[i] = with_shape(directions[i], dims);
  }
  std::vector<Var> vars = forward ? b_->bind(std::string("d"), ir::Jvp{std::move(l), at, directions, many})
                                  : b_->bind(std::string("d"), ir::Vjp{std::move(l), at, directions, many});
  auto middle = vars.begin() + ptrdiff_t(results.size());
  Value y = rebuild(like, {vars.begin(), middle}), d = rebuild(forward ? like : x, {middle, vars.end()});
  d = forward ? of_constructors(result, y, d, many) : of_constructors(param_type(s.def, 1, s.scope), x, d, many);
  return with_value ? tuple({y, d}) : d;
}
Value Lowerer::jvp_intrinsic(Site& s) { return derivative(s, true, false, false); }
Value Lowerer::jvp2_intrinsic(Site& s) { return derivative(s, true, true, false); }
Value Lowerer::vjp_intrinsic(Site& s) { return derivative(s, false, false, false); }
Value Lowerer::vjp2_intrinsic(Site& s) { return derivative(s, false, true, false); }
Value Lowerer::jmp_intrinsic(Site& s) { return derivative(s, true, false, true); }
Value Lowerer::jmp2_intrinsic(Site& s) { return derivative(s, true, true, true); }
Value Lowerer::mjp_intrinsic(Site& s) { return derivative(s, false, false, true); }
Value Lowerer::mjp2_intrinsic(Site& s) { return derivative(s, false, true, true); }

// f, f', x: the value of f. Under a derivative operator it stays recognisable, because f's own derivative is not what the
// user asked for there.
Value Lowerer::with_own_derivative(Site& s, OwnRule kind) {
  const Value &f = s.args[0], &rule = s.args[1], &x = s.args[2];
  bool forward = kind == OwnRule::Forward, tape = kind == OwnRule::Tape;
  auto part = [&](const Value& pair, int i) { return field(pair, name(std::to_string(i))); };
  if (derivative_depth_ == 0) return tape ? part(apply(f, {x}), 1) : apply(f, {x});
  TypeIn f_type = resolve(param_type(s.def, 0, s.scope));
  TypeIn result{std::get<check::FunType>(head(f_type)).result, f_type.scope};
  std::vector<Atom> at = atoms(x);
  std::vector<std::pair<std::string, ir::Type>> params;
  for (const Atom& a : at) params.emplace_back("x", program_.type(a));
  Value like;
  ir::Lambda l = lambda(params, [&](const std::vector<Atom>& vars) { return owned(apply(f, {rebuild(x, vars)})); }, result, like,
                        [&](const ir::Lambda& sizes) { return b_->inline_call(sizes, at); });
  // The rule: forward from x and its direction to that of the result, in reverse from the result and its adjoint to that of x.
  const Value& first = forward ? x : like;
  const std::vector<Atom> from = forward ? at : l.body.result, to = forward ? l.body.result : at;
  params.clear();
  for (const char* hint : {"x", "d"})
    for (const Atom& a : from) params.emplace_back(hint, program_.type(a));
  ir::Lambda derivative = plain_lambda(params, [&](const std::vector<Atom>& vars) {
    auto middle = vars.begin() + ptrdiff_t(from.size());
    Value left = rebuild(first, {vars.begin(), middle}), right = rebuild(first, {middle, vars.end()});
    right = of_constructors(forward ? param_type(s.def, 2, s.scope) : result, left, right, {});
    Value d = tape ? apply(rule, {tuple({part(left, 0), part(right, 1)})}) : apply(rule, {left, right});
    std::vector<Atom> out = atoms(owned(d));
    for (size_t i = 0; i < out.size(); i++) out[i] = with_shape(out[i], shape(to[i]));
    return out;
  });
  ir::Custom custom{std::move(l), {}, {}, at, tape ? int(atoms(part(like, 0)).size()) : 0};
  (forward ? custom.jvp : custom.vjp) = std::move(derivative);
  std::vector<Var> vars = b_->bind(std::string("r"), std::move(custom));
  Value all = rebuild(like, {vars.begin(), vars.end()});
  return tape ? part(all, 1) : all;
}
Value Lowerer::with_vjp_intrinsic(Site& s) { return with_own_derivative(s, OwnRule::Reverse); }
Value Lowerer::with_jvp_intrinsic(Site& s) { return with_own_derivative(s, OwnRule::Forward); }
Value Lowerer::with_vjp_tape_intrinsic(Site& s) { return with_own_derivative(s, OwnRule::Tape); }

}  // namespace raido::lower
