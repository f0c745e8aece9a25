// translate_blocks.cc - bodies, and who owns the blocks.
//
// Blocks are counted. The body that binds a block (alloc, or a live-out of a branch, loop or call) owns it: it
// releases the block after its last use, unless it escapes the body, which moves the ownership. So a branch that is the last use, and
// that may return the block, owns it: arrays that grow where they are full are not counted again in each iteration. Parameters belong
// to the caller. A block of small constant size that never escapes lies on the stack.
#include "backends/kernel/translator.h"

#include <algorithm>

#include "compiler/ir/costs.h"

namespace raido::kir::translation {

void FromCore::body(const Body& b, std::vector<Var> owned, bool keep) {
  VarMap<size_t> last;
  VarSet mine, moved;
  std::vector<Var> retained;
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
      else retained.push_back(v);
    }
  for (Var v : owned)
    if (!moved.contains(v) && !keep) dying[last[v]].push_back(v);
  auto release = [&](size_t k) {
    for (Var v : dying[k])
      if (!on_stack_.contains(v)) emit(Release{memory(v)});
  };
  release(0);
  for (size_t k = 0; k < n; k++) {
    if (auto x = std::get_if<ir::If>(&b.stms[k].exp))
      std::erase_if(dying[k + 1], [&](Var v) {
        bool handed = std::ranges::count(x->then_.result, Atom(v)) + std::ranges::count(x->else_.result, Atom(v)) > 0;
        if (handed) handed_.push_back(v);
        return handed;
      });
    statement(b.stms[k]);
    release(k + 1);
  }
  for (Var v : retained) emit(Retain{memory(v)});
}
std::vector<Var> FromCore::blocks_of(const std::vector<Bind>& binds) const {
  std::vector<Var> out;
  for (Bind b : binds)
    if (is_block(b.var)) out.push_back(b.var);
  return out;
}

void FromCore::assign(const std::vector<Name>& to, const std::vector<Atom>& from) {
  for (size_t k = 0; k < to.size(); k++)
    if (to[k].valid()) set(to[k], from[k]);
}
void FromCore::set(Name to, const Atom& from) {
  if (is_block(from)) { emit(SetBlock{to, memory(*var_of(from))}); return; }
  ExprId value = atom(from);
  if (value != m_.var(to)) emit(Assign{to, value});
}
std::vector<Name> FromCore::live_outs(const std::vector<Bind>& pattern) {
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

void FromCore::alloc(Var v, const Atom& size, bool lenient, ir::Source source, bool on_device) {
  block_[v] = new_memory(v);
  auto bytes = const_of(size);
  int64_t limit = in_kernel_ ? costs::gpu::private_bytes : costs::cpu::stack_bytes;
  bool small = bytes && bytes->as_i64() <= limit && (!facts_.escaping.contains(v) || in_kernel_) && !on_device;
  if (small) {
    on_stack_.insert(v);
    m_.names[block_[v].index].space = Space::Private;
    emit(DeclareArray{block_[v], {m_.number(std::max<int64_t>(1, bytes->as_i64() / bytes_of(facts_.elem[v].value_or(Scalar::I8))))}});
    return;
  }
  CHECK(!in_kernel_, "an allocation inside a kernel was not expanded");
  std::string places = places_text(source);
  if (!places.empty()) m_.texts.push_back(places);
  emit(Alloc{block_[v], factors(size), lenient, places.empty() ? -1 : int(m_.texts.size() - 1)});
}
std::vector<ExprId> FromCore::factors(const Atom& bytes) {
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

}  // namespace raido::kir::translation
