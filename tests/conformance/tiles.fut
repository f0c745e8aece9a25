-- Contractions, for what computes them in tiles (tests/fuzz/tiles.py has more sizes): operators, element types, transposed operands,
-- what a row, a column or a point adds, what is done with the results, batches. Each is compared with sums taken one by one in loops.

def matrix 't (f: i64 -> t) (n: i64) (m: i64): [n][m]t = opaque (tabulate_2d n m (\i j -> f ((i * 7 + j * 13 + (i * j) % 5) % 11)))

-- One sum after the other, each in a loop of the program's own.
def one_by_one 'a 'r [n][m][q] (point: i64 -> i64 -> i64 -> a -> a -> r) (op: r -> r -> r) (ne: r) (a: [n][q]a) (b: [m][q]a): [n][m]r =
  loop out = replicate n (replicate m ne) for i < n do
    loop out = out for j < m do
      out with [i, j] = loop s = ne for k < q do op s (point i j k a[i][k] b[j][k])
def contraction 'a 'r [n][m][q] (point: i64 -> i64 -> i64 -> a -> a -> r) (op: r -> r -> r) (ne: r) (a: [n][q]a) (b: [m][q]a): [n][m]r =
  tabulate_2d n m (\i j -> reduce op ne (tabulate q (\k -> point i j k a[i][k] b[j][k])))

def sizes = [(0i64, 16i64, 16i64), (8, 16, 0), (1, 1, 1), (9, 17, 18), (8, 16, 16)]
def every_size (f: i64 -> i64 -> i64 -> bool): bool = loop right = true for (n, m, q) in sizes do right && f n m q
def same 'r [n][m] (equal: r -> r -> bool) (x: [n][m]r) (y: [n][m]r): bool = and (flatten (map2 (map2 equal) x y))
def agree 'a 'r (of: i64 -> a) (equal: r -> r -> bool) (point: i64 -> i64 -> i64 -> a -> a -> r) (op: r -> r -> r) (ne: r): bool =
  every_size (\n m q ->
    let (a, b, d, e) = (matrix of n q, matrix of m q, matrix of q n, transpose (matrix of q m))
    in same equal (contraction point op ne a e) (one_by_one point op ne a e) &&
       same equal (contraction point op ne (transpose d) b) (one_by_one point op ne (transpose d) b))

-- ==
-- entry: floats halves small_integers integers truth
-- input { 0i64 } output { true }
entry floats (_: i64): bool =
  agree (\x -> f64.i64 x - 5) (==) (\_ _ _ x y -> x * y) (+) 0 && agree (\x -> f64.i64 x - 5) (==) (\_ _ _ x y -> x + y) f64.min f64.inf &&
  agree (\x -> f32.i64 x - 5) (==) (\_ _ _ x y -> x * y) (+) 0
entry halves (_: i64): bool = agree (\x -> f16.i64 (x % 3) - 1) (==) (\_ _ _ x y -> x * y) (+) 0
entry small_integers (_: i64): bool = agree i8.i64 (==) (\_ _ _ x y -> x * y) (+) 0 && agree u16.i64 (==) (\_ _ _ x y -> x + y) u16.max 0
entry integers (_: i64): bool = agree i64.i64 (==) (\_ _ _ x y -> x * y) (+) 0 && agree i32.i64 (==) (\_ _ _ x y -> x - y) i32.max i32.lowest
entry truth (_: i64): bool = agree (\x -> x % 3 == 0) (==) (\_ _ _ x y -> x && y) (||) false

-- The indices are operands; the last point that counts; the greatest with its place; a point that is wider than what it is made of.
-- ==
-- entry: of_indices last greatest widened
-- input { 0i64 } output { true }
entry of_indices (_: i64): bool = agree i64.i64 (==) (\i j k x y -> (x + k) * y + i * (j % 3)) (+) 0
entry last (_: i64): bool = agree i64.i64 (==) (\_ _ _ x y -> x * 3 + y) (\x y -> if y < 0 then x else y) (-1)
entry greatest (_: i64): bool =
  agree (\x -> f64.i64 x) (\(x, i) (y, j) -> x == y && i == j) (\_ _ k x y -> (x - y, k))
        (\(x, i) (y, j) -> if y > x || (y == x && j < i) then (y, j) else (x, i)) (-f64.inf, i64.highest)
entry widened (_: i64): bool = agree i8.i64 (==) (\_ _ _ x y -> i64.i8 x * i64.i8 y) (+) 0

-- A NaN is no minimum, unless there is nothing else.
-- ==
-- entry: not_numbers
-- input { 0i64 } output { true }
entry not_numbers (_: i64): bool =
  agree (\x -> if x == 3 then f64.nan else f64.i64 x) (\x y -> x == y || (f64.isnan x && f64.isnan y)) (\_ _ _ x y -> x + y) f64.min f64.inf &&
  agree (\_ -> f32.nan) (\x y -> x == y || (f32.isnan x && f32.isnan y)) (\_ _ _ x y -> x + y) f32.max (-f32.inf)

-- What a map does with the sums, rows of a slice, batches.
-- ==
-- entry: epilogues slices batches
-- input { 0i64 } output { true }
entry epilogues (_: i64): bool =
  every_size (\n m q ->
    let (a, b) = (matrix f64.i64 n q, matrix f64.i64 m q)
    let c = one_by_one (\_ _ _ x y -> x * y) (+) 0 a b
    let (biased, greatest) = unzip (map2 (\x i -> let row = map2 (\y j -> f64.sum (map2 (*) x y) + f64.i64 (i - j)) b (iota m) in (row, f64.maximum row)) a (iota n))
    in same (==) biased (tabulate_2d n m (\i j -> c[i][j] + f64.i64 (i - j))) && and (map2 (==) greatest (map f64.maximum biased)))
entry slices (_: i64): bool =
  every_size (\n m q ->
    let (a, b) = (matrix f64.i64 (2 * n) q, matrix f64.i64 m (q + 3))
    let (a, b) = (a[0:2 * n:2] :> [n][q]f64, map reverse (b[:, 1:q + 1] :> [m][q]f64))
    in same (==) (map (\x -> map (\y -> f64.sum (map2 (*) x y)) b) a) (one_by_one (\_ _ _ x y -> x * y) (+) 0 a b))
entry batches (_: i64): bool =
  every_size (\n m q ->
    let as = tabulate 3 (\g -> map (map (+ g)) (matrix i64.i64 n q))
    let bs = tabulate 3 (\g -> map (map (* g)) (matrix i64.i64 m q))
    let cs = map2 (\a b -> map (\x -> map (\y -> i64.sum (map2 (*) x y)) b) a) as bs
    in and (map3 (\a b c -> same (==) c (one_by_one (\_ _ _ x y -> x * y) (+) 0 a b)) as bs cs))
