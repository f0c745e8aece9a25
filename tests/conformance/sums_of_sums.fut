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
