-- Boruvka's spanning tree, topological layers, PageRank, strongly connected pairs by closure.
def closure [n] (a: [n][n]bool): [n][n]bool =
  loop a for k < n do map (\r -> map2 (\x y -> x || (r[k] && y)) r a[k]) a

def layers [n] (a: [n][n]bool): [n]i32 =
  let (l, _) =
    loop (l, changed) = (replicate n 0i32, true) while changed do
      let l' =
        map
          (\v ->
             reduce i32.max 0 (map2 (\u e -> if e then l[u] + 1 else 0) (iota n) (transpose a)[v]))
          (iota n)
      in (l', or (map2 (!=) l l') && i32.maximum l' < i32.i64 n + 1)
  in l

def boruvka [n] [m] (_: [n]()) (us: [m]i64) (vs: [m]i64) (ws: [m]i32): (i32, i64) =
  let (_, total, count, _) =
    loop (comp, total, count, go) = (iota n, 0i32, 0i64, true) while go do
      let better (a: (i32, i64)) (b: (i32, i64)) =
        if a.0 < b.0 || (a.0 == b.0 && a.1 < b.1) then a else b
      let cu = map (\u -> comp[u]) us
      let cv = map (\v -> comp[v]) vs
      let cand = map4 (\a b w i -> if a == b then (i32.highest, i) else (w, i)) cu cv ws (iota m)
      let none = (i32.highest, i64.highest)
      let best = reduce_by_index (replicate n none) better none (cu ++ cv) (cand ++ cand)
      let pick = filter (\i -> let (w, e) = best[i] in w < i32.highest && e < m) (iota n)
      let edges = map (\i -> best[i].1) pick
      let unique = map (.0) (filter (.1) (map (\e -> (e, true)) edges))
      let first = reduce_by_index (replicate m m) i64.min m unique (indices unique)
      let used = map2 (\i e -> first[e] == i) (indices unique) unique
      let gain = reduce (+) 0 (map2 (\e u -> if u then ws[e] else 0) unique used)
      let k = i64.sum (map i64.bool used)
      let comp' =
        loop c = comp for e in unique do
          let (a, b) = (c[us[e]], c[vs[e]])
          in map (\x -> if x == i64.max a b then i64.min a b else x) c
      in (comp', total + gain, count + k, k > 0)
  in (total, count)

def pagerank [n] (k: i32) (a: [n][n]bool): [n]f64 =
  let out = map (map f64.bool >-> f64.sum) a
  let at = transpose a
  in iterate k
       (\r ->
          map
            (\row ->
               0.15 / f64.i64 n
               + 0.85 * f64.sum (map3 (\e x o -> if e then x / o else 0) row r out)) at)
       (replicate n (1 / f64.i64 n))

-- ==
-- entry: dag
-- input { [[false,true,true,false],[false,false,false,true],[false,false,false,true],[false,false,false,false]] }
-- output { [[false, true, true, true], [false, false, false, true], [false, false, false, true], [false, false, false,
--   false]] [0i32, 1i32, 1i32, 2i32] [0.0375f64, 0.0534375f64, 0.0534375f64, 0.12834375f64] }
entry dag [n] (a: [n][n]bool) = (closure a, layers a, pagerank 20 a)
-- ==
-- entry: mst
-- input { 5i64 [0i64,0i64,1i64,1i64,2i64,3i64] [1i64,2i64,2i64,3i64,3i64,4i64] [4i32,1i32,2i32,5i32,8i32,3i32] }
-- output { 11i32 4i64 }
entry mst [m] (n: i64) (us: [m]i64) (vs: [m]i64) (ws: [m]i32) = boruvka (replicate n ()) us vs ws
