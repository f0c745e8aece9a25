// from_core.cc - translates Memory level statement by statement.
//
// A scalar becomes a constant of its own, an array nothing at all: its block is a name, its elements are addressed
// through the layout in its type. Operations that fill arrays become loops; where the arrays lie in device memory and
// the code runs on the host, each such loop nest becomes a kernel, and single elements are read back or written out.
//
// Blocks are counted. The body that binds a block (alloc, or a live-out of a branch, loop or call) owns it: it
// releases the block after its last use, unless it escapes the body, which moves the ownership. Parameters belong to
// the caller. A block of small constant size that never escapes lies on the stack.
#include "backends/kernel/from_core.h"

#include <algorithm>
#include <fmt/format.h>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"

namespace raido::kir {
namespace {

using namespace raido::ir;
using ir::Var;

class FromCore {
 public:
  FromCore(const Program& p, Target target) : p_(p), gpu_(target == Target::Gpu), made_(p) {
    find_elements();
    p.each_body([&](const Body& b) { find_escaping(b); });
    for (const ir::Stm& s : p.constants.stms)
      for (Bind b : s.pattern)
        if (is_block(b.var)) escaping_.insert(b.var);
  }

  Module run() {
    for (const Function& f : p_.functions) m_.functions.push_back(declare(f));
    constants();
    for (size_t k = 0; k < p_.functions.size(); k++) {
      function(k);
      IdSet<FunId> seen;
      m_.functions[k].recursive = reaches(p_.functions[k], {uint32_t(k)}, seen);
    }
    return std::move(m_);
  }

 private:
  const Program& p_;
  bool gpu_;
  Module m_;
  Block* out_ = nullptr;
  VarMap<std::optional<Scalar>> elem_;       // of a block's arrays
  VarSet escaping_;                            // blocks that leave the body that made them, or meet another owner
  VarMap<ExprId> scalar_;
  VarMap<Name> block_;
  VarSet on_stack_, is_constant_;
  VarMap<std::optional<Name>> field_;        // of a top-level value
  VarMap<const Dest*> dest_;                 // token -> destination, inside a with_acc that was kept
  int function_ = 0;
  Block* prologue_ = nullptr;
  VarMap<int> loaded_in_;                    // function (plus one) that has loaded the constant
  bool in_kernel_ = false, kernel_traces_ = false;
  bool returns_checked_ = false;

  struct Layout {
    Name memory;
    ExprId offset;
    std::vector<ExprId> strides;
  };

  // ---- tables ----

  bool reaches(const Function& from, FunId to, IdSet<FunId>& seen) const {
    bool found = false;
    each_stm(from.lambda.body, [&](const ir::Stm& s) {
      auto x = std::get_if<ir::Call>(&s.exp);
      if (!x || found) return;
      if (x->callee == to) { found = true; return; }
      if (seen.contains(x->callee)) return;
      seen.insert(x->callee);
      found = reaches(p_.functions[x->callee.index], to, seen);
    });
    return found;
  }

  void find_elements() {
    for (const VarInfo& v : p_.vars) {
      auto a = std::get_if<ArrayType>(&v.type);
      if (!a || !a->place) continue;
      for (const Dim& d : a->shape) if (auto n = var_of(d)) extents_.insert(*n);
      auto& elem = elem_[a->place->block];
      CHECK(!elem || *elem == a->elem, "a block holds arrays of {} and of {}", name_of(elem.value_or(a->elem)), name_of(a->elem));
      elem = a->elem;
    }
    bool changed = true;               // blocks passed on: one of them may hold no array of its own
    auto same = [&](const Atom& x, const Atom& y) {
      if (!is_block(x) || !is_block(y)) return;
      auto &a = elem_[*var_of(x)], &b = elem_[*var_of(y)];
      if (a && !b) { Scalar t = *a; elem_[*var_of(y)] = t; changed = true; }
      if (b && !a) { Scalar t = *b; elem_[*var_of(x)] = t; changed = true; }
    };
    auto loop = [&](const ir::Stm& s, const auto& x) {
      for (size_t k = 0; k < x.state.size(); k++)
        for (const Atom& other : {x.init[k], x.body.result[k], Atom(s.pattern[k].var)}) same(x.state[k].var, other);
    };
    while (changed) {
      changed = false;
      p_.each_body([&](const Body& b) {
        each_stm(b, [&](const ir::Stm& s) {
          if (auto x = std::get_if<ir::For>(&s.exp)) loop(s, *x);
          if (auto x = std::get_if<ir::While>(&s.exp)) loop(s, *x);
          if (auto x = std::get_if<ir::If>(&s.exp))
            for (size_t k = 0; k < s.pattern.size(); k++)
              for (const Atom& other : {x->then_.result[k], x->else_.result[k]}) same(s.pattern[k].var, other);
        });
      });
    }
  }
  void hand(const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms)
      if (var_of(a) && std::holds_alternative<BlockType>(p_.type(a))) escaping_.insert(*var_of(a));
  }
  void find_escaping(const Body& b) {
    hand(b.result);
    each_stm(b, [&](const ir::Stm& s) {
      walk_parts(s, [&](const Body& inner) { hand(inner.result); });
      walk_parts(s, [&](const Lambda& l) { hand(l.body.result); });
      if (auto x = std::get_if<ir::For>(&s.exp)) hand(x->init);
      if (auto x = std::get_if<ir::While>(&s.exp)) hand(x->init);
      if (auto x = std::get_if<ir::Call>(&s.exp)) hand(x->args);
    });
  }

  const ArrayType* array(const Atom& a) const {
    auto v = var_of(a);
    return v ? std::get_if<ArrayType>(&p_.type(*v)) : nullptr;
  }
  bool is_scalar_var(Var v) const { return is_scalar(p_.type(v)); }
  bool is_block(const Atom& a) const { return var_of(a) && std::holds_alternative<BlockType>(p_.type(a)); }

  // ---- names ----

  Name new_memory(Var block) {
    Space space = std::get<BlockType>(p_.type(block)).space;
    return m_.memory(p_.hint(block), elem_[block].value_or(Scalar::I8), space);
  }
  Name memory(Var block) {
    if (is_constant_.contains(block)) return Name{constant(block)};
    CHECK(block_[block].valid(), "block `{}` is used before it exists", p_.hint(block));
    return block_[block];
  }
  // A constant is loaded once at the start of each function that uses it.
  Name constant(Var v) {
    Name field = *field_[v];
    if (loaded_in_[v] == function_ + 1) return block_[v];
    const NameInfo info = m_.names[field.index];
    Name local = info.memory ? m_.memory(p_.hint(v), info.type, info.space) : m_.name(p_.hint(v), info.type);
    prologue_->push_back({FromConstants{local, field}});
    loaded_in_[v] = function_ + 1;
    block_[v] = local;
    return local;
  }
  ExprId atom(const Atom& a) {
    return match(a, [&](const Const& c) { return m_.constant(c); },
                 [&](Var v) {
                   if (is_constant_.contains(v)) return m_.var(constant(v));
                   CHECK(scalar_[v].valid(), "`{}` is used before it has a value", p_.hint(v));
                   return scalar_[v];
                 });
  }
  std::vector<ExprId> atoms(const std::vector<Atom>& as) {
    std::vector<ExprId> out;
    for (const Atom& a : as) out.push_back(atom(a));
    return out;
  }
  Name declare_scalar(Var v, std::optional<ExprId> init) {
    Name n = m_.name(p_.hint(v), elem_of(p_.type(v)));
    emit(Declare{n, init});
    scalar_[v] = m_.var(n);
    return n;
  }
  template <class S> void emit(S s) { out_->push_back({std::move(s)}); }
  template <class F> Block block(F fill) {
    Block b;
    Block* saved = std::exchange(out_, &b);
    fill();
    out_ = saved;
    return b;
  }

  // ---- addresses ----

  Layout layout(const Atom& a) {
    const Place& q = *array(a)->place;
    return {memory(q.block), atom(q.layout.offset), atoms(q.layout.strides)};
  }
  ExprId address(const Layout& l, const std::vector<ExprId>& at) {
    ExprId sum = l.offset;
    for (size_t d = 0; d < at.size(); d++) sum = m_.add(sum, m_.mul(at[d], l.strides[d]));
    return sum;
  }
  Layout sliced(const Layout& l, const std::vector<Selector>& at) {
    Layout out{l.memory, l.offset, {}};
    for (size_t d = 0; d < at.size(); d++)
      match(at[d], [&](const Atom& i) { out.offset = m_.add(out.offset, m_.mul(atom(i), l.strides[d])); },
            [&](const Slice& s) {
              out.offset = m_.add(out.offset, m_.mul(atom(s.start), l.strides[d]));
              out.strides.push_back(m_.mul(atom(s.stride), l.strides[d]));
            });
    out.strides.insert(out.strides.end(), l.strides.begin() + ptrdiff_t(at.size()), l.strides.end());
    return out;
  }
  Layout row(const Layout& l, ExprId i) {
    return {l.memory, m_.add(l.offset, m_.mul(i, l.strides[0])), {l.strides.begin() + 1, l.strides.end()}};
  }
  std::vector<ExprId> shape(const Atom& a) { return atoms(array(a)->shape); }
  bool is_device(Name memory) const { return m_.names[memory.index].space == Space::Device; }

  ExprId load(Name memory, ExprId index, const std::string& hint) {
    Name v = m_.name(hint, m_.names[memory.index].type);
    if (is_device(memory) && !in_kernel_) emit(ReadBack{v, memory, index});
    else emit(Declare{v, m_.expr({Load{memory, index}, m_.names[memory.index].type})});
    return m_.var(v);
  }
  void store(Name memory, ExprId index, ExprId value) {
    if (is_device(memory) && !in_kernel_) emit(WriteOut{memory, index, value});
    else emit(Store{memory, index, value});
  }

  // Loops over all points of `extent`; one kernel where `on_device` and the code runs on the host.
  template <class F> void each(const std::vector<ExprId>& extent, bool on_device, F fill) {
    if (gpu_ && on_device && !in_kernel_) return kernel("fill", extent, fill);
    std::vector<ExprId> at;
    nest(extent, at, fill);
  }
  template <class F> void nest(const std::vector<ExprId>& extent, std::vector<ExprId>& at, F& fill) {
    if (at.size() == extent.size()) return fill(at);
    Name i = m_.name("i", Scalar::I64);
    ExprId n = extent[at.size()];
    at.push_back(m_.var(i));
    Block body = block([&] { nest(extent, at, fill); });
    at.pop_back();
    emit(For{i, m_.number(0), n, std::move(body)});
  }

  // One thread for each point of `extent`; what the body uses from outside becomes its parameters.
  template <class F> void kernel(const std::string& hint, const std::vector<ExprId>& extent, F fill) {
    Name id = m_.name("id", Scalar::I64), total = m_.name("threads", Scalar::I64);
    ExprId threads = m_.number(1);
    for (ExprId n : extent) threads = m_.mul(threads, n);
    in_kernel_ = true;
    kernel_traces_ = false;
    bool failed = std::exchange(returns_checked_, false);
    Block body = block([&] {
      emit(Declare{id, m_.expr({Hardware{Builtin::GlobalId}, Scalar::I64})});
      Block work = block([&] {
        std::vector<ExprId> at(extent.size());
        ExprId rest = m_.var(id);
        for (size_t d = extent.size(); d-- > 0;) {
          ExprId here = rest;
          if (d > 0) {
            Name i = m_.name("i", Scalar::I64), q = m_.name("q", Scalar::I64);
            emit(Declare{q, m_.prim(ScalarOp::quot, {rest, extent[d]})});
            emit(Declare{i, m_.prim(ScalarOp::sub, {rest, m_.mul(m_.var(q), extent[d])})});
            here = m_.var(i);
            rest = m_.var(q);
          }
          at[d] = here;
        }
        fill(at);
      });
      emit(If{m_.prim(ScalarOp::lt, {m_.var(id), m_.var(total)}), std::move(work), {}});
    });
    in_kernel_ = false;
    Kernel k{fmt::format("{}_{}", hint, m_.kernels.size()), {total}, std::move(body), returns_checked_ || kernel_traces_, kernel_traces_};
    returns_checked_ = failed;
    std::vector<ExprId> args = {threads};
    for (Name n : free_names(m_, k.body)) {
      if (n == total) continue;
      k.params.push_back(n);
      args.push_back(m_.var(n));
    }
    emit(Launch{int(m_.kernels.size()), std::move(args), threads});
    m_.kernels.push_back(std::move(k));
  }

  void copy(const Layout& to, const Layout& from, const std::vector<ExprId>& extent) {
    each(extent, is_device(to.memory), [&](const std::vector<ExprId>& at) {
      store(to.memory, address(to, at), load(from.memory, address(from, at), "x"));
    });
  }
  // Puts a scalar or an array at `to`.
  void put(const Layout& to, const Atom& value) {
    if (array(value)) copy(to, layout(value), shape(value));
    else store(to.memory, to.offset, atom(value));
  }

  // ---- bodies ----

  // Blocks that a statement or a list of atoms touches.
  template <class X> void each_block(const X& x, auto&& f) {
    each_use(p_, x, [&](Var v) {
      if (is_block(v)) f(v);
      else if (auto a = array(v); a && a->place) f(a->place->block);
    });
  }

  // Translates the statements; `owned` blocks and those bound here are released after their last use unless they are
  // among the results. Returns the results with moved or retained blocks; the caller stores them.
  void body(const Body& b, std::vector<Var> owned, bool keep = false) {
    VarMap<size_t> last;
    VarSet mine, moved;
    size_t n = b.stms.size();
    for (Var v : owned) { mine.insert(v); last[v] = 0; }
    std::vector<std::vector<Var>> dying(n + 1);
    for (size_t k = 0; k < n; k++) {
      for (Bind v : b.stms[k].pattern)
        if (is_block(v.var)) { mine.insert(v.var); owned.push_back(v.var); last[v.var] = k + 1; }
      each_block(b.stms[k], [&](Var v) { last[v] = k + 1; });
    }
    for (const Atom& a : b.result)
      if (is_block(a)) {
        Var v = *var_of(a);
        if (mine.contains(v) && !moved.contains(v)) moved.insert(v);
        else retained_.push_back(v);
      }
    std::vector<Var> retained = std::exchange(retained_, {});
    for (Var v : owned)
      if (!moved.contains(v) && !keep) dying[last[v]].push_back(v);
    auto release = [&](size_t k) {
      for (Var v : dying[k])
        if (!on_stack_.contains(v)) emit(Release{memory(v)});
    };
    release(0);
    for (size_t k = 0; k < n; k++) {
      statement(b.stms[k]);
      release(k + 1);
    }
    for (Var v : retained) emit(Retain{memory(v)});
  }
  std::vector<Var> retained_;

  std::vector<Var> blocks_of(const std::vector<Bind>& binds) const {
    std::vector<Var> out;
    for (Bind b : binds)
      if (is_block(b.var)) out.push_back(b.var);
    return out;
  }

  // Assigns the results of a body to names: scalars and blocks only.
  void assign(const std::vector<Name>& to, const std::vector<Atom>& from) {
    for (size_t k = 0; k < to.size(); k++)
      if (to[k].valid()) set(to[k], from[k]);
  }
  void set(Name to, const Atom& from) {
    if (is_block(from)) { emit(SetBlock{to, memory(*var_of(from))}); return; }
    ExprId value = atom(from);
    if (value != m_.var(to)) emit(Assign{to, value});
  }
  // Names for the live-outs of a branch or loop, declared without a value.
  std::vector<Name> live_outs(const std::vector<Bind>& pattern) {
    std::vector<Name> names;
    for (Bind b : pattern) {
      if (is_block(b.var)) {
        block_[b.var] = new_memory(b.var);
        emit(Declare{block_[b.var], {}});
        names.push_back(block_[b.var]);
      } else if (is_scalar_var(b.var)) {
        names.push_back(declare_scalar(b.var, {}));
      } else {
        names.push_back({});
      }
    }
    return names;
  }

  // ---- statements ----

  void statement(const ir::Stm& s) {
    Var v = s.pattern.empty() ? Var{} : s.pattern[0].var;
    match(s.exp,
      [&](const Identity& x) {
        if (is_scalar_var(v)) scalar_[v] = atom(x.value);
        trace(s, x.value);
      },
      [&](const Apply& x) {
        std::vector<ExprId> args = atoms(x.args);
        ExprId value = m_.prim(x.op, args);
        if (auto inside = unsigned_test(x)) value = *inside;
        if (chosen_.contains(v)) value = without_branch(args[0], args[1], args[2]);
        Name n = declare_scalar(v, value);
        if (x.op == ScalarOp::mul && m_.names[n.index].type == Scalar::I64) products_[n.index] = {args[0], args[1]};
      },
      [&](const Convert& x) {
        ExprId value = atom(x.value);
        declare_scalar(v, m_.exprs[value.index].type == x.to ? value : m_.expr({Cast{value}, x.to}));
      },
      [&](const Assert& x) {
        if (auto c = const_of(x.cond); c && c->bits) return;
        ExprId holds = atom(x.cond);
        Block no = block([&] { emit(Fail{failure(x, s.source), atoms(x.args)}); });
        returns_checked_ = true;
        emit(If{holds, {}, std::move(no)});
      },
      [&](const ir::Call& x) { call(s, x); },
      [&](const ir::If& x) {
        std::vector<Name> names = live_outs(s.pattern);
        ExprId cond = atom(x.cond);
        Block yes = block([&] { body(x.then_, {}); assign(names, x.then_.result); });
        Block no = block([&] { body(x.else_, {}); assign(names, x.else_.result); });
        emit(If{cond, std::move(yes), std::move(no)});
      },
      [&](const ir::For& x) { for_loop(s, x); },
      [&](const ir::While& x) { while_loop(s, x); },
      [&](const Index& x) {
        if (array(v)) return;
        std::vector<ExprId> at;
        for (const Selector& i : x.at) at.push_back(atom(std::get<Atom>(i)));
        scalar_[v] = load_named(v, layout(x.array), at);
      },
      [&](const Update& x) {
        if (x.in_place) return;
        put(sliced(layout(x.array), x.at), x.value);
      },
      [&](const Iota& x) {
        Layout to = layout(v);
        Scalar t = elem_of(p_.type(v));
        ExprId start = atom(x.start), step = atom(x.step);
        each({atom(x.n)}, is_device(to.memory), [&](const std::vector<ExprId>& at) {
          ExprId i = t == Scalar::I64 ? at[0] : m_.expr({Cast{at[0]}, t});
          store(to.memory, address(to, at), m_.prim(ScalarOp::add, {start, m_.prim(ScalarOp::mul, {i, step})}));
        });
      },
      [&](const Replicate& x) {
        Layout to = layout(v);
        size_t outer = x.shape.size();
        each(shape(v), is_device(to.memory), [&](const std::vector<ExprId>& at) {
          ExprId value = array(x.value) ? load(layout(x.value).memory, address(layout(x.value), {at.begin() + ptrdiff_t(outer), at.end()}), "x")
                                        : atom(x.value);
          store(to.memory, address(to, at), value);
        });
      },
      [&](const ArrayLit& x) {
        Layout to = layout(v);
        for (size_t k = 0; k < x.elements.size(); k++)
          if (!is_ready(x.in_place, k)) put(row(to, m_.number(int64_t(k))), x.elements[k]);
      },
      [&](const Data& x) { data(v, x); },
      [&](const Concat& x) {
        Layout to = layout(v);
        for (size_t k = 0; k < x.arrays.size(); k++) {
          if (!is_ready(x.in_place, k)) copy(to, layout(x.arrays[k]), shape(x.arrays[k]));
          ExprId n = atom(array(x.arrays[k])->shape[size_t(x.dim)]);
          to.offset = m_.add(to.offset, m_.mul(n, to.strides[size_t(x.dim)]));
        }
      },
      [&](const Copy& x) { copy(layout(v), layout(x.array), shape(v)); },
      [&](const ir::Alloc& x) { alloc(s, x); },
      [&](const WithAcc& x) { with_acc(s, x); },
      [&](const AccUpdate& x) { acc_update(x); },
      [&](const Seg& x) { seg(s, x); },
      [&](const Tunable& x) { tunable(v, x); },
      [](const Scratch&) {}, [](const Reshape&) {}, [](const Permute&) {},
      [](const Screma&) { PANIC("screma at level memory"); }, [](const Hist&) { PANIC("hist at level memory"); },
      [](const Jvp&) { PANIC("jvp at level memory"); }, [](const Vjp&) { PANIC("vjp at level memory"); },
      [](const Custom&) { PANIC("custom at level memory"); });
  }

  // 0 <= i and i < n  ==>  (u64)i < (u64)n, when n is the extent of an array and so not negative.
  std::optional<ExprId> unsigned_test(const Apply& x) {
    if (x.op != ScalarOp::and_) return {};
    for (size_t k : {0, 1}) {
      const Apply *low = made_.get<Apply>(x.args[k]), *high = made_.get<Apply>(x.args[1 - k]);
      if (!low || !high || low->op != ScalarOp::le || high->op != ScalarOp::lt || !is_const(low->args[0], 0)) continue;
      if (low->args[1] != high->args[0] || elem_of(p_, high->args[0]) != Scalar::I64) continue;
      auto n = var_of(high->args[1]);
      if (!(n ? extents_.contains(*n) : const_of(high->args[1])->as_i64() >= 0)) continue;
      auto as_unsigned = [&](const Atom& a) { return m_.expr({Cast{atom(a)}, Scalar::U64}); };
      return m_.prim(ScalarOp::lt, {as_unsigned(high->args[0]), as_unsigned(high->args[1])});
    }
    return {};
  }
  Definitions made_;
  VarSet chosen_;
  VarSet extents_;                           // sizes of arrays

  void tunable(Var v, const Tunable& x) {
    CHECK(!in_kernel_, "a tunable number inside a kernel");
    auto known = std::ranges::find(m_.params, x.key, &Param::name);
    int number = int(known - m_.params.begin());
    std::string limit = const_of(x.fallback) ? std::to_string(const_of(x.fallback)->as_i64()) : "def";
    if (known == m_.params.end()) m_.params.push_back({x.key, x.kind == "threshold" ? fmt::format("threshold({},)", limit) : x.kind});
    Name n = m_.name(p_.hint(v), elem_of(p_.type(v)));
    emit(Tuned{n, number, atom(x.fallback)});
    scalar_[v] = m_.var(n);
  }

  // #[trace] and #[trace(tag)]: the value goes to the log. Of an array in a kernel each element has its line, since threads take turns.
  void trace(const ir::Stm& s, const Atom& value) {
    for (const Attr& a : s.attrs) {
      if (!a.name.starts_with("trace")) continue;
      std::string label = a.name.size() > 6 ? a.name.substr(6) : "trace";
      if (a.name.size() <= 6 && s.source.valid()) label = place_text(p_.sources[s.source.index]);
      int line = -1;
      if (in_kernel_) {
        m_.texts.push_back(label + ": ");
        line = int(m_.texts.size() - 1);
        kernel_traces_ = true;
      }
      auto text = [&](std::string t) { if (!in_kernel_) emit(Trace{std::move(t), {}}); };
      auto one = [&](ExprId x) { emit(Trace{" ", x, line}); };
      text(label + ":");
      std::vector<ExprId> at;
      auto element = [&](const std::vector<ExprId>& i) { one(load(layout(value).memory, address(layout(value), i), "x")); };
      if (array(value)) nest(shape(value), at, element);
      else if (is_scalar(p_.type(value))) one(atom(value));
      text(array(value) ? " \n" : "\n");
    }
  }
  static std::string place_text(const SourceInfo& i) {
    std::string end = i.line == i.end_line ? std::to_string(i.end_column) : fmt::format("{}:{}", i.end_line, i.end_column);
    return fmt::format("{}:{}:{}-{}", i.file, i.line, i.column, end);
  }

  static bool is_ready(const std::vector<bool>& in_place, size_t k) { return !in_place.empty() && in_place[k]; }
  ExprId load_named(Var v, const Layout& l, const std::vector<ExprId>& at) { return load(l.memory, address(l, at), p_.hint(v)); }

  int failure(const Assert& x, Source source) {
    std::string text = p_.texts[x.message.index];
    if (!text.starts_with("Error: ")) text = "Error: " + text;
    std::string places;
    int n = 0;
    for (Source at = source; at.valid(); at = p_.sources[at.index].caller) {
      places += fmt::format("\n{} #{}  {}", n == 0 ? "->" : "  ", n, place_text(p_.sources[at.index]));
      n++;
    }
    m_.texts.push_back(places.empty() ? text : text + "\n\nBacktrace:" + places);
    return int(m_.texts.size() - 1);
  }

  void for_loop(const ir::Stm& s, const ir::For& x) {
    std::vector<Name> state = enter(s, x.state, x.init);
    Name i = m_.name(p_.hint(x.i.var), Scalar::I64);
    scalar_[x.i.var] = m_.var(i);
    ExprId n = atom(x.n);
    if (!in_kernel_) find_chosen(x);
    Block b = block([&] { body(x.body, blocks_of(x.state)); next(state, x.body.result); });
    For loop{i, m_.number(0), n, std::move(b)};
    if (x.any_order) {
      bool plain = std::ranges::all_of(x.state, [&](Bind v) { return !is_block(v.var) && (!is_scalar_var(v.var) || is_float(elem_of(p_.type(v.var)))); });
      loop.scattered = gathers(x);
      size_t number = 0;
      for (size_t k = 0; k < state.size() && plain && !loop.scattered; k++) {
        if (!is_scalar_var(x.state[k].var)) continue;
        ScalarOp op = (*x.any_order)[number++];
        if (!state[k].valid()) continue;
        plain = op == ScalarOp::add || is_result_of(op, x.body, k);
        loop.reduced.push_back({state[k], op});
      }
      if (!plain) loop.reduced.clear();
    }
    emit(std::move(loop));
  }
  // Integers that a select in the loop keeps or sets and that are used for nothing else but comparisons while it runs, such as
  // the place of a minimum: whether they change is badly guessed and nobody waits for them. (A search that reads from such a
  // place gains by the guess.)
  void find_chosen(const ir::For& x) {
    for (size_t k = 0; k < x.state.size(); k++) {
      Var v = x.state[k].var;
      auto r = var_of(x.body.result[k]);
      if (!r || !is_scalar_var(v) || elem_of(p_.type(v)) != Scalar::I64 || std::ranges::count(x.body.result, Atom(v)) > 0) continue;
      bool chosen = false, other = false;
      for (const ir::Stm& s : x.body.stms) {
        auto op = std::get_if<Apply>(&s.exp);
        bool here = s.pattern.size() == 1 && s.pattern[0].var == *r;
        if (here) chosen = op && op->op == ScalarOp::select && (op->args[1] == Atom(v) || op->args[2] == Atom(v));
        if (here || (op && (op->op == ScalarOp::eq || op->op == ScalarOp::lt || op->op == ScalarOp::le))) continue;
        each_use(p_, s, [&](Var u) { other = other || u == v || u == *r; });
      }
      if (chosen && !other) chosen_.insert(*r);
    }
  }
  ExprId without_branch(ExprId cond, ExprId x, ExprId y) {
    ExprId mask = m_.prim(ScalarOp::neg, {m_.expr({Cast{cond}, Scalar::I64})});
    return m_.prim(ScalarOp::xor_, {y, m_.prim(ScalarOp::and_, {mask, m_.prim(ScalarOp::xor_, {x, y})})});
  }
  static bool is_result_of(ScalarOp op, const Body& b, size_t k) {
    for (const ir::Stm& s : b.stms)
      if (auto apply = std::get_if<Apply>(&s.exp); apply && Atom(s.pattern[0].var) == b.result[k]) return apply->op == op;
    return false;
  }
  // Whether the loop reads far more elements that do not lie beside those of the iteration before than ones that do: to bring
  // them together in vectors costs more than the vectors save.
  bool gathers(const ir::For& x) const {
    Forms forms;
    VarSet jumps;                                        // what changes by no fixed number in each iteration
    auto moves = [&](const Atom& a) {
      return const_of(a) ? std::optional<i64>(0) : stride(forms.of(a), x.i.var, [&](Var v) { return jumps.contains(v); });
    };
    int near = 0, scattered = 0;
    for (const ir::Stm& s : x.body.stms) {
      if (s.pattern.size() != 1) continue;
      Var v = s.pattern[0].var;
      forms.define(p_, s);
      if (auto op = std::get_if<Apply>(&s.exp); op && is_scalar(p_.type(v)) && !is_float(elem_of(p_.type(v)))) {
        bool fixed = std::ranges::all_of(op->args, [&](const Atom& a) { return moves(a) == 0; });
        if (!fixed && forms.of(v) == Affine(v)) jumps.insert(v);
      } else if (auto load = std::get_if<Index>(&s.exp); load && is_scalar(p_.type(v))) {
        const Lmad& l = std::get<ArrayType>(p_.type(load->array)).place->layout;
        std::optional<int64_t> sum = moves(l.offset);
        for (size_t d = 0; d < load->at.size(); d++) {
          auto by = moves(std::get<Atom>(load->at[d]));
          auto apart = const_of(l.strides[d]);
          if (by == 0) continue;
          sum = sum && by && apart ? std::optional(*sum + *by * apart->as_i64()) : std::nullopt;
        }
        if (sum == 1) near++;
        else if (sum != 0) scattered++;
        if (sum != 0) jumps.insert(v);
      }
    }
    return scattered >= 4 && scattered > 2 * near;
  }
  void while_loop(const ir::Stm& s, const ir::While& x) {
    std::vector<Name> state = enter(s, x.state, x.init);
    for (size_t k = 0; k < x.state.size(); k++) {
      Var tested = x.cond.params[k].var, v = x.state[k].var;
      if (is_block(tested)) share(block_, tested, v);
      else if (is_scalar_var(tested)) share(scalar_, tested, v);
    }
    ExprId cond;
    Block test = block([&] { body(x.cond.body, {}); cond = atom(x.cond.body.result[0]); });
    Block b = block([&] { body(x.body, blocks_of(x.state)); next(state, x.body.result); });
    emit(While{std::move(test), cond, std::move(b)});
  }
  // The map may grow, so what it holds is copied first.
  template <class T> static void share(VarMap<T>& map, Var to, Var from) {
    T held = map[from];
    map[to] = held;
  }
  // Loop state: names that the pattern shares, set to the initial values.
  std::vector<Name> enter(const ir::Stm& s, const std::vector<Bind>& state, const std::vector<Atom>& init) {
    std::vector<Name> names;
    for (size_t k = 0; k < state.size(); k++) {
      Var v = state[k].var, after = s.pattern[k].var;
      if (is_block(v)) {
        block_[v] = new_memory(v);
        share(block_, after, v);
        emit(Declare{block_[v], {}});
        emit(SetBlock{block_[v], memory(*var_of(init[k]))});
        emit(Retain{block_[v]});
        names.push_back(block_[v]);
      } else if (is_scalar_var(v)) {
        names.push_back(declare_scalar(v, atom(init[k])));
        share(scalar_, after, v);
      } else {
        names.push_back({});
      }
    }
    return names;
  }
  // The next values of the state, all at once: a value that is itself a state which changes is saved first.
  void next(const std::vector<Name>& state, std::vector<Atom> values) {
    struct Change { Name to, from_block; ExprId from; };
    std::vector<Change> changes;
    for (size_t k = 0; k < state.size(); k++) {
      if (!state[k].valid()) continue;
      if (is_block(values[k])) {
        Name from = memory(*var_of(values[k]));
        if (from != state[k]) changes.push_back({state[k], from, {}});
      } else if (ExprId e = atom(values[k]); e != m_.var(state[k])) {
        changes.push_back({state[k], {}, e});
      }
    }
    for (size_t k = 0; k < changes.size(); k++)
      for (size_t j = 0; j < k; j++) {
        Change& c = changes[k];
        if (c.from_block.valid() && c.from_block == changes[j].to) {
          NameInfo info = m_.names[c.from_block.index];
          Name saved = m_.memory("saved", info.type, info.space);
          emit(Declare{saved, {}});
          emit(SetBlock{saved, c.from_block});
          c.from_block = saved;
        } else if (!c.from_block.valid() && c.from == m_.var(changes[j].to)) {
          Name saved = m_.name("saved", m_.exprs[c.from.index].type);
          emit(Declare{saved, c.from});
          c.from = m_.var(saved);
        }
      }
    for (const Change& c : changes) {
      if (c.from_block.valid()) emit(SetBlock{c.to, c.from_block});
      else emit(Assign{c.to, c.from});
    }
  }

  void alloc(const ir::Stm& s, const ir::Alloc& x) {
    Var v = s.pattern[0].var;
    block_[v] = new_memory(v);
    auto bytes = const_of(x.bytes);
    int64_t limit = in_kernel_ ? costs::gpu::private_bytes : costs::cpu::stack_bytes;
    bool small = bytes && bytes->as_i64() <= limit && (!escaping_.contains(v) || in_kernel_) && x.space != Space::Device;
    if (small) {
      on_stack_.insert(v);
      m_.names[block_[v].index].space = Space::Private;
      emit(DeclareArray{block_[v], std::max<int64_t>(1, bytes->as_i64() / bytes_of(elem_[v].value_or(Scalar::I8)))});
      return;
    }
    CHECK(!in_kernel_, "an allocation inside a kernel was not expanded");
    emit(Alloc{block_[v], factors(x.bytes), x.speculative});
  }
  // The sizes whose product is `bytes`, so that the run time can see it overflow.
  std::vector<ExprId> factors(const Atom& bytes) {
    std::vector<ExprId> out;
    auto add = [&](auto& self, ExprId e) -> void {
      auto n = std::get_if<Name>(&m_.exprs[e.index].node);
      if (n && products_.contains(n->index)) {
        auto [a, b] = products_[n->index];
        self(self, a);
        self(self, b);
      } else {
        out.push_back(e);
      }
    };
    add(add, atom(bytes));
    return out;
  }
  std::unordered_map<uint32_t, std::pair<ExprId, ExprId>> products_;

  void data(Var v, const Data& x) {
    const DataArray& d = p_.data[x.data.index];
    Name from = m_.memory("data", d.elem, Space::Host);
    m_.data.push_back({from, &d});
    Layout to = layout(v);
    int64_t count = 1;
    for (int64_t n : d.shape) count *= n;
    if (is_device(to.memory)) { emit(Upload{to.memory, from, m_.number(count)}); return; }
    ExprId stride = m_.number(1);
    Layout source{from, m_.number(0), std::vector<ExprId>(d.shape.size(), stride)};
    for (size_t k = d.shape.size(); k-- > 0; stride = m_.mul(stride, m_.number(d.shape[k]))) source.strides[k] = stride;
    copy(to, source, shape(v));
  }

  void call(const ir::Stm& s, const ir::Call& x) {
    std::vector<ExprId> args;
    for (const Atom& a : x.args) {
      if (is_block(a)) args.push_back(m_.var(memory(*var_of(a))));
      else if (is_scalar(p_.type(a))) args.push_back(atom(a));
    }
    std::vector<Name> results;
    for (Name n : live_outs(s.pattern))
      if (n.valid()) results.push_back(n);
    returns_checked_ = true;
    CHECK(!in_kernel_, "a call inside a kernel");
    emit(Call{int(x.callee.index), std::move(args), std::move(results)});
  }

  // ---- accumulators that were kept ----

  void with_acc(const ir::Stm& s, const WithAcc& x) {
    for (size_t k = 0; k < x.dests.size(); k++) dest_[x.scope.params[k].var] = &x.dests[k];
    size_t accs = x.dests.size(), arrays = 0;
    for (const Dest& d : x.dests) arrays += d.arrays.size();
    std::vector<Bind> further(s.pattern.begin() + ptrdiff_t(arrays), s.pattern.end());
    std::vector<Name> names = live_outs(further);
    body(x.scope.body, {});
    assign(names, {x.scope.body.result.begin() + ptrdiff_t(accs), x.scope.body.result.end()});
  }

  void acc_update(const AccUpdate& x) {
    const AccType& acc = std::get<AccType>(p_.type(x.acc));
    const Dest& dest = *dest_[acc.token];
    std::optional<ExprId> inside;
    std::vector<ExprId> at = atoms(x.at);
    for (size_t d = 0; d < at.size() && !x.in_range; d++) {
      ExprId here = m_.prim(ScalarOp::and_, {m_.prim(ScalarOp::le, {m_.number(0), at[d]}), m_.prim(ScalarOp::lt, {at[d], atom(acc.space[d])})});
      inside = inside ? m_.prim(ScalarOp::and_, {*inside, here}) : here;
    }
    Block yes = block([&] { update_cells(dest, x, at); });
    if (inside) emit(If{*inside, std::move(yes), {}});
    else for (auto& inner : yes.take()) out_->push_back(std::move(*inner));
  }
  void update_cells(const Dest& dest, const AccUpdate& x, const std::vector<ExprId>& at) {
    std::vector<Layout> cells;
    for (Var v : dest.arrays) {
      Layout l = layout(v);
      cells.push_back({l.memory, address(l, at), {l.strides.begin() + ptrdiff_t(at.size()), l.strides.end()}});
    }
    std::vector<ExprId> extent = array(x.values[0]) ? shape(x.values[0]) : std::vector<ExprId>{};
    if (!dest.combine) {
      for (size_t k = 0; k < cells.size(); k++) put(cells[k], x.values[k]);
      return;
    }
    std::vector<ExprId> index;
    auto point = [&](const std::vector<ExprId>& j) {
      std::vector<ExprId> values;
      for (const Atom& v : x.values) values.push_back(array(v) ? load(layout(v).memory, address(layout(v), j), "x") : atom(v));
      combine_cell(dest, cells, j, values);
    };
    CHECK(dest.combine->shape.empty() == extent.empty(), "an operator on rows reaches an accumulator that was kept");
    nest(extent, index, point);
  }
  void combine_cell(const Dest& dest, const std::vector<Layout>& cells, const std::vector<ExprId>& j, const std::vector<ExprId>& values) {
    const Combine& c = *dest.combine;
    auto op = scalar_operator(p_, c);
    bool alone = dest.conflict == Conflict::None || (gpu_ && !in_kernel_);   // host code of a device program runs on one thread
    if (!alone && op) {
      emit(Atomic{cells[0].memory, address(cells[0], j), values[0], *op});
      return;
    }
    CHECK(alone, "no atomic form of this operator");
    size_t n = cells.size();
    for (size_t k = 0; k < n; k++) {
      scalar_[c.op.params[k].var] = load(cells[k].memory, address(cells[k], j), "old");
      scalar_[c.op.params[n + k].var] = values[k];
    }
    body(c.op.body, {});
    for (size_t k = 0; k < n; k++) store(cells[k].memory, address(cells[k], j), atom(c.op.body.result[k]));
  }

  // ---- parallel ----

  void seg(const ir::Stm& s, const Seg& x) {
    std::vector<ExprId> extent = atoms(x.extent);
    auto run = [&](const std::vector<ExprId>& at) {
      for (size_t d = 0; d < at.size(); d++) scalar_[x.index[d].var] = at[d];
      body(x.body, {});
      for (size_t k = 0; k < s.pattern.size(); k++) {
        Var v = s.pattern[k].var;
        if (array(v) && !array(x.body.result[k])) store(layout(v).memory, address(layout(v), at), atom(x.body.result[k]));
      }
    };
    if (x.level == SegLevel::Grid) {
      std::string hint = s.pattern.empty() ? "seg" : "map_" + p_.hint(s.pattern[0].var);
      for (Var v : free_vars_of_places(x)) (void)memory(v);
      return kernel(hint, extent, run);
    }
    Name first = m_.name("first", Scalar::I64), last = m_.name("last", Scalar::I64), i = m_.name(p_.hint(x.index[0].var), Scalar::I64);
    CHECK(extent.size() == 1, "a task seg over {} dimensions", extent.size());
    Block chunk = block([&] {
      Block each_one = block([&] { run({m_.var(i)}); });
      emit(For{i, m_.var(first), m_.var(last), std::move(each_one)});
    });
    emit(ParallelFor{first, last, extent[0], std::move(chunk), m_.sites++});
  }
  // Constants must be loaded on the host before the kernel that uses them.
  std::vector<Var> free_vars_of_places(const Seg& x) {
    std::vector<Var> out;
    each_use(p_, x, [&](Var v) {
      if (is_constant_.contains(v) && is_scalar(p_.type(v))) (void)constant(v);
      if (auto a = array(v); a && a->place && is_constant_.contains(a->place->block)) out.push_back(a->place->block);
    });
    return out;
  }

  // ---- functions ----

  HostFunction declare(const Function& f) {
    HostFunction h;
    h.name = "f_" + f.name;
    for (Bind b : f.lambda.params) {
      if (is_block(b.var)) {
        block_[b.var] = new_memory(b.var);
        h.params.push_back(block_[b.var]);
      } else if (is_scalar_var(b.var)) {
        Name n = m_.name(p_.hint(b.var), elem_of(p_.type(b.var)));
        scalar_[b.var] = m_.var(n);
        h.params.push_back(n);
      }
    }
    for (const Atom& a : f.lambda.body.result) {
      if (is_block(a)) h.results.push_back(m_.memory("out", elem_[*var_of(a)].value_or(Scalar::I8), gpu_ ? Space::Device : Space::Host));
      else if (is_scalar(p_.type(a))) h.results.push_back(m_.name("out", elem_of(p_.type(a))));
    }
    return h;
  }

  void function(size_t k) {
    const Body& b = p_.functions[k].lambda.body;
    function_ = int(k);
    Block prologue;
    prologue_ = &prologue;
    Block code = block([&] {
      body(b, {});
      std::vector<ExprId> values;
      for (const Atom& a : b.result) {
        if (is_block(a)) values.push_back(m_.var(memory(*var_of(a))));
        else if (is_scalar(p_.type(a))) values.push_back(atom(a));
      }
      emit(Return{std::move(values)});
    });
    for (auto& s : code.take()) prologue.push_back(std::move(*s));
    m_.functions[k].body = std::move(prologue);
  }

  // Top-level values: fields that the last function fills.
  void constants() {
    HostFunction h;
    h.name = "constants";
    function_ = int(p_.functions.size());
    Block prologue;
    prologue_ = &prologue;
    std::vector<std::pair<Name, Var>> fields;
    h.body = block([&] {
      body(p_.constants, {}, true);
      for (const ir::Stm& s : p_.constants.stms)
        for (Bind b : s.pattern) {
          if (!is_block(b.var) && !is_scalar_var(b.var)) continue;
          Name field = is_block(b.var) ? new_memory(b.var) : m_.name(p_.hint(b.var), elem_of(p_.type(b.var)));
          m_.names[field.index].constant = true;
          m_.constants.push_back(field);
          field_[b.var] = field;
          is_constant_.insert(b.var);
          if (is_block(b.var)) emit(SetBlock{field, block_[b.var]});
          else emit(Assign{field, scalar_[b.var]});
        }
      emit(Return{{}});
    });
    m_.functions.push_back(std::move(h));
  }
};

}  // namespace

Module from_core(const Program& program, Target target) { return FromCore(program, target).run(); }

}  // namespace raido::kir
