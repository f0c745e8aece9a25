// arena.h - memory that is freed all at once. Objects in it are never destroyed one by one, so they must not own any.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace raido {

class Arena {
 public:
  template <class T, class... Args> T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }
  // A copy of `items` that lives as long as the arena.
  template <class T> std::span<T> copy(const std::vector<T>& items) { return copy(std::span<const T>(items)); }
  template <class T> std::span<T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (items.empty()) return {};
    T* out = static_cast<T*>(allocate(sizeof(T) * items.size(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), out);
    return {out, items.size()};
  }
  std::string_view copy_text(std::string_view text) {
    if (text.empty()) return {};
    char* out = static_cast<char*>(allocate(text.size(), 1));
    std::uninitialized_copy(text.begin(), text.end(), out);
    return {out, text.size()};
  }

 private:
  void* allocate(size_t bytes, size_t align) {
    size_t at = (used_ + align - 1) & ~(align - 1);
    if (at + bytes > size_) {
      size_ = bytes > block_size ? bytes : block_size;
      block_ = blocks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(size_)).get();
      at = 0;
    }
    used_ = at + bytes;
    return block_ + at;
  }
  static constexpr size_t block_size = 1 << 18;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* block_ = nullptr;                         // the last one
  size_t used_ = 0, size_ = 0;                         // of it
};

}  // namespace raido
