-- Arrays whose sizes change in loops: buffers doubled, stacks of rows, primes collected, strings built.
def push [n] (buf: [n]i32) (used: i64) (x: i32): []i32 =
  let buf = if used == n then buf ++ replicate (i64.max 1 n) 0 else buf
  in copy buf with [used] = x

-- ==
-- entry: buffers
-- input { 10i64 } output { 16i64 [0i32, 1i32, 4i32, 9i32, 16i32, 25i32, 36i32, 49i32, 64i32, 81i32] }
-- input { 0i64 } output { 0i64 empty([0]i32) }
entry buffers (n: i64) =
  let (buf, used) =
    loop (buf, used) = ([], 0) for i < n do (push buf used (i32.i64 (i * i)), used + 1)
  in (length buf, take used buf)

-- ==
-- entry: primes
-- input { 40i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64, 31i64, 37i64] }
entry primes (n: i64) =
  loop ps = [2] for c in 3..5...n do if all (\p -> c % p != 0) ps then ps ++ [c] else ps

-- ==
-- entry: rows
-- input { 4i64 } output { [[0i64, 0i64, 0i64], [1i64, 1i64, 1i64], [2i64, 4i64, 8i64], [3i64, 9i64, 27i64]] }
entry rows (n: i64) =
  loop rows = replicate 0 (replicate 3 0) for i < n do rows ++ [[i, i * i, i * i * i]]

-- ==
-- entry: fractal
-- input { 3i32 } output { [70u8, 43u8, 70u8, 43u8, 70u8, 43u8, 70u8, 43u8, 70u8, 43u8, 70u8, 43u8, 70u8, 43u8, 70u8] }
entry fractal (k: i32) =
  loop s = "F" for _i < k do
    flatten (map (\c -> if c == 'F' then "F+F" else [c, ' ', ' ']) s) |> filter (!= ' ')

-- ==
-- entry: shrink
-- input { [5i32, 3i32, 8i32, 1i32] } output { [1i32, 3i32, 5i32, 8i32] empty([0]i32) }
entry shrink [n] (xs: [n]i32) =
  loop (out, rest) = ([], xs) while length rest > 0 do
    let m = i32.minimum rest
    in (out ++ [m], filter (!= m) rest)
