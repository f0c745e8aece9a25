// chunks.h - Chunks<T>: a vector that only grows, whose elements keep their addresses and are found in two steps.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace raido {

template <class T> class Chunks {
 public:
  size_t size() const { return size_; }
  T& operator[](size_t i) { return chunks_[i / per_chunk][i % per_chunk]; }
  const T& operator[](size_t i) const { return chunks_[i / per_chunk][i % per_chunk]; }
  T& push_back(T item) {
    if (size_++ % per_chunk == 0) chunks_.emplace_back().reserve(per_chunk);
    return chunks_.back().emplace_back(std::move(item));
  }

 private:
  static constexpr size_t per_chunk = 1024;
  std::vector<std::vector<T>> chunks_;
  size_t size_ = 0;
};

}  // namespace raido
