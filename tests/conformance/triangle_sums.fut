-- Loops over all places after or before that of an iteration, whose adjoints are added there: pairs of bodies, each of them once.

def sizes = [0i64, 1, 2, 5, 32, 33, 100]
def near (x: f64) (y: f64): bool = f64.abs (x - y) <= 1e-9 * (1 + f64.abs y)
def every_size (f: i64 -> bool): bool = loop right = true for n in sizes do right && f n
def points (n: i64): [n][2]f64 = tabulate_2d n 2 (\i j -> f64.sin (f64.i64 (i * 7 + j * 3)))

def force (a: [2]f64) (b: [2]f64): [2]f64 =
  let (dx, dy) = (a[0] - b[0], a[1] - b[1])
  let r = dx * dx + dy * dy + 1
  in [-2 * dx / (r * r), -2 * dy / (r * r)]
def energy (a: [2]f64) (b: [2]f64): f64 = let (dx, dy) = (a[0] - b[0], a[1] - b[1]) in 1 / (dx * dx + dy * dy + 1)
def forces [n] (x: [n][2]f64): [n][2]f64 = map (\a -> loop f = [0, 0] for b in x do map2 (+) f (force a b)) x

def after [n] (x: [n][2]f64): f64 = f64.sum (tabulate n (\i -> loop s = 0 for j in i + 1..<n do s + energy x[i] x[j]))
def before [n] (x: [n][2]f64): f64 = f64.sum (tabulate n (\i -> loop s = 0 for j < i do s + energy x[i] x[j]))
-- Each pair as itself and the one to the left of it.
def beside [n] (x: [n][2]f64): f64 = f64.sum (tabulate n (\i -> loop s = 0 for j in i + 1..<n do s + energy x[i] x[j] * energy x[i] x[j - 1]))

-- ==
-- entry: pairs
-- input { 0i64 } output { true }
entry pairs (_: i64): bool =
  every_size (\n -> let x = points n in and (map2 (\a b -> and (map2 near a b)) (vjp after x 1) (forces x))) &&
  every_size (\n -> let x = points n in and (map2 (\a b -> and (map2 near a b)) (vjp before x 1) (forces x)))

-- Both ways of differentiation, and the second derivative along a direction.
-- ==
-- entry: directions
-- input { 0i64 } output { true }
entry directions (_: i64): bool =
  every_size (\n ->
    let x = points n
    let v = map (map (\a -> a * a - 0.5)) x
    let dot a b = f64.sum (map2 (\p q -> p[0] * q[0] + p[1] * q[1]) a b)
    in near (jvp beside x v) (dot (vjp beside x 1) v) &&
       near (dot (jvp (\x -> vjp after x 1) x v) v) (dot (vjp (\x -> dot (vjp after x 1) v) x 1) v))
