-- csr.fut - the synthetic matrix of the golden values, in compressed rows, and one made of its arrays.

import "../input"
import "/prelude/lib/sparse"

-- An n x n matrix: entries where stream 101 is below the density, with values of stream 102.
def synthetic (n: i64) (density: f64) =
  let row (i: i64) = filter (\j -> uniform 101 (i * n + j) < density) (iota n)
  let begins = [0] ++ scan (+) 0 (tabulate n (\i -> length (row i))) :> [n + 1]i64
  let (columns, values) =
    unzip (loop out = replicate (last begins) (0, 0) for i < n do
             let found = row i
             in loop out for e < length found do
                  out with [begins[i] + e] = (found[e], uniform 102 (i * n + found[e])))
  in {begins, columns, values}

def matrix [r] [k] (begins: [r]i64) (columns: [k]i64) (values: [k]f64): csr [r - 1] [k] =
  {begins = begins :> [r - 1 + 1]i64, columns, values}
