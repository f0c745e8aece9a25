-- What is reinterpreted has a derivative that is reinterpreted, too: through the bits and back nothing is lost. Operations on bits
-- have the derivative zero.
-- ==
-- entry: there_and_back
-- input { 2.5 } output { 3.0 3.0 6.0 }
entry there_and_back (x: f64) =
  let f (x: f64) = f64.from_bits (f64.to_bits x)
  in (vjp f x 3, jvp f x 3, vjp (\x -> jvp (\y -> f (y * f y)) x 3) x 1)

-- ==
-- entry: single
-- input { 2.5f32 2.5f16 } output { 3f32 3f32 3f16 3f16 }
entry single (x: f32) (y: f16) =
  let f (x: f32) = f32.from_bits (f32.to_bits x)
  let g (x: f16) = f16.from_bits (f16.to_bits x)
  in (vjp f x 3, jvp f x 3, vjp g y 3, jvp g y 3)

-- ==
-- entry: one_way
-- input { 2.5f32 7u32 } output { 1065353216i32 1f32 2f32 1073741824u32 }
entry one_way (x: f32) (b: u32) =
  (jvp (\x -> i32.u32 (f32.to_bits x)) x 1, vjp f32.to_bits x 0x3f800000,
   jvp f32.from_bits b 0x40000000, vjp f32.from_bits b 2)

-- ==
-- entry: changed_bits
-- input { 2.5f32 } output { 0f32 0f32 2.5f32 }
entry changed_bits (x: f32) =
  (vjp (\x -> f32.from_bits (f32.to_bits x & 0x7fffffff)) x 1, jvp (\x -> f32.from_bits (f32.to_bits x ^ 0x80000000)) x 1,
   vjp (\x -> f32.set_bit 31 x 0 * x) x 1)

-- ==
-- entry: in_map
-- input { [1f32, 2f32, 3f32] }
-- output { [2f32, 4f32, 6f32] [[2f32, 0f32, 0f32], [0f32, 4f32, 0f32], [0f32, 0f32, 6f32]] true }
entry in_map [n] (xs: [n]f32) =
  let square x = x * f32.from_bits (f32.to_bits x)
  let seeds = tabulate_2d n n (\i j -> f32.bool (i == j))
  in (vjp (\xs -> f32.sum (map square xs)) xs 1, mjp (map square) xs seeds,
      jmp (map square) xs seeds == mjp (map square) xs seeds)

-- ==
-- entry: in_loop
-- input { 3.0 4i64 } output { 1.0 1.0 }
entry in_loop (x: f64) (n: i64) =
  let f (x: f64) = f64.from_bits (loop b = f64.to_bits x for _i < n do f64.to_bits (f64.from_bits b))
  in (vjp f x 1, jvp f x 1)
