// transposed_maps.cc - a map over columns whose results are columns is one over rows.
//
//   let zs = map k (\column c -> let s = .. in map n (\x y -> f x y s c) [column, ys]) [permute [1, 0] xs, cs]               K3
//   let rs = permute [1, 0] zs
//   ==>
//   let ss = map k (\column c -> .. s) [permute [1, 0] xs, cs]
//   let rs = map n (\row y -> map k (\x s c -> f x y s c) [row, ss, cs]) [xs, ys]
//
// Nobody else uses zs. A column may also be read by place, by what filters it: column[i] is xs[i, j], with the number j of the column. Memory is then read and written in its order, rs is made where it is wanted, and the map may fuse with what makes xs. The
// sums of columns that stay have the order that `interchange` gives them. A body with functions or loops stays, too: columns are longer than
// rows as a rule, and have the vectors.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class TransposedMaps {
 public:
  TransposedMaps(Program& p, PassContext& c) : p_(p), c_(c) {
    p.each_body([&](const Body& b) { uses_.add(p, b); });
  }

  void body(Body& whole) {
    Definitions made(whole);
    FlatMap<Var, Var> turned, rows;                      // an array -> what transposes it; -> its rows, which are made instead
    for (const Stm& s : whole.stms)
      if (auto x = transposed(&s); x && uses_.of(x->array) == 1) turned[x->array] = s.pattern[0].var;
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      if (auto x = transposed(&s))
        if (auto found = rows.find(x->array)) s.exp = Identity{*found};
      auto outer = std::get_if<Screma>(&s.exp);
      if (!outer || !std::ranges::all_of(s.pattern, [&](Bind y) { return turned.find(y.var); })) return false;
      const std::vector<Var> now = by_rows(b, made, s, *outer);
      for (size_t k = 0; k < now.size(); k++) rows[s.pattern[k].var] = now[k];
      return !now.empty();
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  Uses uses_;

  static const Permute* transposed(const Stm* s) {
    auto x = s ? std::get_if<Permute>(&s->exp) : nullptr;
    return x && x->dims == std::vector<int>{1, 0} ? x : nullptr;
  }
  bool is_light(const Body& b) const {
    bool light = true;
    each_stm(b, [&](const Stm& s) {
      auto x = std::get_if<Apply>(&s.exp);
      auto few = std::get_if<Screma>(&s.exp);
      auto n = few ? const_of(few->width) : nullptr;
      const bool loops = kind_of(s.exp) == Kind::Loop || (kind_of(s.exp) == Kind::Parallel && !(n && n->as_i64() <= costs::unrolled_window));
      light = light && !loops && !(x && is_call(x->op) && is_float(elem_of(p_, x->args[0])));
    });
    return light;
  }
  // Whether `b` reads nothing of `array` but elements.
  bool reads_elements(const Body& b, Var array) const {
    size_t elements = 0;
    each_stm(b, [&](const Stm& s) {
      auto x = std::get_if<Index>(&s.exp);
      elements += x && x->array == array && x->at.size() == 1 && std::holds_alternative<Atom>(x->at[0]) && is_scalar(p_.type(s.pattern[0].var));
    });
    return count_uses(p_, b, array) == elements;
  }
  static Screma map_of(const Dim& width, std::vector<Var> inputs, Lambda f) {
    return {.width = width, .inputs = std::move(inputs), .pre = std::move(f), .reduces = {}, .scans = {}, .post = {}, .post_reduces = {}};
  }
  bool is_plain(const Screma& x) const {
    return is_map(x) && identity_post(x) && std::ranges::none_of(x.inputs, [&](Var v) { return is_acc(p_.type(v)); });
  }
  // Emits the nest in the other order and returns its results. None: the order stays.
  std::vector<Var> by_rows(Builder& b, const Definitions& made, const Stm& s, const Screma& outer) {
    if (!is_plain(outer) || outer.pre.body.stms.empty()) return {};
    const Stm& last = outer.pre.body.stms.back();
    auto inner = std::get_if<Screma>(&last.exp);
    if (!inner || !is_plain(*inner) || !is_light(inner->pre.body) || !last.checks.empty()) return {};
    std::vector<size_t> which;                           // result of the inner map for each one of the outer
    for (const Atom& a : outer.pre.body.result) {
      auto at = std::ranges::find_if(last.pattern, [&](Bind y) { return a == Atom(y.var); });
      if (at == last.pattern.end()) return {};
      which.push_back(size_t(at - last.pattern.begin()));
    }
    const VarSet inside = bound_in(outer.pre);
    if (auto n = var_of(inner->width); n && inside.contains(*n)) return {};

    // What a row of the new nest takes, and what its elements take.
    struct Rows { Var array; bool as_they_lie; };
    std::vector<Rows> rows;
    std::vector<Var> inputs, values;                     // values: numbers that a column has, and wants
    std::vector<Bind> row_params, params;
    size_t columns = 0, others = 0;
    for (size_t q = 0; q < inner->inputs.size(); q++) {
      const Var v = inner->inputs[q];
      const Bind element = inner->pre.params[q];
      auto param = std::ranges::find_if(outer.pre.params, [&](Bind x) { return x.var == v; });
      if (param != outer.pre.params.end()) {
        if (!is_scalar(p_.type(element.var))) return {};
        const Var array = outer.inputs[size_t(param - outer.pre.params.begin())];
        const Permute* view = transposed(made.of(array));
        (view ? columns : others)++;
        const Var row = p_.fresh(p_.hint(v), lifted(outer.width, row_type(p_.type(v))));
        rows.push_back({view ? view->array : array, view != nullptr});
        row_params.push_back({row});
        inputs.push_back(row);
        params.push_back(element);
      } else if (!inside.contains(v)) {
        rows.push_back({v, true});
        row_params.push_back(element);
      } else {
        return {};
      }
    }
    struct Whole { Var column, array; bool as_it_lies; };
    std::vector<Whole> whole;                            // columns that are read by place
    for (Var v : free_vars(p_, inner->pre)) {
      if (!inside.contains(v)) continue;
      if (is_scalar(p_.type(v))) {
        values.push_back(v);
        continue;
      }
      auto param = std::ranges::find_if(outer.pre.params, [&](Bind x) { return x.var == v; });
      if (param == outer.pre.params.end() || !reads_elements(inner->pre.body, v)) return {};
      const Var array = outer.inputs[size_t(param - outer.pre.params.begin())];
      const Permute* view = transposed(made.of(array));
      (view ? columns : others)++;
      whole.push_back({v, view ? view->array : array, view != nullptr});
    }
    if (columns == 0 || columns < others || !c_.allow()) return {};
    b.checks = s.checks;
    b.attrs = s.attrs;

    Subst renamed;
    if (!values.empty()) {
      Lambda f = clone(p_, outer.pre, &renamed);
      f.body.stms.erase(f.body.stms.back());
      f.body.result.clear();
      std::vector<std::string> hints;
      for (Var v : values) {
        auto found = renamed.find(v);
        f.body.result.push_back(found != renamed.end() ? found->second : Atom(v));
        hints.push_back(p_.hint(v));
      }
      const std::vector<Var> arrays = b.bind(hints, map_of(outer.width, outer.inputs, std::move(f)));
      renamed.clear();
      for (size_t k = 0; k < values.size(); k++) {
        const Var here = p_.fresh(hints[k], p_.type(values[k]));
        inputs.push_back(arrays[k]);
        params.push_back({here});
        renamed.emplace(values[k], here);
      }
    }
    const Var number = p_.fresh("j", scalar_type(Scalar::I64));
    if (!whole.empty()) {
      inputs.push_back(b.iota(outer.width));
      params.push_back({number});
    }
    Screma element = map_of(outer.width, inputs, {params, clone(p_, inner->pre.body)});
    substitute(p_, element.pre.body, renamed);
    each_stm(element.pre.body, [&](Stm& m) {
      auto x = std::get_if<Index>(&m.exp);
      auto from = std::ranges::find_if(whole, [&](const Whole& w) { return x && w.column == x->array; });
      if (from == whole.end()) return;
      x->array = from->array;
      x->at.insert(from->as_it_lies ? x->at.end() : x->at.begin(), Selector(Atom(number)));
    });
    Screma nest = map_of(inner->width, {}, {row_params, {}});
    for (const Rows& x : rows) nest.inputs.push_back(x.as_they_lie ? x.array : b.permute(x.array, {1, 0}));
    std::vector<std::string> hints;
    for (Bind y : last.pattern) hints.push_back(p_.hint(y.var));
    nest.pre.body = b.body([&] {
      const std::vector<Var> results = b.bind(hints, std::move(element));
      std::vector<Atom> all;
      for (size_t k : which) all.push_back(results[k]);
      return all;
    });
    hints.clear();
    for (Bind y : s.pattern) hints.push_back(p_.hint(y.var));
    const std::vector<Var> now = b.bind(hints, std::move(nest));
    c_.stats.count("transposed_maps.K3");
    return now;
  }
};

}  // namespace

void transposed_maps(Program& program, PassContext& context) {
  TransposedMaps pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
