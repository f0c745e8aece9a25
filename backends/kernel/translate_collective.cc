// translate_collective.cc - a grid whose threads combine their values: a reduction of each row, in one kernel.
//
// The points of the grid are (row, part); each thread makes the value of one part (the seg's body, which runs through all elements of the
// part). A row has as many lanes of a block as it has parts, so that a block may have several rows, or whole blocks (raido_grid_of_rows).
// Neighbouring threads have neighbouring parts; or, where elements of neighbouring rows lie beside each other, and those of parts do not, eight
// neighbouring rows.
//
//   stage 0   value of the thread's part; the lanes of a row combine theirs in shared memory, neighbours first, so the order is kept
//             -> the result, if the row has one block; else the block's partial value
//   stage 1   the last block of these rows to come there does the same with the partial values. Where nobody is found to be the last, a second
//             launch has one block for each row, which begins here.
//
// Every thread reaches every barrier: where a check fails, its thread goes on with the neutral value, and what comes out is not read.
#include "backends/kernel/collective.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/transform.h"

namespace raido::kir::translation {

class FromCore::Collective : Together {
 public:
  Collective(FromCore& t, const ir::Stm& s, const Seg& x) : Together(t, s, x), rows_are_near_(rows_are_near()) {}

  void run() {
    for (Var v : t_.free_vars_of_places(x_)) (void)t_.memory(v);
    extent_ = t_.atoms(x_.extent);
    outer_ = {extent_.begin(), extent_.end() - 1};
    ExprId rows = m_.number(1);
    for (ExprId n : outer_) rows = m_.mul(rows, n);
    rows_ = declare("rows", rows);
    parts_ = declare("parts", extent_.back());
    auto host = [&](const char* hint) { return m_.name(hint, Scalar::I64); };
    Shape shape{host("lanes"), host("blocks"), host("threads"), host("finish"), rows_, parts_, rows_are_near_ ? 8 : 1};
    lanes_ = m_.var(shape.lanes);
    blocks_ = m_.var(shape.blocks);
    t_.emit(shape);
    ExprId one_block = m_.prim(ScalarOp::eq, {blocks_, m_.number(1)});
    for (const Combine& c : x_.reduces)
      for (const Atom& ne : c.neutral) {
        Scalar type = elem_of(t_.p_, ne);
        Operand o{t_.atom(ne), m_.name("x", type), m_.memory("shared", type, Space::Private), m_.memory("partial", type, Space::Device), s_.pattern[operands_.size()].var};
        t_.emit(kir::Alloc{o.partial, {rows_, m_.prim(ScalarOp::select, {one_block, m_.number(0), blocks_}), m_.number(bytes_of(type))}, false});
        operands_.push_back(o);
      }
    tickets_ = m_.memory("tickets", Scalar::I32, Space::Device);
    t_.emit(Tickets{tickets_, m_.prim(ScalarOp::select, {one_block, m_.number(0), rows_})});
    finish_ = m_.name("finish", Scalar::I64);
    Kernel k = t_.kernel_of("reduce_" + t_.p_.hint(s_.pattern[0].var), [&] { kernel(); });
    k.collective = true;
    t_.launch(std::move(k), finish_, {{m_.number(0), m_.var(shape.threads)}, {m_.number(1), m_.var(shape.finish)}});
    for (const Operand& o : operands_) t_.emit(Release{o.partial});
  }

 private:
  // Neighbouring rows read elements that lie beside each other, and neighbouring parts do not. What does not vary with both is read again and again,
  // by other threads, and does not count.
  bool rows_are_near() const {
    if (x_.index.size() < 2) return false;
    Forms forms;
    int of_rows = 0, of_parts = 0;
    each_stm(x_.body, [&](const ir::Stm& s) {
      forms.define(t_.p_, s);
      auto read = std::get_if<Index>(&s.exp);
      if (!read || !is_scalar(t_.p_.type(s.pattern[0].var))) return;
      auto moves = [&](Var v) -> std::optional<int64_t> {  // by so many places
        const Lmad& l = std::get<ArrayType>(t_.p_.type(read->array)).place->layout;
        int64_t places = 0;
        for (size_t d = 0; d < read->at.size(); d++) {
          int64_t by = forms.of(std::get<Atom>(read->at[d])).factor(v);
          auto apart = const_of(l.strides[d]);
          if (by != 0 && !apart) return {};
          if (by != 0) places += by * apart->as_i64();
        }
        return places;
      };
      auto by_row = moves(x_.index[x_.index.size() - 2].var), by_part = moves(x_.index.back().var);
      if (by_row == 0 || by_part == 0) return;
      of_rows += by_row == 1;
      of_parts += by_part == 1;
    });
    return of_rows > 0 && of_parts == 0;
  }
  struct Operand {                                  // of the operators, in order
    ExprId neutral;
    Name value, shared, partial;
    Var out;
  };
  std::vector<ExprId> extent_, outer_;
  std::vector<Operand> operands_;
  Name tickets_, finish_;
  bool rows_are_near_;
  ExprId rows_, parts_, lanes_, blocks_, group_;    // the same for all threads of a block; group: of the rows that a block has
  ExprId lane_, first_, row_, chunk_, has_place_, mine_;   // first: place of lane 0 of the thread's row. mine: the thread has a row

  void kernel() {
    for (const Operand& o : operands_) t_.emit(DeclareShared{o.shared});
    ExprId local = declare("local", builtin(Builtin::LocalId));
    ExprId size = builtin(Builtin::BlockSize), in_block = declare("rows_of_block", op(ScalarOp::quot, size, lanes_));
    ExprId near = rows_are_near_ ? in_block : lanes_, slow = declare("slow", op(ScalarOp::quot, local, near));
    ExprId fast = declare("fast", op(ScalarOp::sub, local, m_.mul(slow, near)));
    ExprId within = rows_are_near_ ? fast : slow;
    lane_ = rows_are_near_ ? slow : fast;
    first_ = declare("first", m_.mul(within, lanes_));
    ExprId blocks = m_.prim(ScalarOp::select, {is(m_.var(finish_), 1), m_.number(1), blocks_}), block = builtin(Builtin::BlockId);
    group_ = declare("group", op(ScalarOp::quot, block, blocks));
    chunk_ = declare("chunk", op(ScalarOp::sub, block, m_.mul(group_, blocks)));
    row_ = declare("row", m_.add(m_.mul(group_, in_block), within));
    has_place_ = declare("has_place", rows_are_near_ ? op(ScalarOp::lt, lane_, lanes_) : op(ScalarOp::lt, within, in_block));
    mine_ = declare("mine", both(has_place_, op(ScalarOp::lt, row_, rows_)));
    ExprId stage = declare("stage", m_.var(finish_));
    Block once = t_.block([&] { combine_row(stage); });
    t_.emit(kir::While{{}, op(ScalarOp::lt, stage, m_.number(2)), std::move(once)});
  }
  void combine_row(ExprId stage) {
    for (const Operand& o : operands_) t_.emit(Declare{o.value, o.neutral});
    Block elements = t_.block([&] { value_of_part(); }), partials = t_.block([&] { value_of_partials(); });
    t_.emit(kir::If{is(stage, 0), std::move(elements), std::move(partials)});
    when(has_place_, [&] { for (const Operand& o : operands_) t_.emit(Store{o.shared, m_.add(first_, lane_), m_.var(o.value)}); });
    std::vector<Name> shared;
    for (const Operand& o : operands_) shared.push_back(o.shared);
    combine_neighbours(x_.reduces, shared, first_, lane_, lanes_, mine_);
    when(both(mine_, is(lane_, 0)), [&] {
      std::vector<ExprId> values;
      for (const Operand& o : operands_) values.push_back(t_.load(o.shared, first_, "x"));
      Block result = t_.block([&] {
        Point at = t_.point_of(row_, outer_);
        for (size_t k = 0; k < operands_.size(); k++) {
          Layout to = t_.layout(operands_[k].out);
          t_.store(to.memory, t_.address(to, at), values[k]);
        }
      });
      Block partial = t_.block([&] {
        for (size_t k = 0; k < operands_.size(); k++) t_.store(operands_[k].partial, m_.add(m_.mul(row_, blocks_), chunk_), values[k]);
      });
      t_.emit(kir::If{op(ScalarOp::or_, is(stage, 1), is(blocks_, 1)), std::move(result), std::move(partial)});
    });
    Name next = m_.name("next", Scalar::I64), last = m_.name("last", Scalar::Bool);
    t_.emit(Declare{next, m_.number(2)});
    when(both(is(stage, 0), op(ScalarOp::lt, m_.number(1), blocks_)), [&] {
      if (rows_are_near_) t_.emit(Barrier{});                // several threads have stored partial values
      t_.emit(LastBlock{last, tickets_, group_, blocks_});
      when(m_.var(last), [&] { t_.emit(Assign{next, m_.number(1)}); });
    });
    assign(stage, m_.var(next));
  }
  void value_of_part() {
    ExprId part = declare("part", m_.add(m_.mul(chunk_, lanes_), lane_));
    when(both(mine_, op(ScalarOp::lt, part, parts_)), [&] {
      guarded(true, [&] {
        Point at = t_.point_of(row_, outer_);
        at.push_back(part);
        for (size_t d = 0; d < at.size(); d++) t_.scalar_[x_.index[d].var] = at[d];
        t_.body(x_.body, {});
        for (size_t k = operands_.size(); k < s_.pattern.size(); k++) t_.put_mapped(s_.pattern[k].var, x_.body.result[k], at);
        for (size_t k = 0; k < operands_.size(); k++) t_.emit(Assign{operands_[k].value, t_.atom(x_.body.result[k])});
      });
    });
  }
  // The partial values of a row, the same number of neighbours for each lane.
  void value_of_partials() {
    ExprId each = declare("each", op(ScalarOp::quot, m_.add(blocks_, op(ScalarOp::sub, lanes_, m_.number(1))), lanes_));
    ExprId from = declare("from", m_.mul(lane_, each)), to = declare("to", op(ScalarOp::min, m_.add(from, each), blocks_));
    Name i = m_.name("i", Scalar::I64);
    Block b = t_.block([&] {
      std::vector<ExprId> left, right;
      for (const Operand& o : operands_) {
        left.push_back(declare("left", m_.var(o.value)));
        right.push_back(t_.load(o.partial, m_.add(m_.mul(row_, blocks_), m_.var(i)), "right"));
      }
      combine(x_.reduces, left, right, [&](size_t k, ExprId now) { t_.emit(Assign{operands_[k].value, now}); });
    });
    when(mine_, [&] { t_.emit(kir::For{i, from, to, std::move(b)}); });
  }
};

void FromCore::collective(const ir::Stm& s, const Seg& x) { Collective(*this, s, x).run(); }

}  // namespace raido::kir::translation
