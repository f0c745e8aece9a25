// link.cc - a linker for one object file of our own making, position-independent code for x86-64.
//
// Sections are put one after the other, the code first. What is not defined here is called through a jump, or read, by a word that the loader
// fills. What lies at a fixed distance is settled now; addresses are left to the loader.
#include "backends/llvm/link.h"

#include <elf.h>

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "backends/llvm/image.h"

namespace raido::llvm {
namespace {

constexpr uint64_t page = 4096;
uint64_t aligned(uint64_t x, uint64_t to) { return to < 2 ? x : (x + to - 1) / to * to; }

class Linker {
 public:
  explicit Linker(std::string_view object) : object_(object) {}

  bool run(std::string& error) {
    if (object_.size() < sizeof(Elf64_Ehdr)) return error = "the object file is too short", false;
    auto head = read<Elf64_Ehdr>(0);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_machine != EM_X86_64) return error = "code of this processor cannot be linked here, only that of x86-64", false;
    for (uint64_t k = 0; k < head.e_shnum; k++) sections_.push_back({read<Elf64_Shdr>(head.e_shoff + k * head.e_shentsize), 0, false});
    names_ = sections_[head.e_shstrndx].head.sh_offset;
    find_symbols();
    find_imports();
    place();
    for (const Section& s : sections_)
      if (s.head.sh_type == SHT_RELA && sections_[s.head.sh_info].kept)
        for (uint64_t at = 0; at < s.head.sh_size; at += sizeof(Elf64_Rela))
          if (!relocate(sections_[s.head.sh_info], read<Elf64_Rela>(s.head.sh_offset + at), error)) return false;
    return true;
  }

  std::string file(std::string_view loader) const {
    std::string out(loader);
    out.resize(aligned(out.size(), page));
    raido_image head{};
    head.start = out.size();
    head.stored = image_.size();
    head.size = size_;
    head.code = code_;
    head.slots = slots_;
    out += image_;
    for (const std::string& name : imports_) out += name + '\0', head.import_bytes += name.size() + 1;
    head.fixups = head.import_bytes;
    head.fixup_count = fixups_.size();
    out.append(reinterpret_cast<const char*>(fixups_.data()), 8 * fixups_.size());
    head.program = program_;
    std::memcpy(head.mark, RAIDO_IMAGE_MARK, sizeof head.mark);
    return out.append(reinterpret_cast<const char*>(&head), sizeof head);
  }

 private:
  struct Section {
    Elf64_Shdr head;
    uint64_t at;                          // in the image
    bool kept;
  };
  static constexpr size_t none = ~size_t{};
  struct Symbol { Elf64_Sym entry; size_t import = none; uint64_t word = 0; };   // word: of a defined one, where its address stands; 0: nowhere

  std::string_view object_;
  std::vector<Section> sections_;
  uint64_t names_ = 0, symbol_names_ = 0;
  std::vector<Symbol> symbols_;
  std::vector<std::string> imports_;
  std::vector<uint64_t> fixups_;
  std::string image_;
  uint64_t code_ = 0, size_ = 0, jumps_ = 0, slots_ = 0, program_ = 0;

  template <class T> T read(uint64_t at) const {
    T x;
    std::memcpy(&x, object_.data() + at, sizeof x);
    return x;
  }
  std::string text(uint64_t at) const { return object_.data() + at; }

  void find_symbols() {
    for (const Section& s : sections_) {
      if (s.head.sh_type != SHT_SYMTAB) continue;
      symbol_names_ = sections_[s.head.sh_link].head.sh_offset;
      for (uint64_t at = 0; at < s.head.sh_size; at += sizeof(Elf64_Sym)) symbols_.push_back({read<Elf64_Sym>(s.head.sh_offset + at)});
    }
    for (Section& s : sections_)              // no exceptions: nobody unwinds the stack
      s.kept = (s.head.sh_flags & SHF_ALLOC) != 0 && text(names_ + s.head.sh_name) != ".eh_frame";
  }
  template <class F> void each_relocation(F f) {
    for (const Section& s : sections_)
      if (s.head.sh_type == SHT_RELA && sections_[s.head.sh_info].kept)
        for (uint64_t at = 0; at < s.head.sh_size; at += sizeof(Elf64_Rela)) f(read<Elf64_Rela>(s.head.sh_offset + at));
  }
  static bool is_indirect(uint32_t type) { return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX; }
  void find_imports() {
    each_relocation([&](const Elf64_Rela& r) {
      Symbol& s = symbols_[ELF64_R_SYM(r.r_info)];
      if (s.entry.st_shndx != SHN_UNDEF || s.import != none) return;
      s.import = imports_.size();
      imports_.push_back(text(symbol_names_ + s.entry.st_name));
    });
  }

  void place() {
    uint64_t at = 0;
    auto put = [&](auto which) {
      for (Section& s : sections_) {
        if (!s.kept || !which(s.head)) continue;
        s.at = at = aligned(at, s.head.sh_addralign);
        at += s.head.sh_size;
      }
    };
    auto is_code = [](const Elf64_Shdr& h) { return (h.sh_flags & SHF_EXECINSTR) != 0; };
    put(is_code);
    jumps_ = at = aligned(at, 8);
    at = code_ = aligned(at + 8 * imports_.size(), page);
    put([&](const Elf64_Shdr& h) { return !is_code(h) && h.sh_type != SHT_NOBITS; });
    slots_ = at = aligned(at, 8);
    at += 8 * imports_.size();
    std::vector<uint64_t> words;
    each_relocation([&](const Elf64_Rela& r) {
      Symbol& s = symbols_[ELF64_R_SYM(r.r_info)];
      if (!is_indirect(uint32_t(ELF64_R_TYPE(r.r_info))) || s.import != none || s.word != 0) return;
      s.word = at;
      at += 8;
    });
    image_.assign(at, '\0');
    put([&](const Elf64_Shdr& h) { return !is_code(h) && h.sh_type == SHT_NOBITS; });
    size_ = aligned(at, page);
    for (const Section& s : sections_)
      if (s.kept && s.head.sh_type != SHT_NOBITS && s.head.sh_size > 0) std::memcpy(image_.data() + s.at, object_.data() + s.head.sh_offset, s.head.sh_size);
    for (size_t k = 0; k < imports_.size(); k++) {                    // jmp *slot(%rip); the distance is from its end
      uint64_t jump = jumps_ + 8 * k;
      image_[jump] = '\xff';
      image_[jump + 1] = '\x25';
      write32(jump + 2, slots_ + 8 * k - (jump + 6));
    }
    for (const Symbol& s : symbols_) {
      if (s.word != 0) write64(s.word, place_of(s)), fixups_.push_back(s.word);
      if (s.entry.st_shndx != SHN_UNDEF && text(symbol_names_ + s.entry.st_name) == "raido_program") program_ = place_of(s);
    }
  }
  uint64_t place_of(const Symbol& s) const { return sections_[s.entry.st_shndx].at + s.entry.st_value; }
  void write32(uint64_t at, uint64_t x) { std::memcpy(image_.data() + at, &x, 4); }
  void write64(uint64_t at, uint64_t x) { std::memcpy(image_.data() + at, &x, 8); }

  bool relocate(const Section& section, const Elf64_Rela& r, std::string& error) {
    auto type = uint32_t(ELF64_R_TYPE(r.r_info));
    const Symbol& s = symbols_[ELF64_R_SYM(r.r_info)];
    uint64_t at = section.at + r.r_offset, to = s.import == none ? place_of(s) : jumps_ + 8 * s.import;
    auto add = uint64_t(r.r_addend);
    if (is_indirect(type)) {
      uint64_t word = s.import == none ? s.word : slots_ + 8 * s.import;
      return write32(at, word + add - at), true;
    }
    switch (type) {
      case R_X86_64_NONE: return true;
      case R_X86_64_PC32: case R_X86_64_PLT32: return write32(at, to + add - at), true;
      case R_X86_64_PC64: return write64(at, to + add - at), true;
      case R_X86_64_64:
        write64(at, to + add);
        fixups_.push_back(at);
        return true;
      default: return error = fmt::format("the object file has a relocation of an unknown kind: {}", type), false;
    }
  }
};

}  // namespace

std::string linked(std::string_view loader, std::string_view object, std::string& error) {
  Linker linker(object);
  return linker.run(error) ? linker.file(loader) : "";
}

}  // namespace raido::llvm
