-- Sorting networks over a module of keys, components, breadth-first search, run lengths, base 64, carries by a scan of constructors.
module type key = { type t val <=: t -> t -> bool val hi: t }

module bitonic (K: key) = {
  local def swap [n] (xs: [n]K.t) (d: i64) (k: i64) = tabulate n (\i ->
                                                                    let j = i ^ d
                                                                    let (a, b) = (xs[i], xs[j])
                                                                    let up = (i & k) == 0
                                                                    in if (i < j) == up
                                                                       then
                                                                         (if a K.<= b then a else b)
                                                                       else
                                                                         (if a K.<= b
                                                                          then b
                                                                          else a))

  def sort [n] (xs: [n]K.t): [n]K.t =
    let m = loop m = 1 while m < n do m * 2
    let p = (xs ++ replicate (m - n) K.hi) :> [m]K.t
    let p =
      loop p for s in map (2 **) (1 ..< i64.i32 (64 - i64.clz m)) do
        (loop (p, d) = (p, s / 2) while d > 0 do (swap p d s, d / 2)).0
    in take n p
}

module s32 = bitonic { type t = i32 def (<=) (a: i32) (b: i32) = a i32.<= b def hi = i32.highest }

module sp = bitonic {
  type t = (u8, f32)
  def (<=) (a: u8, x: f32) (b: u8, y: f32) = a < b || (a == b && x f32.<= y)
  def hi = (u8.highest, f32.inf)
}

-- ==
-- entry: sorts
-- input { [5i32, 3, -1, 9, 0, 7, 3] }
-- output { [-1i32, 0i32, 3i32, 3i32, 5i32, 7i32, 9i32] [0u8, 1u8, 1u8, 3u8, 3u8, 3u8, 3u8] [0.0f32, 5.0f32, 9.0f32, -1.0f32, 3.0f32, 3.0f32, 7.0f32] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]u8) empty([0]f32) }
-- input { [2147483647i32] }
-- output { [2147483647i32] [3u8] [2147483648.0f32] }
entry sorts [n] (xs: [n]i32) =
  let (a, b) = unzip (sp.sort (map (\x -> (u8.i32 (x % 4), f32.i32 x)) xs)) in (s32.sort xs, a, b)

def components [m] (n: i64) (es: [m](i64, i64)): [n]i64 =
  let (l, _) =
    loop (l, go) = (iota n, true) while go do
      let cand = map (\(a, b) -> i64.min l[a] l[b]) es
      let l' = reduce_by_index (copy l) i64.min i64.highest (map (.0) es) cand
      let l' = reduce_by_index l' i64.min i64.highest (map (.1) es) cand
      let l' = map (\i -> l'[i]) l'
      in (l', or (map2 (!=) l l'))
  in l

-- ==
-- entry: comps
-- input { 7i64 [0i64, 2i64, 5i64] [1i64, 3i64, 3i64] }
-- output { [0i64, 0i64, 2i64, 2i64, 4i64, 2i64, 6i64] }
entry comps [m] (n: i64) (a: [m]i64) (b: [m]i64) = components n (zip a b)

def bfs [n][m] (off: [n]i64) (dst: [m]i64) (src: i64): [n]i32 =
  let end i = if i == n - 1 then m else off[i + 1]
  let (d, _, _) =
    loop (d, front, k) = (replicate n (-1) with [src] = 0, [src], 1i32) while length front > 0 do
      let next = flatten
                   (map
                      (\v ->
                         map (\j -> if off[v] + j < end v then dst[off[v] + j] else -1) (iota m))
                      front)
                 |> filter (>= 0)
                 |> filter (\u -> d[u] == -1)
      let d = scatter d (copy next) (map (const k) next)
      in (d, filter (\u -> d[u] == k) (iota n), k + 1)
  in d

-- ==
-- entry: levels
-- input { [0i64, 2i64, 3i64, 5i64, 5i64] [1i64, 2i64, 3i64, 3i64, 0i64] 0i64 }
-- output { [0i32, 1i32, 1i32, 2i32, -1i32] }
entry levels [n][m] (off: [n]i64) (dst: [m]i64) (s: i64) = bfs off dst s
def init' [n] (xs: [n]i64) = if n == 0 then [] else xs[:n - 1]

def rle [n] (s: [n]u8): [](u8, i64) =
  let starts = filter (\i -> i == 0 || s[i] != s[i - 1]) (iota n)
  let k = length starts
  in map2 (\i b -> (s[b], (if i + 1 == k then n else starts[i + 1]) - b)) (indices starts) starts

def unrle [n] (xs: [n](u8, i64)): []u8 =
  let ends = scan (+) 0 (map (.1) xs)
  let total = if n == 0 then 0 else last ends
  let flags =
    reduce_by_index (replicate total 0) (+) 0
      (map (\i -> if i == n - 1 then -1 else ends[i]) (iota n)) (replicate n 1)
  let idx = scan (+) 0 flags
  in map (\i -> xs[i].0) idx

-- ==
-- entry: rles
-- input { [1u8, 1, 1, 2, 3, 3, 1] }
-- output { [1u8, 2u8, 3u8, 1u8] [3i64, 1i64, 2i64, 1i64] [1u8, 1u8, 1u8, 2u8, 3u8, 3u8, 1u8] true }
-- input { empty([0]u8) }
-- output { empty([0]u8) empty([0]i64) empty([0]u8) true }
entry rles [n] (s: [n]u8) =
  let r = rle s in ((unzip r).0, (unzip r).1, unrle r, all id (map2 (==) (unrle r :> [n]u8) s))

def alphabet: []u8 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

def base64 [n] (s: [n]u8): []u8 =
  let groups = (n + 2) / 3
  in flatten (tabulate groups (\g ->
                                 let at k = if 3 * g + k < n then u32.u8 s[3 * g + k] else 0
                                 let v = (at 0 << 16) | (at 1 << 8) | at 2
                                 in tabulate 4
                                      (\k ->
                                         if 3 * g + k > n
                                         then '='
                                         else
                                           alphabet[i64.u32 ((v >> u32.i64 (18 - 6 * k)) & 0x3f)])))

-- ==
-- entry: b64
-- input { [77u8, 97, 110, 255] }
-- output { [84u8, 87u8, 70u8, 117u8, 47u8, 119u8, 61u8, 61u8] }
-- input { empty([0]u8) }
-- output { empty([0]u8) }
entry b64 [n] (s: [n]u8) = base64 s

def find_all [n][m] (pat: [m]u8) (s: [n]u8): []i64 =
  filter (\i -> i + m <= n && and (map2 (==) (s[i:i + m] :> [m]u8) pat)) (iota n)

-- ==
-- entry: finds
-- input { [1u8, 2] [1u8, 2, 1, 1, 2, 1] }
-- output { [0i64, 3i64] }
-- input { empty([0]u8) [1u8, 2] }
-- output { [0i64, 1i64] }
entry finds [n][m] (p: [m]u8) (s: [n]u8) = find_all p s
-- big numbers: carry look-ahead by a scan of #kill | #gen | #prop
type carry = #kill | #gen | #prop
def cop (a: carry) (b: carry): carry = match b case #prop -> a case x -> x

def add [n] (a: [n]u8) (b: [n]u8): [n]u8 =
  let s = map2 (\x y -> u16.u8 x + u16.u8 y) a b
  let c = scan cop #prop (map (\x -> if x > 255 then #gen else if x == 255 then #prop else #kill) s)
  in map2 (\i x -> u8.u16 x + u8.bool (i > 0 && c[i - 1] == #gen)) (iota n) s

-- ==
-- entry: adds
-- input { [255u8, 255, 0, 1] [1u8, 0, 255, 254] }
-- output { [0u8, 0u8, 0u8, 0u8] }
entry adds [n] (a: [n]u8) (b: [n]u8) = add a b
-- ==
-- entry: grow
-- input { 5i64 }
-- output { [1i64] }
entry grow (n: i64) = loop xs = [1] for i < n do xs ++ filter (\x -> x % 2 == i % 2) (map (+ i) xs)
