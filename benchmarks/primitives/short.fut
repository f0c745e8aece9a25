-- short.fut - maps whose elements run loops of a few iterations over small arrays: a sorting network, an elimination, a table.

-- The median of the nine pixels around each, those beyond the border repeated.
-- ==
-- entry: medians
-- input { [[9f32, 1f32, 8f32], [2f32, 7f32, 3f32], [6f32, 4f32, 5f32]] }
-- output { [[7f32, 7f32, 7f32], [6f32, 5f32, 5f32], [6f32, 5f32, 5f32]] }
entry medians [n] [m] (image: [n][m]f32): [n][m]f32 =
  tabulate_2d n m (\i j ->
    let near k = image[i64.max 0 (i64.min (n - 1) (i + k / 3 - 1)), i64.max 0 (i64.min (m - 1) (j + k % 3 - 1))]
    let xs = loop xs = replicate 9 0 for k < 9 do xs with [k] = near k
    let xs =
      loop xs for p < 8 do
        loop xs for q < 8 - p do
          let (a, b) = (xs[q], xs[q + 1])
          let xs = xs with [q] = f32.min a b
          in xs with [q + 1] = f32.max a b
    in xs[4])

-- Solutions of 3 x 3 systems by elimination without pivots, and the gradient of the sum of all that they make.
def solve (a: [3][3]f64) (b: [3]f64): [3]f64 =
  let (a, b) =
    loop (a, b) = (copy a, copy b) for k < 2 do
      loop (a, b) for i in k + 1..<3 do
        let f = a[i, k] / a[k, k]
        let a = loop a = a for j in k + 1..<3 do a with [i, j] = a[i, j] - f * a[k, j]
        in (a, b with [i] = b[i] - f * b[k])
  in loop x = b for k < 3 do
       let i = 2 - k
       let rest = loop rest = x[i] for j in i + 1..<3 do rest - a[i, j] * x[j]
       in x with [i] = rest / a[i, i]

def system (i: i64): ([3][3]f64, [3]f64) =
  let t = f64.i64 i / 1000
  in ([[4 + t, 1, 0.5], [1, 5, t / 2], [0.25, 1, 3]], [1, t, 2])

-- ==
-- entry: eliminations
-- input { 2i64 } output { [[-0.10626735901461176f64, 0.021253471802922357f64, -0.40115928028015946f64],
--          [-0.10621291919015668f64, 0.021161824625020375f64, -0.4011003624685372f64]] }
entry eliminations (n: i64): [n][3]f64 =
  let (as, bs) = unzip (map system (iota n))
  let g = vjp (\as -> f64.sum (flatten (map2 solve as bs))) as 1
  in map (\m -> map f64.sum (transpose m)) g

-- Polynomials with coefficients from a table.
-- ==
-- entry: polynomials
-- input { [0f64, 1f64, 2f64] } output { [1f64, 2.7182539682539684f64, 7.3809523809523805f64] }
entry polynomials [n] (xs: [n]f64): [n]f64 =
  let table = [1, 1, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040f64]
  in map (\x -> loop y = 0 for k < 8 do y * x + table[7 - k]) xs

-- Sums of eight sines for each number, and the gradient of what they miss by the amplitudes.
def series [n] (amplitudes: [8]f64) (xs: [n]f64): [n]f64 =
  map (\x -> loop y = 0 for k < 8 do y + amplitudes[k] * f64.sin (f64.i64 (k + 1) * x)) xs

-- ==
-- entry: series_fit
-- input { [0f64, 0.5f64, 1f64, 2f64] }
-- output { [-1.416774038479843f64, 3.985748790411302f64, 2.7363596509119947f64, -1.2436665119913997f64,
--           2.423468482691135f64, 1.7066949983867046f64, -3.2862867867009826f64, -0.37683237811432957f64] }
entry series_fit [n] (xs: [n]f64): [8]f64 =
  vjp (\amplitudes -> f64.sum (map2 (\y x -> (y - x) ** 2) (series amplitudes xs) xs)) (map (\k -> 1 / f64.i64 (k + 1)) (iota 8)) 1

-- Random bits: ten steps of a generator for each seed.
-- ==
-- entry: shifts
-- input { [1u64, 2u64, 18446744073709551615u64] }
-- output { [8332670729032836398u64, 15289221115777303557u64, 11337428289156956144u64] }
entry shifts [n] (seeds: [n]u64): [n]u64 =
  map (\x -> loop x for _i < 10 do
    let x = x ^ (x << 13)
    let x = x ^ (x >> 7)
    in x ^ (x << 17)) seeds
