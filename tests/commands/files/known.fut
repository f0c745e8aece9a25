import "sub/y"
-- | doc
def z = 1i32
module m = { def q = 2i32 type t = i32 }
module type mt = { val k: i32 }
module f (X: mt) = { def k2 = X.k type u = bool }
open m
type r = {a: i32}
entry main (x: i32) (ys: []i32) =
  let w = x + z
  let g a = a + w
  in g y + q + i32.sum (map (\l -> l + w) ys)
