-- LU with partial pivoting, determinant, solve and inverse; rows swapped in place.
def argmax_abs [n] (xs: [n]f64) (from: i64) =
  reduce
    (\i j ->
       if i < 0 then j else if j < 0 then i else if f64.abs xs[i] >= f64.abs xs[j] then i else j)
    (-1) (from..<n)

def lu [n] (a: *[n][n]f64): (*[n][n]f64, [n]i64, f64) =
  loop (a, perm, sign) = (a, iota n, 1f64) for k < n do
    let p = argmax_abs (map (\r -> r[k]) a) k
    let row_k = copy a[k]
    let row_p = copy a[p]
    let a[k] = row_p
    let a[p] = row_k
    let (pk, pp) = (perm[k], perm[p])
    let perm[k] = pp
    let perm[p] = pk
    let pivot = a[k, k]
    let factors = map (\i -> if i > k then a[i, k] / pivot else 0) (iota n)
    let row = copy a[k]
    let a = map2 (\i r ->
                    if i <= k
                    then r
                    else
                      map2
                        (\j x ->
                           if j < k
                           then x
                           else if j == k
                           then factors[i]
                           else x - factors[i] * row[j]) (iota n) r)
              (iota n) a
    in (a, perm, if p == k then sign else -sign)

def solve [n] (l: [n][n]f64, perm: [n]i64) (b: [n]f64): [n]f64 =
  let y =
    loop y = map (\i -> b[i]) perm for i < n do
      y with [i] = y[i] - f64.sum (map2 (*) l[i, :i] y[:i])
  in loop x = y for i in n - 1 .. n - 2 ..> -1 do
       x with [i] = (x[i] - f64.sum (map2 (*) l[i, i + 1:] x[i + 1:])) / l[i, i]

-- ==
-- entry: all_of_it
-- input { [[2.0,1.0,1.0],[4.0,3.0,3.0],[8.0,7.0,9.0]] [1.0,2.0,3.0] }
-- output { 4.0f64 [0.5f64, 0.4999999999999997f64, -0.49999999999999983f64] [[1.5000000000000002f64, -0.4999999999999998f64,
--   0.0f64], [-3.0f64, 2.4999999999999996f64, -0.5f64], [0.9999999999999999f64, -1.4999999999999998f64, 0.5f64]] true }
-- input { [[0.0,1.0],[1.0,0.0]] [5.0,7.0] } output { -1.0f64 [7.0f64, 5.0f64] [[0.0f64, 1.0f64], [1.0f64, 0.0f64]] true }
entry all_of_it [n] (a: [n][n]f64) (b: [n]f64) =
  let (l, p, s) = lu (copy a)
  let det = s * f64.product (map (\i -> l[i, i]) (iota n))
  let x = solve (l, p) b
  let inv = transpose (map (\j -> solve (l, p) (tabulate n (\i -> f64.bool (i == j)))) (iota n))
  let residual = map2 (\r bi -> f64.sum (map2 (*) r x) - bi) a b
  in (det, x, inv, all (\r -> f64.abs r < 1e-9) residual)
