-- input.fut - what the benchmark programs share: the portable input generator and the quantities that they are checked by.

def mix (z: u64): u64 =
  let z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
  let z = (z ^ (z >> 27)) * 0x94D049BB133111EB
  in z ^ (z >> 31)

-- Element i of stream s, in [0,1): any element by itself, so that arrays are made in parallel.
def uniform (s: u64) (i: i64): f64 =
  f64.u64 (mix (s + u64.i64 (i + 1) * 0x9E3779B97F4A7C15) >> 11) * 2 ** (-53)

-- The same, standard normal.
def normal (s: u64) (i: i64): f64 =
  f64.sqrt (-2 * f64.log (1 - uniform s (2 * i))) * f64.cos (2 * f64.pi * uniform s (2 * i + 1))

-- Arrays filled in row-major order.
def fill (element: i64 -> f64) (n: i64): [n]f64 = tabulate n element
def fill_2d (element: i64 -> f64) (n: i64) (m: i64): [n][m]f64 = tabulate_2d n m (\i j -> element (i * m + j))
def fill_3d (element: i64 -> f64) (n: i64) (m: i64) (k: i64): [n][m][k]f64 =
  tabulate_3d n m k (\i j l -> element ((i * m + j) * k + l))

-- Several outputs as one number.
def contract [n] (y: [n]f64): f64 = f64.sum (map2 (\v j -> v / f64.i64 (1 + j)) y (iota n))

-- The derivative in the directions (1, 1, ..) and (cos 0, cos 1, ..), from the gradient.
def directions [n] (g: [n]f64): (f64, f64) =
  (f64.sum g, f64.sum (map2 (\y i -> y * f64.cos (f64.i64 i)) g (iota n)))

def check_of [n] (value: f64) (g: [n]f64): (f64, f64, f64) =
  let (ones, cosines) = directions g
  in (value, ones, cosines)
