// interface.h - what the outside world sees of a program: its entry points and the types of their parameters and results, with the names
// that texts and C give them. Libraries, servers and executables are printed from it.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace raido {

struct InterfaceType {
  enum class Kind { Primitive, Array, Record, Sum, Opaque };
  struct Leaf { Scalar elem; size_t rank; };
  struct Part { std::string name; size_t type, leaf; };      // leaf: its first one
  struct Variant {
    std::string name;
    std::vector<size_t> types, slots;      // of the values it holds; for each of their leaves, which leaf of the sum it is
  };
  std::string text;                        // "[]f64", "(i32, pt)": in messages, the server and the manifest
  std::string c_name;                      // "f64_1d", "opaque_tup2_i32_pt": the struct is futhark_C_NAME
  std::string doc;
  Kind kind = Kind::Primitive;
  size_t rank = 0, elem = 0;               // Array; elem is no array
  std::vector<Leaf> leaves;                // the core values it consists of
  std::vector<Part> parts;                 // the fields of a record; of an array of records, their arrays
  std::vector<Variant> variants;
  bool is_tuple = false;                   // a record whose fields are 0, 1, ..; also the unit

  bool primitive() const { return kind == Kind::Primitive; }
};

struct InterfaceEntry {
  struct Input { std::string name; size_t type; bool unique; };
  std::string name, doc;
  std::vector<std::string> attributes;
  std::vector<Input> inputs;
  size_t output = 0;
  bool unique = false;
  std::vector<bool> unique_parts;          // of a record: each field
  bool spread = false;                     // a tuple that has no name: version 0.25 has a result for each of its fields
  // For the result and for each of its fields `*` if it is unique, otherwise `-`.
  std::string stars() const;
};

struct Interface {
  std::vector<InterfaceType> types;        // first the primitive ones, in the order of Scalar; the others sorted by text
  std::vector<InterfaceEntry> entries;     // those of the program, in its order
  std::string doc;
};

// The name in C of a type with this text; the second is used where there is no readable one.
std::string type_name_in_c(const std::string& text);

}  // namespace raido
