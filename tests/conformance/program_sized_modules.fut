-- Module types with abstract types that have a size and an element; code over any of them.
module type vector = {
  type vec [n] 'a
  val from [n] 'a: [n]a -> vec [n] a
  val to [n] 'a: vec [n] a -> [n]a
  val vmap [n] 'a 'b: (a -> b) -> vec [n] a -> vec [n] b
  val vzip [n] 'a 'b: vec [n] a -> vec [n] b -> vec [n] (a, b)
  val len [n] 'a: vec [n] a -> i64
}

module plain: vector = {
  type vec [n] 'a = [n]a
  def from xs = xs
  def to xs = xs
  def vmap f xs = map f xs
  def vzip xs ys = zip xs ys
  def len [n] 'a (_: [n]a) = n
}

module reversed: vector = {
  type vec [n] 'a = {data: [n]a}
  def from [n] 'a (xs: [n]a): vec [n] a = {data = reverse xs}
  def to 'a [n] (v: vec [n] a): [n]a = reverse v.data
  def vmap 'a 'b [n] (f: a -> b) (v: vec [n] a): vec [n] b = {data = map f v.data}
  def vzip 'a 'b [n] (v: vec [n] a) (w: vec [n] b): vec [n] (a, b) = {data = zip v.data w.data}
  def len [n] 'a (_: vec [n] a) = n
}

module ops (V: vector) = {
  def dot [n] (a: V.vec [n] f32) (b: V.vec [n] f32) =
    f32.sum (V.to (V.vmap (\(x, y) -> x * y) (V.vzip a b)))

  def first [n] 'a (v: V.vec [n] a) = (V.to v)[0]
}

module po = ops plain
module ro = ops reversed

-- ==
-- entry: use
-- input { [1f32, 2f32, 3f32] [4f32, 5f32, 6f32] }
-- output { 32.0f32 32.0f32 4.0f32 3i64 [[2.0f32, 3.0f32, 4.0f32], [5.0f32, 6.0f32, 7.0f32]] }
entry use [n] (xs: [n]f32) (ys: [n]f32) =
  (po.dot (plain.from xs) (plain.from ys), ro.dot (reversed.from xs) (reversed.from ys),
   ro.first (reversed.from ys), plain.len (plain.from xs),
   map (\r -> reversed.to (reversed.vmap (+ 1) (reversed.from r))) [xs, ys])
