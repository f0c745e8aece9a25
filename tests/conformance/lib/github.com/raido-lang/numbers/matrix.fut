open import "ring"
module m = import "../../raido-tools/util/fold"

module square (R: ring) = {
  type t [n] = [n][n]R.t

  def mul [n] (a: t [n]) (b: t [n]): t [n] =
    map (\r -> map (\c -> reduce (R.+) R.zero (map2 (R.*) r c)) (transpose b)) a

  def eye (n: i64): t [n] = tabulate_2d n n (\i j -> if i == j then R.one else R.zero)
  def pow [n] (k: i32) (a: t [n]): t [n] = m.times k (mul a) (eye n)
  def trace [n] (a: t [n]): R.t = reduce (R.+) R.zero (map (\i -> a[i, i]) (iota n))
}
