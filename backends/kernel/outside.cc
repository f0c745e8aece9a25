// outside.cc - see outside.h.
#include "backends/kernel/outside.h"

#include <algorithm>

#include "compiler/ir/calling.h"
#include "compiler/ir/types.h"

namespace raido::kir {

using namespace ir;

size_t constant_of(const Program& p, Var v) {
  size_t k = 0;
  for (const ir::Stm& s : p.constants.stms)
    for (Bind b : s.pattern) {
      if (!has_value(p.type(b.var))) continue;
      if (b.var == v) return k;
      k++;
    }
  PANIC("the extent of a result is not known outside");
}

std::vector<Refreshed> refreshed_constants(const Program& p, const Module& m) {
  std::vector<Refreshed> out;
  VarSet used;
  for (const ir::Stm& s : p.constants.stms) each_use(p, s, [&](Var v) { used.insert(v); });
  for (const ir::Stm& s : p.constants.stms) {
    auto x = std::get_if<Tunable>(&s.exp);
    if (!x || x->kind == "threads" || used.contains(s.pattern[0].var)) continue;
    auto known = std::ranges::find(m.params, x->key, &Param::name);
    out.push_back({constant_of(p, s.pattern[0].var), int(known - m.params.begin()), ir::const_of(x->fallback)->as_i64()});
  }
  return out;
}

std::string kept_leaves(const Program& p, const Module& m, const EntryPoint& e) {
  const Function& f = p.functions[e.function.index];
  const HostFunction& h = m.functions[e.function.index];
  std::vector<Var> inputs = outside_params(p, f);
  std::string out(inputs.size() - e.sizes, '-');
  size_t at = 0;                    // the parameters at run time: scalars and blocks
  VarMap<size_t> position;
  for (const Bind& b : f.lambda.params)
    if (has_value(p.type(b.var))) position[b.var] = at++;
  for (size_t k = 0; k < out.size(); k++)
    if (auto a = std::get_if<ArrayType>(&p.type(inputs[e.sizes + k])); a && may_keep(m, h.body, h.params[position[a->place->block]])) out[k] = 'k';
  return out;
}

std::vector<std::pair<size_t, Atom>> result_leaves(const Program& p, const EntryPoint& e) {
  std::vector<std::pair<size_t, Atom>> numbered;
  size_t k = 0;
  const std::vector<Atom>& all = p.functions[e.function.index].lambda.body.result;
  for (size_t i = 0; i < all.size(); i++) {
    const Type t = p.type(all[i]);
    if (is_block(t)) {                              // the array comes after what is passed of it
      size_t block = k;
      for (; !is_array(p.type(all[i])); i++) k++;
      numbered.push_back({block, all[i]});
    } else if (is_scalar(t)) {
      numbered.push_back({k++, all[i]});
    } else {
      numbered.push_back({0, all[i]});
    }
  }
  numbered.erase(numbered.begin(), numbered.begin() + ptrdiff_t(e.result_sizes));
  return numbered;
}

}  // namespace raido::kir
