type t = #c0 i64 | #c1 i64
def f (x: t): i64 = match x
  case #c0 v -> v + 0
  case #c1 v -> v + 1
def mk (i: i64): t = if i == 0 then #c0 i else #c1 i
entry main (n: i64) = i64.sum (map (\i -> f (mk i)) (iota n))
