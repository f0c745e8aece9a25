-- Functions as data: records of functions, church numerals, composed pipelines, lenses, continuation passing.
type^ lens 's 'a = {get: s -> a, set: a -> s -> s}

def compose 's 'a 'b (f: lens s a) (g: lens a b): lens s b =
  {get = \s -> g.get (f.get s), set = \b (s: s) -> f.set (g.set b (f.get s)) s}

def modify 's 'a (l: lens s a) (f: a -> a) (s: s): s = l.set (f (l.get s)) s
type point = {x: i32, y: i32}
type shape = {centre: point, size: i32}

def centre: lens shape point =
  {get = \(s: shape) -> s.centre, set = \c (s: shape) -> s with centre = c}

def x_of: lens point i32 = {get = (.x), set = \v (p: point) -> p with x = v}
def two 'a (f: a -> a) = f >-> f
def add 'a (m: (a -> a) -> a -> a) (n: (a -> a) -> a -> a) (f: a -> a) = m f >-> n f
def cps_sum [n] (xs: [n]i32) (k: i32 -> i32): i32 = k (i32.sum xs)
def pipeline = (+ 1) >-> (* 2) >-> two (i32.max 3) >-> \x -> x - 1
type^ monoid 'a = {op: a -> a -> a, ne: a}

def both 'a 'b (m: monoid a) (n: monoid b): monoid (a, b) =
  {op = \(a, b) (c, d) -> (m.op a c, n.op b d), ne = (m.ne, n.ne)}

def fold [n] 'a (m: monoid a) (xs: [n]a): a = reduce m.op m.ne xs

-- ==
-- entry: run
-- input { [1i32, 5i32, 3i32] } output { 13i32 9i32 16i32 90i32 [3i32, 11i32, 7i32] 9i32 5i32 false }
entry run [n] (xs: [n]i32) =
  let s = {centre = {x = 4, y = 5}, size = 9}
  let s = modify (compose centre x_of) (+ i32.sum xs) s
  let four f = add two two f
  let m = both {op = (+), ne = 0} (both {op = i32.max, ne = i32.lowest} {op = (&&), ne = true})
  let (a, (b, c)) = fold m (map (\x -> (x, (x, x > 1))) xs)
  in (s.centre.x, s.size, four (* 2) 1i32, cps_sum xs (\t -> cps_sum (map (* t) xs) (+ t)),
      map pipeline xs, a, b, c)
