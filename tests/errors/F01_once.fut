-- What follows from a wrong size is not reported: here `m` counts as `n` from then on, and nothing is known of `step`'s result.
def step [n] [m] (w: [n][m]f64) (x: [m]f64) (y: [n]f64) =
  let a = map2 (*) x y
  let b = map2 (+) a y
  let c = map2 (-) x b
  let d = map2 (\r v -> r[0] * v) w c
  in map2 (+) c d
def twice [n] (x: [n]f64) =
  let y = step (replicate 3 x) x (replicate 3 0)
  in map2 (+) y (map2 (*) x y)
-- expect
-- Error at F01_once.fut:3:22-23:
-- Sizes "m" and "n" do not match [F01]
--  3 |   let a = map2 (*) x y
--    |                      ^
-- note: in the argument of `map2`
-- note: expected: [m]f64
-- note: actual:   [n]f64
-- help: if they are equal, have it checked at run time: `y :> [m]f64`
