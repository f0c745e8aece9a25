-- Mandelbrot, Game of Life, matrix inversion, primes, k-means.
def mandel (limit: i32) (cx: f64, cy: f64): i32 =
  (loop (x, y, i) = (0.0, 0.0, 0) while i < limit && x * x + y * y < 4 do (x * x - y * y + cx, 2 * x * y + cy, i + 1)).2
-- ==
-- entry: mandelbrot
-- input { 3i64 2i64 50i32 } output { [[50i32, 5i32], [50i32, 5i32], [50i32, 5i32]] }
entry mandelbrot (h: i64) (w: i64) (limit: i32) =
  tabulate_2d h w (\i j -> mandel limit (f64.i64 j - 0.5, f64.i64 i / 5))

def neighbours [n][m] (b: [n][m]bool) (i: i64) (j: i64): i32 =
  let cell di dj = i32.bool b[(i + di) %% n, (j + dj) %% m]
  in cell (n - 1) (m - 1) + cell (n - 1) 0 + cell (n - 1) 1 + cell 0 (m - 1) + cell 0 1 + cell 1 (m - 1) + cell 1 0 + cell 1 1
-- ==
-- entry: life
-- input { 2i32 [[false,true,false,false],[false,true,false,false],[false,true,false,false],[false,false,false,false]] }
-- output { [[false,true,false,false],[false,true,false,false],[false,true,false,false],[false,false,false,false]] }
entry life [n][m] (steps: i32) (b: [n][m]bool): [n][m]bool =
  loop b for _i < steps do
    tabulate_2d n m (\i j -> let k = neighbours b i j in k == 3 || (b[i, j] && k == 2))

def gauss_jordan [n][m] (a: [n][m]f64): [n][m]f64 =
  loop a for i < i64.min n m do
    let icol = map (\row -> row[i]) a
    let (j, _) = map f64.abs icol
                 |> zip (iota n)
                 |> drop i
                 |> reduce (\(ja, va) (jb, vb) -> if va >= vb then (ja, va) else (jb, vb)) (-1, -1)
    let f = (1 - a[i, i]) / a[j, i]
    let irow = map2 (\x y -> x + f * y) a[i] a[j]
    in map2 (\k row -> if k == i then irow else let f = row[i] in map2 (\x y -> x - f * y) row irow) (iota n) a
def inverse [n] (a: [n][n]f64): [n][n]f64 =
  let twice = 2 * n
  let ident = tabulate_2d n n (\i j -> if i == j then 1 else 0)
  let ai = map2 (\r e -> (r ++ e) :> [twice]f64) a ident
  in map (\row -> row[n:twice] :> [n]f64) (gauss_jordan ai)
-- ==
-- entry: inverted
-- input { [[2.0, 1.0], [1.0, 3.0]] } output { [[0.6, -0.2], [-0.2, 0.4]] }
entry inverted [n] (a: [n][n]f64) = inverse a

def sieve (n: i64) =
  let flags = loop flags = replicate (n + 1) true with [0] = false with [1] = false for i < 100i64 do
                let p = i + 2
                in if p * p > n || !flags[p] then flags
                   else let m = n / p - 1
                        in scatter flags (map (\k -> (k + 2) * p) (iota m)) (replicate m false)
  in map (.0) (filter (.1) (zip (iota (n + 1)) flags))
-- ==
-- entry: primes
-- input { 30i64 } output { [2i64,3i64,5i64,7i64,11i64,13i64,17i64,19i64,23i64,29i64] }
entry primes (n: i64) = sieve n

def closest [k] (centres: [k](f64, f64)) (x: f64, y: f64): i64 =
  let distance (cx, cy) = (cx - x) * (cx - x) + (cy - y) * (cy - y)
  in (reduce_comm (\(i, a) (j, b) -> if a < b || (a == b && i < j) then (i, a) else (j, b)) (-1, f64.inf)
        (zip (iota k) (map distance centres))).0
-- ==
-- entry: kmeans
-- input { 2i64 5i32 [0.0, 0.1, 5.0, 5.1] [0.0, 0.2, 5.0, 5.2] } output { [0.05, 5.05] [0.1, 5.1] [0i64,0i64,1i64,1i64] }
entry kmeans [n] (k: i64) (rounds: i32) (xs: [n]f64) (ys: [n]f64) =
  let points = zip xs ys
  let start = copy (take k points :> [k](f64, f64)) with [1] = points[n - 1]
  let centres =
    loop centres = copy start for _i < rounds do
      let owner = map (closest centres) points
      let counts = hist (+) 0 k owner (replicate n 1i32)
      let (sx, sy) = unzip (hist (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) k owner points)
      in map3 (\x y c -> (x / f64.i32 c, y / f64.i32 c)) sx sy counts
  let (cx, cy) = unzip centres
  in (cx, cy, map (closest centres) points)
