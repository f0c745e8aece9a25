// types.cc - result types computed from the parts of each operation; the only place where they are.
#include "compiler/ir/types.h"

#include <algorithm>

#include "compiler/ir/transform.h"

namespace raido::ir {
namespace {

std::vector<Type> types(const Program& p, const std::vector<Atom>& atoms) {
  std::vector<Type> out;
  for (const Atom& a : atoms) out.push_back(p.type(a));
  return out;
}

// Types of values leaving a body. A dimension that is bound inside becomes the number of the result that carries it.
// `inside(v)`: v is not visible outside.
template <class F> std::vector<Type> leaving(const Program& p, const std::vector<Atom>& result, F inside) {
  std::vector<Type> out = types(p, result);
  for (Type& t : out)
    walk(t, [&](Var& v) {
      if (!inside(v)) return;
      for (size_t k = 0; k < result.size(); k++)
        if (result[k] == Atom(v)) { v = result_number(k); return; }
    });
  return out;
}
VarSet bound_in(const Body& b) {
  VarSet bound;
  for (const Stm& s : b.stms) each_bind(s.pattern, [&](Var v) { bound.insert(v); });
  return bound;
}

// A dimension that the two branches have in common stays; one that differs must be the same result of both.
Types of_if(const Program& p, const If& x) {
  VarSet bound = bound_in(x.then_);
  Types then_ = types(p, x.then_.result), else_ = types(p, x.else_.result);
  for (size_t i = 0; i < then_.size() && i < else_.size(); i++) {
    auto a = std::get_if<ArrayType>(&then_[i]), b = std::get_if<ArrayType>(&else_[i]);
    if (!a || !b || a->shape.size() != b->shape.size()) continue;
    auto join = [&](Atom& d, const Atom& e) {
      auto v = var_of(d);
      if (d == e && !(v && bound.contains(*v))) return;
      for (size_t k = 0; k < x.then_.result.size(); k++)
        if (x.then_.result[k] == d && x.else_.result[k] == e) { d = result_number(k); return; }
    };
    for (size_t d = 0; d < a->shape.size(); d++) join(a->shape[d], b->shape[d]);
    if (a->place && b->place) {
      for (size_t k = 0; k < x.then_.result.size(); k++)
        if (x.then_.result[k] == Atom(a->place->block) && x.else_.result[k] == Atom(b->place->block) &&
            !(a->place->block == b->place->block && !bound.contains(a->place->block)))
          { a->place->block = result_number(k); break; }
      join(a->place->layout.offset, b->place->layout.offset);
      for (size_t d = 0; d < a->place->layout.strides.size(); d++)
        join(a->place->layout.strides[d], b->place->layout.strides[d]);
    }
  }
  return then_;
}

// Types of loop results: those of the state, with state variables as result numbers.
Types of_loop(const Program& p, const std::vector<Bind>& state) {
  Types out;
  for (const Bind& b : state) out.push_back(p.type(b.var));
  for (Type& t : out)
    walk(t, [&](Var& v) {
      for (size_t k = 0; k < state.size(); k++)
        if (state[k].var == v) { v = result_number(k); return; }
    });
  return out;
}

// `inner`: operands of reduces, of scans, mapped values; `all`: the index space, whose last dimension is combined.
Types of_parts(const Program& p, const std::vector<Atom>& inner, const std::vector<Combine>& reduces, const Lambda& post,
               const std::vector<Combine>& post_reduces, const std::vector<Dim>& all) {
  std::vector<Dim> outer(all.begin(), all.end() - 1);
  size_t reduced = std::min(width_of(reduces), inner.size());
  Types out;
  for (size_t i = 0; i < reduced; i++) out.push_back(lifted(outer, p.type(inner[i])));
  bool identity = post.params.empty() && post.body.result.empty();
  std::vector<Atom> outputs = identity ? std::vector<Atom>(inner.begin() + ptrdiff_t(reduced), inner.end()) : post.body.result;
  size_t kept = outputs.size() - std::min(outputs.size(), width_of(post_reduces));
  for (size_t i = 0; i < outputs.size(); i++) out.push_back(lifted(i < kept ? all : outer, p.type(outputs[i])));
  return out;
}
void add_dests(const Program& p, const std::vector<Dest>& dests, Types& out) {
  for (const Dest& d : dests)
    for (Var v : d.arrays) out.push_back(p.type(v));
}

Types of_jvp(const Program& p, const Jvp& x) {
  VarSet bound = bound_in(x.f.body);
  auto inside = [&](Var v) { return bound.contains(v); };
  Types out = leaving(p, x.f.body.result, inside), tangents = out;
  for (const Type& t : tangents) out.push_back(lifted(x.batch, t));
  return out;
}

Types of_vjp(const Program& p, const Vjp& x) {
  VarSet bound = bound_in(x.f.body);
  Types out = leaving(p, x.f.body.result, [&](Var v) { return bound.contains(v); });
  for (const Atom& a : x.at) out.push_back(lifted(x.batch, p.type(a)));
  return out;
}

Types of_seg(const Program& p, const Seg& x) {
  std::vector<Atom> inner = x.body.result;
  size_t updates = 0;
  for (const Dest& d : x.dests) updates += size_t(d.rank) + d.arrays.size();
  inner.resize(inner.size() - std::min(inner.size(), updates));
  Types out;
  if (x.dests.empty() || !inner.empty()) out = of_parts(p, inner, x.reduces, x.post, x.post_reduces, x.extent);
  add_dests(p, x.dests, out);
  return out;
}

Types of_call(const Program& p, const Call& x) {
  const Function& f = p.functions[x.callee.index];
  Types out = f.returns;
  for (Type& t : out)
    walk(t, overloaded{[&](Atom& a) {
                         auto v = var_of(a);
                         for (size_t i = 0; v && i < f.lambda.params.size() && i < x.args.size(); i++)
                           if (f.lambda.params[i].var == *v) { a = x.args[i]; return; }
                       },
                       [&](Var& v) {
                         for (size_t i = 0; i < f.lambda.params.size() && i < x.args.size(); i++)
                           if (f.lambda.params[i].var == v && var_of(x.args[i])) { v = *var_of(x.args[i]); return; }
                       }});
  return out;
}

Types of_with_acc(const Program& p, const WithAcc& x) {
  Types out;
  add_dests(p, x.dests, out);
  const std::vector<Atom>& result = x.scope.body.result;
  VarSet bound = bound_in(x.scope.body);
  Types all = leaving(p, result, [&](Var v) { return bound.contains(v); });
  size_t accs = x.dests.size(), arrays = out.size();
  for (size_t i = accs; i < all.size(); i++) {     // result numbers count the operation's results
    walk(all[i], [&](Var& v) { if (is_result_number(v)) v = result_number(number_of_result(v) - accs + arrays); });
    out.push_back(all[i]);
  }
  return out;
}

}  // namespace

bool same_atoms(const std::vector<Atom>& a, const std::vector<Atom>& b) { return a == b; }

bool same_type(const Type& a, const Type& b) {
  if (a.index() != b.index()) return false;
  return match(a,
    [&](const ScalarType& x) { return x.elem == std::get<ScalarType>(b).elem; },
    [&](const ArrayType& x) {
      const ArrayType& y = std::get<ArrayType>(b);
      if (x.elem != y.elem || x.shape != y.shape || x.place.has_value() != y.place.has_value()) return false;
      return !x.place || (x.place->block == y.place->block && x.place->layout.offset == y.place->layout.offset &&
                          x.place->layout.strides == y.place->layout.strides);
    },
    [&](const AccType& x) {
      const AccType& y = std::get<AccType>(b);
      if (x.token != y.token || x.space != y.space || x.elems.size() != y.elems.size()) return false;
      for (size_t i = 0; i < x.elems.size(); i++)
        if (x.elems[i].elem != y.elems[i].elem || x.elems[i].shape != y.elems[i].shape) return false;
      return true;
    },
    [&](const BlockType& x) { return x.space == std::get<BlockType>(b).space; },
    [&](const CheckType&) { return true; });
}

Type row_type(const Type& t) {
  auto a = std::get_if<ArrayType>(&t);
  if (!a) return t;
  return array_type(a->elem, {a->shape.begin() + 1, a->shape.end()});
}
Type lifted(const Dim& n, const Type& t) {
  return match(t, [&](const ScalarType& s) { return Type{ArrayType{s.elem, {n}, {}}}; },
               [&](const ArrayType& a) {
                 ArrayType b{a.elem, a.shape, {}};
                 b.shape.insert(b.shape.begin(), n);
                 return Type{b};
               },
               [&](const auto& same) { return Type{same}; });  // accumulators, proofs: the same one for all iterations
}
Type lifted(const std::vector<Dim>& dims, Type t) {
  for (const Dim& d : reversed(dims)) t = lifted(d, t);
  return t;
}
std::vector<Dim> shape_of(const Type& t) {
  auto a = std::get_if<ArrayType>(&t);
  return a ? a->shape : std::vector<Dim>{};
}
bool has_dims(std::vector<Dim> shape, const std::vector<Dim>& some) {
  return std::ranges::all_of(some, [&](const Dim& d) {
    auto found = std::ranges::find(shape, d);
    if (found == shape.end()) return false;
    shape.erase(found);
    return true;
  });
}
Scalar elem_of(const Type& t) {
  if (auto s = std::get_if<ScalarType>(&t)) return s->elem;
  auto a = std::get_if<ArrayType>(&t);
  CHECK(a, "element type of what is neither scalar nor array");
  return a->elem;
}
Type dest_type(const Program& p, const Dest& d, Var token) {
  AccType acc{token, {}, {}};
  for (size_t i = 0; i < d.arrays.size(); i++) {
    std::vector<Dim> shape = shape_of(p.type(d.arrays[i]));
    size_t rank = std::min(size_t(d.rank), shape.size());
    if (i == 0) acc.space.assign(shape.begin(), shape.begin() + ptrdiff_t(rank));
    acc.elems.push_back({elem_of(p.type(d.arrays[i])), {shape.begin() + ptrdiff_t(rank), shape.end()}});
  }
  return acc;
}
std::vector<Dim> selected_shape(const std::vector<Dim>& shape, const std::vector<Selector>& at) {
  std::vector<Dim> out;
  for (const Selector& s : at)
    if (auto slice = std::get_if<Slice>(&s)) out.push_back(slice->count);
  if (at.size() < shape.size()) out.insert(out.end(), shape.begin() + ptrdiff_t(at.size()), shape.end());
  return out;
}

size_t width_of(const std::vector<Combine>& ops) {
  size_t n = 0;
  for (const Combine& op : ops) n += op.neutral.size();
  return n;
}
bool is_identity(const Lambda& l) {
  if (!l.body.stms.empty() || l.params.size() != l.body.result.size()) return false;
  for (size_t i = 0; i < l.params.size(); i++)
    if (l.body.result[i] != Atom(l.params[i].var)) return false;
  return true;
}
bool is_map(const Screma& s) { return s.reduces.empty() && s.scans.empty() && s.post_reduces.empty() && identity_post(s); }
bool is_redomap(const Screma& s) { return !s.reduces.empty() && s.scans.empty() && s.post_reduces.empty() && identity_post(s); }
bool is_reduce(const Screma& s) {
  return is_redomap(s) && is_identity(s.pre) && s.pre.params.size() == width_of(s.reduces);
}
bool is_scan(const Screma& s) {
  return s.reduces.empty() && !s.scans.empty() && s.post_reduces.empty() && identity_post(s) && is_identity(s.pre) &&
         s.pre.params.size() == width_of(s.scans);
}
std::optional<ScalarOp> scalar_operator(const Program& p, const Lambda& op) {
  if (op.params.size() != 2 || op.body.stms.size() != 1 || op.body.result.size() != 1) return {};
  const Stm& s = op.body.stms[0];
  auto apply = std::get_if<Apply>(&s.exp);
  if (!apply || apply->args.size() != 2 || op.body.result[0] != Atom(s.pattern[0].var)) return {};
  if (result_type(apply->op, elem_of(p, apply->args[0])) != elem_of(p, apply->args[0])) return {};
  Atom a = op.params[0].var, b = op.params[1].var;
  if (apply->args[0] == a && apply->args[1] == b) return apply->op;
  if (apply->args[0] == b && apply->args[1] == a && is_commutative(apply->op, elem_of(p, a))) return apply->op;
  return {};
}
std::optional<ScalarOp> scalar_operator(const Program& p, const Combine& c) { return scalar_operator(p, c.op); }
bool combines_scalars(const Program& p, const Combine& c) {
  if (!c.shape.empty()) return false;
  bool scalars = std::ranges::all_of(c.neutral, [&](const Atom& ne) { return is_scalar(p.type(ne)); });
  each_stm(c.op.body, [&](const Stm& s) {
    for (Bind b : s.pattern) scalars = scalars && !is_array(p.type(b.var)) && !std::holds_alternative<BlockType>(p.type(b.var));
  });
  return scalars;
}

Types types_of(const Program& p, const Exp& e) {
  auto one = [](Type t) { return Types{std::move(t)}; };
  auto array_of = [&](Var v) -> const ArrayType& {
    auto a = std::get_if<ArrayType>(&p.type(v));
    CHECK(a, "`{}` is used as an array but is none", p.hint(v));
    return *a;
  };
  return match(e,
    [&](const Identity& x) { return one(p.type(x.value)); },
    [&](const Apply& x) {
      Scalar first = elem_of(p, x.args.at(0)), second = x.args.size() > 1 ? elem_of(p, x.args[1]) : first;
      return one(scalar_type(result_type(x.op, working_type(x.op, first, second))));
    },
    [&](const Convert& x) { return one(scalar_type(x.to)); },
    [&](const Assert&) { return one(CheckType{}); },
    [&](const Call& x) { return of_call(p, x); },
    [&](const If& x) { return of_if(p, x); },
    [&](const For& x) { return of_loop(p, x.state); },
    [&](const While& x) { return of_loop(p, x.state); },
    [&](const Index& x) {
      const ArrayType& a = array_of(x.array);
      return one(array_type(a.elem, selected_shape(a.shape, x.at)));
    },
    [&](const Update& x) { return one(p.type(x.array)); },
    [&](const Iota& x) { return one(array_type(elem_of(p, x.start), {x.n})); },
    [&](const Replicate& x) {
      std::vector<Dim> shape = x.shape, row = shape_of(p.type(x.value));
      shape.insert(shape.end(), row.begin(), row.end());
      return one(array_type(elem_of(p, x.value), shape));
    },
    [&](const Scratch& x) { return one(array_type(x.elem, x.shape)); },
    [&](const ArrayLit& x) { return one(lifted(i64_const(isize(x.elements)), p.type(x.elements.at(0)))); },
    [&](const Data& x) {
      const DataArray& d = p.data[x.data.index];
      std::vector<Dim> shape;
      for (int64_t n : d.shape) shape.push_back(i64_const(n));
      return one(array_type(d.elem, shape));
    },
    [&](const Concat& x) {
      ArrayType a{array_of(x.arrays.at(0)).elem, array_of(x.arrays[0]).shape, {}};
      a.shape.at(size_t(x.dim)) = x.size;
      return one(a);
    },
    [&](const Reshape& x) { return one(array_type(array_of(x.array).elem, x.shape)); },
    [&](const Permute& x) {
      const ArrayType& a = array_of(x.array);
      ArrayType b{a.elem, {}, {}};
      for (int d : x.dims) b.shape.push_back(a.shape.at(size_t(d)));
      return one(b);
    },
    [&](const Copy& x) { return one(array_type(array_of(x.array).elem, array_of(x.array).shape)); },
    [&](const Screma& x) { return of_parts(p, x.pre.body.result, x.reduces, x.post, x.post_reduces, {x.width}); },
    [&](const Hist& x) { Types out; add_dests(p, x.dests, out); return out; },
    [&](const WithAcc& x) { return of_with_acc(p, x); },
    [&](const AccUpdate& x) { return one(p.type(x.acc)); },
    [&](const Jvp& x) { return of_jvp(p, x); },
    [&](const Vjp& x) { return of_vjp(p, x); },
    [&](const Custom& x) {
      VarSet bound = bound_in(x.f.body);
      return leaving(p, x.f.body.result, [&](Var v) { return bound.contains(v); });
    },
    [&](const Seg& x) { return of_seg(p, x); },
    [&](const Tunable& x) { return one(p.type(x.fallback)); },
    [&](const Alloc& x) { return one(BlockType{x.space}); });
}

Types types_of(const Program& p, const Stm& s) {
  Types out = types_of(p, s.exp);
  for (Type& t : out)
    walk(t, [&](Var& v) {
      if (is_result_number(v) && number_of_result(v) < s.pattern.size()) v = s.pattern[number_of_result(v)].var;
    });
  return out;
}

TextId Program::text(std::string_view text) {
  for (size_t i = 0; i < texts.size(); i++)
    if (texts[i] == text) return {uint32_t(i)};
  texts.emplace_back(text);
  return {uint32_t(texts.size() - 1)};
}
Source Program::source(const SourceInfo& info) {
  sources.push_back(info);
  return {uint32_t(sources.size() - 1)};
}
const Function* Program::function(std::string_view name) const {
  for (const Function& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace raido::ir
