-- Remainders by constants of sums: of what is a remainder already, at each type, also where sums wrap around.
-- ==
-- entry: bytes
-- input { 0i64 } output { 3u8 249u8 7u8 0u16 }
-- input { 1i64 } output { 8u8 3u8 4u8 2u16 }
-- input { 1000i64 } output { 3u8 243u8 15u8 380u16 }

-- ==
-- entry: signed
-- input { 0i64 } output { 1i8 -1i8 5i32 -5i32 }
-- input { 777i64 } output { 1i8 19i8 6i32 -6i32 }

-- ==
-- entry: wide
-- input { 0i64 5i64 } output { 5i64 0i64 1u64 2u32 }
-- input { 1000i64 5i64 } output { 2i64 5003i64 3u64 858366996u32 }
-- input { 1000i64 -5i64 } output { 3i64 4991i64 3u64 858366996u32 }

-- ==
-- entry: checksum
-- input { [1u8, 255u8, 0u8, 77u8, 200u8] } output { 90702358u32 }
-- input { empty([0]u8) } output { 1u32 }

-- ==
-- entry: branches
-- input { 1000i64 } output { 4i64 12000i32 }

-- ==
-- entry: rotations
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 3i64 } output { true }
-- input { 7i64 } output { true }
-- input { 70i64 } output { true }

-- A sum of at most 254, one that wraps around, a difference below 0, which does too.
entry bytes (n: i64) : (u8, u8, u8, u16) =
  loop (a, b, c, d) = (3u8, 249u8, 7u8, 0u16) for _i < n do
    ((a + 5) % 250, (b + 10) % 250, (c - 3) % 16, (d + u16.u8 a + 65000) % 65001)

-- Floors and truncations differ below 0.
entry signed (n: i64) : (i8, i8, i32, i32) =
  loop (a, b, c, d) = (1i8, -1i8, 5i32, -5i32) for i < n do
    ((a - 3) % 7, (b + 100) % 100, (c - i32.i64 (i % 9)) % 10, (d - 3) %% 10)

entry wide (n: i64) (k: i64) : (i64, i64, u64, u32) =
  loop (a, b, c, d) = (k, 0, 1u64, 2u32) for i < n do
    ((a + 3) % 11, (b + a) % 1000000007, (c + u64.i64 (i % 13)) % 14, u32.u64 ((u64.u32 d * 48271) % 2147483647))

entry checksum (s: []u8) : u32 =
  let (a, b) = loop (a, b) = (1u32, 0) for x in s do
    let a = (a + u32.u8 x) % 65521
    in (a, (b + a) % 65521)
  in (b << 16) | a

-- A state that is one of several remainders; one that is now and then something else.
entry branches (n: i64) : (i64, i32) =
  loop (a, b) = (0, 3i32) for i < n do
    (if i % 3 == 0 then (a + 4) % 5 else if i % 3 == 1 then a else (a + i) % 3,
     if i % 100 == 99 then b * 1000 else (b + 3) % 17)

-- By constants that may be larger than the array.
entry rotations (n: i64) : bool =
  let xs = map (\i -> i * 7 % 31) (iota n)
  let at c i = xs[((i + c) % n + n) % n]
  let same c ys = and (map2 (==) ys (map (at c) (iota n)))
  in same 2 (rotate 2 xs) && same (-2) (rotate (-2) xs) && same 3 (rotate 3 xs) && same (-5) (rotate (-5) xs) && same 64 (rotate 64 xs) &&
     same 1000000007 (rotate 1000000007 xs) && same (-1000000007) (rotate (-1000000007) xs)
