// evaluate.h - expressions evaluated by the interpreter, in the scope of a file and of what was declared before: for eval and repl.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/check/load.h"
#include "compiler/ir/value.h"
#include "compiler/lower/lower.h"

namespace raido {

// A value and how it lies in its leaves.
struct Evaluated {
  lower::Layout layout;
  std::vector<ir::Value> leaves;
};

// Where an evaluation stopped: at a `#[break]`, or where an operation made a NaN of numbers.
struct Stopped {
  struct Local { std::string name, type; Evaluated value; };
  bool nan;
  std::vector<std::string> backtrace;        // innermost first
  std::vector<Local> locals;                 // those not consumed yet
};

class Session {
 public:
  // The file whose declarations are in scope; empty: none. earlier_names: as in check::Options.
  explicit Session(std::string file = {}, bool earlier_names = false) : file_(std::move(file)), earlier_names_(earlier_names) {}

  // The working directory is about to change to `folder`.
  void moves_to(const std::string& folder);
  // Declares; false if it has errors. Messages go to `messages`.
  bool declare(const std::string& name, const std::string& text, bool warnings, std::string& messages);
  // The value of an expression; none if it has errors or fails. Messages go to `messages`.
  std::optional<Evaluated> evaluate(const std::string& name, const std::string& text, bool warnings, std::string& messages);
  // The type of an expression as the user would write it.
  std::optional<std::string> type_of(const std::string& name, const std::string& text, std::string& messages);
  // What a module provides, as a module type.
  std::optional<std::string> module_type(const std::string& name, const std::string& text, std::string& messages);
  // Where evaluations stop, until it returns; none: they do not.
  std::function<void(const Stopped&)> on_stop;
  bool stop_at_nan = false;
  // All names that begin so, of the prelude and of what was declared.
  std::vector<std::string> names(const std::string& start) const;
  // Checks the file; false if it has errors.
  bool check_file(bool warnings, std::string& messages);

 private:
  std::unique_ptr<check::Checked> check(std::vector<check::Unit> units, bool warnings, std::string& messages, bool whole_prelude = false) const;
  const ast::Def* value(const check::Checked& checked) const;

  std::string file_;
  bool earlier_names_;
  std::vector<check::Unit> declared_;
  bool file_was_shown_ = false;        // its warnings were printed
};

}  // namespace raido
