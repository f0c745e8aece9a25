-- Derivatives in numbers of directions that are known when the program runs: side by side in strips of eight, whose last one is
-- not full. Loops take one direction at a time, for comparison.

def unit (n: i64) (i: i64): [n]f64 = tabulate n (\j -> f64.bool (i == j))
def near (a: f64) (b: f64) = a == b || (f64.isnan a && f64.isnan b) || f64.abs (a - b) <= 1e-12 * (1 + f64.abs a)
def all_near [n] [m] (as: [n][m]f64) (bs: [n][m]f64) = and (flatten (map2 (map2 near) as bs))

def seed (n: i64) (i: i64): [n]f64 = tabulate n (\j -> f64.sin (f64.i64 (3 * i + j)))
def one_by_one [m] (k: i64) (f: i64 -> [m]f64): [k][m]f64 =
  loop rows = replicate k (replicate m 0) for i < k do rows with [i] = f i

-- All ways to ask for k directions at x, and for k adjoints.
def all_ways [n] [m] (k: i64) (f: [n]f64 -> [m]f64) (x: [n]f64): []bool =
  let forward = one_by_one k (\i -> jvp f x (seed n i))
  let back = one_by_one k (\i -> vjp f x (seed m i))
  let seeds = tabulate k (seed n)
  let weights = tabulate k (seed m)
  in [all_near forward (jmp f x seeds),
      all_near forward (map (jvp f x) seeds),
      all_near forward (map (\i -> jvp f x (seed n i)) (iota k)),
      all_near forward (map2 (\i s -> (jvp2 f x (map (* f64.i64 (1 + i % 2)) s)).1 |> map (/ f64.i64 (1 + i % 2))) (iota k) seeds),
      all_near back (mjp f x weights),
      all_near back (map (vjp f x) weights),
      all_near back (map (\i -> vjp f x (seed m i)) (iota k)),
      near (f64.sum (map f64.sum forward)) (f64.sum (map (\s -> f64.sum (jvp f x s)) seeds)),
      and (map2 near (map (\i -> if m > 0 then forward[i, i % m] else 0) (iota k))
                     (map (\i -> let d = jvp f x (seed n i) in if m > 0 then d[i % m] else 0) (iota k)))]

def point (n: i64): [n]f64 = tabulate n (\i -> 0.3 + 0.1 * f64.i64 (i % 7))

-- Maps, scans, sums, products and minima; updates in loops, bins, branches and loops that end with what they compute.
def arrays [n] (x: [n]f64): [n]f64 =
  let s = scan (+) 0 (map f64.sin x)
  in map2 (\a b -> a * b + f64.minimum x) (reverse x) (scan (\p q -> p * q) 1 (map f64.cos s))
def steps [n] (x: [n]f64): [3]f64 =
  let ys = loop ys = copy x for i < n do ys with [i] = ys[i] * ys[(i + 1) % n] + f64.cos ys[0]
  let z = #[bound(20)] loop z = f64.product ys + 2 while z < 50 do z * z + ys[0] * ys[0]
  let bins = reduce_by_index (replicate 3 1) (*) 1 (map (% 3) (iota n)) ys
  in map (\b -> if b > 1 then b * z / 50 else f64.sqrt (b * b + 1)) bins
def rows [n] (x: [n]f64): [n * n]f64 =
  let m = tabulate_2d n n (\i j -> x[i] * f64.exp (-x[j]))
  in flatten (map (\r -> map2 (*) r (map (\c -> f64.sum (map2 (*) r c)) (transpose m))) m)

def each (ns: []i64) (ks: []i64) (ways: i64 -> i64 -> bool): bool =
  loop fine = true for i < length ns do ways ns[i] ks[i] && fine

-- ==
-- entry: strips_of_arrays strips_of_steps
-- input { [5i64, 5i64, 5i64, 5i64, 5i64, 5i64, 5i64, 1i64, 13i64, 40i64] [0i64, 1i64, 3i64, 4i64, 7i64, 8i64, 9i64, 16i64, 17i64, 40i64] }
-- output { true }
entry strips_of_arrays (ns: []i64) (ks: []i64): bool = each ns ks (\n k -> and (all_ways k arrays (point n)))
entry strips_of_steps (ns: []i64) (ks: []i64): bool = each ns ks (\n k -> and (all_ways k steps (point n)))
-- ==
-- entry: strips_of_rows
-- input { [0i64, 5i64, 6i64] [9i64, 5i64, 11i64] } output { true }
entry strips_of_rows (ns: []i64) (ks: []i64): bool = each ns ks (\n k -> and (all_ways k rows (point n)))

-- Numbers that the program says: 65 to 128 are strips that come out even, or nearly so.
-- ==
-- entry: constant
-- input { 6i64 } output { [true, true, true, true] }
entry constant (n: i64) =
  let x = point n
  in [and (all_ways 100 arrays x), and (all_ways 67 steps x), and (all_ways 26 arrays x), and (all_ways 5 steps x)]

-- Hessians, their diagonal, and products with them inside of other maps.
def energy [n] (x: [n]f64): f64 = f64.sum (map (\i -> f64.sin (x[i] * x[(i + 1) % n]) * x[i]) (iota n))
def gradient [n] (x: [n]f64): [n]f64 = vjp energy x 1
def all_hessians (n: i64): bool =
  let x = point n
  let h = one_by_one n (\i -> jvp gradient x (unit n i))
  let diagonal = map (\i -> h[i, i]) (iota n)
  let scaled = map (\s -> map (\i -> (jvp gradient (map (* s) x) (unit n i))[i]) (iota n)) [1, 2]
  let scaled_slowly = one_by_one 2 (\k -> one_by_one n (\i -> jvp gradient (map (* f64.i64 (k + 1)) x) (unit n i))
                                         |> \rows -> map (\i -> rows[i, i]) (iota n))
  in all_near h (map (\i -> jvp gradient x (unit n i)) (iota n))
     && all_near h (map (\i -> vjp gradient x (unit n i)) (iota n))
     && all_near h (jmp gradient x (tabulate n (unit n)))
     && all_near [diagonal] [map (\i -> (jvp gradient x (unit n i))[i]) (iota n)]
     && near (f64.sum diagonal) (f64.sum (map (\i -> (jvp gradient x (unit n i))[i]) (iota n)))
     && all_near scaled scaled_slowly
-- ==
-- entry: hessians
-- input { [0i64, 1i64, 4i64, 11i64, 16i64] } output { true }
entry hessians (ns: []i64): bool = each ns ns (\n _ -> all_hessians n)

-- Under another operator, and points that are more than one array, seeds of which some are zero.
-- ==
-- entry: nested
-- input { 9i64 } output { true }
entry nested (n: i64): bool =
  let x = point n
  let trace x = f64.sum (map (\i -> (jvp gradient x (unit n i))[i]) (iota n))
  let f (a: f64, ys: [n]f64, _: i64): ([n]f64, f64) = (map (* a) (map f64.tanh ys), a * f64.sum ys)
  let slowly = one_by_one n (\i -> let (ds, d) = jvp f (2, x, 1) (f64.i64 i, unit n i, 0) in map (+ d) ds)
  let third = jvp trace x (unit n 0)
  let by_differences = (trace (map2 (\a e -> a + 1e-5 * e) x (unit n 0)) - trace (map2 (\a e -> a - 1e-5 * e) x (unit n 0))) / 2e-5
  in all_near slowly (map (\i -> let (ds, d) = jvp f (2, x, 1) (f64.i64 i, unit n i, 0) in map (+ d) ds) (iota n))
     && f64.abs (third - by_differences) < 1e-6 * (1 + f64.abs third)
     && near third (vjp trace x 1)[0]
