-- Loops that write each place once: nothing is recorded, the return sweep reads the finished array.
-- A row of a table made from any column of the row before.
-- rule: loop.once
-- ad: paper { [1.1,0.3,0.4] [[0.2,0.5,0.7],[0.9,0.1,0.3],[0.8,0.6,0.4],[0.2,0.2,0.9]] }
def paper [n][m] (start: [m]f64, ass: [n][m]f64): [m]f64 =
  let xs = replicate (n + 1) start
  let xs = loop xs = xs for i < n do loop xs = xs for j < m do xs with [i + 1, j] = f64.sin (ass[i, j] * xs[i, j])
  in xs[n]

-- ad: once_prefix { 0.7 [1.1,0.3,0.4,0.9] }
def once_prefix [n] (x: f64, a: [n]f64): [n]f64 =
  tail (loop xs = replicate (n + 1) x for i < n do xs with [i + 1] = f64.sin xs[i] * a[i]) :> [n]f64

-- What the loop does not write is read as well, and the array from before is wanted.
-- ad: once_before { [1.1,0.3,0.4,0.9,0.2] }
def once_before [n] (a: [n]f64): f64 =
  let b = map f64.sin a
  let c = loop xs = copy b for i < n - 2 do xs with [i + 2] = xs[i] * xs[i + 1] * a[i]
  in f64.sum (map2 (\x y -> x * y * y) b c)

-- Downwards
-- ad: once_down { [1.1,0.3,0.4,0.9,0.2] }
def once_down [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n - 1 do xs with [n - 2 - i] = f64.exp (-0.3 * xs[n - 1 - i]) * a[i]

-- Edit distance with a soft minimum.
-- ad: once_edit { [1.1,0.3,0.4] [0.7,0.9] }
def once_edit [n][m] (a: [n]f64, b: [m]f64): f64 =
  let soft x y = - f64.log (f64.exp (- x) + f64.exp (- y))
  let t = tabulate_2d (n + 1) (m + 1) (\i j -> f64.i64 (i + j))
  let t = loop t = t for i < n do
            loop t = t for j < m do
              t with [i + 1, j + 1] = soft (soft (t[i, j + 1] + 1) (t[i + 1, j] + 1)) (t[i, j] + (a[i] - b[j]) ** 2)
  in t[n, m]

-- Every element of all that come before it.
-- ad: once_triangle { [1.1,0.3,0.4,0.9,0.2] }
def once_triangle [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n do
    xs with [i] = (loop s = a[i] for j < i do s + xs[j] * f64.sin (a[j] * s))

-- Rows by a permutation of their elements.
-- ad: once_rows { [[1.1,0.3,0.4],[0.9,0.2,0.7],[0.5,0.6,0.8]] }
def once_rows [n][m] (a: [n][m]f64): [n][m]f64 =
  loop xs = copy a for i < n - 1 do
    let row = map (\j -> f64.sin (xs[i, (j * 2) % m] * a[i, j])) (iota m)
    in xs with [i + 1] = row

-- Even places of odd ones.
-- ad: once_strides { [1.1,0.3,0.4,0.9,0.2,0.8] }
def once_strides [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n / 2 do xs with [2 * i] = f64.sin (xs[2 * i + 1] * a[i])

-- Two arrays, and a number beside them.
-- ad: once_two { 0.4 [1.1,0.3,0.4,0.9] }
def once_two [n] (x: f64, a: [n]f64): (f64, [n]f64, [n]f64) =
  loop (s, xs, ys) = (x, copy a, copy a) for i < n - 1 do
    let xs = xs with [i + 1] = f64.sin (xs[i] * s) * ys[i]
    let ys = ys with [i + 1] = xs[i + 1] + a[i] * s
    in (s * ys[i + 1], xs, ys)

-- The loop runs again in each iteration of another one, which has to undo it.
-- ad: once_inside { [1.1,0.3,0.4,0.9] 3i64 }
def once_inside [n] (a: [n]f64, k: i64): [n]f64 =
  loop xs = copy a for t < k do
    loop xs = xs for i < n - 1 do xs with [i + 1] = f64.sin (xs[i] * a[(i + t) % n])

-- For each row its own array.
-- ad: once_map { [[1.1,0.3,0.4],[0.9,0.2,0.7]] }
def once_map [n][m] (ass: [n][m]f64): [n]f64 =
  map (\a -> let xs = loop xs = replicate m a[0] for i < m - 1 do xs with [i + 1] = f64.sin xs[i] * a[i + 1] in xs[m - 1]) ass

-- In a branch.
-- ad: once_branch { [1.1,0.3,0.4,0.9] }
def once_branch [n] (a: [n]f64): [n]f64 =
  if a[0] > 0.5 then loop xs = copy a for i < n - 1 do xs with [i + 1] = f64.sin (xs[i] * xs[0]) * a[i]
  else map (* 2) a

-- The values depend on the array by a branch.
-- ad: once_choice { [1.1,0.3,0.4,0.9] }
def once_choice [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n - 1 do xs with [i + 1] = if xs[i] > 0.5 then f64.sin xs[i] * a[i + 1] else xs[i] * xs[i] + a[i]

-- Not so: a place is read and written later, ..
-- ad: once_later { [1.1,0.3,0.4,0.9] }
def once_later [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n - 1 do xs with [i] = f64.sin (xs[i + 1] * xs[i])

-- .. written twice, ..
-- ad: once_twice { [1.1,0.3,0.4,0.9] }
def once_twice [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n - 1 do
    let xs = xs with [i + 1] = f64.sin (xs[i] * a[i])
    in xs with [i] = xs[i + 1] * xs[i]

-- .. or at places that are not known.
-- ad: once_modulo { [1.1,0.3,0.4,0.9] }
def once_modulo [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < 2 * n do xs with [(i + 1) % n] = f64.sin (xs[i % n] * a[i % n])

-- Places that are written later are read as they were before the loop: all of it, of both, in a row, by a map, of a nest.
-- ad: once_itself { [1.1,0.3,0.4,0.9,0.2] }
def once_itself [n] (a: [n]f64): [n]f64 = loop xs = copy a for i < n do xs with [i] = f64.sin xs[i] * xs[i] * a[n - 1 - i]

-- ad: once_seidel { [1.1,0.3,0.4,0.9,0.2] }
def once_seidel [n] (a: [n]f64): [n]f64 =
  loop xs = map f64.cos a for i < n - 2 do xs with [i + 1] = a[i] - 0.4 * f64.sin (xs[i] * xs[i + 2] * xs[i + 1])

-- ad: once_sweep { [[1.1,0.3,0.4],[0.9,0.2,0.7],[0.6,0.8,0.1]] }
def once_sweep [n][m] (a: [n][m]f64): [n][m]f64 =
  let b = loop t = copy a for i < n - 1 do
            loop t = t for j < m - 1 do t with [i, j] = f64.sin (t[i, j] * t[i + 1, j]) + t[i, j + 1] * (if i > 0 then t[i - 1, j] else 1)
  in map2 (map2 (*)) a b

-- ad: once_rows_below { [[1.1,0.3,0.4],[0.9,0.2,0.7],[0.6,0.8,0.1]] }
def once_rows_below [n][m] (a: [n][m]f64): [n][m]f64 =
  loop t = copy a for i < n - 1 do t with [i] = map (\j -> t[i + 1, j] * t[i, (j + 1) % m] + f64.sum t[i]) (iota m)

-- ad: once_in_loop { [1.1,0.3,0.4,0.9,0.2] }
def once_in_loop [n] (a: [n]f64): [n]f64 =
  loop b = a for _k < 2i64 do
    let c = loop xs = copy b for i < n - 1 do xs with [i] = f64.sin (xs[i] * xs[i + 1]) in map2 (\x y -> x * y + 0.1) b c

-- Updates in branches: one that does nothing, both, in each other, around a loop.
-- ad: once_one_branch { [1.1,0.3,0.4,0.9,0.2] }
def once_one_branch [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n - 1 do if a[i] > 0.35 then xs with [i + 1] = f64.sin xs[i] * xs[i + 1] else xs

-- ad: once_branches { [1.1,0.3,0.4,0.9,0.2] }
def once_branches [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n - 1 do
    if xs[i] > 0.35 then xs with [i + 1] = f64.sin xs[i] * a[i]
    else if i % 2 == 0 then xs with [i + 1] = xs[i] * a[i + 1] else xs

-- ad: once_branch_loop { [[1.1,0.3,0.4],[0.9,0.2,0.7],[0.6,0.8,0.1]] }
def once_branch_loop [n][m] (a: [n][m]f64): [n][m]f64 =
  loop t = copy a for i < n - 1 do
    if a[i, 0] > 0.8 then t with [i + 1] = map (* 2) t[i]
    else loop t = t for j < m do if a[i, j] > 0.3 then t with [i + 1, j] = f64.sin (t[i, j] * a[i, j]) else t

-- Of a triangle, from its end on.
-- ad: once_back { [1.1,0.3,0.4,0.9,0.2] }
def once_back [n] (a: [n]f64): [n]f64 =
  loop xs = copy a for i < n do xs with [i] = (loop s = a[i] for j < i do s + xs[i - 1 - j] * f64.sin (a[j] * s))
