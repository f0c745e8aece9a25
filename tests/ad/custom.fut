-- Functions with derivative rules of their own. Where the rule is right, it agrees with everything; that it is used at all
-- shows in tests/conformance/own_derivatives.fut.
-- rule: custom.vjp
-- ad: reverse_rule { 2.0 }
def reverse_rule (x: f64) = with_vjp f64.sqrt (\y dy -> dy / (2 * y)) x

-- rule: custom.jvp
-- ad: forward_rule { 2.0 }
def forward_rule (x: f64) = with_jvp f64.sqrt (\y dy -> dy / (2 * f64.sqrt y)) x

-- ad: both_rules { 1.5 }
def both_rules (x: f64) =
  with_vjp (with_jvp f64.sin (\a b -> b * f64.cos a)) (\r d -> d * f64.sqrt (1 - r * r)) x

-- rule: custom.tape
-- ad: tape { 2.0 3.0 }
def tape (x: f64, y: f64) =
  with_vjp_tape (\(a, b) -> ((a, b), a * b)) (\((a, b), d) -> (b * d, a * d)) (x * y, y)

-- ad: array_argument { [1.0, 2.0, 3.0] }
def array_argument [n] (xs: [n]f64) =
  with_vjp (\v -> map (** 2) v) (\r d -> map2 (\a b -> 2 * b * f64.sqrt a) r d) xs

-- ad: array_twice { [1.0, 2.0, 3.0] }
def array_twice [n] (xs: [n]f64) =
  let ys = with_vjp (\v -> map f64.exp v) (\r d -> map2 (*) r d) xs
  in map3 (\x y z -> x * y + z) xs ys
       (with_vjp_tape (\v -> (v, map (* 2) v)) (\(_, d) -> map (* 2) d) ys)

-- ad: in_map { [1.0, 2.0, 3.0] 3.0 }
def in_map (xs: []f64, y: f64) =
  map
    (\x ->
       x
       * with_vjp_tape (\(a, b) -> ((a, b), f64.sin a * b))
           (\((a, b), d) -> (d * b * f64.cos a, d * f64.sin a)) (x, y)) xs

-- ad: in_loop { 1.5 3i64 }
def in_loop (x: f64, n: i64) = loop y = x for _i < n do with_vjp f64.exp (\r d -> r * d) (y / 10)

-- ad: in_branch { 1.5 true }
def in_branch (x: f64, b: bool) = if b then with_vjp f64.exp (\r d -> r * d) x else x

-- ad: in_operator { [1.0, 1.5, 0.5] }
def in_operator (xs: []f64) =
  reduce
    (\a b -> with_vjp_tape (\(a, b) -> ((a, b), a * b)) (\((a, b), d) -> (d * b, d * a)) (a, b)) 1
    xs

-- ad: fixed_variable { 1.5 [1.0, 2.0] }
def fixed_variable (x: f64, ks: []f64) =
  vjp (\y -> with_vjp (\z -> z * f64.sum ks) (\_ d -> d * f64.sum ks) y) x 1 + f64.sum ks

-- ad: sizes_inside { [1.0, -2.0, 3.0] }
def sizes_inside (xs: []f64) =
  with_vjp_tape (\v -> (v, f64.sum (map (** 2) (filter (> 0) v))))
    (\(v, d) -> map (\x -> if x > 0 then 2 * x * d else 0) v) xs

type shape = #circle f64 | #box {a: f64, b: f64}
def area (s: shape) = match s case #circle r -> 3 * r * r case #box {a, b} -> a * b

-- ad: sums { 2.0 3.0 }
def sums (x: f64, y: f64) =
  let f (s: shape): f64 =
    with_vjp_tape (\s -> (s, area s))
      (\(s, d) ->
         match s
         case #circle r -> #circle (6 * r * d)
         case #box {a, b} -> #box {a = d * b, b = d * a}) s
  in f (#circle (x * y)) + f (#box {a = x, b = y}) * x

-- ad: rr { 1.5 }
def rr (x: f64) = vjp (\y -> with_vjp f64.exp (\r d -> r * d) (y * x)) x 1

-- ad: rf { 1.5 }
def rf (x: f64) = jvp (\y -> with_vjp f64.exp (\r d -> r * d) (y * x)) x 1

-- ad: fr { 1.5 }
def fr (x: f64) = vjp (\y -> with_jvp f64.exp (\a d -> f64.exp a * d) (y * x)) x 1

-- ad: ff { 1.5 }
def ff (x: f64) = jvp (\y -> with_jvp f64.exp (\a d -> f64.exp a * d) (y * x)) x 1

-- rule: batch.vjp
-- ad: many_seeds { [1.0, 2.0] }
def many_seeds [n] (xs: [n]f64) =
  mjp (\v -> with_vjp (\v -> map f64.exp v) (\r d -> map2 (*) r d) v) xs
    (tabulate_2d n n (\i j -> f64.bool (i == j)))

-- ad: stopped { 1.5 }
def stopped (x: f64) = jvp (\y -> vjp (\z -> z * with_vjp id (\_ _ -> 0) z) y 1) x 1
