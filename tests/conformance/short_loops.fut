-- Loops of few iterations over small arrays, in maps: sorting networks, elimination, integrators, hashes. Their iterations become straight
-- code where that is possible, and stay as they are where it is not. Failing checks in them fail as before.

def sorted3 (xs: [3]f64): [3]f64 =
  loop xs = copy xs for p < 2 do
    loop xs for q < 2 - p do
      if xs[q] > xs[q + 1] then let (a, b) = (xs[q], xs[q + 1]) in (xs with [q] = b) with [q + 1] = a else xs

-- ==
-- entry: medians
-- input { [[3.0, 1.0, 2.0], [1.0, 1.0, 0.0], [f64.nan, 2.0, 1.0]] }
-- output { [2.0, 1.0, 1.0] [3.0, 1.0, 2.0] }
entry medians [n] (xss: [n][3]f64): ([n]f64, [n]f64) = unzip (map (\xs -> let s = sorted3 xs in (s[1], s[2])) xss)

-- ==
-- entry: medians_back
-- input { [[3.0, 1.0, 2.0], [1.0, 4.0, 0.0]] }
-- output { [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]] }
entry medians_back [n] (xss: [n][3]f64): [n][3]f64 = vjp (\xss -> f64.sum (medians xss).0) xss 1

def solve (a: [3][3]f64) (b: [3]f64): [3]f64 =
  let (a, b) = loop (a, b) = (copy a, copy b) for k < 3 do
    loop (a, b) for i in k + 1..<3 do
      let m = a[i, k] / a[k, k]
      let a = loop a for j in k..<3 do a with [i, j] = a[i, j] - m * a[k, j]
      in (a, b with [i] = b[i] - m * b[k])
  in loop x = [0, 0, 0] for q < 3 do
    let i = 2 - q
    in x with [i] = (loop s = b[i] for j in i + 1..<3 do s - a[i, j] * x[j]) / a[i, i]

-- ==
-- entry: solutions
-- input { [[[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]], [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 4.0]]] [[3.0, 5.0, 5.0], [1.0, 1.0, 1.0]] }
-- output { [[1.0, 1.0, 1.0], [1.0, 0.5, 0.25]] }
entry solutions [n] (as: [n][3][3]f64) (bs: [n][3]f64): [n][3]f64 = map2 solve as bs

-- By the rule of the adjoint system: the gradient of the sum by b solves the transposed system for ones, and by a it is - y x^T.
-- ==
-- entry: solutions_back
-- input { [[[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]], [[1.0, 4.0, 0.5], [0.25, 2.0, 0.0], [3.0, 0.0, 4.0]]] [[3.0, 5.0, 5.0], [1.0, 2.0, 3.0]] }
-- output { true }
entry solutions_back [n] (as: [n][3][3]f64) (bs: [n][3]f64): bool =
  let (das, dbs) = vjp (\(as, bs) -> f64.sum (map f64.sum (map2 solve as bs))) (as, bs) 1
  let close (x: f64) (y: f64) = f64.abs (x - y) < 1e-9 * (1 + f64.abs y)
  in and (map4 (\a b da db ->
    let y = solve (transpose a) [1, 1, 1]
    let x = solve a b
    in and (map2 close db y) && and (map2 (\row yi -> and (map2 (\d xj -> close d (-yi * xj)) row x)) da y)) as bs das dbs)

-- ==
-- entry: inclusive
-- input { [1i64, 2i64] 2i64 }
-- output { [6i64, 9i64] }
-- input { [1i64, 2i64] 3i64 }
-- error: Range 3...2 is invalid
entry inclusive [n] (xs: [n]i64) (m: i64): [n]i64 =
  map (\x -> let ys = loop ys = [x, x, x] for k < m do loop ys for i in k + 1...2 do ys with [i] = ys[i] + k + i - 1
             in ys[0] + ys[1] + ys[2]) xs

-- The last range fails whatever the numbers are.
-- ==
-- entry: failing
-- input { [1i64, 2i64] }
-- error: Range 3...2 is invalid
entry failing [n] (xs: [n]i64): [n]i64 =
  map (\x -> (loop ys = [x, x, x] for k < 3 do loop ys for i in k + 1...2 do ys with [i] = ys[i] + ys[k])[2]) xs

-- ==
-- entry: outside
-- input { [[1i64, 2i64]] 1i64 }
-- output { [7i64] }
-- input { [[1i64, 2i64]] 3i64 }
-- error: out of bounds
entry outside [n] (xss: [n][2]i64) (d: i64): [n]i64 =
  map (\xs -> loop s = 0 for k < 3 do s * 2 + (if k < 2 then xs[k] else xs[k - d])) xss |> map (\x -> x - 3)

-- Places that depend on the data, and a state that does not.
-- ==
-- entry: bins
-- input { [3i64, 7i64, 8i64] }
-- output { [5342002i64, 5342002i64, 5342200i64] }
entry bins [n] (xs: [n]i64): [n]i64 =
  map (\x -> let (h, t) = loop (h, t) = ([0i64, 0, 0, 0], [1i64, 2, 3]) for k < 4 do
                           let j = (x + k * k) % 4
                           in (h with [j] = h[j] + 1, t with [k % 3] = t[k % 3] + k)
             let digits = loop d = 0 for k < 3 do 10 * d + t[2 - k]
             in loop d = digits for k < 4 do 10 * d + h[k]) xs

-- ==
-- entry: hashes
-- input { [1u32, 2u32, 4000000000u32] }
-- output { [144172934u32, 2563900176u32, 143906072u32] }
entry hashes [n] (xs: [n]u32): [n]u32 =
  map (\x -> let s = loop s = [x, 1, 2, 3] for _r < 8 do
                       loop s for i < 4 do s with [i] = (s[i] * 1664525 + s[(i + 1) % 4]) ^ (s[(i + 3) % 4] >> 5)
             in s[0] ^ s[1] ^ s[2] ^ s[3]) xs

def tableau: [4][4]f64 = [[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]]
def weights: [4]f64 = [1 / 6, 1 / 3, 1 / 3, 1 / 6]
def step (h: f64) (y: [2]f64): [2]f64 =
  let slope (z: [2]f64) = [z[1], -z[0]]
  let ks = loop ks = replicate 4 [0, 0] for s < 4 do
    let z = loop z = copy y for r < s do map2 (\k z -> z + h * tableau[s, r] * k) ks[r] z
    in ks with [s] = slope z
  in loop y = copy y for s < 4 do map2 (\k y -> y + h * weights[s] * k) ks[s] y

-- The harmonic oscillator: after t steps it is cos (t h), and the derivative by the start is that, too.
-- ==
-- entry: oscillators
-- input { [1.0, 2.0] 100i64 }
-- output { true }
entry oscillators [n] (xs: [n]f64) (t: i64): bool =
  let run x = (loop y = [x, 0] for _i < t do step 0.01 y)[0]
  let exact = f64.cos (0.01 * f64.i64 t)
  let close x y = f64.abs (x - y) < 1e-8
  in and (map (\x -> close (run x) (x * exact)) xs) && and (map (`close` exact) (vjp (map run) xs (replicate n 1)))
  && and (map (`close` exact) (jvp (map run) xs (replicate n 1)))

-- Loops over neighbours, in maps: what lies outside is a neighbour at the edge, one of the other side, or none.
def neighbours [n] [m] (g: [n][m]i64) (i: i64) (j: i64): (i64, i64, i64) =
  let clamped = loop s = 0 for a < 3 do loop s for b < 3 do
    s + (a * 3 + b) * g[i64.max 0 (i64.min (n - 1) (i + a - 1)), i64.max 0 (i64.min (m - 1) (j + b - 1))]
  let wrapped = loop s = 0 for d < 9i64 do
    if d == 4 then s else i64.max s g[(i + d / 3 - 1 + n) % n, (j + d % 3 - 1 + m) % m]
  let inside = loop s = 0 for b in [-2i64, -1, 1, 2] do
    if j + b >= 0 && j + b < m then s * 3 + g[i, j + b] else s
  in (clamped, wrapped, inside)
-- ==
-- entry: windows
-- input { true } output { true }
entry windows (_: bool): bool =
  let right (n: i64) (m: i64) =
    let g = tabulate_2d n m (\i j -> (i * 7 + j * j * 3) % 11)
    let at_once = flatten (tabulate_2d n m (neighbours g))
    let singly = loop out = replicate (n * m) (0, 0, 0) for k < n * m do
      out with [n * m - 1 - k] = neighbours g ((n * m - 1 - k) / m) ((n * m - 1 - k) % m)
    in and (map2 (==) at_once singly)
  in and (map (\k -> right (k / 6) (k % 6)) (iota 36)) && right 3 70 && right 9 33
