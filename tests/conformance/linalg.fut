-- A functor library from a vendored package: what a program uses of it compiles.
-- ==
-- entry: solve3
-- input { [[2.0, 1.0, 1.0], [1.0, 3.0, 2.0], [1.0, 0.0, 0.0]] [4.0, 5.0, 6.0] }
-- output { [6.0, 15.0, -23.0] }

-- ==
-- entry: determinant
-- input { [[2.0, 1.0, 1.0], [1.0, 3.0, 2.0], [1.0, 0.0, 0.0]] }
-- output { -1.0 }

-- ==
-- entry: fit
-- input { [0.0, 1.0, 2.0, 3.0] [1.0, 3.0, 5.0, 7.0] }
-- output { [1.0, 2.0] }

-- ==
-- entry: fibonacci
-- input { 30i64 }
-- output { 832040i64 }

-- ==
-- entry: rotation
-- input { 4i64 }
-- output { 1.0 0.0 }

-- ==
-- entry: kron
-- input { [[1.0, 2.0]] [[1.0], [3.0]] }
-- output { [[1.0, 2.0], [3.0, 6.0]] }

-- ==
-- entry: inverse_mod7
-- input { [[1i64, 2i64], [3i64, 4i64]] }
-- output { [[5i64, 1i64], [5i64, 3i64]] 2i64 }

import "lib/github.com/raido-lang/linalg/field"
import "lib/github.com/raido-lang/linalg/linalg"

module real = mk_real_field f64
module la = mk_linalg real
module complex = mk_complex f64
module ca = mk_dense complex
module mod7 = mk_modular { def prime = 7i64 }
module exact7 = mk_exact mod7
module whole = mk_sealed_dense (mk_modular { def prime = 1000000007i64 })

entry solve3 (a: [3][3]f64) (b: [3]f64) = la.solve a b

entry determinant [n] (a: [n][n]f64) = la.det a

entry fit [n] (xs: [n]f64) (ys: [n]f64) =
  la.least_squares (map (\x -> [1, x]) xs) ys

entry fibonacci (n: i64) = (whole.matpow [[1, 1], [1, 0]] n)[0, 1]

-- A quarter turn as a complex number, to the n-th power.
entry rotation (n: i64) =
  let z = (ca.matpow [[complex.mk 0 1]] n)[0, 0]
  in (complex.re z, complex.im z)

entry kron [n][m][p][q] (a: [n][m]f64) (b: [p][q]f64) = la.kronecker a b

entry inverse_mod7 [n] (a: [n][n]i64) = (exact7.inverse a, exact7.rank a)
