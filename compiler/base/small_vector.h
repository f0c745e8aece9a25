// small_vector.h - SmallVector<T, N>: a vector of plain data whose first N items need no allocation.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace raido {

template <class T, size_t N> class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) { append(items.begin(), items.size()); }
  SmallVector(const SmallVector& other) { append(other.data_, other.size_); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    append(other.data_, other.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    if (data_ != inline_) delete[] data_;
    take(other);
    return *this;
  }
  ~SmallVector() { if (data_ != inline_) delete[] data_; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }

  void push_back(T item) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = item;
  }
  void pop_back() { size_--; }
  void clear() { size_ = 0; }
  void insert(T* at, T item) {
    size_t i = size_t(at - data_);
    push_back(item);
    std::rotate(data_ + i, data_ + size_ - 1, data_ + size_);
  }

 private:
  void append(const T* items, size_t n) {
    if (size_ + n > capacity_) grow(size_ + n);
    std::copy(items, items + n, data_ + size_);
    size_ += uint32_t(n);
  }
  void grow(size_t wanted) {
    capacity_ = uint32_t(std::max<size_t>(wanted, 2 * size_t(capacity_)));
    T* more = new T[capacity_];
    std::copy(data_, data_ + size_, more);
    if (data_ != inline_) delete[] data_;
    data_ = more;
  }
  // Of another one, which is empty afterwards; what was here is forgotten.
  void take(SmallVector& other) {
    bool mine = other.data_ == other.inline_;
    data_ = mine ? inline_ : other.data_;
    size_ = other.size_, capacity_ = other.capacity_;
    if (mine) std::copy(other.inline_, other.inline_ + other.size_, inline_);
    other.data_ = other.inline_, other.size_ = 0, other.capacity_ = N;
  }

  T* data_ = inline_;
  uint32_t size_ = 0, capacity_ = N;
  T inline_[N];
};

}  // namespace raido
