// kernel.cc - names, hash-consed expressions, free names.
#include "backends/kernel/kernel.h"
#include "backends/kernel/walk.h"

#include <algorithm>
#include <bit>

#include "compiler/base/match.h"

namespace raido::kir {

std::string word_of_c(std::string_view hint) {
  std::string text;
  for (char c : hint) text += isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}
std::string Module::unique(std::string_view hint) {
  std::string text = word_of_c(hint);
  if (text.empty() || isdigit(static_cast<unsigned char>(text[0]))) text = "x" + text;
  return text + "_" + std::to_string(used_[text]++);
}
Name Module::name(std::string_view hint, Scalar type) {
  names.push_back({unique(hint), type, false, false, ir::Space::Host});
  return {uint32_t(names.size() - 1)};
}
Name Module::memory(std::string_view hint, Scalar elem, ir::Space space) {
  names.push_back({unique(hint), elem, true, false, space});
  return {uint32_t(names.size() - 1)};
}

namespace {

size_t mix(size_t h, size_t x) { return (h ^ x) * size_t{0x9E3779B97F4A7C15} + (h >> 29); }

size_t hash_of(const Expr& e) {
  return match(e.node,
    [&](const Const& c) { return mix(mix(1, size_t(c.type)), c.bits); },
    [&](const Name& n) { return mix(2, n.index); },
    [&](const Prim& p) {
      size_t h = mix(mix(3, size_t(p.op)), size_t(p.at));
      for (ExprId a : p.args) h = mix(h, a.index);
      return h;
    },
    [&](const Cast& c) { return mix(mix(4, size_t(e.type)), c.value.index); },
    [&](const Load& l) { return mix(mix(5, l.memory.index), l.index.index); },
    [&](const Hardware& h) { return mix(mix(6, size_t(h.what)), size_t(h.bytes)); });
}
bool equal(const Expr& a, const Expr& b) {
  if (a.type != b.type || a.node.index() != b.node.index()) return false;
  return match(a.node,
    [&](const Const& c) { return c == std::get<Const>(b.node); },
    [&](const Name& n) { return n == std::get<Name>(b.node); },
    [&](const Prim& p) { const Prim& q = std::get<Prim>(b.node); return p.op == q.op && p.at == q.at && p.args == q.args; },
    [&](const Cast& c) { return c.value == std::get<Cast>(b.node).value; },
    [&](const Load&) { return false; },
    [&](const Hardware& h) { const Hardware& g = std::get<Hardware>(b.node); return h.what == g.what && h.bytes == g.bytes; });
}

}  // namespace

ExprId Module::expr(Expr e) {
  size_t h = hash_of(e);
  auto [at, end] = known_.equal_range(h);
  for (; at != end; ++at)
    if (equal(exprs[at->second.index], e)) return at->second;
  exprs.push_back(std::move(e));
  ExprId id{uint32_t(exprs.size() - 1)};
  known_.emplace(h, id);
  return id;
}

ExprId Module::prim(ScalarOp op, std::vector<ExprId> args) {
  Scalar first = exprs[args[0].index].type, second = args.size() > 1 ? exprs[args[1].index].type : first;
  Scalar at = working_type(op, first, second);
  std::vector<Const> consts;
  for (ExprId a : args)
    if (auto c = const_of(a)) consts.push_back(*c);
  if (consts.size() == args.size()) return constant(fold(op, at, consts));
  // Reads that a pass found to be one: C compilers warn of such a comparison.
  bool holds = op == ScalarOp::eq || op == ScalarOp::le;
  if ((holds || op == ScalarOp::ne || op == ScalarOp::lt) && args[0] == args[1] && !is_float(at)) return constant(bool_const(holds));
  if (at == Scalar::I64 && (op == ScalarOp::add || op == ScalarOp::mul)) {
    bool sum = op == ScalarOp::add;
    for (size_t k : {0, 1})
      if (auto c = const_of(args[k])) {
        if (c->as_i64() == (sum ? 0 : 1)) return args[1 - k];
        if (!sum && c->as_i64() == 0) return number(0);
      }
  }
  if (is_signed(at) && (op == ScalarOp::div || op == ScalarOp::mod))   // rounding is downwards: a shift and a mask
    if (auto c = const_of(args[1]); c && c->as_i64() > 0 && (c->as_i64() & (c->as_i64() - 1)) == 0) {
      int64_t n = c->as_i64();
      if (op == ScalarOp::mod) return prim(ScalarOp::and_, {args[0], constant(integer_constant(at, n - 1))});
      return prim(ScalarOp::shr, {args[0], constant(integer_constant(at, std::countr_zero(uint64_t(n))))});
    }
  Scalar result = result_type(op, at);
  return expr({Prim{op, at, std::move(args)}, result});
}

namespace {

class FreeNames {
 public:
  FreeNames(const Module& m, bool declared) : m_(m), declared_(declared) {}
  std::vector<Name> found;

  void block(const Block& b) { for (const Stm& s : b) stm(s); }
  void stm(const Stm& s) {
    match(s.node,
      [&](const Declare& x) { if (x.init) use(*x.init); bound(x.var); },
      [&](const DeclareArray& x) { use(x.counts); bound(x.var); },
      [&](const Assign& x) { use(x.value); use(x.var); },
      [&](const Store& x) { use(x.memory); use(x.index); use(x.value); },
      [&](const Atomic& x) { use(x.memory); use(x.index); use(x.value); },
      [&](const Swap& x) { use(x.memory); use(x.index); bound(x.old); block(x.body); use(x.now); },
      [&](const Locked& x) { use(x.locks); use(x.place); use(x.at); for (Name n : x.memories) use(n); block(x.body); },
      [&](const Locks& x) { bound(x.memory); },
      [&](const For& x) { use(x.from); use(x.to); if (x.group) use(x.group->when); bound(x.i); block(x.body); },
      [&](const While& x) { block(x.test); use(x.cond); block(x.body); },
      [&](const If& x) { use(x.cond); block(x.then_); block(x.else_); },
      [&](const Fail& x) { use(x.args); },
      [&](const Call& x) { use(x.args); for (Name n : x.results) use(n); },
      [&](const Return& x) { use(x.values); },
      [&](const Trace& x) { if (x.value) use(*x.value); },
      [&](const FromConstants& x) { bound(x.var); },
      [&](const Tuned& x) { use(x.fallback); bound(x.var); },
      [&](const Threads& x) { bound(x.var); },
      [&](const DeclareShared& x) { bound(x.var); },
      [&](const Own& x) { use(x.at); bound(x.var); },
      [](const Barrier&) {},
      [](const Mark&) {},
      [&](const LastBlock& x) { use(x.tickets); use(x.at); use(x.count); bound(x.var); },
      [&](const NextTile& x) { use(x.states); use(x.tiles); bound(x.var); },
      [&](const Publish& x) { use(x.states); use({x.tile, x.launch, x.reached}); },
      [&](const LookBack& x) { use(x.states); use({x.launch, x.end}); bound(x.first); bound(x.reached); },
      [&](const Guarded& x) { block(x.body); },
      [&](const Unfailed& x) { bound(x.var); },
      [&](const Alloc& x) { use(x.factors); bound(x.block); },
      [&](const Retain& x) { use(x.block); },
      [&](const Release& x) { use(x.block); },
      [&](const SetBlock& x) { use(x.from); use(x.block); },
      [&](const ReadBack& x) { use(x.memory); use(x.index); bound(x.var); },
      [&](const WriteOut& x) { use(x.memory); use(x.index); use(x.value); },
      [&](const Upload& x) { use(x.memory); use(x.count); },
      [&](const CopyMemory& x) { use(x.to); use(x.to_at); use(x.from); use(x.from_at); use(x.count); },
      [&](const Shape& x) { use(x.rows); use(x.parts); for (Name n : {x.lanes, x.blocks, x.threads, x.finish}) bound(n); },
      [&](const UpdateShape& x) {
        use(x.points);
        for (const Copies& c : x.copies) { use(c.cells); bound(c.at); bound(c.count); }
        for (Name n : {x.threads, x.shared}) bound(n);
      },
      [&](const Tickets& x) { use(x.count); bound(x.memory); },
      [&](const TileShape& x) { use(x.points); use(x.items); for (Name n : {x.tiles, x.together, x.apart, x.one, x.launch, x.states}) bound(n); },
      [&](const Transpose& x) {
        use(x.to);
        use(x.from);
        for (ExprId e : {x.to_at, x.to_row, x.from_at, x.from_row, x.rows, x.columns, x.first, x.last}) use(e);
      },
      [&](const Launch& x) { use(x.args); use(x.threads); if (x.shared) use(*x.shared); },
      [&](const DeclareVectors& x) { for (ExprId e : {x.lanes, x.rows, x.columns}) use(e); bound(x.var); },
      [&](const LoadVector& x) { use(x.to); use(x.from); use({x.to_at, x.from_at}); },
      [&](const MultiplyTiles& x) { for (Name n : {x.sums, x.rows, x.columns, x.places}) use(n); use({x.first_row, x.count}); },
      [&](const TilePlaces& x) { bound(x.places); use(x.first_row); }, [&](const Settle& x) { use(x.array); use(x.index); },
      [&](const MoveVector& x) { use(x.vectors); use(x.row); use(x.column); use(x.array); use(x.at); },
      [&](const VectorScan& x) {
        for (const auto* names : {&x.reached, &x.from, &x.to}) for (Name n : *names) if (n.valid()) use(n);
        for (const auto* exprs : {&x.from_at, &x.to_at}) use(*exprs);
        use(x.count);
        for (const auto* names : {&x.left, &x.right}) for (Name n : *names) bound(n);
        block(x.body);
        use(x.results);
        block(x.one_by_one);
      },
      [&](const ParallelFor& x) { use(x.n); bound(x.first); bound(x.last); block(x.body); });
  }

 private:
  const Module& m_;
  const bool declared_;                                    // names that the block declares, too
  IdSet<Name> seen_;

  void bound(Name n) { if (!declared_) seen_.insert(n); }
  void use(Name n) {
    if (seen_.contains(n)) return;
    seen_.insert(n);
    found.push_back(n);
  }
  void use(ExprId e) {
    each_name(m_, e, [&](Name n) { use(n); });
  }
  void use(const std::vector<ExprId>& es) { for (ExprId e : es) use(e); }
};

}  // namespace

std::vector<Name> free_names(const Module& m, const Block& b) {
  FreeNames f(m, false);
  f.block(b);
  return std::move(f.found);
}
std::vector<Name> used_names(const Module& m, const Block& b) {
  FreeNames f(m, true);
  f.block(b);
  return std::move(f.found);
}
std::vector<Name> used_names(const Module& m, const Stm& s) {
  FreeNames f(m, true);
  f.stm(s);
  return std::move(f.found);
}

bool may_keep(const Module& m, const Block& b, Name memory) {
  auto is = [&](ExprId e) {
    const Name* n = std::get_if<Name>(&m.exprs[e.index].node);
    return n && *n == memory;
  };
  auto any = [&](const std::vector<ExprId>& es) { return std::ranges::any_of(es, is); };
  auto inside = [&](const Block& inner) { return may_keep(m, inner, memory); };
  for (const Stm& s : b) {
    bool keeps = match(s.node,
        [&](const Declare& x) { return x.init && is(*x.init); },
        [&](const Assign& x) { return is(x.value); },
        [&](const For& x) { return inside(x.body); },
        [&](const While& x) { return inside(x.test) || inside(x.body); },
        [&](const If& x) { return inside(x.then_) || inside(x.else_); },
        [&](const Guarded& x) { return inside(x.body); },
        [&](const Swap& x) { return inside(x.body); },
        [&](const Locked& x) { return inside(x.body); },
        [&](const ParallelFor& x) { return inside(x.body); },
        [&](const Call& x) { return any(x.args); },
        [&](const Return& x) { return any(x.values); },
        [&](const Retain& x) { return x.block == memory; },
        [&](const SetBlock& x) { return x.from == memory; },
        [](const auto&) { return false; });
    if (keeps) return true;
  }
  return false;
}

}  // namespace raido::kir
