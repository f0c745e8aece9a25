-- What a module type takes from one that is not known is not missed.
module type ring = { type t val + : t -> t -> t }
module type both = { include rung with t = f64 val scale : f64 -> t -> t }
module plane: both = { type t = (f64, f64) def scale (k: f64) (a: t) = (k * a.0, k * a.1) }
def far (a: (f64, f64)) = plane.(scale 2 a + zero)
module sums (B: both) = { def sum [n] (xs: [n]B.t) = reduce (B.+) B.zero xs }
module both_sums = sums plane
def total = both_sums.sum [(1, 2)] == (1, 2)
-- expect
-- Error at B03_included.fut:3:30-34:
-- Unknown module type "rung" [B03]
--  3 | module type both = { include rung with t = f64 val scale : f64 -> t -> t }
--    |                              ^^^^
-- help: did you mean `ring`?
