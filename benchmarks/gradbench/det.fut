-- det.fut - the determinant as the sum of all l! products, one for each permutation.

import "../input"

-- The product of permutation number `number`, with its sign. Digit r of the number in the factorial base says which of the
-- columns that are still free row r takes; the sum of the digits has the permutation's parity.
def term [l] (a: [l][l]f64) (factorial: i64) (number: i64): f64 =
  let (_, _, _, product) =
    loop (rest, size, used, product) = (number, factorial, 0i64, 1) for r < l do
      let size = size / (l - r)
      let digit = rest / size
      let (column, _) =
        loop (c, free) = (0, digit) while free > 0 || (used >> c) & 1 == 1 do
          (c + 1, if (used >> c) & 1 == 1 then free else free - 1)
      in (rest % size, size, used | (1 << column), (if digit % 2 == 0 then product else -product) * a[r, column])
  in product

def determinant [l] (a: [l][l]f64): f64 =
  let factorial = i64.product (map (1 +) (iota l))
  in f64.sum (tabulate factorial (term a factorial))

def gradient [l] (a: [l][l]f64): [l][l]f64 = vjp determinant a 1

entry inputs (l: i64): ([]f64, i64) = (fill (uniform 43) (l * l), l)

entry calculate_objective [n] (a: [n]f64) (l: i64): f64 = determinant (unflatten (a :> [l * l]f64))
entry calculate_jacobian [n] (a: [n]f64) (l: i64): []f64 = flatten (gradient (unflatten (a :> [l * l]f64)))

-- == entry: calculate_objective
-- input { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0] 3i64 } output { -3.0 }

-- == entry: calculate_jacobian
-- input { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0] 3i64 } output { [2.0, 2.0, -3.0, 4.0, -11.0, 6.0, -3.0, 6.0, -3.0] }

entry check (l: i64): (f64, f64, f64) =
  let a = fill_2d (uniform 43) l l
  in check_of (determinant a) (flatten (gradient a))
-- ==
-- entry: check
-- input { 5i64 } output { 0.314198281177797 0.697854362585 0.30302671912 }
