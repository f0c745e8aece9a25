// reads.cc - see reads.h.
#include "passes/parallel/reads.h"

#include <algorithm>

#include "compiler/ir/types.h"
#include "compiler/ir/visit.h"

namespace raido {
using namespace ir;

bool Reads::gain(const Screma& map, const Screma& at, const Screma& reduce) {
  enter(map, 0);
  for (const Stm& s : map.pre.body.stms) {
    if (auto x = std::get_if<Screma>(&s.exp); x == &at) break;
    statement(s, 0);
  }
  next_ = far_ = 0;
  plain_ = own_rows_ = true;
  enter(reduce, 1);
  for (const Stm& s : reduce.pre.body.stms) statement(s, 1);
  return plain_ && next_ > 0 && far_ == 0;
}
Reads::Strides Reads::order(Var v) {
  if (!order_[v].empty()) return order_[v];
  size_t rank = shape_of(p_.type(v)).size();
  Strides dims(rank, Stride::Far);
  if (rank > 0) dims.back() = Stride::Next;
  if (const Exp* view = views_[v]) {
    if (auto turned = std::get_if<Permute>(view)) {
      Strides from = order(turned->array);
      for (size_t d = 0; d < rank; d++) dims[d] = from[size_t(turned->dims[d])];
    } else if (auto part = std::get_if<Index>(view)) {
      dims = left(order(part->array), part->at);
    }
  }
  return order_[v] = dims;
}
Reads::Strides Reads::left(const Strides& dims, const std::vector<Selector>& at) {
  Strides out;
  for (size_t d = 0; d < dims.size(); d++)
    if (d >= at.size() || std::holds_alternative<Slice>(at[d])) out.push_back(dims[d]);
  return out;
}
Reads::Stride Reads::moves(const Atom& a, size_t depth) {
  auto v = var_of(a);
  const Strides* steps = v ? moves_.find(*v) : nullptr;
  return steps && depth < steps->size() ? (*steps)[depth] : Stride::None;
}
void Reads::set(Var v, size_t depth, Stride s) {
  Strides& steps = moves_[v];
  if (steps.size() <= depth) steps.resize(depth + 1);
  steps[depth] = s;
}
void Reads::read(Var place, size_t depth) {
  Stride outer = moves(place, 0);
  if (outer == Stride::Far) far_++;
  if (outer == Stride::Next && moves(place, depth) == Stride::Far) next_++;
}
void Reads::enter(const Screma& x, size_t depth) {
  for (size_t k = 0; k < x.inputs.size(); k++) {
    Var from = x.inputs[k], param = x.pre.params[k].var;
    if (!is_array(p_.type(from))) continue;
    const Exp* made = views_[from];
    auto iota = made ? std::get_if<Iota>(made) : nullptr;
    for (size_t d = 0; d < depth; d++) set(param, d, moves(from, d));
    if (iota) { set(param, depth, iota->step == Atom(i64_const(1)) ? Stride::Next : Stride::Far); continue; }
    Strides dims = order(from);
    set(param, depth, dims[0]);
    dims.erase(dims.begin());
    order_[param] = dims;
    if (dims.empty() && depth > 0) read(param, depth);
    if (dims.empty()) moves_[param] = Strides(depth + 1, Stride::Far);   // its value, from here on
  }
}
void Reads::statement(const Stm& s, size_t depth) {
  Var v = s.pattern.empty() ? Var{} : s.pattern[0].var;
  match(s.exp,
    [&](const Index& x) {
      Strides dims = order(x.array);
      for (size_t d = 0; d <= depth; d++) {
        Stride step = moves(x.array, d);
        for (size_t i = 0; i < x.at.size(); i++) {
          auto at = std::get_if<Atom>(&x.at[i]);
          Stride by = moves(at ? *at : std::get<Slice>(x.at[i]).start, d);
          if (by != Stride::None) step = sum(step, by == Stride::Next ? dims[i] : Stride::Far);
        }
        set(v, d, step);
      }
      order_[v] = left(dims, x.at);
      if (!is_scalar(p_.type(v))) return;
      if (depth > 0) read(v, depth);
      moves_[v] = Strides(depth + 1, Stride::Far);
    },
    [&](const Permute& x) {
      Strides from = order(x.array), dims;
      for (int d : x.dims) dims.push_back(from[size_t(d)]);
      order_[v] = dims;
      moves_[v] = Strides(moves_[x.array]);
    },
    [&](const Identity& x) { for (size_t d = 0; d <= depth; d++) set(v, d, moves(x.value, d)); },
    [&](const Apply& x) {
      for (size_t d = 0; d <= depth; d++) {
        Stride step = Stride::None;
        for (const Atom& a : x.args) step = sum(step, moves(a, d));
        set(v, d, step == Stride::None || x.op == ScalarOp::add ? step : Stride::Far);
      }
    },
    [&](const Convert& x) { for (size_t d = 0; d <= depth; d++) set(v, d, moves(x.value, d) == Stride::None ? Stride::None : Stride::Far); },
    [&](const If& x) {
      for (const Body* b : {&x.then_, &x.else_}) for (const Stm& inner : b->stms) statement(inner, depth);
      for (Bind y : s.pattern) moves_[y.var] = Strides(depth + 1, Stride::Far);
    },
    [&](const AccUpdate& x) {
      for (size_t d = 0; d <= depth; d++) {
        Stride step = Stride::None;
        for (size_t i = 0; i < x.at.size(); i++)
          if (Stride by = moves(x.at[i], d); by != Stride::None) step = sum(step, by == Stride::Next && i + 1 == x.at.size() ? Stride::Next : Stride::Far);
        set(v, d, step);
      }
      own_rows_ = own_rows_ && moves(v, 0) == Stride::None && std::ranges::any_of(x.at, [&](const Atom& i) { return moves(i, 1) == Stride::Next; });
      if (depth > 0) read(v, depth);
    },
    [&](const Screma& x) {
      for (Bind y : s.pattern) plain_ = plain_ && !is_array(p_.type(y.var));
      plain_ = plain_ && x.scans.empty() && x.post_reduces.empty();
      enter(x, depth + 1);
      for (const Stm& inner : x.pre.body.stms) statement(inner, depth + 1);
    },
    [&](const auto&) { plain_ = false; });
}

}  // namespace raido
