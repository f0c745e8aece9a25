// tiles.cc - contractions. In such a sum some operands are the same for all rows, and the others are the same for all columns.
//
//   map n (\x -> map m (\y -> reduce k op (f x y)))   ==>   if large { seg tile (i < n, j < m, k) f reduces op } else { .. }
//
// That is the product of two matrices in any of its four transpositions, with any operator (min of sums) and any elements. The operands may
// be computed by anything. The derivatives of a product, which add up in accumulators, are such products, too (tile_sums.h). One thread adds
// up a row of such sums at memory's speed. In tiles each number that is read serves all rows or columns of its tile, and the sums stay in
// registers (backends/kernel/translate_tiles.cc). On a device a block of threads does that, in shared memory (translate_device_tiles.cc).
// What the maps do beside that stays in maps, which read the results. Each sum is taken from its first element to its last, as before:
// tiles change no digit. On devices the sum may come in parts, one after the other.
//
// The tiles copy their operands into panels first. For small sizes this costs more than it gains, and for huge ones the sums may need more
// memory than the loops. So both versions are there: one choice for all contractions of an operation. For devices only nests of the CPU's
// code become tiles, since what stands inside of them becomes one kernel with them.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/locality/checks_apart.h"
#include "passes/locality/joined_sums.h"
#include "passes/locality/sums_of_loops.h"
#include "passes/locality/tile_sums.h"

namespace raido {
using namespace ir;
namespace {

class Tiles {
 public:
  Tiles(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      if (candidate(s) && choose(b, s, results)) return true;
      if (c_.target != Target::Gpu || !is_nest(s)) walk_parts(s, [&](Body& inner) { body(inner); });   // devices: code of the CPU
      definitions_.add(s);
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  Definitions definitions_;                              // of what stands before, here and around
  List<Stm> unused_;                                     // what it knows that stands nowhere, since no contraction came of it

  static bool is_nest(const Stm& s) { return std::holds_alternative<Screma>(s.exp) || std::holds_alternative<WithAcc>(s.exp); }
  bool candidate(const Stm& s) const {
    return is_nest(s) && count_statements(s.exp) <= costs::cpu::tile_statements;
  }
  // Nothing can fail, and nothing from outside is consumed.
  bool pure(const Exp& e) const {
    bool fine = true;
    const VarSet bound = bound_in(e);
    auto known = [&](Var v) {
      auto acc = std::get_if<AccType>(&p_.type(v));
      fine = fine && (acc ? bound.contains(acc->token) : !std::holds_alternative<BlockType>(p_.type(v)));
    };
    each_bind(e, known);
    for (Var v : free_vars(p_, e)) {
      known(v);
      fine = fine && !is_check(p_.type(v));
    }
    walk_parts_of(e, [&](const Stm& s) {
      fine = fine && s.attrs.empty() && !std::holds_alternative<Assert>(s.exp) && !std::holds_alternative<Seg>(s.exp);
      each_consumed(p_, s.exp, [&](Var v) { fine = fine && bound.contains(v); });
    });
    return fine;
  }
  template <class F> static void walk_parts_of(const Exp& e, F f) {
    match(e, [&](const auto& x) { walk_parts(x, [&](const Body& b) { each_stm(b, f); }); });
  }

  // Checks from outside hold for the whole nest.
  static void lift_checks(Stm& nest) {
    const VarSet bound = bound_in(nest.exp);
    walk_parts(nest, [&](Body& b) {
      each_stm(b, [&](Stm& s) {
        std::erase_if(s.checks, [&](Var c) {
          if (bound.contains(c)) return false;
          if (std::ranges::find(nest.checks, c) == nest.checks.end()) nest.checks.push_back(c);
          return true;
        });
      });
    });
  }
  bool choose(Builder& b, Stm& s, Subst& results) {
    Body plain;
    plain.stms.push_back(s);
    for (Bind y : s.pattern) plain.result.push_back(y.var);
    lift_checks(plain.stms[0]);
    const std::vector<Var> before = plain.stms[0].checks;
    ChecksApart checks;
    const List<Stm> fixed = c_.target == Target::Gpu ? fixed_checks(plain.stms[0], checks) : List<Stm>();
    const bool is_pure = pure(plain.stms[0].exp);
    auto is_contraction = [&](Body& nest) {
      if (!is_pure) {
        auto apart = take_checks_apart(p_, nest);
        if (!apart || !pure(nest.stms[1].exp)) return false;
        checks = std::move(*apart);
      }
      nest.stms.splice(0, fixed);
      return TileSums(p_, c_, definitions_).first(nest).has_value();
    };
    List<Stm> counters;                                                        // of sums that were joined or stood in loops
    Body tiled = plain;
    Changed changed = c_.target == Target::Gpu ? change(b, tiled, counters) : Changed();
    if ((changed.loops || changed.joined) && !is_contraction(tiled)) {         // a sum of all numbers of a product is one of products
      changed = {};
      unused_.splice(0, std::exchange(counters, {}));
    }
    if (!changed.loops && !changed.joined) {
      tiled = std::move(plain);
      if (!is_contraction(tiled)) return false;
    }
    if (!c_.allow()) return false;
    if (changed.joined) c_.stats.count("tiles.joined");
    if (changed.loops) c_.stats.count("tiles.loop");
    for (auto& counter : counters.take()) b.emit(std::move(counter));
    tiled = clone(p_, tiled);
    VarSet consumed;                                                           // an array that is made for tiles stays as it is
    each_stm(tiled, [&](const Stm& t) { each_consumed(p_, t.exp, [&](Var v) { consumed.insert(v); }); });
    TileSums nests(p_, c_, definitions_);
    std::vector<std::pair<Dim, i64>> least;
    std::vector<std::array<Dim, 3>> in_order;                                  // extents of contractions whose loops are vectors of points
    std::vector<std::vector<Dim>> extra;                                       // matrices that the loops do not make
    auto need = [&](std::vector<Dim> shape) {
      if (shape.size() < 2 || std::ranges::find(extra, shape) != extra.end()) return;
      bool made = std::ranges::any_of(s.pattern, [&](Bind y) {
        const std::vector<Dim> has = shape_of(p_.type(y.var));
        return std::ranges::all_of(shape, [&](const Dim& n) { return std::ranges::count(has, n) >= std::ranges::count(shape, n); });
      });
      if (!made) extra.push_back(std::move(shape));
    };
    for (const Dim& n : checks.entered) demand(least, n, 1);
    for (Var rows : checks.made) need(shape_of(p_.type(rows)));
    while (std::optional<TileSum> found = nests.first(tiled)) {
      if (std::ranges::any_of(found->values, [&](const NestValue& v) { return consumed.contains(v.var); })) return false;
      c_.stats.count(found->kept.empty() ? "tiles.contraction" : "tiles.updates");
      const std::array<i64, 3> sizes = least_tile(c_.target);
      const std::vector<Dim>& extent = found->tile.extent;
      for (size_t d = 0; d < 3; d++) demand(least, extent[extent.size() - 3 + d], sizes[d]);
      if (c_.target != Target::Gpu && extent.size() > 3) demand(least, extent[extent.size() - 2], costs::cpu::tile_batch_columns);
      if (nests.reads_points_in_order(found->tile)) {
        const Dim* last = &extent.back() - 2;
        in_order.push_back({last[0], last[1], last[2]});
        demand(least, last[1], costs::cpu::tile_uses);
      }
      need(found->shape.empty() ? std::vector<Dim>(extent.begin(), extent.end() - 1) : found->shape);
      for (auto& size : found->sizes.take()) b.emit(std::move(size));
      for (const NestValue& v : found->values) need(shape_of(p_.type(v.made)));
      nests.take_out(tiled, *found);
    }
    if (c_.target != Target::Gpu) put_in_order(tiled);
    b.checks = before;
    std::vector<Term> large;
    for (const auto& [n, size] : least) large.push_back(le(b.number(Scalar::I64, double(size)), b.term(n)));
    for (const auto& [rows, columns, depth] : in_order) {
      auto number = [&](i64 n) { return b.number(Scalar::I64, double(n)); };
      const Term n = b.term(rows), m = b.term(columns), sums = n * m, copied = number(costs::cpu::tile_uses) * (n + m);
      large.push_back(or_({le(b.term(depth), number(costs::cpu::tile_short_sums)), le(copied, sums)}));
    }
    for (const auto& shape : extra) {
      Term cells = b.term(shape[0]);
      for (size_t k = 1; k < shape.size(); k++) cells = cells * b.term(shape[k]);
      large.push_back(le(cells, b.number(Scalar::I64, double(c_.target == Target::Gpu ? costs::gpu::tile_cells : costs::cpu::tile_cells))));
    }
    Term all = large[0];
    for (size_t k = 1; k < large.size(); k++) all = and_(all, large[k]);
    if (c_.target != Target::Gpu) {                                            // smaller ones in both
      walk_parts(s, [&](Body& inner) { body(inner); });
      body(tiled);
    }
    std::vector<std::string> hints;
    for (Bind y : s.pattern) hints.push_back(p_.hint(y.var));
    Body small;
    for (Bind y : s.pattern) small.result.push_back(y.var);
    std::vector<Bind> pattern = s.pattern;
    small.stms.push_back(std::move(s));
    std::vector<Var> made = b.bind(hints, If{all.atom, std::move(tiled), std::move(small)});
    for (size_t k = 0; k < made.size(); k++) results.emplace(pattern[k].var, made[k]);
    return true;
  }
  // The checks that do not vary in the nest, if it has no others: those come apart in their order.
  List<Stm> fixed_checks(Stm& nest, ChecksApart& checks) {
    Stm rest = nest;
    List<Stm> fixed = take_fixed_checks(p_, rest, checks.entered);
    lift_checks(rest);
    std::vector<Var>& all = rest.checks;                                       // also those that only a range needs, which no tile has
    for (const Stm& check : fixed)
      if (std::holds_alternative<Assert>(check.exp) && std::ranges::find(all, check.pattern[0].var) == all.end()) all.push_back(check.pattern[0].var);
    if (!pure(rest.exp)) {
      checks = {};
      return {};
    }
    nest = std::move(rest);
    return fixed;
  }
  // What makes contractions of other sums.
  struct Changed { bool loops = false, joined = false; };
  Changed change(const Builder& b, Body& tiled, List<Stm>& counters) {
    Body apart = clone(p_, tiled);                         // the types of what it binds may change
    Builder outside(p_, counters);
    outside.source = b.source;
    Changed changed;
    changed.loops = take_sums_out_of_loops(p_, apart, outside);
    for (const Stm& s : counters) definitions_.add(s);
    changed.joined = !c_.options.strict_fp && join_sums(p_, apart, definitions_, outside);
    if (changed.loops || changed.joined) tiled = std::move(apart);
    for (const Stm& s : counters) definitions_.add(s);
    return changed;
  }
  // The sums of a batch are turned. Their readers know the order of the loops, and it is the one that both versions have.
  void put_in_order(Body& tiled) {
    Definitions made;
    made.add_all(tiled);
    Builder b(p_, tiled.stms);
    for (Atom& r : tiled.result) {
      auto v = var_of(r);
      auto turned = v ? made.get<Permute>(*v) : nullptr;
      if (turned && made.get<Seg>(turned->array)) r = b.copy(*v);
    }
  }
  static void demand(std::vector<std::pair<Dim, i64>>& least, const Dim& n, i64 size) {
    for (auto& [dim, most] : least) if (dim == n) { most = std::max(most, size); return; }
    least.push_back({n, size});
  }
};

}  // namespace

void tiles(Program& program, PassContext& context) {
  Tiles pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
