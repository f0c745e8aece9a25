module type s = { type t val f: t -> t val mk: i64 -> t val un: t -> i64 }
module m0 = { type t = i64 def f (x: t): t = x + 1 def mk (x: i64): t = x def un (x: t): i64 = x }
module w (m: s) : s = { type t = (m.t, m.t) def f ((x, y): t): t = (m.f x, m.f y) def mk i = (m.mk i, m.mk (i + 1)) def un ((x, y): t) = m.un x + m.un y }
module m1 = w m0
module m2 = w m1
module m3 = w m2
module m4 = w m3
module m5 = w m4
module m6 = w m5
module m7 = w m6
module m8 = w m7
module m9 = w m8
entry main (x: i64) = m9.un (m9.f (m9.mk x))
