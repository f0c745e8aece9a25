-- Each would be right if its name meant the earlier definition; what uses them is.
def map f xs = map f (zip (indices xs) xs)
def sum xs = f64.sum (map (\(i, x) -> f64.i64 i * x) xs)
module vector = { def norm (x: f64) (y: f64) = f64.sqrt (x * x + y * y) }
open vector
def norm (v: (f64, f64)) = norm v.0 v.1
module m = {
  def (+) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
}
-- wrong in both ways
def scan f xs = scan f true xs && true
-- expect
-- Error at B21.fut:2:5-8:
-- `map` means the function itself in its own body, and only the earlier definition of that name fits there [B21]
--  2 | def map f xs = map f (zip (indices xs) xs)
--    |     ^^^
-- help: to use the earlier definition, check with --abi=0.25, or name it `prelude.map` after `module prelude = import "/prelude/prelude"`
--
-- Error at B21.fut:6:5-9:
-- `norm` means the function itself in its own body, and only the earlier definition of that name fits there [B21]
--  6 | def norm (v: (f64, f64)) = norm v.0 v.1
--    |     ^^^^
-- help: to use the earlier definition, check with --abi=0.25, or name it `vector.norm`
--
-- Error at B21.fut:8:7-10:
-- `+` means the function itself in its own body, and only the earlier definition of that name fits there [B21]
--  8 |   def (+) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
--    |       ^^^
-- help: to use the earlier definition, check with --abi=0.25, or give it another name first
--
-- Warning at B21.fut:11:5-9:
--   `scan` calls itself here, not the earlier definition of that name [K15]
--    11 | def scan f xs = scan f true xs && true
--       |     ^^^^
--   note: to use the earlier definition, check with --abi=0.25, or name it `prelude.scan` after `module prelude = import "/prelude/prelude"`
--
-- Error at B21.fut:11:17-39:
-- Function body does not have expected type. [D05]
-- Expected:
--   bool -> bool
-- Actual:
--   bool
--  11 | def scan f xs = scan f true xs && true
--     |                 ^^^^^^^^^^^^^^^^^^^^^^
