-- everyday_gradients.fut - gradients of such programs.

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
entry places (n: i64): [n]f64 = tabulate n (\i -> 998 * uniform 3 i)
entry prices (n: i64): [n]f64 = tabulate n (\i -> 50 + 100 * uniform 4 i)

def trap (a: f64) (n: i64): f64 =
  let h = a / f64.i64 n
  in h * f64.sum (tabulate n (\i -> let x = h * (f64.i64 i + 0.5) in f64.exp (-x * x * a)))

-- ==
-- entry: trap_g
-- nobench input { 10i64 }
-- output { -0.18820309484782244f64 }
-- notest script input { 1000000i64 }
entry trap_g (n: i64): f64 = vjp (\a -> trap a n) 1.5 1

-- ==
-- entry: dft_g
-- nobench input { [1f64, 2f64, 4f64] }
-- output { [5.9999999999999964f64, 12.000000000000004f64, 24f64] }
-- notest script input { normals 500i64 }
entry dft_g [n] (xs: [n]f64): [n]f64 =
  vjp
    (\xs ->
       f64.sum
         (tabulate n
            (\k ->
               let (cs, ss) =
                 unzip
                   (map2
                      (\x j ->
                         let a = 2 * f64.pi * f64.i64 ((k * j) % n) / f64.i64 n
                         in (x * f64.cos a, x * f64.sin a)) xs (iota n))
               let c = f64.sum cs
               let s = f64.sum ss
               in c * c + s * s))) xs 1

def interp [n] (t: [n]f64) (x: f64): f64 =
  let i = i64.max 0 (i64.min (n - 2) (i64.f64 x))
  let f = x - f64.i64 i
  in t[i] * (1 - f) + t[i + 1] * f

-- ==
-- entry: interp_g
-- nobench input { [1f64, 2f64, 4f64] [0.5f64, 1.25f64] }
-- output { [1.5f64, 5.25f64, 1.25f64] [3f64, 10f64] }
-- notest script input { (normals 1000i64, places 500000i64) }
entry interp_g [n][m] (t: [n]f64) (xs: [m]f64): ([n]f64, [m]f64) =
  vjp (\(t, xs) -> f64.sum (map (\x -> let y = interp t x in y * y) xs)) (t, xs) 1

-- ==
-- entry: blur_g
-- nobench input { [1f64, 2f64, 3f64] }
-- output { [31.129147001586066f64, 32.688776400870331f64, 31.260581161104767f64] }
-- notest script input { normals 100000i64 }
entry blur_g [n] (xs: [n]f64): [n]f64 =
  vjp
    (\xs ->
       let k = map (\i -> f64.exp (-0.05 * f64.i64 ((i - 15) * (i - 15)))) (iota 31)
       in f64.sum
            (map (\x -> x * x)
               (tabulate n
                  (\i ->
                     f64.sum
                       (tabulate 31
                          (\j ->
                             let p = i + j - 15 in if p >= 0 && p < n then k[j] * xs[p] else 0))))))
    xs 1

-- ==
-- entry: norm_g
-- nobench input { [[1f64, 2f64, 4f64], [0f64, 0f64, 3f64]] }
-- output { [[1.3253784956107038f64, -1.9880787882184441f64, 0.66270029260774166f64], [-5.3032345679326909e-06f64, -5.3032345679326909e-06f64, 1.060646913675356e-05f64]] }
-- notest script input { rows 2000i64 100i64 }
entry norm_g [n][d] (xs: [n][d]f64): [n][d]f64 =
  vjp
    (\xs ->
       f64.sum
         (map f64.sum
            (map (map (\x -> x * x * x))
               (map
                  (\r ->
                     let m = f64.sum r / f64.i64 d
                     let v = f64.sum (map (\x -> (x - m) * (x - m)) r) / f64.i64 d
                     in map (\x -> (x - m) / f64.sqrt (v + 1e-5)) r) xs)))) xs 1

-- ==
-- entry: moving_g
-- nobench input { [1f64, 2f64, 3f64, 5f64] 2i64 }
-- output { [1.5f64, 4f64, 6.5f64, 4f64] }
-- notest script input { (normals 500000i64, 50i64) }
entry moving_g [n] (xs: [n]f64) (k: i64): [n]f64 =
  vjp
    (\xs ->
       let c = [0] ++ scan (+) 0 xs
       in f64.sum (map (\i -> let a = (c[i + k] - c[i]) / f64.i64 k in a * a) (iota (n - k + 1))))
    xs 1

-- ==
-- entry: soft_g
-- nobench input { [[1f64, 2f64, 3f64], [0f64, 0f64, 3f64]] }
-- output { [[0.090030573170380448f64, 0.24472847105479761f64, 0.66524095577482201f64], [0.045278500743629067f64, 0.045278500743629067f64, 0.90944299851274191f64]] }
-- notest script input { rows 5000i64 100i64 }
entry soft_g [n][d] (xs: [n][d]f64): [n][d]f64 =
  vjp
    (\xs ->
       f64.sum
         (map
            (\r ->
               let m = f64.maximum r
               let e = map (\x -> f64.exp (x - m)) r
               in f64.log (f64.sum e) + m) xs)) xs 1

-- ==
-- entry: huber_g
-- nobench input { [0.5f64, -2f64, 1.5f64] }
-- output { [0.5f64, -1f64, 1f64] }
-- notest script input { normals 1000000i64 }
entry huber_g [n] (xs: [n]f64): [n]f64 =
  vjp (\xs -> f64.sum (map (\x -> if f64.abs x < 1 then 0.5 * x * x else f64.abs x - 0.5) xs)) xs 1

-- ==
-- entry: tv_g
-- nobench input { [[1f64, 2f64, 4f64], [0f64, 0f64, 3f64]] }
-- output { [[0f64, 0.70710660440991846f64, 1.707106236992753f64], [-0.70710660440991846f64, -1.707106681436827f64, 4.4444407421018184e-07f64]] }
-- notest script input { rows 500i64 500i64 }
entry tv_g [h][w] (u: [h][w]f64): [h][w]f64 =
  vjp
    (\u ->
       f64.sum
         (flatten
            (tabulate_2d h w
               (\i j ->
                  let dx = if i + 1 < h then u[i + 1, j] - u[i, j] else 0
                  let dy = if j + 1 < w then u[i, j + 1] - u[i, j] else 0
                  in f64.sqrt (dx * dx + dy * dy + 1e-6))))) u 1

-- ==
-- entry: spring_g
-- nobench input { [[0f64, 0f64], [1f64, 0f64], [0f64, 2f64]] }
-- output { [[-0.0019985012489072292f64, -4.0004999062695275f64], [2.213322977858931f64, -4.4226489532200475f64], [-2.2113244766100237f64, 8.4231488594895758f64]] }
-- notest script input { rows 700i64 2i64 }
entry spring_g [n] (ps: [n][2]f64): [n][2]f64 =
  vjp
    (\ps ->
       f64.sum
         (map
            (\i ->
               f64.sum
                 (map
                    (\j ->
                       let dx = ps[i, 0] - ps[j, 0]
                       let dy = ps[i, 1] - ps[j, 1]
                       let r = f64.sqrt (dx * dx + dy * dy + 1e-3)
                       in (r - 1) * (r - 1)) (iota n))) (iota n))) ps 1

-- ==
-- entry: binom_g
-- nobench input { [90f64, 100f64, 120f64] }
-- output { [0.092954004519803859f64, 0.45692334867252293f64, 0.93531586146242851f64] }
-- notest script input { prices 1000i64 }
entry binom_g [n] (ps: [n]f64): [n]f64 = vjp (\ps -> f64.sum (map (\p ->
                                                                     let v =
                                                                       tabulate 65
                                                                         (\i ->
                                                                            f64.max 0
                                                                              (p
                                                                               * 1.01
                                                                                 ** f64.i64
                                                                                      (2 * i - 64)
                                                                               - 100))
                                                                     let v =
                                                                       loop v for t < 64 do
                                                                         let m = 64 - t
                                                                         in v
                                                                            with [0:m] =
                                                                              map2
                                                                                (\a b ->
                                                                                   0.499 * a
                                                                                   + 0.5 * b)
                                                                                (v[0:m] :> [m]f64)
                                                                                (v[1:m + 1]
                                                                                   :> [m]f64)
                                                                     in v[0]) ps)) ps 1

-- ==
-- entry: poly_g
-- nobench input { [0.5f64, 2f64] [1f64, 2f64, 3f64] }
-- output { [35.5f64, 65.75f64, 128.875f64] }
-- notest script input { (normals 20000i64, normals 10i64) }
entry poly_g [n][k] (xs: [n]f64) (cs: [k]f64): [k]f64 =
  vjp
    (\cs ->
       f64.sum
         (map
            (\x ->
               let y = f64.sum (map2 (\c i -> c * x ** f64.i64 i) cs (iota k)) in (y - 1) * (y - 1))
            xs)) cs 1

-- ==
-- entry: cumprod_g
-- nobench input { [1f64, 2f64, 3f64] }
-- output { [3.000007000006e-06f64, 2.0000050000029996e-06f64, 1.0000030000019999e-06f64] }
-- notest script input { normals 500000i64 }
entry cumprod_g [n] (xs: [n]f64): [n]f64 =
  vjp (\xs -> f64.sum (scan (*) 1 (map (\x -> 1 + 1e-6 * x) xs))) xs 1

-- ==
-- entry: sortsum_g
-- nobench input { [3f64, 1f64, 2f64] }
-- output { [8.9106000000000005f64, -4.8940000000000001f64, 1.6600000000000001f64] }
-- notest script input { normals 500000i64 }
entry sortsum_g [n] (xs: [n]f64): [n]f64 =
  vjp (\xs -> (loop (s, p) = (0, 0) for x in xs do (s + (x - p) * (x - p), 0.9 * x + 0.1 * p)).0) xs
    1

entry words (n: i64) (k: i64): [n]i64 = tabulate n (\i -> i64.f64 (f64.i64 k * uniform 5 i))

-- ==
-- entry: lookup_g
-- nobench input { [1i64, 0i64, 1i64] [[1f64, 2f64], [3f64, -1f64]] [[0.5f64, 0f64], [0.25f64, 1f64]] }
-- output { [[0.20998717080701307f64, 0.17564441025667096f64], [0.28041486618043265f64, 0.9801561163182686f64]] [[2.102463538696622f64, 2.590496874537321f64], [0.27911895086718697f64, -0.6986470335217234f64]] }
-- notest script input { (words 5000i64 500i64, rows 500i64 32i64, rows 32i64 16i64) }
entry lookup_g [n][k][d][m] (ws: [n]i64) (table: [k][d]f64) (a: [d][m]f64): ([k][d]f64, [d][m]f64) =
  vjp
    (\(table, a) ->
       f64.sum
         (map (\w -> f64.sum (map (\c -> f64.tanh (f64.sum (map2 (*) table[w] c))) (transpose a)))
            ws)) (table, a) 1
