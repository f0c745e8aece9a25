// spec.h - test blocks: the comments of a program that say what it computes.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/value.h"

namespace raido {

struct TestCase {
  enum class Input { Literal, File, Random, Script } input = Input::Literal;
  enum class Expect { Success, Values, File, Auto, Error } expect = Expect::Success;
  std::string title;                       // explicit or derived
  size_t line = 0;                         // where it begins
  std::vector<std::string> tags;
  std::string input_text;                  // file name, random types, script
  std::vector<ir::Value> values;           // of a literal input
  std::string expect_text;                 // file name or regular expression
  std::vector<ir::Value> expected;
};
struct TestBlock {
  std::vector<std::string> entries;        // default: main
  std::vector<TestCase> cases;
  std::vector<std::string> properties;
};
struct Structure {
  std::string pipeline;                    // gpu, gpu-mem, mc, mc-mem, seq-mem, internalised; empty: the common one
  std::vector<std::pair<std::string, int64_t>> counts;
};
struct TestSpec {
  std::vector<std::string> tags;
  std::optional<std::string> compile_error;   // regular expression; empty accepts any
  std::vector<std::string> warnings;
  std::vector<Structure> structures;
  std::vector<TestBlock> blocks;
};

// The test blocks of a program text. On a malformed block `error` says "LINE: what".
std::optional<TestSpec> parse_spec(const std::string& text, std::string& error);

}  // namespace raido
