module m0 = { type t = i64 def f (x: t): t = x + 1 }
module m1 = { open m0 def g1 (x: t): t = f x + 1 }
entry main (x: i64) = m1.f x
