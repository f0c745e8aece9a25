-- Derivatives in many directions at once, most of which move little: of every point only the parts that it has, and of those only
-- the angles before them. The same as one direction at a time, also where factors are no numbers.

def unit (n: i64) (i: i64): [n]f64 = tabulate n (\j -> f64.bool (i == j))
def same (a: f64) (b: f64) = a == b || (f64.isnan a && f64.isnan b) || f64.abs (a - b) <= 1e-12 * (1 + f64.abs a)
def all_same [n] [m] (as: [n][m]f64) (bs: [n][m]f64) = and (flatten (map2 (map2 same) as bs))

-- Twelve angles turn the joints of n parts, each joint after the one before it; m points are weighted sums of ends.
def points [n] [m] (weights: [m][n]f64) (d: f64) (angles: [12]f64): [m * 2]f64 =
  let turn b = (f64.cos angles[b % 12], f64.sin angles[b % 12])
  let ends =
    loop ends = replicate n [1, 0] for b < n do
      if b % 5 == 0 then ends
      else let (c, s) = turn b
           let (x, y) = (ends[b - 1, 0], ends[b - 1, 1])
           in ends with [b] = [c * x - s * y + 0.1, s * x + c * y]
  let point (ws: [n]f64): [2]f64 =
    tabulate 2 (\c -> f64.sum (map2 (\w (e: [2]f64) -> w * (e[c] + 2 * e[0]) - e[1] / d) ws ends))
  in flatten (map point weights)

def weights_of (n: i64) (m: i64) = tabulate_2d m n (\i j -> f64.i64 ((i * 7 + j * 3) % 5) / 4 - 0.3)
def jacobians [m] (f: [12]f64 -> [m]f64): bool =
  let x = tabulate 12 (\i -> 0.1 * f64.i64 (i + 1))
  let seeds = tabulate 12 (unit 12)
  let mixed = map (map (\s -> s - 0.25)) seeds
  in all_same (jmp f x seeds) (map (jvp f x) seeds) && all_same (jmp f x mixed) (map (jvp f x) mixed)

-- ==
-- entry: numbers
-- input { 11i64 30i64 } output { true }
-- input { 1i64 9i64 } output { true }
-- input { 0i64 9i64 } output { true }
-- input { 11i64 1i64 } output { true }
-- input { 11i64 0i64 } output { true }
entry numbers (n: i64) (m: i64): bool = jacobians (points (weights_of n m) 3)

-- Zero times infinity is not a number, and nor is zero by zero.
-- ==
-- entry: poles
-- input { 11i64 30i64 f64.inf 3.0 } output { true }
-- input { 11i64 30i64 f64.nan 3.0 } output { true }
-- input { 11i64 30i64 0.5 0.0 } output { true }
-- input { 11i64 30i64 0.5 -f64.inf } output { true }
entry poles (n: i64) (m: i64) (w: f64) (d: f64): bool =
  jacobians (points (weights_of n m with [m / 2, n / 2] = w) d)

-- Of the derivative itself.
-- ==
-- entry: second
-- input { 6i64 5i64 } output { true }
entry second (n: i64) (m: i64): bool =
  jacobians (\x -> vjp (points (weights_of n m) 3) x (tabulate (m * 2) (\i -> f64.cos (f64.i64 i))))

-- Weights of which most are zero. What they weigh may be infinite: the product of two numbers is, where big is large.
def weighted [n] [m] (weights: [m][n]f64) (big: f64) (angles: [12]f64): [m * 2]f64 =
  let ends = loop ends = replicate n [1, 0] for b < n do
               if b % 5 == 0 then ends
               else ends with [b] = [big * (ends[b - 1, 0] + f64.cos angles[b % 12]), big * f64.sin angles[b % 12]]
  in flatten (map (\(ws: [n]f64) -> tabulate 2 (\c -> f64.sum (map2 (\w (e: [2]f64) -> w * (big * e[c] + e[0])) ws ends))) weights)

-- ==
-- entry: zeros
-- input { 11i64 30i64 1.0 } output { true }
-- input { 11i64 30i64 1e60 } output { true }
-- input { 11i64 30i64 1e200 } output { true }
-- input { 11i64 30i64 f64.inf } output { true }
-- input { 11i64 30i64 f64.nan } output { true }
-- input { 1i64 9i64 1e200 } output { true }
-- input { 0i64 9i64 1.0 } output { true }
entry zeros (n: i64) (m: i64) (big: f64): bool =
  jacobians (weighted (tabulate_2d m n (\i j -> if (i + j) % 4 == 0 then 0.5 else if (i + j) % 4 == 1 then -0.0 else 0)) big)

-- Reductions that begin with what differs from direction to direction.
-- ==
-- entry: begun
-- input { 9i64 } output { true }
entry begun (n: i64): bool =
  let largest [n] (xs: [n]f64) =
    f64.sum (loop ys = replicate n 1 for i < n do ys with [i] = reduce f64.max (xs[i] - 100) (map (* xs[i]) ys[:i]))
  let xs = tabulate n (\i -> 1 + 0.1 * f64.cos (f64.i64 i))
  let h = 1e-6
  let moved_by i h = largest (map2 (\x j -> if j == i then x + h else x) xs (iota n))
  let close i = f64.abs ((moved_by i h - moved_by i (-h)) / (2 * h) - jvp largest xs (tabulate n (\j -> f64.bool (i == j)))) < 1e-5
  in and (tabulate n close)
