-- everyday.fut - small programs as people write them: tables, images, random numbers, sequences, points.

def uniform (seed: u64) (i: i64): f64 =
  let x = u64.i64 i * 0x9e3779b97f4a7c15 + seed * 0xd1342543de82ef95
  let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
  let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
  in f64.u64 ((x ^ (x >> 31)) >> 11) / 9007199254740992

def normal (i: i64): f64 =
  f64.sqrt (-2 * f64.log (1 - uniform 1 i)) * f64.cos (2 * f64.pi * uniform 2 i)

-- Input.
entry normals (n: i64): [n]f64 = tabulate n normal
entry rows (n: i64) (k: i64): [n][k]f64 = tabulate_2d n k (\i j -> normal (i * k + j))
entry keys (n: i64): [n]i32 = tabulate n (\i -> i32.f64 (100 * uniform 3 (i / 2)))
entry bytes (n: i64): [n]u8 = tabulate n (\i -> u8.f64 (256 * uniform 4 i))
entry word (n: i64): [n]u8 = tabulate n (\i -> 97 + u8.f64 (4 * uniform 5 (n + i)))
entry cells (n: i64): [n][n]u8 = tabulate_2d n n (\i j -> u8.bool (uniform 6 (i * n + j) < 0.4))
entry image (n: i64) (k: i64): [n][k]f32 = tabulate_2d n k (\i j -> f32.f64 (uniform 7 (i * k + j)))
entry points (n: i64): [n][3]f32 = tabulate_2d n 3 (\i j -> f32.f64 (uniform 8 (n + i * 3 + j)))

entry chances: [4][4]f64 =
  map (\r -> map (/ f64.sum r) r) (tabulate_2d 4 4 (\i j -> uniform 9 (4 * i + j)))

-- ==
-- entry: trapz
-- nobench input { 10i64 }
-- output { 0.74713087774799747f64 }
-- notest script input { 1000000i64 }
entry trapz (n: i64): f64 =
  let h = 1.0 / f64.i64 n
  in h * f64.sum (tabulate n (\i -> let x = h * (f64.i64 i + 0.5) in f64.exp (-x * x)))

-- ==
-- entry: dft
-- nobench input { [1f64, 2f64, 4f64] }
-- output { [7f64, -2.0000000000000013f64, -2f64] [-0f64, 1.7320508075688761f64, -1.7320508075688781f64] }
-- notest script input { normals 700i64 }
entry dft [n] (xs: [n]f64): ([n]f64, [n]f64) =
  unzip
    (tabulate n
       (\k ->
          let (cs, ss) =
            unzip
              (map2
                 (\x j ->
                    let a = 2 * f64.pi * f64.i64 ((k * j) % n) / f64.i64 n
                    in (x * f64.cos a, x * f64.sin a)) xs (iota n))
          in (f64.sum cs, -f64.sum ss)))

-- ==
-- entry: resize
-- nobench input { [[1f32, 2f32, 3f32, 4f32], [5f32, 6f32, 7f32, 8f32]] 4i64 8i64 }
-- output { [[-0.25f32, 0.25f32, 0.75f32, 1.25f32, 1.75f32, 2.25f32, 2.75f32, 3.25f32], [1.75f32, 2.25f32, 2.75f32, 3.25f32, 3.75f32, 4.25f32, 4.75f32, 5.25f32], [3.75f32, 4.25f32, 4.75f32, 5.25f32, 5.75f32, 6.25f32, 6.75f32, 7.25f32], [5.75f32, 6.25f32, 6.75f32, 7.25f32, 7.75f32, 8.25f32, 8.75f32, 9.25f32]] }
-- notest script input { (image 480i64 640i64, 600i64, 800i64) }
entry resize [h][w] (img: [h][w]f32) (oh: i64) (ow: i64): [oh][ow]f32 =
  tabulate_2d oh ow (\i j ->
                       let y = (f32.i64 i + 0.5) * f32.i64 h / f32.i64 oh - 0.5
                       let x = (f32.i64 j + 0.5) * f32.i64 w / f32.i64 ow - 0.5
                       let y0 = i64.max 0 (i64.min (h - 2) (i64.f32 (f32.floor y)))
                       let x0 = i64.max 0 (i64.min (w - 2) (i64.f32 (f32.floor x)))
                       let fy = y - f32.i64 y0
                       let fx = x - f32.i64 x0
                       in (1 - fy) * ((1 - fx) * img[y0, x0] + fx * img[y0, x0 + 1])
                          + fy * ((1 - fx) * img[y0 + 1, x0] + fx * img[y0 + 1, x0 + 1]))

def hash (x: u64): u64 =
  let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
  let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
  in x ^ (x >> 31)

def unit (x: u64): f64 = f64.u64 (hash x >> 11) / 9007199254740992

-- ==
-- entry: pi
-- nobench input { 100i64 }
-- output { 3.1200000000000001f64 }
-- notest script input { 1000000i64 }
entry pi (n: i64): f64 =
  4
  * f64.i64
      (i64.sum
         (tabulate n
            (\i ->
               let a = unit (u64.i64 (2 * i))
               let b = unit (u64.i64 (2 * i + 1))
               in i64.bool (a * a + b * b < 1)))) / f64.i64 n

-- ==
-- entry: equalise
-- nobench input { [0u8, 10u8, 10u8, 200u8] }
-- output { [63u8, 191u8, 191u8, 255u8] }
-- notest script input { bytes 1000000i64 }
entry equalise [n] (img: [n]u8): [n]u8 =
  let h = hist (+) 0 256 (map i64.u8 img) (replicate n 1i64)
  let c = scan (+) 0 h
  in map (\p -> u8.f64 (255 * f64.i64 c[i64.u8 p] / f64.i64 n)) img

-- ==
-- entry: julia
-- nobench input { 4i64 3i64 }
-- output { [[1i32, 1i32, 2i32, 2i32], [2i32, 6i32, 76i32, 9i32], [2i32, 9i32, 76i32, 6i32]] }
-- notest script input { (400i64, 300i64) }
entry julia (w: i64) (h: i64): [h][w]i32 =
  tabulate_2d h w (\i j ->
                     let x = 3 * f32.i64 j / f32.i64 w - 1.5
                     let y = 2 * f32.i64 i / f32.i64 h - 1
                     in (loop (x, y, k) = (x, y, 0i32) while k < 100 && x * x + y * y < 4 do
                           (x * x - y * y - 0.8, 2 * x * y + 0.156, k + 1)).2)

-- ==
-- entry: gauss_blur
-- nobench input { [1f64, 2f64, 3f64] }
-- output { [5.3586511082353727f64, 5.8049176980028552f64, 5.7211896020794093f64] }
-- notest script input { normals 100000i64 }
entry gauss_blur [n] (xs: [n]f64): [n]f64 =
  let k = map (\i -> f64.exp (-0.05 * f64.i64 ((i - 15) * (i - 15)))) (iota 31)
  in tabulate n
       (\i ->
          f64.sum
            (tabulate 31 (\j -> let p = i + j - 15 in if p >= 0 && p < n then k[j] * xs[p] else 0)))

-- ==
-- entry: sine_table
-- nobench input { 4i64 }
-- output { [0f32, 1f32, -8.74227766e-08f32, -1f32] }
-- notest script input { 1000000i64 }
entry sine_table (n: i64): [n]f32 =
  map (\i -> f32.sin (2 * f32.pi * f32.i64 i / f32.i64 n)) (iota n)

-- ==
-- entry: vander
-- nobench input { [2f64, 3f64] 4i64 }
-- output { [[1f64, 2f64, 4f64, 8f64], [1f64, 3f64, 9f64, 27f64]] }
-- notest script input { (normals 10000i64, 20i64) }
entry vander [n] (xs: [n]f64) (k: i64): [n][k]f64 = map (\x -> tabulate k (\i -> x ** f64.i64 i)) xs

-- ==
-- entry: autocorr
-- nobench input { [1f64, 2f64, 3f64] 2i64 }
-- output { [4.666666666666667f64, 2.6666666666666665f64] }
-- notest script input { (normals 10000i64, 100i64) }
entry autocorr [n] (xs: [n]f64) (m: i64): [m]f64 =
  tabulate m
    (\l -> f64.sum (tabulate n (\i -> if i + l < n then xs[i] * xs[i + l] else 0)) / f64.i64 n)

-- ==
-- entry: moving
-- nobench input { [1f64, 2f64, 3f64, 5f64] 2i64 }
-- output { [1.5f64, 2.5f64, 4f64] }
-- notest script input { (normals 1000000i64, 50i64) }
entry moving [n] (xs: [n]f64) (k: i64): []f64 =
  let c = [0] ++ scan (+) 0 xs in map (\i -> (c[i + k] - c[i]) / f64.i64 k) (iota (n - k + 1))

-- ==
-- entry: bins
-- nobench input { [0f64, 0.05f64, -1f64, 2f64] }
-- output { [0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 1i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 2i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 1i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64] }
-- notest script input { normals 1000000i64 }
entry bins [n] (xs: [n]f64): [64]i64 =
  hist (+) 0 64 (map (\x -> i64.f64 (x * 10 + 32)) xs) (replicate n 1)

-- ==
-- entry: hilbert
-- nobench input { 2i64 }
-- output { [[1f64, 0.5f64], [0.5f64, 0.33333333333333331f64]] }
-- notest script input { 1000i64 }
entry hilbert (n: i64): [n][n]f64 = tabulate_2d n n (\i j -> 1 / f64.i64 (i + j + 1))

def hash32 (x: i32): i32 =
  let x = ((x >> 16) ^ x) * 0x45d9f3b let x = ((x >> 16) ^ x) * 0x45d9f3b in (x >> 16) ^ x

def rnd (x: i32) (y: i32): f32 = f32.i32 (hash32 (x * 7919 + y) & 0xffff) / 65536

def smooth (t: f32) = t * t * (3 - 2 * t)

def noise (x: f32) (y: f32): f32 =
  let xi = i32.f32 (f32.floor x)
  let yi = i32.f32 (f32.floor y)
  let fx = smooth (x - f32.i32 xi)
  let fy = smooth (y - f32.i32 yi)
  let a = rnd xi yi
  let b = rnd (xi + 1) yi
  let c = rnd xi (yi + 1)
  let d = rnd (xi + 1) (yi + 1)
  in (a * (1 - fx) + b * fx) * (1 - fy) + (c * (1 - fx) + d * fx) * fy

-- ==
-- entry: perlin
-- nobench input { 2i64 3i64 }
-- output { [[0f32, 0.000168512954f32, 0.000647587876f32], [0.000233856728f32, 0.000399509619f32, 0.000870602671f32]] }
-- notest script input { (300i64, 400i64) }
entry perlin (h: i64) (w: i64): [h][w]f32 =
  tabulate_2d h w
    (\i j ->
       (loop (s, a, f) = (0, 0.5, 1) for _k < 4 do
          (s + a * noise (f * 0.01 * f32.i64 j) (f * 0.01 * f32.i64 i), a * 0.5, f * 2)).0)

-- ==
-- entry: noise1
-- nobench input { 3i64 }
-- output { [0f32, 2.61045134e-05f32, 0.000103760576f32] }
-- notest script input { 200000i64 }
entry noise1 (n: i64): [n]f32 = tabulate n (\i -> noise (0.01 * f32.i64 i) (0.003 * f32.i64 i))

-- ==
-- entry: collatz
-- nobench input { 10i64 }
-- output { 19i32 }
-- notest script input { 100000i64 }
entry collatz (n: i64): i32 =
  i32.maximum
    (tabulate n
       (\i ->
          (loop (x, k) = (i + 1, 0i32) while x != 1 do
             ((if x % 2 == 0 then x / 2 else 3 * x + 1), k + 1)).1))

-- ==
-- entry: isprime
-- nobench input { 30i64 }
-- output { 11i64 }
-- notest script input { 30000i64 }
entry isprime (n: i64): i64 =
  i64.sum
    (tabulate n
       (\i ->
          let m = i + 2
          in i64.bool ((loop d = 2 while d * d <= m && m % d != 0 do d + 1) |> (\d -> d * d > m))))

-- ==
-- entry: primes_sieve
-- nobench input { 2000i64 }
-- output { 303i64 }
-- notest script input { 1000000i64 }
entry primes_sieve (n: i64): i64 =
  let s =
    loop s = replicate n true for i in 2...1000 do
      if s[i]
      then scatter s (map (\k -> (k + i) * i) (iota (n / i))) (replicate (n / i) false)
      else s
  in i64.sum (map i64.bool s) - 2

-- ==
-- entry: popc
-- nobench input { 10i64 }
-- output { 324i64 }
-- notest script input { 1000000i64 }
entry popc (n: i64): i64 =
  i64.sum (tabulate n (\i -> i64.i32 (u64.popc (u64.i64 i * 0x9E3779B97F4A7C15))))

-- ==
-- entry: lcg
-- nobench input { 10i64 }
-- output { 4.6612903501372784f64 }
-- notest script input { 1000000i64 }
entry lcg (n: i64): f64 =
  (loop (s, x) = (0f64, 12345u32) for _i < n do
     let x = x * 1664525 + 1013904223 in (s + f64.u32 x / 4294967296, x)).0

-- ==
-- entry: levenshtein
-- nobench input { [97u8, 98u8, 99u8] [97u8, 99u8, 99u8, 100u8] }
-- output { 2i32 }
-- notest script input { (word 700i64, word 900i64) }
entry levenshtein [n][m] (a: [n]u8) (b: [m]u8): i32 =
  last (loop row = map i32.i64 (iota (m + 1)) for i < n do
          let c =
            map3 (\up diag x -> i32.min (up + 1) (diag + i32.bool (x != a[i]))) (tail row :> [m]i32)
              (init row :> [m]i32) b
          let v = [i32.i64 i + 1] ++ c
          let w = scan i32.min i32.highest (map2 (\x j -> x - i32.i64 j) v (indices v))
          in map2 (\x j -> x + i32.i64 j) w (indices w) :> [m + 1]i32)

-- ==
-- entry: life
-- nobench input { [[0u8, 1u8, 0u8, 0u8], [0u8, 1u8, 0u8, 0u8], [0u8, 1u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8]] }
-- output { [[0u8, 0u8, 0u8, 0u8], [1u8, 1u8, 1u8, 0u8], [0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8]] }
-- notest script input { cells 500i64 }
entry life [h][w] (g: [h][w]u8): [h][w]u8 =
  tabulate_2d h w
    (\i j ->
       let s =
         u8.sum
           (map (\(di, dj) -> g[(i + di + h) % h, (j + dj + w) % w])
              [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])
       in u8.bool (s == 3 || (s == 2 && g[i, j] == 1)))

-- ==
-- entry: matpow
-- nobench input { 3i64 [[0.5f64, 0.5f64, 0f64, 0f64], [0f64, 0.5f64, 0.5f64, 0f64], [0f64, 0f64, 1f64, 0f64], [0.25f64, 0.25f64, 0.25f64, 0.25f64]] }
-- output { [[0.125f64, 0.375f64, 0.5f64, 0f64], [0f64, 0.125f64, 0.875f64, 0f64], [0f64, 0f64, 1f64, 0f64], [0.109375f64, 0.265625f64, 0.609375f64, 0.015625f64]] }
-- notest script input { (100000i64, chances) }
entry matpow (k: i64) (m: [4][4]f64): [4][4]f64 =
  (loop acc = tabulate_2d 4 4 (\i j -> f64.bool (i == j)) for _i < k do
     map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose m)) acc)

-- ==
-- entry: floyd
-- nobench input { [[0f32, 3f32, 1f32], [1f32, 0f32, 9f32], [9f32, 1f32, 0f32]] }
-- output { [[0f32, 2f32, 1f32], [1f32, 0f32, 2f32], [2f32, 1f32, 0f32]] }
-- notest script input { image 200i64 200i64 }
entry floyd [n] (d: [n][n]f32): [n][n]f32 =
  loop d for k < n do map (\r -> map2 (\x y -> f32.min x (r[k] + y)) r d[k]) d

-- ==
-- entry: knn
-- nobench input { [[0f32, 0f32, 0f32], [1f32, 1f32, 1f32]] [[0.9f32, 1f32, 1f32], [0f32, 0f32, 0.1f32]] }
-- output { [1i64, 0i64] }
-- notest script input { (points 2000i64, points 500i64) }
entry knn [n][m] (ps: [n][3]f32) (qs: [m][3]f32): [m]i64 =
  map
    (\q ->
       (reduce_comm (\(a, i) (b, j) -> if a < b || (a == b && i < j) then (a, i) else (b, j))
          (f32.inf, -1)
          (zip (map (\p -> f32.sum (map2 (\x y -> (x - y) * (x - y)) p q)) ps) (iota n))).1) qs

-- ==
-- entry: histmean
-- notest script input { (keys 500000i64, normals 500000i64) }
entry histmean [n] (ks: [n]i32) (xs: [n]f64): [100]f64 =
  let (s, c) =
    unzip
      (hist (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) 100 (map i64.i32 ks)
         (map (\x -> (x, 1i64)) xs))
  in map2 (\s c -> s / f64.i64 (i64.max 1 c)) s c

-- ==
-- entry: rle
-- nobench input { [1i32, 1i32, 2i32, 2i32, 1i32] }
-- output { 2i64 }
-- notest script input { keys 1000000i64 }
entry rle [n] (xs: [n]i32): i64 = length (filter id (map2 (!=) xs (rotate 1 xs)))

-- ==
-- entry: normalise
-- nobench input { [[1f64, 2f64, 3f64], [0f64, 0f64, 3f64]] }
-- output { [[-1.2247356859083902f64, 0f64, 1.2247356859083902f64], [-0.70710501342622367f64, -0.70710501342622367f64, 1.4142100268524473f64]] }
-- notest script input { rows 2000i64 100i64 }
entry normalise [n][d] (xs: [n][d]f64): [n][d]f64 =
  map
    (\r ->
       let m = f64.sum r / f64.i64 d
       let v = f64.sum (map (\x -> (x - m) * (x - m)) r) / f64.i64 d
       in map (\x -> (x - m) / f64.sqrt (v + 1e-5)) r) xs

entry flags (n: i64): [n]bool = tabulate n (\i -> uniform 10 i < 0.5)

-- ==
-- entry: masked
-- nobench input { [true, false, true] [1f64, 2f64, 4f64] }
-- output { 5f64 2i64 }
-- notest script input { (flags 1000000i64, normals 1000000i64) }
entry masked [n] (keep: [n]bool) (xs: [n]f64): (f64, i64) =
  (f64.sum (map2 (\k x -> if k then x else 0) keep xs), i64.sum (map i64.bool keep))

-- ==
-- entry: rectified
-- nobench input { [1f64, -2f64, 0f64] }
-- output { [2.718281828459045f64, 1f64, 1f64] }
-- notest script input { normals 1000000i64 }
entry rectified (xs: []f64): []f64 = map (\x -> f64.exp (x * f64.bool (x > 0))) xs

entry words (n: i64) (k: i64): [n]i64 = tabulate n (\i -> i64.f64 (f64.i64 k * uniform 11 i))

-- ==
-- entry: lookup
-- nobench input { [1i64, 0i64, 1i64] [[1f64, 2f64], [3f64, -1f64]] [[0.5f64, 0f64], [0.25f64, 1f64]] }
-- output { [[0.8482836399575129f64, -0.7615941559557649f64], [0.7615941559557649f64, 0.9640275800758169f64], [0.8482836399575129f64, -0.7615941559557649f64]] }
-- notest script input { (words 5000i64 500i64, rows 500i64 32i64, rows 32i64 16i64) }
entry lookup [n][k][d][m] (ws: [n]i64) (table: [k][d]f64) (a: [d][m]f64): [n][m]f64 =
  map (\w -> map (\c -> f64.tanh (f64.sum (map2 (*) table[w] c))) (transpose a)) ws

-- ==
-- entry: few_columns
-- nobench input { [[1f64, 2f64], [3f64, -1f64]] [[0.5f64, 0f64], [0.25f64, 1f64]] }
-- output { [[0.35835739835078595f64, 0.9640275800758169f64], [0.5963735554792423f64, -0.7615941559557649f64]] }
-- notest script input { (rows 5000i64 31i64, rows 31i64 31i64) }
entry few_columns [n][d][m] (xs: [n][d]f64) (a: [d][m]f64): [n][m]f64 =
  map (\x -> map (\j -> f64.tanh (loop s = 0 for k < d do s + x[k] * a[k, j] * a[k, j])) (iota m))
    xs

-- ==
-- entry: series
-- nobench input { [0f64, 0.5f64, -1f64] }
-- output { [1.0f64, 1.3862591808148448f64, 0.6532106782106781f64] }
-- notest script input { normals 100000i64 }
entry series (xs: []f64): []f64 =
  map (\x -> loop s = 0 for k < 12 do s * x + 1 / f64.i64 (12 - k)) xs

-- ==
-- entry: adler
-- nobench input { [87u8, 105u8, 107u8, 105u8, 112u8, 101u8, 100u8, 105u8, 97u8] }
-- output { 300286872u32 }
-- notest script input { bytes 1000000i64 }
entry adler (bs: []u8): u32 =
  let (a, b) =
    loop (a, b) = (1u32, 0)
    for x in bs do
      let a = (a + u32.u8 x) % 65521
      in (a, (b + a) % 65521)
  in (b << 16) | a

-- ==
-- entry: turned
-- nobench input { [1f64, 2f64, 4f64, 8f64] }
-- output { [2.5f64, 5.0f64, 2.5f64, 5.0f64] }
-- notest script input { normals 1000000i64 }
entry turned [n] (xs: [n]f64): [n]f64 =
  map3 (\a b c -> 0.25 * a + 0.5 * b + 0.25 * c) (rotate (-2) xs) xs (rotate 2 xs)

-- ==
-- entry: swaps
-- nobench input { [3i32, 1i32, 2i32, 0i32] }
-- output { [0i32, 1i32, 2i32, 3i32] }
-- notest script input { keys 300i64 }
entry swaps [n] (xs: *[n]i32): [n]i32 =
  loop xs: *[n]i32 = xs for i < n do
    loop xs: *[n]i32 = xs for j < n - 1 - i do
      if xs[j] > xs[j + 1]
      then
        let a = copy xs[j]
        let b = copy xs[j + 1]
        in xs with [j] = b with [j + 1] = a
      else xs

-- ==
-- entry: integral
-- nobench input { [[1u8, 2u8], [3u8, 4u8]] }
-- output { [[1i64, 3i64], [4i64, 10i64]] }
-- notest script input { cells 800i64 }
entry integral [h][w] (img: [h][w]u8): [h][w]i64 =
  let rows = map (\r -> scan (+) 0 (map i64.u8 r)) img
  in transpose (map (scan (+) 0) (transpose rows))
