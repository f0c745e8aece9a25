// id.h - typed indices into tables, and dense sets and maps keyed by them.
//
// An Id is never a pointer, so a table and everything that refers to it can be copied, compared and saved.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace raido {

using i64 = int64_t;

template <class Tag>
struct Id {
  uint32_t index = ~0u;
  bool valid() const { return index != ~0u; }
  friend auto operator<=>(Id, Id) = default;
};

// A dense set: one bit for each id up to the largest ever inserted.
template <class I>
class IdSet {
 public:
  void insert(I id) {
    if (id.index >= bits_.size()) bits_.resize(id.index + 1 + bits_.size() / 2);
    bits_[id.index] = true;
  }
  void erase(I id) { if (id.index < bits_.size()) bits_[id.index] = false; }
  bool contains(I id) const { return id.index < bits_.size() && bits_[id.index]; }

 private:
  std::vector<bool> bits_;
};

// A dense set that knows the order of insertion, so that the latest members can be taken back. It serves for facts that hold in
// only one of two branches.
template <class I>
class TrailSet {
 public:
  void insert(I id) {
    if (contains(id)) return;
    members_.insert(id);
    order_.push_back(id);
  }
  bool contains(I id) const { return members_.contains(id); }
  size_t size() const { return order_.size(); }
  // Removes all but the first n, and returns them.
  std::vector<I> take_back_to(size_t n) {
    std::vector<I> taken(order_.begin() + ptrdiff_t(n), order_.end());
    order_.resize(n);
    for (I id : taken) members_.erase(id);
    return taken;
  }

 private:
  IdSet<I> members_;
  std::vector<I> order_;
};

// A dense map: absent keys read as a default-constructed value.
template <class I, class T>
class IdMap {
 public:
  T& operator[](I id) {
    if (id.index >= items_.size()) items_.resize(id.index + 1 + items_.size() / 2);
    return items_[id.index];
  }
  const T& operator[](I id) const { return at(id); }
  const T& at(I id) const { static const T none{}; return id.index < items_.size() ? items_[id.index] : none; }   // never grows

 private:
  std::vector<T> items_;
};

// Back to front, for loops over the return sweep and the like.
template <class C> struct Reversed {
  C& items;
  auto begin() { return std::rbegin(items); }
  auto end() { return std::rend(items); }
};
template <class C> Reversed<C> reversed(C& items) { return {items}; }

template <class C> i64 isize(const C& items) { return i64(items.size()); }

}  // namespace raido

template <class Tag> struct std::hash<raido::Id<Tag>> {
  size_t operator()(raido::Id<Tag> id) const { return id.index * size_t{0x9E3779B97F4A7C15}; }
};
