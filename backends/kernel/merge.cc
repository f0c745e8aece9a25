// merge.cc - parts of functions that say the same are one (decision 057): a program has several products of matrices of one form, and a gradient
// computes what the function computes.
//
// Two parts are equal if their texts are, but for names. What C compilers see is compared, so nothing can be forgotten here. Where they ask for
// memory does not count: the one that is left names all places.
#include "backends/kernel/merge.h"

#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "backends/kernel/writer.h"
#include "backends/kernel/walk.h"

namespace raido::kir {
namespace {

// A function's text with a number for each name that is its own: the numbers count from the first occurrence of the name on.
std::string text_of(const Module& m, const std::unordered_set<std::string_view>& own, const HostFunction& f) {
  Writer writer(m, For_::C);
  writer.places = false;
  writer.function(f);
  std::string_view text = writer.out;
  std::unordered_map<std::string_view, size_t> numbers = {{f.name, 0}};
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    if (text[at] == '"') {                                 // of a message
      for (end++; text[end] != '"'; end++) end += text[end] == '\\';
      end++;
    } else {
      while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) end++;
    }
    std::string_view word = text.substr(at, std::max<size_t>(end - at, 1));
    if (word == f.name || own.contains(word)) out += '$' + std::to_string(numbers.emplace(word, numbers.size()).first->second);
    else out += word;
    at += word.size();
  }
  return out;
}

void each_call(Block& b, const auto& f) {
  for (Stm& s : b) {
    if (auto x = std::get_if<Call>(&s.node)) f(*x);
    each_body(s, [&](Block& inner) { each_call(inner, f); });
  }
}

void each_allocation(Block& b, const auto& f) {
  for (Stm& s : b) {
    if (auto x = std::get_if<Alloc>(&s.node)) f(*x);
    each_body(s, [&](Block& inner) { each_allocation(inner, f); });
  }
}
void join_places(Module& m, HostFunction& left, HostFunction& gone) {
  std::vector<int> others;
  each_allocation(gone.body, [&](Alloc& x) { others.push_back(x.places); });
  size_t k = 0;
  each_allocation(left.body, [&](Alloc& x) {
    int other = others[k++];
    if (other < 0) return;
    std::string there = m.texts[size_t(other)];
    std::string text = x.places < 0 ? "" : m.texts[size_t(x.places)];
    if (text.find(there) != std::string::npos) return;
    if (!text.empty()) there.replace(0, there.find("->"), "\nor\n");
    m.texts.push_back(text + there);
    x.places = int(m.texts.size() - 1);
  });
}

}  // namespace

void merge_parts(Module& m, size_t first) {
  std::unordered_set<std::string_view> own;
  for (const NameInfo& n : m.names) if (!n.constant) own.insert(n.text);
  for (const DataRef& d : m.data) own.erase(m.names[d.name.index].text);
  const size_t count = m.functions.size();
  std::vector<int> same(count), now(count);                // the first function that is equal; its number afterwards
  std::iota(same.begin(), same.end(), 0);
  auto call_same = [&](HostFunction& f) { each_call(f.body, [&](Call& x) { x.function = same[size_t(x.function)]; }); };
  std::unordered_map<std::string, int> known;
  for (size_t k = first; k + 1 < count; k++) {
    call_same(m.functions[k]);                             // a part calls parts before it only
    same[k] = known.emplace(text_of(m, own, m.functions[k]), int(k)).first->second;
    if (same[k] != int(k)) join_places(m, m.functions[size_t(same[k])], m.functions[k]);
  }
  std::vector<HostFunction> kept;
  for (size_t k = 0; k < count; k++) {
    if (k < first || k + 1 == count) call_same(m.functions[k]);
    now[k] = int(kept.size());
    if (same[k] == int(k)) kept.push_back(std::move(m.functions[k]));
  }
  m.functions = std::move(kept);
  for (HostFunction& f : m.functions) each_call(f.body, [&](Call& x) { x.function = now[size_t(x.function)]; });
}

}  // namespace raido::kir
