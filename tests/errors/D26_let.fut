-- The place is what the body gives in the end.
def squares (n: i64): [n]i64 =
  let (out, _) =
    loop (out, k) = (replicate n 0, 0) for i < n do
      let k = k + 2 * i + 1
      in out with [i] = k
  in out
def mean [n] (xs: [n]f64): f64 =
  let s = f64.sum xs
  let m = s / f64.i64 n
  in (m, s)
def firsts [n] (k: i64) (xs: [n]f64): [k]f64 =
  let ys = map f64.sqrt xs
  in ys
-- expect
-- Error at D26_let.fut:6:10-26:
-- Cannot unify [D26]
--   []i64
-- with
--   ([]i64, i64)
--  6 |       in out with [i] = k
--    |          ^^^^^^^^^^^^^^^^
--
-- Error at D26_let.fut:11:6-12:
-- Function body does not have expected type. [D05]
-- Expected:
--   f64
-- Actual:
--   (f64, f64)
--  11 |   in (m, s)
--     |      ^^^^^^
--
-- Error at D26_let.fut:14:6-8:
-- Sizes "k" and "n" do not match [F01]
--  14 |   in ys
--     |      ^^
-- note: in the result of `firsts`
-- note: expected: [k]f64
-- note: actual:   [n]f64
-- help: if they are equal, have it checked at run time: `ys :> [k]f64`
