-- Scatters whose stores meet in one cell with one value: many threads may store it at once.
def many [n] 't (cells: *[n]t) (points: i64) (x: t): [n]t =
  scatter cells (tabulate points (% n)) (replicate points x)

-- ==
-- entry: scalars
-- input { 0i64 } output { [0i64, 0i64, 0i64] [0u8, 0u8] [false] [0f16] [0f32, 0f32] }
-- input { 1i64 } output { [3i64, 0i64, 0i64] [4u8, 0u8] [true] [1.5f16] [2.5f32, 0f32] }
-- input { 300i64 } output { [3i64, 3i64, 3i64] [4u8, 4u8] [true] [1.5f16] [2.5f32, 2.5f32] }
-- input { 100000i64 } output { [3i64, 3i64, 3i64] [4u8, 4u8] [true] [1.5f16] [2.5f32, 2.5f32] }
entry scalars (points: i64) =
  (many (replicate 3 0i64) points 3, many (replicate 2 0u8) points 4, many (replicate 1 false) points true,
   many (replicate 1 0f16) points 1.5, many (replicate 2 0f32) points 2.5)

-- ==
-- entry: rows
-- input { 50000i64 } output { [[7i32, 8i32], [7i32, 8i32]] [5i8, 5i8] [2.5, 2.5] }
entry rows (points: i64) =
  let (a, b) = unzip (many (replicate 2 (0i8, 0.0)) points (5, 2.5))
  in (many (replicate 2 [0, 0i32]) points [7, 8], a, b)

-- The index of a cell is computed from what was read, so no proof keeps the stores apart.
-- ==
-- entry: marks
-- input { 100000i64 } output { [true, false, true, false, true, false, false] }
entry marks (n: i64) =
  let seen = scatter (replicate 7 false) (map (\i -> (i * i) % 7 * 2 % 7) (iota n)) (replicate n true)
  in scatter seen (map (\i -> 1 + 2 * (i % 3)) (iota n)) (replicate n false)
