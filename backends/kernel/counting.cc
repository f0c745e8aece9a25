// counting.cc - operations of blocks of code by a walk over distinct expressions; what steers by the names that conditions, bounds and
// indices depend on.
#include "backends/kernel/counting.h"
#include "backends/kernel/walk.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "compiler/base/match.h"
#include "compiler/base/text.h"

namespace raido::kir {
namespace {

// f(bodies) of a statement.
template <class F> void each_body(const Stm& s, F f) {
  match(s.node, [&](const For& x) { f(x.body); }, [&](const While& x) { f(x.test); f(x.body); }, [&](const If& x) { f(x.then_); f(x.else_); },
        [&](const Guarded& x) { f(x.body); }, [&](const Swap& x) { f(x.body); }, [&](const Locked& x) { f(x.body); },
        [&](const ParallelFor& x) { f(x.body); }, [&](const VectorScan& x) { f(x.one_by_one); }, [](const auto&) {});   // others have no bodies
}

// f(e) for what a statement computes itself; not a condition of While, which belongs to its test.
template <class F> void each_expr(const Stm& s, F f) {
  auto all = [&](const std::vector<ExprId>& es) { for (ExprId e : es) f(e); };
  match(s.node,
    [&](const Declare& x) { if (x.init) f(*x.init); }, [&](const Assign& x) { f(x.value); },
    [&](const Store& x) { f(x.index); f(x.value); }, [&](const Atomic& x) { f(x.index); f(x.value); },
    [&](const Swap& x) { f(x.index); f(x.now); }, [&](const Locked& x) { f(x.place); all(x.at); }, [&](const Own& x) { f(x.at); },
    [&](const UpdateShape& x) { f(x.points); for (const Copies& c : x.copies) f(c.cells); },
    [&](const For& x) { f(x.from); f(x.to); if (x.group) f(x.group->when); }, [&](const If& x) { f(x.cond); },
    [&](const Fail& x) { all(x.args); }, [&](const Call& x) { all(x.args); }, [&](const Return& x) { all(x.values); },
    [&](const Trace& x) { if (x.value) f(*x.value); }, [&](const Tuned& x) { f(x.fallback); }, [&](const Alloc& x) { all(x.factors); },
    [&](const ReadBack& x) { f(x.index); }, [&](const WriteOut& x) { f(x.index); f(x.value); }, [&](const Upload& x) { f(x.count); },
    [&](const CopyMemory& x) { all({x.to_at, x.from_at, x.count}); }, [&](const Launch& x) { all(x.args); f(x.threads); if (x.shared) f(*x.shared); },
    [&](const Transpose& x) { all({x.to_at, x.to_row, x.from_at, x.from_row, x.rows, x.columns, x.first, x.last}); },
    [&](const LastBlock& x) { f(x.at); f(x.count); }, [&](const NextTile& x) { f(x.tiles); },
    [&](const Publish& x) { all({x.tile, x.launch, x.reached}); }, [&](const LookBack& x) { all({x.launch, x.end}); },
    [&](const TileShape& x) { f(x.points); f(x.items); }, [&](const Shape& x) { f(x.rows); f(x.parts); }, [&](const Tickets& x) { f(x.count); },
    [&](const ParallelFor& x) { f(x.n); }, [&](const DeclareArray& x) { all(x.counts); },
    [&](const DeclareVectors& x) { all({x.lanes, x.rows, x.columns}); }, [&](const MoveVector& x) { all({x.row, x.column, x.at}); },
    [&](const LoadVector& x) { all({x.to_at, x.from_at}); }, [&](const MultiplyTiles& x) { all({x.first_row, x.count}); },
    [&](const TilePlaces& x) { f(x.first_row); }, [&](const Settle& x) { f(x.index); },
    [&](const VectorScan& x) { all(x.from_at); all(x.to_at); f(x.count); },
    [](const auto&) {});   // others compute nothing
}

// The kind of an operation; empty if it is none of the machine.
std::string kind_of(ScalarOp op, Scalar at) {
  using enum ScalarOp;
  if (op == to_bits || op == from_bits) return "";
  std::string type = at == Scalar::F64 ? "f64" : is_float(at) ? "f32" : bytes_of(at) == 8 ? "i64" : "i32";
  auto is = [&](std::initializer_list<ScalarOp> ops) { return std::ranges::find(ops, op) != ops.end(); };
  if (is({mul, mul_hi, mad_hi})) return type + "_mul";
  if (is({div, quot, rem, mod})) return type + "_div";
  if (is({fma, lerp})) return type + "_fma";
  if (is({add, sub, neg, abs, sgn, min, max, eq, ne, lt, le, select, and_, or_, xor_, not_, shl, shr, lshr, popc, clz, ctz, copysign, floor, ceil,
          trunc, round, isnan, isinf}))
    return type + "_add";
  return is_float(at) ? type + "_special" : type + "_div";
}

class Operations {
 public:
  Operations(const Module& m, const Around& around) : m_(m), around_(around) {}
  std::map<std::string, int> count;

  void block(const Block& b, const std::vector<ExprId>& with) {
    for (const Stm& s : b) {
      if (auto d = std::get_if<Declare>(&s.node); d && d->init) value_[d->var] = *d->init;
      each_expr(s, [&](ExprId e) { use(e); });
      if (auto a = std::get_if<Atomic>(&s.node)) count[kind_of(a->op, m_.names[a->memory.index].type)]++;
      if (std::holds_alternative<MultiplyTiles>(s.node)) count["f64_tensor"] += tensor::sums * tensor::depth;
    }
    for (ExprId e : with) use(e);
    for (ExprId e : found_) if (!around_.is_free(e)) one(e);
    found_.clear();
    for (const Stm& s : b) {
      if (auto x = std::get_if<For>(&s.node); x && !x->unrolled) before(around_.inside(*x), x->body);
      if (auto x = std::get_if<While>(&s.node)) {
        Around inside = around_.inside(*x);
        left(inside, x->cond);
        before(inside, x->test);
        before(inside, x->body);
      }
    }
    for (ExprId e : found_) one(e);
  }

 private:
  const Module& m_;
  const Around& around_;
  std::unordered_map<Name, ExprId> value_;
  std::unordered_map<ExprId, int> uses_;
  std::vector<ExprId> found_;

  ExprId of(ExprId e) const {                       // what a name of this block stands for
    auto n = std::get_if<Name>(&m_.exprs[e.index].node);
    return n && value_.contains(*n) ? value_.at(*n) : e;
  }
  void use(ExprId e) {
    if (ExprId known = of(e); known != e) { uses_[known]++; return; }
    if (uses_[e]++ > 0) return;
    found_.push_back(e);
    each_operand(m_, e, [&](ExprId a) { use(a); });
  }
  // What is computed before a loop: it does not change inside, and does in the loop around it.
  void left(const Around& inside, ExprId e) {
    if (inside.is_still(e) && !around_.is_still(e)) return use(e);
    each_operand(m_, e, [&](ExprId a) { left(inside, a); });
  }
  void before(const Around& inside, const Block& b) {
    for (const Stm& s : b) {
      each_expr(s, [&](ExprId e) { left(inside, e); });
      if (auto x = std::get_if<While>(&s.node)) left(inside, x->cond);
      each_body(s, [&](const Block& inner) { before(inside, inner); });
    }
  }
  const Prim* product(ExprId e, Scalar at) const {  // that nothing else uses
    auto p = std::get_if<Prim>(&m_.exprs[of(e).index].node);
    return p && p->op == ScalarOp::mul && p->at == at && uses_.at(of(e)) <= (of(e) == e ? 1 : 2) ? p : nullptr;
  }
  // Products and quotients with powers of two are shifts; other quotients by constants are products.
  std::string of_constant(const Prim& p, const std::string& kind) const {
    const auto left = m_.const_of(p.args[0]), right = m_.const_of(p.args[1]), c = right ? right : p.op == ScalarOp::mul ? left : std::nullopt;
    if (!c || c->as_i64() <= 0 || !(kind.ends_with("_mul") || kind.ends_with("_div"))) return kind;
    std::string type = kind.substr(0, kind.size() - 3);
    return std::has_single_bit(uint64_t(c->as_i64())) ? type + "add" : type + "mul";
  }
  void one(ExprId e) {
    const Expr& x = m_.exprs[e.index];
    if (std::holds_alternative<Cast>(x.node)) count["convert"]++;
    auto p = std::get_if<Prim>(&x.node);
    if (!p) return;
    std::string kind = kind_of(p->op, p->at);
    if (is_integer(p->at) && p->args.size() == 2) kind = of_constant(*p, kind);
    bool sum = p->op == ScalarOp::add || p->op == ScalarOp::sub;
    if (sum && is_float(p->at) && std::ranges::any_of(p->args, [&](ExprId a) { return product(a, p->at); })) {
      kind = (p->at == Scalar::F64 ? "f64" : "f32") + std::string("_fma");
      count[(p->at == Scalar::F64 ? "f64" : "f32") + std::string("_mul")]--;      // counted with the sum
    }
    if (!kind.empty()) count[kind]++;
  }
};

// Names, memory included, that control depends on.
class Steering {
 public:
  explicit Steering(const Module& m) : m_(m) {}
  IdSet<Name> names;

  // `given`: what goes to others steers, too (host code).
  void block(const Block& b, bool given, bool returned) {
    for (size_t before = size_t(-1); before != found_;) {
      before = found_;
      sweep(b, given, returned);
    }
  }

 private:
  const Module& m_;
  size_t found_ = 0;

  void add(Name n) {
    if (names.contains(n)) return;
    names.insert(n);
    found_++;
  }
  void all(ExprId e) {
    each_name(m_, e, [&](Name n) { add(n); });
  }
  void places(ExprId e) {                           // the indices of loads in an expression
    if (auto l = std::get_if<Load>(&m_.exprs[e.index].node)) return all(l->index);
    each_operand(m_, e, [&](ExprId a) { places(a); });
  }
  void sweep(const Block& b, bool given, bool returned) {
    for (const Stm& s : b) {
      each_expr(s, [&](ExprId e) { places(e); });
      match(s.node,
        [&](const Declare& x) { if (x.init && names.contains(x.var)) all(*x.init); },
        [&](const Assign& x) { if (names.contains(x.var)) all(x.value); },
        [&](const Store& x) { all(x.index); if (given || names.contains(x.memory)) all(x.value); },
        [&](const Atomic& x) { all(x.index); if (given || names.contains(x.memory)) all(x.value); },
        [&](const Swap& x) { all(x.index); if (given || names.contains(x.memory)) all(x.now); },
        [&](const FromConstants& x) { if (names.contains(x.var)) add(x.field); },
        [&](const Return& x) { if (returned) for (ExprId e : x.values) all(e); },
        [&](const While& x) { all(x.cond); },
        [&](const LoadVector& x) {
          all(x.to_at);
          all(x.from_at);
          if (names.contains(x.to)) add(x.from);
        },
        [&](const MultiplyTiles& x) {
          all(x.first_row);
          all(x.count);
          if (names.contains(x.sums)) add(x.rows), add(x.columns);
        },
        [&](const LastBlock& x) { all(x.at); all(x.count); },   // where blocks are left out, none is the last
        [&](const auto&) { each_expr(s, [&](ExprId e) { all(e); }); });
      each_body(s, [&](const Block& inner) { sweep(inner, given, returned); });
    }
  }
};

void find_uses(const Module& m, const Block& b, IdSet<Name>& read, IdSet<Name>& written) {
  auto both = [&](Name n) { read.insert(n); written.insert(n); };
  auto loads = [&](ExprId e) {
    any_part(m, e, [&](ExprId part) {
      if (auto l = std::get_if<Load>(&m.exprs[part.index].node)) read.insert(l->memory);
      return false;
    });
  };
  for (const Stm& s : b) {
    each_expr(s, [&](ExprId e) { loads(e); });
    if (auto x = std::get_if<While>(&s.node)) loads(x->cond);
    match(s.node, [&](const NextTile& x) { both(x.states); }, [&](const Publish& x) { both(x.states); }, [&](const LookBack& x) { both(x.states); },
          [&](const LastBlock& x) { both(x.tickets); }, [](const auto&) {});   // others use no memory that orders blocks
    if (auto x = std::get_if<Store>(&s.node)) written.insert(x->memory);
    if (auto x = std::get_if<LoadVector>(&s.node)) read.insert(x->from);
    if (auto x = std::get_if<MultiplyTiles>(&s.node)) read.insert(x->rows), read.insert(x->columns);
    if (auto x = std::get_if<Atomic>(&s.node)) both(x->memory);
    if (auto x = std::get_if<Swap>(&s.node)) both(x->memory);
    if (auto x = std::get_if<Locked>(&s.node)) both(x->locks);
    each_body(s, [&](const Block& inner) { find_uses(m, inner, read, written); });
  }
}

bool calls(const Block& b, int function) {
  bool found = false;
  for (const Stm& s : b) {
    if (auto c = std::get_if<Call>(&s.node)) found |= c->function == function;
    each_body(s, [&](const Block& inner) { found |= calls(inner, function); });
  }
  return found;
}
void find_reads(const Block& b, std::vector<Name>& found) {
  for (const Stm& s : b) {
    if (auto r = std::get_if<ReadBack>(&s.node)) found.push_back(r->var);
    each_body(s, [&](const Block& inner) { find_reads(inner, found); });
  }
}

}  // namespace

Around Around::inside(const For& loop) const {
  Around a = *this;
  if (!loop.unrolled) a.enter({}, loop.body);
  if (loop.unrolled && !written_out_) {
    a.written_out_ = true;
    a.counters_.insert(loop.i);
    a.note(loop.body);
  }
  return a;
}
Around Around::inside(const While& loop) const {
  Around a = *this;
  a.enter(loop.test, loop.body);
  return a;
}
void Around::enter(const Block& test, const Block& body) {
  IdSet<Name> assigned;
  auto find = [&](auto& self, const Block& b) -> void {
    for (const Stm& s : b) {
      if (auto x = std::get_if<Assign>(&s.node)) assigned.insert(x->var);
      each_body(s, [&](const Block& inner) { self(self, inner); });
    }
  };
  loops_ = true;
  still_ = {};
  for (const Block* b : {&test, &body}) find(find, *b);
  for (const Block* b : {&test, &body}) for (Name n : free_names(*m_, *b)) if (!assigned.contains(n)) still_.insert(n);
  for (const Block* b : {&test, &body}) keep(*b, assigned);
}
// Adds what is declared inside and does not change either.
void Around::keep(const Block& b, const IdSet<Name>& assigned) {
  for (const Stm& s : b) {
    if (auto loop = std::get_if<For>(&s.node); loop && loop->unrolled) still_.insert(loop->i);
    if (auto d = std::get_if<Declare>(&s.node); d && d->init && !assigned.contains(d->var) && is_still(*d->init)) still_.insert(d->var);
    each_body(s, [&](const Block& inner) { keep(inner, assigned); });
  }
}
bool Around::is_still(ExprId e) const {
  if (!loops_) return false;
  return !any_part(*m_, e, [&](ExprId part) {
    auto n = std::get_if<Name>(&m_->exprs[part.index].node);
    return n ? !still_.contains(*n) : std::holds_alternative<Load>(m_->exprs[part.index].node);
  });
}
void Around::note(const Block& b) {
  for (const Stm& s : b) {
    auto d = std::get_if<Declare>(&s.node);
    auto loop = std::get_if<For>(&s.node);
    if (loop) (loop->unrolled ? counters_ : computed_).insert(loop->i);
    if (d && d->init && is_constant(*d->init)) counters_.insert(d->var);
    else if (d && !(d->init && is_folded(*d->init))) computed_.insert(d->var);
    each_body(s, [&](const Block& inner) { note(inner); });
  }
}
bool Around::is_constant(ExprId e) const {
  return match(m_->exprs[e.index].node, [](const Const&) { return true; }, [&](const Name& n) { return counters_.contains(n); },
               [](const Hardware& h) { return h.what == Builtin::BlockSize || h.what == Builtin::Items; },
               [&](const Prim& p) { return std::ranges::all_of(p.args, [&](ExprId a) { return is_constant(a); }); }, [](const auto&) { return false; });   // others are not known before
}
bool Around::is_folded(ExprId e) const {
  if (!written_out_) return false;
  auto p = std::get_if<Prim>(&m_->exprs[e.index].node);
  if (!p) return match(m_->exprs[e.index].node, [](const Const&) { return true; }, [&](const Name& n) { return !computed_.contains(n); }, [](const auto&) { return false; });
  using enum ScalarOp;
  bool moves = is_integer(p->at) && (p->op == add || p->op == sub || p->op == mul);
  return is_constant(e) || (moves && std::ranges::all_of(p->args, [&](ExprId a) { return is_folded(a); }));
}

std::string operations_of(const Module& m, const Block& b, const Around& around, const std::vector<ExprId>& with, int more) {
  Operations o(m, around);
  o.block(b, with);
  if (more > 0) o.count["i64_add"] += more;
  std::vector<std::string> words;
  for (auto& [kind, n] : o.count) if (n > 0) words.push_back(fmt::format("OP({}, {})", kind, n));
  return words.empty() ? "0" : join(words, ", ");
}

std::string uses_of_parameters(const Module& m, const Kernel& k) {
  Steering steering(m);
  steering.block(k.body, false, false);
  IdSet<Name> read, written;
  find_uses(m, k.body, read, written);
  std::string uses;
  for (Name n : k.params) {
    char c = !m.names[n.index].memory ? '-' : read.contains(n) && written.contains(n) ? 'b' : written.contains(n) ? 'w' : read.contains(n) ? 'r' : 'n';
    uses += steering.names.contains(n) && c != '-' && c != 'n' ? char(toupper(c)) : c;
  }
  if (k.traces) uses += 'T';
  return uses;
}

bool is_steered_by_memory(const Module& m, const Kernel& k) {
  Steering steering(m);
  steering.block(k.body, false, false);
  return std::ranges::any_of(free_names(m, k.body), [&](Name n) { return m.names[n.index].memory && steering.names.contains(n); });
}

IdSet<Name> results_only(const Module& m, const HostFunction& f) {
  int number = int(&f - m.functions.data());
  bool called = std::ranges::any_of(m.functions, [&](const HostFunction& g) { return calls(g.body, number); });
  Steering steering(m);
  steering.block(f.body, true, called);
  std::vector<Name> reads;
  IdSet<Name> only;
  find_reads(f.body, reads);
  for (Name n : reads) if (!steering.names.contains(n)) only.insert(n);
  return only;
}

}  // namespace raido::kir
