-- | Shapes and points.

-- | A point of the plane.
type point = {x: f64, y: f64}

-- | A shape.
type~ shape = #circle f64 | #polygon ([]point) | #nothing

-- | The sum of squares, "quoted" \ here.
entry norm (xs: []f64): f64 = f64.sum (map (\x -> x * x) xs)

entry norm_vjp [n] (xs: [n]f64) (y: f64): [n]f64 = map (\x -> 2 * x * y) xs
entry scale [n] (k: f64) (xs: [n]f64): [n]f64 = map (* k) xs
entry update (xs: *[]i64): *[]i64 = xs with [0] = 9
entry same (xs: []f64): []f64 = xs
def table = map f64.i64 (iota 5)
entry constant: []f64 = table
entry twice (xs: []f64): ([]f64, []f64) = let ys = map (+ 1) xs in (ys, ys)
entry mirror (p: point): point = {x = p.y, y = p.x}
entry mirrors (ps: []point): []point = map (\p -> {x = p.y, y = p.x}) ps

entry area (s: shape): f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #polygon ps -> f64.i64 (length ps)
  case #nothing -> 0

entry make (n: i32): shape =
  if n == 0
  then #nothing
  else if n == 1
  then #circle 2
  else #polygon (tabulate (i64.i32 n) (\i -> {x = f64.i64 i, y = 1}))

type option = #some i32 | #none

entry options (n: i64): []option =
  tabulate n (\i -> if i % 2 == 0 then #some (i32.i64 i) else #none)

entry count_some (os: []option): i32 =
  i32.sum (map (\o -> match o case #some _ -> 1 case #none -> 0) os)

entry positive (n: i64): i64 = assert (n > 0) n
entry matrix [n][m] (xs: [n][m]f32): [m][n]f32 = transpose xs
entry dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)

entry kinds (a: i8) (b: u16) (c: f16) (d: bool) (e: u64): (i8, u16, f16, bool, u64) =
  (a, b, c, d, e)

entry bools (bs: []bool): []bool = map (\b -> !b) bs
entry halves (hs: []f16): []f16 = map (* 2) hs
entry slow (n: i64): f64 = loop x = 0.5 for _i < n do f64.cos x
entry big (n: i64): []f64 = replicate n 1
entry first (xss: [][]option): i32 = match xss[0, 0] case #some k -> k case #none -> -1
entry lambda (class: i32) (x': i32): i32 = class * x'
entry tunable: i64 = #[param(chunk)] 5
