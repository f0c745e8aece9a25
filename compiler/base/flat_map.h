// flat_map.h - FlatMap<K, V>: a map from ids or pointers that is small more often than not. The entries are one vector in the order of
// insertion; a few are searched one by one, more of them through a table of positions. Adding an entry moves the others.
#pragma once
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

namespace raido {

template <class K, class V> class FlatMap {
 public:
  using Entry = std::pair<K, V>;

  FlatMap() : FlatMap(std::pmr::new_delete_resource()) {}
  explicit FlatMap(std::pmr::memory_resource* memory) : entries_(memory), table_(memory) {}

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // Null: not there.
  V* find(K key) {
    Entry* e = entry(key);
    return e ? &e->second : nullptr;
  }
  const V* find(K key) const { return const_cast<FlatMap*>(this)->find(key); }
  bool contains(K key) const { return find(key) != nullptr; }

  V& operator[](K key) {
    if (Entry* e = entry(key)) return e->second;
    if (entries_.empty()) entries_.reserve(few / 2);
    entries_.emplace_back(key, V{});
    if (entries_.size() > few) {
      if (entries_.size() * 2 > table_.size()) rebuild();
      else put(uint32_t(entries_.size() - 1));
    }
    return entries_.back().second;
  }
  void clear() { entries_.clear(), table_.clear(); }

 private:
  static constexpr size_t few = 8;
  static constexpr uint32_t none = ~0u;

  static size_t hash(K key) {
    uint64_t bits;
    if constexpr (std::is_pointer_v<K>) bits = reinterpret_cast<uintptr_t>(key);
    else if constexpr (std::is_integral_v<K>) bits = key;
    else bits = key.index;
    return size_t((bits * 0x9E3779B97F4A7C15) >> 32);
  }
  Entry* entry(K key) {
    if (entries_.size() <= few) {
      for (Entry& e : entries_) if (e.first == key) return &e;
      return nullptr;
    }
    for (size_t i = hash(key) & (table_.size() - 1); table_[i] != none; i = (i + 1) & (table_.size() - 1))
      if (entries_[table_[i]].first == key) return &entries_[table_[i]];
    return nullptr;
  }
  void put(uint32_t at) {
    size_t i = hash(entries_[at].first) & (table_.size() - 1);
    while (table_[i] != none) i = (i + 1) & (table_.size() - 1);
    table_[i] = at;
  }
  void rebuild() {
    table_.assign(table_.empty() ? 4 * few : 2 * table_.size(), none);
    for (uint32_t i = 0; i < entries_.size(); i++) put(i);
  }

  std::pmr::vector<Entry> entries_;
  std::pmr::vector<uint32_t> table_;                      // a power of two, at most half full
};

}  // namespace raido
