-- A binary heap in an array with a capacity, used by Dijkstra on a dense graph.
type item = {key: i32, node: i64}
type~ heap = ?[c].{items: [c]item, used: i64}
def empty (c: i64): *heap = {items = replicate c {key = i32.highest, node = -1}, used = 0}

def insert (h: *heap) (x: item): *heap =
  let {items, used} = h
  let (items, i) =
    loop (items, i) = (items, used) while i > 0 && items[(i - 1) / 2].key > x.key do
      let up = items[(i - 1) / 2]
      let items[i] = up
      in (items, (i - 1) / 2)
  let items[i] = x
  in {items, used = used + 1}

def pop (h: *heap): (*heap, item) =
  let {items, used} = h
  let least = items[0]
  let x = items[used - 1]
  let n = used - 1
  let (items, i, _) =
    loop (items, i, go) = (items, 0, true) while go && 2 * i + 1 < n do
      let c = 2 * i + 1
      let c = if c + 1 < n && items[c + 1].key < items[c].key then c + 1 else c
      in if items[c].key < x.key
         then let y = items[c] let items[i] = y in (items, c, true)
         else (items, i, false)
  let items[i] = x
  in ({items, used = n}, least)

-- ==
-- entry: heap_sort
-- input { [5,3,9,-1,3,7,0] } output { [-1i32, 0i32, 3i32, 3i32, 5i32, 7i32, 9i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
entry heap_sort [n] (xs: [n]i32): [n]i32 =
  let h = loop h = empty n for i < n do insert h {key = xs[i], node = i}
  in (loop (h, out) = (h, replicate n 0) for i < n do
        let (h, x) = pop h
        in (h, out with [i] = x.key)).1

-- ==
-- entry: dijkstra
-- input { [[0,4,1,-1],[-1,0,-1,1],[-1,2,0,5],[-1,-1,-1,0]] 0i64 } output { [0i32, 3i32, 1i32, 4i32] }
entry dijkstra [n] (w: [n][n]i32) (s: i64): [n]i32 =
  let (_, dist) =
    loop (h, dist) = (insert (empty (n * n)) {key = 0, node = s}, replicate n i32.highest)
    while h.used > 0 do
      let (h, {key, node}) = pop h
      in if dist[node] <= key
         then (h, dist)
         else let dist[node] = key
              in loop (h, dist) for v < n do
                   if w[node, v] >= 0 && dist[v] == i32.highest
                   then (insert h {key = key + w[node, v], node = v}, dist)
                   else (h, dist)
  in dist
