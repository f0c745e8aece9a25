// load.h - parses a file and everything it imports, and puts the files into the order in which they are to be checked. It also runs
// all steps up to a checked program.
#pragma once
#include <memory>
#include <string>

#include "compiler/check/check.h"

namespace raido::check {

// Everything that later steps and messages about them need to keep.
struct Checked {
  Sources sources;
  ast::Program program;
  Diagnostics diags;
  Result result;
  bool parsed = false;            // without syntax errors, with all that it imports: it was checked
  bool whole_prelude = false;     // all of it was checked, not only what the program needs
  bool ok() const { return !diags.has_errors(); }
};

// Parses the prelude, the file and its imports. False if the file itself cannot be read (with a report).
bool load(ast::Program& program, Sources& sources, const std::string& path, Diagnostics& diags);

// Parses a file and what it imports, without checking.
std::unique_ptr<Checked> load_file(const std::string& path);

// Loads and checks. The result is complete only if ok().
std::unique_ptr<Checked> check_file(const std::string& path, const Options& options);
// A text and the name it has in messages.
struct Unit {
  std::string name, text;
  bool is_expression = false;     // then its value is called Options::value
  std::string folder;             // its imports begin there; empty, or a path that ends with a slash
};
// Loads the file `base`, if one is named, and then each unit, which sees what the one before it declares. The last is the root.
std::unique_ptr<Checked> check_units(const std::string& base, const std::vector<Unit>& units, const Options& options);
std::unique_ptr<Checked> check_text(const std::string& name, const std::string& text, const Options& options);

}  // namespace raido::check
