// interpret_parallel.cc - screma, hist, seg and accumulators, executed one iteration after the other.
//
// A screma and a seg have the same parts, so one struct (Parts) runs both: it folds the operands of the reductions and
// scans of one iteration and stores what `post` gives.
#include <algorithm>

#include "compiler/ir/interpreter.h"
#include "compiler/ir/transform.h"

namespace raido::ir {

// The reductions, scans and outputs of one line of iterations. `results`: one cell for each result of the operation.
struct Interpreter::Parts {
  Interpreter& in;
  const std::vector<Combine>&reduces, &scans, &post_reduces;
  const Lambda& post;
  const std::vector<Bind>& pattern;
  std::vector<Cell> results;             // arrays that are filled; accumulators and proofs as last seen
  std::vector<std::vector<Cell>> reduce_state, scan_state, post_state;

  static size_t width(const std::vector<Combine>& ops) {
    size_t n = 0;
    for (const Combine& op : ops) n += op.neutral.size();
    return n;
  }
  size_t reduced() const { return width(reduces); }

  // Results that are stored once for each iteration are arrays over the index space; reductions have the outer one only.
  void prepare(size_t outer_dims, size_t results_count) {
    for (size_t i = 0; i < results_count; i++) {
      bool folded = i < reduced() || i >= results_count - width(post_reduces);
      const Type& t = in.program_.type(pattern[i].var);
      bool filled = std::holds_alternative<ArrayType>(t) && !(folded && outer_dims == 0);
      results.push_back(filled ? Cell(in.output(pattern[i])) : Cell{});
    }
  }
  void start() {
    reduce_state.clear(), scan_state.clear(), post_state.clear();
    for (const Combine& c : reduces) reduce_state.push_back(in.neutral(c));
    for (const Combine& c : scans) scan_state.push_back(in.neutral(c));
    for (const Combine& c : post_reduces) post_state.push_back(in.neutral(c));
  }
  void put(size_t result, std::span<const i64> at, Cell value) {
    if (auto a = std::get_if<Ref<Array>>(&results[result])) {
      if (std::holds_alternative<ArrayType>(in.program_.type(pattern[result].var))) return in.store_at(**a, at, value);
    }
    if (std::holds_alternative<CheckType>(in.program_.type(pattern[result].var))) value = Num{bool_const(true), {}};
    results[result] = std::move(value);
  }
  // One iteration; `operands` are the results of its body, `at` its index.
  void step(std::vector<Cell> operands, std::span<const i64> at) {
    size_t next = 0;
    auto take = [&](size_t n) {
      std::vector<Cell> part(std::make_move_iterator(operands.begin() + ptrdiff_t(next)),
                             std::make_move_iterator(operands.begin() + ptrdiff_t(next + n)));
      next += n;
      return part;
    };
    for (size_t k = 0; k < reduces.size() && !in.failed(); k++)
      in.combine(reduces[k], reduce_state[k], take(reduces[k].neutral.size()));
    std::vector<Cell> outputs;
    for (size_t k = 0; k < scans.size() && !in.failed(); k++) {
      in.combine(scans[k], scan_state[k], take(scans[k].neutral.size()));
      for (const Cell& c : scan_state[k]) outputs.push_back(c);
    }
    if (in.failed()) return;
    for (Cell& c : take(operands.size() - next)) outputs.push_back(std::move(c));
    if (!post.params.empty() || !post.body.result.empty()) outputs = in.apply(post, std::move(outputs));
    if (in.failed()) return;
    size_t post_width = width(post_reduces), kept = outputs.size() - post_width;
    for (size_t i = 0; i < kept; i++) put(reduced() + i, at, std::move(outputs[i]));
    size_t from = kept;
    for (size_t k = 0; k < post_reduces.size() && !in.failed(); k++) {
      std::vector<Cell> part(outputs.begin() + ptrdiff_t(from), outputs.begin() + ptrdiff_t(from + post_reduces[k].neutral.size()));
      in.combine(post_reduces[k], post_state[k], std::move(part));
      from += post_reduces[k].neutral.size();
    }
  }
  void finish(std::span<const i64> outer) {
    size_t result = 0;
    for (auto& state : reduce_state)
      for (Cell& c : state) put(result++, outer, std::move(c));
    result = results.size() - width(post_reduces);
    for (auto& state : post_state)
      for (Cell& c : state) put(result++, outer, std::move(c));
  }
  // Without iterations accumulators and proofs come out as they went in. The results may be in another order than `accumulators`.
  void untouched(const std::vector<Var>& accumulators) {
    for (size_t i = 0; i < results.size(); i++) {
      const Type& t = in.program_.type(pattern[i].var);
      if (auto acc = std::get_if<AccType>(&t))
        for (Var v : accumulators)
          if (std::get<AccType>(in.program_.type(v)).token == acc->token) results[i] = in.cell(v);
      if (std::holds_alternative<CheckType>(t)) results[i] = Num{bool_const(true), {}};
    }
  }
};

std::vector<Cell> Interpreter::neutral(const Combine& c) {
  std::vector<Cell> cells;
  std::vector<i64> shape = integers(c.shape);
  for (const Atom& a : c.neutral) {
    Cell v = value(a);
    if (!shape.empty()) {
      Num n = std::get<Num>(v);
      Ref<Array> rows = fresh(n.value.type, shape);
      i64 count = 1;
      for (i64 d : rows->shape) count *= d;
      for (i64 i = 0; i < count; i++) store(*rows, i, n);
      v = rows;
    }
    cells.push_back(std::move(v));
  }
  return cells;
}

// into = op(into, with), pointwise over op.shape.
void Interpreter::combine(const Combine& op, std::vector<Cell>& into, std::vector<Cell> with) {
  if (op.shape.empty()) {
    std::vector<Cell> args = std::move(into);
    for (Cell& c : with) args.push_back(std::move(c));
    into = apply(op.op, std::move(args));
    return;
  }
  std::vector<i64> shape = integers(op.shape), at(shape.size(), 0);
  for (Cell& c : into) make_unique(c);
  auto each = [&](auto&& self, size_t dim) -> void {
    if (dim < shape.size()) {
      for (at[dim] = 0; at[dim] < shape[dim] && !failed(); at[dim]++) self(self, dim + 1);
      return;
    }
    std::vector<Cell> args;
    for (Cell& c : into) args.push_back(element(*std::get<Ref<Array>>(c), at));
    for (Cell& c : with) args.push_back(element(*std::get<Ref<Array>>(c), at));
    std::vector<Cell> results = apply(op.op, std::move(args));
    for (size_t i = 0; i < into.size() && !failed(); i++) store_at(*std::get<Ref<Array>>(into[i]), at, results[i]);
  };
  each(each, 0);
}

std::vector<Cell> Interpreter::screma(const Screma& x, const Stm& stm) {
  i64 n = integer(x.width);
  Parts parts{*this, x.reduces, x.scans, x.post_reduces, x.post, stm.pattern, {}, {}, {}, {}};
  parts.prepare(0, stm.pattern.size());
  parts.start();
  std::vector<Cell> inputs;
  std::vector<Var> accumulators;
  for (Var v : x.inputs) {
    inputs.push_back(cell(v));
    if (std::holds_alternative<Ref<Accumulator>>(inputs.back())) accumulators.push_back(v);
    if (auto a = std::get_if<Ref<Array>>(&inputs.back()))
      if ((*a)->shape[0] != n && !failed())
        fail(stm.source, fmt::format("internal error: width {}, but `{}` has {} rows", n, program_.hint(v), (*a)->shape[0]));
  }
  parts.untouched(accumulators);
  for (i64 i = 0; i < n && !failed(); i++) {
    std::vector<Cell> args;
    args.reserve(inputs.size());
    for (const Cell& c : inputs) {
      auto a = std::get_if<Ref<Array>>(&c);
      args.push_back(a ? element(**a, {{i}}) : c);
    }
    std::vector<Cell> operands = apply(x.pre, std::move(args));
    if (!failed()) parts.step(std::move(operands), {{i}});
  }
  if (!failed()) parts.finish({});
  return std::move(parts.results);
}

// ---- Updates at computed places ----

void Interpreter::update_dest(const Dest& dest, std::span<Cell> arrays, std::span<const i64> at, std::vector<Cell> values) {
  const Array& first = *std::get<Ref<Array>>(arrays[0]);
  for (size_t k = 0; k < at.size(); k++)
    if (at[k] < 0 || at[k] >= first.shape[k]) return;
  counters_.updates++;
  if (dest.combine) {
    std::vector<Cell> old;
    for (Cell& c : arrays) {
      Cell e = element(*std::get<Ref<Array>>(c), at);
      if (auto a = std::get_if<Ref<Array>>(&e)) e = compact(**a);  // the operator may consume its operands
      old.push_back(std::move(e));
    }
    combine(*dest.combine, old, std::move(values));
    values = std::move(old);
  }
  for (size_t i = 0; i < arrays.size() && !failed(); i++) store_at(*std::get<Ref<Array>>(arrays[i]), at, values[i]);
}

// `operands` are those of Hist::pre: the index of each dest, then the values of each dest.
void Interpreter::update_dests(const std::vector<Dest>& dests, std::vector<std::vector<Cell>>& arrays,
                               std::span<Cell> operands) {
  size_t next_index = 0, next_value = 0;
  for (const Dest& d : dests) next_value += size_t(d.rank);
  for (size_t k = 0; k < dests.size() && !failed(); k++) {
    std::vector<i64> at;
    for (int i = 0; i < dests[k].rank; i++) at.push_back(std::get<Num>(operands[next_index++]).value.as_i64());
    std::vector<Cell> values;
    for (size_t i = 0; i < dests[k].arrays.size(); i++) values.push_back(operands[next_value++]);
    update_dest(dests[k], arrays[k], at, std::move(values));
  }
}

namespace {
std::vector<Atom> atoms_of(const std::vector<Var>& vars) { return {vars.begin(), vars.end()}; }
}  // namespace

std::vector<Cell> Interpreter::hist(const Hist& x, const StmInfo& info) {
  i64 n = integer(x.width);
  std::vector<std::vector<Cell>> arrays;
  for (const Dest& d : x.dests) {
    arrays.push_back(take_all(atoms_of(d.arrays), info));
    for (Cell& c : arrays.back()) make_unique(c);
  }
  for (i64 i = 0; i < n && !failed(); i++) {
    std::vector<Cell> args;
    for (Var v : x.inputs) {
      auto a = std::get_if<Ref<Array>>(&cell(v));
      args.push_back(a ? element(**a, {{i}}) : cell(v));
    }
    std::vector<Cell> operands = apply(x.pre, std::move(args));
    if (!failed()) update_dests(x.dests, arrays, operands);
  }
  std::vector<Cell> results;
  for (auto& of_dest : arrays)
    for (Cell& c : of_dest) results.push_back(std::move(c));
  return results;
}

std::vector<Cell> Interpreter::seg(const Seg& x, const Stm& stm, const StmInfo& info) {
  if (x.level == SegLevel::Grid || x.level == SegLevel::Task) counters_.kernels++;
  std::vector<i64> extent = integers(x.extent), at(extent.size(), 0);
  size_t outer = extent.size() - 1, dest_values = 0, dest_arrays = 0;
  std::vector<std::vector<Cell>> arrays;
  for (const Dest& d : x.dests) {
    arrays.push_back(take_all(atoms_of(d.arrays), info));
    for (Cell& c : arrays.back()) make_unique(c);
    dest_values += size_t(d.rank) + d.arrays.size();
    dest_arrays += d.arrays.size();
  }
  Parts parts{*this, x.reduces, x.scans, x.post_reduces, x.post, stm.pattern, {}, {}, {}, {}};
  parts.prepare(outer, stm.pattern.size() - dest_arrays);
  std::vector<Var> accumulators = free_vars(program_, x.body), later = free_vars(program_, x.post);
  accumulators.insert(accumulators.end(), later.begin(), later.end());
  std::erase_if(accumulators, [&](Var v) { return !std::holds_alternative<AccType>(program_.type(v)); });
  parts.untouched(accumulators);
  std::vector<i64> bytes;
  for (const Workspace& w : x.workspaces) bytes.push_back(std::max<i64>(integer(w.bytes), 0));
  auto lines = [&](auto&& self, size_t dim) -> void {
    if (dim < outer) {
      for (at[dim] = 0; at[dim] < extent[dim] && !failed(); at[dim]++) self(self, dim + 1);
      return;
    }
    parts.start();
    for (at[dim] = 0; at[dim] < extent[dim] && !failed(); at[dim]++) {
      for (size_t k = 0; k < bytes.size(); k++) {         // a new one for each point: nothing in it comes from the one before
        cell(x.workspaces[k].block.var) = {};
        cell(x.workspaces[k].block.var) = block(bytes[k], stm.source);
        if (failed()) return;
      }
      for (size_t k = 0; k < at.size(); k++) cell(x.index[k].var) = Num{i64_const(at[k]), {}};
      std::vector<Cell> operands = body(x.body);
      if (failed()) return;
      if (dest_values > 0) {
        update_dests(x.dests, arrays, std::span(operands).last(dest_values));
        operands.resize(operands.size() - dest_values);
      }
      parts.step(std::move(operands), at);
    }
    if (!failed()) parts.finish(std::span(at).first(outer));
  };
  lines(lines, 0);
  std::vector<Cell> results = std::move(parts.results);
  for (auto& of_dest : arrays)
    for (Cell& c : of_dest) results.push_back(std::move(c));
  return results;
}

std::vector<Cell> Interpreter::with_acc(const WithAcc& x, const StmInfo& info) {
  std::vector<Cell> args(x.dests.size(), Cell(Num{bool_const(true), {}}));
  for (const Dest& d : x.dests) {
    Ref<Accumulator> acc(new Accumulator);
    acc->dest = &d;
    acc->arrays = take_all(atoms_of(d.arrays), info);
    for (Cell& c : acc->arrays) make_unique(c);
    args.push_back(acc);
  }
  std::vector<Cell> inner = apply(x.scope, std::move(args)), results;
  if (failed()) return {};
  for (size_t i = 0; i < x.dests.size(); i++)
    for (Cell& c : std::get<Ref<Accumulator>>(inner[i])->arrays) results.push_back(std::move(c));
  for (size_t i = x.dests.size(); i < inner.size(); i++) results.push_back(std::move(inner[i]));
  for (const Bind& b : x.scope.params) cell(b.var) = {};
  return results;
}

Cell Interpreter::acc_update(const AccUpdate& x) {
  Cell acc = cell(x.acc);
  const Ref<Accumulator>* a = std::get_if<Ref<Accumulator>>(&acc);
  CHECK(a, "interpreter: `{}` is not an accumulator", program_.hint(x.acc));
  std::vector<i64> at = integers(x.at);
  std::vector<Cell> values;
  for (const Atom& v : x.values) values.push_back(value(v));
  const Array& first = *std::get<Ref<Array>>((*a)->arrays[0]);
  bool inside = true;
  for (size_t k = 0; k < at.size(); k++) inside = inside && at[k] >= 0 && at[k] < first.shape[k];
  if (x.in_range && !inside) return fail({}, "internal error: an update that is said to be in range is not"), Cell{};
  if (inside && !apart_.empty()) {
    const std::vector<Selector> place(x.at.begin(), x.at.end());
    bool scalar = false;
    for (const Cell& array : (*a)->arrays) expect_own_place(*part_of(*std::get<Ref<Array>>(array), place, scalar));
  }
  update_dest(*(*a)->dest, (*a)->arrays, at, std::move(values));
  return acc;
}

}  // namespace raido::ir
