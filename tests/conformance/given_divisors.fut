-- Divisions by what all elements have in common, whose checks stand before the loops.

-- ==
-- entry: remainders
-- input { [7i64, -7i64, 0i64, 9223372036854775807i64, -9223372036854775808i64, 12i64, 13i64, 14i64, 15i64] 5i64 }
-- output { [2i64, 3i64, 0i64, 2i64, 2i64, 2i64, 3i64, 4i64, 0i64] }
-- input { [7i64, -7i64, 0i64, 9223372036854775807i64, -9223372036854775808i64, 12i64, 13i64, 14i64, 15i64] -5i64 }
-- output { [-3i64, -2i64, 0i64, -3i64, -3i64, -3i64, -2i64, -1i64, 0i64] }
-- input { [1i64] 0i64 } error: division by zero
-- input { empty([0]i64) 0i64 } output { empty([0]i64) }
entry remainders (xs: []i64) (k: i64): []i64 = map (% k) xs

-- ==
-- entry: digits
-- input { 1000i64 } output { 13500i64 }
-- input { 12345i64 } output { 214440i64 }
entry digits (n: i64): i64 = i64.sum (map (\x -> x % 10 + x / 10 % 10 + x / 100 % 10 + x / 1000 % 10 + x / 10000) (iota n))

-- A table that is read around and around.
-- ==
-- entry: around
-- input { [1.0, 2.0, 3.0] 20i64 } output { [1.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 3.0] }
-- input { empty([0]f64) 0i64 } output { empty([0]f64) }
-- input { empty([0]f64) 3i64 } error: division by zero
entry around [m] (table: [m]f64) (n: i64): [n]f64 = tabulate n (\i -> table[(5 * i) % m])

-- The other side of the choice has a check, too.
-- ==
-- entry: chosen
-- input { [1i64, 2i64, 3i64] true 2i64 } output { [1i64, 2i64, 3i64] }
-- input { [1i64, 2i64, 3i64] false 2i64 } output { [1i64, 0i64, 1i64] }
-- input { [1i64, 2i64, 3i64] true 0i64 } error: division by zero
entry chosen (xs: []i64) (c: bool) (k: i64): []i64 = map (\x -> let y = x % k in if c then x else y) xs

-- Numbers of several widths, read from the last to the first.
-- ==
-- entry: turned
-- input { [10.5, 20.25, 30.0, 40.75, 50.5, 60.0, 70.0, 80.0, 90.0, 100.0] [1i16, 2i16, 3i16, 4i16, 5i16, 6i16, 7i16, 8i16, 9i16, 10i16] 7i64 }
-- output { [101i16, 92i16, 83i16, 4i16, 5i16, 56i16, 7i16, 38i16, 29i16, 20i16] [2i64, 6i64, 3i64, 0i64, 4i64, 1i64, 5i64, 2i64, 6i64, 3i64] }
entry turned [n] (xs: [n]f64) (ys: [n]i16) (k: i64): ([n]i16, [n]i64) =
  unzip (tabulate n (\i -> (ys[i] + (if i < 3 || i == 5 || i > 6 then i16.f64 xs[n - 1 - i] else 0), i64.f64 xs[n - 1 - i] % k)))
