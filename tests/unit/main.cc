// main.cc - the unit tests' entry point; each unit has its own x_test.cc beside this file.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
