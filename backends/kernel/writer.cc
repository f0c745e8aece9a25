// writer.cc - expressions, memory and control structures.
#include "backends/kernel/writer.h"

#include <algorithm>
#include <functional>

#include "backends/kernel/loop_parts.h"
#include "backends/kernel/walk.h"
#include "compiler/base/match.h"
#include "compiler/base/text.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

int height(const Block& b) {                             // how many braces stand in each other
  int most = 0;
  for (const Stm& s : b) each_body(s, [&](const Block& inner) { most = std::max(most, 1 + height(inner)); });
  return most;
}

}  // namespace

std::string Writer::scalar_functions() const {
  std::string text;
  for (auto [op, at] : used_) text += scalar_function(op, at, language_);
  return text;
}
void Writer::function(const HostFunction& f) {
  std::string saved = std::exchange(out, "");
  current_ = &f;
  if (emulated) results_ = results_only(m_, f);
  out += fmt::format("{} {{\n", signature(f));
  depth_ = 1;
  line("(void)w;");
  IdSet<Name> read;
  for (Name n : free_names(m_, f.body)) read.insert(n);
  for (Name n : f.params) if (!read.contains(n)) line(fmt::format("(void){};", name(n)));
  if (f.recursive) line("RAIDO_ENTER(w);");
  block(f.body);
  out += "}\n\n";
  current_ = nullptr;
  saved += std::exchange(before, "");
  out = saved + out;
}
std::string Writer::signature(const HostFunction& f) const {
  std::string text = fmt::format("{} int {}(struct raido_worker *w", f.lone ? "RAIDO_LONE" : "static", f.name);
  for (Name n : f.params) text += fmt::format(", {}", declared(n));
  for (Name n : f.results) text += fmt::format(", {}*{}", m_.names[n.index].memory ? declared_type(n) : declared_type(n) + " ", name(n));
  return text + ")";
}
std::string Writer::declared_type(Name n) const {
  const NameInfo& i = m_.names[n.index];
  if (!i.memory) return std::string(c_type(i.wide ? Scalar::I32 : i.type));
  if (i.space == ir::Space::Device && !in_kernel_) return "struct raido_memory *";
  return fmt::format("{} *", storage_type(i.type));
}
std::string Writer::declared(Name n) const {
  return declared_type(n) + (m_.names[n.index].memory ? "" : " ") + name(n);
}
std::string Writer::iteration(int loop, const Block& b, const std::vector<ExprId>& with, int more) const {
  return counted ? fmt::format("ITERATION({}, {});", loop, operations_of(m_, b, around_, with, more)) : "";
}
void Writer::braces(const std::string& head, const Block& b, const std::string& first) {
  line(head.empty() ? "{" : head + " {");
  depth_++;
  if (!first.empty()) line(first);
  block(b);
  depth_--;
}
std::string Writer::expr(ExprId id) {
  const Expr& e = m_.exprs[id.index];
  return match(e.node,
    [&](const Const& c) {
      auto found = hidden(c);
      return found ? *found : literal(c);
    },
    [&](const Name& n) {
      if (!vectors_ || !vectors_->truths.contains(n)) return name(n);
      return fmt::format("({} != 0)", vectors_->truths.at(n));
    },
    [&](const Prim&) { return prim(id); },
    [&](const Cast& c) { return cast(m_.exprs[c.value.index].type, e.type, expr(c.value)); },
    [&](const Load& l) {
      // GCC makes vectors of bytes that are compared, not of booleans in memory.
      if (language_ == For_::C && !counted && m_.names[l.memory.index].type == Scalar::Bool) return fmt::format("(((const u8 *){})[{}] != 0)", name(l.memory), expr(l.index));
      const std::string index = vectors_ && std::ranges::count(vectors_->loop.backward_loads(), id) > 0 ? fmt::format("({} ^ {})", expr(l.index), vectors_->zero) : expr(l.index);
      std::string cell = locked_ ? cell_of(l.memory, l.index) : fmt::format(fmt::runtime(counted ? "LOAD({}, {})" : "{}[{}]"), name(l.memory), index);
      return m_.names[l.memory.index].type == Scalar::F16 ? fmt::format("raido_f16_to_f32({})", cell) : cell;
    },
    [&](const Hardware& h) -> std::string {
      switch (h.what) {
        case Builtin::GlobalId: return "GLOBAL_ID()";
        case Builtin::LocalId: return "LOCAL_ID()";
        case Builtin::BlockId: return "BLOCK_ID()";
        case Builtin::BlockSize: return in_kernel_ ? "BLOCK_SIZE()" : "(i64)raido_block_threads(w->context->config)";
        case Builtin::OrdersBlocks: return "RAIDO_ORDERS_BLOCKS";
        case Builtin::HasTensors: return "RAIDO_HAS_TENSORS";
        case Builtin::Items: return fmt::format("RAIDO_ITEMS({}, {})", in_kernel_ ? "BLOCK_THREADS" : "raido_block_threads(w->context->config)", h.bytes);
        case Builtin::TileRows: return "RAIDO_TILE_ROWS";
        case Builtin::TileVectors: return "RAIDO_TILE_VECTORS";
        case Builtin::VectorLanes: return fmt::format("(RAIDO_VECTOR_BYTES / {})", h.bytes);
        case Builtin::SumVectors: return "RAIDO_SUM_VECTORS";
        case Builtin::Zero: return "raido_begin(0)";
      }
      PANIC("a number of the hardware without a name");
    });
}
const std::string* Writer::hidden(const Const& c) const {
  if (!vectors_) return nullptr;
  auto found = std::ranges::find(vectors_->bounds, c, &std::pair<Const, std::string>::first);
  return found == vectors_->bounds.end() ? nullptr : &found->second;
}
// In vectors it is a product with the inverse, which is the same in all iterations.
std::string Writer::division(const Prim& p) {
  used_.insert({p.op, p.at});
  const std::string x = expr(p.args[0]), width = bytes_of(p.at) < 8 ? "short" : is_signed(p.at) ? "i64" : "u64";
  const std::string vector = fmt::format("({})raido_vector_{}_{}({}, {})", c_type(p.at), raido::name_of(p.op), width, x, vectors_->divisors.at(p.args[1].index));
  return fmt::format("RAIDO_WIDEST({}, {}({}, {}))", vector, function_name(p.op, p.at), x, expr(p.args[1]));
}
std::string Writer::prim(ExprId id) {
  const Prim& p = std::get<Prim>(m_.exprs[id.index].node);
  if (vectors_ && p.op == ScalarOp::exp && (p.at == Scalar::F64 || p.at == Scalar::F32)) return fmt::format("raido_bounded_exp_{}({})", name_of(p.at), expr(p.args[0]));
  if (vectors_ && vectors_->loop.divides_by_given(id)) return division(p);
  if (p.op == ScalarOp::select) return fmt::format("({} ? {} : {})", expr(p.args[0]), expr(p.args[1]), expr(p.args[2]));
  if (language_ == For_::C && (p.op == ScalarOp::min || p.op == ScalarOp::max) && is_float(p.at) && (is_number(p.args[0]) || is_number(p.args[1]))) {
    size_t known = is_number(p.args[1]) ? 1 : 0;
    return fmt::format("raido_{}_number{}({}, {})", name_of(p.op), p.at == Scalar::F64 ? "" : "f", expr(p.args[1 - known]), expr(p.args[known]));
  }
  if (p.at == Scalar::Bool && p.op == ScalarOp::not_) return fmt::format("!{}", parenthesised(expr(p.args[0])));
  auto divisor = p.op == ScalarOp::div ? m_.const_of(p.args[1]) : std::nullopt;          // GCC multiplies by the inverse of a power of two that it knows
  if (auto text = infix(p.op, p.at); !text.empty()) return fmt::format("({} {} {})", expr(p.args[0]), text, divisor ? literal(*divisor) : expr(p.args[1]));
  used_.insert({p.op, p.at});
  bool apart = vectors_ && (p.at == Scalar::F64 || p.at == Scalar::F32) && (p.op == ScalarOp::cos || (p.op == ScalarOp::pow && !m_.const_of(p.args[1])));
  return fmt::format("{}{}({})", apart ? "raido_" : "", function_name(p.op, p.at), join(p.args, ", ", [&](ExprId a) { return expr(a); }));
}
std::string Writer::parenthesised(const std::string& text) {
  for (char c : text) if (!is_word(c)) return text[0] == '(' ? text : "(" + text + ")";
  return text;
}
std::string Writer::cast(Scalar from, Scalar to, const std::string& value) {
  if (to == Scalar::Bool) return fmt::format("({} != 0)", value);
  if (to == Scalar::F16) return fmt::format("raido_round_f16({}{})", from == Scalar::F64 ? "raido_odd_f32" : "(f32)", from == Scalar::F64 ? "(" + value + ")" : value);
  if (vectors_ && from == Scalar::Bool && (to == Scalar::F64 || to == Scalar::F32 || to == Scalar::U32))
    return fmt::format("({} ? {})", value, to == Scalar::F64 ? "1.0 : 0.0" : to == Scalar::F32 ? "1.0f : 0.0f" : "1u : 0u");
  if (vectors_ && is_float(from) && is_integer(to))
    return fmt::format("({}){}", c_type(to), in_vectors(fmt::format("RAIDO_I{}_F{}({})", bytes_of(to) == 8 ? 64 : 32, from == Scalar::F64 ? 64 : 32, value),
                                                       fmt::format("raido_integer_part((f64){})", value)));
  if (is_float(from) && is_integer(to)) return fmt::format("({})raido_integer_part((f64){})", c_type(to), value);
  if (vectors_ && is_float(to) && is_integer(from) && bytes_of(from) == 8)
    return in_vectors(fmt::format("RAIDO_F{}_{}64({})", 8 * bytes_of(to), is_signed(from) ? "I" : "U", value), fmt::format("({}){}", c_type(to), value));
  if (is_integer(from) && is_unsigned(to)) return fmt::format("({})({}){}", c_type(to), name_of(unsigned_of(from)), value);
  return fmt::format("({}){}", c_type(to), value);
}
std::string Writer::fail(const Fail& x) {
  const std::string& text = m_.texts[size_t(x.text)];
  std::string format, args;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '%') { format += "%%"; continue; }
    if (text.compare(i, 2, "{}") != 0 || next >= x.args.size()) { format += text[i]; continue; }
    ExprId a = x.args[next++];
    Scalar t = m_.exprs[a.index].type;
    if (t == Scalar::Bool) { format += "%s"; args += fmt::format(", {} ? \"true\" : \"false\"", expr(a)); }
    else if (is_float(t)) { format += "%.17g"; args += fmt::format(", (f64){}", expr(a)); }
    else if (t == Scalar::U64) { format += "%llu"; args += fmt::format(", (unsigned long long){}", expr(a)); }
    else { format += "%lld"; args += fmt::format(", (long long){}", expr(a)); }
    i++;
  }
  return fmt::format("return raido_fail(w, {}{}), 1;", quote(format), args);       // GCC has to know that it fails
}
void Writer::stm(const Stm& s) {
  if (!std::holds_alternative<Declare>(s.node) && !std::holds_alternative<For>(s.node)) numbers_.clear();
  match(s.node,
    [&](const Declare& x) { declare(x); },
    [&](const DeclareArray& x) { declare_array(x); },
    [&](const Assign& x) { line(fmt::format("{}{} = {};", field(x.var), name(x.var), expr(x.value))); },
    [&](const Store& x) { store(x); },
    [&](const Atomic& x) { atomic(x); },
    [&](const Swap& x) { swap(x); },
    [&](const Locked& x) { locked(x); },
    [&](const Locks& x) {
      line(fmt::format("{} = raido_locks(w, {});", declared(x.memory), costs::gpu::locks));
      line(fmt::format("if (RAIDO_UNLIKELY({} == NULL)) return 1;", name(x.memory)));
    },
    [&](const For& x) { for_loop(x); },
    [&](const While& x) { while_loop(x); },
    [&](const If& x) { branch(x); },
    [&](const Fail& x) { in_kernel_ ? device_fail(x) : line(fail(x)); },
    [&](const Call& x) { call(x); },
    [&](const Return& x) { give_back(x); },
    [&](const Trace& x) { trace(x); },
    [&](const FromConstants& x) { line(fmt::format("{} = w->context->constants->{};", declared(x.var), name(x.field))); },
    [&](const Tuned& x) { line(fmt::format("{} = raido_tuned(w, {}, {});", declared(x.var), x.param, expr(x.fallback))); },
    [&](const Threads& x) { line(fmt::format("{} = raido_threads(w);", declared(x.var))); },
    [&](const DeclareShared& x) {
      std::string count = x.item_bytes > 0 ? fmt::format("RAIDO_ITEMS(BLOCK_THREADS, {}) * BLOCK_THREADS", x.item_bytes)
                        : x.each == 0 ? "" : x.each == 1 ? "BLOCK_THREADS" : fmt::format("{} * BLOCK_THREADS", x.each);
      if (x.more > 0) count += fmt::format("{}{}", count.empty() ? "" : " + ", x.more);
      line(fmt::format("SHARED({}, {}, {});", passed_type(m_.names[x.var.index]), name(x.var), count));
    },
    [&](const Own& x) {
      line(fmt::format("LOCAL {0} *{1} = (LOCAL {0} *)((LOCAL char *)dynamic_ + {2});", passed_type(m_.names[x.var.index]), name(x.var), expr(x.at)));
    },
    [&](const Barrier&) { line("BARRIER();"); },
    [&](const Mark& x) { line(fmt::format("RAIDO_MARK({});", x.place)); },
    [&](const LastBlock& x) {
      if (counted) line(fmt::format("if (RAIDO_ORDERS_BLOCKS && LOCAL_ID() == 0) UPDATES({}, {});", name(x.tickets), expr(x.at)));
      line(fmt::format("{} = raido_last_block({}, {}, {});", declared(x.var), name(x.tickets), expr(x.at), expr(x.count)));
    },
    [&](const NextTile& x) {
      if (counted) line(fmt::format("if (RAIDO_ORDERS_BLOCKS && LOCAL_ID() == 0 && {} > 1) UPDATES({}, 0);", expr(x.tiles), name(x.states)));
      line(fmt::format("{} = raido_next_tile({}, {});", declared(x.var), name(x.states), expr(x.tiles)));
    },
    [&](const Publish& x) {
      if (counted) line(fmt::format("WRITES({}, {} + 1);", name(x.states), expr(x.tile)));
      line(fmt::format("raido_publish({}, {}, {}, {});", name(x.states), expr(x.tile), expr(x.launch), expr(x.reached)));
    },
    [&](const LookBack& x) {
      if (counted) line(fmt::format("if (LOCAL_ID() < 32 && LOCAL_ID() < {0}) READS({1}, {0} - LOCAL_ID());", expr(x.end), name(x.states)));
      line(fmt::format("{} = raido_look_back({}, {}, {});", declared(x.first), name(x.states), expr(x.launch), expr(x.end)));
      line(fmt::format("{} = {} % 2 == 1;", declared(x.reached), name(x.first)));
      line(fmt::format("{0} = {0} / 2;", name(x.first)));
    },
    [&](const Guarded& x) { guarded(x); },
    [&](const Unfailed& x) {
      std::string_view test = !can_fail ? "true" : counted ? "LOAD(failure, 0) < 0" : "!RAIDO_FAILED(failure)";
      line(fmt::format("{} = {};", declared(x.var), test));
    },
    [&](const Alloc& x) { alloc(x); },
    [&](const Retain& x) { line(fmt::format("{}_retain(w, {});", prefix(x.block), name(x.block))); },
    [&](const Release& x) { line(fmt::format("{}_release(w, {});", prefix(x.block), name(x.block))); },
    [&](const SetBlock& x) { line(fmt::format("{}{} = {};", field(x.block), name(x.block), name(x.from))); },
    [&](const ReadBack& x) { read_back(x); },
    [&](const WriteOut& x) { write_out(x); },
    [&](const Upload& x) { upload(x); },
    [&](const CopyMemory& x) { copy_memory(x); },
    [&](const Launch& x) { launch(x); },
    [&](const Shape& x) { shape(x); },
    [&](const UpdateShape& x) { update_shape(x); },
    [&](const Tickets& x) {
      line(fmt::format("{} = raido_tickets(w, {});", declared(x.memory), expr(x.count)));
      line(fmt::format("if (RAIDO_UNLIKELY({} == NULL)) return 1;", name(x.memory)));
    },
    [&](const TileShape& x) {
      auto names = {x.tiles, x.together, x.apart, x.one};
      line(fmt::format("i64 {}, {};", join(names, ", ", [&](Name n) { return name(n); }), name(x.launch)));
      line(fmt::format("raido_grid_of_tiles(w, {}, {}, {});", expr(x.points), expr(x.items), join(names, ", ", [&](Name n) { return "&" + name(n); })));
      line(fmt::format("{} = raido_states(w, {}, &{});", declared(x.states), name(x.tiles), name(x.launch)));
      line(fmt::format("if (RAIDO_UNLIKELY({} == NULL)) return 1;", name(x.states)));
    },
    [&](const Transpose& x) { transpose(x); },
    [&](const DeclareVectors& x) {
      tiles = true;
      line(fmt::format("RAIDO_VECTORS({}, {}, {}, [{}][{}]);", storage_type(m_.names[x.var.index].type), name(x.var), expr(x.lanes), expr(x.rows), expr(x.columns)));
    },
    [&](const LoadVector& x) {
      if (counted) line(fmt::format("READS_VECTOR({}, {}, {});", name(x.from), expr(x.from_at), x.count));
      line("RAIDO_UNROLLED");
      line(fmt::format("for (int v = 0; v < {}; v++) {}[{} + v] = {}[{} + v];", x.count, name(x.to), expr(x.to_at), name(x.from), expr(x.from_at)));
    },
    [&](const MultiplyTiles& x) {
      if (counted) {
        for (int k = 0; k < tensor::depth; k += tensor::lanes) {
          for (int group = 0; group < tensor::groups; group++) line(fmt::format("READS({}, raido_row_place({} / 8 + {}, {}));", name(x.rows), expr(x.first_row), group, k));
          for (int c = 0; c < tensor::columns; c += 8) line(fmt::format("READS({}, raido_column_place({}, {}));", name(x.columns), c, k));
        }
      }
      line(fmt::format("raido_multiply_tiles({}, {}, {}, {}, {}, {});", name(x.sums), name(x.rows), name(x.columns), name(x.places), expr(x.first_row), expr(x.count)));
    },
    [&](const TilePlaces& x) {
      out += "#if RAIDO_HAS_TENSORS\n";
      line(fmt::format("i32 {}[3];", name(x.places)));
      line(fmt::format("raido_tile_places({}, {});", name(x.places), expr(x.first_row)));
      out += "#endif\n";
    },
    [&](const Settle& x) { line(fmt::format("SETTLE({}[{}]);", name(x.array), expr(x.index))); },
    [&](const MoveVector& x) {
      line(fmt::format("RAIDO_{}_VECTOR({}[{}][{}], {} + {});", x.back ? "SET" : "GET", name(x.vectors), expr(x.row), expr(x.column), name(x.array), expr(x.at)));
    },
    [&](const VectorScan& x) { vector_scan(x); },
    [&](const ParallelFor& x) { parallel_for(x); });
}
void Writer::declare(const Declare& x) {
  if (x.init && is_number(*x.init)) numbers_.push_back(x.var);
  if (auto p = x.init ? std::get_if<Prim>(&m_.exprs[x.init->index].node) : nullptr; p && p->at != Scalar::Bool && result_type(p->op, p->at) == Scalar::Bool) compared_.insert(x.var);
  std::string apart = in_chain_ ? fmt::format("; {}", name(x.var)) : "";
  line(x.init ? fmt::format("{}{} = {};", declared(x.var), apart, expr(*x.init)) : declared(x.var) + ";");
  if (std::ranges::count(general_, x.var) > 0) line(fmt::format("RAIDO_GENERAL({});", name(x.var)));
  if (pairs_ && x.init && std::holds_alternative<Load>(m_.exprs[x.init->index].node)) line("RAIDO_SCALAR;");     // not one read with the next
}
void Writer::declare_array(const DeclareArray& x) {
  const NameInfo& i = m_.names[x.var.index];
  line(fmt::format("{} {}[{}];", i.wide ? c_type(Scalar::I32) : element_type(i), i.text, join(x.counts, " * ", [&](ExprId n) { return expr(n); })));
}
void Writer::store(const Store& x) {
  std::string value = expr(x.value);
  if (m_.names[x.memory.index].type == Scalar::F16) value = fmt::format("raido_f32_to_f16({})", value);
  if (locked_) line(fmt::format("{} = {};", cell_of(x.memory, x.index), value));
  else if (x.meets && !counted) line(fmt::format("ATOMIC_STORE({}, {}, {}, {});", element_type(m_.names[x.memory.index]), name(x.memory), expr(x.index), value));
  else line(fmt::format(fmt::runtime(counted ? "STORE({}, {}, {});" : "{}[{}] = {};"), name(x.memory), expr(x.index), value));
  if (pairs_) line("RAIDO_SCALAR;");                                                                                // nor one written
}
void Writer::for_loop(const For& x) {
  std::vector<Name> numbers = std::exchange(numbers_, {});
  bool combines = language_ == For_::C && !x.reduced.empty() && (x.lanes || computes_or_chooses(x.body));
  // The lanes of a least or greatest float begin with an infinity. If it begins with a NaN itself, it takes its elements in order.
  std::string all_numbers;
  for (const Reduced& r : x.reduced)
    if (combines && r.op != ScalarOp::add && is_float(m_.names[r.var.index].type) && std::ranges::find(numbers, r.var) == numbers.end())
      all_numbers += fmt::format("{}{} == {}", all_numbers.empty() ? "" : " && ", name(r.var), name(r.var));
  if (all_numbers.empty()) return loop(x, combines);
  line(fmt::format("if ({}) {{", all_numbers));
  depth_++;
  loop(x, true);
  depth_--;
  line("} else {");
  depth_++;
  loop(x, false);
  depth_--;
  line("}");
}
// What the loop names before it, if it may run as vectors.
std::optional<Writer::ForVectors> Writer::for_vectors(const VectorLoop& loop) {
  const Widths widths = loop.widths();
  if (widths == Widths::None) return {};
  ForVectors out{loop, widths == Widths::Widest, {}, {}, {}, {}};
  auto named = [&](std::string_view type, std::string_view what, const std::string& value) {
    std::string name = fmt::format("raido_{}_{}", what, names_++);
    line(fmt::format("const {} {} = {};", type, name, value));
    return name;
  };
  for (const Const& c : loop.met_by_functions()) out.bounds.push_back({c, named(c_type(c.type), "bound", fmt::format("raido_hidden_{}({})", raido::name_of(c.type), literal(c)))});
  for (Name n : loop.given_conditions()) if (!compared_.contains(n)) out.truths[n] = named("i64", "truth", fmt::format("raido_begin((i64){})", name(n)));
  if (!loop.backward_loads().empty()) out.zero = named("i64", "zero", "raido_begin(0)");
  for (ExprId e : loop.given_divisors()) {
    const bool natural = m_.exprs[e.index].type == Scalar::U64;
    const std::string& known = out.divisors[e.index] = named("struct raido_divisor", "divisor", fmt::format("raido_divisor_{}({})", natural ? "u64" : "i64", expr(e)));
    line(fmt::format("(void){};", known));                 // only the widest vectors use it
  }
  return out;
}
void Writer::loop(const For& x, bool combines) {
  const VectorLoop facts(m_, x);
  const std::optional<ForVectors> vectors = language_ == For_::C ? for_vectors(facts) : std::nullopt;
  if (combines) {
    bool sums = std::ranges::all_of(x.reduced, [](const Reduced& r) { return r.op == ScalarOp::add; });
    // Of extrema no compiler makes vectors after those that there are: GCC shall not, and Clang may not.
    if (sums || !x.rest) line(fmt::format("RAIDO_SIMD{}({})", x.rest ? "_REST" : sums ? "" : "_EXTREMA", join(x.reduced, " ", [&](const Reduced& r) {
      return fmt::format("reduction({} : {})", r.op == ScalarOp::add ? "+" : name_of(r.op), name(r.var));
    })));
  }
  if (language_ == For_::C && x.lanes && x.reduced.empty()) line("RAIDO_SIMD()");
  if (language_ == For_::C && x.apart && !x.lanes && x.reduced.empty()) line("RAIDO_APART");
  if (x.unrolled) line("RAIDO_UNROLLED");
  const ForVectors* around = std::exchange(vectors_, vectors ? &*vectors : nullptr);
  const bool pairs = std::exchange(pairs_, language_ == For_::C && x.pairs);
  const std::vector<Name> general = std::exchange(general_, language_ == For_::C ? facts.general() : std::vector<Name>{});
  const std::string from = language_ == For_::C && facts.calls_of_counter() ? fmt::format("raido_begin({})", expr(x.from)) : expr(x.from);
  std::string head = fmt::format("for (i64 {} = {}; {} < {}; {}++)", name(x.i), from, name(x.i), expr(x.to), name(x.i));
  int loop = loops_++;
  Around outside = around_;
  if (counted) around_ = around_.inside(x);
  const char* scalar = language_ != For_::C ? "" : x.rest ? "RAIDO_SCALAR_REST;" : x.scattered ? "RAIDO_SCALAR;" : x.few ? "RAIDO_SCALAR_FEW;" : "";
  braces(head, x.body, *scalar ? scalar : x.unrolled ? ran(x.body) : iteration(loop, x.body, {}, 2));
  vectors_ = around;
  pairs_ = pairs;
  general_ = general;
  around_ = std::move(outside);
  line("}");
  if (!x.unrolled) loop_end(loop);
}
void Writer::while_loop(const While& x) {
  int loop = loops_++;
  Around outside = around_;
  if (counted) around_ = around_.inside(x);
  if (x.test.empty()) {
    braces(fmt::format("while {}", test(x.cond)), x.body, iteration(loop, x.body, {x.cond}, 0));
  } else {
    braces("for (;;)", x.test, iteration(loop, x.test, {x.cond}, 0));
    depth_++;
    line(fmt::format("if (!{}) break;", parenthesised(expr(x.cond))));
    if (std::string text = ran(x.body); !text.empty()) line(text);
    block(x.body);
    depth_--;
  }
  around_ = std::move(outside);
  line("}");
  loop_end(loop);
}
void Writer::chosen_text(const If& x) {
  out += fmt::format("#if {}\n", expr(x.cond));
  braces("", x.then_, ran(x.then_));
  out += "  }\n#else\n";
  braces("", x.else_, ran(x.else_));
  out += "  }\n#endif\n";
}
void Writer::branch(const If& x) {
  if (x.then_.empty() && x.else_.empty()) return;
  if (auto h = std::get_if<Hardware>(&m_.exprs[x.cond.index].node); h && (h->what == Builtin::OrdersBlocks || h->what == Builtin::HasTensors)) return chosen_text(x);
  if (depth_ >= deepest_chain && height(x.then_) + height(x.else_) > 0) return flat_branch(x);
  if (x.then_.empty()) {
    braces(unless(x.cond), x.else_, ran(x.else_));
  } else {
    braces(when(x.cond), x.then_, ran(x.then_));
    if (!x.else_.empty()) {
      line("} else {");
      depth_++;
      if (std::string text = ran(x.else_); !text.empty()) line(text);
      block(x.else_);
      depth_--;
    }
  }
  line("}");
}
std::string Writer::when(ExprId condition) {
  return counted ? fmt::format("if (BRANCH({}))", expr(condition)) : fmt::format("if {}", test(condition));
}
std::string Writer::unless(ExprId condition) {
  return fmt::format(fmt::runtime(counted ? "if (BRANCH(!{}))" : "if (!{})"), parenthesised(expr(condition)));
}
// The side that has more braces in each other stands in the same block as the branch, since names are unique. C++ lets no jump pass by a
// declaration with a value.
void Writer::flat_branch(const If& x) {
  const bool deep_else = height(x.else_) >= height(x.then_);
  const Block &inside = deep_else ? x.then_ : x.else_, &after = deep_else ? x.else_ : x.then_;
  const int number = chains_++;
  braces(deep_else ? when(x.cond) : unless(x.cond), inside, ran(inside));
  line(fmt::format("  goto chain_{};", number));
  line("}");
  bool around = std::exchange(in_chain_, true);
  if (std::string text = ran(after); !text.empty()) line(text);
  block(after);
  in_chain_ = around;
  line(fmt::format("chain_{}:;", number));
}
void Writer::call(const Call& x) {
  std::string text = fmt::format("if ({}(w", m_.functions[size_t(x.function)].name);
  for (ExprId a : x.args) text += ", " + expr(a);
  for (Name n : x.results) text += ", &" + name(n);
  line(text + ") != 0) return 1;");
}
void Writer::give_back(const Return& x) {
  for (size_t k = 0; k < x.values.size(); k++) line(fmt::format("*{} = {};", name(current_->results[k]), expr(x.values[k])));
  line("return 0;");
}
void Writer::trace(const Trace& x) {
  if (in_kernel_) return device_trace(x);
  if (!x.value) { line(fmt::format("fputs({}, w->context->log);", quote(x.text))); return; }
  Scalar t = m_.exprs[x.value->index].type;
  std::string value = expr(*x.value), format = "%lld", argument = fmt::format("(long long){}", value);
  if (t == Scalar::Bool) { format = "%s"; argument = fmt::format("{} ? \"true\" : \"false\"", value); }
  else if (is_float(t)) { format = t == Scalar::F64 ? "%.17g" : "%.9g"; argument = fmt::format("(f64){}", value); }
  else if (t == Scalar::U64) { format = "%llu"; argument = fmt::format("(unsigned long long){}", value); }
  line(fmt::format("fprintf(w->context->log, {}, {});", quote(x.text + format), argument));
}
void Writer::alloc(const Alloc& x) {
  const NameInfo& i = m_.names[x.block.index];
  std::string size = expr(x.factors[0]);
  for (size_t k = 1; k < x.factors.size(); k++) size = fmt::format("raido_product({}, {})", size, expr(x.factors[k]));
  if (x.lenient) size = fmt::format("raido_at_least_0({})", size);
  line(fmt::format("{} = {}_alloc(w, {});", declared(x.block), prefix(x.block), size));
  std::string failed = places && x.places >= 0 ? fmt::format("raido_no_room(w, {})", quote(m_.texts[size_t(x.places)])) : "1";
  line(fmt::format("if (RAIDO_UNLIKELY({} == NULL)) return {};", i.text, failed));
}
void Writer::parallel_for(const ParallelFor& x) {
  IdSet<Name> own;
  own.insert(x.first);
  own.insert(x.last);
  std::vector<Name> captured;
  for (Name n : free_names(m_, x.body)) if (!own.contains(n) && !is_data(n)) captured.push_back(n);
  std::string number = std::to_string(x.site), saved = std::exchange(out, "");
  int depth = std::exchange(depth_, 0);
  line(fmt::format("struct captures{} {{", number));
  for (Name n : captured) line("  " + declared(n) + ";");
  if (captured.empty()) line("  char none;");
  line("};");
  line(fmt::format("static int chunk{}(struct raido_worker *w, void *captures, i64 {}, i64 {}) {{", number, name(x.first), name(x.last)));
  depth_ = 1;
  line(fmt::format("struct captures{0} *c = captures;", number));
  line("(void)w;");
  line("(void)c;");
  for (Name n : captured) line(fmt::format("{} = c->{};", declared(n), name(n)));
  IdSet<Name> around = std::exchange(compared_, {});
  block(x.body);
  compared_ = std::move(around);
  line("return 0;");
  depth_ = 0;
  line("}\n");
  before += std::exchange(out, saved);
  depth_ = depth;
  std::string values = captured.empty() ? "0" : join(captured, ", ", [&](Name n) { return name(n); });
  line("{");
  line(fmt::format("  struct captures{} captures = {{{}}};", number, values));
  line(fmt::format("  if (raido_parallel_for(w, &raido_sites[{}], chunk{}, &captures, {}, {}) != 0) return 1;", x.site, number, expr(x.n), x.grain));
  line("}");
}
bool Writer::is_data(Name n) const {
  for (const DataRef& d : m_.data) if (d.name == n) return true;
  return false;
}

}  // namespace raido::kir
