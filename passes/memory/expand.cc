// expand.cc - arrays of one device thread that are not small and constant: one block for all threads.
//
//   seg map grid (i < n) { let b = alloc private s; .. xs @ b + o {t} .. }
//   ==>
//   let size = s * n, b = alloc device size
//   seg map grid (i < n) { .. xs @ b + (o * n + i) {t * n} .. }
//
// Neighbouring threads use neighbouring elements. A size that differs between threads is refused.
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/layout.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

constexpr int64_t small_bytes = 1024;    // of one thread's constant arrays: they stay private

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
  std::unordered_set<Var> counted_;          // what `while` loops count, and sizes made of it
  const Seg* seg_ = nullptr;
  List<Stm>* host_ = nullptr;               // where the seg's statement will stand
  Expanded here_;

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
    if (count_of_while(s.exp)) for (Bind v : s.pattern) counted_.insert(v.var);
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
    return apply && std::any_of(apply->args.begin(), apply->args.end(), [&](const Atom& a) { auto v = var_of(a); return v && counted_.contains(*v); });
  }

  void seg(List<Stm>& out, Seg& x) {
    if (seg_) { body(x.body, x.index); return; }
    seg_ = &x;
    host_ = &out;
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

  // True if the allocation has left the seg.
  bool grow(Stm& s, const Alloc& x) {
    if (auto bytes = const_of(x.bytes); bytes && bytes->as_i64() <= small_bytes) return false;
    if (!sizes_.in_scope(x.bytes) || sizes_.level(x.bytes) > sizes_.depth_of(*host_)) {
      auto size = var_of(x.bytes);
      c_.refuse(s.source, Refusal::DeviceCode,
                size && counted_.contains(*size) ? "how often a `while` loop runs differs between threads, and so does what is recorded of it; "
                                                   "`#[bound(n)]` before the loop says that it runs n times at most"
                                                 : "an array whose size differs between threads");
      return false;
    }
    Var block = s.pattern[0].var;
    Atom size = sizes_.mul(x.bytes, here_.threads);
    p_.vars[block.index].type = BlockType{Space::Device};
    host_->push_back(Stm{{{block}}, Alloc{Space::Device, size}, {}, s.source, {{"hoisted", {}}}});
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
