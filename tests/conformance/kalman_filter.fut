-- The log-likelihood of a Kalman filter: a loop of products, a factor by Cholesky and solutions. What its return sweep keeps of the loop is
-- looked for again until nothing more is found.
-- ==
-- entry: agrees
-- input { [[1.0, 0.5], [0.8, 0.1], [0.9, -0.3]] } output { true }

def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (map2 (*) a b)
def matmul [n][m][p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 = map (\r -> map (\c -> dot r c) (transpose b)) a
def mv [n][m] (a: [n][m]f64) (x: [m]f64) : [n]f64 = map (\r -> dot r x) a
def madd [n][m] (a: [n][m]f64) (b: [n][m]f64) = map2 (map2 (+)) a b
def msub [n][m] (a: [n][m]f64) (b: [n][m]f64) = map2 (map2 (-)) a b
def cholesky [n] (a: [n][n]f64) : [n][n]f64 =
  loop l = replicate n (replicate n 0) for j < n do
    let s = a[j,j] - dot l[j] l[j]
    let d = f64.sqrt s
    let c = tabulate n (\i -> if i < j then 0 else if i == j then d else (a[i,j] - dot l[i] l[j]) / d)
    in tabulate_2d n n (\i k -> if k == j then c[i] else l[i,k])
def fsolve [n] (l: [n][n]f64) (b: [n]f64) : [n]f64 =
  loop x = replicate n 0 for i < n do
    let s = dot l[i] x
    in x with [i] = (b[i]-s)/l[i,i]
def bsolve [n] (l: [n][n]f64) (b: [n]f64) : [n]f64 =
  loop x = replicate n 0 for k < n do
    let i = n-1-k
    let s = f64.sum (map2 (\r x -> r[i]*x) l x)
    in x with [i] = (b[i]-s)/l[i,i]
def logl [n][m][T] (ys: [T][m]f64) (x0: [n]f64) (f: [n][n]f64, h: [m][n]f64, q: [n][n]f64, r: [m][m]f64) =
  let (_, _, ll) = loop (x, p, ll) = (x0, q, 0) for y in ys do
    let x' = mv f x
    let p' = madd (matmul f (matmul p (transpose f))) q
    let e = map2 (-) y (mv h x')
    let s = madd (matmul h (matmul p' (transpose h))) r
    let l = cholesky s
    let hp = matmul h p'
    let k = transpose (map (\c -> bsolve l (fsolve l c)) (transpose hp))
    let gain = transpose k
    let z = bsolve l (fsolve l e)
    let ld = 2 * f64.sum (tabulate m (\i -> f64.log l[i,i]))
    in (map2 (+) x' (mv gain e), msub p' (matmul gain hp), ll - 0.5*(ld + dot e z))
  in ll
entry gradient [n][m][T] (ys: [T][m]f64) (x0: [n]f64) (f: [n][n]f64) (h: [m][n]f64) (q: [n][n]f64) (r: [m][m]f64) =
  vjp (logl ys x0) (f, h, q, r) 1
entry agrees [T][m] (ys: [T][m]f64): bool =
  let n = 3
  let f = tabulate_2d n n (\i j -> if i == j then 0.9 else 0.1 / f64.i64 (1 + i + 2 * j))
  let h = tabulate_2d m n (\i j -> 1 / f64.i64 (1 + i + j))
  let diagonal k = tabulate_2d k k (\i j -> if i == j then 0.5 + 0.1 * f64.i64 i else 0.05)
  let at = (f, h, diagonal n, diagonal m)
  let along = (map (map f64.sin) f, map (map f64.cos) h, map (map f64.sin) at.2, map (map f64.cos) at.3)
  let x0 = replicate n 0.1
  let g = vjp (logl ys x0) at 1
  let inner a b = f64.sum (map2 dot a b)
  let by_gradient = inner g.0 along.0 + inner g.1 along.1 + inner g.2 along.2 + inner g.3 along.3
  in f64.abs (by_gradient - jvp (logl ys x0) at along) < 1e-9 * (1 + f64.abs by_gradient)
