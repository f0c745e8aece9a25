// tiles.cc - contractions on processors: a map around a map around a reduction, of which some operands are the same for all rows and the
// others for all columns.
//
//   map n (\x -> map m (\y -> reduce k op (f x y)))   ==>   if large { seg tile (i < n, j < m, k) f reduces op } else { .. }
//
// That is the product of two matrices in any of its four transpositions, with any operator (min of sums), any elements, and whatever the
// operands are computed by. One thread adds up a row of such sums at memory's speed. In tiles each number that is read serves
// all rows or columns of its tile, and the sums stay in registers (backends/kernel/translate_tiles.cc). What the maps do beside that stays
// in maps, which read the results. Each sum is taken from its first element to its last, as before: tiles change no digit.
//
// The tiles copy their operands into panels first. For small sizes this costs more than it gains, so both versions are there.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/tile_sides.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// The first operation of a body that `is` accepts: its place.
template <class F> std::optional<size_t> place_of(const Body& b, F is) {
  for (size_t k = 0; k < b.stms.size(); k++)
    if (auto x = std::get_if<Screma>(&b.stms[k].exp); x && is(*x)) return k;
  return {};
}

class Tiles {
 public:
  Tiles(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto map = std::get_if<Screma>(&s.exp);
      auto found = map ? contraction(*map) : std::nullopt;
      if (!found || !c_.allow()) {
        walk_parts(s, [&](Body& inner) { body(inner); });
        return false;
      }
      c_.stats.count("tiles.contraction");
      choose(b, s, *map, *found, results);
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& c_;

  struct Found {
    size_t columns, sum;                  // the statements of the map over columns, and in it of the reduction
    Seg tile;
  };

  bool is_scalar_sum(const Screma& x) const {
    if (!identity_post(x) || x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty()) return false;
    if (x.pre.body.result.size() != width_of(x.reduces) || x.pre.body.result.size() > costs::cpu::tile_results) return false;
    for (const Combine& c : x.reduces) {
      if (!c.shape.empty() || !all_steps(c.op.body)) return false;
      for (Bind b : c.op.params) if (!is_scalar(p_.type(b.var))) return false;
    }
    return true;
  }
  // Arithmetic that is not dearer than memory.
  static bool all_steps(const Body& b) {
    for (const Stm& s : b.stms) {
      auto op = std::get_if<Apply>(&s.exp);
      if (!is_step(s.exp) || std::holds_alternative<Tunable>(s.exp) || (op && is_call(op->op))) return false;
    }
    return true;
  }

  // The tile that computes the sums inside of this map over rows.
  std::optional<Found> contraction(const Screma& rows) {
    if (!is_map(rows) || count_statements(rows.pre.body) > costs::cpu::tile_statements || !pure(rows)) return {};
    const VarSet own = bound_in(rows.pre);
    auto outside = [&](const Atom& a) { auto v = var_of(a); return !v || !own.contains(*v); };
    for (size_t k = 0; k < rows.pre.body.stms.size(); k++) {
      auto columns = std::get_if<Screma>(&rows.pre.body.stms[k].exp);
      if (!columns || !is_map(*columns) || !outside(columns->width)) continue;
      auto sum = place_of(columns->pre.body, [&](const Screma& x) { return is_scalar_sum(x) && outside(x.width); });
      if (!sum || few(rows.width, costs::cpu::tile_rows) || few(columns->width, costs::cpu::tile_columns)) continue;
      const Stm& reduction = columns->pre.body.stms[*sum];
      if (auto tile = tile_of(rows, k, *columns, *sum, std::get<Screma>(reduction.exp))) return Found{k, *sum, std::move(*tile)};
    }
    return {};
  }
  static bool few(const Dim& n, i64 least) { auto c = const_of(n); return c && c->as_i64() < least; }
  // Nothing is consumed, and no accumulator or proof goes through.
  bool pure(const Screma& x) const {
    bool fine = true;
    auto plain = [&](Var v) { fine = fine && (is_scalar(p_.type(v)) || is_array(p_.type(v))); };
    each_bind(x.pre, plain);
    for (Var v : free_vars(p_, x.pre)) plain(v);
    each_stm(x.pre.body, [&](const Stm& s) { each_consumed(p_, s.exp, [&](Var) { fine = false; }); fine = fine && s.attrs.empty(); });
    return fine;
  }

  // The statements before number `end` that `needed` are made by, and what these are made by, in order. None if that is more than
  // arithmetic and views.
  std::optional<List<Stm>> made_by(const Body& b, size_t end, VarSet& needed) {
    std::vector<size_t> wanted;
    for (size_t k = end; k-- > 0;) {
      const Stm& s = b.stms[k];
      if (std::ranges::none_of(s.pattern, [&](Bind y) { return needed.contains(y.var); })) continue;
      bool view = std::holds_alternative<Index>(s.exp) || std::holds_alternative<Permute>(s.exp);
      bool step = is_step(s.exp) && !std::holds_alternative<Tunable>(s.exp);
      if (!view && !step) return {};
      wanted.push_back(k);
      each_use(p_, s, [&](Var v) { needed.insert(v); });
    }
    List<Stm> out;
    for (size_t k = wanted.size(); k-- > 0;) out.push_back(b.stms[wanted[k]]);
    return out;
  }

  std::optional<Seg> tile_of(const Screma& rows, size_t at, const Screma& columns, size_t sum_at, const Screma& sum) {
    VarSet needed;
    for (Var v : free_vars(p_, sum)) needed.insert(v);
    auto in_columns = made_by(columns.pre.body, sum_at, needed);
    for (Var v : columns.inputs) needed.insert(v);
    auto in_rows = in_columns ? made_by(rows.pre.body, at, needed) : std::nullopt;
    if (!in_rows) return {};
    Seg tile{SegLevel::Tile, {}, {rows.width, columns.width, sum.width}, {}, {}, {}, {}, {}, {}};
    for (const char* name : {"i", "j", "k"}) tile.index.push_back({p_.fresh(name, scalar_type(Scalar::I64))});
    Body all;
    Builder b(p_, all.stms);
    auto elements = [&](const Screma& x, size_t d) {
      for (size_t k = 0; k < x.inputs.size(); k++) {
        Stm read;
        read.pattern = {x.pre.params[k]};
        read.exp = Index{x.inputs[k], {Atom(tile.index[d].var)}};
        b.emit(std::move(read));
      }
    };
    elements(rows, 0);
    for (const Stm& s : *in_rows) b.emit(s);
    elements(columns, 1);
    for (const Stm& s : *in_columns) b.emit(s);
    elements(sum, 2);
    for (const Stm& s : sum.pre.body.stms) b.emit(s);
    all.result = sum.pre.body.result;
    keep_needed(p_, all);
    tile.body = clone(p_, all);
    for (const Combine& c : sum.reduces) tile.reduces.push_back(clone(p_, c));
    return pays(tile) ? std::optional(std::move(tile)) : std::nullopt;
  }
  // Both sides read, what is done at each point is arithmetic, and there is not much to copy.
  bool pays(const Seg& x) {
    const TileSides sides(p_, x);
    bool rows = false, columns = false;
    size_t reads = 0;
    for (const Stm& s : x.body.stms) {
      bool view = std::holds_alternative<Index>(s.exp) || std::holds_alternative<Permute>(s.exp);
      if (!s.checks.empty() || (!view && !is_step(s.exp))) return false;
      uint8_t varies = sides.of(p_, s);
      auto side = TileSides::side(varies);
      auto op = std::get_if<Apply>(&s.exp);
      if (side == TileSides::Side::Both && (view || (op && is_call(op->op)))) return false;
      if (!view || !is_scalar(p_.type(s.pattern[0].var)) || !(varies & TileSides::Depth)) continue;
      reads++;
      (side == TileSides::Side::Rows ? rows : columns) |= (varies & (TileSides::Rows | TileSides::Columns)) != 0;
    }
    return rows && columns && reads <= costs::cpu::tile_reads;
  }

  void choose(Builder& b, const Stm& s, Screma& map, Found& found, Subst& results) {
    b.checks = s.checks;
    auto at_least = [&](const Dim& n, i64 least) { return le(b.number(Scalar::I64, double(least)), b.term(n)); };
    const std::vector<Dim>& n = found.tile.extent;
    Term large = all_of({at_least(n[0], costs::cpu::tile_rows), at_least(n[1], costs::cpu::tile_columns), at_least(n[2], costs::cpu::tile_depth)});
    Screma other = map;
    body(other.pre.body);                                                      // smaller ones in it
    Body small = b.body([&] { return atoms(b.bind(hints(s), clone(p_, other))); });
    Body tiled = b.body([&] { return atoms(with_tile(b, s, map, found)); });
    std::vector<Var> made = b.bind(hints(s), If{large.atom, std::move(tiled), std::move(small)});
    for (size_t k = 0; k < made.size(); k++) results.emplace(s.pattern[k].var, made[k]);
  }
  std::vector<std::string> hints(const Stm& s) const {
    std::vector<std::string> out;
    for (Bind y : s.pattern) out.push_back(p_.hint(y.var));
    return out;
  }
  static std::vector<Atom> atoms(const std::vector<Var>& vs) { return {vs.begin(), vs.end()}; }

  // The tile, and maps of what else the map computes.
  std::vector<Var> with_tile(Builder& b, const Stm& s, Screma& map, Found& found) {
    std::vector<Var> sums = b.bind(p_.hint(s.pattern[0].var), std::move(found.tile));
    Screma rest = clone(p_, map);
    Stm& columns_stm = rest.pre.body.stms[found.columns];
    Screma& columns = std::get<Screma>(columns_stm.exp);
    const std::vector<Bind> made = columns.pre.body.stms[found.sum].pattern;
    std::vector<Var> direct = all_direct(rest, columns_stm, columns, made, sums);
    if (!direct.empty()) return direct;
    for (size_t k = 0; k < sums.size(); k++) {
      Var row = p_.fresh(p_.hint(made[k].var), row_type(p_.type(sums[k])));
      rest.inputs.push_back(sums[k]);
      rest.pre.params.push_back({row});
      columns.inputs.push_back(row);
      columns.pre.params.push_back(made[k]);
    }
    size_t at = 0;
    columns.pre.body.stms.filter_backwards([&](Stm& inner) { return std::get_if<Screma>(&inner.exp) == nullptr || !binds(inner, made[at].var); });
    return b.bind(hints(s), std::move(rest));
  }
  // The results of the map, if they are the sums and nothing else.
  static std::vector<Var> all_direct(const Screma& rows, const Stm& columns_stm, const Screma& columns, const std::vector<Bind>& made, const std::vector<Var>& sums) {
    std::vector<Var> out;
    for (const Atom& row : rows.pre.body.result) {
      auto of = std::ranges::find_if(columns_stm.pattern, [&](Bind y) { return Atom(y.var) == row; });
      if (of == columns_stm.pattern.end()) return {};
      const Atom& element = columns.pre.body.result[size_t(of - columns_stm.pattern.begin())];
      auto sum = std::ranges::find_if(made, [&](Bind y) { return Atom(y.var) == element; });
      if (sum == made.end()) return {};
      out.push_back(sums[size_t(sum - made.begin())]);
    }
    return out;
  }
};

}  // namespace

void tiles(Program& program, PassContext& context) {
  Tiles pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
