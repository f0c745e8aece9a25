// translate_loops.cc - loops, and the values that go from one iteration to the next.
#include "backends/kernel/translator.h"

namespace raido::kir::translation {

void FromCore::for_loop(const ir::Stm& s, const ir::For& x) {
  std::vector<Name> state = enter(s, x.state, x.init);
  Name i = m_.name(p_.hint(x.i.var), Scalar::I64);
  scalar_[x.i.var] = m_.var(i);
  ExprId n = atom(x.n);
  bool marks = std::exchange(marks_, marks_ && x.vectors != Vectors::Yes && !side_by_side(x.vectors) && x.vectors != Vectors::Alone);   // they are no part of vectors
  Block b = block([&] { body(x.body, blocks_of(x.state)); next(state, x.body.result); });
  marks_ = marks;
  For loop{i, m_.number(0), n, std::move(b)};
  loop.scattered = x.vectors == Vectors::No && x.any_order;
  loop.pairs = x.vectors == Vectors::No && !x.any_order;
  size_t number = 0;
  loop.spmd = side_by_side(x.vectors);
  loop.interleaved = x.vectors == Vectors::Interleaved;
  loop.apart = x.vectors == Vectors::Apart;
  loop.alone = x.vectors == Vectors::Alone;
  for (size_t k = 0; k < state.size() && (x.vectors == Vectors::Yes || loop.alone || loop.spmd); k++)
    if (is_scalar_var(x.state[k].var)) loop.reduced.push_back({state[k], (*x.any_order)[number++]});
  if (x.group) loop.group = group(*x.group);
  for (size_t k = 0, scalars = 0; k < state.size() && x.sums; k++) {
    Var v = x.state[k].var;
    if (array(v)) loop.sums.memories.push_back(layout(v).memory);
    else if (is_scalar_var(v) && x.any_order) loop.sums.numbers.push_back({state[k], (*x.any_order)[scalars++]});
  }
  emit(std::move(loop));
}
Group FromCore::group(const ir::Group& x) {
  Group group{{}, {}, atom(x.when)};
  for (Var v : x.own) group.own.push_back(memory(v));
  for (Var v : x.sums) group.sums.push_back(memory(v));
  return group;
}
void FromCore::while_loop(const ir::Stm& s, const ir::While& x) {
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

std::vector<Name> FromCore::enter(const ir::Stm& s, const std::vector<Bind>& state, const std::vector<Atom>& init) {
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
void FromCore::next(const std::vector<Name>& state, std::vector<Atom> values) {
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

}  // namespace raido::kir::translation
