-- A two-dimensional stencil with boundary conditions passed as a function.
def stencil [n] [m] 'a 'b (f: (i64 -> i64 -> a) -> b) (edge: i64 -> i64 -> a) (grid: [n][m]a):
    [n][m]b =
  tabulate_2d n m \i j ->
                    f \di dj ->
                        let (y, x) = (i + di, j + dj)
                        in if y >= 0 && y < n && x >= 0 && x < m
                           then #[unsafe] grid[y, x]
                           else edge y x

def heat [n] [m] (k: i32) (alpha: f32) (g: [n][m]f32): [n][m]f32 =
  iterate k
    (stencil (\at -> at 0 0 + alpha * (at (-1) 0 + at 1 0 + at 0 (-1) + at 0 1 - 4 * at 0 0))
       (\_ _ -> 0)) g

-- ==
-- entry: diffuse
-- input { 3i32 [[0f32,0f32,0f32],[0f32,100f32,0f32],[0f32,0f32,0f32],[4f32,5f32,6f32]] }
-- output { [[3.604f32, 11.605f32, 3.606f32], [11.686999f32, 28.919998f32, 11.723f32], [4.25f32, 12.64f32, 4.4700003f32],
--   [1.9810001f32, 4.28f32, 2.4490001f32]] }
-- input { 0i32 empty([0][3]f32) } output { empty([0][3]f32) }
-- input { 2i32 empty([3][0]f32) } output { empty([3][0]f32) }
entry diffuse [n] [m] (k: i32) (g: [n][m]f32) = heat k 0.1 g

-- ==
-- entry: laplace
-- input { 4i64 5i64 }
-- output { [[2i32, 0i32, -2i32, -4i32, -6i32], [4i32, 4i32, 4i32, 4i32, 4i32], [8i32, 8i32, 8i32, 8i32, 8i32], [0i32, 2i32,
--   4i32, 6i32, 8i32]] [[false, false, false, false, true], [false, false, false, false, true], [true, false, false, false,
--   true], [true, false, false, false, true]] }
entry laplace (n: i64) (m: i64) =
  let g = tabulate_2d n m (\i j -> i32.i64 (i * i - j))
  in stencil (\at -> (at 1 0 - at (-1) 0, at 0 1 > at 0 (-1))) (\y x -> i32.i64 (y + x)) g
     |> map unzip
     |> unzip
