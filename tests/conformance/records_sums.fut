-- Tuples, records, sums, patterns and match.
type point = {x: f64, y: f64}
def add (p: point) (q: point): point = {x = p.x + q.x, y = p.y + q.y}
-- ==
-- entry: records
-- input { 1.0 2.0 } output { 4.0 6.0 }
entry records (x: f64) (y: f64) = let r = add {x, y} {y = 4.0, x = 3.0} in (r.x, r.y)

-- ==
-- entry: patterns
-- input { 1i32 2i32 3i32 } output { 3i32 2i32 1i32 }
entry patterns (a: i32) (b: i32) (c: i32) =
  let (p, (q, _)) = (a, (b, 0))
  let {u = {v}} = {u = {v = c}}
  in (v, q, p)

type shape = #circle f64 | #rectangle f64 f64 | #nothing
def area (s: shape): f64 =
  match s
  case #circle r -> 3 * r * r
  case #rectangle w h -> w * h
  case #nothing -> 0
-- ==
-- entry: sums
-- input { 2.0 3.0 } output { 12.0 6.0 0.0 }
entry sums (a: f64) (b: f64) = (area (#circle a), area (#rectangle a b), area #nothing)

def choose (k: i32): shape =
  if k == 0 then #circle 1 else if k == 1 then #rectangle 2 5 else #nothing
-- ==
-- entry: array_of_sums
-- input { [0i32,1i32,2i32] } output { [3.0,10.0,0.0] 13.0 }
entry array_of_sums (ks: []i32) =
  let shapes = map choose ks
  in (map area shapes, f64.sum (map area shapes))

-- ==
-- entry: numbers
-- input { 0i32 true } output { 10i32 }
-- input { 5i32 true } output { 20i32 }
-- input { 5i32 false } output { 30i32 }
-- input { -1i32 false } output { 40i32 }
entry numbers (x: i32) (b: bool) =
  match (x, b)
  case (0, _) -> 10
  case (-1, _) -> 40
  case (_, true) -> 20
  case _ -> 30

type list = #one [2]i32 | #two ([2]i32) i64
-- ==
-- entry: arrays_inside
-- input { 1i32 true } output { [1i32, 2i32] 0i64 }
-- input { 1i32 false } output { [2i32, 1i32] 7i64 }
entry arrays_inside (x: i32) (b: bool): ([2]i32, i64) =
  let l: list = if b then #one [x, x + 1] else #two [x + 1, x] 7
  in match l case #one a -> (a, 0) case #two a n -> (a, n)

type maybe 'a = #none | #some a
def from_maybe 'a (d: a) (m: maybe a): a = match m case #none -> d case #some x -> x
-- ==
-- entry: polymorphic
-- input { 3i32 } output { 3i32 7i32 2.5 }
entry polymorphic (x: i32) =
  (from_maybe 7 (#some x), from_maybe 7 (#none: maybe i32), from_maybe 0 (#some 2.5: maybe f64))

-- ==
-- entry: equality
-- input { 1i32 } output { true false true false }
entry equality (x: i32) =
  ((x, true) == (1, true), {a = x, b = 2} == {a = x, b = 3}, choose 1 == choose 1, choose 0 == choose 2)

-- ==
-- entry: nested_tuple
-- input { 1i32 } output { 1i32 2i32 3i32 }
entry nested_tuple (x: i32) = let (a, (b, c)) = (x, (x + 1, x + 2)) in (a, b, c)
