// columns.cc - on devices, reductions and scans of rows by an operator that works element by element become those of columns.
//
//   reduce n (+) [0] of shape [m] rows   ==>   map m (\column -> reduce n (+) 0 column) (transpose rows)                columns.rows
//
//   reduce n (+) [0] of shape [m] (map2 (\x row -> map (x *) row) xs rows)                                              columns.elements
//   ==> map m (\column -> reduce n (+) 0 (map2 (*) xs column)) (transpose rows)
//
//   hist n into [h] (+) [0] of shape [m] is rows                                                                        columns.updates
//   ==> with_acc [h] rank 2 (+) [0] (map2 (\i row -> map2 (\j x -> upd [i, j] x) (iota m) row) is rows)
//
//   scan n (+) [0] of shape [m] rows     ==>   transpose (map m (\column -> scan n (+) 0 column) (transpose rows))      columns.scan
//
// A thread that combines rows has a whole row for itself, and writes it at every step. Threads that have parts of a column each keep one
// number, and neighbouring threads read neighbouring elements of rows (translate_collective.cc). Rows that no nest of maps makes are
// stored first, but not in what one thread may do alone: each thread would store its own. rows.cc finds the operators.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/transform.h"
#include "passes/parallel/regular.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Columns {
 public:
  Columns(Program& p, PassContext& context) : p_(p), context_(context) {}

  // Where a body stands: in the code of the CPU; in maps only, which become dimensions of a grid; in what a thread may do alone.
  enum class Where : uint8_t { Host, Maps, Thread };
  void body(Body& whole, Where where) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto x = std::get_if<Screma>(&s.exp);
      bool parallel = x || std::holds_alternative<Hist>(s.exp);
      Where inner = where == Where::Host && !parallel ? Where::Host : x && is_map(*x) && where != Where::Thread ? Where::Maps : Where::Thread;
      walk_parts(s, [&](Body& part) { body(part, inner); });
      if (auto h = std::get_if<Hist>(&s.exp); h && std::ranges::any_of(h->dests, [](const Dest& d) { return d.combine && of_rows(*d.combine); })) {
        updates(b, s, std::move(*h), results);
        return true;
      }
      if (!x || !s.checks.empty()) return false;
      bool scans = x->reduces.empty() && x->post_reduces.empty() && std::ranges::any_of(x->scans, of_rows);
      if (scans) return where != Where::Thread && !(where == Where::Maps && std::ranges::all_of(x->scans, is_short)) && this->scans(b, s, *x, where, results);
      bool reduces = x->scans.empty() && identity_post(*x) && x->post_reduces.empty() && std::ranges::any_of(x->reduces, of_rows);
      if (!reduces || (where != Where::Host && std::ranges::all_of(x->reduces, is_short))) return false;
      return by_elements(b, s, *x, results) || by_rows(b, s, *x, where, results);
    });
  }

 private:
  Program& p_;
  PassContext& context_;

  static bool of_rows(const Combine& c) { return !c.shape.empty(); }
  // Its rows are so short that a thread has them in registers.
  static bool is_short(const Combine& c) {
    i64 elements = 1;
    for (const Dim& d : c.shape) {
      auto n = const_of(d);
      if (!n) return false;
      elements *= n->as_i64();
    }
    return elements <= costs::gpu::nest_width;
  }
  bool counts(const char* rule) {
    if (!context_.allow()) return false;
    context_.stats.count(rule);
    return true;
  }
  Var turned(Builder& b, Var rows, bool back = false) {
    std::vector<int> dims;
    int rank = int(shape_of(p_.type(rows)).size());
    for (int d = 0; d < rank; d++) dims.push_back((d + (back ? rank - 1 : 1)) % rank);
    return b.permute(rows, dims);
  }
  Combine of_elements(const Combine& c) { return {clone(p_, c.op), c.neutral, {}, c.commutative}; }

  // What is scanned and what goes past it are arrays first, unless they are inputs; then the columns are scanned, and what comes after is a map.
  bool scans(Builder& b, Stm& s, Screma& x, Where where, Subst& results) {
    if (!counts("columns.scan")) return false;
    std::vector<Var> values;                                        // for each result of pre
    std::vector<size_t> made_at;
    Screma before{x.width, x.inputs, std::move(x.pre), {}, {}, {}, {}};
    std::vector<Atom> made;
    for (const Atom& a : before.pre.body.result) {
      auto param = std::ranges::find_if(before.pre.params, [&](Bind y) { return Atom(y.var) == a; });
      values.push_back(param == before.pre.params.end() ? Var{} : x.inputs[size_t(param - before.pre.params.begin())]);
      if (param != before.pre.params.end()) continue;
      made_at.push_back(values.size() - 1);
      made.push_back(a);
    }
    before.pre.body.result = made;
    if (!made.empty()) {
      std::vector<Var> arrays = b.bind(std::vector<std::string>(made.size(), "x"), std::move(before));
      for (size_t k = 0; k < made.size(); k++) values[made_at[k]] = arrays[k];
    }
    size_t at = 0;
    for (Combine& c : x.scans) {
      size_t n = c.neutral.size();
      std::vector<Var> operands(values.begin() + i64(at), values.begin() + i64(at + n));
      std::vector<Var> scanned = of_rows(c) ? scan(b, x.width, c, operands, where) : b.scan("scanned", x.width, std::move(c), operands);
      for (size_t k = 0; k < n; k++) values[at++] = scanned[k];
    }
    if (!identity_post(x)) values = b.map(p_.hint(s.pattern[0].var), x.width, std::move(x.post), values);
    for (size_t k = 0; k < values.size(); k++) results.emplace(s.pattern[k].var, values[k]);
    return true;
  }
  // Columns are turned in memory by the code of the CPU only; the dimensions of a grid change their places in the seg itself.
  std::vector<Var> scan(Builder& b, const Dim& width, const Combine& c, const std::vector<Var>& rows, Where where) {
    auto in_memory = [&](Var v) { return where == Where::Host ? b.copy(v) : v; };
    std::vector<Var> columns, out;
    for (Var v : rows) columns.push_back(in_memory(turned(b, v)));
    std::vector<Var> made = b.map_all("column", c.shape, columns, [&](const std::vector<Var>& column) {
      std::vector<Var> scanned = b.scan("column", width, of_elements(c), column);
      return std::vector<Atom>(scanned.begin(), scanned.end());
    });
    for (Var v : made) out.push_back(in_memory(turned(b, v, true)));
    return out;
  }

  // Each element of a row is an update of its own.
  void updates(Builder& b, Stm& s, Hist&& x, Subst& results) {
    context_.stats.count("columns.updates");
    std::vector<std::vector<Dim>> shapes;
    std::vector<int> ranks;
    for (Dest& d : x.dests) {
      ranks.push_back(d.rank);
      shapes.push_back(d.combine ? d.combine->shape : std::vector<Dim>{});
      d.rank += int(shapes.back().size());
      if (d.combine) d.combine->shape.clear();
    }
    WithAcc w{std::move(x.dests), {}};
    std::vector<Var> accs;
    for (const Dest& d : w.dests) {
      Var token = b.fresh("token", CheckType{});
      w.scope.params.push_back({token});
      accs.push_back(b.fresh("acc", dest_type(p_, d, token)));
    }
    for (Var a : accs) w.scope.params.push_back({a});
    w.scope.body = b.body([&] {
      Lambda f = std::move(x.pre);
      std::vector<Atom> made = std::move(f.body.result);
      std::vector<Var> own;
      for (Var a : accs) own.push_back(b.fresh("acc", p_.type(a)));
      for (Var a : own) f.params.push_back({a});
      List<Stm> before = std::move(f.body.stms);
      f.body = b.body([&] {
        b.emit_all(std::move(before));
        size_t at = 0, value = 0;
        for (int r : ranks) value += size_t(r);
        std::vector<Atom> out;
        for (size_t k = 0; k < w.dests.size(); k++) {
          auto take = [&](size_t& from, size_t n) {
            from += n;
            return std::vector<Atom>(made.begin() + i64(from - n), made.begin() + i64(from));
          };
          std::vector<Atom> index = take(at, size_t(ranks[k])), values = take(value, w.dests[k].arrays.size());
          out.push_back(update(b, own[k], shapes[k], 0, index, values));
        }
        return out;
      });
      std::vector<Var> inputs = x.inputs;
      inputs.insert(inputs.end(), accs.begin(), accs.end());
      std::vector<Var> done = b.map("acc", x.width, std::move(f), inputs);
      return std::vector<Atom>(done.begin(), done.end());
    });
    b.checks = s.checks;
    std::vector<Var> out = b.bind(p_.hint(s.pattern[0].var), std::move(w));
    for (size_t k = 0; k < out.size(); k++) results.emplace(s.pattern[k].var, out[k]);
  }
  Var update(Builder& b, Var acc, const std::vector<Dim>& shape, size_t depth, const std::vector<Atom>& index, const std::vector<Atom>& values) {
    if (depth == shape.size()) return b.bind1("acc", AccUpdate{acc, index, values});
    std::vector<Var> inputs = {acc, b.iota(shape[depth])};
    Builder::Params params = {{"acc", p_.type(acc)}, {"j", scalar_type(Scalar::I64)}};
    for (const Atom& v : values) {
      inputs.push_back(*var_of(v));
      params.push_back({"x", row_type(p_.type(inputs.back()))});
    }
    Lambda f = b.lambda(params, [&](const std::vector<Var>& ys) {
      std::vector<Atom> further = index;
      further.push_back(ys[1]);
      return std::vector<Atom>{update(b, ys[0], shape, depth + 1, further, {ys.begin() + 2, ys.end()})};
    });
    return b.map("acc", shape[depth], std::move(f), inputs)[0];
  }

  bool by_rows(Builder& b, Stm& s, Screma& x, Where where, Subst& results) {
    auto input_of = [&](const Atom& a) -> std::optional<Var> {     // whose rows these are
      for (size_t k = 0; k < x.inputs.size(); k++) if (a == Atom(x.pre.params[k].var)) return x.inputs[k];
      return {};
    };
    size_t at = 0;
    for (const Combine& c : x.reduces)
      for (size_t k = 0; k < c.neutral.size(); k++, at++)
        if (where == Where::Thread && of_rows(c) && !input_of(x.pre.body.result[at])) return false;
    if (!counts("columns.rows")) return false;
    // What is left of the operation: other reductions, mapped values, and the rows.
    Screma rest{x.width, x.inputs, {}, {}, {}, {}, {}};
    std::vector<Atom> operands, rows;
    std::vector<std::string> hints, row_hints;
    std::vector<Var> stands_for;                                    // for each result of it but the rows
    struct Rows { Combine op; std::vector<std::pair<std::optional<Var>, size_t>> of; std::vector<Var> out; };   // an input, or a number among the rows
    std::vector<Rows> all;
    at = 0;
    for (Combine& c : x.reduces) {
      if (of_rows(c)) all.push_back({of_elements(c), {}, {}});
      for (size_t k = 0; k < c.neutral.size(); k++, at++) {
        Var out = s.pattern[at].var;
        const Atom& operand = x.pre.body.result[at];
        if (!of_rows(c)) {
          operands.push_back(operand), hints.push_back(p_.hint(out)), stands_for.push_back(out);
          continue;
        }
        auto input = input_of(operand);
        all.back().of.push_back({input, rows.size()});
        all.back().out.push_back(out);
        if (!input) rows.push_back(operand), row_hints.push_back("rows");
      }
    }
    for (; at < x.pre.body.result.size(); at++) {
      operands.push_back(x.pre.body.result[at]), hints.push_back(p_.hint(s.pattern[at].var)), stands_for.push_back(s.pattern[at].var);
    }
    std::vector<std::vector<Dim>> shapes;
    for (Combine& c : x.reduces) {
      if (of_rows(c)) shapes.push_back(c.shape);
      else rest.reduces.push_back(std::move(c));
    }
    std::vector<Var> made;
    if (operands.size() + rows.size() > 0) {
      rest.pre = std::move(x.pre);
      rest.pre.body.result = operands;
      rest.pre.body.result.insert(rest.pre.body.result.end(), rows.begin(), rows.end());
      hints.insert(hints.end(), row_hints.begin(), row_hints.end());
      made = b.bind(hints, std::move(rest));
    }
    for (size_t k = 0; k < stands_for.size(); k++) results.emplace(stands_for[k], made[k]);
    for (size_t r = 0; r < all.size(); r++) {
      std::vector<Var> columns;
      for (auto& [input, number] : all[r].of) columns.push_back(turned(b, input ? *input : made[stands_for.size() + number]));
      std::vector<Var> out = b.map_all(p_.hint(all[r].out[0]), shapes[r], columns, [&](const std::vector<Var>& column) {
        std::vector<Var> reduced = b.reduce("column", x.width, std::move(all[r].op), column);
        return std::vector<Atom>(reduced.begin(), reduced.end());
      });
      for (size_t k = 0; k < out.size(); k++) results.emplace(all[r].out[k], out[k]);
    }
    return true;
  }

  // What makes the elements of rows: a nest of maps over the dimensions of a row. Before each there may be arithmetic.
  struct Nest {
    std::vector<Screma*> maps;
    std::vector<Stm*> numbers;
  };
  std::optional<Nest> nest_of(Screma& x) {
    Nest nest;
    Body* at = &x.pre.body;
    VarSet arrays;                                                  // of the elements and of what a map takes of them
    for (Bind y : x.pre.params) if (is_array(p_.type(y.var))) arrays.insert(y.var);
    for (const Dim& width : x.reduces[0].shape) {
      Stm* last = nullptr;
      for (Stm& s : at->stms) {
        if (last || !s.checks.empty()) return {};
        if (std::holds_alternative<Screma>(s.exp)) { last = &s; continue; }
        if (!is_cheap(s)) return {};
        nest.numbers.push_back(&s);
      }
      auto map = last ? std::get_if<Screma>(&last->exp) : nullptr;
      if (!map || !is_map(*map) || map->width != width || last->pattern.size() != at->result.size()) return {};
      for (size_t k = 0; k < at->result.size(); k++) if (at->result[k] != Atom(last->pattern[k].var)) return {};
      nest.maps.push_back(map);
      for (Bind y : map->pre.params) if (is_array(p_.type(y.var))) arrays.insert(y.var);
      at = &map->pre.body;
    }
    // Arrays are inputs of maps, and nothing else.
    bool flat = nest.numbers.size() <= costs::quick_steps;
    VarSet own = bound_in(x.pre);
    for (Screma* map : nest.maps) for (Var v : map->inputs) flat = flat && (!own.contains(v) || arrays.contains(v));
    for (const Stm& s : at->stms) {
      flat = flat && s.checks.empty() && (std::holds_alternative<Apply>(s.exp) || std::holds_alternative<Convert>(s.exp));
      each_use(p_, s, [&](Var v) { flat = flat && !arrays.contains(v); });
    }
    for (const Atom& a : at->result) flat = flat && is_scalar(p_.type(a));
    return flat ? std::optional(nest) : std::nullopt;
  }
  static bool is_cheap(const Stm& s) {
    auto op = std::get_if<Apply>(&s.exp);
    return op ? !is_costly(op->op) : std::holds_alternative<Convert>(s.exp);
  }
  bool by_elements(Builder& b, Stm& s, Screma& x, Subst& results) {
    bool fits = x.pre.body.result.size() == width_of(x.reduces);
    for (const Combine& c : x.reduces) fits = fits && of_rows(c) && c.shape == x.reduces[0].shape;
    auto nest = fits ? nest_of(x) : std::nullopt;
    if (!nest || !counts("columns.elements")) return false;
    Elements e{x, *nest, {}, {}, {}};
    for (size_t k = 0; k < x.inputs.size(); k++) {
      Var param = x.pre.params[k].var;
      if (!is_array(p_.type(param))) e.numbers.push_back({param, x.inputs[k]});
      else e.columns.emplace(param, turned(b, x.inputs[k]));
    }
    std::vector<Var> out = level(b, p_.hint(s.pattern[0].var), e, 0);
    for (size_t k = 0; k < out.size(); k++) results.emplace(s.pattern[k].var, out[k]);
    return true;
  }
  struct Elements {
    Screma& x;
    Nest& nest;
    std::vector<std::pair<Var, Var>> numbers;                       // a scalar that varies with the reduction: its name in x, an array of all of them
    std::unordered_map<Var, Var> columns;                           // for an array that varies with the reduction: one whose last dimension that is
    Subst same;                                                     // names in x of what does not
  };
  std::vector<Var> level(Builder& b, const std::string& hint, Elements& e, size_t depth) {
    if (depth == e.nest.maps.size()) return reduction(b, e);
    Screma& map = *e.nest.maps[depth];
    std::vector<Var> inputs;
    Builder::Params params;
    for (size_t k = 0; k < map.inputs.size(); k++) {
      auto column = e.columns.find(map.inputs[k]);
      auto same = e.same.find(map.inputs[k]);
      inputs.push_back(column != e.columns.end() ? column->second : same != e.same.end() ? *var_of(same->second) : map.inputs[k]);
      params.push_back({p_.hint(map.pre.params[k].var), row_type(p_.type(inputs.back()))});
    }
    Lambda f = b.lambda(params, [&](const std::vector<Var>& ys) {
      for (size_t k = 0; k < ys.size(); k++) {
        Var param = map.pre.params[k].var;
        if (!e.columns.contains(map.inputs[k])) e.same.emplace(param, ys[k]);
        else if (is_scalar(p_.type(param))) e.numbers.push_back({param, ys[k]});
        else e.columns.emplace(param, ys[k]);
      }
      std::vector<Var> out = level(b, hint, e, depth + 1);
      return std::vector<Atom>(out.begin(), out.end());
    });
    return b.map(hint, map.width, std::move(f), inputs);
  }
  std::vector<Var> reduction(Builder& b, Elements& e) {
    std::vector<Var> inputs;
    Builder::Params params;
    for (auto [name, all] : e.numbers) {
      inputs.push_back(all);
      params.push_back({p_.hint(name), p_.type(name)});
    }
    Lambda pre = b.lambda(params, [&](const std::vector<Var>& xs) {
      Subst stands = e.same;
      for (size_t k = 0; k < xs.size(); k++) stands.emplace(e.numbers[k].first, xs[k]);
      Body& innermost = e.nest.maps.back()->pre.body;
      for (Stm* n : e.nest.numbers) {
        substitute(p_, *n, stands);
        b.emit(std::move(*n));
      }
      substitute(p_, innermost, stands);
      b.emit_all(std::move(innermost.stms));
      return innermost.result;
    });
    Screma reduce{e.x.width, inputs, std::move(pre), {}, {}, {}, {}};
    for (const Combine& c : e.x.reduces) reduce.reduces.push_back(of_elements(c));
    return b.bind("column", std::move(reduce));
  }
};

}  // namespace

void columns(Program& program, PassContext& context) {
  Columns pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, Columns::Where::Host); });
}

}  // namespace raido
