-- Corners of the rules (docs/ad.md 6 and 7).
-- rule: index.slice
-- ad: rotated { [1.0, 2.0, 3.0] }
def rotated (xs: []f64) = map2 (*) (rotate 1 xs) (reverse xs)

-- ad: filtered { [1.0, -2.0, 3.0] }
def filtered (xs: []f64) = f64.product (filter (> 0) (map (\x -> x * x * x) xs))

-- ad: partitioned { [1.0, -2.0, 3.0] }
def partitioned (xs: []f64) =
  let (a, b) = partition (> 0) xs in f64.product a * f64.sum (map f64.sin b)

-- rule: array.permute
-- ad: transposed { [[1.0, 2.0], [3.0, 4.0]] }
def transposed (xs: [][]f64) = map (map (** 2)) (transpose xs)

-- rule: array.reshape
-- ad: flattened { [[1.0, 2.0], [3.0, 4.0]] }
def flattened (xs: [][]f64) = map (** 2) (flatten xs)

-- rule: array.reshape
-- ad: unflattened { [1.0, 2.0, 3.0, 4.0] }
def unflattened (xs: [4]f64) = map f64.product (unflatten (xs :> [2 * 2]f64))

-- rule: array.replicate
-- ad: replicated { 2.0 [1.0, 2.0] 3i64 }
def replicated [m] (x: f64, ys: [m]f64, n: i64) =
  (f64.product (replicate n (x * x)),
   f64.sum (map f64.product (map (map f64.sin) (replicate n ys))))

-- rule: array.replicate
-- ad: replicated_none { 2.0 [1.0, 2.0] 0i64 }
def replicated_none (x: f64, ys: []f64, n: i64) =
  (f64.sum (replicate n (x * x)) + x, f64.sum (flatten (replicate n ys)) + ys[0])

-- rule: index.slice
-- ad: slices_all { [1.0, 2.0, 3.0, 4.0, 5.0] }
def slices_all (xs: [5]f64) =
  (f64.sum (map (** 2) xs[1:4]), f64.product (map (** 2) xs[4:0:-2]), f64.sum (map (** 3) xs[2:2]),
   f64.product xs[0:5:2])

-- rule: update.slice
-- ad: update_of_slice { [1.0, 2.0, 3.0, 4.0] [5.0, 6.0] 1i64 }
def update_of_slice [n] (xs: [n]f64, ys: [2]f64, k: i64) =
  let a = copy xs with [k:k + 2] = map2 (*) ys (copy xs[k:k + 2] :> [2]f64)
  in a with [0] = a[k] * a[k + 1]

-- rule: update.point
-- ad: update_of_row { [[1.0, 2.0], [3.0, 4.0]] }
def update_of_row [n] (xs: [n][2]f64) = let a = copy xs in a with [0] = map2 (*) a[0] a[1]

-- rule: scatter.plain
-- ad: scatter_outside { [1.0, 2.0, 3.0] [4.0, 5.0, 6.0] }
def scatter_outside (xs: []f64, ys: [3]f64) = scatter (copy xs) [2, -1, 7] ys

-- rule: scatter.plain
-- ad: scatter_read_before { [1.0, 2.0, 3.0] [4.0, 5.0] }
def scatter_read_before (xs: []f64, ys: [2]f64) =
  let zs = map f64.sin xs let ws = scatter (copy xs) [2, 0] ys in (map2 (*) zs ws, xs[0] * ws[0])

-- rule: acc.overwrite
-- ad: scatter_in_loop { [1.0, 2.0, 3.0] [4.0, 5.0] }
def scatter_in_loop (xs: []f64, ys: [2]f64) =
  loop zs = copy xs for i < 3i64 do scatter zs [i, (i + 1) % 3] (map2 (*) ys [zs[i], zs[0]])

-- rule: scatter.plain
-- ad: scatter_two_dimensions { [[1.0, 2.0], [3.0, 4.0]] [4.0, 5.0] }
def scatter_two_dimensions [n][m] (xs: [n][m]f64, ys: [2]f64) =
  scatter_2d (copy xs) [(0, 1), (1, 0)] (map (** 2) ys)

-- rule: scatter.plain
-- ad: scatter_pairs { [1.0, 2.0] [4.0, 5.0] [7.0] }
def scatter_pairs [n] (xs: [n]f64, ys: [n]f64, zs: [1]f64) =
  unzip (scatter (copy (zip xs ys)) [1] (zip zs (map (** 2) zs)))

-- rule: while.enlarge
-- ad: while_halving { 100.0 }
def while_halving (x: f64) = loop y = x while y > 1 do y / 2 + f64.sin x / 1000

-- rule: while.enlarge
-- ad: while_newton { 2.0 }
def while_newton (a: f64) = loop x = a while f64.abs (x * x - a) > 1e-14 do (x + a / x) / 2

-- rule: while.enlarge
-- ad: while_in_for { 2.0 [3.0, 40.0] }
def while_in_for (a: f64, xs: []f64) =
  loop s = a for x in xs do (loop y = s * x while y > 2 do y / 2)

-- rule: loop.shape
-- ad: halving_lengths { [1.0, 2.0, 3.0, 4.0] }
def halving_lengths (xs: []f64) =
  f64.sum
    (loop ys = xs while length ys > 1 do
       let h = length ys / 2 in map2 (*) (ys[:h] :> [h]f64) (ys[h:h * 2] :> [h]f64))

-- rule: loop.shape
-- ad: growing_lengths { [1.0, 2.0] }
def growing_lengths (xs: []f64) =
  f64.product (loop ys = xs for i < 2i64 do ys ++ map (* f64.i64 (i + 2)) ys)

-- rule: if.plain
-- ad: bubbles { [3.0, 1.0, 2.0] }
def bubbles [n] (xs: [n]f64) =
  let ys =
    loop ys = copy xs for i < n do
      loop ys for j < n - 1 do
        if ys[j] > ys[j + 1]
        then let t = ys[j] in ys with [j] = copy ys[j + 1] with [j + 1] = t
        else ys
  in map2 (*) ys (map f64.i64 (iota n))

-- rule: loop.record
-- ad: relaxation { [[0.1, 1.0, 5.0], [9.0, 0.2, 2.0], [1.0, 9.0, 0.3]] }
def relaxation [n] (xs: [n][n]f64) =
  loop d = copy xs for k < n do
    loop d for i < n do loop d for j < n do d with [i, j] = f64.min d[i, j] (d[i, k] + d[k, j])

-- rule: loop.record
-- ad: prefix_in_place { [1.0, 2.0, 3.0] }
def prefix_in_place [n] (xs: [n]f64) =
  loop a = copy xs for i in 1 ... n - 1 do a with [i] = a[i] + f64.sin a[i - 1]

-- rule: loop.record
-- ad: invariant_state { [1.0, 2.0, 3.0] 1.5 }
def invariant_state [n] (xs: [n]f64, c: f64) = loop (s, k) = (c, c) for x in xs do (s * k + x, k)

-- rule: loop.record
-- ad: overwritten_by_constant { 1.5 }
def overwritten_by_constant (c: f64) = loop s = c for i < 3i64 do if i == 1 then 2 else s * c

-- rule: map.free_array
-- ad: maps_in_maps { [[1.0, 2.0], [3.0, 4.0]] [0.5, 0.7] 1.1 }
def maps_in_maps (xs: [][]f64, w: []f64, c: f64) =
  map (\r -> map2 (\x k -> x * k * c + w[0] * r[0]) r w) xs

-- rule: map.free_array
-- ad: colliding_reads { [1.0, 2.0, 3.0] }
def colliding_reads [n] (xs: [n]f64) = map (\i -> xs[(i * 2) % n] * xs[i / 2]) (iota (2 * n))

-- rule: map.free_scalar
-- ad: loop_in_map { [1.0, 2.0, 3.0] [0.1, 0.2] }
def loop_in_map [n] (xs: [n]f64, w: []f64) =
  map (\x -> loop y = x for i < 2i64 do f64.sum (map (* y) w) + xs[i]) xs

-- rule: scalar.convert
-- ad: integer_results { [1.5, 2.5, 3.5] }
def integer_results (xs: []f64) =
  let (a, is) = unzip (map (\x -> (x * x, i64.f64 x)) xs)
  in f64.sum (map2 (\a i -> a * f64.i64 i) a is)

-- ad: unused_result { [1.0, 2.0, 3.0] 3.0 }
def unused_result (xs: []f64, c: f64) = let (a, _) = unzip (map (\x -> (x * x, x * c)) xs) in a

-- rule: map.free_scalar
-- ad: empty_map { empty([0]f64) 3.0 [1.0, 2.0] }
def empty_map (xs: []f64, c: f64, w: []f64) = (map (\x -> x * c + f64.sum w) xs, c)

-- ad: sum_type { 2.0 true }
def sum_type (x: f64, b: bool) =
  let v: #a f64 | #b f64 f64 = if b then #a (x * x) else #b x (x * 3)
  in match v case #a y -> y * x case #b y z -> y * z

-- ad: radix_steps { [3.5, 1.5, 2.5] }
def radix_steps [n] (xs: [n]f64) =
  let is =
    map (.1)
      (loop ps = zip (map (\x -> i64.f64 x) xs) (iota n) for b < 2i64 do
         (let bits = map (\(k, _) -> (k >> b) & 1) ps
          let zeros = map (1 -) bits
          let pos0 = scan (+) 0 zeros
          let tot = i64.sum zeros
          let pos1 = map (+ tot) (scan (+) 0 bits)
          let dest = map3 (\z p q -> if z == 1 then p - 1 else q - 1) zeros pos0 pos1
          in scatter (copy ps) dest ps))
  in map2 (\i k -> xs[i] * f64.i64 k) is (iota n)

-- rule: hist.sequential
-- ad: hist_of_pairs { [1.0, 2.0] [0.5, 0.6] [0.1, 0.2, 0.3] }
def hist_of_pairs (a: [2]f64, b: [2]f64, xs: [3]f64) =
  unzip
    (reduce_by_index (copy (zip a b)) (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0)
       [0, 1, 0] (zip xs (map (** 2) xs)))

-- rule: hist.mul
-- ad: hist_read_before { [3.0, 2.0] [3.0, 5.0, 5.0, 1.0] }
def hist_read_before (a: [2]f64, xs: [4]f64) =
  let b = map f64.sin a
  let h = reduce_by_index (copy a) (*) 1 [0, 1, 1, 9] xs
  in map3 (\x y z -> x * y + z) a b h

-- rule: scalar.apply
-- ad: singles { [3.0f32, 2.0f32] }
def singles (a: []f32) = f32.sum (map f32.sin a) * f32.product a
