-- Nothing flows back from what was computed and not used, even at a pole.

-- ==
-- entry: branch
-- input { 0.0 } output { 0.0 0.0 }
-- input { 4.0 } output { 0.25 0.25 }
entry branch (x: f64) =
  let f x = let y = f64.sqrt x in if x > 1 then y else 0
  in (vjp f x 1, jvp f x 1)

-- ==
-- entry: element
-- input { [0.0, 2.0, 0.0] } output { [0.0, 0.5, 0.0] }
entry element [n] (xs: [n]f64) = vjp (\xs -> (map f64.log xs)[1]) xs 1

-- ==
-- entry: gathered
-- input { [0.0, 4.0, 0.0, 0.25] [3i64, 1, 1] } output { [0.0, 0.5, 0.0, 1.0] }
entry gathered [n] [m] (xs: [n]f64) (is: [m]i64) =
  vjp (\xs -> let ys = map f64.sqrt xs in f64.sum (map (\i -> ys[i]) is)) xs 1

-- ==
-- entry: quotients
-- input { [0.0, 4.0] [1.0, 2.0] } output { [1.0, 0.125] }
entry quotients [n] (xs: [n]f64) (ys: [n]f64) =
  vjp (\xs -> f64.sum (map2 (\x y -> let q = y / x in if x == 0 then x else 1 - q) xs ys)) xs 1

-- ==
-- entry: jacobian
-- input { [0.0, 4.0, 9.0] } output { [[0.25], [0.0]] }
entry jacobian (xs: [3]f64) =
  jmp (\xs -> map f64.sqrt xs[1:2]) xs [[0, 1, 0], [0, 0, 1]]

-- What is guarded is a product still: x sqrt y at (0, 4), where the adjoint of sqrt y is zero.
-- ==
-- entry: second
-- input { 0.0 4.0 } output { [0.25, 0.25, 0.25, 0.25] }
entry second (x: f64) (y: f64) =
  let f (x, y) = x * f64.sqrt y
  let at = (x, y)
  in [ (jvp (\p -> vjp f p 1) at (1, 0)).1, (vjp (\p -> (vjp f p 1).1) at 1).0
     , jvp (\p -> jvp f p (0, 1)) at (1, 0), (vjp (\p -> jvp f p (0, 1)) at 1).0 ]

-- The zero of the branch not taken meets an infinite partial derivative on the way, not at once.
-- ==
-- entry: entropy
-- input { 0.0 } output { 0.0 }
-- input { 1.0 } output { 1.0 }
entry entropy (x: f64) = vjp (\x -> let y = x * f64.log x in if y > -1 then y else 0) x 1

-- ==
-- entry: softplus
-- input { 1000.0 } output { 1.0 }
-- input { 0.0 } output { 0.5 }
entry softplus (x: f64) = vjp (\x -> let e = f64.exp x in if x > 30 then x else f64.log (1 + e)) x 1

-- ==
-- entry: length
-- input { [0.0, 0.0] } output { [0.0, 0.0] }
-- input { [3.0, 4.0] } output { [0.6, 0.8] }
entry length (x: [2]f64) = vjp (\x -> let d = f64.sqrt (f64.sum (map (\x -> x * x) x)) in if d == 0 then 0 else d) x 1

-- ==
-- entry: in_loop
-- input { 0.0 3i64 } output { 0.0 }
-- input { 4.0 1i64 } output { 0.25 }
entry in_loop (x: f64) (n: i64) =
  vjp (\x -> loop s = 0 for _i < n do let y = f64.sqrt x in if y > 0 then s + y else s) x 1

-- ==
-- entry: greater
-- input { 0.0 1.0 } output { 0.0 1.0 0.0 }
entry greater (x: f64) (y: f64) =
  let f (x, y) = f64.max y (f64.sqrt x)
  let (dx, dy) = vjp f (x, y) 1
  in (dx, dy, jvp f (x, y) (1, 0))

-- A seed that is a number of its own.
-- ==
-- entry: negative
-- input { 0.0 } output { -0.5 }
-- input { 3.0 } output { -1.0 }
entry negative (x: f64) = vjp (\x -> let y = f64.exp x in if x > 1 then x else y / 2) x (-1)

-- The same after scans, products, pairs, histograms and loops of what is infinite.
-- ==
-- entry: behind
-- input { [0.0, 2.0, 3.0] } output { [0.0, 0.0, 0.0] [0.0, 0.0, 0.0] [0.0, 0.0, 0.0] [0.0, 0.5, 0.0] [1.0, 0.0, 0.0] [1.0, 0.0, 0.0] }
entry behind [n] (xs: [n]f64) =
  let grad f = vjp f xs 1
  in ( grad (\xs -> let s = scan (*) 1 (map f64.log xs) in if xs[0] > 1 then last s else 0)
     , grad (\xs -> let s = f64.product (map f64.log xs) in if xs[0] > 1 then s else 0)
     , grad (\xs -> let (s, t) = reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (f64.log x, 1 / x)) xs) in if xs[0] > 1 then s + t else 0)
     , grad (\xs -> let h = reduce_by_index (replicate 2 1) (*) 1 (map (% 2) (iota n)) (map f64.log xs) in if xs[0] > 1 then h[0] else h[1])
     , grad (\xs -> let s = loop s = 1 for x in xs do s * f64.log x in if xs[0] > 1 then s else xs[0])
     , grad (\xs -> let s = loop (s, x) = (1, xs[0]) while s < 3 do (s + 1, f64.sqrt x) in if xs[0] > 1 then s.1 else xs[0]) )
