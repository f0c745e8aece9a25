-- trmv.fut - product of a lower triangular matrix and a vector: over the whole matrix, over the triangle only, and with the
-- strictly lower part packed by rows.

import "../input"

def full [n] (l: [n][n]f64) (x: [n]f64): [n]f64 =
  map2 (\i row -> f64.sum (map3 (\j a b -> if j <= i then a * b else 0) (iota n) row x)) (iota n) l

def triangular [n] (l: [n][n]f64) (x: [n]f64): [n]f64 =
  tabulate n (\i -> loop s = 0 for j < i + 1 do s + l[i, j] * x[j])

def packed [n] [t] (diagonal: [n]f64) (l: [t]f64) (x: [n]f64): [n]f64 =
  tabulate n (\i -> loop s = diagonal[i] * x[i] for j < i do s + l[i * (i - 1) / 2 + j] * x[j])

def instance (n: i64) = (fill_2d (uniform 51) n n, fill (uniform 52) n)

entry inputs (n: i64): ([n][n]f64, [n]f64) = instance n

def derivatives [n] (f: [n][n]f64 -> [n]f64 -> [n]f64) (l: [n][n]f64) (x: [n]f64) (seed: [n]f64): ([n][n]f64, [n]f64) =
  vjp (\(l, x) -> f l x) (l, x) seed

entry calculate_objective [n] (l: [n][n]f64) (x: [n]f64): [n]f64 = triangular l x
entry calculate_jacobian [n] (l: [n][n]f64) (x: [n]f64): ([n][n]f64, [n]f64) = derivatives triangular l x (replicate n 1)
entry full_objective [n] (l: [n][n]f64) (x: [n]f64): [n]f64 = full l x
entry full_jacobian [n] (l: [n][n]f64) (x: [n]f64): ([n][n]f64, [n]f64) = derivatives full l x (replicate n 1)

def pack [n] (l: [n][n]f64): ([n]f64, []f64) =
  (tabulate n (\i -> l[i, i]), flatten (tabulate_2d n n (\i j -> (i, j))) |> filter (\(i, j) -> j < i) |> map (\(i, j) -> l[i, j]))

entry packed_inputs (n: i64): ([n]f64, []f64, [n]f64) =
  let (l, x) = instance n
  let (d, s) = pack l
  in (d, s, x)
entry packed_objective [n] [t] (diagonal: [n]f64) (l: [t]f64) (x: [n]f64): [n]f64 = packed diagonal l x
entry packed_jacobian [n] [t] (diagonal: [n]f64) (l: [t]f64) (x: [n]f64): ([n]f64, [t]f64, [n]f64) =
  vjp (\(d, l, x) -> packed d l x) (diagonal, l, x) (replicate n 1)

def seed (n: i64): [n]f64 = tabulate n (\j -> 1 / f64.i64 (1 + j))

entry check (n: i64): (f64, f64, f64) =
  let (l, x) = instance n
  let (gl, gx) = derivatives triangular l x (seed n)
  in check_of (contract (triangular l x)) (flatten gl ++ gx)

entry check_full (n: i64): (f64, f64, f64) =
  let (l, x) = instance n
  let (gl, gx) = derivatives full l x (seed n)
  in check_of (contract (full l x)) (flatten gl ++ gx)

-- The packed gradient unpacked again.
entry check_packed (n: i64): (f64, f64, f64) =
  let (l, x) = instance n
  let (d, s) = pack l
  let (gd, gs, gx) = vjp (\(d, s, x) -> packed d s x) (d, s, x) (seed n)
  let gl = tabulate_2d n n (\i j -> if j < i then gs[i * (i - 1) / 2 + j] else if i == j then gd[i] else 0)
  in check_of (contract (packed d s x)) (flatten gl ++ gx)
-- ==
-- entry: check check_full check_packed
-- input { 8i64 } output { 1.42931147859471 7.3982222635 -0.0384446556281 }
