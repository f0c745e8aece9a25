-- Open addressing on an array of sums, linear probing by a while loop, deletion by tombstones, a Bloom filter.
type slot = #free | #dead | #full {k: u32, v: i32}
def hash (k: u32): u32 = (k * 2654435761) ^ (k >> 7)

def place [n] (t: [n]slot) (k: u32): i64 =
  let start = i64.u32 (hash k) % n
  in (loop (i, left) = (start, n) while left > 0
                                        && (match t[i]
                                            case #free -> false
                                            case #dead -> true
                                            case #full f -> f.k != k) do
        ((i + 1) % n, left - 1)).0

def put [n] (t: *[n]slot) (k: u32) (v: i32): *[n]slot =
  let i = place t k in t with [i] = #full {k, v}

def get [n] (t: [n]slot) (k: u32): #some i32 | #none =
  match t[place t k] case #full {k = j, v} -> if j == k then #some v else #none case _ -> #none

def delete [n] (t: *[n]slot) (k: u32): *[n]slot =
  let i = place t k
  in match t[i] case #full f -> if f.k == k then t with [i] = #dead else t case _ -> t

-- ==
-- entry: table
-- input { 8i64 [5u32, 13u32, 5u32, 21u32] [1i32, 2i32, 3i32, 4i32] [13u32] [5u32, 13u32, 21u32, 99u32] }
-- output { [3i32, -1i32, 4i32, -1i32] [0u8, 0u8, 0u8, 0u8, 0u8, 2u8, 1u8, 2u8] }
entry table [a] [b] [c] (n: i64) (ks: [a]u32) (vs: [a]i32) (dels: [b]u32) (qs: [c]u32) =
  let t = loop t = replicate n (#free : slot) for (k, v) in zip ks vs do put t k v
  let t = loop t for d in dels do delete t d
  in (map (\q -> match get t q case #some v -> v case #none -> -1) qs,
      map (\s -> match s case #free -> 0u8 case #dead -> 1 case #full _ -> 2) t)

def bloom [n] (m: i64) (ks: [n]u32): [m]bool =
  scatter (replicate m false)
    (map (\k -> i64.u32 (hash k) % m) ks ++ map (\k -> i64.u32 (hash (k ^ 0x5bd1e995)) % m) ks)
    (replicate (n + n) true)

-- ==
-- entry: filters
-- input { 16i64 [1u32, 2u32] [1u32, 2u32, 3u32] }
-- output { [0i8, 1i8, 1i8, 0i8, 1i8, 0i8, 0i8, 1i8, 0i8, 0i8, 0i8, 0i8, 0i8, 0i8, 0i8, 0i8] [true, true, false] }
entry filters [n] [q] (m: i64) (ks: [n]u32) (qs: [q]u32) =
  let f = bloom m ks
  in (map i8.bool f,
      map (\k -> f[i64.u32 (hash k) % m] && f[i64.u32 (hash (k ^ 0x5bd1e995)) % m]) qs)
