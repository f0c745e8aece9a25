// translate_functions.cc - functions, calls and top-level values.
#include "backends/kernel/translator.h"

namespace raido::kir::translation {

HostFunction FromCore::declare(const Function& f) {
  HostFunction h;
  h.name = m_.unique("f_" + f.name);
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
    if (is_block(a)) h.results.push_back(m_.memory("out", facts_.elem[*var_of(a)].value_or(Scalar::I8), target_ == Target::Gpu ? Space::Device : Space::Host));
    else if (is_scalar(p_.type(a))) h.results.push_back(m_.name("out", elem_of(p_.type(a))));
  }
  return h;
}
std::vector<ExprId> FromCore::values(const std::vector<Atom>& as) {
  std::vector<ExprId> out;
  for (const Atom& a : as)
    if (has_value(p_.type(a))) out.push_back(is_block(a) ? m_.var(memory(*var_of(a))) : atom(a));
  return out;
}
void FromCore::function(size_t k) {
  const Body& b = p_.functions[k].lambda.body;
  function_ = int(k);
  Block prologue;
  prologue_ = &prologue;
  Block code = block([&] {
    if (marks_) mark(1);
    body(b, {});
    if (marks_) mark(0);
    emit(Return{values(b.result)});
  });
  for (auto& s : code.take()) prologue.push_back(std::move(*s));
  m_.functions[k].body = std::move(prologue);
}
// Top-level values: fields that the last function fills.
void FromCore::constants() {
  HostFunction h;
  h.name = m_.unique("constants");
  function_ = int(p_.functions.size());
  Block prologue;
  prologue_ = &prologue;
  h.body = block([&] {
    body(p_.constants, {}, true);
    for (const ir::Stm& s : p_.constants.stms)
      for (Bind b : s.pattern) {
        if (!has_value(p_.type(b.var))) continue;
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
void FromCore::call(const ir::Stm& s, const ir::Call& x) {
  std::vector<ExprId> args = values(x.args);
  std::vector<Name> results;
  for (Name n : live_outs(s.pattern))
    if (n.valid()) results.push_back(n);
  returns_checked_ = true;
  CHECK(!in_kernel_, "a call inside a kernel");
  emit(Call{int(x.callee.index), std::move(args), std::move(results)});
}
bool FromCore::reaches(const Function& from, FunId to, IdSet<FunId>& seen) const {
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

}  // namespace raido::kir::translation
