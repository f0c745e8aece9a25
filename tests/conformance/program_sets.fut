-- Sets as sorted arrays behind a size-lifted abstract type, over any ordered keys.
module type ord = { type t val <=: t -> t -> bool }

module set (K: ord): {
  type~ set
  val empty: () -> set
  val insert: K.t -> set -> set
  val member: K.t -> set -> bool
  val union: set -> set -> set
  val of [n]: [n]K.t -> set
  val elems: set -> []K.t
} = {
  type~ set = []K.t
  def (<=) = (K.<=)
  def eq a b = a <= b && b <= a
  def empty (): set = []
  def pos [n] (x: K.t) (xs: [n]K.t) = i64.sum (map (\y -> i64.bool (!(x <= y))) xs)
  def member x (s: set) = any (eq x) s

  def insert x (s: set): set =
    if member x s then s else let p = pos x s in take p s ++ [x] ++ drop p s

  def union (a: set) (b: set): set = loop a for x in b do insert x a
  def of [n] (xs: [n]K.t): set = loop s = empty () for x in xs do insert x s
  def elems (s: set) = s
}

module iset = set { type t = i32 def (<=) = (i32.<=) }

module pset = set {
  type t = (u8, f32)
  def ((a, x): t) <= ((b, y): t) = a < b || (a == b && x f32.<= y)
}

-- ==
-- entry: ints
-- input { [5,1,5,9,-2] [1,2,9] } output { [-2i32, 1i32, 5i32, 9i32] [-2i32, 1i32, 2i32, 5i32, 9i32] true }
-- input { empty([0]i32) [3] } output { empty([0]i32) [3i32] false }
entry ints [n] [m] (a: [n]i32) (b: [m]i32) =
  let s = iset.of a
  let t = iset.of b
  in (iset.elems s, iset.elems (iset.union s t), iset.member 9 s)

-- ==
-- entry: pairs
-- input { [2u8,1u8,2u8] [0.5f32, 3f32, -1f32] } output { [1u8, 1u8, 2u8, 2u8] [2.0f32, 3.0f32, -1.0f32, 0.5f32] }
entry pairs [n] (a: [n]u8) (x: [n]f32) =
  pset.of (zip a x) |> pset.insert (1, 2) |> pset.elems |> unzip
