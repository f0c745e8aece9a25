module type ring = { type t val one: t }
module reals: ring with s = f64 = { type t = f64 def one = 1f64 }
module sums (R: ring with t.u = f64) = { def two = (R.one, R.one) }
module pairs = sums reals
def three = pairs.two.0 + reals.one
-- expect
-- Error at I16_used.fut:2:25-26:
-- s is not an abstract type in the module type [I16]
--  2 | module reals: ring with s = f64 = { type t = f64 def one = 1f64 }
--    |                         ^
--
-- Error at I16_used.fut:3:27-30:
-- t.u is not an abstract type in the module type [I16]
--  3 | module sums (R: ring with t.u = f64) = { def two = (R.one, R.one) }
--    |                           ^^^
