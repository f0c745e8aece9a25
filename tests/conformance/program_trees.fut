-- Fenwick trees, segment trees with lazy bottom-up queries, union-find with path halving, a sparse table.
module fenwick = {
  def add [n] (t: *[n]i64) (i: i64) (v: i64): *[n]i64 =
    (loop (t, i) = (t, i + 1) while i <= n do (t with [i - 1] = t[i - 1] + v, i + (i & -i))).0

  def sum [n] (t: [n]i64) (i: i64): i64 =
    (loop (s, i) = (0, i) while i > 0 do (s + t[i - 1], i - (i & -i))).0
}

module segtree (M: { type t val op: t -> t -> t val ne: t }) = {
  def build [n] (xs: [n]M.t): [2 * n]M.t =
    loop t = replicate n M.ne ++ xs :> [2 * n]M.t for i in n - 1 .. n - 2 ..> 0 do
      t with [i] = M.op (copy t[2 * i]) (copy t[2 * i + 1])

  def query [m] (t: [m]M.t) (l: i64) (r: i64): M.t =
    let n = m / 2
    let (a, b, _, _) =
      loop (a, b, l, r) = (M.ne, M.ne, l + n, r + n) while l < r do
        let (a, l) = if l & 1 == 1 then (M.op a t[l], l + 1) else (a, l)
        let (b, r) = if r & 1 == 1 then (M.op t[r - 1] b, r - 1) else (b, r)
        in (a, b, l / 2, r / 2)
    in M.op a b
}

module st_max = segtree { type t = i32 def op = i32.max def ne = i32.lowest }

module st_mat = segtree {
  type t = [2][2]i64
  def op (a: t) (b: t): t = map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a
  def ne = [[1i64, 0], [0, 1]]
}

def find [n] (p: *[n]i64) (x: i64): (*[n]i64, i64) =
  loop (p, x) = (p, x) while p[x] != x do let g = p[p[x]] in (p with [x] = g, g)

def sparse [n] (xs: [n]i32): [][n]i32 =
  let levels = 1 + i64.i32 (63 - i64.clz (i64.max 1 n))
  let t = replicate levels xs
  in loop t for k in 1..<levels do
       t
       with [k] =
         map
           (\i ->
              let j = i + (1 << (k - 1))
              in if j < n then i32.min t[k - 1, i] t[k - 1, j] else t[k - 1, i]) (iota n)

-- ==
-- entry: queries
-- input { [3i32, 1i32, 4i32, 1i32, 5i32] 1i64 4i64 }
-- output { 6i64 4i32 [[1i64, 6i64], [0i64, 1i64]] [[3i32, 1i32, 4i32, 1i32, 5i32], [1i32, 1i32, 1i32, 1i32, 5i32], [1i32,
--   1i32, 1i32, 1i32, 5i32]] }
-- input { [3i32] 0i64 1i64 } output { 3i64 3i32 [[1i64, 3i64], [0i64, 1i64]] [[3i32]] }
entry queries [n] (xs: [n]i32) (l: i64) (r: i64) =
  let f = loop t = replicate n 0 for i < n do fenwick.add t i (i64.i32 xs[i])
  let mats = map (\x -> [[1, i64.i32 x], [0, 1]]) xs
  in (fenwick.sum f r - fenwick.sum f l, st_max.query (st_max.build xs) l r,
      st_mat.query (st_mat.build mats) l r, sparse xs)

-- ==
-- entry: unions
-- input { 6i64 [0i64,2i64,3i64] [1i64,3i64,1i64] } output { [0i64, 0i64, 0i64, 0i64, 4i64, 5i64] }
entry unions [m] (n: i64) (us: [m]i64) (vs: [m]i64) =
  let p =
    loop p = iota n for (u, v) in zip us vs do
      let (p, a) = find p u
      let (p, b) = find p v
      in p with [i64.max a b] = i64.min a b
  in map (\i -> loop x = i while p[x] != x do p[x]) (iota n)
