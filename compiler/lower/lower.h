// lower.h - the typed tree to the core program.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/check/load.h"
#include "compiler/ir/ir.h"

namespace raido::lower {

struct Options {
  bool safe = false;                                // keep all checks, even under #[unsafe]
  bool check_shapes = false;                        // assert that the shape of every value is what its type says
  std::vector<struct Breakpoint>* breakpoints = nullptr;   // not null: the interpreter is to stop at `#[break]`; gets one for each
};

// How a value of the language lies in core values, for those who show it: which leaves it has, in their order.
struct Layout {
  enum class Kind { Scalar, Array, Record, Sum, Function } kind = Kind::Scalar;
  struct Constructor {
    std::string name;
    std::vector<Layout> payload;
    std::vector<std::vector<size_t>> slots;                // of each payload: the slot of each of its leaves
  };
  Scalar elem = Scalar::I32;                               // Scalar
  struct Field;
  std::vector<Field> fields;                               // Record; a tuple has 0, 1, ..
  std::vector<Constructor> constructors;                   // Sum, in the order of the tags
  bool tagged = false;                                     // Sum: the tag is the first leaf
  size_t leaves = 0;                                       // how many core values it has
  std::vector<Layout> element;                             // Array: one
  bool is_tuple() const;
};
struct Layout::Field { std::string name; Layout layout; };
inline bool Layout::is_tuple() const { return kind == Kind::Record && fields.size() != 1 && (fields.empty() || fields[0].name == "0"); }
// The slots of a sum. Scalars of different constructors share them; an array has a slot of its own.
class Slots {
 public:
  void next_constructor() { taken_.assign(slots_.size(), false); }
  // That of the next leaf.
  size_t place(Scalar elem, bool is_array) {
    size_t k = 0;
    while (k < taken_.size() && (taken_[k] || is_array || slots_[k] != elem)) k++;
    if (k == taken_.size()) slots_.push_back(is_array ? std::nullopt : std::optional(elem)), taken_.push_back(false);
    taken_[k] = true;
    return k;
  }
  size_t count() const { return slots_.size(); }

 private:
  std::vector<std::optional<Scalar>> slots_;               // none: an array
  std::vector<bool> taken_;                                // by this constructor
};
struct EntryLayout {
  std::vector<Layout> params;
  Layout result;
};

// A `#[break]`: an assertion of `true` with the attribute `break` and the position in Options::breakpoints. Its arguments are the
// leaves of the names that can be used there, one after the other.
struct Breakpoint {
  struct Local { std::string name, type; Layout layout; };
  std::vector<Local> locals;                               // those of declarations are not among them
};

// What became of the calls of a program's own functions.
struct Calls {
  size_t in_place = 0;                                     // evaluated where they stand
  size_t specialisations = 0;                              // made a function of the core, for arguments of their static shape
  size_t shared = 0;                                       // use such a function again
};

// The core program of a checked program. What the core cannot express is reported to the diagnostics of `checked`.
// `layouts` gets those of the entry points, in order.
ir::Program lower(check::Checked& checked, const Options& options, std::vector<EntryLayout>* layouts = nullptr, Calls* calls = nullptr);

}  // namespace raido::lower
