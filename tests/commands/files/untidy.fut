def f [n] 't (a: [n]t) (g: t -> t): [n]t =
  let y = map (\x -> let z = g x
    in z) a
  let (q, r) = loop (q,r) = (1,2) for i < 10 do
    (q+1, r+2)
  let rr = match q
   case 1 -> 2
   case _ -> 3
  in y |> map g |>
    map id
type r = {a: i32,
  b: i64}
module m = { type t = i32
  def x = 1 }
module n = functor first
   { type t = i32
     def x = 1 }

def k = {a = 1,
b=2}
def l = [1,2,
 3]
def s = 0..1...5
