-- Accumulators as the source of differentiation, with operators other than + (docs/ad.md 6.11).
type~ acc 'a = intrinsics.acc a

-- rule: acc.other
-- ad: product_stream { [1.5, 2.0, 0.5] [3.0, 4.0, 5.0, 6.0] }
def product_stream [k][n] (ds: [k]f64, xs: [n]f64) =
  intrinsics.hist_stream (copy ds) (*) 1
    (\(out: *acc ([k]f64)) (x, i) -> intrinsics.acc_write out (i % 4) (x * x))
    (zip xs (iota n))

-- ad: max_stream { [1.5, 2.0, 0.5] [3.0, 1.0, 5.0, 6.0] }
def max_stream [k][n] (ds: [k]f64, xs: [n]f64) =
  intrinsics.hist_stream (copy ds) f64.max 0
    (\(out: *acc ([k]f64)) (x, i) -> intrinsics.acc_write out (i % 3) (x * x))
    (zip xs (iota n))

-- ad: stream_empty { [1.5, 2.0] empty([0]f64) }
def stream_empty [k][n] (ds: [k]f64, xs: [n]f64) =
  intrinsics.hist_stream (copy ds) (*) 1 (\(out: *acc ([k]f64)) x -> intrinsics.acc_write out 0 x)
    xs

-- ad: loop_in_stream { [1.5, 2.0, 0.5] [3.0, 4.0, 5.0] }
def loop_in_stream [k][n] (ds: [k]f64, xs: [n]f64) =
  intrinsics.hist_stream (copy ds) (*) 1
    (\(out: *acc ([k]f64)) (x, i) ->
       loop out for j < i do intrinsics.acc_write out j (x + f64.i64 j)) (zip xs (iota n))

-- ad: branch_in_stream { [1.5, 2.0, 0.5] [3.0, -4.0, 5.0] }
def branch_in_stream [k][n] (ds: [k]f64, xs: [n]f64) =
  intrinsics.hist_stream (copy ds) (*) 1
    (\(out: *acc ([k]f64)) (x, i) ->
       if x > 0 then intrinsics.acc_write out i x else intrinsics.acc_write out 0 (x * x))
    (zip xs (iota n))

-- ad: operator_with_variable { [1.5, 2.0] [0.3, 0.4, 0.5] 0.7 }
def operator_with_variable [k][n] (ds: [k]f64, xs: [n]f64, c: f64) =
  intrinsics.hist_stream (copy ds) (\a b -> a + b + c * a * b) 0
    (\(out: *acc ([k]f64)) (x, i) -> intrinsics.acc_write out (i % 2) x) (zip xs (iota n))

-- ad: pairs { [1.5, 2.0] [1.0, 0.5] [0.3, 0.4, 0.5] }
def pairs [k][n] (as: [k]f64, bs: [k]f64, xs: [n]f64) =
  unzip
    (intrinsics.hist_stream (zip (copy as) (copy bs))
       (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0)
       (\(out: *acc ([k](f64, f64))) (x, i) -> intrinsics.acc_write out (i % 2) (x, x * x))
       (zip xs (iota n)))

-- ad: rows { [[1.5, 2.0], [0.5, 1.0]] [0.3, 0.4, 0.5] }
def rows [k][n] (ds: [k][2]f64, xs: [n]f64) =
  intrinsics.hist_stream (copy ds) (map2 (*)) [1, 1]
    (\(out: *acc ([k][2]f64)) (x, i) -> intrinsics.acc_write out (i % 2) [x, x * x])
    (zip xs (iota n))

-- ad: used_before_and_after { [1.5, 2.0, 0.5] [3.0, 4.0, 5.0] }
def used_before_and_after [k][n] (ds: [k]f64, xs: [n]f64) =
  let ys = map f64.sin xs
  let hs = intrinsics.hist_stream (map (** 2) ds) (*) 1
             (\(out: *acc ([k]f64)) (y, i) ->
                intrinsics.acc_write (intrinsics.acc_write out i y) 0 (y * ds[i % k]))
             (zip ys (iota n))
  in map2 (*) hs ds

-- rule: acc.other
-- ad: rr { [1.5, 2.0] [3.0, 4.0, 5.0] }
def rr [k][n] (ds: [k]f64, xs: [n]f64) =
  vjp (\(ds, xs) -> f64.sum (intrinsics.hist_stream (copy ds) (*) 1
                               (\(out: *acc ([k]f64)) (x, i) ->
                                  intrinsics.acc_write out (i % 2) (x * x)) (zip xs (iota n))))
    (ds, xs) 1

-- ad: fr { [1.5, 2.0] [3.0, 4.0, 5.0] }
def fr [k][n] (ds: [k]f64, xs: [n]f64) =
  vjp (\(ds, xs) -> f64.sum (jvp (\(ds, xs) -> intrinsics.hist_stream (copy ds) (*) 1
                                                 (\(out: *acc ([k]f64)) (x, i) ->
                                                    intrinsics.acc_write out (i % 2) (x * x))
                                                 (zip xs (iota n))) (ds, xs)
                               (xs[:k] :> [k]f64, map (* 2) xs))) (ds, xs) 1

-- ad: scattered { [1.5, 2.0, 0.5] [3.0, 4.0] }
def scattered [k][n] (ds: [k]f64, xs: [n]f64) =
  intrinsics.scatter_stream (copy ds)
    (\(out: *acc ([k]f64)) (x, i) -> intrinsics.acc_write out (2 * i) (x * x)) (zip xs (iota n))

-- ad: sum_of_rows { [[1.5, 2.0], [0.5, 1.0]] [0.3, 0.4, 0.5] }
def sum_of_rows [k][n] (ds: [k][2]f64, xs: [n]f64) =
  intrinsics.hist_stream (copy ds) (map2 (+)) [0, 0]
    (\(out: *acc ([k][2]f64)) (x, i) -> intrinsics.acc_write out (i % 2) [x, x * x])
    (zip xs (iota n))

-- The adjoint of b goes through the scope of each row's own adjoint.
-- rule: acc.gather
-- ad: scopes_in_scopes { [0.1, 0.2, 0.3] [[0.1, 0.2, 0.3], [0.5, 0.6, 0.7]] [0.1, 0.7] }
def scopes_in_scopes [n] [m] (b: [m]f64, c: [n][m]f64, x: [2]f64) =
  vjp (\(b, c) -> f64.sum (map (\r -> f64.sum (map (\t -> if t < 0.5 then f64.sin b[0] * b[1] else r[0]) x)) c)) (b, c) 1
