// test.h - doctest under names that do not collide with the compiler's CHECK: TEST_CASE, EXPECT, REQUIRE.
#pragma once
#define DOCTEST_CONFIG_NO_SHORT_MACRO_NAMES
#include <doctest/doctest.h>
#define TEST_CASE DOCTEST_TEST_CASE
#define EXPECT DOCTEST_CHECK
#define REQUIRE DOCTEST_REQUIRE
