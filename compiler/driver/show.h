// show.h - values of the language as text: what eval, repl and run print.
#pragma once
#include <span>
#include <string>

#include "compiler/ir/value.h"
#include "compiler/lower/lower.h"

namespace raido {

// The components of tuples and records and the rows of nested arrays stand on lines of their own, aligned. What is inside an
// array of other things stands on one line. With `suffixes` every scalar says its type, and empty arrays are `empty([0]i32)`
// where their elements are scalars.
std::string show_value(const lower::Layout& layout, std::span<const ir::Value> leaves, bool suffixes);

// One component of a tuple of several as one text each, anything else as one text; a unit has none.
std::vector<std::string> show_results(const lower::Layout& layout, std::span<const ir::Value> leaves);

// An expression of the language for the value, on one line; `type` is written where the value does not say it (sums).
std::string show_expression(const lower::Layout& layout, std::span<const ir::Value> leaves, const std::string& type);

// One line on standard error, `TAG: VALUE` without suffixes: InterpretOptions::trace of the commands.
void print_trace(const std::string& tag, const ir::Value& value);

}  // namespace raido
