-- Arrays of a few numbers inside of maps, reductions and loops: vectors in space, small matrices, sums of rows, also of no rows.

def dot (a: [3]f64) (b: [3]f64) = f64.sum (map2 (*) a b)
def cross (a: [3]f64) (b: [3]f64): [3]f64 = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def mul (a: [3][3]f64) (b: [3][3]f64) = map (\r -> map (dot r) (transpose b)) a
def points (n: i64): *[n][3]f64 = tabulate_2d n 3 (\i j -> f64.i64 ((i * 7 + j * 5) % 11) - 5)

-- ==
-- entry: vectors
-- input { 0i64 } output { 0.0 0.0 }
-- input { 5i64 } output { 3827.0 -34.0 }
-- input { 40i64 } output { 19319.0 -256.0 }
entry vectors (n: i64): (f64, f64) =
  let (ps, qs) = (opaque (points n), opaque (reverse (points n)))
  let both = map2 (\p q -> let c = cross p q let d = map2 (-) c p in (dot d d, dot (map (2 *) c) q + f64.minimum p - f64.maximum q)) ps qs
  in (f64.sum (map (.0) both), f64.sum (map (.1) both))

-- Sums of rows by themselves and fused with what makes them; the last rows are longer than what becomes numbers.
-- ==
-- entry: sums
-- input { 0i64 } output { [0i64, 0i64, 0i64] [[1i64, 1i64], [1i64, 1i64]] [0i64, 0i64, 0i64, 0i64, 0i64] }
-- input { 4i64 } output { [18i64, 22i64, 26i64] [[1i64, 20i64], [27i64, 41i64]] [20i64, 24i64, 28i64, 32i64, 36i64] }
entry sums (n: i64): ([3]i64, [2][2]i64, [5]i64) =
  let is = opaque (iota n)
  let three = reduce (map2 (+)) [0, 0, 0] (map (\i -> [i * 3, i * 3 + 1, i * 3 + 2]) is)
  let most = reduce_comm (map2 (map2 i64.max)) [[1, 1], [1, 1]] (map (\i -> [[i - 9, i * i + 11], [i * 9, 5 * i + 26]]) is)
  let five = reduce (map2 (+)) (replicate 5 0) (map (\i -> tabulate 5 (\j -> i * 2 + j + 2)) is)
  in (three, most, five)

-- Matrices of rotations, a row at a time and all together; the order of the factors counts.
-- ==
-- entry: matrices
-- input { 6i64 } output { true }
entry matrices (n: i64): bool =
  let ms = opaque (tabulate n (\i -> [[0, 1, f64.i64 i], [1, 1, 0], [f64.i64 (i % 2), 0, 2]]))
  let one = [[1f64, 0, 0], [0, 1, 0], [0, 0, 1]]
  let whole = reduce mul one ms
  let steps = scan mul one ms
  let turned = loop m = one for i < n do mul m ms[i]
  in and (map2 (==) (flatten whole) (flatten turned)) && and (map2 (==) (flatten steps[n - 1]) (flatten turned))

-- Forces between bodies, and their derivative in one direction both ways.
-- ==
-- entry: bodies
-- input { 1i64 } output { true }
-- input { 30i64 } output { true }
entry bodies (n: i64): bool =
  let force (ps: [n][3]f64) = map (\p -> reduce_comm (map2 (+)) [0, 0, 0] (map (\q ->
    let d = map2 (-) q p let r = f64.sqrt (dot d d + 0.1) in map (/ (r * r * r)) d) ps)) ps
  let (ps, ds, ws) = (opaque (points n), opaque (map (map (+ 0.5)) (points n)), opaque (reverse (points n)))
  let forward = f64.sum (map2 dot ws (jvp force ps ds))
  let back = f64.sum (map2 dot ds (vjp force ps ws))
  in f64.abs (forward - back) <= 1e-9 * (1 + f64.abs forward)

-- A histogram of points, and a loop that moves them.
-- ==
-- entry: moved
-- input { 7i64 } output { [[10.0, 3.0, 18.0], [7.0, -5.0, 5.0], [-1.0, 9.0, -3.0]] }
entry moved (n: i64): [3][3]f64 =
  let ps = loop ps = opaque (points n) for _k < 2i64 do map (\p -> if p[0] < p[1] then map (+ 1) p else map2 (+) p [1, 1, 1]) ps
  in reduce_by_index (replicate 3 [0, 0, 0]) (map2 (+)) [0, 0, 0] (map (% 3) (iota n)) ps

-- States of loops in maps: orbits, turned matrices, a loop that ends when it likes, places that are known when it runs, and derivatives.
-- ==
-- entry: states
-- input { 0i64 } output { true }
-- input { 23i64 } output { true }
entry states (n: i64): bool =
  let step (s: [3]f64) (h: f64): [3]f64 =
    let rate (s: [3]f64) = [s[1] - s[0], s[0] * (2 - s[2]) - s[1], s[0] * s[1] - s[2]]
    let half = map2 (\x r -> x + h / 2 * r) s (rate s)
    in map2 (\x r -> x + h * r) s (rate half)
  let orbit (k: i64) (x: f64) = loop s = [x, 1, 2] for _i < k do step s 0.1
  let orbit_of_numbers (k: i64) (x: f64) =
    let rate (a: f64, b: f64, c: f64) = (b - a, a * (2 - c) - b, a * b - c)
    in loop (a, b, c) = (x, 1f64, 2f64) for _i < k do
         let (p, q, r) = rate (a, b, c)
         let (p, q, r) = rate (a + 0.1 / 2 * p, b + 0.1 / 2 * q, c + 0.1 / 2 * r)
         in (a + 0.1 * p, b + 0.1 * q, c + 0.1 * r)
  let xs = opaque (tabulate n (\i -> f64.i64 i / 8))
  let near (x: f64) (y: f64) = f64.abs (x - y) <= 1e-12
  let orbits = and (map (\x -> let (a, b, c) = orbit_of_numbers 5 x in and (map2 near (orbit 5 x) [a, b, c])) xs)
  let turned = map (\x -> let r = [[f64.cos x, -f64.sin x], [f64.sin x, f64.cos x]]
                          let m = loop m = [[1, 0], [0, 1]] for _i < 4i64 do map (\row -> map (\c -> f64.sum (map2 (*) row c)) (transpose r)) m
                          in near m[0, 1] (-f64.sin (4 * x))) xs
  let ends = map (\x -> let (s, k) = loop (s, k) = ([x, 0], 0i64) while s[0] < 9 && k < 40 do
                                       (if s[1] > 2 then [s[0] + s[1], 0] else [s[0] + 0.5, s[1] + 1], k + 1)
                        in s[0] >= 9 && s[1] <= 3 && k > 0) xs
  let placed = map (\x -> let s = loop s = [x, 1, 2] for i < 7 do s with [i % 3] = s[(i + 1) % 3] + 1 in near s[1] 4) xs
  let slopes = map (\x -> near (jvp (\x -> (orbit 3 x)[2]) x 1) (vjp (\x -> (orbit 3 x)[2]) x 1)) xs
  in orbits && and turned && and ends && and placed && and slopes
