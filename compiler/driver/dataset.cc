// dataset.cc - `raido dataset`: makes and converts data; `raido datacmp`: compares two data files; `raido dataget`: the data of a test case.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/driver/cases.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compare.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data.h"
#include "compiler/driver/generate.h"
#include "compiler/driver/output.h"

namespace raido {
namespace {

std::string type_of(const ir::Value& v) {
  std::string text;
  for (int64_t d : v.shape) text += fmt::format("[{}]", d);
  return text + std::string(name_of(v.elem));
}

// How values are printed from here on.
struct Form {
  bool binary = false, type = false;
  void print(const ir::Value& v) const {
    std::string text = type ? type_of(v) + "\n" : binary ? to_binary(v) : to_text(v, TextStyle::Rows) + "\n";
    write_output(text);
  }
};

std::optional<std::vector<ir::Value>> values_of_file(const std::string& path) {
  FileContents file = read_file(path);
  std::string error = file.error;
  std::optional<std::vector<ir::Value>> values;
  if (file.text) values = values_of(*file.text, error);
  if (!values) fmt::print(stderr, "Error reading values from {}: {}\n", path, error);
  return values;
}

}  // namespace

// The options act in their order: each holds for what is generated after it.
int command_dataset(const Options& options) {
  Bounds bounds;
  Form form;
  uint64_t seed = 1, number = 0;
  bool generated = false;
  for (const auto& [option, argument] : options.sequence) {
    if (option == "binary" || option == "text") {
      form.binary = option == "binary";
    } else if (option == "type") {
      form.type = true;
    } else if (option == "seed") {
      char* end;
      errno = 0;
      seed = uint64_t(std::strtoll(argument.c_str(), &end, 10));
      if (*end || argument.empty() || errno == ERANGE) {
        fmt::print(stderr, "'{}' is not an integer.\n", argument);
        return 1;
      }
    } else if (option == "generate") {
      generated = true;
      auto what = parse_type_or_value(argument);
      if (!what) {
        fmt::print(stderr, "Unknown type {}\n", argument);
        return 1;
      }
      double bytes = double(bytes_of(what->elem));
      for (int64_t d : what->shape) bytes *= double(d);
      if (bytes > 0x1p36) {
        fmt::print(stderr, "{} is more than 64 GiB\n", argument);
        return 1;
      }
      Random random(seed + number++);
      form.print(what->value ? *what->value : random_value(what->elem, what->shape, bounds, random));
    } else {
      std::string type = option.substr(0, option.find('-'));
      if (!bounds.set(*scalar_named(type), argument)) {
        fmt::print(stderr, "Invalid bounds for {}: {}\n", type, argument);
        return 1;
      }
    }
  }
  if (generated) return 0;
  std::string error;
  auto values = values_of(read_standard_input(), error);
  if (!values) {
    fmt::print(stderr, "Malformed data on standard input.\n{}\n", error);
    return 1;
  }
  for (const ir::Value& v : *values) form.print(v);
  return 0;
}

int command_datacmp(const Options& options) {
  auto a = values_of_file(options.words[0]), b = values_of_file(options.words[1]);
  if (!a || !b) return 1;
  std::vector<std::string> wrong = differences(*a, *b, options.tolerance, SIZE_MAX);
  for (const std::string& line : wrong) print("{}\n", line);
  return wrong.empty() ? 0 : 2;
}

int command_dataget(const Options& options) {
  const std::string &program = options.words[0], &name = options.words[1];
  auto spec = read_spec(program);
  if (!spec) return 1;
  std::vector<const TestCase*> all, found;
  for (const TestBlock& block : spec->blocks)
    for (const TestCase& c : block.cases) {
      all.push_back(&c);
      if (c.title.find(name) != std::string::npos) found.push_back(&c);
    }
  auto exact = std::ranges::find(all, name, &TestCase::title);
  if (std::ranges::count(all, name, &TestCase::title) == 1) found = {*exact};
  if (found.size() != 1) {
    if (found.empty()) fmt::print(stderr, "No dataset '{}'.\nAvailable datasets:\n", name);
    else fmt::print(stderr, "Dataset '{}' ambiguous:\n", name);
    for (const TestCase* c : found.empty() ? all : found) fmt::print(stderr, "  {}\n", c->title);
    return 1;
  }
  const TestCase& c = *found[0];
  std::string wrong;
  std::optional<std::vector<ir::Value>> values = c.values;
  if (c.input == TestCase::Input::Script) return fmt::print(stderr, "{}: the input of this case is a script.\n", program), 1;
  if (c.input != TestCase::Input::Literal) {
    auto data = c.input == TestCase::Input::File ? data_file(program, c.input_text, wrong) : CaseTools(options).random_input(program, c.input_text, wrong);
    values = data ? values_of(*data, wrong) : std::nullopt;
  }
  if (!values) return fmt::print(stderr, "{}\n", wrong), 1;
  for (const ir::Value& v : *values) Form().print(v);
  return 0;
}

}  // namespace raido
