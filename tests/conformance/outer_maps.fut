-- Maps with enough points for a device to run their bodies sequentially, and the same programs with few points.

def mean_free [m] (row: [m]i64): [m]i64 =
  let total = i64.sum row
  let spread = total * total % 1013
  in map (\x -> x * i64.i32 (i32.i64 m) - spread) row

-- ==
-- entry: rows
-- input { 4i64 9i64 } output { -18999i64 }
-- input { 65536i64 8i64 } output { -279396128i64 }
entry rows (n: i64) (m: i64): i64 =
  tabulate_2d n m (\i j -> (i * 7 + j * j) % 11) |> map mean_free |> map i64.sum |> i64.sum

-- ==
-- entry: steps
-- input { 3i64 8i64 } output { 2018i64 }
-- input { 65536i64 8i64 } output { 49361748i64 }
entry steps (n: i64) (m: i64): i64 =
  tabulate_2d n m (\i j -> (i + j) % 5)
  |> map (\row ->
            let row = loop row = copy row for k < 2 do
                        let s = scan (+) 0 row
                        let top = reduce i64.max i64.lowest s
                        in map2 (\a b -> (a + b + top + k) % 17) row s
            in i64.sum (map (\x -> x * x) row))
  |> i64.sum
