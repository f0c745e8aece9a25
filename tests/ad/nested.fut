-- Derivatives of derivatives.
-- rule: nest.rr
-- ad: second { 1.3 }
def second (x: f64) = vjp (\y -> y * y * f64.sin y) x 1

-- rule: nest.rr
-- ad: gradient { [1.0, 2.0] }
def gradient (xs: []f64) = vjp (\ys -> f64.sum (map (\y -> y * y * y) ys)) xs 1

-- ad: forward_in_map { [1.0, 2.0] }
def forward_in_map (xs: []f64) = map (\x -> jvp (\y -> f64.exp (y * y)) x 1) xs

-- ad: reverse_in_map { [1.0, 2.0] 3.0 }
def reverse_in_map (xs: []f64, z: f64) = map (\x -> vjp (\y -> f64.exp y * z) x 1) xs

-- ad: outer_variable { 2.0 }
def outer_variable (x: f64) = x * vjp (\y -> x * y * y) x 1

-- rule: nest.fr
-- ad: hessian_vector { [1.0, 2.0] [0.5, 0.25] }
def hessian_vector [n] (xs: [n]f64, vs: [n]f64) =
  jvp (\ys -> vjp (\zs -> f64.product zs + f64.sum (map f64.sin zs)) ys 1) xs vs

-- ad: gradient_step { [1.0, 2.0] }
def gradient_step (xs: []f64) =
  loop ys = xs for _i < 2i32 do
    map2 (\y g -> y - 0.1 * g) ys (vjp (\zs -> f64.sum (map (\z -> z * z * z) zs)) ys 1)

-- ad: branch_accumulates { 0.29 [0.5, -0.3] }
def branch_accumulates [n] (x: f64, b: [n]f64) =
  let g (x, b) = map (\t -> if x < b[0] then x else f64.sin (f64.sum (map (\u -> f64.sin u * t) b))) b
  in vjp g (x, b) (map f64.cos b)

-- rule: acc.gather nest.rr
-- ad: gathered_twice { [1.0, 2.0, 3.0] [0i64, 2i64, 2i64] }
def gathered_twice (xs: []f64, is: []i64) = vjp (\ys -> f64.sum (map (\i -> ys[i] * ys[i] * ys[i]) is)) xs 1

-- rule: nest.ff nest.rf
-- ad: forward_of_both { [1.0, 2.0] }
def forward_of_both [n] (xs: [n]f64) =
  jvp (\ys -> jvp (\zs -> f64.product zs) ys (map f64.sin ys) * vjp (\y -> jvp (\z -> z * z * y) y 1) ys[0] 1) xs xs

-- Perturbations of different operators are different.
-- ad: apart { 1.5 }
def apart (x: f64) = jvp (\a -> a * jvp (\b -> a + b) 1 1) x 1 + jvp (\a -> a * jvp (\b -> a * b) 2 1) x 1

-- rule: batch.jvp batch.vjp batch.lanes
-- ad: jacobians { [1.0, 2.0] }
def jacobians [n] (xs: [n]f64) =
  let f (ys: [n]f64) = loop ys = copy ys for i < n do ys with [i] = f64.product ys + f64.sin ys[0]
  let ones = tabulate_2d n n (\i j -> f64.bool (i == j))
  in (jmp f xs ones, mjp f xs ones)

-- Three directions side by side through updates, bins, loops that end with the values and branches on what varies.
-- rule: batch.lanes
-- ad: side_by_side { [0.5, 1.5, -0.7] }
def side_by_side (xs: [3]f64) =
  let f (ys: [3]f64) =
    let bins = reduce_by_index (replicate 2 1.0) (*) 1 [0, 1, 0] ys
    let ws = loop ws = copy ys for i < 4 do ws with [i % 3] = f64.sum (map (* ws[(i + 1) % 3]) ys) + bins[i % 2]
    let s = loop s = ws[0] * ws[0] + 0.1 while s < 3 do s * 1.7 + bins[1]
    let spread = map (\y -> if y > 0 then f64.sin (y * s) else y * y) ws
    in (scan (\a b -> a * b + a + b) 0 spread ++ flatten (transpose [ws, map (** 2) spread])) :> [9]f64
  let ones = tabulate_2d 3 3 (\i j -> f64.bool (i == j))
  in (jmp f xs ones, mjp f xs (tabulate_2d 3 9 (\i j -> f64.cos (f64.i64 (i + 3 * j)))))

-- As many directions as there are numbers, six of which are two strips; one loop ends with the values.
-- rule: batch.strips batch.map
-- ad(cpu): in_strips { [0.5, 1.5, -0.7, 0.2, 0.9, 1.1] }
-- ad(cpu): in_strips { [0.5, 1.5] }
def in_strips [n] (xs: [n]f64) =
  let f (ys: [n]f64) =
    let z = loop z = f64.sum ys * 0.1 + 2 while z < 9 do z * z + f64.sum ys
    let ws = loop ws = copy ys for i < n do ws with [i] = ws[i] * ws[(i + 1) % n] + f64.sin z
    in map2 (*) ws (scan (+) 0 ys)
  let unit i = tabulate n (\j -> f64.bool (i == j))
  in (jmp f xs (tabulate n unit), map (vjp f xs) (tabulate n unit), map (\i -> (jvp f xs (unit i))[i]) (iota n))

-- rule: batch.jvp
-- ad: shared_consumed { [1.0, 2.0] [3.0, 4.0] }
def shared_consumed [n] (xs: [n]f64, ys: [n]f64) =
  jmp (\zs -> let ws = (copy ys) with [0] = zs[1] * zs[0]
              let order = iota n with [0] = 1
              in map (\i -> ws[i] * zs[i]) order) xs [xs, ys]
