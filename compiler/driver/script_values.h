// script_values.h - values of data as values of scripts.
#pragma once
#include "compiler/driver/script.h"

namespace raido {

// Of a scalar or an array of them.
lower::Layout layout_of(const ir::Value& v);
// The types of the leaves, inside of so many dimensions.
struct LeafType { Scalar elem = Scalar::Bool; size_t rank = 0; };
void add_leaf_types(const lower::Layout& layout, size_t rank, std::vector<LeafType>& out);
// A signed integer constant where another signed integer or a float is expected.
std::optional<ir::Value> adapted(const ir::Value& v, Scalar to);
// The leaves of a value of this layout from the text of a file in which a server has stored it; none, and why.
std::optional<std::vector<ir::Value>> stored_leaves(const lower::Layout& layout, std::string_view text, std::string& wrong);

}  // namespace raido
