-- element_loops.fut - loops whose iterations change the elements of arrays by themselves.

-- Two arrays and the time.
-- ==
-- entry: steps
-- input { 3i64 0.5f64 [1f64, 2f64] [0f64, -1f64] } output { 1.5f64 [-0.203125f64, -1.4375f64] [-1.03125f64, -2.375f64] }
-- input { 0i64 0.5f64 [1f64, 2f64] [0f64, -1f64] } output { 0f64 [1f64, 2f64] [0f64, -1f64] }
-- input { -2i64 0.5f64 [1f64] [0f64] } output { 0f64 [1f64] [0f64] }
-- input { 3i64 0.5f64 empty([0]f64) empty([0]f64) } output { 1.5f64 empty([0]f64) empty([0]f64) }
entry steps [n] (k: i64) (dt: f64) (xs: [n]f64) (vs: [n]f64): (f64, [n]f64, [n]f64) =
  loop (t, xs, vs) = (0, xs, vs) for _i < k do
    let vs = map2 (\x v -> v - dt * x) xs vs
    in (t + dt, map2 (\x v -> x + dt * v) xs vs, vs)

-- Rows of another array, and the place.
-- ==
-- entry: folded
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [14i64, 21i64, 28i64] }
entry folded [m] [n] (xss: [m][n]i64): [n]i64 =
  loop ys = replicate n 1 for i < m do map3 (\y x j -> y * 2 + x * (i + 1) + j) ys xss[i] (iota n)

-- Random numbers: two states that are no floats.
-- ==
-- entry: random
-- input { 3i64 2i64 } output { [169u32, 124u32, 179u32] }
entry random (n: i64) (k: i64): [n]u32 =
  let (ss, sums) =
    loop (ss, sums) = (map u32.i64 (iota n), replicate n 0) for _i < k do
      let ss = map (\s -> s * 5 + 13) ss
      in (ss, map2 (\s t -> t + s % 100) ss sums)
  in map2 (+) ss sums

-- An element may run a loop of its own.
-- ==
-- entry: halved
-- input { 2i64 [40i64, 7i64, 1i64] } output { [2i64, 2i64, 1i64] }
entry halved [n] (k: i64) (xs: [n]i64): [n]i64 =
  loop xs = xs for _i < k do map (\x -> (loop x while x > 3 && x % 2 == 0 do x / 2) / 2 + 1) xs

-- Neighbours, and what fails, stay loops over arrays.
-- ==
-- entry: smoothed
-- input { 2i64 [0f64, 4f64, 8f64] } output { [0f64, 1f64, 4f64] }
entry smoothed [n] (k: i64) (xs: [n]f64): [n]f64 =
  loop xs = xs for _i < k do tabulate n (\i -> if i == 0 then xs[0] else 0.5 * (xs[i] + xs[i - 1]))

-- ==
-- entry: divided
-- input { 2i64 [8i64, 6i64] } output { [4i64, 3i64] }
-- input { 3i64 [8i64, 6i64] } error: division by zero
entry divided [n] (k: i64) (xs: [n]i64): [n]i64 = loop xs = xs for i < k do map (\x -> x / (2 - i)) xs

-- A vector is multiplied by a triangle, column by column.
-- ==
-- entry: triangle
-- input { [1f64, 2f64, 3f64] [1f64, 1f64, 2f64] } output { [1f64, 2f64, 7f64] }
-- input { [1f64] [5f64] } output { [5f64] }
-- input { [1f64, 2f64] [1f64, 1f64, 2f64] } error: Index \[2:3\] out of bounds for array of shape \[2\]
entry triangle [d] [t] (l: [t]f64) (v: [d]f64): [d]f64 =
  loop y = copy v for c < d do
    let below = d - 1 - c
    let start = c * (d - 1)
    in y with [c + 1:d] = map2 (\a b -> a + v[c] * b) (y[c + 1:d] :> [below]f64) (l[start:start + below] :> [below]f64)

-- As many elements as eight groups of lanes have, fewer and more.
-- ==
-- entry: many
-- input { 255i64 9i64 } output { 64909083i64 }
-- input { 256i64 9i64 } output { 65732322i64 }
-- input { 1000i64 9i64 } output { 255509113i64 }
-- input { 400i64 0i64 } output { 558601i64 }
entry many (n: i64) (k: i64): i64 =
  let (t, ys, zs) =
    loop (t, ys, zs) = (1, iota n, replicate n 7) for i < k do
      let (ys, zs) = unzip (map2 (\y z -> ((y * 5 + i) % 1000, (z * t + y) % 1009)) ys zs)
      in (t + 3, ys, zs)
  in i64.sum (map2 (\y z -> y * z) ys zs) + t
