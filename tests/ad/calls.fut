-- Functions that are called: recursive ones, and those that are not inlined.
def power_of (x: f64) (n: i32): f64 = if n == 0 then 1 else x * power_of x (n - 1)
-- rule: call.recursive
-- ad: power { 1.3 }
def power (x: f64) = power_of x 3

def fibonacci (x: f64) (n: i32): f64 =
  if n < 2 then x else f64.sin (fibonacci x (n - 1)) * fibonacci x (n - 2)

-- ad: two_calls { 1.3 5i32 }
def two_calls (x: f64, n: i32) = fibonacci x n

def tree [n] (xs: [n]f64): f64 =
  if n == 0 then 0 else if n == 1 then xs[0] else tree xs[:n / 2] * tree xs[n / 2:] + xs[0]

-- ad: arrays { [1.0, 2.0, 3.0] }
def arrays (xs: []f64) = tree xs

-- ad: arrays_none { empty([0]f64) }
def arrays_none (xs: []f64) = tree xs + f64.sum xs

def smooth [n] (xs: *[n]f64) (k: i64): *[n]f64 =
  if k == 0 then xs else smooth (xs with [k % n] = xs[(k - 1) % n] * xs[k % n]) (k - 1)

-- ad: consumes { [1.0, 2.0, 3.0] 3i64 }
def consumes (xs: []f64, k: i64) = smooth (copy xs) k

-- ad: consumes_read_before { [1.0, 2.0, 3.0] 3i64 }
def consumes_read_before (xs: []f64, k: i64) =
  let ys = map f64.sin xs
  let s = f64.sum (map (** 2) ys)
  in map (* s) (smooth ys k)

def positive [n] (xs: [n]f64) (k: i64): []f64 =
  if k == 0 then xs else positive (filter (> 0) xs ++ [f64.sum xs]) (k - 1)

-- ad: sizes_of_results { [1.0, -2.0, 3.0] }
def sizes_of_results (xs: []f64) = f64.product (positive xs 2)

def pair_of (x: f64) (n: i32): (f64, i64) =
  if n == 0 then (x, 1) else let (a, k) = pair_of (x * x) (n - 1) in (a * f64.i64 k + x, k + 1)

-- ad: counts_beside { 1.1 4i32 }
def counts_beside (x: f64, n: i32) = (pair_of x n).0

-- ad(cpu): in_map { [1.0, 2.0, 3.0] 1.2 }
def in_map (xs: []f64, c: f64) = map (\x -> fibonacci (x * c) 3) xs

def walk_table [n] (t: [n]f64) (x: f64) (k: i64): f64 =
  if k == 0 then x else walk_table t (x * t[k % n]) (k - 1)

-- ad(cpu): free_array_in_map { [1.0, 2.0, 3.0] [0.1, 0.2, 0.3] }
def free_array_in_map (xs: []f64, ts: []f64) = map (\x -> walk_table ts x 4) xs

-- ad: in_loop { 0.5 [0.1, 0.2] }
def in_loop (x: f64, ts: []f64) = loop y = x for i < 3i64 do f64.sin (walk_table ts y i)

-- rule: call.derived
-- ad: not_inlined { [1.0, 2.0, 3.0] }
def not_inlined (xs: []f64) = let f (v: []f64) = map (\x -> x * x) v in #[noinline] f xs

def returns_what_it_got [n] (xs: [n]f64) (k: i32): [n]f64 =
  if k == 0 then xs else returns_what_it_got xs (k - 1)

-- ad: result_is_argument { [1.0, 2.0, 3.0] }
def result_is_argument (xs: []f64) = let ys = returns_what_it_got xs 2 in map2 (*) xs ys

-- ad: rr { 1.3 4i32 }
def rr (x: f64, n: i32) = vjp (\y -> power_of y n) x 1

-- ad: fr { 1.3 4i32 }
def fr (x: f64, n: i32) = jvp (\y -> fibonacci y n) x 1

-- ad: third { 1.3 4i32 }
def third (x: f64, n: i32) = jvp (\z -> vjp (\y -> power_of y n) z 1) x 1

-- ad: second_of_arrays { [1.0, 2.0, 3.0] }
def second_of_arrays (xs: []f64) = vjp (\ys -> f64.sum (vjp tree ys 1)) xs 1

def newton (a: f64) (x: f64) (k: i32): f64 =
  if k == 0 then x else newton a (x - (x * x - a) / vjp (\y -> y * y - a) x 1) (k - 1)

-- ad: operator_inside { 2.0 }
def operator_inside (a: f64) = newton a 1 5

def with_rule (x: f64) (n: i32): f64 =
  if n == 0 then x else with_vjp f64.sin (\r d -> d * f64.sqrt (1 - r * r)) (with_rule x (n - 1))

-- ad: rule_inside { 1.3 }
def rule_inside (x: f64) = vjp (\y -> with_rule y 3) x 1 + jvp (\y -> with_rule y 3) x 1
