// numbers.cc - small arrays that straight code makes of numbers, inside of parallel operations: who reads an element takes the number.
//
//   let a = update (replicate [2] 0) [1] x      ==>   let a = array [0, x]
//   let c = concat 0 [a, b] 3                         let c = array [0, x, y]          (b is array [y])
//   let e = index c [2]                               let e = y                                    [numbers.element, numbers.array]
//   let r = if p { .. in a } else { .. in b }   ==>   let r0, r1 = if p { .. in a0, a1 } else { .. in b0, b1 }
//                                                     let r = array [r0, r1]                       [numbers.branch]
//
// So are states of loops (states.h).
//
// Views (slices, permutations, other shapes) and copies are looked through. Cells of a scratch array are 0 until they are set. What only
// such reads needed is gone after `dce`. An array that somebody else wants as a whole is one literal, which `place` builds where it will
// lie. So code without loops has no arrays on its way, and the loop around it may be a vector. Reverse mode makes many of them: adjoints of
// points and colours, one update for each element.
#include <algorithm>
#include <optional>
#include <span>

#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"
#include "passes/locality/states.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

using Cells = std::vector<Atom>;                           // row by row

class Numbers {
 public:
  Numbers(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& b, bool inside) {
    Builder builder(p_, b.stms);
    builder.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        auto branch = std::get_if<If>(&s->exp);
        auto scope = std::get_if<WithAcc>(&s->exp);
        const bool parallel = std::holds_alternative<Screma>(s->exp) || std::holds_alternative<Hist>(s->exp);
        walk_parts(*s, [&](Body& inner) {
          const size_t around = scope_;
          if (!branch && !scope) scope_ = ++scopes_;
          body(inner, inside || parallel);
          scope_ = around;
        });
        builder.source = s->source;
        if (inside && branch) { results(builder, *s, *branch); continue; }
        if (inside && scope && dissolve(builder, *s, *scope)) continue;
        if (auto cells = cells_of(*s)) {
          if (inside && is_array(p_.type(s->pattern[0].var))) made(builder, *s, *cells);
          if (inside && is_scalar(p_.type(s->pattern[0].var))) read(*s, *cells);
          known_[s->pattern[0].var] = {std::move(*cells), scope_};
        }
        builder.emit(std::move(s));
      }
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  struct Known {
    Cells cells;
    size_t scope = 0;
  };
  VarMap<Known> known_;
  size_t scope_ = 0, scopes_ = 0;                          // loops and lambdas: what is known around them is, in them, if it is constant

  const Cells* find(const Atom& a) const {
    auto v = var_of(a);
    if (!v) return nullptr;
    const Known& known = known_.at(*v);
    bool here = !known.cells.empty() && (known.scope == scope_ || std::ranges::all_of(known.cells, [](const Atom& c) { return const_of(c); }));
    return here ? &known.cells : nullptr;
  }
  bool has_known_shape(Var v) const { return std::ranges::all_of(shape_of(p_.type(v)), [](const Dim& d) { return const_of(d) != nullptr; }); }
  size_t extent(Var array, size_t d) const { return size_t(const_of(shape_of(p_.type(array))[d])->as_i64()); }

  // The cells of the result, if it is a small array of known ones, or one of them.
  std::optional<Cells> cells_of(const Stm& s) const {
    if (s.pattern.size() != 1) return {};
    if (!has_known_shape(s.pattern[0].var)) return {};
    return match(s.exp,
      [&](const ArrayLit& x) { return joined(x.elements); },
      [&](const Replicate& x) { return replicated(x); },
      [&](const Scratch& x) { return replicated({x.shape, constant(x.elem, 0)}); },   // nobody reads a cell before it is set
      [&](const Identity& x) { return known(x.value); },
      [&](const Copy& x) { return known(x.array); },
      [&](const Reshape& x) { return known(x.array); },
      [&](const Index& x) { return selected(x); },
      [&](const Update& x) { return updated(x); },
      [&](const Permute& x) { return permuted(x); },
      [&](const Concat& x) { return concatenated(x); },
      [](const auto&) { return std::optional<Cells>(); });
  }
  std::optional<Cells> known(const Atom& a) const {
    auto cells = find(a);
    return cells ? std::optional(*cells) : std::nullopt;
  }
  // Numbers, or rows.
  std::optional<Cells> joined(const std::vector<Atom>& elements) const {
    Cells out;
    for (const Atom& a : elements) {
      if (is_scalar(p_.type(a))) { out.push_back(a); continue; }
      auto row = find(a);
      if (!row) return {};
      out.insert(out.end(), row->begin(), row->end());
    }
    return out.size() <= size_t(costs::unrolled_cells) ? std::optional(std::move(out)) : std::nullopt;
  }
  std::optional<Cells> replicated(const Replicate& x) const {
    size_t times = 1;
    for (const Dim& d : x.shape) {
      auto n = const_of(d);
      if (!n || n->as_i64() < 1 || n->as_i64() > costs::unrolled_cells) return {};
      times *= size_t(n->as_i64());
      if (times > size_t(costs::unrolled_cells)) return {};
    }
    return joined(std::vector<Atom>(times, x.value));
  }
  // The numbers of the cells that `at` selects.
  std::optional<std::vector<size_t>> places(Var array, const std::vector<Selector>& at) const {
    std::vector<size_t> out{0};
    for (size_t d = 0; d < shape_of(p_.type(array)).size(); d++) {
      const auto n = i64(extent(array, d));
      Slice slice{i64_const(0), i64_const(n), i64_const(1)};
      if (d < at.size()) slice = match(at[d], [](const Atom& i) { return Slice{i, i64_const(1), i64_const(1)}; }, [](const Slice& s) { return s; });
      auto start = const_of(slice.start), count = const_of(slice.count), stride = const_of(slice.stride);
      if (!start || !count || !stride) return {};
      std::vector<size_t> next;
      for (size_t o : out)
        for (i64 k = 0; k < count->as_i64(); k++) {
          i64 i = start->as_i64() + k * stride->as_i64();
          if (i < 0 || i >= n) return {};
          next.push_back(o * size_t(n) + size_t(i));
        }
      out = std::move(next);
    }
    return out;
  }
  std::optional<Cells> selected(const Index& x) const {
    auto from = find(x.array);
    auto at = from ? places(x.array, x.at) : std::nullopt;
    if (!at || at->empty()) return {};
    Cells out;
    for (size_t i : *at) out.push_back((*from)[i]);
    return out;
  }
  std::optional<Cells> updated(const Update& x) const {
    auto from = find(x.array);
    auto at = from ? places(x.array, x.at) : std::nullopt;
    auto value = at ? joined({x.value}) : std::nullopt;
    if (!value) return {};
    Cells out = *from;
    for (size_t k = 0; k < at->size(); k++) out[(*at)[k]] = (*value)[k];
    return out;
  }
  std::optional<Cells> permuted(const Permute& x) const {
    auto from = find(x.array);
    if (!from) return {};
    std::vector<size_t> stride(x.dims.size(), 1), at{0};
    for (size_t d = x.dims.size() - 1; d-- > 0;) stride[d] = stride[d + 1] * extent(x.array, d + 1);
    for (int d : x.dims) {
      std::vector<size_t> next;
      for (size_t o : at) for (size_t k = 0; k < extent(x.array, size_t(d)); k++) next.push_back(o + k * stride[size_t(d)]);
      at = std::move(next);
    }
    Cells out;
    for (size_t i : at) out.push_back((*from)[i]);
    return out;
  }
  std::optional<Cells> concatenated(const Concat& x) const {
    size_t rows = 1, cells = 0;
    for (Var v : x.arrays) {
      if (!find(v)) return {};
      cells += find(v)->size();
    }
    for (size_t d = 0; d < size_t(x.dim); d++) rows *= extent(x.arrays[0], d);
    if (cells > size_t(costs::unrolled_cells)) return {};
    Cells out;
    for (size_t r = 0; r < rows; r++)
      for (Var v : x.arrays) {
        const Cells& part = *find(v);
        const size_t n = part.size() / rows;
        out.insert(out.end(), part.begin() + i64(r * n), part.begin() + i64((r + 1) * n));
      }
    return out;
  }

  // ---- rewriting ----

  ArrayLit literal(Builder& b, Var like, std::span<const Dim> shape, std::span<const Atom> cells) {
    if (shape.size() == 1) return {{cells.begin(), cells.end()}};
    ArrayLit out;
    const size_t n = size_t(const_of(shape[0])->as_i64()), row = cells.size() / n;
    for (size_t k = 0; k < n; k++) out.elements.push_back(b.bind1(p_.hint(like), literal(b, like, shape.subspan(1), cells.subspan(k * row, row))));
    return out;
  }
  void read(Stm& s, const Cells& cells) {
    if (!std::holds_alternative<Index>(s.exp) || !context_.allow()) return;
    context_.stats.count("numbers.element");
    s.exp = Identity{cells[0]};
    s.checks = {};
  }
  // Views cost nothing, and stay. A row that a literal has twice would be copied.
  void made(Builder& b, Stm& s, const Cells& cells) {
    auto rows = std::get_if<ArrayLit>(&s.exp);
    bool twice = rows && is_array(p_.type(rows->elements[0])) && std::ranges::any_of(rows->elements, [&](const Atom& a) { return std::ranges::count(rows->elements, a) > 1; });
    if (!(std::holds_alternative<Update>(s.exp) || std::holds_alternative<Concat>(s.exp) || twice) || !context_.allow()) return;
    context_.stats.count("numbers.array");
    Var v = s.pattern[0].var;
    b.checks = {};
    s.exp = literal(b, v, shape_of(p_.type(v)), cells);
    s.checks = {};
  }
  // A scope whose updates are at known places of known arrays.
  bool dissolve(Builder& b, Stm& s, WithAcc& x) {
    const size_t n = x.dests.size();
    std::vector<Cells> cells;
    VarMap<size_t> number;                                 // an accumulator -> its dest + 1
    for (size_t k = 0; k < n; k++) {
      const Dest& d = x.dests[k];
      auto from = d.arrays.size() == 1 ? find(d.arrays[0]) : nullptr;
      if (!from || !std::get<AccType>(p_.type(x.scope.params[n + k].var)).elems[0].shape.empty() || (d.combine && !scalar_operator(p_, *d.combine))) return false;
      cells.push_back(*from);
      number[x.scope.params[n + k].var] = k + 1;
    }
    auto place_of = [&](const AccUpdate& u) { return places(x.dests[number[u.acc] - 1].arrays[0], {u.at.begin(), u.at.end()}); };
    for (const Stm& inner : x.scope.body.stms) {
      bool uses = false;
      each_use(p_, inner, [&](Var v) { uses = uses || number[v]; });
      if (!uses) continue;
      auto u = std::get_if<AccUpdate>(&inner.exp);
      if (!u || !number[u->acc] || !place_of(*u)) return false;
      const size_t same = number[u->acc];                  // before the table may grow
      number[inner.pattern[0].var] = same;
    }
    if (!context_.allow()) return false;
    context_.stats.count("numbers.scope");
    for (auto& inner : x.scope.body.stms.take()) {
      auto u = std::get_if<AccUpdate>(&inner->exp);
      if (!u || !number[u->acc]) { b.emit(std::move(inner)); continue; }
      const size_t k = number[u->acc] - 1;
      Atom& cell = cells[k][(*place_of(*u))[0]];
      cell = x.dests[k].combine ? b.inline_call(x.dests[k].combine->op, {cell, u->values[0]})[0] : u->values[0];
    }
    b.checks = {};
    for (size_t k = 0; k < s.pattern.size(); k++) {
      const Bind bind = s.pattern[k];
      if (k >= n) {
        b.emit({{bind}, Identity{x.scope.body.result[k]}, {}, b.source, {}});
        if (auto same = known(x.scope.body.result[k])) known_[bind.var] = {std::move(*same), scope_};
        continue;
      }
      b.emit({{bind}, literal(b, bind.var, shape_of(p_.type(bind.var)), cells[k]), {}, b.source, {}});
      known_[bind.var] = {std::move(cells[k]), scope_};
    }
    return true;
  }
  void results(Builder& b, Stm& s, If& x) {
    std::vector<Bind> pattern;
    Cells yes, no;
    struct Array { Bind bind; Cells cells; };
    std::vector<Array> arrays;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      const Bind bind = s.pattern[k];
      const Atom &a = x.then_.result[k], &c = x.else_.result[k];
      auto from = is_array(p_.type(bind.var)) && has_known_shape(bind.var) ? find(a) : nullptr, other = from ? find(c) : nullptr;
      if (!other || !context_.allow()) {
        pattern.push_back(bind);
        yes.push_back(a);
        no.push_back(c);
        continue;
      }
      context_.stats.count("numbers.branch");
      arrays.push_back({bind, {}});
      for (size_t i = 0; i < from->size(); i++) {
        pattern.push_back({p_.fresh(p_.hint(bind.var), scalar_type(elem_of(p_, bind.var)))});
        arrays.back().cells.push_back(pattern.back().var);
        yes.push_back((*from)[i]);
        no.push_back((*other)[i]);
      }
    }
    s.pattern = std::move(pattern);
    x.then_.result = std::move(yes);
    x.else_.result = std::move(no);
    b.emit(std::move(s));
    for (Array& a : arrays) {
      b.emit({{a.bind}, literal(b, a.bind.var, shape_of(p_.type(a.bind.var)), a.cells), {}, b.source, {}});
      known_[a.bind.var] = {std::move(a.cells), scope_};
    }
  }
};

}  // namespace

void numbers(Program& program, PassContext& context) {
  if (program.level != Ad) split_states(program, context);
  Numbers pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
