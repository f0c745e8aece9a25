// data.h - values as text and as binary (interfaces of executables, test blocks, data files).
//
// Two readers: the type-directed one knows what it expects (executables, data files of tests), the self-typed one
// takes types from suffixes (test blocks, `run`). A value that begins with the byte `b` is binary in both.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/value.h"

namespace raido {

// `2:7`: the line and the column of a byte.
std::string place_in(std::string_view text, size_t at);

class DataReader {
 public:
  explicit DataReader(std::string_view text, size_t from = 0) : text_(text), at_(from) {}

  // The next value, which must be an array of this rank (0: a scalar) and element type.
  std::optional<ir::Value> read_as(Scalar elem, int rank);
  // The next value, typed by its suffixes: `1` is i32, `1.0` is f64.
  std::optional<ir::Value> read();
  // True when only blanks and comments remain.
  bool at_end();
  // What was wrong with the last value: "line:column: message".
  const std::string& error() const { return error_; }
  size_t position() const { return at_; }
  // The next single character that is not blank, without taking it; 0 at the end.
  char peek_char();

 private:
  struct Number {
    Scalar elem;
    std::string bytes;
  };

  void skip_blanks();
  void skip_blanks_and_comments();
  std::string_view peek();
  std::string_view next();
  std::nullopt_t fail(std::string message);
  std::nullopt_t fail_at(size_t at, std::string message);

  std::optional<ir::Value> read_binary(std::optional<Scalar> elem, int rank);
  std::optional<ir::Value> read_empty(std::optional<Scalar> elem, int rank);
  std::optional<ir::Value> read_string();
  std::optional<ir::Value> read_array(std::optional<Scalar> elem, int rank);
  bool read_rows(ir::Value& out, std::optional<Scalar>& elem, int depth, std::optional<int> rank, bool typed);
  std::optional<Number> read_scalar(std::optional<Scalar> expected, bool typed);

  std::string_view text_;
  size_t at_ = 0;
  size_t token_ = 0;  // where the last token began
  std::string error_;
};

enum class TextStyle {
  Executable,  // one line, floats with all their digits (%.9g, %.17g)
  Tool,        // shortest floats; rows of arrays of higher rank on lines of their own, aligned
  Rows,        // as Tool, without alignment
  Plain,       // shortest floats, one line: titles of test cases
};
std::string to_text(const ir::Value& value, TextStyle style);
std::string to_binary(const ir::Value& value);
// "[][]i32": the type without sizes.
std::string type_text(Scalar elem, size_t rank);
// One scalar of `value` with its suffix, shortest form.
std::string scalar_text(const ir::Value& value, int64_t index, bool suffix);
// One scalar of `value`, whatever its type.
double number_at(const ir::Value& value, int64_t index);

}  // namespace raido
