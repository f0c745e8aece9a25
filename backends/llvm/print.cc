// print.cc - the kernel program in LLVM's language.
//
// Names are memory on the stack, loops and branches are jumps: LLVM finds the values and the loops again. What a C compiler is told of loops
// by pragmas stands beside their last jump. Lanes read and write nothing that another lane does, and scattered loops stay scalar. A sum of any
// order is one whose additions may be exchanged (`reassoc`).
#include "backends/llvm/print.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compiler/base/match.h"
#include "compiler/base/text.h"

namespace raido::llvm {
namespace printing {
namespace {

using namespace kir;

class Writer {
 public:
  Writer(const Module& m, Surroundings& around) : m_(m), around_(around), code_(around) {}

  std::string function(const HostFunction& f) {
    current_ = &f;
    std::string params = "ptr noundef %w";
    for (Name n : f.params) params += fmt::format(", {} %in.{}", passed_type(m_, n), text(n));
    for (Name n : f.results) params += fmt::format(", ptr noalias noundef %out.{}", text(n));
    for (Name n : f.params) {
      declare(n);
      set(n, m_.names[n.index].type == Scalar::Bool && !m_.names[n.index].memory ? code_.value("icmp ne i8 %in.{}, 0", text(n)) : "%in." + text(n));
    }
    if (f.recursive) enter();
    block(f.body);
    code_.line("ret i32 0");                        // after a `return` nobody comes here
    return fmt::format("define internal i32 {}({}) {}#0 {{\nentry:\n{}  br label %body\nbody:\n{}}}\n\n", function_name(f), params, f.lone ? "noinline " : "", slots_, code_.text);
  }

 private:
  const Module& m_;
  Surroundings& around_;
  Code code_;
  const HostFunction* current_ = nullptr;
  std::string slots_;                               // the memory of names, at the start of the function
  IdSet<Name> declared_;
  std::unordered_map<ExprId, std::string> known_;                // values of the statement at hand
  std::unordered_map<Name, ScalarOp> reduced_;                   // in the loop at hand, in any order
  std::string lanes_;                               // what the accesses of a loop of lanes belong to
  IdSet<Name> own_;                                 // arrays that an iteration declares

  const std::string& text(Name n) const { return m_.names[n.index].text; }
  std::string register_type(Name n) const { return m_.names[n.index].memory ? "ptr" : type_of(m_.names[n.index].type); }
  bool is_data(Name n) const { return std::ranges::any_of(m_.data, [&](const DataRef& d) { return d.name == n; }); }
  // A bool in memory is a byte.
  bool is_truth(Name n) const { return m_.names[n.index].type == Scalar::Bool && !m_.names[n.index].memory; }

  void declare(Name n) {
    if (declared_.contains(n)) return;
    declared_.insert(n);
    slots_ += fmt::format("  %{} = alloca {}\n", text(n), passed_type(m_, n));
  }
  void set(Name n, std::string value) {
    if (is_truth(n)) value = code_.value("zext i1 {} to i8", value);
    code_.line(fmt::format("store {} {}, ptr {}", passed_type(m_, n), value, place(n)));
  }
  std::string place(Name n) { return m_.names[n.index].constant ? constant(n) : "%" + text(n); }
  std::string get(Name n) {
    if (is_data(n) || arrays_.contains(n)) return is_data(n) ? "@d." + text(n) : "%" + text(n);
    std::string v = code_.value("load {}, ptr {}", passed_type(m_, n), place(n));
    return is_truth(n) ? code_.value("icmp ne i8 {}, 0", v) : v;
  }
  IdSet<Name> arrays_;                              // on the stack: their names are their addresses

  std::string constant(Name field) {
    auto at = std::ranges::find(m_.constants, field) - m_.constants.begin();
    std::string all = call("ptr", "raido_constants_of", "ptr", "ptr %w", "#1");
    return code_.value("getelementptr %constants, ptr {}, i32 0, i32 {}", all, at);
  }
  std::string call(const std::string& result, const std::string& name, const std::string& params, const std::string& args, std::string_view attributes = "#2") {
    std::string f = around_.function(result, name, params, attributes);
    std::string type = params.ends_with("...") ? fmt::format("{} ({})", result, params) : result;
    if (result != "void") return code_.value("call {} {}({})", type, f, args);
    code_.line(fmt::format("call {} {}({})", type, f, args));
    return "";
  }

  // ---- expressions ----

  std::string expr(ExprId id) {
    if (auto at = known_.find(id); at != known_.end()) return at->second;
    const Expr& e = m_.exprs[id.index];
    std::string v = match(e.node,
      [&](const Const& c) { return literal(c); },
      [&](const Name& n) { return get(n); },
      [&](const Prim& p) { return prim(p); },
      [&](const Cast& c) { return cast(code_, m_.exprs[c.value.index].type, e.type, expr(c.value)); },
      [&](const Load& l) {
        Scalar t = m_.names[l.memory.index].type;
        std::string at = cell(l.memory, l.index);
        return from_storage(code_, t, code_.value("load {}, ptr {}{}", storage_of(t), at, access(l.memory)));
      },
      [&](const Hardware& h) { return std::to_string(number(h)); });
    known_[id] = v;
    return v;
  }
  std::string typed(ExprId e) { std::string v = expr(e); return type_of(m_.exprs[e.index].type) + " " + v; }
  int64_t number(const Hardware& h) const {
    int bytes = around_.machine.vector_bytes;
    switch (h.what) {
      case Builtin::TileRows: return bytes == 64 ? 8 : bytes == 32 ? 6 : 2;      // as in runtime/tiles.h
      case Builtin::TileVectors: return bytes == 64 ? 3 : bytes == 32 ? 2 : 4;
      case Builtin::VectorLanes: return bytes / h.bytes;
      case Builtin::Zero: return 0;
      default: PANIC("a number of a device on a processor");
    }
  }
  int64_t number(ExprId e) const {
    return match(m_.exprs[e.index].node, [](const Const& c) { return c.as_i64(); }, [&](const Hardware& h) { return number(h); },
                 [](const auto&) -> int64_t { PANIC("a size on the stack that is not known"); });
  }
  std::string prim(const Prim& p) {
    auto is_number = [&](ExprId a) { return m_.const_of(a) && literal(*m_.const_of(a)) != "0x7FF8000000000000"; };
    if ((p.op == ScalarOp::min || p.op == ScalarOp::max) && is_float(p.at) && (is_number(p.args[0]) || is_number(p.args[1]))) {
      size_t known = is_number(p.args[1]) ? 1 : 0;
      std::string x = expr(p.args[1 - known]), y = expr(p.args[known]);
      return smaller_or_larger(code_, p.op == ScalarOp::min, p.at, x, y);
    }
    std::vector<std::string> args;
    for (ExprId a : p.args) args.push_back(expr(a));
    auto sum = reduced(p);
    if (!sum || !is_float(p.at)) return operation(code_, p.op, p.at, args);
    if (p.op == ScalarOp::add) return operation(code_, p.op, p.at, args, "reassoc");
    return extremum(p, args[*sum], args[1 - *sum]);
  }
  // Which operand of the operation is what a loop sums up in any order: a name of its own, or one that has got such a sum.
  std::optional<size_t> reduced(const Prim& p) const {
    if (p.op != ScalarOp::add && p.op != ScalarOp::min && p.op != ScalarOp::max) return {};
    for (size_t k = 0; k < p.args.size(); k++)
      if (auto n = std::get_if<Name>(&m_.exprs[p.args[k].index].node))
        if (auto r = reduced_.find(*n); r != reduced_.end() && r->second == p.op) return k;
    return {};
  }
  // Neither operand is a NaN, which LLVM wants to know before it exchanges them: what begins is none (for_loop), and instead of one that comes
  // there is what changes nothing.
  std::string extremum(const Prim& p, const std::string& so_far, const std::string& next) {
    bool least = p.op == ScalarOp::min;
    std::string t = type_of(p.at), nan = code_.value("fcmp uno {} {}, {}", t, next, next);
    std::string x = code_.value("select i1 {}, {} {}, {} {}", nan, t, least ? "0x7FF0000000000000" : "0xFFF0000000000000", t, next);
    std::string first = code_.value("fcmp nnan nsz {} {} {}, {}", least ? "olt" : "ogt", t, so_far, x);
    return code_.value("select nnan nsz i1 {}, {} {}, {} {}", first, t, so_far, t, x);
  }
  std::string cell(Name memory, ExprId index) {
    std::string base = get(memory), i = expr(index);
    return code_.value("getelementptr inbounds {}, ptr {}, i64 {}", storage_of(m_.names[memory.index].type), base, i);
  }
  std::string access(Name memory) const { return lanes_.empty() || own_.contains(memory) ? "" : ", !llvm.access.group " + lanes_; }

  // ---- control ----

  void jump(const std::string& label, const std::string& more = "") { code_.line(fmt::format("br label %{}{}", label, more)); }
  void jump_if(const std::string& cond, const std::string& yes, const std::string& no, const std::string& more = "") {
    code_.line(fmt::format("br i1 {}, label %{}, label %{}{}", cond, yes, no, more));
  }
  void leave_if(const std::string& cond, const std::string& result) {
    std::string out = code_.label("leave"), on = code_.label("on");
    jump_if(cond, out, on, ", !prof " + around_.metadata("!{!\"branch_weights\", i32 1, i32 10000}"));
    code_.begin(out);
    code_.line("ret i32 " + result);
    code_.begin(on);
    known_ = {};
  }
  void enter() {                                    // RAIDO_ENTER
    std::string at = code_.value("getelementptr i8, ptr %w, i64 16"), end = code_.value("load i64, ptr {}", at);
    std::string f = around_.function("ptr", "llvm.frameaddress.p0", "i32 immarg", "#1"), here = code_.value("call ptr {}(i32 0)", f);
    std::string place = code_.value("ptrtoint ptr {} to i64", here), deep = code_.value("icmp ult i64 {}, {}", place, end);
    std::string out = code_.label("deep"), on = code_.label("on");
    jump_if(deep, out, on);
    code_.begin(out);
    fail("Error: Stack overflow.", "");
    code_.begin(on);
  }
  void block(const Block& b) {
    for (const Stm& s : b) {
      known_ = {};
      stm(s);
    }
    known_ = {};
  }
  std::string loop_metadata(const std::vector<std::string>& hints) {
    if (hints.empty()) return "";
    std::string list = "distinct !{!SELF";
    for (const std::string& h : hints) list += ", " + around_.metadata(h);
    return ", !llvm.loop " + around_.metadata(list + "}");
  }
  void for_loop(const For& x) {
    declare(x.i);
    auto outer = std::exchange(reduced_, {});
    if (!around_.machine.strict_fp && (x.lanes || only_computes(x.body)))
      for (const Reduced& r : x.reduced) reduced_[r.var] = r.op;
    // A least or greatest float that begins with a NaN takes its elements in order.
    std::string nan;
    for (const Reduced& r : x.reduced)
      if (r.op != ScalarOp::add && reduced_.contains(r.var) && is_float(m_.names[r.var.index].type)) {
        std::string v = get(r.var), is = code_.value("fcmp uno {} {}, {}", register_type(r.var), v, v);
        nan = nan.empty() ? is : code_.value("or i1 {}, {}", nan, is);
      }
    if (nan.empty()) {
      loop(x);
    } else {
      std::string numbers = code_.label("numbers"), slow = code_.label("nan"), end = code_.label("fi");
      jump_if(nan, slow, numbers);
      code_.begin(numbers);
      loop(x);
      jump(end);
      code_.begin(slow);
      reduced_ = {};
      loop(x);
      jump(end);
      code_.begin(end);
    }
    reduced_ = outer;
  }
  void loop(const For& x) {
    bool beside = x.lanes && (x.reduced.empty() || !reduced_.empty());
    IdSet<Name> own = own_;
    std::string lanes = std::exchange(lanes_, "");
    std::vector<std::string> hints = {"!{!\"llvm.loop.mustprogress\"}"};
    if (x.scattered) hints.push_back("!{!\"llvm.loop.vectorize.enable\", i1 false}");
    if (x.unrolled) hints.push_back("!{!\"llvm.loop.unroll.full\"}");
    if (beside) {
      lanes_ = around_.metadata("distinct !{}");
      hints.push_back(fmt::format("!{{!\"llvm.loop.parallel_accesses\", {}}}", lanes_));
      hints.push_back("!{!\"llvm.loop.vectorize.enable\", i1 true}");
    }
    known_ = {};
    set(x.i, expr(x.from));
    std::string head = code_.label("for"), body = code_.label("do"), end = code_.label("end");
    jump(head);
    code_.begin(head);
    known_ = {};
    std::string i = get(x.i), to = expr(x.to), more = code_.value("icmp slt i64 {}, {}", i, to);
    jump_if(more, body, end);
    code_.begin(body);
    block(x.body);
    std::string next = get(x.i);
    set(x.i, code_.value("add nsw i64 {}, 1", next));
    jump(head, loop_metadata(hints));
    code_.begin(end);
    known_ = {};
    lanes_ = lanes;
    own_ = own;
  }
  void while_loop(const While& x) {
    std::string head = code_.label("while"), body = code_.label("do"), end = code_.label("end"), lanes = std::exchange(lanes_, "");
    jump(head);
    code_.begin(head);
    block(x.test);
    jump_if(expr(x.cond), body, end);
    code_.begin(body);
    block(x.body);
    jump(head);
    code_.begin(end);
    known_ = {};
    lanes_ = lanes;
  }
  void branch(const If& x) {
    if (x.then_.empty() && x.else_.empty()) return;
    std::string yes = code_.label("then"), no = code_.label("else"), end = code_.label("fi");
    bool checks = x.then_.empty() && x.else_.size() == 1 && std::holds_alternative<Fail>(x.else_[0].node);
    std::string weights = checks ? ", !prof " + around_.metadata("!{!\"branch_weights\", i32 10000, i32 1}") : "";
    jump_if(expr(x.cond), x.then_.empty() ? end : yes, x.else_.empty() ? end : no, weights);
    if (!x.then_.empty()) {
      code_.begin(yes);
      block(x.then_);
      jump(end);
    }
    if (!x.else_.empty()) {
      code_.begin(no);
      block(x.else_);
      jump(end);
    }
    code_.begin(end);
    known_ = {};
  }
  static bool only_computes(const Block& b) {
    for (const Stm& s : b)
      if (!std::holds_alternative<Declare>(s.node) && !std::holds_alternative<Assign>(s.node) && !std::holds_alternative<Store>(s.node)) return false;
    return true;
  }

  // ---- statements ----

  void stm(const Stm& s) {
    match(s.node,
      [&](const Declare& x) {
        declare(x.var);
        if (!x.init) return;
        if (auto p = std::get_if<Prim>(&m_.exprs[x.init->index].node); p && reduced(*p)) reduced_[x.var] = p->op;
        set(x.var, expr(*x.init));
      },
      [&](const DeclareArray& x) {
        int64_t n = 1;
        for (ExprId e : x.counts) n *= number(e);
        own_.insert(x.var);
        if (arrays_.contains(x.var)) return;           // the same in another place: one memory serves both
        arrays_.insert(x.var);
        slots_ += fmt::format("  %{} = alloca [{} x {}], align 64\n", text(x.var), std::max<int64_t>(n, 1), storage_of(m_.names[x.var.index].type));
      },
      [&](const Assign& x) { set(x.var, expr(x.value)); },
      [&](const Store& x) {
        Scalar t = m_.names[x.memory.index].type;
        std::string value = to_storage(code_, t, expr(x.value)), at = cell(x.memory, x.index);
        code_.line(fmt::format("store {} {}, ptr {}{}", storage_of(t), value, at, access(x.memory)));
      },
      [&](const For& x) { for_loop(x); },
      [&](const While& x) { while_loop(x); },
      [&](const If& x) { branch(x); },
      [&](const Fail& x) { fail(x); },
      [&](const Call& x) { call(x); },
      [&](const Return& x) {
        for (size_t k = 0; k < x.values.size(); k++) {
          Name n = current_->results[k];
          std::string v = expr(x.values[k]);
          if (is_truth(n)) v = code_.value("zext i1 {} to i8", v);
          code_.line(fmt::format("store {} {}, ptr %out.{}", passed_type(m_, n), v, text(n)));
        }
        code_.line("ret i32 0");
        code_.begin(code_.label("after"));
      },
      [&](const Trace& x) { trace(x); },
      [&](const Mark& x) {                              // RAIDO_MARK
        std::string at = code_.value("getelementptr i8, ptr %w, i64 24");
        code_.line(fmt::format("store atomic i32 {}, ptr {} monotonic, align 4", x.place, at));
      },
      [&](const FromConstants& x) {
        declare(x.var);
        std::string from = constant(x.field), v = code_.value("load {}, ptr {}", passed_type(m_, x.var), from);
        code_.line(fmt::format("store {} {}, ptr %{}", passed_type(m_, x.var), v, text(x.var)));
      },
      [&](const Tuned& x) {
        declare(x.var);
        set(x.var, call("i64", "raido_tuned", "ptr, i32, i64", fmt::format("ptr %w, i32 {}, {}", x.param, typed(x.fallback))));
      },
      [&](const Threads& x) {
        declare(x.var);
        set(x.var, "1");
      },
      [&](const Alloc& x) { alloc(x); },
      [&](const Retain& x) { call("void", "raido_retain", "ptr, ptr", fmt::format("ptr %w, ptr {}", get(x.block))); },
      [&](const Release& x) { call("void", "raido_release", "ptr, ptr", fmt::format("ptr %w, ptr {}", get(x.block))); },
      [&](const SetBlock& x) { set(x.block, get(x.from)); },
      [&](const Transpose& x) { transpose(x); },
      [&](const DeclareVectors& x) {
        if (lanes_of_[x.var] != 0) return;
        lanes_of_[x.var] = number(x.lanes);
        columns_[x.var] = number(x.columns);
        slots_ += fmt::format("  %{} = alloca [{} x <{} x {}>], align 64\n", text(x.var), number(x.rows) * number(x.columns), number(x.lanes), vector_element(x.var));
      },
      [&](const MoveVector& x) { move(x); },
      [&](const VectorScan& x) { block(x.one_by_one); },
      [&](const auto&) { PANIC("a statement of a device or of several threads in a program for one"); });
  }
  void fail(const std::string& format, const std::string& args) {
    call("i32", "raido_fail", "ptr, ptr, ...", fmt::format("ptr %w, ptr {}{}", around_.text(format), args), "#3");
    code_.line("ret i32 1");
  }
  // How printf shows a value of this type, and the value as it is passed.
  std::pair<std::string_view, std::string> shown(ExprId e) {
    Scalar t = m_.exprs[e.index].type;
    std::string v = expr(e);
    if (t == Scalar::Bool) return {"%s", fmt::format("ptr {}", code_.value("select i1 {}, ptr {}, ptr {}", v, around_.text("true"), around_.text("false")))};
    if (is_float(t)) return {"%.17g", "double " + cast(code_, t, Scalar::F64, v)};
    if (t == Scalar::U64) return {"%llu", "i64 " + v};
    if (bytes_of(t) == 8) return {"%lld", "i64 " + v};
    return {"%lld", "i64 " + code_.value("{} {} {} to i64", is_signed(t) ? "sext" : "zext", type_of(t), v)};
  }
  void fail(const Fail& x) {
    const std::string& said = m_.texts[size_t(x.text)];
    std::string format, args;
    size_t next = 0;
    for (size_t i = 0; i < said.size(); i++) {
      if (said[i] == '%') { format += "%%"; continue; }
      if (said.compare(i, 2, "{}") != 0 || next >= x.args.size()) { format += said[i]; continue; }
      auto [how, value] = shown(x.args[next++]);
      format += how;
      args += ", " + value;
      i++;
    }
    fail(format, args);
    code_.begin(code_.label("after"));
  }
  void trace(const Trace& x) {
    std::string format = x.text, args;
    if (x.value) {
      auto [how, value] = shown(*x.value);
      Scalar t = m_.exprs[x.value->index].type;
      format += is_float(t) && t != Scalar::F64 ? "%.9g" : how;
      args = ", " + value;
    } else {
      args = fmt::format(", ptr {}", around_.text(format));
      format = "%s";
    }
    call("i32", "raido_log", "ptr, ptr, ...", fmt::format("ptr %w, ptr {}{}", around_.text(format), args), "#3");
  }
  void call(const Call& x) {
    const HostFunction& f = m_.functions[size_t(x.function)];
    std::string args = "ptr %w";
    for (size_t k = 0; k < x.args.size(); k++) {
      std::string v = expr(x.args[k]);
      if (is_truth(f.params[k])) v = code_.value("zext i1 {} to i8", v);
      args += fmt::format(", {} {}", passed_type(m_, f.params[k]), v);
    }
    std::vector<std::string> results;                // the names themselves stay values
    for (Name n : x.results) {
      declare(n);
      std::string slot = fmt::format("%result{}", code_.values++);
      slots_ += fmt::format("  {} = alloca {}\n", slot, passed_type(m_, n));
      results.push_back(slot);
      args += ", ptr " + slot;
    }
    std::string failed = code_.value("call i32 {}({})", function_name(f), args);
    leave_if(code_.value("icmp ne i32 {}, 0", failed), "1");
    for (size_t k = 0; k < x.results.size(); k++) {
      std::string type = passed_type(m_, x.results[k]), v = code_.value("load {}, ptr {}", type, results[k]);
      code_.line(fmt::format("store {} {}, ptr {}", type, v, place(x.results[k])));
    }
  }
  void alloc(const Alloc& x) {
    std::string size = expr(x.factors[0]);
    for (size_t k = 1; k < x.factors.size(); k++)
      size = call("i64", "raido_product", "i64, i64", fmt::format("i64 {}, {}", size, typed(x.factors[k])), "#1");
    if (x.lenient) size = operation(code_, ScalarOp::max, Scalar::I64, {size, "0"});
    declare(x.block);
    std::string block = call("noalias align 64 ptr", "raido_alloc", "ptr, i64", fmt::format("ptr %w, i64 {}", size));
    set(x.block, block);
    std::string none = code_.value("icmp eq ptr {}, null", block);
    if (x.places < 0) return leave_if(none, "1");
    std::string out = code_.label("leave"), on = code_.label("on");
    jump_if(none, out, on, ", !prof " + around_.metadata("!{!\"branch_weights\", i32 1, i32 10000}"));
    code_.begin(out);
    code_.line("ret i32 " + call("i32", "raido_no_room", "ptr, ptr", fmt::format("ptr %w, ptr {}", around_.text(m_.texts[size_t(x.places)]))));
    code_.begin(on);
    known_ = {};
  }
  void transpose(const Transpose& x) {
    std::string to = cell(x.to, x.to_at), from = cell(x.from, x.from_at), args = fmt::format("ptr {}, {}, ptr {}", to, typed(x.to_row), from);
    for (ExprId e : {x.from_row, x.rows, x.columns, x.first, x.last}) args += ", " + typed(e);
    call("void", fmt::format("raido_transpose_{}", bytes_of(m_.names[x.to.index].type)), "ptr, i64, ptr, i64, i64, i64, i64, i64", args);
  }
  IdMap<Name, int64_t> lanes_of_, columns_;
  std::string vector_element(Name n) const { return storage_of(m_.names[n.index].type); }
  void move(const MoveVector& x) {
    std::string row = expr(x.row), column = expr(x.column);
    std::string first = code_.value("mul i64 {}, {}", row, columns_[x.vectors]), at = code_.value("add i64 {}, {}", first, column);
    std::string type = fmt::format("<{} x {}>", lanes_of_[x.vectors], vector_element(x.vectors));
    std::string vector = code_.value("getelementptr inbounds {}, ptr %{}, i64 {}", type, text(x.vectors), at), array = cell(x.array, x.at);
    std::string v = code_.value("load {}, ptr {}, align 1", type, x.back ? array : vector);
    code_.line(fmt::format("store {} {}, ptr {}, align 1", type, v, x.back ? vector : array));
  }
};

std::string data(const Module& m) {
  std::string out;
  for (const DataRef& d : m.data)
    out += fmt::format("@d.{} = internal constant [{} x i8] {}, align 64\n", m.names[d.name.index].text, std::max<size_t>(d.data->bytes.size(), 1),
                       d.data->bytes.empty() ? "zeroinitializer" : quoted(d.data->bytes));
  return out;
}

}  // namespace
}  // namespace printing

std::string function_name(const kir::HostFunction& f) { return "@f." + f.name; }
std::string passed_type(const kir::Module& m, kir::Name n) {
  const kir::NameInfo& i = m.names[n.index];
  return i.memory ? "ptr" : i.type == Scalar::Bool ? "i8" : type_of(i.type);
}
std::string quoted(std::string_view bytes) {
  std::string out = "c\"";
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127 && c != '"' && c != '\\') out += c;
    else out += fmt::format("\\{:02X}", byte);
  }
  return out + "\"";
}

std::string print(const kir::Module& m, Surroundings& around) {
  std::string out = "%constants = type {" + join(m.constants, ", ", [&](kir::Name n) { return passed_type(m, n); }) + "}\n\n" + printing::data(m) + "\n";
  for (const kir::HostFunction& f : m.functions) out += printing::Writer(m, around).function(f);
  return out;
}

}  // namespace raido::llvm
