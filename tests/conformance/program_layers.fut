-- A network whose layers are constructors, and sums with a constructor for minus infinity: derivatives through both.
type layer = #dense {w: [3][3]f64, b: [3]f64} | #scale f64 | #relu | #norm

def apply (l: layer) (x: [3]f64): [3]f64 =
  match l
  case #dense {w, b} -> map2 (\r b -> b + f64.sum (map2 (*) r x)) w b
  case #scale s -> map (* s) x
  case #relu -> map (f64.max 0) x
  case #norm ->
    let m = f64.sum x / 3
    let v = f64.sum (map (\x -> (x - m) ** 2) x) / 3
    in map (\x -> (x - m) / f64.sqrt (v + 1e-3)) x

def net (p: [15]f64): []layer =
  [#dense {w = unflatten (p[0:9] :> [3 * 3]f64), b = p[9:12] :> [3]f64}, #norm, #relu, #scale p[12],
   #dense {w = unflatten (reverse p[0:9] :> [3 * 3]f64), b = p[12:15] :> [3]f64}, #scale p[13]]

def loss (p: [15]f64): f64 =
  let y = loop x = [0.3, -0.4, 0.7] for l in net p do apply l x
  in f64.sum (map (\x -> x * x) y)

type extended = #minus_infinity | #finite f64

def log_add (a: extended) (b: extended): extended =
  match (a, b)
  case (#minus_infinity, x) -> x
  case (x, #minus_infinity) -> x
  case (#finite x, #finite y) -> #finite (f64.max x y + f64.log (1 + f64.exp (-f64.abs (x - y))))

def log_sum [n] (x: [n]f64): f64 =
  match reduce log_add #minus_infinity (map (\x -> #finite (x * x)) x)
  case #minus_infinity -> 0
  case #finite y -> y

def unit (n: i64) (i: i64): [n]f64 = tabulate n (\j -> f64.bool (i == j))
def close (a: f64) (b: f64) = f64.abs (a - b) < 1e-5 * (1 + f64.abs a)

-- The gradient beside differences and tangents; the Hessian three ways.
def gradient_fits [n] (f: [n]f64 -> f64) (x: [n]f64): bool =
  let g = vjp f x 1
  let moved i h = f (map2 (\x u -> x + h * u) x (unit n i))
  in and
       (map2
          (\i gi ->
             close gi ((moved i 1e-5 - moved i (-1e-5)) / 2e-5) && close gi (jvp f x (unit n i)))
          (iota n) g)

def hessian_fits [n] (f: [n]f64 -> f64) (x: [n]f64): bool =
  let g x = vjp f x 1
  let forward = map (\i -> jvp g x (unit n i)) (iota n)
  let reverse = map (\i -> vjp g x (unit n i)) (iota n)
  let tangents =
    map (\i -> map (\j -> jvp (\x -> jvp f x (unit n i)) x (unit n j)) (iota n)) (iota n)
  in and
       (map3 (\a b c -> close a b && close a c) (flatten forward) (flatten reverse)
          (flatten tangents))

-- ==
-- entry: layers
-- input { 1i64 } output { true true }
-- input { 3i64 } output { true true }
entry layers (k: i64) =
  let p = map (\i -> f64.sin (f64.i64 (k * i * i + 1))) (iota 15)
  in (gradient_fits loss p, hessian_fits loss p)

-- ==
-- entry: sums
-- input { [0.3, 1.2, -0.5, 2.2] } output { true true }
-- input { [0.5] } output { true true }
entry sums [n] (x: [n]f64) = (gradient_fits log_sum x, hessian_fits log_sum x)
