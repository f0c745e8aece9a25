-- Loops in loops that update arrays of both: their forward sweeps run once.
-- rule: loop.inner
-- A recurrent network of several layers: all state is updated in the inner loop, whose other state is one row.
-- ad: layers { [[0.3,0.7],[1.1,0.2],[0.4,0.9]] [[0.5,0.1],[0.2,0.6],[0.3,0.8]] [0.4,0.9] 4i64 }
def layers [l] [b] (ws: [l][b]f64, h: [l][b]f64, x: [b]f64, n: i64): f64 =
  let (_, s) =
    loop (h, s) = (copy h, 0) for t < n do
      let (h, y) = loop (h, y) = (h, map (* f64.i64 (t + 1)) x) for i < l do
                     let new = map3 (\y h w -> f64.tanh (y * w + h)) y h[i] ws[i]
                     in (h with [i] = new, new)
      in (h, s + f64.sum (map f64.sin y))
  in s

-- The array is read after the inner loop, and by a later iteration.
-- ad: after { [1.1,1.3,0.4,0.7,0.2] 3i64 }
def after [n] (b: [n]f64, sweeps: i64): f64 =
  let (xs, s) =
    loop (xs, s) = (copy b, 1) for k < sweeps do
      let xs = loop xs = xs for i < n - 2 do xs with [i + 1] = b[i] - 0.4 * f64.sin (xs[i] * xs[i + 2])
      in (xs, s * f64.cos xs[k + 1] + xs[n - 2])
  in s * f64.sum xs

-- An element is read before the inner loop.
-- ad: ahead { [1.1,1.3,0.4,0.7,0.2] 3i64 }
def ahead [n] (b: [n]f64, sweeps: i64): f64 =
  let (xs, s) =
    loop (xs, s) = (copy b, 1) for k < sweeps do
      let y = xs[k + 1]
      let xs = loop xs = xs for i < n - 2 do xs with [i + 1] = b[i] * y - 0.4 * f64.sin (xs[i] * xs[i + 2])
      in (xs, s * f64.cos y)
  in s * f64.sum xs

-- All of the array is read before the inner loop: the loop runs again.
-- ad: whole { [1.1,1.3,0.4,0.7,0.2] 3i64 }
def whole [n] (b: [n]f64, sweeps: i64): f64 =
  f64.sum (loop xs = copy b for _k < sweeps do
             let y = f64.sum (map f64.cos xs)
             in loop xs = xs for i < n - 2 do xs with [i + 1] = b[i] * y - 0.4 * f64.sin (xs[i] * xs[i + 2]))

-- Updates and reads of single elements and of rows, between two loops and around them.
-- ad: steps { [[0.3,0.7],[1.1,0.2],[0.4,0.9]] 4i64 }
def steps [l] [b] (h: [l][b]f64, n: i64): f64 =
  let (h, s) =
    loop (h, s) = (copy h, 1) for t < n do
      let row = map (* s) h[t % l]
      let h = h with [0] = map2 (*) row h[1]
      let h = loop h = h for i < l - 1 do h with [i + 1] = map2 (\x y -> f64.sin (x * y + 1)) h[i] h[i + 1]
      let p = h[1, 0] + f64.cos h[l - 1, b - 1]
      let h = h with [1, 0] = p * h[0, 1]
      let h = loop h = h for i < l do h with [i, 0] = h[i, 1] * p
      let h = h with [2, 1] = 0.5 * h[2, 0]
      in (h, s * 0.3 + p)
  in s * f64.sum (flatten h)

-- Two inner loops with an array each, of which the second one reads what the first one has made.
-- ad: two { [1.1,1.3,0.4,0.7] [0.3,0.2,0.9,0.5] 3i64 }
def two [n] (a: [n]f64, b: [n]f64, k: i64): f64 =
  let (xs, ys) =
    loop (xs, ys) = (copy a, copy b) for _i < k do
      let (xs, p) = loop (xs, p) = (xs, 0.5) for i < n - 1 do
                      let q = xs[i + 1] * f64.sin p
                      in (xs with [i] = q + b[i], q * 0.7 + 0.1)
      let ys = loop ys = ys for i < n do ys with [i] = ys[(i + 1) % n] * f64.cos p + xs[i]
      in (xs, ys)
  in f64.sum xs * f64.sum ys + xs[0] * ys[1]

-- One array for two inner loops.
-- ad: shared { [1.1,1.3,0.4,0.7] 3i64 }
def shared [n] (a: [n]f64, k: i64): f64 =
  f64.sum (loop xs = copy a for _i < k do
             let xs = loop xs = xs for i < n - 1 do xs with [i] = f64.sin (xs[i] * xs[i + 1])
             in loop xs = xs for i < n - 1 do xs with [i + 1] = f64.cos (xs[i] * xs[i + 1]))

-- Three levels, and numbers of iterations that change.
-- ad: levels { [0.1,1.3,0.4,0.7,0.2] 3i64 }
def levels [n] (a: [n]f64, k: i64): f64 =
  let (xs, s) =
    loop (xs, s) = (copy a, 0.3) for i < k do
      let (xs, s) = loop (xs, s) = (xs, s) for j < n - i do
                      let (xs, s) = loop (xs, s) = (xs, s * 0.9) for l < j do
                                      let s = s + xs[l] * xs[j]
                                      in (xs with [l] = xs[l] * 0.5 + f64.sin (xs[j] * xs[l]), s)
                      in (xs, f64.sin s)
      in (xs, s * 1.1)
  in s * f64.sum xs

-- A branch around the update, an outer loop that is counted, and no iteration of the inner loop.
-- ad: branch { [1.1,1.3,0.4,0.7] 0.6 }
def branch [n] (a: [n]f64, s: f64): f64 =
  let (xs, s, _) =
    loop (xs, s, k) = (copy a, s, 0i64) while k < 4 && s < 50 do
      let (xs, p) = loop (xs, p) = (xs, s) for i < (k % 2) * (n - 1) do
                      let q = p * xs[i]
                      in if i % 2 == 0 then (xs with [i + 1] = f64.sin q, q) else (xs, p * 1.2)
      in (xs, s * 0.5 + f64.cos p, k + 1)
  in s * f64.sum xs

-- The adjoint of the array is zero: its updates are undone all the same.
-- ad: unused { [1.1,1.3,0.4,0.7] 3i64 }
def unused [n] (a: [n]f64, k: i64): f64 =
  let (_, s) =
    loop (xs, s) = (copy a, 1) for i < k do
      let s = s * f64.sin a[i]
      let xs = loop xs = xs for j < n - 1 do xs with [j] = xs[j + 1] * f64.sin xs[j]
      in (xs, s + 0.1)
  in s

-- Outputs that the outer loop writes once, beside the inner loop.
-- ad: outputs { [[0.3,0.7],[1.1,0.2],[0.4,0.9]] [[0.4,0.9],[0.1,0.6],[0.7,1.2],[0.5,0.3]] }
def outputs [l] [n] [b] (h: [l][b]f64, xs: [n][b]f64): [n][b]f64 =
  let (_, ys) =
    loop (h, ys) = (copy h, replicate n (replicate b 0)) for t < n do
      let (h, y) = loop (h, y) = (h, xs[t]) for i < l do
                     let new = map2 (\y h -> f64.sin (y * h + 1)) y h[i]
                     in (h with [i] = new, new)
      let y = if t > 0 then map2 (*) y ys[t - 1] else y
      in (h, ys with [t] = y)
  in ys

-- A loop within a map, and a record of it for each element.
-- ad: mapped { [[0.1,1.3,0.4],[0.7,0.2,0.9]] 3i64 }
def mapped [m] [n] (xss: [m][n]f64, k: i64): f64 =
  let one (xs: [n]f64) =
    let (ys, p) = loop (ys, p) = (copy xs, 1) for _i < k do
                    loop (ys, p) = (ys, p) for j < n do
                      let q = p * 0.9 + ys[j] * 0.1
                      in (ys with [j] = f64.sin (ys[j] * p) + ys[(j + 1) % n], q)
    in f64.product ys * p
  in f64.sum (map one xss)
