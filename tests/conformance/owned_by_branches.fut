-- Arrays that a branch returns or drops as it is their last use, in all combinations: each stays as long as it is read, and no longer.

-- The old array, a larger one, or both.
-- ==
-- entry: grown
-- input { [1i64, 2i64] 0i64 } output { [1i64, 2i64] }
-- input { [1i64, 2i64] 4i64 } output { [1i64, 2i64, 1i64, 2i64] }
-- input { [1i64, 2i64] 9i64 } output { [1i64, 2i64, 1i64, 2i64, 1i64, 2i64, 1i64, 2i64] }
entry grown (xs: []i64) (k: i64) = loop ys: []i64 = xs for i < k do if length ys < i then ys ++ ys else ys

-- ==
-- entry: swapped
-- input { 0i64 } output { [0i64, 1i64, 2i64] [10i64, 11i64, 12i64] [0i64, 1i64, 2i64] }
-- input { 1i64 } output { [10i64, 11i64, 12i64] [0i64, 1i64, 2i64] [0i64, 1i64, 2i64] }
-- input { 2i64 } output { [0i64, 1i64, 2i64] [0i64, 1i64, 2i64] [0i64, 1i64, 2i64] }
-- input { 3i64 } output { [0i64, 1i64, 2i64] [0i64, 1i64, 2i64] [0i64, 1i64, 2i64] }
-- input { 7i64 } output { [0i64, 1i64, 2i64] [5i64, 6i64, 7i64] [0i64, 1i64, 2i64] }
entry swapped (k: i64) =
  let first = iota 3
  let (a, b) =
    loop (a, b) = (first, map (+ 10) first) for i < k do
      if i % 3 == 0 then (b, a) else if i % 3 == 1 then (b, b) else if i > 4 then (map (+ i) a, b) else (a, a)
  in (a, b, first)

-- In a map, with an array that one branch reads only.
-- ==
-- entry: in_map
-- input { [3i64, 0i64, 5i64] } output { [11i64, 1i64, 48i64] }
entry in_map (ks: []i64) =
  map (\k ->
         let (a, s) =
           loop (a: []i64, s) = (replicate 1 1, 0) for i < k do
             if i % 2 == 0 then (let b = a ++ replicate i k in (b, s + i64.sum b)) else if i64.sum a > 5 then (a, s + 1) else (replicate 2 i, s + length a)
         in s + i64.sum (take 1 a))
      ks

-- The records of a loop that ends when a float says so.
-- ==
-- entry: records
-- input { [100.0, 3.0, 1e20, 0.5] } output { [0.0078125, 0.25, 6.776263578034403e-21, 1.0] }
entry records (xs: []f64) = map (\x -> vjp (\x -> loop y = x while y > 1 do f64.max (y / 2) (y / 2 - 1e-300 * f64.sin y)) x 1) xs

-- One branch of the way back works in the tangents of the adjoint, the other one keeps them for two results.
-- ==
-- entry: kept_twice
-- input { [0.5, 1.5, 1.0, 2.0] } output { [[0.0, 120.0, 0.0, 90.0], [120.0, 0.0, 0.0, 150.0], [0.0, 0.0, 0.0, 5.0], [90.0, 150.0, 5.0, 0.0]] }
entry kept_twice [n] (xs: [n]f64) =
  let f xs =
    let (y, _, _) = loop (y, k, even) = (1, 2, true) for x in xs do
                      let scaled = y * f64.i32 k
                      in (if even then scaled + x else scaled * x, k + 1, !even)
    in y
  in tabulate n (\i -> jvp (\xs -> vjp f xs 1) xs (tabulate n (\j -> f64.bool (i == j))))

-- One branch consumes, the other one returns the same array twice. What is made of both works in neither of them,
-- ==
-- entry: both_read
-- input { false [2i64, 3i64, 4i64] } output { [4i64, 9i64, 16i64] [4i64, 6i64, 8i64] }
-- input { true [2i64, 3i64, 4i64] } output { [30i64, 27i64, 48i64] [11i64, 12i64, 16i64] }
entry both_read [n] (changed: bool) (ys: [n]i64) =
  let xs = loop xs = copy ys for i < n do xs with [i] = xs[i] + 0
  let (p, q) = if changed then (let xs = xs with [0] = 5 in (xs, map (* 3) ys)) else (xs, xs)
  in unzip (map2 (\a b -> (a * b, a + b)) p q)

-- what is changed later is a copy,
-- ==
-- entry: one_changed
-- input { false [2i64, 3i64] } output { [2i64, 7i64] [2i64, 3i64] }
-- input { true [2i64, 3i64] } output { [5i64, 7i64] [5i64, 3i64] }
entry one_changed [n] (changed: bool) (xs: *[n]i64) =
  let (p, q) = if changed then (let xs = xs with [0] = 5 in (xs, copy xs)) else (xs, xs)
  let p = p with [1] = 7
  in (p, q)

-- and what a loop changes again is another array than the one beside it.
-- ==
-- entry: changed_again
-- input { 0i64 [2i64, 3i64, 4i64] } output { [2i64, 3i64, 4i64] [2i64, 4i64, 6i64] }
-- input { 2i64 [2i64, 3i64, 4i64] } output { [2i64, 4i64, 6i64] [2i64, 4i64, 6i64] }
-- input { 3i64 [2i64, 3i64, 4i64] } output { [3i64, 5i64, 7i64] [2i64, 5i64, 8i64] }
entry changed_again [n] (k: i64) (xs: [n]i64) =
  loop (p, q) = (xs, map2 (+) xs (iota n)) for i < k do
    if i % 3 < 2 then (q, q) else (let q = loop q for j < n do q with [j] = q[j] + j in (map (+ 1) p, q))
