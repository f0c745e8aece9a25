// list.h - List<T>: a vector whose elements keep their address while they are in it; copying copies the elements.
//
// So an analysis may hold `const Stm*`, and rewriting a body moves one pointer per statement.
#pragma once
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace raido {

template <class T>
class List {
  using Items = std::vector<std::unique_ptr<T>>;

 public:
  List() = default;
  List(const List& other) {
    items_.reserve(other.size());
    for (const T& item : other) push_back(item);
  }
  List(List&&) noexcept = default;
  List& operator=(List other) noexcept { items_ = std::move(other.items_); return *this; }
  ~List() = default;

  void push_back(T item) { items_.push_back(std::make_unique<T>(std::move(item))); }
  void push_back(std::unique_ptr<T> item) { items_.push_back(std::move(item)); }
  // The item, or all of another list, before element number `at`.
  void insert(size_t at, T item) { items_.insert(place(at), std::make_unique<T>(std::move(item))); }
  void splice(size_t at, List other) {
    items_.insert(place(at), std::make_move_iterator(other.items_.begin()), std::make_move_iterator(other.items_.end()));
  }
  // This very element, not one that equals it.
  void erase(const T& item) { std::erase_if(items_, [&](const auto& mine) { return mine.get() == &item; }); }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void clear() { items_.clear(); }
  T& operator[](size_t i) { return *items_[i]; }
  const T& operator[](size_t i) const { return *items_[i]; }
  T& back() { return *items_.back(); }
  const T& back() const { return *items_.back(); }

  template <class Base, class Ref> struct Iter : Base {
    using value_type = std::remove_const_t<Ref>;
    using reference = Ref&;
    using pointer = Ref*;
    Iter() = default;
    Iter(Base base) : Base(base) {}
    Ref& operator*() const { return *Base::operator*(); }
    Ref* operator->() const { return &**this; }
  };
  auto begin() { return Iter<typename Items::iterator, T>(items_.begin()); }
  auto end() { return Iter<typename Items::iterator, T>(items_.end()); }
  auto begin() const { return Iter<typename Items::const_iterator, const T>(items_.begin()); }
  auto end() const { return Iter<typename Items::const_iterator, const T>(items_.end()); }
  auto rbegin() { return Iter<typename Items::reverse_iterator, T>(items_.rbegin()); }
  auto rend() { return Iter<typename Items::reverse_iterator, T>(items_.rend()); }
  auto rbegin() const { return Iter<typename Items::const_reverse_iterator, const T>(items_.rbegin()); }
  auto rend() const { return Iter<typename Items::const_reverse_iterator, const T>(items_.rend()); }

  // Keeps the elements for which `keep` holds; it is called back to front.
  template <class F> void filter_backwards(F keep) {
    Items kept;
    for (size_t i = items_.size(); i-- > 0;)
      if (keep(*items_[i])) kept.push_back(std::move(items_[i]));
    items_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }
  // Takes all elements out, leaving the list empty.
  std::vector<std::unique_ptr<T>> take() { return std::exchange(items_, {}); }

 private:
  auto place(size_t at) { return items_.begin() + ptrdiff_t(at); }
  Items items_;
};

}  // namespace raido
