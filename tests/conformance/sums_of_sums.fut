-- Sums of sums that are contractions over several indices: convolutions and tensors, with sizes on both sides of those of tiles.
-- ==
-- entry: convolution
-- input { 2i64 3i64 40i64 17i64 5i64 } output { true }
-- input { 1i64 5i64 30i64 20i64 4i64 } output { true }
-- input { 2i64 1i64 40i64 17i64 3i64 } output { true }
-- input { 2i64 0i64 40i64 17i64 5i64 } output { true }
-- input { 2i64 16i64 20i64 16i64 0i64 } output { true }
entry convolution (b: i64) (c: i64) (n: i64) (o: i64) (k: i64): bool =
  let x = opaque (tabulate_3d b c n (\i j l -> (i + 2 * j + 3 * l) % 7))
  let w = opaque (tabulate_3d o c k (\i j l -> (3 * i + j + 2 * l) % 5))
  let m = n - k + 1
  let made = opaque (map (\x -> map (\w -> tabulate m (\i -> i64.sum (map2 (\x w -> i64.sum (tabulate k (\t -> x[i + t] * w[t]))) x w))) w) x)
  let wanted = opaque (tabulate_3d b o m (\i j l -> loop s = 0 for p < c * k do
    let (q, t) = (p / k, p % k) in s + (i + 2 * q + 3 * (l + t)) % 7 * ((3 * j + q + 2 * t) % 5)))
  in and (map2 (==) (flatten (map flatten made)) (flatten (map flatten wanted)))

-- Pictures: three sums, of floats that are exact.
-- ==
-- entry: pictures
-- input { 2i64 2i64 20i64 24i64 16i64 } output { true }
-- input { 1i64 3i64 10i64 40i64 33i64 } output { true }
entry pictures (b: i64) (c: i64) (h: i64) (w: i64) (o: i64): bool =
  let x = opaque (map (\i -> tabulate_3d c h w (\j k l -> f32.i64 ((i + 2 * j + 3 * k + l) % 7))) (iota b))
  let f = opaque (map (\i -> tabulate_3d c 3 3 (\j k l -> f32.i64 ((3 * i + j + 2 * k + l) % 5))) (iota o))
  let made = opaque (map (\x -> map (\f -> tabulate_2d (h - 2) (w - 2) (\y z ->
    f32.sum (map2 (\x f -> f32.sum (tabulate 3 (\k -> f32.sum (tabulate 3 (\l -> x[y + k, z + l] * f[k, l]))))) x f))) f) x)
  let wanted = map (\i -> map (\j -> tabulate_2d (h - 2) (w - 2) (\y z -> loop s = 0 for p < c * 9 do
    let (q, k, l) = (p / 9, p / 3 % 3, p % 3) in s + (i + 2 * q + 3 * (y + k) + z + l) % 7 * ((3 * j + q + 2 * k + l) % 5))) (iota o)) (iota b)
  in and (map2 (\a b -> a == f32.i64 b) (flatten (map flatten (map flatten made))) (flatten (map flatten (map flatten (opaque wanted)))))

-- Two indices of tensors, the least of sums, and another operator inside.
-- ==
-- entry: tensors
-- input { 20i64 18i64 4i64 5i64 } output { true }
-- input { 16i64 16i64 7i64 3i64 } output { true }
-- input { 16i64 16i64 0i64 3i64 } output { true }
entry tensors (n: i64) (m: i64) (p: i64) (q: i64): bool =
  let a = opaque (tabulate_3d n p q (\i j k -> (i + 5 * j + 3 * k) % 11))
  let b = opaque (tabulate_3d p q m (\j k i -> (2 * i + 7 * j + k) % 13))
  let of op ne f = map (\x -> map (\i -> reduce op ne (map2 (\r s -> reduce op ne (map2 (\u v -> f u v[i]) r s)) x b)) (iota m)) a
  let in_one op ne f = tabulate_2d n m (\i l -> loop s = ne for t < p * q do op s (f a[i, t / q, t % q] b[t / q, t % q, l]))
  let mixed = opaque (map (\x -> map (\i -> i64.sum (map2 (\r s -> reduce i64.max i64.lowest (map2 (\u v -> u * v[i]) r s)) x b)) (iota m)) a)
  let same x y = and (map2 (==) (flatten x) (flatten y))
  in same (opaque (of (+) 0 (*))) (opaque (in_one (+) 0 (*)))
  && same (opaque (of i64.min i64.highest (+))) (opaque (in_one i64.min i64.highest (+)))
  && same mixed (tabulate_2d n m (\i l -> loop s = 0 for j < p do s + (loop t = i64.lowest for k < q do i64.max t (a[i, j, k] * b[j, k, l]))))

-- The adjoints of a convolution: sums over a batch and places, whose rows are those of the weights, and sums for each point of a window.
-- ==
-- entry: adjoints
-- input { 3i64 2i64 20i64 17i64 3i64 } output { true }
-- input { 1i64 5i64 40i64 20i64 4i64 } output { true }
-- input { 2i64 20i64 18i64 20i64 1i64 } output { true }
-- input { 0i64 5i64 30i64 20i64 4i64 } output { true }
entry adjoints (b: i64) (c: i64) (n: i64) (o: i64) (k: i64): bool =
  let x = opaque (tabulate_3d b c n (\i j l -> f32.i64 ((i + 2 * j + 3 * l) % 7)))
  let w = opaque (tabulate_3d o c k (\i j l -> f32.i64 ((3 * i + j + 2 * l) % 5)))
  let m = n - k + 1
  let s = opaque (tabulate_3d b o m (\i j l -> f32.i64 ((i + j + l) % 3)))
  let (dx, dw) = vjp (\(x, w) -> map (\x -> map (\w -> tabulate m (\i -> f32.sum (map2 (\x w -> f32.sum (tabulate k (\t -> x[i + t] * w[t]))) x w))) w) x) (x, w) s
  let to_x = tabulate_3d b c n (\i j l -> loop a = 0 for p < o * k do
    let (q, t) = (p / k, p % k) in if l - t < 0 || l - t >= m then a else a + s[i, q, l - t] * w[q, j, t])
  let to_w = tabulate_3d o c k (\i j t -> loop a = 0 for p < b * m do let (q, l) = (p / m, p % m) in a + s[q, i, l] * x[q, j, l + t])
  in and (map2 (==) (flatten (map flatten dx)) (flatten (map flatten to_x))) && and (map2 (==) (flatten (map flatten dw)) (flatten (map flatten to_w)))

-- Products whose rows have two counters, as those of sequences in a batch, and whose columns have.
-- ==
-- entry: sequences
-- input { 3i64 7i64 20i64 17i64 } output { true }
-- input { 40i64 1i64 16i64 33i64 } output { true }
-- input { 3i64 0i64 20i64 17i64 } output { true }
entry sequences (b: i64) (t: i64) (n: i64) (m: i64): bool =
  let x = opaque (tabulate_3d b t n (\i j l -> (i + 2 * j + 3 * l) % 7))
  let w = opaque (tabulate_2d n m (\i j -> (3 * i + j) % 5))
  let by_rows = opaque (map (map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose w))) x)
  let by_columns = opaque (map (\c -> map (map (\r -> i64.sum (map2 (*) c r))) x) (transpose w))
  let sum i j k = loop a = 0 for l < n do a + x[i, j, l] * w[l, k]
  in and (map2 (==) (flatten (map flatten by_rows)) (flatten (map flatten (tabulate_3d b t m sum))))
  && and (map2 (==) (flatten (map flatten by_columns)) (flatten (map flatten (tabulate_3d m b t (\k i j -> sum i j k)))))

-- The nearest of some points and how far it is, found by a loop; and how far another one is, from the state of the loop.
-- ==
-- entry: nearest
-- input { 40i64 20i64 17i64 } output { true }
-- input { 16i64 33i64 16i64 } output { true }
-- input { 20i64 0i64 17i64 } output { true }
entry nearest (n: i64) (k: i64) (d: i64): bool =
  let ps = opaque (tabulate_2d n d (\i j -> (i + 3 * j) % 7))
  let cs = opaque (tabulate_2d k d (\i j -> (3 * i + j) % 5))
  let far (a: []i64) (b: []i64) = i64.sum (map2 (\x y -> (x - y) * (x - y)) (a :> [d]i64) (b :> [d]i64))
  let found = opaque (map (\p -> loop (b, l, s) = (0, i64.highest, 0) for i < k do
    let f = far p cs[i] in if f < l then (i, f, s + far p cs[b]) else (b, l, s)) ps)
  let wanted (p: [d]i64) = loop (b, l, s) = (0, i64.highest, 0) for i < k do
    let to c = loop a = 0 for j < d do a + (p[j] - cs[c, j]) * (p[j] - cs[c, j])
    in if to i < l then (i, to i, s + to b) else (b, l, s)
  in and (map2 (==) (map (.0) found) (map (\p -> (wanted p).0) ps)) && and (map2 (==) (map (.1) found) (map (\p -> (wanted p).1) ps))
  && and (map2 (==) (map (.2) found) (map (\p -> (wanted p).2) ps))

-- Windows that are flattened, and their adjoints.
-- ==
-- entry: flattened
-- input { 2i64 3i64 12i64 17i64 3i64 } output { true }
-- input { 1i64 5i64 10i64 20i64 2i64 } output { true }
-- input { 3i64 16i64 5i64 16i64 1i64 } output { true }
entry flattened (b: i64) (c: i64) (n: i64) (o: i64) (k: i64): bool =
  let x = opaque (map (\i -> tabulate_3d c n n (\j l m -> f32.i64 ((i + 2 * j + 3 * l + m) % 7))) (iota b))
  let w = opaque (map (\i -> tabulate_3d c k k (\j l m -> f32.i64 ((3 * i + j + 2 * l + m) % 5))) (iota o))
  let m = n - k + 1
  let s = opaque (map (\i -> tabulate_3d o m m (\j y z -> f32.i64 ((i + j + y + 2 * z) % 3))) (iota b))
  let window (x: [n][n]f32) (i: i64) (j: i64) = flatten (x[i:i + k, j:j + k] :> [k][k]f32)
  let layer (x: [b][c][n][n]f32) (w: [o][c][k][k]f32) =
    map (\x -> map (\w -> tabulate_2d m m (\i j -> f32.sum (map2 (\x w -> f32.sum (map2 (*) (window x i j) (flatten w))) x w))) w) x
  let made = opaque (layer x w)
  let (dx, dw) = vjp (\(x, w) -> layer x w) (x, w) s
  let whole xs = flatten (map flatten (map (map flatten) xs))
  let wanted = map (\i -> tabulate_3d o m m (\j y z -> loop a = 0 for p < c * k * k do
    let (q, u, v) = (p / (k * k), p / k % k, p % k) in a + x[i, q, y + u, z + v] * w[j, q, u, v])) (iota b)
  let to_w = map (\j -> tabulate_3d c k k (\q u v -> loop a = 0 for p < b * m * m do
    let (i, y, z) = (p / (m * m), p / m % m, p % m) in a + s[i, j, y, z] * x[i, q, y + u, z + v])) (iota o)
  let to_x = map (\i -> tabulate_3d c n n (\q y z -> loop a = 0 for p < o * k * k do
    let (j, u, v) = (p / (k * k), p / k % k, p % k)
    in if y < u || z < v || y - u >= m || z - v >= m then a else a + s[i, j, y - u, z - v] * w[j, q, u, v])) (iota b)
  in and (map2 (==) (whole made) (whole wanted)) && and (map2 (==) (whole dw) (whole to_w)) && and (map2 (==) (whole dx) (whole to_x))
