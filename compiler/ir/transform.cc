// transform.cc - structural equality, derived from the fields of each operation.
//
// Two expressions are alike if they agree in every field. Before that, variables bound inside are numbered in order of
// their binding, and operands that may stand in either order are put into one.
#include "compiler/ir/transform.h"

#include <algorithm>

namespace raido::ir {
namespace {

// Turns an expression into a sequence of words; alike expressions have the same sequence.
class Words {
 public:
  explicit Words(const Program& p) : p_(p) {}
  std::vector<uint64_t> out;

  void put(const Var& v) {
    auto found = inner_.find(v);
    if (found == inner_.end()) { out.push_back(1); out.push_back(v.index); }
    else { out.push_back(2); out.push_back(found->second); }
  }
  void put(const Const& c) { out.push_back(3); out.push_back(uint64_t(c.type)); out.push_back(c.bits); }
  void put(const Bind& b) {
    inner_.emplace(b.var, inner_.size());
    put(p_.type(b.var));
  }
  void put(const Apply& x) {
    put(x.op);
    std::vector<std::vector<uint64_t>> args;
    for (const Atom& a : x.args) {
      std::vector<uint64_t> before = std::exchange(out, {});
      put(a);
      args.push_back(std::exchange(out, std::move(before)));
    }
    Scalar type = elem_of(p_, x.args[0]);                  // which of two equal numbers is chosen matters to a derivative
    if (args.size() == 2 && is_commutative(x.op, type) && !is_choice(x.op, type)) std::ranges::sort(args);
    for (const auto& words : args) out.insert(out.end(), words.begin(), words.end());
  }
  void put(const std::string& s) { out.push_back(s.size()); for (char c : s) out.push_back(uint64_t(c)); }
  template <class Tag> void put(const Id<Tag>& id) { out.push_back(id.index); }
  template <class T> void put(const T& x) {
    if constexpr (is_vector<T>) { out.push_back(x.size()); for (const auto& part : x) put(part); }
    else if constexpr (is_optional<T>) { out.push_back(x.has_value()); if (x) put(*x); }
    else if constexpr (is_variant<T>) { out.push_back(x.index()); match(x, [&](const auto& part) { put(part); }); }
    else if constexpr (HasFields<T>) std::apply([&](const auto&... part) { (put(part), ...); }, T::fields(x));
    else out.push_back(uint64_t(x));
  }
  // A statement inside: its expression before its binders.
 private:
  const Program& p_;
  std::unordered_map<Var, uint64_t> inner_;
};

}  // namespace

std::vector<uint64_t> words_of(const Program& p, const Exp& e) {
  Words words(p);
  words.put(e);
  return std::move(words.out);
}
bool alike(const Program& p, const Exp& a, const Exp& b) {
  return a.index() == b.index() && words_of(p, a) == words_of(p, b);
}

namespace {
void drop_in(const Program& p, Body& b, bool inner, const std::function<bool(const AccType&)>& gone_type) {
  auto gone = [&](const Atom& a) {
    auto v = var_of(a);
    auto acc = v ? std::get_if<AccType>(&p.type(*v)) : nullptr;
    return acc && gone_type(*acc);
  };
  auto gone_bind = [&](const Bind& x) { return gone(x.var); };
  auto gone_var = [&](Var v) { return gone(v); };
  if (inner) std::erase_if(b.result, gone);
  b.stms.filter_backwards([&](Stm& s) {
    if (std::holds_alternative<AccUpdate>(s.exp) && gone_bind(s.pattern[0])) return false;
    match(s.exp, [&](For& x) { std::erase_if(x.init, gone); std::erase_if(x.state, gone_bind); },
          [&](While& x) { std::erase_if(x.init, gone); std::erase_if(x.state, gone_bind); std::erase_if(x.cond.params, gone_bind); },
          [&](Screma& x) {
            std::erase_if(x.inputs, gone_var);
            std::erase_if(x.pre.params, gone_bind);
            std::erase_if(x.post.params, gone_bind);
          },
          [&](Seg& x) { std::erase_if(x.post.params, gone_bind); },
          [&](auto&) {});                                 // nothing else passes accumulators on
    size_t results = s.pattern.size();
    walk_parts(s, [&](Body& part) { drop_in(p, part, true, gone_type); });
    std::erase_if(s.pattern, gone_bind);
    return results == 0 || !s.pattern.empty();
  });
}
}  // namespace
void drop_accumulators(const Program& p, Body& b, const std::function<bool(const AccType&)>& gone) { drop_in(p, b, false, gone); }

void keep_operators(const Program& p, For& loop, const std::vector<bool>& keep) {
  if (!loop.any_order) return;
  std::vector<ScalarOp> kept;
  size_t k = 0;
  for (size_t i = 0; i < loop.state.size(); i++) {
    if (!is_scalar(p.type(loop.state[i].var))) continue;
    if (keep[i]) kept.push_back(loop.any_order->at(k));
    k++;
  }
  loop.any_order = std::move(kept);
}

bool has_attr(const std::vector<Attr>& attrs, std::string_view name) { return find_attr(attrs, name) != nullptr; }
const Attr* find_attr(const std::vector<Attr>& attrs, std::string_view name) {
  for (const Attr& a : attrs)
    if (a.name == name) return &a;
  return nullptr;
}

}  // namespace raido::ir
