-- Single-source shortest paths: edges relaxed all at once until nothing changes.
module type weight = {
  type t
  val inf: t
  val zero: t
  val add: t -> t -> t
  val less: t -> t -> bool
}

module shortest (W: weight) = {
  type edge = {src: i64, dst: i64, w: W.t}
  def min (a: W.t) (b: W.t) = if W.less a b then a else b

  def run [m] (n: i64) (es: [m]edge) (s: i64): ([n]W.t, i32) =
    let start = replicate n W.inf with [s] = W.zero
    let (d, _, rounds) =
      loop (d, go, k) = (start, true, 0i32) while go && i64.i32 k <= n do
        let cand = map (\(e: edge) -> W.add d[e.src] e.w) es
        let d' = reduce_by_index (copy d) min W.inf (map (.dst) es) cand
        in (d', any id (map2 W.less d' d), k + 1)
    in (d, rounds)
}

module plus_f = shortest {
  type t = f64
  def inf = f64.inf
  def zero = 0f64
  def add = (+) : f64 -> f64 -> f64
  def less (a: f64) b = a < b
}

module bottleneck = shortest {
  type t = i32
  def inf = i32.highest
  def zero = i32.lowest
  def add = i32.max
  def less = (i32.<)
}

def edges [m] 'w (ss: [m]i64) (ds: [m]i64) (ws: [m]w) = map3 (\src dst w -> {src, dst, w}) ss ds ws

-- ==
-- entry: go
-- input { 5i64 [0i64,0i64,1i64,2i64,3i64,1i64] [1i64,2i64,2i64,3i64,1i64,3i64] [4f64,1f64,2f64,3f64,-1f64,8f64] 0i64 }
-- output { [0.0f64, 3.0f64, 1.0f64, 4.0f64, f64.inf] 4i32 }
-- input { 1i64 empty([0]i64) empty([0]i64) empty([0]f64) 0i64 } output { [0.0f64] 1i32 }
entry go [m] (n: i64) (ss: [m]i64) (ds: [m]i64) (ws: [m]f64) (s: i64) =
  plus_f.run n (edges ss ds ws) s

-- ==
-- entry: narrow
-- input { 5i64 [0i64,0i64,1i64,2i64,3i64,1i64] [1i64,2i64,2i64,3i64,1i64,3i64] [4,1,2,3,-1,8] 0i64 }
-- output { [-2147483648i32, 3i32, 1i32, 3i32, 2147483647i32] 4i32 }
entry narrow [m] (n: i64) (ss: [m]i64) (ds: [m]i64) (ws: [m]i32) (s: i64) =
  bottleneck.run n (edges ss ds ws) s
