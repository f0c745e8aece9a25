// print.cc - the kernel program as text.
//
// Scalar operations are functions (print_scalars.h), one for each operation and type that occurs.
// A parallel loop becomes a function of one chunk and a struct of what it captures, printed before the function in
// which it stands.
#include "backends/kernel/print.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "backends/kernel/counting.h"
#include "backends/kernel/print_scalars.h"
#include "backends/kernel/sums.h"
#include "compiler/base/match.h"
#include "compiler/base/text.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

// A bool is a byte in device memory and among the arguments of kernels.
std::string_view passed_type(const NameInfo& i) {
  if (i.type == Scalar::Bool) return "u8";
  return i.memory ? storage_type(i.type) : c_type(i.type);
}

// Prints bodies; collects the scalar operations that they use.
class Writer {
 public:
  Writer(const Module& m, For_ language) : m_(m), language_(language) {}

  std::string out;
  std::string before;        // chunk functions
  bool can_fail = false;     // kernels take the failure word
  bool counted = false;      // the kernels say what they do (words_counts.h)
  bool emulated = false;     // host code says which values are results only
  bool transposes = false, tiles = false;

  std::string scalar_functions() const {
    std::string text;
    for (auto [op, at] : used_) text += scalar_function(op, at, language_);
    return text;
  }
  void use_scalars_of(const Writer& other) { used_.insert(other.used_.begin(), other.used_.end()); }

  void function(const HostFunction& f) {
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
  std::string signature(const HostFunction& f) const {
    std::string text = fmt::format("static int {}(struct raido_worker *w", f.name);
    for (Name n : f.params) text += fmt::format(", {}", declared(n));
    for (Name n : f.results) text += fmt::format(", {}*{}", m_.names[n.index].memory ? declared_type(n) : declared_type(n) + " ", name(n));
    return text + ")";
  }

  void kernel(const Kernel& k) {
    out += fmt::format("{}KERNEL {}{}(", k.dense ? "DENSE_" : "", counted ? "counted_" : "", k.name);
    loops_ = 0;
    std::string_view separator;
    for (Name n : k.params) {
      const NameInfo& i = m_.names[n.index];
      out += fmt::format("{}{}{} {}{}", separator, i.memory ? "GLOBAL " : "", passed_type(i), i.memory ? "*" : "", i.text);
      separator = ", ";
    }
    if (can_fail) out += fmt::format("{}GLOBAL i64 *failure", separator);
    out += k.dynamic ? " DYNAMIC_PARAMETER) {\n  DYNAMIC_SHARED;\n" : ") {\n";
    in_kernel_ = true;
    depth_ = 1;
    const bool asks = can_fail && !k.collective && (k.can_fail || is_steered_by_memory(m_, k));     // whether an earlier one has failed
    if (asks && counted) line("if (BRANCH(LOAD(failure, 0) >= 0)) return;");
    else if (asks) line("if (RAIDO_FAILED(failure)) return;");
    else if (can_fail && !k.collective) line("(void)failure;");
    if (std::string text = ran(k.body); !text.empty()) line(text);
    block(k.body);
    in_kernel_ = false;
    out += "}\n\n";
  }

  std::string declared_type(Name n) const {
    const NameInfo& i = m_.names[n.index];
    if (!i.memory) return std::string(c_type(i.type));
    if (i.space == ir::Space::Device && !in_kernel_) return "struct raido_memory *";
    return fmt::format("{} *", storage_type(i.type));
  }
  std::string declared(Name n) const {
    return declared_type(n) + (m_.names[n.index].memory ? "" : " ") + name(n);
  }
  std::string name(Name n) const { return m_.names[n.index].text; }

 private:
  const Module& m_;
  For_ language_;
  int depth_ = 0;
  bool in_kernel_ = false, locked_ = false;
  bool vectors_ = false;     // in a loop that may run as vectors
  bool pairs_ = false;       // in a loop that changes neighbours
  const HostFunction* current_ = nullptr;
  int guards_ = 0;                       // so far
  std::optional<int> guard_;             // around the statement at hand
  bool left_ = false;                    // some check inside of it leaves it
  std::set<std::pair<ScalarOp, Scalar>> used_;
  int loops_ = 0;            // of a counted kernel
  Around around_;            // the statement at hand
  IdSet<Name> results_;

  // What a counted kernel says at the start of a block of code, of an iteration, and after a loop.
  std::string ran(const Block& b) const { return counted ? fmt::format("RAN({});", operations_of(m_, b, around_)) : ""; }
  std::string iteration(int loop, const Block& b, const std::vector<ExprId>& with, int more) const {
    return counted ? fmt::format("ITERATION({}, {});", loop, operations_of(m_, b, around_, with, more)) : "";
  }
  void loop_end(int loop) { if (counted) line(fmt::format("LOOP_END({});", loop)); }

  void line(const std::string& text) { out += std::string(size_t(2 * depth_), ' ') + text + "\n"; }
  void block(const Block& b) { for (const Stm& s : b) stm(s); }
  void braces(const std::string& head, const Block& b, const std::string& first = "") {
    line(head.empty() ? "{" : head + " {");
    depth_++;
    if (!first.empty()) line(first);
    block(b);
    depth_--;
  }

  std::string expr(ExprId id) {
    const Expr& e = m_.exprs[id.index];
    return match(e.node,
      [&](const Const& c) { return literal(c); },
      [&](const Name& n) { return name(n); },
      [&](const Prim& p) { return prim(p); },
      [&](const Cast& c) { return cast(m_.exprs[c.value.index].type, e.type, expr(c.value)); },
      [&](const Load& l) {
        std::string cell = locked_ ? cell_of(l.memory, l.index) : fmt::format(fmt::runtime(counted ? "LOAD({}, {})" : "{}[{}]"), name(l.memory), expr(l.index));
        return m_.names[l.memory.index].type == Scalar::F16 ? fmt::format("raido_f16_to_f32({})", cell) : cell;
      },
      [&](const Hardware& h) -> std::string {
        switch (h.what) {
          case Builtin::GlobalId: return "GLOBAL_ID()";
          case Builtin::LocalId: return "LOCAL_ID()";
          case Builtin::BlockId: return "BLOCK_ID()";
          case Builtin::BlockSize: return in_kernel_ ? "BLOCK_SIZE()" : "(i64)raido_block_threads(w->context->config)";
          case Builtin::OrdersBlocks: return "RAIDO_ORDERS_BLOCKS";
          case Builtin::TileRows: return "RAIDO_TILE_ROWS";
          case Builtin::TileVectors: return "RAIDO_TILE_VECTORS";
          case Builtin::VectorLanes: return fmt::format("(RAIDO_VECTOR_BYTES / {})", h.bytes);
          case Builtin::SumVectors: return "RAIDO_SUM_VECTORS";
        }
        PANIC("a number of the hardware without a name");
      });
  }
  std::string prim(const Prim& p) {
    if (p.op == ScalarOp::select) return fmt::format("({} ? {} : {})", expr(p.args[0]), expr(p.args[1]), expr(p.args[2]));
    auto number = [&](ExprId a) { return m_.const_of(a) && literal(*m_.const_of(a)) != "RAIDO_NAN"; };
    if (language_ == For_::C && (p.op == ScalarOp::min || p.op == ScalarOp::max) && is_float(p.at) && (number(p.args[0]) || number(p.args[1]))) {
      size_t known = number(p.args[1]) ? 1 : 0;
      return fmt::format("raido_{}_number{}({}, {})", name_of(p.op), p.at == Scalar::F64 ? "" : "f", expr(p.args[1 - known]), expr(p.args[known]));
    }
    if (p.at == Scalar::Bool && p.op == ScalarOp::not_) return fmt::format("!{}", parenthesised(expr(p.args[0])));
    if (auto text = infix(p.op, p.at); !text.empty()) return fmt::format("({} {} {})", expr(p.args[0]), text, expr(p.args[1]));
    used_.insert({p.op, p.at});
    bool apart = vectors_ && p.op == ScalarOp::cos && p.at != Scalar::F16;
    return fmt::format("{}{}({})", apart ? "raido_" : "", function_name(p.op, p.at), join(p.args, ", ", [&](ExprId a) { return expr(a); }));
  }
  static std::string parenthesised(const std::string& text) {
    for (char c : text) if (!is_word(c)) return text[0] == '(' ? text : "(" + text + ")";
    return text;
  }
  static std::string condition(const std::string& text) { return text[0] == '(' ? text : "(" + text + ")"; }
  std::string cast(Scalar from, Scalar to, const std::string& value) {
    if (to == Scalar::Bool) return fmt::format("({} != 0)", value);
    if (to == Scalar::F16) return fmt::format("raido_round_f16((f32){})", value);
    if (is_float(from) && is_integer(to)) return fmt::format("({})raido_integer_part((f64){})", c_type(to), value);
    if (is_integer(from) && is_unsigned(to)) return fmt::format("({})({}){}", c_type(to), name_of(unsigned_of(from)), value);
    return fmt::format("({}){}", c_type(to), value);
  }

  static bool assigns_nothing(const Block& b) { return b.empty(); }
  // The expression of a test: no doubled parentheses.
  std::string test(ExprId e) { return condition(expr(e)); }

  std::string fail(const Fail& x) {
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
    return fmt::format("return raido_fail(w, {}{});", quote(format), args);
  }

  void stm(const Stm& s) {
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
        std::string count = x.each == 0 ? "" : x.each == 1 ? "BLOCK_THREADS" : fmt::format("{} * BLOCK_THREADS", x.each);
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
        line(fmt::format("raido_grid_of_tiles(w, {}, {}, {});", expr(x.points), x.items, join(names, ", ", [&](Name n) { return "&" + name(n); })));
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
      [&](const MoveVector& x) {
        line(fmt::format("RAIDO_{}_VECTOR({}[{}][{}], {});", x.back ? "SET" : "GET", name(x.vectors), expr(x.row), expr(x.column), name(x.array)));
      },
      [&](const ParallelFor& x) { parallel_for(x); });
  }

  std::string_view element_type(const NameInfo& i) const { return in_kernel_ ? passed_type(i) : storage_type(i.type); }
  void declare(const Declare& x) {
    line(x.init ? fmt::format("{} = {};", declared(x.var), expr(*x.init)) : declared(x.var) + ";");
    if (pairs_ && x.init && std::holds_alternative<Load>(m_.exprs[x.init->index].node)) line("RAIDO_SCALAR;");     // not one read with the next
  }
  void declare_array(const DeclareArray& x) {
    const NameInfo& i = m_.names[x.var.index];
    line(fmt::format("{} {}[{}];", element_type(i), i.text, join(x.counts, " * ", [&](ExprId n) { return expr(n); })));
  }
  void store(const Store& x) {
    std::string value = expr(x.value);
    if (m_.names[x.memory.index].type == Scalar::F16) value = fmt::format("raido_f32_to_f16({})", value);
    if (locked_) line(fmt::format("{} = {};", cell_of(x.memory, x.index), value));
    else if (x.meets && !counted) line(fmt::format("ATOMIC_STORE({}, {}, {}, {});", element_type(m_.names[x.memory.index]), name(x.memory), expr(x.index), value));
    else line(fmt::format(fmt::runtime(counted ? "STORE({}, {}, {});" : "{}[{}] = {};"), name(x.memory), expr(x.index), value));
  }
  void atomic(const Atomic& x) {
    Scalar t = m_.names[x.memory.index].type;
    if (counted) line(fmt::format("UPDATES({}, {});", name(x.memory), expr(x.index)));
    used_.insert({x.op, t});
    bool shared = m_.names[x.memory.index].space == ir::Space::Shared, native = in_kernel_ && may_be_native(x.op, t);
    std::string how = t == Scalar::F16 && !in_kernel_ ? "ATOMIC_UPDATE_HALF(" + function_name(x.op, t) : native ? fmt::format("NATIVE_UPDATE({}, {}, {}", name_of(t), name_of(x.op), shared ? "LOCAL" : "GLOBAL")
                      : fmt::format("{}_UPDATE({}, {}", shared ? "SHARED" : "ATOMIC", name_of(t), function_name(x.op, t));
    line(fmt::format("{}, {}, {}, {});", how, name(x.memory), expr(x.index), expr(x.value)));
  }
  // What other threads have written and shall see.
  std::string cell_of(Name memory, ExprId index) {
    const NameInfo& i = m_.names[memory.index];
    if (i.space != ir::Space::Device && i.space != ir::Space::Shared) return fmt::format("{}[{}]", i.text, expr(index));
    return fmt::format("((volatile {} {} *){})[{}]", i.space == ir::Space::Shared ? "LOCAL" : "GLOBAL", passed_type(i), i.text, expr(index));
  }
  void locked(const Locked& x) {
    if (counted) for (size_t k = 0; k < x.at.size(); k++) line(fmt::format("UPDATES({}, {});", name(x.memories[k]), expr(x.at[k])));
    if (std::string text = ran(x.body); !text.empty()) line(text);
    bool counts = std::exchange(counted, false), outer = std::exchange(locked_, true);
    braces(fmt::format("LOCKED({}, {}, {})", m_.names[x.locks.index].space == ir::Space::Shared ? "LOCAL" : "GLOBAL", name(x.locks), expr(x.place)), x.body);
    line("} UNLOCKED");
    counted = counts;
    locked_ = outer;
  }
  // In a counted kernel the statements count once, however often they run.
  void swap(const Swap& x) {
    std::string_view t = name_of(m_.names[x.memory.index].type), space = m_.names[x.memory.index].space == ir::Space::Shared ? "LOCAL" : "GLOBAL";
    if (counted) line(fmt::format("UPDATES({}, {});", name(x.memory), expr(x.index)));
    if (std::string text = ran(x.body); !text.empty()) line(text);
    bool counts = std::exchange(counted, false);
    line("{");
    depth_++;
    line(fmt::format("ATOMIC_CELL({}, {}, {}, {});", t, space, name(x.memory), expr(x.index)));
    braces("do", x.body, fmt::format("{} = ATOMIC_OLD({});", declared(x.old), t));
    line(fmt::format("  ATOMIC_SWAP({}, {});", t, expr(x.now)));
    line("} while (ATOMIC_AGAIN);");
    depth_--;
    line("}");
    counted = counts;
  }
  // What the words have as NATIVE_UPDATE.
  static bool may_be_native(ScalarOp op, Scalar at) {
    using enum ScalarOp;
    if (is_float(at)) return op == add && at != Scalar::F16;
    return is_integer(at) && bytes_of(at) >= 4 && (op == add || op == min || op == max || op == and_ || op == or_ || op == xor_);
  }
  void for_loop(const For& x) {
    if (language_ == For_::C && !x.reduced.empty() && (x.lanes || only_computes(x.body))) {
      bool sums = std::ranges::all_of(x.reduced, [](const Reduced& r) { return r.op == ScalarOp::add; });
      line(fmt::format("RAIDO_SIMD{}({})", x.rest ? "_REST" : sums ? "" : "_EXTREMA", join(x.reduced, " ", [&](const Reduced& r) {
        return fmt::format("reduction({} : {})", r.op == ScalarOp::add ? "+" : name_of(r.op), name(r.var));
      })));
    }
    if (language_ == For_::C && x.lanes && x.reduced.empty()) line("RAIDO_SIMD()");
    if (x.unrolled) line("RAIDO_UNROLLED");
    bool around = std::exchange(vectors_, language_ == For_::C && has_vectors(x)), pairs = std::exchange(pairs_, language_ == For_::C && x.pairs);
    std::string head = fmt::format("for (i64 {} = {}; {} < {}; {}++)", name(x.i), expr(x.from), name(x.i), expr(x.to), name(x.i));
    int loop = loops_++;
    Around outside = around_;
    if (counted) around_ = around_.inside(m_, x);
    braces(head, x.body, language_ == For_::C && x.rest ? "RAIDO_SCALAR_REST;" : language_ == For_::C && x.scattered ? "RAIDO_SCALAR;" : x.unrolled ? ran(x.body) : iteration(loop, x.body, {}, 2));
    vectors_ = around;
    pairs_ = pairs;
    around_ = std::move(outside);
    line("}");
    if (!x.unrolled) loop_end(loop);
  }
  void while_loop(const While& x) {
    int loop = loops_++;
    Around outside = around_;
    if (counted) around_ = around_.inside(m_, x);
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
  void chosen_text(const If& x) {
    out += "#if RAIDO_ORDERS_BLOCKS\n";
    braces("", x.then_, ran(x.then_));
    out += "  }\n#else\n";
    braces("", x.else_, ran(x.else_));
    out += "  }\n#endif\n";
  }
  void branch(const If& x) {
    if (x.then_.empty() && x.else_.empty()) return;
    if (auto h = std::get_if<Hardware>(&m_.exprs[x.cond.index].node); h && h->what == Builtin::OrdersBlocks) return chosen_text(x);
    if (x.then_.empty()) {
      braces(fmt::format(fmt::runtime(counted ? "if (BRANCH(!{}))" : "if (!{})"), parenthesised(expr(x.cond))), x.else_, ran(x.else_));
    } else {
      braces(counted ? fmt::format("if (BRANCH({}))", expr(x.cond)) : fmt::format("if {}", test(x.cond)), x.then_, ran(x.then_));
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
  void call(const Call& x) {
    std::string text = fmt::format("if ({}(w", m_.functions[size_t(x.function)].name);
    for (ExprId a : x.args) text += ", " + expr(a);
    for (Name n : x.results) text += ", &" + name(n);
    line(text + ") != 0) return 1;");
  }
  void give_back(const Return& x) {
    for (size_t k = 0; k < x.values.size(); k++) line(fmt::format("*{} = {};", name(current_->results[k]), expr(x.values[k])));
    line("return 0;");
  }
  void read_back(const ReadBack& x) {
    const NameInfo& i = m_.names[x.memory.index];
    std::string cell = name(x.var) + "_cell";
    line(fmt::format("{} {};", storage_type(i.type), cell));
    std::string_view read = results_.contains(x.var) ? "raido_device_read_result" : "raido_device_read";
    line(fmt::format("if ({}(w, &{}, {}, {}, sizeof {}) != 0) return 1;", read, cell, i.text, expr(x.index), cell));
    line(fmt::format("{} = {};", declared(x.var), i.type == Scalar::F16 ? fmt::format("raido_f16_to_f32({})", cell) : cell));
  }
  void write_out(const WriteOut& x) {
    const NameInfo& i = m_.names[x.memory.index];
    std::string value = expr(x.value);
    if (i.type == Scalar::F16) value = fmt::format("raido_f32_to_f16({})", value);
    line(fmt::format("{{ {} cell = {}; if (raido_device_write(w, {}, {}, &cell, sizeof cell) != 0) return 1; }}", storage_type(i.type),
                     value, i.text, expr(x.index)));
  }
  void upload(const Upload& x) {
    line(fmt::format("if (raido_device_upload(w, {}, {}, {}, sizeof {}[0]) != 0) return 1;", name(x.memory), name(x.data), expr(x.count), name(x.data)));
  }
  void copy_memory(const CopyMemory& x) {
    line(fmt::format("if (raido_device_copy(w, {}, {}, {}, {}, {}, sizeof({})) != 0) return 1;", name(x.to), expr(x.to_at), name(x.from),
                     expr(x.from_at), expr(x.count), storage_type(m_.names[x.to.index].type)));
  }

  std::string field(Name n) const { return m_.names[n.index].constant ? "w->context->constants->" : ""; }
  std::string prefix(Name n) const { return m_.names[n.index].space == ir::Space::Device ? "raido_device" : "raido"; }

  void trace(const Trace& x) {
    if (in_kernel_) return device_trace(x);
    if (!x.value) { line(fmt::format("fputs({}, w->context->log);", quote(x.text))); return; }
    Scalar t = m_.exprs[x.value->index].type;
    std::string value = expr(*x.value), format = "%lld", argument = fmt::format("(long long){}", value);
    if (t == Scalar::Bool) { format = "%s"; argument = fmt::format("{} ? \"true\" : \"false\"", value); }
    else if (is_float(t)) { format = t == Scalar::F64 ? "%.17g" : "%.9g"; argument = fmt::format("(f64){}", value); }
    else if (t == Scalar::U64) { format = "%llu"; argument = fmt::format("(unsigned long long){}", value); }
    line(fmt::format("fprintf(w->context->log, {}, {});", quote(x.text + format), argument));
  }

  void alloc(const Alloc& x) {
    const NameInfo& i = m_.names[x.block.index];
    std::string size = expr(x.factors[0]);
    for (size_t k = 1; k < x.factors.size(); k++) size = fmt::format("raido_size({}, {})", size, expr(x.factors[k]));
    if (x.lenient) size = fmt::format("raido_at_least_0({})", size);
    line(fmt::format("{} = {}_alloc(w, {});", declared(x.block), prefix(x.block), size));
    line(fmt::format("if (RAIDO_UNLIKELY({} == NULL)) return 1;", i.text));
  }

  // Whether C compilers may make vectors of it.
  static bool has_vectors(const For& x) {
    if (!x.lanes && !only_computes(x.body)) return false;
    for (const Stm& s : x.body) {
      auto next = std::get_if<Assign>(&s.node);
      if (next && std::ranges::none_of(x.reduced, [&](const Reduced& r) { return r.var == next->var; })) return x.lanes;
    }
    return true;
  }
  void parallel_for(const ParallelFor& x) {
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
    block(x.body);
    line("return 0;");
    depth_ = 0;
    line("}\n");
    before += std::exchange(out, saved);
    depth_ = depth;
    std::string values = captured.empty() ? "0" : join(captured, ", ", [&](Name n) { return name(n); });
    line("{");
    line(fmt::format("  struct captures{} captures = {{{}}};", number, values));
    line(fmt::format("  if (raido_parallel_for(w, &raido_sites[{}], chunk{}, &captures, {}) != 0) return 1;", x.site, number, expr(x.n)));
    line("}");
  }
  bool is_data(Name n) const {
    for (const DataRef& d : m_.data) if (d.name == n) return true;
    return false;
  }

  void device_fail(const Fail& x) {
    std::string args;
    for (size_t k = 0; k < x.args.size() && k < 8; k++) {
      Scalar t = m_.exprs[x.args[k].index].type;
      std::string value = expr(x.args[k]);
      args += fmt::format(" failure[{}] = {};", k + 1, is_float(t) ? fmt::format("(i64){}", value) : fmt::format("(i64){}", value));
    }
    line(fmt::format("if (RAIDO_FAIL_FIRST(failure, {})) {{{} }}", x.text, args));
    left_ = true;
    line(guard_ ? fmt::format("goto guarded_{};", *guard_) : "return;");
  }
  void guarded(const Guarded& x) {
    std::optional<int> outer = std::exchange(guard_, guards_++);
    bool left = std::exchange(left_, false);
    std::string_view test = counted ? "if (BRANCH(LOAD(failure, 0) < 0))" : "if (!RAIDO_FAILED(failure))";
    braces(std::string(x.elements && can_fail ? test : ""), x.body, ran(x.body));
    line("}");
    if (left_) line(fmt::format("guarded_{}:;", *guard_));
    guard_ = outer;
    left_ = left;
  }
  void shape(const Shape& x) {
    auto names = {x.lanes, x.blocks, x.threads, x.finish};
    line(fmt::format("i64 {};", join(names, ", ", [&](Name n) { return name(n); })));
    line(fmt::format("raido_grid_of_rows(w, {}, {}, {});", expr(x.rows), expr(x.parts), join(names, ", ", [&](Name n) { return "&" + name(n); })));
  }

  void update_shape(const UpdateShape& x) {
    std::vector<Name> names = {x.threads, x.shared};
    for (const Copies& c : x.copies) names.insert(names.end(), {c.at, c.count});
    line(fmt::format("i64 {};", join(names, ", ", [&](Name n) { return name(n); })));
    line("{");
    depth_++;
    line(fmt::format("struct raido_copies of[] = {{{}}};", join(x.copies, ", ", [&](const Copies& c) {
      return fmt::format("{{{}, {}, {}, -1, 1}}", expr(c.cells), c.bytes, c.updates);
    })));
    line(fmt::format("raido_grid_of_updates(w, {}, {}, {}, {}, of, {}, &{}, &{});", expr(x.points), costs::gpu::full_device, costs::gpu::gathered_updates,
                     costs::gpu::copies_bytes, x.copies.size(), name(x.threads), name(x.shared)));
    for (size_t k = 0; k < x.copies.size(); k++) line(fmt::format("{} = of[{}].at, {} = of[{}].count;", name(x.copies[k].at), k, name(x.copies[k].count), k));
    depth_--;
    line("}");
  }

  // After the failure word; the host knows how to print each kind (gpu.h).
  void device_trace(const Trace& x) {
    Scalar t = m_.exprs[x.value->index].type;
    int kind = t == Scalar::Bool ? 4 : t == Scalar::F64 ? 2 : is_float(t) ? 3 : is_signed(t) ? 0 : 1;
    std::string value = expr(*x.value), bits = is_float(t) ? fmt::format("raido_to_bits_f64((f64){})", value) : value;
    line(fmt::format("raido_trace(failure, {}, (i64){});", x.label * 8 + kind, bits));
  }

  void transpose(const Transpose& x) {
    transposes = true;
    auto at = [&](Name n, ExprId e) { return fmt::format("{} + {}", name(n), expr(e)); };
    line(fmt::format("raido_transpose_{}({}, {}, {}, {}, {}, {}, {}, {});", bytes_of(m_.names[x.to.index].type), at(x.to, x.to_at), expr(x.to_row),
                     at(x.from, x.from_at), expr(x.from_row), expr(x.rows), expr(x.columns), expr(x.first), expr(x.last)));
  }
  void launch(const Launch& x) {
    const Kernel& k = m_.kernels[size_t(x.kernel)];
    line("{");
    depth_++;
    std::vector<std::string> args, sizes;
    for (size_t i = 0; i < x.args.size(); i++) {
      const NameInfo& n = m_.names[k.params[i].index];
      if (n.memory) {
        args.push_back(fmt::format("&{}->device", expr(x.args[i])));
        sizes.push_back("sizeof(dev_mem)");
      } else {
        line(fmt::format("{} a{} = {};", passed_type(n), i, expr(x.args[i])));
        args.push_back(fmt::format("&a{}", i));
        sizes.push_back(fmt::format("sizeof a{}", i));
      }
    }
    if (can_fail) {
      args.push_back("&w->context->device->failure");
      sizes.push_back("sizeof(dev_mem)");
    }
    line(fmt::format("void *args[] = {{{}}};", join(args, ", ")));
    line(fmt::format("size_t sizes[] = {{{}}};", join(sizes, ", ")));
    line(fmt::format("if (raido_launch(w, {}, {}, args, sizes, {}, {}) != 0) return 1;", x.kernel, expr(x.threads), args.size(),
                     x.shared ? expr(*x.shared) : "0"));
    depth_--;
    line("}");
  }
};

std::string data_arrays(const Module& m) {
  std::string out;
  for (const DataRef& d : m.data) {
    const std::string& bytes = d.data->bytes;
    size_t size = size_t(bytes_of(d.data->elem)), count = bytes.size() / size;
    out += fmt::format("static const {} {}[{}] = {{", storage_type(d.data->elem), m.names[d.name.index].text, std::max<size_t>(count, 1));
    for (size_t i = 0; i < count; i++) {
      Const c{d.data->elem, 0};
      for (size_t k = 0; k < size; k++) c.bits |= uint64_t(static_cast<unsigned char>(bytes[i * size + k])) << (8 * k);
      if (c.type == Scalar::F16) c.type = Scalar::U16;
      out += (i % 16 == 0 ? "\n  " : " ") + literal(c) + ",";
    }
    out += count == 0 ? "0};\n" : "\n};\n";
  }
  return out;
}

}  // namespace

Printed print(const Module& m, bool emulated) {
  Writer host(m, For_::C), device(m, For_::Device), counted(m, For_::Device), all(m, For_::C);
  Printed printed;
  for (const Kernel& k : m.kernels) printed.can_fail |= k.can_fail, printed.traces |= k.traces;
  host.can_fail = device.can_fail = counted.can_fail = printed.can_fail;
  host.emulated = counted.counted = emulated;
  std::string& data = printed.data;
  data = "struct raido_constants {\n";
  for (Name n : m.constants) data += fmt::format("  {};\n", host.declared(n));
  if (m.constants.empty()) data += "  char none;\n";
  data += "};\n\n" + data_arrays(m);
  if (m.sites > 0) data += fmt::format("static i64 raido_sites[{}];\n", m.sites);
  std::string prototypes;
  for (const HostFunction& f : m.functions) {
    prototypes += host.signature(f) + ";\n";
    printed.names.push_back(f.name);
  }
  for (int k = 0; k < m.sites; k++) printed.names.insert(printed.names.end(), {fmt::format("captures{}", k), fmt::format("chunk{}", k)});
  for (const HostFunction& f : m.functions) host.function(f);
  printed.functions = prototypes + "\n" + host.out;
  printed.transposes = host.transposes;
  printed.tiles = host.tiles;
  for (const Kernel& k : m.kernels) device.kernel(k);
  printed.kernels = device.out;
  if (emulated) for (const Kernel& k : m.kernels) counted.kernel(k);
  printed.counted_kernels = counted.out;
  printed.device_scalars = device.scalar_functions();
  printed.scalars = host.scalar_functions();
  all.use_scalars_of(host);
  all.use_scalars_of(device);
  printed.all_scalars = all.scalar_functions();
  return printed;
}

std::string print_kernel_calls(const Module& m, bool can_fail, std::string_view prefix) {
  std::string out, table;
  for (const Kernel& k : m.kernels) {
    std::vector<std::string> args;
    for (size_t i = 0; i < k.params.size(); i++) {
      const NameInfo& n = m.names[k.params[i].index];
      if (n.memory) args.push_back(fmt::format("({} *)*(char **)args[{}]", passed_type(n), i));
      else args.push_back(fmt::format("*({} *)args[{}]", passed_type(n), i));
    }
    if (can_fail) args.push_back(fmt::format("(i64 *)*(char **)args[{}]", k.params.size()));
    out += fmt::format("static void call_{0}{1}(void **args) {{ {0}{1}({2}); }}\n", prefix, k.name, join(args, ", "));
    table += fmt::format("call_{}{}, ", prefix, k.name);
  }
  return out + fmt::format("static void (*const raido_{}kernel_calls[])(void **) = {{{}NULL}};\n", prefix, table);
}

std::string print_kernel_uses(const Module& m) {
  std::string out = "static const char *const raido_kernel_uses[] = {\n";
  for (const Kernel& k : m.kernels) out += "  " + quote(uses_of_parameters(m, k)) + ",\n";
  return out + "  NULL};\n";
}

}  // namespace raido::kir
