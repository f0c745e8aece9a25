// transform.cc - structural equality and hashing, derived from the fields of each operation.
//
// Two expressions are alike if they agree in every field, where variables bound inside are numbered in order of their
// binding. The same numbering feeds the hash.
#include "compiler/ir/transform.h"

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

std::vector<uint64_t> words_of(const Program& p, const Exp& e) {
  Words words(p);
  words.put(e);
  return std::move(words.out);
}

}  // namespace

bool alike(const Program& p, const Exp& a, const Exp& b) {
  return a.index() == b.index() && words_of(p, a) == words_of(p, b);
}
uint64_t hash_of(const Program& p, const Exp& e) {
  uint64_t h = 0xcbf29ce484222325u;
  for (uint64_t w : words_of(p, e)) h = (h ^ w) * 0x100000001b3u + (h >> 29);
  return h;
}

bool has_attr(const std::vector<Attr>& attrs, std::string_view name) { return find_attr(attrs, name) != nullptr; }
const Attr* find_attr(const std::vector<Attr>& attrs, std::string_view name) {
  for (const Attr& a : attrs)
    if (a.name == name) return &a;
  return nullptr;
}

}  // namespace raido::ir
