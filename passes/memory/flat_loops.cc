// flat_loops.cc - a loop over rows, and one in it over the elements of a row, are one loop where the arrays have no gaps.
//
//   let ys' = for i < n (ys = a) {
//     let r  = scratch [m]                                   where row i of ys lies
//     let r' = for j < m (r) { .. xs[i, j] .. r with [j] = y }
//     in ys with [i] = r' in place
//   }
//     ==>
//   let zs  = for q < n m (z = reshape a) { .. (reshape xs)[q] .. z with [q] = y }
//   let ys' = reshape zs                                                                                                                         N2
//
//   seg task (i < n) { let r = scratch [m] ; for j < m (r) { .. r with [j] = y } }    ==>    reshape (seg task (q < n m) { .. y })               N3
//
// Short rows leave nothing for vectors, and long rows leave a rest, each. So it is for what runs in lanes. The body may use i and j only
// together, in this order.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class FlatLoops {
 public:
  FlatLoops(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      if (auto x = std::get_if<For>(&s.exp)) return loop(b, s, *x);
      auto task = std::get_if<Seg>(&s.exp);
      return task && this->task(b, s, *task);
    });
  }

 private:
  Program& p_;
  PassContext& context_;

  // A loop over rows: n iterations i, whose body has one loop, and around that only what says where rows lie.
  struct Nest {
    Var i;
    Dim n;
    const Body& body;
    const Stm* inside = nullptr;
    Subst row_of = {};                                       // rows i of arrays, and these
    const For& inner() const { return std::get<For>(inside->exp); }
  };

  static bool is_plain(const Stm& s, const For& x) {
    return s.attrs.empty() && s.checks.empty() && x.vectors == Vectors::Open && !x.any_order && !x.sums && !x.blocks && !x.counted && !x.group && !x.budget && !x.slots;
  }
  const ArrayType* placed(Var v) const {
    auto a = std::get_if<ArrayType>(&p_.type(v));
    return a && a->place ? a : nullptr;
  }
  // Rows of m elements, one after the other.
  bool has_no_gaps(Var v, const Dim& n, const Dim& m) const {
    auto a = placed(v);
    return a && a->shape == std::vector<Dim>{n, m} && a->place->layout.strides == std::vector<Atom>{m, Atom(i64_const(1))};
  }
  bool is_row_of(Var row, Var array) const {
    auto a = placed(row);
    return a && a->shape.size() == 1 && a->place->block == placed(array)->place->block && is_const(a->place->layout.strides[0], 1);
  }
  // `puts`: whether a statement puts results of the inner loop in their places.
  template <class F> bool finds(Nest& nest, const F& puts) const {
    for (const Stm& t : nest.body.stms) {
      if (!std::holds_alternative<For>(t.exp)) continue;
      if (nest.inside) return false;
      nest.inside = &t;
    }
    if (!nest.inside || !is_plain(*nest.inside, nest.inner()) || nest.inner().state.empty()) return false;
    const Dim& m = nest.inner().n;
    if (auto v = var_of(m); v && bound_in(nest.body).contains(*v)) return false;
    for (const Stm& t : nest.body.stms) {
      if (&t == nest.inside) continue;
      if (!t.checks.empty() || !t.attrs.empty()) return false;
      if (std::holds_alternative<Scratch>(t.exp) || std::holds_alternative<Apply>(t.exp)) continue;
      auto read = std::get_if<Index>(&t.exp);
      if (read && read->at == std::vector<Selector>{Atom(nest.i)} && has_no_gaps(read->array, nest.n, m)) nest.row_of.emplace(t.pattern[0].var, read->array);
      else if (!puts(t)) return false;
    }
    return true;
  }
  // State h of the inner loop is made in this row of the array.
  bool makes_rows_of(const Nest& nest, size_t h, Var array) const {
    const For& y = nest.inner();
    auto is_made = [&](const Stm& t) { return std::holds_alternative<Scratch>(t.exp) && Atom(t.pattern[0].var) == y.init[h]; };
    return has_no_gaps(array, nest.n, y.n) && is_row_of(y.state[h].var, array) && std::any_of(nest.body.stms.begin(), nest.body.stms.end(), is_made);
  }

  // The body of the one loop. It is a copy, so that the loops stay as they are if anything else uses what an iteration of the outer one binds.
  struct Flat {
    Var all, q;                                              // how many iterations there are, and their counter
    Body body;
    std::vector<std::pair<Var, Var>> views = {};             // arrays, and what they are without dimensions
    VarSet gone = {};                                        // what the one loop does not have
  };
  Flat flat_of(const Nest& nest) {
    Flat f{p_.fresh("cells", scalar_type(Scalar::I64)), p_.fresh(p_.hint(nest.i), scalar_type(Scalar::I64)), clone(p_, nest.inner().body)};
    f.gone = bound_in(nest.body);
    f.gone.insert(nest.i);
    return f;
  }
  Type flat_type(Var array, Var all) const {
    ArrayType t = *placed(array);
    t.shape = {Atom(all)};
    t.place->layout.strides = {Atom(i64_const(1))};
    return t;
  }
  Var view(Flat& f, Var array) {
    for (auto [from, to] : f.views) if (from == array) return to;
    f.views.emplace_back(array, p_.fresh(p_.hint(array), flat_type(array, f.all)));
    return f.views.back().second;
  }
  void read_flat(const Nest& nest, Flat& f) {
    const For& y = nest.inner();
    const std::vector<Selector> element = {Atom(y.i.var)}, cell = {Atom(nest.i), Atom(y.i.var)}, here = {Atom(f.q)};
    const VarSet inside = bound_in(f.body);
    each_stm(f.body, [&](Stm& t) {
      auto read = std::get_if<Index>(&t.exp);
      if (!read || inside.contains(read->array)) return;
      auto row = nest.row_of.find(read->array);
      if (row != nest.row_of.end() && read->at == element) *read = {view(f, *var_of(row->second)), here};
      else if (read->at == cell && has_no_gaps(read->array, nest.n, y.n)) *read = {view(f, read->array), here};
    });
  }
  bool is_whole(const Nest& nest, const Flat& f) const {
    bool left = std::ranges::any_of(f.views, [&](const auto& v) { return f.gone.contains(v.first); });
    each_use(p_, f.body, [&](Var v) { left = left || f.gone.contains(v) || v == nest.inner().i.var; });
    return !left;
  }
  static void emit_views(Builder& b, const Nest& nest, const Flat& f) {
    b.emit({{{f.all}}, Apply{ScalarOp::mul, {nest.n, nest.inner().n}}, {}, b.source, {}});
    for (auto [array, without] : f.views) b.emit({{{without}}, Reshape{array, {Atom(f.all)}}, {}, b.source, {}});
  }
  void emit_results(Builder& b, const Nest& nest, const Flat& f, Exp one, const std::vector<Bind>& results) {
    std::vector<Bind> made;
    for (Bind v : results) made.push_back({p_.fresh(p_.hint(v.var), flat_type(v.var, f.all))});
    b.emit({made, std::move(one), {}, b.source, {}});
    for (size_t h = 0; h < results.size(); h++) b.emit({{results[h]}, Reshape{made[h].var, {nest.n, nest.inner().n}}, {}, b.source, {}});
  }

  bool loop(Builder& b, Stm& s, const For& x) {
    if (!is_plain(s, x)) return false;
    Nest nest{x.i.var, x.n, x.body};
    std::vector<std::pair<Var, size_t>> put;                 // results of the inner loop, and states of x
    auto puts = [&](const Stm& t) {
      auto update = std::get_if<Update>(&t.exp);
      if (!update || !update->in_place || update->at != std::vector<Selector>{Atom(x.i.var)} || !var_of(update->value)) return false;
      for (size_t k = 0; k < x.state.size(); k++)
        if (update->array == x.state[k].var && x.body.result[k] == Atom(t.pattern[0].var)) put.emplace_back(*var_of(update->value), k);
      return true;
    };
    if (!finds(nest, puts)) return false;
    const For& y = nest.inner();
    if (x.state.size() != y.state.size() || put.size() != y.state.size()) return false;

    Flat f = flat_of(nest);
    For one{{f.q}, Atom(f.all), {}, {}, {}};
    std::vector<Bind> results;
    std::unordered_map<Var, Type> types;                     // of states, by their block
    VarSet versions;                                         // of states
    Subst state, whole;                                      // of y, of x: what stands for them
    for (Bind v : x.state) f.gone.insert(v.var);
    for (size_t h = 0; h < y.state.size(); h++) {
      auto found = std::ranges::find(put, nest.inside->pattern[h].var, &std::pair<Var, size_t>::first);
      if (found == put.end()) return false;
      const size_t k = found->second;
      const Var array = x.state[k].var;
      if (!makes_rows_of(nest, h, array) || !types.emplace(placed(array)->place->block, flat_type(array, f.all)).second) return false;
      one.state.push_back({p_.fresh(p_.hint(array), flat_type(array, f.all))});
      one.init.push_back(view(f, *var_of(x.init[k])));
      results.push_back(s.pattern[k]);
      state.emplace(y.state[h].var, one.state[h].var);
      whole.emplace(array, one.state[h].var);
      versions.insert(y.state[h].var);
    }
    walk(f.body, [&](Bind& v) {
      auto row = placed(v.var);
      auto type = row && row->shape == std::vector<Dim>{y.n} ? types.find(row->place->block) : types.end();
      if (type == types.end()) return;
      p_.vars[v.var.index].type = type->second;
      versions.insert(v.var);
    });
    const std::vector<Selector> element = {Atom(y.i.var)}, cell = {Atom(x.i.var), Atom(y.i.var)}, here = {Atom(f.q)};
    each_stm(f.body, [&](Stm& t) {
      if (auto u = std::get_if<Update>(&t.exp); u && versions.contains(u->array) && u->at == element) u->at = here;
      auto r = std::get_if<Index>(&t.exp);
      if (!r) return;
      if (versions.contains(r->array) && r->at == element) r->at = here;
      else if (auto now = whole.find(r->array); now != whole.end() && r->at == cell) *r = {*var_of(now->second), here};   // before it is stored
    });
    substitute(p_, f.body, state);
    read_flat(nest, f);
    if (!is_whole(nest, f) || !context_.allow()) return false;
    b.source = s.source;
    emit_views(b, nest, f);
    one.body = std::move(f.body);
    emit_results(b, nest, f, std::move(one), results);
    context_.stats.count("flat_loops.N2");
    return true;
  }

  bool task(Builder& b, Stm& s, const Seg& x) {
    if (!s.attrs.empty() || x.level != SegLevel::Task || x.index.size() != 1 || x.vectors != Vectors::Open || x.parts || x.group || x.collective) return false;
    if (!x.reduces.empty() || !x.scans.empty() || !x.post.params.empty() || !x.post_reduces.empty() || !x.dests.empty() || !x.workspaces.empty()) return false;
    Nest nest{x.index[0].var, x.extent[0], x.body};
    if (!finds(nest, [](const Stm&) { return false; })) return false;
    const For& y = nest.inner();
    if (x.body.result.size() != y.state.size()) return false;
    Flat f = flat_of(nest);
    std::vector<Atom> numbers;
    VarSet updates;
    for (size_t h = 0; h < y.state.size(); h++) {            // each iteration stores its number last, and nobody reads it
      if (x.body.result[h] != Atom(nest.inside->pattern[h].var) || !makes_rows_of(nest, h, s.pattern[h].var)) return false;
      for (const Stm& t : f.body.stms) {
        auto u = std::get_if<Update>(&t.exp);
        if (!u || u->array != y.state[h].var || u->at != std::vector<Selector>{Atom(y.i.var)} || f.body.result[h] != Atom(t.pattern[0].var) || !is_scalar(p_.type(u->value))) continue;
        numbers.push_back(u->value);
        updates.insert(t.pattern[0].var);
      }
      if (numbers.size() != h + 1) return false;
    }
    f.body.stms.filter_backwards([&](const Stm& t) { return t.pattern.empty() || !updates.contains(t.pattern[0].var); });
    f.body.result = std::move(numbers);
    read_flat(nest, f);
    if (!is_whole(nest, f) || !context_.allow()) return false;
    b.source = s.source;
    emit_views(b, nest, f);
    Body one = std::move(f.body);
    emit_results(b, nest, f, Seg{SegLevel::Task, {{f.q}}, {Atom(f.all)}, std::move(one), {}, {}, {}, {}, {}}, s.pattern);
    context_.stats.count("flat_loops.N3");
    return true;
  }
};

}  // namespace

void flat_loops(Program& program, PassContext& context) {
  program.each_body([&](Body& b) { FlatLoops(program, context).body(b); });
}

}  // namespace raido
