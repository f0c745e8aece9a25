// main.cc - the unit tests' entry point; each unit has its own `*_test.cc` beside this file. They run on the stack that commands have.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "compiler/base/deep_stack.h"

int main(int argc, char** argv) {
  return raido::on_deep_stack([&] { return doctest::Context(argc, argv).run(); });
}
