-- prelude: functional combinators.
-- ==
-- entry: application
-- input { 3i32 } output { 4i32 4i32 8i32 7i32 }
entry application (x: i32) = (x |> (+ 1), (+ 1) <| x, (x |> ((+ 1) >-> (* 2))), ((+ 1) <-< (* 2)) x)

-- ==
-- entry: arguments
-- input { 5i32 2i32 } output { -3i32 7i32 7i32 5i32 5i32 }
entry arguments (x: i32) (y: i32) =
  (flip (-) x y, curry (\(a, b) -> a + b) x y, uncurry (+) (x, y), const x y, id x)

-- ==
-- entry: iteration
-- input { 3i32 } output { 8i32 1i32 16i32 16i32 }
entry iteration (n: i32) =
  (iterate n (* 2) 1, iterate (-1) (* 2) 1, iterate_until (> 10) (* 2) 1, iterate_while (< 10) (* 2) 1)
