-- quotients.fut - division of integers of 64 bits by numbers that all elements share: small ones, those next to 31 bits, larger and negative ones.

def divisors = [1i64, 2, 3, 7, 641, 65537, 1000000007, 1073741825, 2147483646, 2147483647, 2147483648, 4294967296, i64.highest, -1, -3, -2147483648]
def dividends (n: i64) = [0, 1, 2, 6, 7, n - 1, n, n + 1, 2 * n - 1, 2147483646, 2147483647, 2147483648, 4294967295, i64.highest, -1, -7, -2147483648, -i64.highest]

-- The quotient is known by its remainder.
def down (x: i64) (n: i64): bool =
  let (q, r) = (x / n, x % n)
  in q * n + r == x && (if n > 0 then 0 <= r && r < n else n < r && r <= 0)
def towards_zero (x: i64) (n: i64): bool =
  let (q, r) = (x // n, x %% n)
  in q * n + r == x && i64.abs r < i64.abs n && (r == 0 || i64.sgn r == i64.sgn x)

-- ==
-- entry: shared
-- input { 0i64 } output { true }
entry shared (_: i64): bool =
  loop right = true for n in divisors do right && and (map (\x -> down x n && towards_zero x n) (dividends n))

-- The place of each element, of extents that are only known here.
-- ==
-- entry: places
-- input { 1i64 1i64 1i64 } output { true }
-- input { 3i64 1i64 7i64 } output { true }
-- input { 1i64 100i64 1i64 } output { true }
-- input { 17i64 33i64 65i64 } output { true }
-- input { 3i64 0i64 2i64 } output { true }
entry places (n: i64) (m: i64) (k: i64): bool =
  let numbers = flatten_3d (tabulate_3d n m k (\a b c -> (a * m + b) * k + c))
  in and (map2 (==) numbers (iota (n * m * k)))
