-- Where the derivative of a minimum or maximum goes: to the first that is the result, of the neutral element and then the elements.
-- ==
-- entry: least
-- input { [3.0, 1.0, 2.0, 1.0] } output { [0.0, 1.0, 0.0, 0.0] }
-- input { [f64.inf, f64.inf] } output { [0.0, 0.0] }
-- input { [f64.nan, 2.0, 2.0] } output { [0.0, 1.0, 0.0] }
-- input { [f64.nan, f64.nan] } output { [0.0, 0.0] }
-- input { [f64.nan, f64.inf] } output { [0.0, 0.0] }
-- input { [0.5, f64.nan, -f64.inf, -f64.inf] } output { [0.0, 0.0, 1.0, 0.0] }
-- input { [0.0, -0.0] } output { [1.0, 0.0] }
-- input { empty([0]f64) } output { empty([0]f64) }
entry least [n] (x: [n]f64) = vjp f64.minimum x 1

-- ==
-- entry: greatest
-- input { [3.0f32, 5.0f32, 5.0f32, 1.0f32] } output { [0.0f32, 1.0f32, 0.0f32, 0.0f32] }
-- input { [-f32.inf, -f32.inf] } output { [0.0f32, 0.0f32] }
-- input { [f32.nan, f32.nan, -1.0f32] } output { [0.0f32, 0.0f32, 1.0f32] }
entry greatest [n] (x: [n]f32) = vjp f32.maximum x 1

-- ==
-- entry: of_integers
-- input { [3, 5, 5, 1] } output { [0, 2, 0, 0] [0, 0, 0, 2] }
-- input { [-2147483648] } output { [0] [2] }
entry of_integers [n] (x: [n]i32) = (vjp i32.maximum x 2, vjp i32.minimum x 2)

-- Another neutral element: below all, equal to one, no number.
-- ==
-- entry: bounded
-- input { [3.0, 2.0, 2.0] } output { [0.0, 0.0, 0.0] [0.0, 0.0, 0.0] [0.0, 1.0, 0.0] }
entry bounded [n] (x: [n]f64) =
  (vjp (reduce f64.min 1.0) x 1, vjp (reduce f64.min 2.0) x 1, vjp (reduce f64.min f64.nan) x 1)

-- Many elements: partial results are combined. The least stand at 17 and at n - 1.
-- ==
-- entry: many
-- input { 3000i64 } output { 17i64 1i64 }
-- large input { 1000003i64 } output { 17i64 1i64 }
entry many (n: i64) =
  let x = tabulate n (\i -> if i == 17 || i == n - 1 then -5.0 else f64.i64 ((i * 7919) % 1009))
  let g = vjp f64.minimum x 1
  in (reduce i64.max (-1) (map2 (\i d -> if d == 1 then i else -1) (indices g) g), reduce (+) 0 (map (\d -> i64.bool (d != 0)) g))

-- Beside a sum, a product and an index that go their own ways.
-- ==
-- entry: beside
-- input { [3.0, 1.0, 2.0, 5.0] } output { [11.0, 36.0, 16.0, 8.0] 1i64 }
-- input { [2.0] } output { [6.0] 0i64 }
entry beside [n] (x: [n]f64) =
  let f x =
    let (s, m, p, (a, i)) =
      reduce (\(s, m, p, (a, i)) (t, o, q, (b, j)) -> (s + t, f64.max m o, p * q, if b < a || (b == a && j < i) then (b, j) else (a, i)))
             (0, -f64.inf, 1, (f64.inf, i64.highest)) (zip4 x x x (zip x (indices x)))
    in (s + a * m + p, i)
  let ((_, i), g) = (f x, vjp (\x -> (f x).0) x 1)
  in (g, i)

-- Derivatives of such derivatives: of m * m they are 2 at the place of the minimum m.
-- ==
-- entry: twice
-- input { [3.0, 1.5, 2.0, 1.5] } output { [0.0, 2.0, 0.0, 0.0] [0.0, 2.0, 0.0, 0.0] [0.0, 2.0, 0.0, 0.0] }
entry twice [n] (x: [n]f64) =
  let f (x: [n]f64) = let m = f64.minimum x in m * m
  let ones = replicate n 1
  in (jvp (\x -> vjp f x 1) x ones, vjp (\x -> jvp f x ones) x 1, vjp (\x -> vjp f x 1) x ones)

-- Of an array that a loop updates in place, which has other names where the loop is undone; beside what does not vary and needs
-- what does: an index, a choice.
-- ==
-- entry: updated
-- input { [1.0, 3.0, 2.0] }
-- output { [-2.6209683311542835, 0.0, -1.1362315174137971] [-2.6209683311542835, 0.0, -1.1362315174137971] [true, true, true] }
entry updated [n] (x: [n]f64) =
  let loops (x: [n]f64) = loop y = copy x for i < n do y with [i] = f64.sin (y[0] * x[i])
  let larger (v, i) (w, j) = if v > w || (v == w && i < j) then (v, i) else (w, j)
  let twice (f: [n]f64 -> f64) = vjp (\x -> vjp f x 1) x (replicate n 1)
  let mixed x = let (s, _) = reduce (\(s, i) (t, j) -> (s * t + s + t, if s < t then i else j)) (0, -1) (zip (loops x) (indices x)) in f64.tanh s
  let plain x = f64.tanh (reduce (\s t -> s * t + s + t) 0 (loops x))
  in (twice (\x -> f64.tanh (f64.maximum (loops x))),
      twice (\x -> f64.tanh (reduce larger (f64.lowest, -1) (zip (loops x) (indices x))).0),
      map2 (\a b -> f64.abs (a - b) < 1e-12) (twice mixed) (twice plain))

-- Of two equal numbers the first one is chosen, whatever it is: a constant, what is differentiated, or the same number from outside.
-- ==
-- entry: of_two
-- input { 0.0 } output { [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0] }
entry of_two (x: f64) =
  [vjp (\t -> f64.min t x) x 1, vjp (\t -> f64.min x t) x 1, jvp (\t -> f64.max t x) x 1, jvp (\t -> f64.max x t) x 1,
   vjp (\t -> f64.max t 0) x 1, vjp (\t -> f64.max 0 t) x 1, jvp (\t -> f64.min t 0) x 1, jvp (\t -> f64.min 0 t) x 1]
