-- | Sparse matrices in four formats. The places of the entries are integers and what is differentiated are the values, so derivatives
-- keep the pattern and cost as much as the entries, not as the matrix.
--
-- A format knows its number of rows or columns only if it has an array of that length; functions are given what it does not know.

-- Where each of n groups begins, and the end of the last, for groups that are in order or not.
local def begins_of [k] (n: i64) (groups: [k]i64): [n + 1]i64 =
  [0] ++ scan (+) 0 (hist (+) 0 n groups (replicate k 1)) :> [n + 1]i64

-- The group of each of k elements: one more at each end of a group before it.
local def group_of [m] (k: i64) (begins: [m]i64): [k]i64 =
  scan (+) 0 (hist (+) 0 k begins[1:] (replicate (m - 1) 1))

-- The numbers of the elements in the order of their groups; those of a group stay in their order.
local def by_group [k] (n: i64) (groups: [k]i64): [k]i64 =
  let (order, _) =
    loop (order, next) = (replicate k 0, copy (begins_of n groups)) for e < k do
      let g = groups[e]
      in (order with [next[g]] = e, next with [g] = next[g] + 1)
  in order

local def gather 't [n] [k] (xs: [n]t) (is: [k]i64): [k]t = map (\i -> xs[i]) is

-- | For the number type of a module such as `f32`; what this file has outside of it is for `f64`.
module sparse (R: real) = {
  type t = R.t
  local def zero: t = R.i64 0

  -- | Row, column and value of each entry, in any order; several entries of one place count as their sum.
  type coo [k] = {rows: [k]i64, columns: [k]i64, values: [k]t}

  -- | Compressed rows: the entries of row i are those from begins[i] to before begins[i + 1].
  type csr [n] [k] = {begins: [n + 1]i64, columns: [k]i64, values: [k]t}

  -- | Compressed columns.
  type csc [m] [k] = {begins: [m + 1]i64, rows: [k]i64, values: [k]t}

  -- | Compressed rows of which only those with entries are there, by their numbers.
  type dcsr [r] [k] = {rows: [r]i64, begins: [r + 1]i64, columns: [k]i64, values: [k]t}

  -- The sum of values times x over some of the entries.
  local def sum_between [k] (columns: [k]i64) (values: [k]t) (x: i64 -> t) (from: i64) (to: i64): t =
    loop s = zero for at in from..<to do R.(s + values[at] * x columns[at])

  module coo = {
    def transpose [k] (a: coo [k]): coo [k] = {rows = a.columns, columns = a.rows, values = a.values}
    def map_values [k] (f: t -> t) (a: coo [k]): coo [k] = a with values = map f a.values

    def to_dense [k] (n: i64) (m: i64) (a: coo [k]): [n][m]t =
      reduce_by_index_2d (replicate n (replicate m zero)) (R.+) zero (zip a.rows a.columns) a.values

    def from_dense [n] [m] (a: [n][m]t): ?[k].coo [k] =
      let places = flatten (tabulate_2d n m (\i j -> (i, j)))
      let [k] (kept: [k](i64, i64)) = filter (\(i, j) -> R.(a[i, j] != zero)) places
      in {rows = map (.0) kept, columns = map (.1) kept, values = map (\(i, j) -> a[i, j]) kept}

    -- | The n x m matrix with one entry for each place, in the order of rows and then of columns: entries of one place are added.
    def compact [k] (n: i64) (m: i64) (a: coo [k]): ?[r].coo [r] =
      let by_column = by_group m a.columns
      let order = gather by_column (by_group n (gather a.rows by_column))
      let (rows, columns) = (gather a.rows order, gather a.columns order)
      let first = map (\e -> e == 0 || rows[e] != rows[e - 1] || columns[e] != columns[e - 1]) (iota k)
      let [r] (kept: [r]i64) = filter (\e -> first[e]) (iota k)
      let places = map (\number -> number - 1) (scan (+) 0 (map i64.bool first))
      in {rows = gather rows kept, columns = gather columns kept, values = hist (R.+) zero r places (gather a.values order)}

    -- | A + B, with the entries of both.
    def add [k] [l] (a: coo [k]) (b: coo [l]): coo [k + l] =
      {rows = a.rows ++ b.rows, columns = a.columns ++ b.columns, values = a.values ++ b.values}

    -- | A x, for A of n rows.
    def spmv [k] [m] (n: i64) (a: coo [k]) (x: [m]t): [n]t =
      hist (R.+) zero n a.rows (map2 (\j v -> R.(v * x[j])) a.columns a.values)

    -- | x A, for A of m columns.
    def vspm [k] [n] (m: i64) (x: [n]t) (a: coo [k]): [m]t = spmv m (transpose a) x

    -- | A B.
    def spmm [k] [m] [p] (n: i64) (a: coo [k]) (b: [m][p]t): [n][p]t =
      hist (map2 (R.+)) (replicate p zero) n a.rows (map2 (\j v -> map (v R.*) b[j]) a.columns a.values)
  }

  module csr = {
    def to_coo [n] [k] (a: csr [n] [k]): coo [k] = {rows = group_of k a.begins, columns = a.columns, values = a.values}

    def from_coo [k] (n: i64) (a: coo [k]): csr [n] [k] =
      let order = by_group n a.rows
      in {begins = begins_of n a.rows, columns = gather a.columns order, values = gather a.values order}

    -- One entry for each place of an n x m matrix.
    local def compact [k] (n: i64) (m: i64) (a: coo [k]): ?[r].csr [n] [r] =
      let {rows, columns, values} = coo.compact n m a
      in {begins = begins_of n rows, columns, values}

    def to_dense [n] [k] (m: i64) (a: csr [n] [k]): [n][m]t = coo.to_dense n m (to_coo a)
    def from_dense [n] [m] (a: [n][m]t): ?[k].csr [n] [k] = from_coo n (coo.from_dense a)
    def map_values [n] [k] (f: t -> t) (a: csr [n] [k]): csr [n] [k] = a with values = map f a.values

    -- | The transposed matrix, of m rows.
    def transpose [n] [k] (m: i64) (a: csr [n] [k]): csr [m] [k] = from_coo m (coo.transpose (to_coo a))

    -- | A x.
    def spmv [n] [k] [m] (a: csr [n] [k]) (x: [m]t): [n]t =
      tabulate n (\i -> sum_between a.columns a.values (\j -> x[j]) a.begins[i] a.begins[i + 1])

    -- | x A, for A of m columns.
    def vspm [n] [k] (m: i64) (x: [n]t) (a: csr [n] [k]): [m]t = coo.vspm m x (to_coo a)

    -- | A B.
    def spmm [n] [k] [m] [p] (a: csr [n] [k]) (b: [m][p]t): [n][p]t =
      tabulate_2d n p (\i q -> sum_between a.columns a.values (\j -> b[j, q]) a.begins[i] a.begins[i + 1])

    -- | A + B, for two matrices of m columns. There is one entry for each place of either.
    def add [n] [k] [l] (m: i64) (a: csr [n] [k]) (b: csr [n] [l]): ?[r].csr [n] [r] =
      compact n m (coo.add (to_coo a) (to_coo b))

    -- | A B, for a sparse B of p columns. There is one entry for each place to which two entries contribute.
    def spgemm [n] [k] [m] [l] (p: i64) (a: csr [n] [k]) (b: csr [m] [l]): ?[r].csr [n] [r] =
      let begins = [0] ++ scan (+) 0 (map (\j -> b.begins[j + 1] - b.begins[j]) a.columns)
      let lefts = group_of (last begins) begins
      let rights = map2 (\e product -> b.begins[a.columns[e]] + product - begins[e]) lefts (indices lefts)
      let products = map2 (\x y -> R.(x * y)) (gather a.values lefts) (gather b.values rights)
      in compact n p {rows = gather (group_of k a.begins) lefts, columns = gather b.columns rights, values = products}
  }

  module csc = {
    def to_coo [m] [k] (a: csc [m] [k]): coo [k] = {rows = a.rows, columns = group_of k a.begins, values = a.values}

    def from_coo [k] (m: i64) (a: coo [k]): csc [m] [k] =
      let order = by_group m a.columns
      in {begins = begins_of m a.columns, rows = gather a.rows order, values = gather a.values order}

    def to_dense [m] [k] (n: i64) (a: csc [m] [k]): [n][m]t = coo.to_dense n m (to_coo a)
    def from_dense [n] [m] (a: [n][m]t): ?[k].csc [m] [k] = from_coo m (coo.from_dense a)
    def map_values [m] [k] (f: t -> t) (a: csc [m] [k]): csc [m] [k] = a with values = map f a.values

    -- | The transposed matrix, of n columns.
    def transpose [m] [k] (n: i64) (a: csc [m] [k]): csc [n] [k] = from_coo n (coo.transpose (to_coo a))

    -- | A x, for A of n rows.
    def spmv [m] [k] (n: i64) (a: csc [m] [k]) (x: [m]t): [n]t = coo.spmv n (to_coo a) x

    -- | x A.
    def vspm [m] [k] [n] (x: [n]t) (a: csc [m] [k]): [m]t =
      tabulate m (\j -> sum_between a.rows a.values (\i -> x[i]) a.begins[j] a.begins[j + 1])

    -- | A B.
    def spmm [m] [k] [p] (n: i64) (a: csc [m] [k]) (b: [m][p]t): [n][p]t = coo.spmm n (to_coo a) b
  }

  module dcsr = {
    def to_coo [r] [k] (a: dcsr [r] [k]): coo [k] =
      {rows = gather a.rows (group_of k a.begins), columns = a.columns, values = a.values}

    -- | Of the rows of a matrix of n rows those with entries.
    def from_csr [n] [k] (a: csr [n] [k]): ?[r].dcsr [r] [k] =
      let [r] (rows: [r]i64) = filter (\i -> a.begins[i] < a.begins[i + 1]) (iota n)
      in {rows, begins = map (\i -> a.begins[i]) rows ++ [k] :> [r + 1]i64, columns = a.columns, values = a.values}
    def from_coo [k] (n: i64) (a: coo [k]): ?[r].dcsr [r] [k] = from_csr (csr.from_coo n a)

    def to_dense [r] [k] (n: i64) (m: i64) (a: dcsr [r] [k]): [n][m]t = coo.to_dense n m (to_coo a)
    def from_dense [n] [m] (a: [n][m]t): ?[r][k].dcsr [r] [k] = from_csr (csr.from_dense a)
    def map_values [r] [k] (f: t -> t) (a: dcsr [r] [k]): dcsr [r] [k] = a with values = map f a.values

    -- | The transposed matrix, of m rows.
    def transpose [r] [k] (m: i64) (a: dcsr [r] [k]): ?[q].dcsr [q] [k] = from_coo m (coo.transpose (to_coo a))

    -- | A x, for A of n rows; the rows without entries cost nothing but their zeros.
    def spmv [r] [k] [m] (n: i64) (a: dcsr [r] [k]) (x: [m]t): [n]t =
      spread n zero a.rows (tabulate r (\i -> sum_between a.columns a.values (\j -> x[j]) a.begins[i] a.begins[i + 1]))

    -- | x A, for A of m columns.
    def vspm [r] [k] [n] (m: i64) (x: [n]t) (a: dcsr [r] [k]): [m]t = coo.vspm m x (to_coo a)

    -- | A B.
    def spmm [r] [k] [m] [p] (n: i64) (a: dcsr [r] [k]) (b: [m][p]t): [n][p]t =
      spread n (replicate p zero) a.rows
        (tabulate_2d r p (\i q -> sum_between a.columns a.values (\j -> b[j, q]) a.begins[i] a.begins[i + 1]))
  }
}

open sparse f64
