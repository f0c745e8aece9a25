-- Data movement: gathers, slices, updates, views.
-- rule: index.read
-- ad: gather { [1.0, 2.0, 3.0, 4.0] [0i64, 2i64, 2i64] }
def gather (xs: []f64, is: []i64) = map (\i -> xs[i] * xs[0]) is

-- ad: slices { [1.0, 2.0, 3.0, 4.0] }
def slices (xs: []f64) = (map2 (*) (sized 2 xs[1:3]) (sized 2 xs[2:4]), xs[::-1], sized 2 xs[::2])

-- ad: matrix_parts { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
def matrix_parts (a: [][]f64) = (a[1], a[:, 2], a[0, 1] * a[1, 0])

-- rule: update.point
-- ad: update { [1.0, 2.0, 3.0] 5.0 }
def update (xs: []f64, x: f64) = map (\y -> y * y) (copy xs with [1] = x * x)

-- ad: update_twice { [1.0, 2.0, 3.0] }
def update_twice (xs: []f64) = copy xs with [1] = xs[0] * xs[1] with [0] = xs[2] * xs[2]

-- rule: update.slice
-- ad: update_slice { [1.0, 2.0, 3.0] [4.0, 5.0] }
def update_slice (xs: []f64, ys: []f64) = copy xs with [1:3] = sized 2 (map (* 2) ys)

-- rule: array.permute
-- ad: views { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
def views [n][m] (a: [n][m]f64) = (map f64.sum (transpose a), flatten a, map (* 2) (flatten (transpose a)))

-- rule: array.copy
-- ad: copies { [1.0, 2.0] 3.0 }
def copies (xs: []f64, y: f64) = (xs ++ xs, replicate 3 y, [y, y * y, xs[0]], map (\x -> x * y) (xs ++ [y]))

-- rule: array.literal
-- ad: rows { [1.0, 2.0] }
def rows (xs: []f64) = f64.sum (flatten (map2 (\r i -> map (* i) r) (replicate 3 xs) [1, 2, 3]))

-- ad: rotated { [1.0, 2.0, 3.0] }
def rotated (xs: []f64) = map2 (*) xs (rotate 1 xs)

-- rule: scatter.plain
-- ad: filtered { [1.0, -2.0, 3.0] }
def filtered (xs: []f64) = f64.sum (map (\x -> x * x * x) (filter (> 0) xs))
