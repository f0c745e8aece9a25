-- Loops over single elements: one kernel each, nothing is read but the scalar that comes out.
-- run: recurrence < [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
-- run: search < [1i64, 3i64, 5i64, 7i64, 9i64, 11i64, 13i64, 15i64] 11i64
entry recurrence [n] (xs: *[n]f64) = loop xs for i < n - 1 do xs with [i + 1] = xs[i] * 2 + xs[i + 1]
entry search [n] (xs: [n]i64) (x: i64): i64 =
  let (low, _) = loop (low, high) = (0, n) while low < high do
    let m = (low + high) / 2
    in if xs[m] < x then (m + 1, high) else (low, m)
  in low
-- Accesses one after the other are one kernel, too.
-- run: swapped < [1.0, 2.0, 3.0] 0i64 2i64
entry swapped [n] (a: *[n]f64) (i: i64) (j: i64) =
  let (x, y) = (a[i], a[j])
  in (a with [i] = y) with [j] = x
