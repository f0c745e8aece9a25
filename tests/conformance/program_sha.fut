-- A SHA-256 of short messages: constants, message schedule, padding; unsigned wrap-around.
def rotr (x: u32) (k: u32) = (x >> k) | (x << (32 - k))

def primes: [64]u32 =
  let (ps, _, _) =
    loop (ps, n, c) = (replicate 64 0u32, 0, 2u32) while n < 64 do
      if all (\i -> i >= n || c % u32.max 1 ps[i] != 0) (iota 64)
      then (ps with [n] = c, n + 1, c + 1)
      else (ps, n, c + 1)
  in ps

def frac_root (third: bool) (p: u32): u32 =
  let x = if third then f64.cbrt (f64.u32 p) else f64.sqrt (f64.u32 p)
  in u32.f64 ((x - f64.floor x) * 4294967296)

def k256 = map (frac_root true) primes
def h256: [8]u32 = map (frac_root false) (take 8 primes)

def compress (h: [8]u32) (block: [16]u32): [8]u32 =
  let w =
    loop w = block ++ replicate 48 0 :> [64]u32 for i in 16..<64 do
      let s0 = rotr w[i - 15] 7 ^ rotr w[i - 15] 18 ^ (w[i - 15] >> 3)
      let s1 = rotr w[i - 2] 17 ^ rotr w[i - 2] 19 ^ (w[i - 2] >> 10)
      in w with [i] = w[i - 16] + s0 + w[i - 7] + s1
  let (a, b, c, d, e, f, g, hh) =
    loop (a, b, c, d, e, f, g, hh) = (h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7])
    for i < 64i64 do
      let s1 = rotr e 6 ^ rotr e 11 ^ rotr e 25
      let ch = (e & f) ^ (!e & g)
      let t1 = hh + s1 + ch + k256[i] + w[i]
      let s0 = rotr a 2 ^ rotr a 13 ^ rotr a 22
      let maj = (a & b) ^ (a & c) ^ (b & c)
      in (t1 + s0 + maj, a, b, c, d + t1, e, f, g)
  in map2 (+) h [a, b, c, d, e, f, g, hh]

def sha256 [n] (msg: [n]u8): [8]u32 =
  let blocks = (n + 9 + 63) / 64
  let bytes = tabulate (blocks * 64) (\i ->
                                        if i < n
                                        then msg[i]
                                        else if i == n
                                        then 0x80
                                        else if i >= blocks * 64 - 8
                                        then u8.i64 (n * 8 >> ((blocks * 64 - 1 - i) * 8))
                                        else 0)
  let words =
    map (\b: u32 -> u32.u8 b[0] << 24 | u32.u8 b[1] << 16 | u32.u8 b[2] << 8 | u32.u8 b[3])
      (unflatten (bytes :> [(blocks * 16) * 4]u8))
  in foldl compress (copy h256) (unflatten words :> [blocks][16]u32)

-- ==
-- entry: digest
-- input { [97u8, 98u8, 99u8] }
-- output { [3128432319u32, 2399260650u32, 1094795486u32, 1571693091u32, 2953011619u32, 2518121116u32, 3021012833u32,
--   4060091821u32] }
-- input { empty([0]u8) }
-- output { [3820012610u32, 2566659092u32, 2600203464u32, 2574235940u32, 665731556u32, 1687917388u32, 2761267483u32,
--   2018687061u32] }
entry digest (msg: []u8) = sha256 msg
-- ==
-- entry: longer
-- input { 100i64 }
-- output { [3168841713u32, 2633345642u32, 1953080077u32, 1641041475u32, 1994701814u32, 940593902u32, 2659136402u32,
--   1553288530u32] }
entry longer (n: i64) = sha256 (map u8.i64 (iota n))
