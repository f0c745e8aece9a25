// data_test.cc - values as text and binary: the two readers, the printers, test blocks.
#include "compiler/driver/data.h"
#include "compiler/driver/spec.h"
#include "tests/unit/test.h"

using namespace raido;
using ir::Value;

namespace {

std::string self_typed(std::string_view text) {
  DataReader reader(text);
  std::string out;
  while (!reader.at_end()) {
    auto v = reader.read();
    if (!v) return "error " + reader.error();
    out += (out.empty() ? "" : " ") + to_text(*v, TextStyle::Plain);
  }
  return out;
}
std::string directed(std::string_view text, Scalar elem, int rank = 0) {
  DataReader reader(text);
  auto v = reader.read_as(elem, rank);
  return v ? to_text(*v, TextStyle::Plain) : "error " + reader.error();
}

}  // namespace

TEST_CASE("the self-typed reader takes types from suffixes") {
  EXPECT(self_typed("1 1.5 true 2u8 0xff 0b101 1_000 -3i64 1e5") == "1i32 1.5f64 true 2u8 255i32 5i32 1000i32 -3i64 100000.0f64");
  EXPECT(self_typed("[1f32, 2] [[1], [2]] empty([0][2]i64)") == "[1.0f32, 2.0f32] [[1i32], [2i32]] empty([0][2]i64)");
  EXPECT(self_typed("f32.nan f64.inf -f64.inf -- comment\n 1") == "f32.nan f64.inf -f64.inf 1i32");
  EXPECT(self_typed("\"a\\n\\65\"") == "[97u8, 10u8, 65u8]");
  EXPECT(self_typed("[1, 2,]") == "[1i32, 2i32]");
  EXPECT(self_typed("300i8 -1u8 99999999999999999999 -99999999999999999999") == "44i8 255u8 1661992959i32 -1661992959i32");
}
TEST_CASE("the self-typed reader refuses with a place") {
  for (const char* text : {"[]", "[[]]", ".5", "1.", "nan", "[[1f32, 2], [3, 4]]", "[[1], 2]", "[1, [2]]", "[[1,2],[3]]", "[1,,2]",
                           "empty([1]i32)", "empty([0]foo)", "-f64.nan", "1foo", "\"open", "[1"})
    EXPECT(self_typed(text).starts_with("error 1:"));
  EXPECT(self_typed("1\n [2, x]").starts_with("error 2:6: "));
}
TEST_CASE("the type-directed reader") {
  EXPECT(directed("3", Scalar::F32) == "3.0f32");
  EXPECT(directed("3i32", Scalar::F32).starts_with("error"));
  EXPECT(directed("3.0", Scalar::I32).starts_with("error"));
  EXPECT(directed(".5", Scalar::F64) == "0.5f64");
  EXPECT(directed("+5", Scalar::I64) == "5i64");
  EXPECT(directed("300", Scalar::I8) == "44i8");
  EXPECT(directed("-1", Scalar::U8) == "255u8");
  EXPECT(directed("99999999999999999999", Scalar::I64) == "9223372036854775807i64");
  EXPECT(directed("99999999999999999999", Scalar::I32) == "-1i32");
  EXPECT(directed("-99999999999999999999", Scalar::I32) == "0i32");
  EXPECT(directed("-99999999999999999999", Scalar::U64) == "18446744073709551615u64");
  EXPECT(directed("0xff", Scalar::I8) == "-1i8");
  EXPECT(directed("0x1p-3", Scalar::F64) == "0.125f64");
  EXPECT(directed("[]", Scalar::I32, 1) == "empty([0]i32)");
  EXPECT(directed("[[],[]]", Scalar::I32, 2) == "empty([2][0]i32)");
  EXPECT(directed("[]", Scalar::I32, 2).starts_with("error"));
  EXPECT(directed("[[1]]", Scalar::I32, 1).starts_with("error"));
  EXPECT(directed("empty([0]i32)", Scalar::I64, 1).starts_with("error"));
}
TEST_CASE("binary values") {
  Value v{Scalar::I16, {2, 1}, {}};
  v.push(int16_t(1));
  v.push(int16_t(-2));
  std::string bytes = to_binary(v);
  EXPECT(bytes.size() == 27);
  EXPECT(bytes.substr(0, 7) == std::string("b\2\2 i16"));
  EXPECT(self_typed(bytes + "\n" + bytes) == "[[1i16], [-2i16]] [[1i16], [-2i16]]");
  EXPECT(directed(bytes, Scalar::I32, 2) == "error 1:1: Expected 2D-array with element type 'i32' but got 2D-array with element type 'i16'.");
  EXPECT(directed(bytes, Scalar::I16, 1) == "error 1:1: Expected 1 dimensions, but got array with 2 dimensions.");
  EXPECT(directed(bytes.substr(0, 25), Scalar::I16, 2) == "error 1:1: tried to read 2 elements of an array, but only got 1 elements.");
  EXPECT(directed(std::string("b\1"), Scalar::I16, 2) == "error 1:1: File uses version 1, but I only understand version 2.");
}
TEST_CASE("floats print so that they read back") {
  EXPECT(self_typed("0.1f32 1e20 1e-3 123456789.0 9999999.0 0.1f16 -0.0") ==
         "0.1f32 1.0e20f64 1.0e-3f64 1.23456789e8f64 9999999.0f64 9.9975586e-2f16 -0.0f64");
  Value tenth{Scalar::F64, {}, {}};
  tenth.push(0.1);
  EXPECT(to_text(tenth, TextStyle::Executable) == "0.10000000000000001f64");
}
TEST_CASE("test blocks") {
  std::string error;
  auto spec = parse_spec("-- About.\n-- ==\n-- tags { slow }\n-- entry: f g\n-- input { 3 [1,2] } output { 1.0 }\n"
                         "-- \"named\" nobench input @ data.in error: out of .*\n\ndef x = 1\n",
                         error);
  REQUIRE(spec.has_value());
  EXPECT(spec->tags == std::vector<std::string>{"slow"});
  REQUIRE(spec->blocks.size() == 1);
  EXPECT(spec->blocks[0].entries == std::vector<std::string>{"f", "g"});
  REQUIRE(spec->blocks[0].cases.size() == 2);
  EXPECT(spec->blocks[0].cases[0].title == "#0 (\"3i32 [1i32, 2i32]\")");
  EXPECT(spec->blocks[0].cases[1].title == "named");
  EXPECT(spec->blocks[0].cases[1].tags == std::vector<std::string>{"nobench"});
  EXPECT(spec->blocks[0].cases[1].expect_text == "out of .*");
  EXPECT(!parse_spec("-- ==\n-- input { 1 } output\n", error));
  EXPECT(error == "2:22: expected `{`");
  EXPECT(!parse_spec("-- ==\n-- error: x\n\n-- ==\n-- input {}\n", error));
  EXPECT(!parse_spec("-- ==\n-- ==\n", error));
}
