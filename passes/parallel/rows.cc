// rows.cc - reductions and scans by an operator that works on the elements of rows, or on the components of tuples, one by one.
//
//   reduce n (\xs ys -> map m (+) xs ys) (replicate m 0) rows   ==>   reduce n (+) [0] of shape [m] rows
//   reduce n (\a b c d -> (a + c, max b d)) (0, -inf) xs ys     ==>   reduce n (+) [0] xs, reduce n max [-inf] ys   (in one screma)
//
// On processors a row of results is then updated in place, if possible by the loop that makes the rows (sequentialise.cc). Also
// zero_seeds.cc and interchange.cc see which operator it is. Sums and extrema of numbers are for vectors. On devices columns.cc goes on,
// and what a histogram combines comes apart, too.
#include <algorithm>
#include <set>

#include "compiler/ir/transform.h"
#include "passes/cleanup/dce.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Rows {
 public:
  Rows(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& b) {
    for (Stm& s : b.stms) {
      note(s);
      if (auto x = std::get_if<Screma>(&s.exp))
        for (auto* list : {&x->reduces, &x->scans, &x->post_reduces})
          *list = parts(std::move(*list));
      if (auto x = std::get_if<Hist>(&s.exp); x && context_.target == Target::Gpu) parts(*x);      // columns.cc goes on with it
      walk_parts(s, [&](Body& inner) { body(inner); });
    }
  }

 private:
  Program& p_;
  PassContext& context_;
  struct Filled { std::vector<Dim> shape; std::optional<Atom> value; };
  VarMap<Filled> filled_;                                  // arrays of one value

  void note(const Stm& s) {
    if (auto x = std::get_if<Replicate>(&s.exp)) {
      Filled f{x->shape, x->value};
      if (auto inner = var_of(x->value); inner && is_array(p_.type(*inner))) {
        f.value = filled_[*inner].value;
        for (const Dim& d : filled_[*inner].shape) f.shape.push_back(d);
      }
      filled_[s.pattern[0].var] = f;
    }
    auto x = std::get_if<ArrayLit>(&s.exp);
    if (x && const_of(x->elements[0]) && std::ranges::all_of(x->elements, [&](const Atom& a) { return a == x->elements[0]; }))
      filled_[s.pattern[0].var] = {{i64_const(i64(x->elements.size()))}, x->elements[0]};
  }

  // The same for what a histogram combines. Each part is a histogram of its own, at the same places.
  void parts(Hist& x) {
    std::vector<Dest> dests;
    std::vector<Atom> made = std::move(x.pre.body.result), index, values;
    size_t at = 0;
    for (Dest& d : x.dests) {
      std::vector<Combine> ops;
      if (d.combine) {
        ops.push_back(std::move(*d.combine));
        ops = parts(std::move(ops));
      }
      size_t first = 0, end = at + size_t(d.rank);
      for (size_t k = 0; k < std::max<size_t>(1, ops.size()); k++) {
        size_t n = ops.empty() ? d.arrays.size() : ops[k].neutral.size();
        Dest part = d;
        part.arrays.assign(d.arrays.begin() + i64(first), d.arrays.begin() + i64(first + n));
        part.combine = ops.empty() ? std::nullopt : std::optional(std::move(ops[k]));
        dests.push_back(std::move(part));
        index.insert(index.end(), made.begin() + i64(at), made.begin() + i64(end));
        first += n;
      }
      at = end;
    }
    values.assign(made.begin() + i64(at), made.end());
    x.dests = std::move(dests);
    x.pre.body.result = std::move(index);
    x.pre.body.result.insert(x.pre.body.result.end(), values.begin(), values.end());
  }
  // Each operator as those of its components that need one another, if they stand side by side.
  std::vector<Combine> parts(std::vector<Combine> ops) {
    std::vector<Combine> out;
    for (Combine& c : ops) {
      of_elements(c);
      std::vector<size_t> group = groups_of(p_, context_, c);
      std::vector<size_t> firsts;
      for (size_t k = 0; k < group.size(); k++) if (k == 0 || group[k] != group[k - 1]) firsts.push_back(k);
      size_t different = std::set<size_t>(group.begin(), group.end()).size();
      if (different == 1 || different != firsts.size() || !context_.allow()) { out.push_back(std::move(c)); continue; }
      context_.stats.count("rows.components");
      for (size_t first : firsts) {
        std::vector<bool> which;
        for (size_t g : group) which.push_back(g == group[first]);
        out.push_back(part_of(p_, context_, clone(p_, c), which));
        of_elements(out.back());
      }
    }
    return out;
  }
  void of_elements(Combine& c) {
    if (!c.shape.empty()) return;
    std::vector<Atom> elements;                            // neutral
    std::vector<Dim> shape;
    for (const Atom& ne : c.neutral) {
      auto v = var_of(ne);
      if (!v || !is_array(p_.type(*v))) return;
      const Filled& fill = filled_[*v];
      if (!fill.value || (!shape.empty() && fill.shape != shape)) return;
      shape = fill.shape;
      elements.push_back(*fill.value);
    }
    auto op = c.op.params.empty() ? std::nullopt : element_operator(c.op, shape.size());
    if (!op || !context_.allow()) return;
    context_.stats.count("rows.operator");
    c = {clone(p_, *op), std::move(elements), std::move(shape), c.commutative};
  }
  // What a nest of `depth` maps over all parameters, and nothing else, does with their elements.
  std::optional<Lambda> element_operator(const Lambda& f, size_t depth) const {
    if (depth == 0) {
      for (const Stm& s : f.body.stms)
        if (!std::holds_alternative<Apply>(s.exp) && !std::holds_alternative<Convert>(s.exp)) return {};
      return f;
    }
    auto map = f.body.stms.size() == 1 ? std::get_if<Screma>(&f.body.stms[0].exp) : nullptr;
    if (!map || !is_map(*map) || f.body.stms[0].pattern.size() != f.body.result.size() || map->inputs.size() != f.params.size()) return {};
    for (size_t k = 0; k < f.body.result.size(); k++)
      if (f.body.result[k] != Atom(f.body.stms[0].pattern[k].var)) return {};
    Lambda inner = map->pre;
    inner.params.clear();
    for (Bind x : f.params)                                // in the order of the operator's
      for (size_t k = 0; k < map->inputs.size(); k++)
        if (map->inputs[k] == x.var) inner.params.push_back(map->pre.params[k]);
    if (inner.params.size() != f.params.size()) return {};
    VarSet once;
    for (Bind x : inner.params) {
      if (once.contains(x.var)) return {};
      once.insert(x.var);
    }
    return element_operator(inner, depth - 1);
  }
};

}  // namespace

void rows(Program& program, PassContext& context) {
  Rows pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
