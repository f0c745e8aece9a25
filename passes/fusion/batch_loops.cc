// batch_loops.cc - on devices, a map around a loop whose iterations multiply matrices is a loop around maps (B1).
//
//   map \(xs, p) {                                                let (c, s0) = map \(xs, p) { .. } [xss, ps]
//     ..                                                          let s' = for k < n (s = s0) {
//     let s' = for k < n (s = s0) {                     B1        map \(s, xs, c) { .. } [s, xss, c] }
//       .. in map \w { reduce (+) (w * s) } W }         ==>       map \(s', xs, p, c) { .. } [s', xss, ps, c]
//     .. } [xss, ps]
//
// A network that goes through a sequence, written for one sequence, multiplies its weights by a vector in each step. With a map of all
// sequences in the step these are products of matrices, which run in tiles and read the weights once. It comes before differentiation, so
// the return sweep is such a loop, too. What its iterations add to the adjoints of the weights is one product after it (time_sums.cc).
//
// The loop has to have a sum over products of elements: one element is the same for all points of one map around the sum, and the other
// for all points of another one. One of these maps may be the map around the loop. The number of iterations is the same in all of its points,
// and so are the shapes of states. Numbers that are the same at all points, such as the time, stay numbers of the loop.
//
// Values from before the loop that are steps, reads or views are made again where somebody wants them. The map before the loop returns
// others, proofs among them, so that the same assertion fails first at each point.
//
// Small products stay in the loop of a thread (costs::gpu::batch_work). The program asks, around the operator of differentiation if there is one.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

// Whether a loop in a map has sums that are contractions once the map is inside of the loop.
class ContractionSearch {
 public:
  ContractionSearch(const Program& p, const Screma& map) : p_(p) {
    for (Bind v : map.pre.params) of_[v.var] = dimension(map);
    mark(map.pre.body);
  }
  // Of each contraction: the extents of the maps, and of the sum.
  std::vector<std::vector<Dim>> in(const For& x) {
    found_ = {};
    mark(x);
    return found_;
  }

 private:
  using Dims = uint64_t;                                     // a bit for each map: a value is another one at each of its points
  const Program& p_;
  std::unordered_map<const Screma*, Dims> own_;
  std::vector<Dim> width_;                                   // of each bit
  Dims large_ = 0;                                           // maps of as many points as tiles ask for, as far as that is known
  VarMap<Dims> of_;
  std::vector<std::vector<Dim>> found_;

  Dims dimension(const Screma& x) {
    auto [place, is_new] = own_.try_emplace(&x, own_.size() < 64 ? Dims(1) << own_.size() : 0);
    if (!is_new) return place->second;
    auto known = const_of(x.width);
    if (!known || known->as_i64() >= costs::gpu::tile_rows) large_ |= place->second;
    width_.push_back(x.width);
    return place->second;
  }
  // All dimensions of an operand of one side that the other side does not have.
  void contraction(Dims dims) {
    std::vector<Dim> extents;
    for (size_t k = 0; k < std::min<size_t>(width_.size(), 64); k++) if (dims >> k & 1) extents.push_back(width_[k]);
    if (std::ranges::find(found_, extents) == found_.end()) found_.push_back(std::move(extents));
  }
  template <class X> Dims used(const X& x) const {
    Dims all = 0;
    for (Var v : free_vars(p_, x)) all |= of_.at(v);
    return all;
  }
  void mark(const Body& b) {
    for (const Stm& s : b.stms) {
      if (auto x = std::get_if<Screma>(&s.exp)) mark(*x);
      else if (auto loop = std::get_if<For>(&s.exp)) mark(*loop);
      else walk_parts(s, [&](const Body& inner) { mark(inner); });
      const Dims all = used(s);
      for (Bind v : s.pattern) of_[v.var] = all;
    }
  }
  void mark(const For& x) {
    for (size_t k = 0; k < x.state.size(); k++) of_[x.state[k].var] = used(x.init[k]);
    for (bool more = true; more;) {
      mark(x.body);
      more = false;
      for (size_t k = 0; k < x.state.size(); k++) {
        Dims& now = of_[x.state[k].var];
        const Dims next = now | used(x.body.result[k]);
        more = more || next != now;
        now = next;
      }
    }
  }
  void mark(const Screma& x) {
    const Dims own = dimension(x);
    for (size_t k = 0; k < x.inputs.size(); k++) of_[x.pre.params[k].var] = of_.at(x.inputs[k]) | own;
    mark(x.pre.body);
    if (x.reduces.empty() || !(own & large_)) return;
    std::vector<Dims> elements;
    auto note = [&](Var v) { if (is_scalar(p_.type(v))) elements.push_back(of_.at(v) & large_ & ~own); };
    for (Bind v : x.pre.params) note(v.var);
    for (const Stm& s : x.pre.body.stms) if (std::holds_alternative<Index>(s.exp)) note(s.pattern[0].var);
    for (Dims a : elements) for (Dims b : elements) if ((a & ~b) && (b & ~a)) contraction((a ^ b) | own);
  }
};

class BatchLoops {
 public:
  BatchLoops(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), own_memory_(aliases_.own_memory()), definitions_(p) {}
  bool changed = false;

  // Makes the choice around operations of the CPU's code.
  void choose(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      const Kind kind = kind_of(s.exp);
      if (kind != Kind::Parallel && kind != Kind::Operator) {
        if (!is_choice(s)) walk_parts(s, [&](Body& inner) { choose(inner); });
        return false;
      }
      std::vector<std::vector<Dim>> contractions;
      Body alone;
      alone.stms.push_back(s);
      each_stm(alone, [&](const Stm& inner) {
        auto map = std::get_if<Screma>(&inner.exp);
        auto found = map ? find(inner, *map) : std::nullopt;
        if (found) for (auto& extents : found->contractions) contractions.push_back(std::move(extents));
      });
      if (contractions.empty() || !context_.allow()) return false;
      const VarSet bound = bound_in(s);
      b.checks = s.checks;
      const Term least = b.term(b.bind1("least", Tunable{"batch_loops", "threshold", i64_atom(costs::gpu::batch_work)}));
      std::optional<Term> any;
      for (const auto& extents : contractions) {
        Term work = b.number(Scalar::I64, 1);
        for (const Dim& n : extents) {                        // at most 2^15 each, so that the product does not overflow; some are not known here
          auto v = var_of(n);
          const bool known = !v || !bound.contains(*v);
          work = work * apply(ScalarOp::min, {b.number(Scalar::I64, 1 << 15), known ? b.term(n) : b.number(Scalar::I64, costs::gpu::tile_rows)});
        }
        const Term large = le(least, work);
        any = any ? or_(*any, large) : large;
      }
      b.checks = {};
      std::vector<std::string> hints;
      for (Bind v : s.pattern) hints.push_back(p_.hint(v.var));
      for (Bind v : s.pattern) alone.result.push_back(v.var);
      alone = clone(p_, alone);
      const std::vector<Bind> pattern = s.pattern;
      Body as_it_was;
      for (Bind v : pattern) as_it_was.result.push_back(v.var);
      as_it_was.stms.push_back(std::move(s));
      const std::vector<Var> made = b.bind(hints, If{any->atom, std::move(alone), std::move(as_it_was)});
      for (size_t k = 0; k < made.size(); k++) results.emplace(pattern[k].var, made[k]);
      return true;
    });
  }
  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto map = std::get_if<Screma>(&s.exp);
      if (map && convert(b, s, *map, results)) return true;
      if (is_choice(s)) body(std::get<If>(s.exp).then_);
      else walk_parts(s, [&](Body& inner) { body(inner); });
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  const Aliases aliases_;
  const VarSet own_memory_;
  const Definitions definitions_;

  // A choice that this pass has made, maybe before differentiation.
  bool is_choice(const Stm& s) const {
    auto branch = std::get_if<If>(&s.exp);
    return branch && asks(branch->cond, 8);
  }
  bool asks(const Atom& a, int depth) const {
    if (auto tunable = definitions_.get<Tunable>(a)) return tunable->key == "batch_loops";
    auto step = depth ? definitions_.get<Apply>(a) : nullptr;
    return step && std::ranges::any_of(step->args, [&](const Atom& arg) { return asks(arg, depth - 1); });
  }

  // A map taken apart at a loop in its body.
  struct Parts {
    Screma map;
    VarMap<size_t> input = {};                               // a parameter of the map -> its number + 1
    List<Stm> before = {}, after = {};
    VarMap<const Stm*> made = {};                            // by statements before the loop
    Stm loop = {};
    std::vector<bool> same = {};                             // states that are numbers, the same at all points
    VarSet steps = {};                                       // of the loop that are, too
    VarSet kept = {};                                        // values that the map before the loop returns
    Subst outside = {};                                      // proofs, and numbers that are the same at all points, as they are after the maps
    VarMap<Var> arrays = {};                                 // of a value that is kept, or of a result of the loop: what it is at all points
  };
  For& loop_of(Parts& parts) const { return std::get<For>(parts.loop.exp); }

  // ---- Whether it may be ----

  struct Found {
    Parts parts;
    std::vector<std::vector<Dim>> contractions;
  };
  std::optional<Found> find(const Stm& s, const Screma& map) const {
    bool loops = false;
    for (const Stm& inner : map.pre.body.stms) loops = loops || std::holds_alternative<For>(inner.exp);
    if (!loops || !s.attrs.empty()) return {};
    const VarSet bound = bound_in(map);
    ContractionSearch search(p_, map);
    for (const Stm& inner : map.pre.body.stms) {
      auto loop = std::get_if<For>(&inner.exp);
      if (!loop || !may_be_outside(*loop, bound)) continue;
      std::vector<std::vector<Dim>> contractions = search.in(*loop);
      if (contractions.empty()) continue;
      if (auto parts = taken_apart(map, inner, bound)) return Found{std::move(*parts), std::move(contractions)};
    }
    return {};
  }
  bool convert(Builder& b, Stm& s, Screma& map, Subst& results) {
    auto found = find(s, map);
    if (!found || !context_.allow()) return false;
    context_.stats.count("batch_loops.B1");
    rebuild(b, s, found->parts, results);
    return changed = true;
  }
  // An array whose shape is not the same at all points.
  bool varies(Var array, const VarSet& bound) const {
    bool found = false;
    for (const Dim& d : shape_of(p_.type(array))) if (auto v = var_of(d)) found = found || bound.contains(*v);
    return found;
  }
  bool may_be_outside(const For& x, const VarSet& bound) const {
    if (x.any_order || x.blocks || x.counted || x.budget || x.slots || x.state.empty()) return false;
    if (auto n = var_of(x.n); n && bound.contains(*n)) return false;
    return std::ranges::none_of(x.state, [&](Bind v) { return varies(v.var, bound); });
  }
  std::optional<Parts> taken_apart(const Screma& map, const Stm& loop, const VarSet& bound) const {
    Parts parts{map};
    for (size_t k = 0; k < map.inputs.size(); k++) parts.input[map.pre.params[k].var] = k + 1;
    bool found = false;
    for (auto& s : parts.map.pre.body.stms.take()) {
      if (!found && s->pattern.size() == loop.pattern.size() && binds(*s, loop.pattern[0].var)) {
        parts.loop = std::move(*s);
        found = true;
      } else {
        (found ? parts.after : parts.before).push_back(std::move(s));
      }
    }
    for (const Stm& s : parts.before) for (Bind v : s.pattern) parts.made[v.var] = &s;
    const For& x = loop_of(parts);
    find_numbers(parts, bound);
    for (size_t k = 0; k < x.state.size(); k++) {
      auto v = var_of(x.init[k]);
      if (is_acc(p_.type(x.state[k].var)) && !parts.input[*v]) return {};
      if (v && parts.made[*v]) parts.kept.insert(*v);
    }
    Body rest;
    rest.stms = parts.after;
    rest.result = parts.map.pre.body.result;
    need(parts, x.body);
    need(parts, rest);
    for (Var check : parts.loop.checks) need(parts, check);
    for (const Stm& s : parts.before)
      for (Bind v : s.pattern) if (parts.kept.contains(v.var) && (varies(v.var, bound) || is_acc(p_.type(v.var)))) return {};
    return parts;
  }
  void find_numbers(Parts& parts, const VarSet& bound) const {
    const For& x = loop_of(parts);
    auto outside = [&](const Atom& a) { auto v = var_of(a); return !v || !bound.contains(*v) || *v == x.i.var; };
    for (size_t k = 0; k < x.state.size(); k++) parts.same.push_back(is_scalar(p_.type(x.state[k].var)) && outside(x.init[k]));
    for (bool more = true; more;) {
      more = false;
      parts.steps = {};
      for (size_t k = 0; k < x.state.size(); k++) if (parts.same[k]) parts.steps.insert(x.state[k].var);
      auto is_same = [&](const Atom& a) { return outside(a) || parts.steps.contains(*var_of(a)); };
      for (const Stm& s : x.body.stms) {
        bool same = is_step(s.exp) && s.checks.empty() && s.attrs.empty() && is_scalar(p_.type(s.pattern[0].var));
        if (auto apply = std::get_if<Apply>(&s.exp)) same = same && !is_call(apply->op);
        walk(s.exp, [&](const Atom& a) { same = same && is_same(a); });
        if (same) parts.steps.insert(s.pattern[0].var);
      }
      for (size_t k = 0; k < x.state.size(); k++)
        if (parts.same[k] && !is_same(x.body.result[k])) {
          parts.same[k] = false;
          more = true;
        }
    }
  }
  // What x needs from before the loop is made again, or kept.
  template <class X> void need(Parts& parts, const X& x) const {
    each_use(p_, x, [&](Var v) { need(parts, v); });
  }
  void need(Parts& parts, Var v) const {
    const Stm* s = parts.made[v];
    if (!s || parts.kept.contains(v)) return;
    if (is_repeated(*s)) need(parts, *s);
    else parts.kept.insert(v);
  }
  bool is_repeated(const Stm& s) const {
    if (!s.attrs.empty()) return false;
    const Kind kind = kind_of(s.exp);
    if (auto apply = std::get_if<Apply>(&s.exp)) return !is_call(apply->op);
    if (kind == Kind::Step || std::holds_alternative<Iota>(s.exp)) return true;
    bool stays = kind == Kind::View || kind == Kind::Read;
    each_use(p_, s.exp, [&](Var v) { stays = stays && !(is_array(p_.type(v)) && aliases_.has_root_in(v, own_memory_)); });
    return stays;
  }

  // ---- The parts ----

  void rebuild(Builder& b, const Stm& s, Parts& parts, Subst& results) {
    b.checks = s.checks;
    keep(b, parts);
    around(b, s, parts);
    b.checks = s.checks;
    const Body& whole = parts.map.pre.body;
    const bool direct = is_map(parts.map) && std::ranges::all_of(whole.result, [&](const Atom& a) { return var_of(a) && parts.arrays[*var_of(a)].valid(); });
    std::vector<Var> made;
    if (direct) {
      for (const Atom& a : whole.result) made.push_back(parts.arrays[*var_of(a)]);
    } else {
      Screma rest = parts.map;
      Body code;
      code.stms = parts.after;
      code.result = whole.result;
      std::tie(rest.pre, rest.inputs) = part(b, parts, {}, {}, std::move(code));
      made = b.bind(p_.hint(s.pattern[0].var), std::move(rest));
    }
    for (size_t k = 0; k < made.size(); k++) {
      p_.vars[made[k].index].hint = p_.hint(s.pattern[k].var);
      results.emplace(s.pattern[k].var, made[k]);
    }
  }
  // A lambda with this code, which gets what it needs: `params` of `inputs`, then elements of the map's inputs and of what is kept.
  std::pair<Lambda, std::vector<Var>> part(Builder& b, Parts& parts, std::vector<Bind> params, std::vector<Var> inputs, Body code) {
    List<Stm> stms;
    for (const Stm& s : parts.before) if (std::ranges::none_of(s.pattern, [&](Bind v) { return parts.kept.contains(v.var); })) stms.push_back(s);
    for (auto& s : code.stms.take()) stms.push_back(std::move(s));
    return elements(b, parts, std::move(params), std::move(inputs), {std::move(stms), std::move(code.result)});
  }
  std::pair<Lambda, std::vector<Var>> elements(Builder& b, Parts& parts, std::vector<Bind> params, std::vector<Var> inputs, Body code) {
    substitute(p_, code, parts.outside);
    keep_needed(p_, code);
    for (Var v : free_vars(p_, code)) {
      if (std::ranges::any_of(params, [&](Bind x) { return x.var == v; })) continue;
      const size_t input = parts.input[v];
      if (!input && !parts.arrays[v].valid()) continue;
      params.push_back({v});
      inputs.push_back(input ? parts.map.inputs[input - 1] : parts.arrays[v]);
    }
    if (inputs.empty()) {
      params.push_back({p_.fresh("i", scalar_type(Scalar::I64))});
      inputs.push_back(b.iota(parts.map.width));
    }
    return {clone(p_, Lambda{std::move(params), std::move(code)}), std::move(inputs)};
  }
  // The map before the loop.
  void keep(Builder& b, Parts& parts) {
    std::vector<Var> kept;
    for (const Stm& s : parts.before) for (Bind v : s.pattern) if (parts.kept.contains(v.var)) kept.push_back(v.var);
    if (kept.empty()) return;
    auto [f, inputs] = elements(b, parts, {}, {}, {parts.before, {kept.begin(), kept.end()}});
    std::vector<Var> made = b.map("kept", parts.map.width, std::move(f), std::move(inputs));
    for (size_t k = 0; k < kept.size(); k++) {
      if (is_check(p_.type(kept[k]))) parts.outside.emplace(kept[k], made[k]);
      else parts.arrays[kept[k]] = made[k];
      p_.vars[made[k].index].hint = p_.hint(kept[k]);
    }
  }
  // The loop around a map.
  void around(Builder& b, const Stm& s, Parts& parts) {
    For& x = loop_of(parts);
    const Dim width = parts.map.width;
    For loop{x.i, x.n, {}, {}, {}};
    std::vector<Bind> params;
    std::vector<Var> inputs;
    std::vector<Atom> next;
    for (size_t k = 0; k < x.state.size(); k++) {
      const Var state = x.state[k].var;
      auto v = var_of(x.init[k]);
      if (parts.same[k]) {
        loop.state.push_back(x.state[k]);
        loop.init.push_back(x.init[k]);
        continue;
      }
      loop.state.push_back({p_.fresh(p_.hint(state), lifted(width, p_.type(state)))});
      const size_t input = v ? parts.input[*v] : 0;
      if (input) loop.init.push_back(is_acc(p_.type(state)) ? parts.map.inputs[input - 1] : b.copy(parts.map.inputs[input - 1]));
      else if (v && parts.arrays[*v].valid()) loop.init.push_back(parts.arrays[*v]);
      else loop.init.push_back(b.replicate({width}, x.init[k]));
      params.push_back({state});
      inputs.push_back(loop.state.back().var);
      next.push_back(x.body.result[k]);
    }
    Builder inside(p_, loop.body.stms);
    inside.source = parts.loop.source;
    Body code{{}, next};
    for (auto& inner : x.body.stms.take()) (inner->pattern.size() == 1 && parts.steps.contains(inner->pattern[0].var) ? loop.body.stms : code.stms).push_back(std::move(inner));
    for (Stm& inner : code.stms) row_of_all(b, inside, parts, inner, params, inputs);
    auto [f, from] = part(inside, parts, params, inputs, std::move(code));
    const std::vector<Var> made = inside.map("step", width, std::move(f), std::move(from));
    for (size_t k = 0, map = 0; k < x.state.size(); k++) loop.body.result.push_back(parts.same[k] ? x.body.result[k] : Atom(made[map++]));
    b.checks = parts.loop.checks;
    for (Var& v : b.checks) if (auto proof = parts.outside.find(v); proof != parts.outside.end()) v = *var_of(proof->second);
    b.checks.insert(b.checks.end(), s.checks.begin(), s.checks.end());
    b.attrs = parts.loop.attrs;
    const std::vector<Var> last = b.bind("steps", std::move(loop));
    b.attrs = {};
    for (size_t k = 0; k < last.size(); k++) {
      const Var v = parts.loop.pattern[k].var;
      p_.vars[last[k].index].hint = p_.hint(v);
      if (parts.same[k]) parts.outside.emplace(v, last[k]);
      else parts.arrays[v] = last[k];
    }
  }
  // What an iteration reads at the same place in a row of each point is an input of its map: a row of the array whose first dimensions have
  // changed places.
  void row_of_all(Builder& b, Builder& inside, Parts& parts, Stm& s, std::vector<Bind>& params, std::vector<Var>& inputs) {
    auto read = std::get_if<Index>(&s.exp);
    const size_t input = read && s.checks.empty() ? parts.input[read->array] : 0;
    auto at = input ? std::get_if<Atom>(&read->at[0]) : nullptr;
    auto v = at ? var_of(*at) : nullptr;
    if (!v || !(*v == loop_of(parts).i.var || parts.steps.contains(*v))) return;
    const Var array = parts.map.inputs[input - 1];
    std::vector<int> dims{1, 0};
    for (int k = 2; k < isize(shape_of(p_.type(array))); k++) dims.push_back(k);
    const Var rows = *var_of(inside.index(p_.hint(read->array), b.permute(array, dims), {*at}));
    const Bind row{p_.fresh(p_.hint(read->array), row_type(p_.type(rows)))};
    params.push_back(row);
    inputs.push_back(rows);
    if (read->at.size() == 1) s.exp = Identity{row.var};
    else s.exp = Index{row.var, {read->at.begin() + 1, read->at.end()}};
  }
};

}  // namespace

void batch_loops(ir::Program& program, PassContext& context) {
  if (context.target != Target::Gpu) return;
  {
    BatchLoops pass(program, context);
    program.each_body([&](ir::Body& b) { pass.choose(b); });
  }
  for (bool more = true; more;) {                            // what it has made is looked at again, with its memory known
    BatchLoops pass(program, context);
    program.each_body([&](ir::Body& b) { pass.body(b); });
    more = pass.changed;
  }
}

}  // namespace raido