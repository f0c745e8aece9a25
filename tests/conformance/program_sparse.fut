-- Sparse matrices in two forms behind one module type with a size-indexed abstract type.
module type sparse = {
  type~ mat [n] [m]
  val from_coo [n] [m] [k]: (rows: [n]()) -> (cols: [m]()) -> [k](i64, i64, f32) -> mat [n] [m]
  val mul [n] [m]: mat [n] [m] -> [m]f32 -> [n]f32
  val nnz [n] [m]: mat [n] [m] -> i64
}

module coo: sparse = {
  type~ mat [n] [m] = ?[k].{dims: ([n](), [m]()), els: [k](i64, i64, f32)}

  def from_coo [n] [m] [k] (r: [n]()) (c: [m]()) (els: [k](i64, i64, f32)): mat [n] [m] =
    {dims = (r, c), els}

  def mul [n] [m] ({dims = _, els}: mat [n] [m]) (x: [m]f32): [n]f32 =
    reduce_by_index (replicate n 0) (+) 0 (map (.0) els) (map (\(_, j, v) -> v * x[j]) els)

  def nnz [n] [m] (a: mat [n] [m]) = length a.els
}

module dense: sparse = {
  type~ mat [n] [m] = [n][m]f32

  def from_coo [n] [m] [k] (_: [n]()) (_: [m]()) (els: [k](i64, i64, f32)): mat [n] [m] =
    reduce_by_index_2d (replicate n (replicate m 0)) (+) 0 (map (\(i, j, _) -> (i, j)) els)
      (map (.2) els)

  def mul [n] [m] (a: mat [n] [m]) (x: [m]f32): [n]f32 = map (\r -> f32.sum (map2 (*) r x)) a
  def nnz [n] [m] (a: mat [n] [m]) = flatten a |> map ((!= 0) >-> i64.bool) |> i64.sum
}

module test (S: sparse) = {
  def run [n] [k] (x: [n]f32) (els: [k](i64, i64, f32)) =
    let u = replicate n ()
    let a = S.from_coo u u els
    in (S.mul a (S.mul a x), S.nnz a)
}

module tc = test coo
module td = test dense

-- ==
-- entry: power2
-- input { [1f32,2f32,3f32] [0i64,1i64,2i64,2i64,0i64] [1i64,1i64,0i64,2i64,1i64] [1f32,2f32,3f32,4f32,0.5f32] }
-- output { [6.0f32, 8.0f32, 69.0f32] [6.0f32, 8.0f32, 69.0f32] 5i64 4i64 }
entry power2 [n] [k] (x: [n]f32) (is: [k]i64) (js: [k]i64) (vs: [k]f32) =
  let els = zip3 is js vs
  let (a, na) = tc.run x els
  let (b, nb) = td.run x els
  in (a, b, na, nb)
