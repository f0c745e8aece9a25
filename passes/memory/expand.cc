// expand.cc - arrays of one device thread that are not small and constant: one block for all threads.
//
//   seg map grid (i < n) { let b = alloc private s; .. xs @ b + o {t} .. }
//   ==>
//   let size = s * n, b = alloc device size
//   seg map grid (i < n) { .. xs @ b + (o * n + i) {t * n} .. }
//
// Neighbouring threads use neighbouring elements. Where the size differs between threads, each has as much as the largest can
// need. That follows from sums, products, minima, remainders and choices of what the nest bounds (most). Else it is refused.
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/costs.h"
#include "compiler/ir/layout.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {


class Expand {
 public:
  Expand(Program& p, PassContext& c) : p_(p), c_(c), sizes_(p) {}

  void run() {
    open(p_.constants, {});
    for (Function& f : p_.functions) body(f.lambda.body, f.lambda.params);
    sizes_.close();
  }

 private:
  Program& p_;
  PassContext& c_;
  Sizes sizes_;
  struct Expanded { Atom threads, id; };
  std::unordered_map<Var, Expanded> expanded_;
  std::unordered_set<Var> of_while_;          // what `while` loops count, and sizes made of it
  const Seg* seg_ = nullptr;
  List<Stm>* host_ = nullptr;               // where the seg's statement will stand
  Expanded here_;
  std::unordered_map<Var, Apply> made_;     // numbers of the seg at hand: by an operation, one of two, counted up to a limit
  std::unordered_map<Var, std::pair<Atom, Atom>> chosen_;
  std::unordered_map<Var, Atom> counted_;
  std::unordered_map<Var, std::optional<Atom>> most_;

  void body(Body& b, const std::vector<Bind>& binds) {
    open(b, binds);
    sizes_.close();
  }

  // Leaves the body open.
  void open(Body& b, const std::vector<Bind>& binds) {
    List<Stm> old = std::exchange(b.stms, {});
    sizes_.open(b.stms);
    for (Bind v : binds) { place(v.var); sizes_.bound(v.var); }
    for (auto& s : old.take()) statement(b.stms, std::move(*s));
  }

  // The place of an array in an expanded block.
  void place(Var v) {
    auto a = std::get_if<ArrayType>(&p_.type(v));
    if (!a || !a->place) return;
    auto e = expanded_.find(a->place->block);
    if (e == expanded_.end()) return;
    Lmad l = a->place->layout;
    l.offset = sizes_.add(sizes_.mul(l.offset, e->second.threads), e->second.id);
    for (Atom& s : l.strides) s = sizes_.mul(s, e->second.threads);
    std::get<ArrayType>(p_.vars[v.index].type).place->layout = std::move(l);
  }

  void statement(List<Stm>& out, Stm s) {
    if (auto x = std::get_if<Alloc>(&s.exp); x && seg_ && x->space == Space::Private && grow(s, *x)) return;
    for (Bind v : s.pattern) place(v.var);
    if (count_of_while(s.exp)) for (Bind v : s.pattern) of_while_.insert(v.var);
    match(s.exp,
      [&](If& x) { body(x.then_, {}); body(x.else_, {}); },
      [&](For& x) {
        std::vector<Bind> binds = x.state;
        binds.insert(binds.begin(), x.i);
        body(x.body, binds);
      },
      [&](While& x) { body(x.cond.body, x.cond.params); body(x.body, x.state); },
      [&](WithAcc& x) { body(x.scope.body, x.scope.params); },
      [&](Seg& x) { seg(out, x); },
      [](auto&) {});   // nothing else has bodies at this level
    for (Bind v : s.pattern) sizes_.bound(v.var);
    out.push_back(std::move(s));
  }

  // What a `while` loop counts, and sizes made of it.
  bool count_of_while(const Exp& e) const {
    if (std::holds_alternative<While>(e)) return true;
    auto apply = std::get_if<Apply>(&e);
    return apply && std::any_of(apply->args.begin(), apply->args.end(), [&](const Atom& a) { auto v = var_of(a); return v && of_while_.contains(*v); });
  }

  void seg(List<Stm>& out, Seg& x) {
    if (x.level == SegLevel::Tile) return;     // it has numbers only
    if (seg_) { body(x.body, x.index); return; }
    seg_ = &x;
    host_ = &out;
    learn(x);
    here_.threads = volume(sizes_, x.extent);
    List<Stm> old = std::exchange(x.body.stms, {});
    sizes_.open(x.body.stms);
    Atom id = i64_atom(0);
    for (size_t d = 0; d < x.index.size(); d++) {
      sizes_.bound(x.index[d].var);
      id = sizes_.add(sizes_.mul(id, x.extent[d]), x.index[d].var);
    }
    here_.id = id;
    for (auto& s : old.take()) statement(x.body.stms, std::move(*s));
    sizes_.close();
    seg_ = nullptr;
  }

  // ---- what is at most so much in all threads ----
  void learn(const Seg& x) {
    made_.clear(), chosen_.clear(), counted_.clear(), most_.clear();
    for (size_t d = 0; d < x.index.size(); d++) counted_.emplace(x.index[d].var, x.extent[d]);
    each_stm(x.body, [&](const Stm& s) {
      auto value = [&](size_t k) { return s.pattern[k].var; };
      match(s.exp, [&](const Apply& op) { made_.emplace(value(0), op); },
            [&](const If& op) {
              for (size_t k = 0; k < s.pattern.size(); k++) chosen_.emplace(value(k), std::pair(op.then_.result[k], op.else_.result[k]));
            },
            [&](const Identity& op) { chosen_.emplace(value(0), std::pair(op.value, op.value)); },
            [&](const For& op) { counted_.emplace(op.i.var, op.n); },
            [&](const Seg& op) { for (size_t d = 0; d < op.index.size(); d++) counted_.emplace(op.index[d].var, op.extent[d]); },
            [](const auto&) {});
    });
  }
  bool outside(const Atom& a) const { return sizes_.in_scope(a) && sizes_.level(a) <= sizes_.depth_of(*host_); }
  Atom larger(const Atom& a, const Atom& b) { return decided(ScalarOp::max, a, b); }
  Atom decided(ScalarOp op, const Atom& a, const Atom& b) {       // the larger or smaller of two that are known outside
    if (a == b) return a;
    Var v = p_.fresh("most", ScalarType{Scalar::I64});
    host_->push_back(Stm{{{v}}, Apply{op, {a, b}}, {}, {}, {}});
    sizes_.bound_at(v, sizes_.depth_of(*host_));
    return v;
  }
  const Apply* made(const Atom& a) const {
    auto found = var_of(a) ? made_.find(*var_of(a)) : made_.end();
    return found == made_.end() ? nullptr : &found->second;
  }
  static bool positive(const Atom& a) { return const_of(a) && const_of(a)->as_i64() > 0; }
  // Never negative, as far as the seg says.
  bool natural(const Atom& a) const {
    auto v = var_of(a);
    if (!v) return const_of(a)->as_i64() >= 0;
    if (counted_.contains(*v)) return true;
    if (auto two = chosen_.find(*v); two != chosen_.end()) return natural(two->second.first) && natural(two->second.second);
    const Apply* op = made(a);
    if (!op || elem_of(p_, a) != Scalar::I64) return false;
    switch (op->op) {
      case ScalarOp::add: case ScalarOp::mul: case ScalarOp::min: return natural(op->args[0]) && natural(op->args[1]);
      case ScalarOp::max: return natural(op->args[0]) || natural(op->args[1]);
      case ScalarOp::select: return natural(op->args[1]) && natural(op->args[2]);
      case ScalarOp::mod: return positive(op->args[1]);
      case ScalarOp::quot: case ScalarOp::div: case ScalarOp::rem: return natural(op->args[0]) && positive(op->args[1]);
      default: return false;
    }
  }
  // What is known outside and never less than `a`.
  std::optional<Atom> most(const Atom& a) {
    auto v = var_of(a);
    if (!v || outside(a)) return a;
    auto known = most_.find(*v);
    if (known == most_.end()) known = most_.emplace(*v, find_most(*v)).first;
    return known->second;
  }
  std::optional<Atom> find_most(Var v) {
    auto both = [&](const Atom& x, const Atom& y, auto of) -> std::optional<Atom> {
      auto left = most(x), right = left ? most(y) : std::nullopt;
      return right ? std::optional(of(*left, *right)) : std::nullopt;
    };
    auto larger_of = [&](const Atom& x, const Atom& y) { return larger(x, y); };
    if (auto limit = counted_.find(v); limit != counted_.end()) {
      auto n = most(limit->second);
      return n ? std::optional(sizes_.add(*n, i64_atom(-1))) : std::nullopt;
    }
    if (auto two = chosen_.find(v); two != chosen_.end()) return both(two->second.first, two->second.second, larger_of);
    const Apply* found = made(v);
    if (!found || elem_of(p_.type(v)) != Scalar::I64) return {};
    const Apply op = *found;
    const Atom &x = op.args[0], &y = op.args[1];
    switch (op.op) {
      case ScalarOp::add: return both(x, y, [&](const Atom& p, const Atom& q) { return sizes_.add(p, q); });
      case ScalarOp::sub: {                                // of what is not negative nothing has to be taken away
        auto p = most(x);
        if (p && outside(y)) return sizes_.add(*p, sizes_.mul(y, i64_atom(-1)));
        return natural(y) ? p : std::nullopt;
      }
      case ScalarOp::mul:
        for (int k : {0, 1})
          if (positive(op.args[size_t(k)])) {
            auto p = most(op.args[size_t(1 - k)]);
            return p ? std::optional(sizes_.mul(*p, op.args[size_t(k)])) : std::nullopt;
          }
        if (outside(x) && outside(y)) return sizes_.mul(x, y);
        if (!(natural(x) || outside(x)) || !(natural(y) || outside(y))) return {};
        return both(x, y, [&](const Atom& p, const Atom& q) {
          Atom left = larger(p, i64_atom(0)), right = larger(q, i64_atom(0));
          return sizes_.mul(left, right);
        });
      case ScalarOp::min: {
        auto p = most(x), q = most(y);
        return p && q ? decided(ScalarOp::min, *p, *q) : p ? p : q;
      }
      case ScalarOp::max: return both(x, y, larger_of);
      case ScalarOp::select: return both(y, op.args[2], larger_of);
      case ScalarOp::mod: case ScalarOp::rem: if (positive(y)) return sizes_.add(y, i64_atom(-1)); return {};
      case ScalarOp::quot: case ScalarOp::div: return natural(x) && positive(y) ? most(x) : std::nullopt;
      default: return {};
    }
  }

  // True if the allocation has left the seg.
  bool grow(Stm& s, const Alloc& x) {
    if (auto bytes = const_of(x.bytes); bytes && bytes->as_i64() <= costs::gpu::registers_bytes) return false;
    auto bytes = most(x.bytes);
    if (!bytes) {
      auto size = var_of(x.bytes);
      c_.refuse(s.source, Refusal::DeviceCode,
                size && of_while_.contains(*size) ? "how often a `while` loop runs differs between threads, and so does what is recorded of it; "
                                                   "`#[bound(n)]` before the loop says that it runs n times at most"
                                                 : "an array whose size differs between threads");
      return false;
    }
    Var block = s.pattern[0].var;
    Atom size = sizes_.mul(*bytes, here_.threads);
    p_.vars[block.index].type = BlockType{Space::Device};
    host_->push_back(Stm{{{block}}, Alloc{Space::Device, size, true}, {}, s.source, {}});
    expanded_.emplace(block, here_);
    c_.stats.count("expand.blocks");
    return true;
  }
};

}  // namespace

void expand(Program& program, PassContext& context) {
  if (context.target == Target::Gpu) Expand(program, context).run();
}

}  // namespace raido
