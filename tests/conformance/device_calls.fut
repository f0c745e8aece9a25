-- Functions that stay functions, called in parallel operators: a long one that is called often, one that is to stay, and one that
-- calls others.
def step (x: i64) (y: i64): i64 =
  let a = if x > 5 then (x * 3 + y) % 1009 else y - x * 2
  let b = if a > 7 then (a * 5 + y) % 1013 else x - a * 3
  let c = if b > 11 then (b * 7 + a) % 1019 else a - b * 5
  let d = if c > 13 then (c * 11 + b) % 1021 else b - c * 7
  let e = if d > 17 then (d * 13 + c) % 1031 else c - d * 11
  let f = if e > 19 then (e * 17 + d) % 1033 else d - e * 13
  in (a + b + c + d + e + f) % 10007

#[noinline] def marked (x: i64): i64 = if x > 3 then step x 1 else x + 2
#[noinline] def of_row [k] (xs: [k]i64): i64 = i64.sum (map (\x -> marked x * x) xs)
def twice (x: i64) = step (step x 1) 2
def four (x: i64) = twice (twice x)
def many (x: i64) = four (four (four (four x)))

-- ==
-- entry: same_in_loop
-- input { 5i64 } output { true }
entry same_in_loop (n: i64) =
  let parallel = map (\x -> many (many (many (many (many x))))) (iota n)
  let one x = loop x for _i < 40 do step (step x 1) 2
  in parallel == map one (iota n)

-- ==
-- entry: stays
-- input { [1i64, 2i64, 3i64] } output { [3i64, 4i64, 5i64] }
entry stays (xs: []i64) = map marked xs

-- ==
-- entry: rows
-- input { [[1i64, 2i64], [3i64, 0i64]] } output { [11i64, 15i64] }
entry rows (xss: [][]i64) = map of_row xss
