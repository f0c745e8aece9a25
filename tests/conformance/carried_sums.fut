-- carried_sums.fut - numbers that only kernels need: sums that loops hand on, and elements in branches. Others are conditions and results, too.

def dot [n] (xs: [n]f64) (ys: [n]f64) = f64.sum (map2 (*) xs ys)

-- Conjugate gradients: after as many steps as there are eigenvalues, a system of three is solved.
-- ==
-- entry: gradients
-- input { 0i64 3i64 } output { true }
-- input { 1i64 0i64 } output { true }
-- input { 300i64 3i64 } output { true }
-- input { 70000i64 3i64 } output { true }
entry gradients (n: i64) (steps: i64): bool =
  let b = tabulate n (\i -> f64.i64 (1 + i % 5))
  let product x = map2 (\i v -> f64.i64 (1 + i % 3) * v) (iota n) x
  let (x, _, _, last) = loop (x, r, p, square) = (replicate n 0, b, b, dot b b) for _i < steps do
    let ap = product p
    let step = square / dot p ap
    let x = map2 (\v d -> v + step * d) x p
    let r = map2 (\v d -> v - step * d) r ap
    let next = dot r r
    in (x, r, map2 (\v d -> v + next / square * d) r p, next)
  in if steps < 3 then and (map (== 0) x) && last == dot b b
     else n == 0 || (last < 1e-12 * dot b b && and (map2 (\u v -> f64.abs (u - v) < 1e-6 * f64.abs v) (product x) b))

-- The last sum is a result, and decides a branch in each iteration.
-- ==
-- entry: decides
-- input { 0i64 } output { [1i64, 1i64, 1i64] 1i64 }
-- input { 1i64 } output { [2i64, 2i64, 2i64] 6i64 }
-- input { 3i64 } output { [1i64, 1i64, 1i64] 3i64 }
entry decides (k: i64): ([3]i64, i64) =
  loop (xs, s) = (replicate 3 1i64, 1) for _i < k do
    let ys = if s > 10 then map (/ 4) xs else map (* 2) xs
    in (ys, i64.sum ys)

-- Two numbers that change places, and one that is none of the iteration's own.
-- ==
-- entry: turned
-- input { 3i64 0i64 } output { [1i64, 2i64, 3i64] 7i64 8i64 }
-- input { 3i64 1i64 } output { [9i64, 10i64, 11i64] 8i64 30i64 }
-- input { 3i64 2i64 } output { [39i64, 40i64, 41i64] 30i64 120i64 }
entry turned (n: i64) (k: i64): ([]i64, i64, i64) =
  loop (xs, a, b) = (map (+ 1) (iota n), 7, 8) for _i < k do
    let ys = map (+ b) xs
    in (ys, b, i64.sum ys)

-- The last element of a scan, or 0 where there is none, says where the next kernel writes.
-- ==
-- entry: sorted
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [5i32] } output { [5i32] }
-- input { [5i32, 3i32, 2147483647i32, 0i32, 3i32, 77i32] } output { [0i32, 3i32, 3i32, 5i32, 77i32, 2147483647i32] }
entry sorted [n] (xs: [n]i32): [n]i32 =
  loop xs = copy xs for b < 31 do
    let bits = map (\x -> i64.i32 ((x >> i32.i64 b) & 1)) xs
    let zeros = scan (+) 0 (map (1 -) bits)
    let ones = scan (+) 0 bits
    let before = if n > 0 then zeros[n - 1] else 0
    in scatter (copy xs) (map3 (\b z o -> if b == 0 then z - 1 else before + o - 1) bits zeros ones) xs

-- A place that is none is found where it is read.
-- ==
-- entry: misses
-- input { [1i64, 2i64, 3i64] 3i64 } output { [6i64, 6i64, 6i64] }
-- input { [1i64, 2i64, 3i64] 0i64 } output { [0i64, 0i64, 0i64] }
-- input { [1i64, 2i64, 3i64] 4i64 } error: Index \[3\] out of bounds
entry misses [n] (xs: [n]i64) (k: i64): [n]i64 =
  let sums = scan (+) 0 xs
  let last = if k > 0 then sums[k - 1] else 0
  in map (const last) xs
