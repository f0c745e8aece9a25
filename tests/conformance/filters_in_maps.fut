-- Filters in maps, whose rows keep different numbers, and in loops, whose array becomes shorter. On devices such a row has no place.

def numbers (n: i64): [n]i64 = opaque (tabulate n (\i -> (i * 7919 + 13) % 101))

-- ==
-- entry: inside
-- input { 6i64 40i64 } output { true 5i64 }
entry inside (n: i64) (m: i64): (bool, i64) =
  let sums = tabulate n (\i -> let r = map (\x -> (x * (i + 3)) % 17) (numbers m)
                               let (us, vs) = partition (> 8) r
                               in (i64.sum (filter (> 8) r) + length vs, i64.sum us + m - length us))
  let (rounds, _) = loop (c, xs) = (0, iota m) while length xs > 1 do (c + 1, filter (\x -> x % 2 ** (c + 1) == 0) xs)
  in (all (\(x, y) -> x == y) sums, rounds - 1)

-- ==
-- entry: to_none
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64]] [0i64, 1i64, 2i64] } output { [14i64, 0i64, 0i64] }
entry to_none [n] [k] (rows: [n][k]i64) (steps: [n]i64): [n]i64 =
  map2 (\row s -> let a = loop y = filter (> 0) row for _i < s do filter (const false) y
                  in i64.sum (map2 (\i x -> (i + 1) * x) (indices a) a)) rows steps
