-- Loops and branches that update arrays in place and read them again.
-- rule: update.undo loop.undo
-- ad: prefix { [1.1,1.3,0.4,0.7] }
def prefix [n] (a: [n]f64): f64 =
  let xs = loop xs = replicate n 1.0 for i < n - 1 do xs with [i + 1] = f64.sin xs[i] * a[i]
  in xs[n - 1] * xs[n / 2]

-- ad: overwrite { [1.1,1.3,0.4,0.7] }
def overwrite [n] (a: [n]f64): [n]f64 = loop xs = copy a for i < n do xs with [(i * 3) % n] = f64.sin xs[(i * 3) % n] * xs[i]

-- ad: twice { [1.1,1.3,0.4,0.7] }
def twice [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n - 1 do
    let xs = xs with [i] = f64.exp (0.3 * xs[i + 1])
    let s = xs[i] * xs[i + 1]
    in xs with [i + 1] = s * a[i]

-- Gauss-Seidel sweeps
-- ad: seidel { [1.1,1.3,0.4,0.7,0.2] 2i64 }
def seidel [n] (b: [n]f64, sweeps: i64): f64 =
  let xs = loop xs = copy b for _k < sweeps do
             loop xs = xs for i < n - 2 do xs with [i + 1] = b[i] - 0.4 * f64.sin (xs[i] * xs[i + 2])
  in f64.sum xs

-- Floyd-Warshall with a soft minimum
-- ad: floyd { [[0.1,1.3,0.4],[0.7,0.2,0.9],[0.5,0.6,0.3]] }
def floyd [n] (d: [n][n]f64): f64 =
  let d = loop d = copy d for k < n do
            loop d = d for i < n do
              loop d = d for j < n do
                d with [i, j] = - f64.log (f64.exp (- d[i, j]) + f64.exp (- d[i, k] - d[k, j]))
  in f64.sum (map f64.product d)

-- Rows that are updated as rows
-- ad: rows { [[0.1,1.3,0.4],[0.7,0.2,0.9],[0.5,0.6,0.3]] }
def rows [n] (d: [n][n]f64): f64 =
  let d = loop d = copy d for i < n - 1 do d with [i + 1] = map2 (\x y -> x * f64.cos y) d[i] d[i + 1]
  in f64.sum (map f64.product d)

-- ad: slices { [0.1,1.3,0.4,0.7,0.2] }
def slices [n] (d: [n]f64): f64 =
  let d = loop d = copy d for i < n - 2 do d with [i : i + 3] = map (\x -> x * d[i + 1]) d[i : i + 3]
  in f64.product d

-- Trip counts that change
-- ad: triangle { [0.1,1.3,0.4,0.7,0.2] }
def triangle [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < n do loop xs = xs for j < i do xs with [i] = xs[i] * 0.5 + f64.sin (xs[j] * xs[i])
  in f64.sum xs

-- ad: cholesky { [[4.1,1.3,0.4],[1.3,3.2,0.9],[0.4,0.9,5.3]] }
def cholesky [n] (a: [n][n]f64): f64 =
  let l = loop l = copy a for j < n do
    let l = loop l = l for k < j do l with [j, j] = l[j, j] - l[j, k] * l[j, k]
    let l = l with [j, j] = f64.sqrt l[j, j]
    in loop l = l for i in j + 1 ..< n do
         let l = loop l = l for k < j do l with [i, j] = l[i, j] - l[i, k] * l[j, k]
         in l with [i, j] = l[i, j] / l[j, j]
  in f64.sum (map (\i -> f64.log l[i, i] * l[n - 1, i]) (iota n))

-- rule: if.undo
-- ad: branch { [0.1,1.3,0.4,0.7,0.2] }
def branch [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < n - 1 do if xs[i] > 0.5 then xs with [i + 1] = xs[i] * xs[i + 1] else xs
  in f64.sum (map (\x -> x * x) xs)

-- ad: branches { [0.1,1.3,0.4,0.7,0.2] }
def branches [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < n - 1 do
             if xs[i] > 0.5 then let xs = xs with [i + 1] = xs[i] * xs[i + 1] in xs with [0] = xs[i + 1] * xs[0]
             else if i % 2 == 0 then loop xs = xs for j < i do xs with [j] = xs[j] * xs[i + 1]
             else xs with [i] = f64.sin xs[i]
  in f64.sum (map (\x -> x * x) xs)

-- insertion sort
-- ad: insertion { [1.1,0.3,0.4,0.7,0.2] }
def insertion [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < n do
             (loop (xs, j) = (xs, i) while j > 0 && xs[j - 1] > xs[j] do
                let t = xs[j]
                let xs = xs with [j] = xs[j - 1]
                in (xs with [j - 1] = t, j - 1)).0
  in f64.sum (map2 (\x i -> x * x * f64.i64 i) xs (iota n))

-- edit distance with a soft minimum
-- ad: edit { [1.1,0.3,0.4] [0.2,0.9] }
def edit [n][m] (a: [n]f64, b: [m]f64): f64 =
  let t = replicate (n + 1) (replicate (m + 1) 0.0)
  let t = loop t = t for i < n do t with [i + 1, 0] = t[i, 0] + a[i] * a[i]
  let t = loop t = t for j < m do t with [0, j + 1] = t[0, j] + b[j] * b[j]
  let soft x y = - f64.log (f64.exp (- x) + f64.exp (- y))
  let t = loop t = t for i < n do
            loop t = t for j < m do
              t with [i + 1, j + 1] = soft (soft (t[i, j + 1] + a[i] * a[i]) (t[i + 1, j] + b[j] * b[j])) (t[i, j] + (a[i] - b[j]) ** 2)
  in t[n, m]

-- Arrays of indices that change
-- ad: indices { [1.1,0.3,0.4,0.7,0.2] }
def indices [n] (a: [n]f64): f64 =
  let (xs, _) = loop (xs, at) = (copy a, iota n) for i < n - 1 do
                  let t = at[i]
                  let at = at with [i] = at[i + 1]
                  let at = at with [i + 1] = t
                  in (xs with [at[i]] = f64.sin xs[at[i]] * xs[at[0]], at)
  in f64.product xs

-- Nothing is updated, or not by a loop
-- ad: none { [1.1,0.3,0.4] }
def none [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < 0i64 do xs with [i] = xs[i] * xs[i]
  let ys = map (\i -> xs[i] * xs[0]) (iota n)
  let xs = xs with [1] = ys[0] * ys[2]
  in f64.sum (map (\i -> xs[i] * xs[1]) (iota n))

-- ad: read_before { [1.1,0.3,0.4] }
def read_before [n] (a: [n]f64): f64 =
  let xs = map f64.sin a
  let ys = loop ys = replicate n 1.0 for i < n do map (\j -> ys[j] * xs[(i + j) % n]) (iota n)
  let xs = loop xs = xs for i < n do xs with [i] = xs[i] * ys[i]
  in f64.sum (map2 (*) xs ys)

-- rule: scatter.undo
-- ad: scattered { [1.1,0.3,0.4,0.7,0.2] }
def scattered [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < n do
             let is = [i, (i + 2) % n, -1]
             in scatter xs is (map (\j -> if j < 0 then 7 else f64.sin (xs[j] * xs[(j + 1) % n])) is)
  in f64.sum (map (\x -> x * x) xs)

-- ad: scattered_rows { [[1.1,0.3],[0.4,0.7],[0.2,0.9]] }
def scattered_rows [n][m] (a: [n][m]f64): f64 =
  let xs = loop xs = copy a for i < n do
             let xs = scatter xs [i, n] [map2 (*) xs[i] xs[0], xs[i]]
             in if i == 1 then scatter_2d xs [(0, 1), (i, 0)] [xs[i, 0] * xs[1, 1], f64.sin xs[0, 1]] else xs
  in f64.sum (map f64.product xs)
