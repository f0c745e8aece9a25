// The constant folder: wrap-around, floor division, halves, conversions, and that every row of the table evaluates.
#include "tests/unit/test.h"

#include <vector>

#include "compiler/ir/scalar.h"

using namespace raido;

static Const fold2(ScalarOp op, Scalar s, int64_t a, int64_t b) {
  Const args[] = {integer_constant(s, a), integer_constant(s, b)};
  return fold(op, s, args);
}

TEST_CASE("integers wrap, divide to the floor, and never trap") {
  EXPECT(fold2(ScalarOp::add, Scalar::I32, 2147483647, 1).as_i64() == -2147483648LL);
  EXPECT(fold2(ScalarOp::div, Scalar::I32, -7, 2).as_i64() == -4);
  EXPECT(fold2(ScalarOp::mod, Scalar::I32, -7, 2).as_i64() == 1);
  EXPECT(fold2(ScalarOp::quot, Scalar::I32, -7, 2).as_i64() == -3);
  EXPECT(fold2(ScalarOp::rem, Scalar::I32, -7, 2).as_i64() == -1);
  EXPECT(fold2(ScalarOp::div, Scalar::I64, INT64_MIN, -1).as_i64() == INT64_MIN);
  EXPECT(fold2(ScalarOp::div, Scalar::U8, 200, 0).as_i64() == 0);
  EXPECT(fold2(ScalarOp::mul_hi, Scalar::I64, INT64_MIN, 4).as_i64() == -2);
  EXPECT(fold2(ScalarOp::mul_hi, Scalar::U32, -1, -1).as_i64() == 4294967294LL);
}
TEST_CASE("bit counts know the width") {
  Const x = integer_constant(Scalar::I16, 1);
  EXPECT(fold(ScalarOp::clz, Scalar::I16, std::span(&x, 1)).as_i64() == 15);
  x = integer_constant(Scalar::I16, 0);
  EXPECT(fold(ScalarOp::ctz, Scalar::I16, std::span(&x, 1)).as_i64() == 16);
  x = integer_constant(Scalar::I8, -1);
  EXPECT(fold(ScalarOp::popc, Scalar::I8, std::span(&x, 1)).as_i64() == 8);
}
TEST_CASE("halves round to nearest even and come back") {
  for (uint32_t h = 0; h < 0x10000; h++)
    if ((h & 0x7c00) != 0x7c00 || (h & 0x3ff) == 0) EXPECT(half_of(float_of(uint16_t(h))) == h);
  EXPECT(half_of(65520.0f) == 0x7c00);
  EXPECT(half_of(1.0f + 0x1p-11f) == 0x3c00);
  EXPECT(half_of(1.0f + 3 * 0x1p-11f) == 0x3c02);
}
TEST_CASE("conversions follow the language") {
  EXPECT(convert(Scalar::U32, integer_constant(Scalar::I8, -1)).as_i64() == 255);
  EXPECT(convert(Scalar::U8, constant(Scalar::F64, 300)).as_i64() == 44);
  EXPECT(convert(Scalar::U32, constant(Scalar::F32, -1)).as_i64() == 4294967295LL);
  EXPECT(convert(Scalar::F64, integer_constant(Scalar::U64, -1)).as_f64() == 18446744073709551616.0);
  EXPECT(convert(Scalar::Bool, constant(Scalar::F64, 0.5)).as_i64() == 1);
}
TEST_CASE("every row evaluates at every type of its domain") {
  for (const OpRow& r : op_rows())
    for (int i = 0; i < scalar_count; i++) {
      Scalar s = Scalar(i);
      if (find_row(r.op, s) != &r) continue;
      std::vector<Const> args;
      for (int k = 0; k < r.arity; k++) args.push_back(constant(operand_type(r.op, s, k), 1));
      EXPECT(fold(r.op, s, args).type == result_type(r.op, s));
    }
}
TEST_CASE("digamma and its derivatives") {
  Const args[] = {constant(Scalar::F64, 0), constant(Scalar::F64, 1)};
  EXPECT(fold(ScalarOp::polygamma, Scalar::F64, args).as_f64() == doctest::Approx(-0.57721566490153286).epsilon(1e-14));
  args[0] = constant(Scalar::F64, 1);
  EXPECT(fold(ScalarOp::polygamma, Scalar::F64, args).as_f64() == doctest::Approx(1.6449340668482264).epsilon(1e-14));
  args[0] = constant(Scalar::F64, 2);
  EXPECT(fold(ScalarOp::polygamma, Scalar::F64, args).as_f64() == doctest::Approx(-2.4041138063191886).epsilon(1e-13));
}
