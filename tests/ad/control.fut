-- Branches and loops.
-- rule: if.plain
-- ad: branch { 0.5 }
def branch (x: f64) = if x > 0 then x * x else -x

-- ad: branch_array { [1.0, 2.0] true }
def branch_array (xs: []f64, b: bool) = if b then map (* 3) xs else map (\x -> x * x) xs

-- ad: matched { 2.0 1i32 }
def matched (x: f64, k: i32) = match k case 0 -> x case 1 -> x * x * x case _ -> 1

-- rule: loop.record
-- ad: power { 1.1 5i64 }
def power (x: f64, n: i64) = loop y = 1 for _i < n do y * x

-- ad: zero_times { 1.1 0i64 }
def zero_times (x: f64, n: i64) = loop y = x * x for _i < n do y * x

-- ad: two_states { 1.1 0.3 4i64 }
def two_states (x: f64, y: f64, n: i64) = loop (a, b) = (x, y) for _i < n do (a * b + x, f64.sin a)

-- ad: iterate_map { [1.0, 0.5] 3i64 }
def iterate_map (xs: []f64, n: i64) = loop ys = xs for i < n do map (\y -> y * y + f64.i64 i) ys

-- ad: in_place { [1.0, 2.0, 3.0, 4.0] }
def in_place [n] (xs: [n]f64) = loop ys = copy xs for i < n - 1 do ys with [i + 1] = ys[i] * ys[i + 1]

-- ad: over_elements { [1.0, 2.0, 3.0] }
def over_elements (xs: []f64) = loop s = 1 for x in xs do f64.sin (s * x)

-- ad: nested_loops { [1.0, 0.5] }
def nested_loops [n] (xs: [n]f64) =
  loop s = 0 for i < n do loop t = s for j < n do t + f64.sin (xs[i] * xs[j] + t)

-- ad: loop_in_map { [1.0, 0.5] }
def loop_in_map (xs: []f64) = map (\x -> loop y = x for _i < 3i32 do y * x + 1) xs
