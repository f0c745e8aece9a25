// intern.cc - the table of all Names: open addressing with linear probing.
#include "compiler/base/intern.h"

#include <cstring>

namespace raido {
namespace {

uint32_t hash_of(std::string_view text) {
  uint64_t h = text.size();
  while (text.size() >= 8) {
    uint64_t part;
    std::memcpy(&part, text.data(), 8);
    h = (h ^ part) * 0x9E3779B97F4A7C15;
    h ^= h >> 32;
    text.remove_prefix(8);
  }
  uint64_t rest = 0;
  for (char c : text) rest = rest << 8 | static_cast<unsigned char>(c);
  h = (h ^ rest) * 0x9E3779B97F4A7C15;
  return uint32_t(h >> 32);
}

}  // namespace

Name Names::intern(std::string_view text) {
  if (texts_.size() * 4 >= slots_.size() * 3) grow();
  uint32_t hash = hash_of(text);
  size_t mask = slots_.size() - 1, i = hash & mask;
  for (; slots_[i].name.valid(); i = (i + 1) & mask)
    if (slots_[i].hash == hash && texts_[slots_[i].name.index] == text) return slots_[i].name;
  Name name{uint32_t(texts_.size())};
  texts_.push_back(arena_.copy_text(text));
  slots_[i] = {hash, name};
  return name;
}

void Names::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 1024 : old.size() * 2, {});
  size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (!slot.name.valid()) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].name.valid()) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace raido
