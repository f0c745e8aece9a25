-- waits.fut - maps whose elements run a loop that waits for its own results, and sums with a function of what lies apart. They run in lanes.

-- Tridiagonal systems along the columns of a grid, one after the other, as an implicit step of a heat equation has them.
-- ==
-- entry: solves
-- input { 2i64 [[1f64, 2f64], [2f64, 3f64], [3f64, 1f64]] }
-- output { [[0.8112244897959184f64, 1.165816326530612f64], [1.3877551020408165f64, 1.591836734693877f64], [1.3112244897959184f64, 0.9158163265306121f64]] }
-- notest compiled random input { 10i64 [100][1000]f64 }
entry solves [n][k] (steps: i64) (grid: [n][k]f64): [n][k]f64 =
  let solve y =
    let (us, ys) = loop (us, ys) = (replicate n 2, copy y) for i in 1..<n do
      let q = 0.5 / us[i - 1]
      in (us with [i] = 2 - 0.5 * q, ys with [i] = y[i] + q * ys[i - 1])
    in loop x = copy ys with [n - 1] = ys[n - 1] / us[n - 1] for j < n - 1 do
         let i = n - 2 - j
         in x with [i] = (ys[i] + 0.5 * x[i + 1]) / us[i]
  in loop g = grid for _i < steps do transpose (map solve (transpose g))

-- Potentials of charges in boxes that are neighbours, and the forces: records of four numbers, and a function.
-- ==
-- entry: charges
-- input { [[[0f32, 0f32, 0f32, 1f32], [0f32, 0f32, 0f32, 2f32], [20f32, 0f32, 0f32, 4f32]]] }
-- output { [[[24f32, 0f32, 0f32, 0f32], [24f32, 0f32, 0f32, 0f32], [32f32, 0f32, 0f32, 0f32]]] }
-- notest compiled random input { [500][50][4]f32 }
entry charges [b][p] (boxes: [b][p][4]f32): [b][p][4]f32 =
  let neighbours = tabulate_2d b 8 (\i k -> (i * 7 + k * k) % b)
  let add (a, b, c, d) (x, y, z, w) = (a + x, b + y, c + z, d + w)
  let force x y =
    let (dx, dy, dz) = (x[0] - y[0], x[1] - y[1], x[2] - y[2])
    let f = f32.exp (-(dx * dx + dy * dy + dz * dz)) * y[3]
    in (f, f * dx, f * dy, f * dz)
  let all x os = loop (a, b, c, d) = (0, 0, 0, 0) for o in os do add (a, b, c, d) (reduce add (0, 0, 0, 0) (map (force x) boxes[o]))
  in map2 (\box os -> map (\x -> let (a, b, c, d) = all x os in [a, b, c, d]) box) boxes neighbours

-- The length of the longest sequence of numbers that two others have in common, row by row: a branch reads what was stored last.
-- ==
-- entry: in_common
-- input { [1i32, 2i32, 3i32, 2i32] [2i32, 3i32, 1i32] } output { 2i32 }
-- notest random input { [1000]i32 [1000]i32 }
entry in_common [n][m] (xs: [n]i32) (ys: [m]i32): i32 =
  last (loop row = replicate (m + 1) 0 for x in xs do
    (loop (row, corner) = (copy row, 0) for j < m do
       let above = row[j + 1]
       let here = if ys[j] == x then corner + 1 else i32.max above row[j]
       in (row with [j + 1] = here, above)).0)
