// verify.cc - see verify.h.
//
// A name is the same for all threads of a block for one of four reasons. It is a parameter. It is declared once, from such names, the
// number of the block or its size. It is assigned such values where all threads come. Or it is an answer that all threads get together:
// which block is last, which tile is next, whether an earlier kernel has failed. What a loop assigns is looked at before the loop.
#include "backends/kernel/verify.h"
#include "backends/kernel/walk.h"

#include <algorithm>
#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/match.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

class Verifier {
 public:
  Verifier(const Module& m, const Kernel& k) : m_(m), k_(k) {
    for (Name n : k.params)
      if (!m.names[n.index].memory) same_.insert(n);
  }
  std::string run() {
    do {                                                // until no further name turns out to differ
      changed_ = false;
      assignments(k_.body, true);
    } while (changed_);
    block(k_.body, true, false);
    if (shared_ > costs::gpu::shared_bytes) fail("B3", fmt::format("{} bytes shared for each thread", shared_));
    if (shared_ * largest_block + more_ > shared_limit) fail("B3", fmt::format("{} bytes shared, and {} for each thread", more_, shared_));
    if (uses_block_ && !k_.collective) fail("B4", "a barrier or shared array in a kernel that may end early");
    return said_;
  }

 private:
  const Module& m_;
  const Kernel& k_;
  IdSet<Name> same_, differs_;
  static constexpr int64_t largest_block = 1024, shared_limit = 48 << 10;   // threads; bytes that every device has
  int64_t shared_ = 0, more_ = 0;                                           // bytes for each thread of a block, and for all of them
  bool uses_block_ = false, changed_ = false;
  std::string said_;

  void fail(const char* rule, const std::string& what) {
    if (said_.empty()) said_ = fmt::format("{}: kernel `{}`: {}", rule, k_.name, what);
  }
  bool same(ExprId e) const {
    return !any_part(m_, e, [&](ExprId part) {
      return match(m_.exprs[part.index].node, [&](const Name& n) { return !same_.contains(n) || differs_.contains(n); }, [](const Load&) { return true; },
        [](const Hardware& h) {
          return h.what != Builtin::BlockId && h.what != Builtin::BlockSize && h.what != Builtin::OrdersBlocks && h.what != Builtin::HasTensors && h.what != Builtin::Items;
        },
        [](const Const&) { return false; }, [](const Prim&) { return false; }, [](const Cast&) { return false; });
    });
  }
  void gets(Name n, bool value_is_same) {
    same_.insert(n);
    if (value_is_same || differs_.contains(n)) return;
    differs_.insert(n);
    changed_ = true;
  }
  // `all`: all threads of the block come here.
  void assignments(const Block& b, bool all) {
    for (const Stm& s : b)
      match(s.node, [&](const Declare& x) { gets(x.var, !x.init || same(*x.init)); }, [&](const Assign& x) { gets(x.var, all && same(x.value)); },
            [&](const Unfailed& x) { gets(x.var, !k_.can_fail); },   // no check of this kernel fails in between
            [&](const LastBlock& x) { gets(x.var, true); }, [&](const NextTile& x) { gets(x.var, true); },
            [&](const LookBack& x) {
              gets(x.first, true);
              gets(x.reached, true);
            },
            [&](const For& x) {
              bool together = all && same(x.from) && same(x.to);
              gets(x.i, together);
              assignments(x.body, together);
            },
            [&](const While& x) {
              assignments(x.test, all);
              assignments(x.body, all && same(x.cond));
            },
            [&](const If& x) {
              for (const Block* way : {&x.then_, &x.else_}) assignments(*way, all && same(x.cond));
            },
            [&](const Guarded& x) { assignments(x.body, false); },
            [&](const Locked& x) { assignments(x.body, false); },
            [&](const Swap& x) {
              gets(x.old, false);
              assignments(x.body, false);
            },
            [](const auto&) {});   // others assign nothing
  }
  static bool leaves(const Block& b) {
    for (const Stm& s : b) {
      if (std::holds_alternative<Fail>(s.node) || std::holds_alternative<For>(s.node) || std::holds_alternative<While>(s.node)) return true;
      if (auto x = std::get_if<If>(&s.node); x && (leaves(x->then_) || leaves(x->else_))) return true;
    }
    return false;
  }
  void block(const Block& b, bool all, bool guarded) {
    auto meets = [&](const char* what) {
      uses_block_ = true;
      if (!all) fail("B1", fmt::format("{} where not all threads come", what));
    };
    for (const Stm& s : b)
      match(s.node, [&](const Barrier&) { meets("a barrier"); }, [&](const LastBlock& x) {
              meets("the last block");
              if (!same(x.at)) fail("B5", "threads of a block are counted in different places");
            },
            [&](const NextTile&) { meets("the next tile"); },
            [&](const LookBack& x) {
              meets("a look at earlier tiles");
              if (!same(x.end)) fail("B5", "threads of a block look back from different tiles");
            },
            [&](const Publish& x) { if (!same(x.tile)) fail("B5", "a block publishes what is no tile of its own"); },
            [&](const DeclareShared& x) {
              meets("a shared array");
              shared_ += bytes_of(m_.names[x.var.index].type) * (x.item_bytes > 0 ? std::max<int64_t>(1, costs::gpu::shared_bytes / x.item_bytes) : x.each);
              more_ += bytes_of(m_.names[x.var.index].type) * x.more;
            },
            [&](const Own& x) {
              meets("a part of the shared memory");
              if (!same(x.at)) fail("B6", "threads of a block have different parts of its memory");
              if (!k_.dynamic) fail("B6", "a part of memory that no launch gives");
            },
            [&](const Swap& x) { block(x.body, false, guarded); },
            [&](const Locked& x) {
              if (leaves(x.body)) fail("B7", "a check that leaves a lock closed");
              block(x.body, false, guarded);
            },
            [&](const Fail&) { if (k_.collective && !guarded) fail("B2", "a check that leaves the kernel before a barrier"); },
            [&](const Return&) { fail("B2", "a kernel returns"); },
            [&](const Guarded& x) { block(x.body, false, true); },
            [&](const For& x) { block(x.body, all && same(x.from) && same(x.to), guarded); },
            [&](const While& x) {
              block(x.test, all && same(x.cond), guarded);
              block(x.body, all && same(x.cond), guarded);
            },
            [&](const If& x) {
              for (const Block* way : {&x.then_, &x.else_}) block(*way, all && same(x.cond), guarded);
            },
            [](const auto&) {});   // others have no bodies
  }
};

}  // namespace

std::string verify_kernels(const Module& m) {
  for (const Kernel& k : m.kernels)
    if (std::string said = Verifier(m, k).run(); !said.empty()) return said;
  return "";
}

}  // namespace raido::kir
