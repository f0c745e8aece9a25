-- Recursion that branches: queens, permutations, a merge sort, powers of any monoid (which no device runs).
def queens [k] (n: i64) (cols: [k]i64): i32 =
  if k == n
  then 1
  else i32.sum (map (\c ->
                       let ok =
                         all (\(r, d) -> d != c && i64.abs (d - c) != k - r) (zip (iota k) cols)
                       in if ok then queens n (cols ++ [c]) else 0) (iota n))

def perms [n] (xs: [n]i32): [](i32) =
  if n <= 1
  then copy xs
  else loop acc = [] for i < n do
         let rest = perms (xs[:i] ++ xs[i + 1:])
         in acc ++ map (\r -> r * 10 + xs[i]) rest

def msort [n] 't (le: t -> t -> bool) (xs: [n]t): [n]t =
  if n <= 1
  then xs
  else let (a, b) = (msort le xs[:n / 2], msort le xs[n / 2:])
       let (out, _, _) =
         loop (out, i, j) = (copy xs, 0, 0) for k < n do
           if j >= length b || (i < length a && le a[i] b[j])
           then (out with [k] = a[i], i + 1, j)
           else (out with [k] = b[j], i, j + 1)
       in out

def pow 'a (mul: a -> a -> a) (one: a) (x: a) (n: i32): a =
  if n == 0
  then one
  else let h = pow mul one x (n / 2)
       in if n % 2 == 0 then mul h h else mul x (mul h h)

-- ==
-- entry: q
-- input { 6i64 } output { [1i32, 1i32, 0i32, 0i32, 2i32, 10i32, 4i32] }
entry q n = map (\n -> queens n []) (0...n)
-- ==
-- entry: p
-- input { [1i32,2i32,3i32] } output { [321i32, 231i32, 312i32, 132i32, 213i32, 123i32] }
entry p (xs: []i32) = perms xs
-- ==
-- entry: s
-- input { [5i32,3i32,4i32,1i32,2i32] } output { [1i32, 2i32, 3i32, 4i32, 5i32] [5i32, 4i32, 3i32, 2i32, 1i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }
entry s (xs: []i32) = (msort (<=) xs, msort (>=) xs)

-- ==
-- entry: m
-- input { 30i32 } output { 1346269i64 832040i64 }
entry m n =
  let (a, b, _, _) =
    pow (\(a, b, c, d) (e, f, g, h) -> (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h))
      (1i64, 0, 0, 1) (1, 1, 1, 0) n
  in (a, b)
