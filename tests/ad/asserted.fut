-- Loops of which #[true_dep] says that they write each place once, where an array of indices says which; reads in a map, of a row, in
-- a branch. The test derivatives_check runs this file with --ad-check.
-- rule: loop.once
-- ad: asserted_tree { [1.1,0.3,0.4,0.9] [0i64,0i64,1i64,1i64] }
def asserted_tree [n] (a: [n]f64, parent: [n]i64): [n]f64 =
  tail (loop (#[true_dep] xs) = replicate (n + 1) 0.7 for i < n do xs with [i + 1] = f64.sin xs[parent[i]] * a[i]) :> [n]f64

-- ad: asserted_order { [1.1,0.3,0.4,0.9] [2i64,0i64,3i64,1i64] }
def asserted_order [n] (a: [n]f64, order: [n]i64): [n]f64 =
  loop (#[true_dep] xs) = copy a for i < n - 1 do xs with [order[i + 1]] = f64.sin (xs[order[i]] * a[i]) * (if i > 1 then xs[order[i - 1]] else a[0])

-- ad: asserted_rows { [[1.1,0.3],[0.4,0.9],[0.2,0.7]] [1i64,0i64,2i64] }
def asserted_rows [n][m] (a: [n][m]f64, order: [n]i64): [m]f64 =
  let (t, s) = loop (#[true_dep] t, s) = (copy a, 0) for i < n - 1 do
                 let s = s + f64.sum (map (\j -> t[order[i], j] * a[i, j]) (iota m)) + f64.product t[order[i]]
                 let t = loop t = t for j < m do t with [order[i + 1], j] = f64.sin (t[order[i], j] * s)
                 in (t, s)
  in map (* s) t[order[n - 1]]

-- ad: asserted_until { [1.1,0.3,0.4,0.9] [2i64,0i64,3i64,1i64] }
def asserted_until [n] (a: [n]f64, order: [n]i64): [n]f64 =
  (loop (#[true_dep] xs, i) = (copy a, 0) while i < n - 1 && xs[order[i]] < 3 do (xs with [order[i + 1]] = f64.exp (xs[order[i]] * a[i]), i + 1)).0

-- ad: asserted_scatter { [1.1,0.3,0.4,0.9] [2i64,0i64,-1i64,1i64] }
def asserted_scatter [n] (a: [n]f64, order: [n]i64): [n]f64 =
  #[distinct] scatter (map f64.sin a) order (map (\x -> x * x) a)
