-- Programs whose derivatives have known costs; costs.py measures them. `-- cost: NAME TIME MEMORY [SIZES] MORE` holds the
-- exponents of the time of NAME and of the memory that it needs at most, as functions of n, the first
-- argument. `-- schedule: NAME PLAIN KIND K`:
-- NAME gives exactly what PLAIN gives, and runs the body of its loop as often as the schedule does it (docs/ad.md 7.7).
-- `-- same: NAME PLAIN`: NAME does the work of PLAIN, or less, and gives the same.
-- `-- ratio: NAME PLAIN MOST`: NAME does at most MOST times the work of PLAIN.
-- `-- budget: NAME BODY STATE INNER BYTES..`: with --ad-memory=BYTES NAME stays within them; each iteration has STATE bytes and is BODY, whose
-- loops record INNER bytes in each of their iterations.
def data (n: i64): [n]f64 = map (\i -> 0.5 + 0.5 * f64.sin (f64.i64 (i * 7 + 1))) (iota n)

-- cost: gather 1 1
entry gather (n: i64): []f64 =
  vjp (\(xs: [n]f64) -> loop s = 0 for i < n do s + f64.sin xs[(i * 7) % n] * s) (data n) 1

-- cost: prefix 1 1
entry prefix (n: i64): []f64 =
  vjp (\(a: [n]f64) -> let xs = loop xs = replicate n 1.0 for i < n - 1 do xs with [i + 1] = f64.sin xs[i] * a[i]
                       in xs[n - 1]) (data n) 1

-- cost: overwrite 1 1
entry overwrite (n: i64): []f64 =
  vjp (\(a: [n]f64) -> loop xs = copy a for i < n do xs with [(i * 3) % n] = f64.sin xs[(i * 3) % n] * xs[i]) (data n) (data n)

-- cost: overwrite_twice 1 1
entry overwrite_twice (n: i64): []f64 =
  vjp (\a -> vjp (\(a: [n]f64) -> loop xs = copy a for i < n do xs with [(i * 3) % n] = f64.sin xs[(i * 3) % n] * xs[i]) a (data n)) (data n) (data n)

-- cost: twice 1 1
entry twice (n: i64): []f64 =
  vjp (\(a: [n]f64) -> loop xs = copy a for i < n - 1 do
                         let xs = xs with [i] = f64.exp (0.3 * xs[i + 1])
                         let s = xs[i] * xs[i + 1]
                         in xs with [i + 1] = s * a[i]) (data n) (data n)

-- Each iteration reads a column of n numbers, and not the n x n others. Regressions on simulated paths do so at each date.
-- cost: columns 2 2 [8, 16, 32]
entry columns (n: i64): [][]f64 =
  vjp (\(a: [n][n]f64) -> loop s = 0 for i < n do f64.sum (map (\row -> f64.sin (row[i] * s) + row[n - 1 - i]) a))
      (map (\x -> map (+ x) (data n)) (data n)) 1

-- Gauss-Seidel. Processors take the loops apart from 64 iterations on, so the sizes are beyond that; those of `triangle` are below.
-- cost: seidel 1 1 [128, 256, 1024]
entry seidel (n: i64): []f64 =
  vjp (\(b: [n]f64) -> loop xs = copy b for _k < 3i64 do
                         loop xs = xs for i < n - 2 do xs with [i + 1] = b[i] - 0.4 * f64.sin (xs[i] * xs[i + 2])) (data n) (data n)

-- Every iteration updates i elements.
-- cost: triangle 2 2 [16, 32, 62]
entry triangle (n: i64): []f64 =
  vjp (\(a: [n]f64) -> loop xs = copy a for i < n do loop xs = xs for j < i do xs with [i] = xs[i] * 0.5 + f64.sin (xs[j] * xs[i])) (data n) (data n)

-- cost: branch 1 1
entry branch (n: i64): []f64 =
  vjp (\(a: [n]f64) -> loop xs = copy a for i < n - 1 do if xs[i] > 0.5 then xs with [i + 1] = xs[i] * xs[i + 1] else xs) (data n) (data n)

-- cost: branches 1 1
entry branches (n: i64): []f64 =
  vjp (\(a: [n]f64) -> loop xs = copy a for i < n - 1 do
                         if xs[i] > 0.5 then let xs = xs with [i + 1] = xs[i] * xs[i + 1] in xs with [0] = xs[i + 1] * xs[0]
                         else if i % 2 == 0 then loop xs = xs for j < 4 do xs with [j] = xs[j] * xs[i + 1]
                         else xs with [i] = f64.sin xs[i]) (data n) (data n)

-- cost: scattered 1 1
entry scattered (n: i64): []f64 =
  vjp (\(a: [n]f64) -> loop xs = copy a for i < n do
                         let is = [i, (i + 2) % n, -1]
                         in scatter xs is (map (\j -> if j < 0 then 7 else f64.sin (xs[j] * xs[(j + 1) % n])) is)) (data n) (data n)

-- Edit distance with a soft minimum: n x n cells.
-- cost: edit 2 2
entry edit (n: i64): []f64 =
  vjp (\(a: [n]f64) ->
         let t = replicate (n + 1) (replicate (n + 1) 0.0)
         let soft x y = - f64.log (f64.exp (- x) + f64.exp (- y))
         let t = loop t = t for i < n do
                   loop t = t for j < n do
                     t with [i + 1, j + 1] = soft (soft t[i, j + 1] (t[i + 1, j] + a[i] * a[j])) (t[i, j] + a[i])
         in t[n, n]) (data n) 1

-- Floyd-Warshall with a soft minimum: n updates of each of n x n cells.
-- cost: floyd 3 3 [4, 8, 16]
entry floyd (n: i64): []f64 =
  vjp (\(a: [n]f64) ->
         let d = map (\x -> map (* x) a) a
         let d = loop d = d for k < n do
                   loop d = d for i < n do
                     loop d = d for j < n do
                       d with [i, j] = - f64.log (f64.exp (- d[i, j]) + f64.exp (- d[i, k] - d[k, j]))
         in f64.sum (map f64.sum d)) (data n) 1

-- cost: newton 1 1
entry newton (n: i64): []f64 =
  vjp (\(a: [n]f64) -> [(loop (x, i) = (1, 0) while i < n && x > -1 do ((x + a[i] / x) / 2, i + 1)).0]) (data n) [1]

-- Arrays that double: the sum of the sizes.
-- cost: doubling 1 1
entry doubling (n: i64): []f64 =
  vjp (\(a: [n]f64) -> f64.sum (loop ys = take 1 a while length ys < n do ys ++ map f64.sin ys)) (data n) 1

-- cost: histogram 1 1
entry histogram (n: i64): []f64 =
  vjp (\(a: [n]f64) -> f64.sum (map f64.sin (reduce_by_index (replicate 8 0) (+) 0 (map (% 8) (iota n)) a))) (data n) 1

-- cost: matmul 3 2 [8, 16, 32]
entry matmul (n: i64): []f64 =
  vjp (\(a: [n]f64) ->
         let m = map (\x -> map (* x) a) a
         in f64.sum (map (\x -> f64.sum (map (\y -> let p = f64.sum (map2 (*) x y) in p * p) (transpose m))) m)) (data n) 1

-- The distances to k centres: the derivative goes to the nearest one.
-- cost: nearest 1 1
entry nearest (n: i64): []f64 =
  vjp (\(c: [n]f64) -> f64.sum (map (\x -> f64.minimum (map (\y -> (x - y) * (x - y)) c)) (data 4))) (data n) 1

-- Schedules, with a body that is k times as expensive.
def step (k: i64) (i: i64) (s: f64): f64 = loop t = s for _j < k do f64.sin (t * 1.1 + f64.i64 i)
entry body (n: i64) (k: i64): f64 = loop s = 0.3 for i < n do step k i s
-- cost: plain 1 1 [256, 1024, 4096] 1
entry plain (n: i64) (k: i64): f64 = vjp (\x -> loop s = x for i < n do step k i s) 0.3 1
-- budget: plain body 8 8 104 200 1000
-- cost: strip2 1 0.5 [256, 1024, 4096] 1
-- schedule: strip2 plain stripmine 2
entry strip2 (n: i64) (k: i64): f64 = vjp (\x -> #[stripmine(2)] loop s = x for i < n do step k i s) 0.3 1
-- cost: strip3 1 0.333 [256, 1024, 4096] 1
-- schedule: strip3 plain stripmine 3
entry strip3 (n: i64) (k: i64): f64 = vjp (\x -> #[stripmine(3)] loop s = x for i < n do step k i s) 0.3 1
-- schedule: slots1 plain checkpoint 1
entry slots1 (n: i64) (k: i64): f64 = vjp (\x -> #[checkpoint(1)] loop s = x for i < n do step k i s) 0.3 1
-- schedule: slots2 plain checkpoint 2
entry slots2 (n: i64) (k: i64): f64 = vjp (\x -> #[checkpoint(2)] loop s = x for i < n do step k i s) 0.3 1
-- cost: slots4 1.5 0 [64, 128, 256] 1
-- schedule: slots4 plain checkpoint 4
entry slots4 (n: i64) (k: i64): f64 = vjp (\x -> #[checkpoint(4)] loop s = x for i < n do step k i s) 0.3 1
-- Both sweeps of a second derivative
-- cost: strip_twice 1 0.5 [256, 1024, 4096]
entry strip_twice (n: i64): f64 = vjp (\x -> vjp (\x -> #[stripmine(2)] loop s = x for i < n do f64.sin (s * 1.1 + f64.i64 i)) x 1) 0.3 1
-- Two numbers in each state
entry two_bodies (n: i64) (k: i64): (f64, f64) = loop (a, b) = (0.3, 0.1) for i < n do (step k i b, step k i a)
-- budget: two two_bodies 16 16 410 700
entry two (n: i64) (k: i64): f64 =
  vjp (\x -> let (a, b) = loop (a, b) = (x, 0.1) for i < n do (step k i b, step k i a) in a + b) 0.3 1

-- Blocks on a stack are joined while they are not in order. The loop inside is counted as it runs, and the loop around keeps the count.
-- cost: blocks 1 1
entry blocks (n: i64): []f64 =
  vjp (\(a: [n]f64) -> (loop (s, k) = (replicate (n + 1) (-9), 1) for i < n do
                         loop (s, k) = (s with [k] = a[i], k + 1) while s[k - 2] * 1.1 >= s[k - 1] do
                           (s with [k - 2] = (s[k - 2] + s[k - 1]) / 2, k - 1)).0) (data n) (data (n + 1))

-- Loops that are not counted before they run, once or more often differentiated, alone or inside of others.
def steps (n: i64) (x: f64) = (loop (t, x) = (0, x) while t < f64.i64 n do (t + 1.5 - f64.cos x / 2, x - f64.sin x / 3)).1
def sweep [n] (a: [n]f64) =
  (loop (xs, t, i) = (copy a, 0, 0) while t < f64.i64 n do
     let step = 1.5 - f64.cos xs[i % n] in (xs with [i % n] = f64.sin xs[(i * 3) % n], t + step, i + 1)).0
-- cost: until 1 1
entry until (n: i64): f64 = vjp (steps n) 0.7 1
-- cost: until_hess 1 1
entry until_hess (n: i64): f64 = vjp (\x -> vjp (steps n) x 1) 0.7 1
-- cost: until_hvp 1 1
entry until_hvp (n: i64): f64 = jvp (\x -> vjp (steps n) x 1) 0.7 1
-- cost: until_rf 1 1
entry until_rf (n: i64): f64 = vjp (\x -> jvp (steps n) x 1) 0.7 1
-- cost: until_sweep 1 1
entry until_sweep (n: i64): []f64 = vjp sweep (data n) (data n)
-- cost: until_sweep_hess 1 1
entry until_sweep_hess (n: i64): []f64 = vjp (\a -> vjp sweep a (data n)) (data n) (data n)
-- cost: until_for 2 1
entry until_for (n: i64): f64 = vjp (\x -> loop x = x for _i < n do steps n x) 0.7 1
-- cost: until_for_sweep 2 2
entry until_for_sweep (n: i64): []f64 = vjp (\(a: [n]f64) -> loop a = a for _i < n do sweep a) (data n) (data n)
-- cost: until_map 2 1
entry until_map (n: i64): []f64 = vjp (\(a: [n]f64) -> map (steps n) a) (data n) (data n)
-- Each iteration of the loop around runs until the sum of what it has seen is n.
-- cost: until_until 1 1
entry until_until (n: i64): f64 =
  vjp (\x -> (loop (t, x) = (0, x) while t < f64.i64 n do
                let (s, x) = loop (s, x) = (0, x) while s < 4 do (s + 1.5 - f64.cos x / 2, x - f64.sin x / 3) in (t + s, x + 1)).1) 0.7 1

-- One element of n is read in each branch of each of n iterations, whose value the derivative does not need.
-- cost: padded 1 1
entry padded (n: i64): []f64 =
  vjp (\(a: [n]f64) -> loop s = 0 for i < n do
                         let ys = map (\x -> f64.sin (x * f64.i64 i)) a
                         in s * 0.5 + (if i % 3 > 0 then ys[i] else 0.5 * ys[(i * 3) % n])) (data n) 1

-- What the loop and the one back through it both compute is kept only as far as states are: of n iterations over n elements, of which
-- each has one number or two for a state, no elements are; of those with a state of length n a product with a matrix may be.
-- cost: descent 2 1
entry descent (n: i64): f64 =
  let xs = data n
  in vjp (\t -> loop t for _i < n do t - 0.01 * f64.sum (map (\x -> x * f64.exp (t * x)) xs)) 0.3 1
-- cost: training 2 1
entry training (n: i64): []f64 =
  let xs = map (\x -> [x, 1 - x]) (data n)
  let step (w: [2]f64): [2]f64 =
    let ps = map (\x -> 1 / (1 + f64.exp (-(f64.sum (map2 (*) x w))))) xs
    in map2 (\w j -> w - 0.01 * f64.sum (map2 (\p x -> p * x[j]) ps xs)) w (iota 2)
  in vjp (\w -> loop w for _i < n do step w) [0.1, 0.2] [1, 2]
-- cost: recurrent 3 2
entry recurrent (n: i64): []f64 =
  let w = map (\x -> map (\y -> f64.sin (x * y)) (data n)) (data n)
  in vjp (\(h: [n]f64) -> loop h for _i < n do map f64.tanh (map (\r -> f64.sum (map2 (*) r h)) w)) (data n) (data n)
-- cost: accumulated 1 0
entry accumulated (n: i64): (f64, f64) =
  vjp2 (\t -> loop s = 0 for i < n do s + f64.exp (t / (1 + f64.i64 i))) 0.3 1

-- Seeds that are zero leave no code: neither theirs nor that of what only they reach.
def maps [n] (x: [n]f64): ([n]f64, [n]f64) = (map f64.exp x, map (\v -> f64.sin (v * v)) x)
-- same: zero_map zero_map_plain
entry zero_map (n: i64): []f64 = vjp maps (data n) (replicate n 1, replicate n 0)
entry zero_map_plain (n: i64): []f64 = vjp (\x -> (maps x).0) (data n) (replicate n 1)
-- same: zero_computed zero_map_plain
entry zero_computed (n: i64): []f64 = vjp maps (data n) (replicate n 1, (map (map (* 2)) (transpose (replicate n (replicate 1 0))))[0])
-- same: zero_loop_seed zero_map_plain
entry zero_loop_seed (n: i64): []f64 = vjp maps (data n) (replicate n 1, loop z = replicate n 0 for i < n do z with [i] = z[n - 1 - i])

def states [n] (x: [n]f64): (f64, f64) = loop (a, b) = (0, 0) for i < n do (a + x[i] * a + x[i], b + f64.sin (x[i] * b))
-- same: zero_state zero_state_plain
entry zero_state (n: i64): []f64 = vjp states (data n) (1, 0)
entry zero_state_plain (n: i64): []f64 = vjp (\x -> (states x).0) (data n) 1
-- The state whose adjoint is zero decides which branch is taken: it runs again, nothing goes back through it.
def chosen [n] (x: [n]f64): f64 =
  let (a, b) = loop (a, b) = (1, 0) for i < n do (a * x[i], b + f64.sin (x[i] * b + 0.1))
  in if b > 0.5 then a else 2 * a
def chosen_apart [n] (x0: [n]f64) (x: [n]f64): f64 =
  let a = loop a = 1 for i < n do a * x[i]
  let b = loop b = 0 for i < n do b + f64.sin (x0[i] * b + 0.1)
  in if b > 0.5 then a else 2 * a
-- same: zero_decides zero_decides_plain
entry zero_decides (n: i64): []f64 = vjp chosen (data n) 1
entry zero_decides_plain (n: i64): []f64 = vjp (chosen_apart (data n)) (data n) 1

-- Of an operator that adds and multiplies apart, and of one whose second component reads the first.
def pair_op (a: f64, b: f64) (c: f64, d: f64): (f64, f64) = (a * c, b * c + d)
def scanned [n] (x: [n]f64): ([n]f64, [n]f64) = unzip (scan pair_op (1, 0) (zip x (map (* 2) x)))
-- same: zero_scan zero_scan_plain
entry zero_scan (n: i64): []f64 = let (ys, gs) = vjp2 scanned (data n) (replicate n 1, replicate n 0) in map2 (+) gs (map2 (+) ys.0 ys.1)
entry zero_scan_plain (n: i64): []f64 =
  let x = data n
  let gs = vjp (scan (*) 1) x (replicate n 1)
  let (y, z) = scanned x
  in map2 (+) gs (map2 (+) y z)
-- same: zero_reduce zero_reduce_plain
entry zero_reduce (n: i64): []f64 =
  let (ys, gs) = vjp2 (\x -> reduce pair_op (1, 0) (zip x (map (* 2) x))) (data n) (1, 0) in map (+ (ys.0 + ys.1)) gs
entry zero_reduce_plain (n: i64): []f64 =
  let x = data n
  let (y, z) = reduce pair_op (1, 0) (zip x (map (* 2) x))
  in map (+ (y + z)) (vjp f64.product x 1)

def weighed [n] (x: [n]f64, y: [n]f64): f64 = f64.sum (map2 (\a b -> f64.exp a * f64.sin b) x y)
-- same: zero_tangent zero_tangent_plain
entry zero_tangent (n: i64): f64 = jvp weighed (data n, data n) (replicate n 1, replicate n 0)
entry zero_tangent_plain (n: i64): f64 = jvp (\x -> weighed (x, data n)) (data n) (replicate n 1)
-- same: zero_record zero_record_plain
entry zero_record (n: i64): f64 =
  jvp (\r -> f64.sum (map (* r.scale) r.points)) {points = data n, scale = 3} {points = map (* 0) (replicate n 0), scale = 1}
entry zero_record_plain (n: i64): f64 = let x = data n in jvp (\s -> f64.sum (map (* s) x)) 3 1

-- Seeds that are zero but for a place known when the program runs: what it does not reach costs nothing.
def onehot (n: i64) (i: i64): [n]f64 = tabulate n (\j -> if i == j then 1 else 0)
def waves [n] (x: [n]f64): [n]f64 = map (\v -> f64.sin v * f64.exp v) x
def times [n] (a: [n][n]f64) (x: [n]f64): [n]f64 = map (\r -> f64.sum (map2 (*) r x)) a
def square (n: i64): [n][n]f64 = map (\x -> map (* x) (data n)) (data n)
-- cost: diagonal 1 1
entry diagonal (n: i64): [n]f64 = tabulate n (\i -> (vjp waves (data n) (onehot n i))[i])
-- cost: diagonal_forward 1 1
entry diagonal_forward (n: i64): [n]f64 = tabulate n (\i -> (jvp waves (data n) (onehot n i))[i])
-- cost: diagonal_updated 1 1
entry diagonal_updated (n: i64): [n]f64 = tabulate n (\i -> (vjp waves (data n) (replicate n 0 with [i] = 1))[i])
-- cost: rows_of_product 2 2
entry rows_of_product (n: i64): [n]f64 = map f64.sum (map (\i -> vjp (times (square n)) (data n) (onehot n i)) (iota n))
-- cost: rows_at_once 2 2
entry rows_at_once (n: i64): [n]f64 = map f64.sum (mjp (times (square n)) (data n) (tabulate n (onehot n)))
-- cost: columns_at_once 1 1
entry columns_at_once (n: i64): [n]f64 = map f64.sum (jmp (times (square n)) (data n) (tabulate n (onehot n)))
-- Seeds in a band: of each row of the Jacobian the sum takes what is not zero.
def near (n: i64) (i: i64): [n]f64 = tabulate n (\j -> if i64.abs (i - j) <= 1 then 1 else 0)
-- cost: bands 1 1
entry bands (n: i64): [n]f64 = map (\i -> f64.sum (vjp waves (data n) (near n i))) (iota n)
-- cost: bands_forward 1 1
entry bands_forward (n: i64): [n]f64 = map (\i -> f64.sum (jvp waves (data n) (near n i))) (iota n)
-- A gradient of one element, by its place.
-- cost: one_element 0 1
entry one_element (n: i64): f64 = (vjp (\x -> (waves x)[n / 2]) (data n) 1)[n / 2]

-- The Jacobian of a product with a sparse matrix: its entries, added to zeros. Here rows are few and have n entries.
-- cost: of_entries 1 1
entry of_entries (n: i64): [n][3]f64 =
  let columns = tabulate_2d 3 n (\r k -> (7 * k + r) % n)
  let product x = map (\js -> f64.sum (map (\j -> f64.i64 j * x[j]) js)) columns
  in jmp product (data n) (tabulate n (onehot n))
-- cost: of_looped_entries 1 1
entry of_looped_entries (n: i64): [n][3]f64 =
  let columns = tabulate_2d 3 n (\r k -> (7 * k + r) % n)
  let product x = map (\js -> loop s = 0 for j in js do s + f64.i64 j * x[j]) columns
  in jmp product (data n) (tabulate n (onehot n))

-- Loops in loops that update an array: nothing runs twice on the way there.
def factorised [n] (a: [n][n]f64): [n][n]f64 =
  loop l = copy a for j < n do
    let l = loop l = l for k < j do l with [j, j] = l[j, j] - l[j, k] * l[j, k]
    let l = l with [j, j] = f64.sqrt l[j, j]
    in loop l = l for i in j + 1 ..< n do
         let l = loop l = l for k < j do l with [i, j] = l[i, j] - l[i, k] * l[j, k]
         in l with [i, j] = l[i, j] / l[j, j]
def log_determinant [n] (a: [n][n]f64): f64 = let l = factorised a in f64.sum (map (\i -> f64.log l[i, i]) (iota n))
def definite (n: i64): [n][n]f64 = tabulate_2d n n (\i j -> if i == j then f64.i64 (2 * n) else f64.i64 ((i * j) % 5) / 5)
entry factorisation (n: i64): f64 = log_determinant (definite n)
-- ratio: factorisation_gradient factorisation 6.5
entry factorisation_gradient (n: i64): [n][n]f64 = vjp log_determinant (definite n) 1
def distance [n] (xs: [n]f64) (ys: [n]f64): f64 =
  let r = loop r = tabulate_2d (n + 1) (n + 1) (\i j -> if i == 0 && j == 0 then 0 else 1e10) for i < n do
    loop r = r for j < n do
      let (a, b, c) = (r[i, j], r[i, j + 1], r[i + 1, j])
      let least = f64.min a (f64.min b c)
      let s = f64.exp (least - a) + f64.exp (least - b) + f64.exp (least - c)
      in r with [i + 1, j + 1] = (xs[i] - ys[j]) ** 2 + least - f64.log s
  in r[n, n]
entry warping (n: i64): f64 = distance (data n) (map (+ 0.1) (data n))
-- ratio: warping_gradient warping 4.5
entry warping_gradient (n: i64): [n]f64 = vjp (\xs -> distance xs (map (+ 0.1) (data n))) (data n) 1
