-- Small arrays that code without loops makes of numbers, and what becomes of them: rows of results, branches, parts of concatenations.

-- Rows of two shapes, and what follows them, in one array.
-- ==
-- entry: parts
-- input { 0i64 } output { empty([0]i64) }
-- input { 1i64 } output { [0i64, 1i64, 10i64, 11i64, 7i64] }
-- input { 3i64 } output { [0i64, 1i64, 10i64, 11i64, 1i64, 1i64, 11i64, 11i64, 2i64, 1i64, 12i64, 11i64, 7i64, 8i64, 9i64] }
entry parts (n: i64): []i64 =
  flatten_3d (tabulate n (\i -> let row = [i, 1] in [row, map (+ 10) row])) ++ tabulate n (+ 7)

-- The first part is read again, and so is the whole.
-- ==
-- entry: read_again
-- input { 0i64 } output { 0i64 0i64 }
-- input { 3i64 } output { 15i64 28i64 }
entry read_again (n: i64): (i64, i64) =
  let rows = tabulate n (\i -> [i, i + 1, 1])
  let more = map (\r -> r[0] + r[1]) rows
  let all = flatten rows ++ more
  in (i64.sum (map i64.sum rows) + i64.sum more - 6 * i64.bool (n > 0), i64.sum all + 7 * i64.bool (n > 0))

-- One row at two places, and one literal for two results.
-- ==
-- entry: twice
-- input { [3i64, 4i64, 5i64] } output { [[[3i64, 9i64], [3i64, 9i64]], [[4i64, 16i64], [4i64, 16i64]], [[5i64, 25i64], [5i64, 25i64]]] [12i64, 20i64, 30i64] }
-- input { empty([0]i64) } output { empty([0][2][2]i64) empty([0]i64) }
entry twice [n] (xs: [n]i64): ([n][2][2]i64, [n]i64) =
  unzip (map (\x -> let row = [x, x * x] in ([row, row], row[0] + row[1])) xs)

-- Updates, slices and transpositions, some at places that are not known.
-- ==
-- entry: moves
-- input { [1i64, 2i64, 3i64] 1i64 } output { [[[0i64, 1i64, 5i64], [2i64, 1i64, 0i64]], [[0i64, 2i64, 5i64], [3i64, 2i64, 0i64]], [[0i64, 3i64, 5i64], [4i64, 3i64, 0i64]]] [9i64, 11i64, 13i64] }
-- input { [1i64] 0i64 } output { [[[0i64, 1i64, 5i64], [2i64, 1i64, 0i64]]] [9i64] }
entry moves [n] (xs: [n]i64) (k: i64): ([n][2][3]i64, [n]i64) =
  unzip (map (\x ->
    let a = replicate 3 [0, 0] with [1] = [x, x]
    let a = a with [0, 1] = x + 1
    let a = a with [2, 0] = 5
    let b = [x + 6, 7, 8] with [k] = x + 1
    in (transpose a, b[0] + b[1])) xs)

-- What branches make; one of them with a loop.
-- ==
-- entry: branches
-- input { [0f64, 1f64, -2f64] } output { [[1f64, 0f64], [2f64, 1f64], [-2f64, 4f64]] [1f64, 3f64, 2f64] }
-- input { empty([0]f64) } output { empty([0][2]f64) empty([0]f64) }
entry branches [n] (xs: [n]f64): ([n][2]f64, [n]f64) =
  unzip (map (\x ->
    let p = if x >= 0 then [x + 1, x] else [x, x * x]
    let q = if x >= 0 then p else loop q = p for _i < 2 do [q[0], q[1]]
    in (q, p[0] + q[1])) xs)

-- What the number of an element decides: by parts, in branches in branches, and not only that.
-- ==
-- entry: choices
-- input { [1i64, 10i64] } output { [[1i64, 2i64, 3i64, 10i64, 14i64], [10i64, 11i64, 12i64, 100i64, 104i64]] [[0i64, 1i64, 1i64, 1i64], [0i64, 1i64, 4i64, 9i64]] }
entry choices [n] (xs: [n]i64): ([n][5]i64, [n][4]i64) =
  unzip (map (\x -> (tabulate 5 (\i -> if i < 3 then x + i else if i < 4 then 10 * x else 10 * x + i),
                     tabulate 4 (\i -> if i < x then i * i else x))) xs)

-- Two directions at once through branches are what one after the other is, at zero, too.
def turned (a: [3]f64) (x: [3]f64): (f64, f64) =
  let s = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
  let r = if s != 0
          then let t = f64.sqrt s
               in map2 (\a x -> x * f64.cos t + a * f64.sin t / t) a x
          else map2 (\a x -> a + 2 * x) a x
  in (r[0] / r[2], f64.exp r[1] * r[2])
-- ==
-- entry: two_directions
-- input { [[0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [1.0, -2.0, 0.5]] [[1.0, 2.0, 3.0], [0.5, -0.5, 0.25], [1.0, 1.0, 1.0]] } output { true }
-- input { empty([0][3]f64) empty([0][3]f64) } output { true }
entry two_directions [n] (as: [n][3]f64) (xs: [n][3]f64): bool =
  let f (a: [3]f64, x: [3]f64) = turned a x
  let both = map2 (\a x -> mjp f (a, x) [(1, 0), (0, 1)]) as xs
  let single = map2 (\a x -> [vjp f (a, x) (1, 0), vjp f (a, x) (0, 1)]) as xs
  let same (p: [3]f64) (q: [3]f64) = and (map2 (\p q -> f64.abs (p - q) <= 1e-12 * (1 + f64.abs q)) p q)
  in and (map2 (\p q -> and (map2 (\(a, x) (b, y) -> same a b && same x y) p q)) both single)
