-- csr.fut - sparse matrices compressed by rows, as the kernels here use them, and the synthetic one of the golden values.

import "../input"

type csr [r] [nnz] = {rows: [r]i64, columns: [nnz]i64, values: [nnz]f64}

-- An n x n matrix: entries where stream 101 is below the density, with values of stream 102.
def synthetic (n: i64) (density: f64) =
  let row (i: i64) = filter (\j -> uniform 101 (i * n + j) < density) (iota n)
  let rows = [0] ++ scan (+) 0 (tabulate n (\i -> length (row i)))
  let (columns, values) =
    unzip (loop out = replicate (last rows) (0, 0) for i < n do
             let found = row i
             in loop out for e < length found do
                  out with [rows[i] + e] = (found[e], uniform 102 (i * n + found[e])))
  in {rows, columns, values}

-- The row of each entry.
def owners [r] [nnz] (a: csr [r] [nnz]): [nnz]i64 =
  let ends = tabulate (r - 1) (\i -> a.rows[i + 1])
  in scan (+) 0 (reduce_by_index (replicate nnz 0) (+) 0 ends (map (const 1) ends))

-- The sum of f column value over the entries of row i.
def row_sum [r] [nnz] (a: csr [r] [nnz]) (i: i64) (f: i64 -> f64 -> f64): f64 =
  loop s = 0 for e in a.rows[i]..<a.rows[i + 1] do s + f a.columns[e] a.values[e]
