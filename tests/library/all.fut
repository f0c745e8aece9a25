-- | Values of every kind that a library can take and give.

-- | A point with a weight.
type point = {x: i32, w: f32}

type vector = [3]f64
type~ shape = #circle f64 | #empty | #polygon [](f64, f64) | #named i32 []u8
type maybe 'a = #none | #some a
type single [k] = #only i64 [k]i32
type matrix [n] [m] = [n][m]f64

-- Arrays of every element type; ranks one to three.
entry i8s (xs: []i8): []i8 = map (+ 1) xs
entry i16s (xs: [][]i16): [][]i16 = transpose xs
entry i32s (xs: [][][]i32): [][][]i32 = map transpose xs
entry i64s (xs: []i64): []i64 = reverse xs
entry u8s (xs: []u8): []u8 = map (+ 1) xs
entry u16s (xs: []u16): []u16 = map (+ 1) xs
entry u32s (xs: []u32): []u32 = map (+ 1) xs
entry u64s (xs: []u64): []u64 = map (+ 1) xs
entry f16s (xs: []f16): []f16 = map (* 2) xs
entry f32s (xs: []f32): []f32 = map (* 2) xs
entry f64s [n] [m] (xs: matrix [n] [m]): matrix [m] [n] = transpose xs
entry bools (xs: []bool): []bool = map (\x -> !x) xs

-- Numbers.
entry scalars (a: i8) (b: u16) (c: f16) (d: f32) (e: f64) (f: bool):
    (i8, u16, f16, f32, f64, bool) = (a + 1, b + 1, c * 2, d * 2, e * 2, !f)

entry half (x: f16): f16 = x / 2
entry answer: i32 = 42

-- Results that share memory with arguments, and arguments that are consumed.
entry same (xs: []i64): []i64 = xs
entry both (xs: []i64): ([]i64, []i64) = (xs, xs)
entry update (xs: *[]i64): *[]i64 = xs with [0] = 100
entry add_reversed [n] (xs: *[n]i64) (ys: [n]i64): *[n]i64 = loop xs for i < n do xs with [i] = xs[i] + ys[n - 1 - i]
entry update_cube (xs: *[][][]i32): *[][][]i32 = xs with [1, 0, 1] = 100

-- Results that are values of the program, or of each other: who gets them may have them overwritten.
def squares: [5]i64 = map (\i -> i * i) (iota 5)
entry top_level: []i64 = squares
entry copied (_: i32): []i64 = copy squares
entry branched (b: bool): []i64 = if b then copy squares else iota 5
entry literal (_: i32): []i64 = [0, 1, 4, 9, 16]
entry squares_and (x: i64): i64 = x + i64.sum squares
entry twins (x: i64): (*[]i64, *[]i64) = let a = replicate 3 x in (a, copy a)

-- | Makes a point. \
-- Its second line must not swallow the next: ??/
--
-- Its weight comes second \ ??/ \
entry make (x: i32) (w: f32): point = {x, w}

entry points (n: i64): [n]point = tabulate n (\i -> {x = i32.i64 i, w = f32.i64 i / 2})

entry grid (n: i64) (m: i64): [n][m]point =
  tabulate_2d n m (\i j -> {x = i32.i64 (i * m + j), w = 0})

entry total (ps: []point): i32 = i32.sum (map (.x) ps)
entry weights (ps: [][]point): f32 = f32.sum (map (\row -> f32.sum (map (.w) row)) ps)

entry vectors (a: vector) (b: vector): [](vector, vector) = [(a, b), (b, a)]

entry nested (p: (point, (i32, []f32))): {first: point, rest: (i32, []f32)} =
  {first = p.0, rest = p.1}

entry unit (_: i32): () = ()
entry anonymous (r: {z: []bool, a': i32}) = {count = r.a', z = r.z}

entry area (s: shape): f64 =
  match s
  case #circle r -> 3 * r * r
  case #empty -> 0
  case #polygon ps -> f64.i64 (length ps)
  case #named i name -> f64.i32 i + f64.i64 (length name)

type mark = #circle f64 | #empty

entry shapes (n: i64): []mark =
  map (\i -> if i % 2 == 0 then #circle (f64.i64 i) else #empty) (iota n)

entry default (m: maybe i32): i32 = match m case #none -> -1 case #some x -> x
entry wrapped (x: i32): maybe i32 = if x < 0 then #none else #some x
entry inside [k] (s: single [k]): i64 = match s case #only x ys -> x + i64.i32 (i32.sum ys)

-- Failures.
entry at (xs: []i64) (i: i64): i64 = xs[i]
entry dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)

entry late (n: i64) (i: i64): []i64 =
  let a = scan (+) 0 (iota n) in map (\j -> a[if j == i then n else j]) (iota n)

entry big (n: i64): i64 = i64.sum (scatter (replicate n 1) (iota n) (reverse (iota n)))
def count (n: i64): i64 = if n == 0 then 0 else 1 + count (n - 1) % 1000
entry counted (n: i64): i64 = count n
entry scaled (x: i64): i64 = x * (#[param(factor)] 16)

#[prop(gen(make), size(3))]
entry loud (x: i32): bool = (#[trace(heard)] (x + 0)) > 0
