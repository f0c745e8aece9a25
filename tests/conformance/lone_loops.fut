-- Loops that read and write single elements: on a device each is a kernel of one thread.

-- ==
-- entry: recurrence
-- input { [1f64, 2f64, 3f64, 4f64] } output { [1f64, 2f64, 5f64, 12f64] }
-- input { empty([0]f64) } output { empty([0]f64) }
-- input { [5f64] } output { [5f64] }
entry recurrence [n] (xs: [n]f64) = loop a = copy xs for i < n - 1 do a with [i + 1] = a[i] * 2 + xs[i] - xs[0]

-- Scalars come out of it, too.
-- ==
-- entry: search
-- input { [1i64, 3i64, 5i64, 7i64] 5i64 } output { 2i64 }
-- input { [1i64, 3i64, 5i64, 7i64] 8i64 } output { 4i64 }
-- input { empty([0]i64) 8i64 } output { 0i64 }
entry search [n] (xs: [n]i64) (x: i64): i64 =
  let (low, _) = loop (low, high) = (0, n) while low < high do
    let m = (low + high) / 2
    in if xs[m] < x then (m + 1, high) else (low, m)
  in low

-- Loops in loops, several arrays, branches.
-- ==
-- entry: solve
-- input { [[2f64, 1f64], [4f64, 5f64]] [4f64, 14f64] } output { [1f64, 2f64] }
-- input { [[0f64, 2f64], [4f64, 8f64]] [4f64, 20f64] } output { [1f64, 2f64] }
entry solve [n] (a: *[n][n]f64) (b: *[n]f64) =
  let (a, b) = loop (a, b) for k < n do
    let p = loop p = k for i < n do if i > k && f64.abs a[i, k] > f64.abs a[p, k] then i else p
    let (a, b) = if p == k then (a, b) else
      let a = loop a for j < n do
        let (x, y) = (a[k, j], a[p, j])
        in (a with [k, j] = y) with [p, j] = x
      let (x, y) = (b[k], b[p])
      in (a, (b with [k] = y) with [p] = x)
    in loop (a, b) for i' < n - k - 1 do
      let i = k + 1 + i'
      let f = a[i, k] / a[k, k]
      let a = loop a for j < n do a with [i, j] = a[i, j] - f * a[k, j]
      in (a, b with [i] = b[i] - f * b[k])
  in loop b for i' < n do
    let i = n - 1 - i'
    let s = loop s = b[i] for j < n do if j > i then s - a[i, j] * b[j] else s
    in b with [i] = s / a[i, i]

-- The original stays what it is; the new array is summed up by other kernels.
-- ==
-- entry: distances
-- input { [1i32, 2i32, 3i32] [1i32, 3i32] } output { 1i32 6i32 }
-- input { [1i32, 2i32, 3i32] empty([0]i32) } output { 3i32 3i32 }
entry distances [n] [m] (xs: [n]i32) (ys: [m]i32): (i32, i32) =
  let row = map i32.i64 (iota (m + 1))
  let last = loop row for i < n do
    let (row, _) = loop (row, corner) = (row, row[0]) for j < m + 1 do
      let up = row[j]
      in if j == 0 then (row with [0] = up + 1, up)
         else (row with [j] = i32.min (corner + if xs[i] == ys[j - 1] then 0 else 1) (1 + i32.min up row[j - 1]), up)
    in row
  in (last[m], i32.sum last)

-- Small arrays inside; a generator of random numbers.
-- ==
-- entry: generated
-- input { 4i64 1u32 } output { [22695478u32, 2156045614u32, 2867233978u32, 2182138797u32] }
entry generated (n: i64) (seed: u32): [n]u32 =
  let (a, _) = loop (a, state) = (replicate n 0, [seed, seed + 1]) for i < n do
    let next = state[0] * 22695477 + state[1] - u32.i64 i - 1
    in (a with [i] = next, [next, state[0] + 1])
  in a

-- A large map in the loop: that is a kernel, and the loop stays around it; the one inside is a kernel again.
-- ==
-- entry: smoothed
-- input { [1f64, 2f64, 3f64] 2i64 } output { [4f64, 16f64, 40f64] }
entry smoothed [n] (xs: [n]f64) (k: i64) =
  loop xs for _i < k do
    let ys = map (* 2) xs
    in loop ys for i < n - 1 do ys with [i + 1] = ys[i + 1] + ys[i]

-- Two states whose memory changes places stay loops of the CPU.
-- ==
-- entry: in_turns
-- input { [1i64, 2i64] [10i64, 20i64] 3i64 } output { [23i64, 20i64] [12i64, 2i64] }
entry in_turns [n] (xs: *[n]i64) (ys: *[n]i64) (k: i64) =
  loop (xs, ys) for _i < k do (ys with [0] = ys[0] + xs[0], xs)

-- Checks inside stop the program with the message that they have elsewhere.
-- ==
-- entry: out_of_bounds
-- input { [1i64, 2i64, 0i64] } output { 0i64 }
-- input { [1i64, 5i64, 0i64] } error: Index \[5\] out of bounds for array of shape \[3\]
entry out_of_bounds [n] (next: [n]i64): i64 = loop i = 0 for _k < n do next[i]

-- ==
-- entry: written_outside
-- input { [1i64, 2i64, 0i64] } output { [7i64, 7i64, 7i64] }
-- input { [1i64, 3i64, 0i64] } error: Index \[3\] out of bounds for array of shape \[3\]
entry written_outside [n] (places: [n]i64) = loop a = replicate n 0i64 for p in places do a with [p] = 7

-- A derivative: what the loop records and restores are single elements, too.
-- ==
-- entry: recurrence_gradient
-- input { [1f64, 2f64, 3f64] } output { [15f64, 0f64, 0f64] }
entry recurrence_gradient [n] (xs: [n]f64) =
  vjp (\(xs: [n]f64) -> (loop a = copy xs for i < n - 1 do a with [i + 1] = a[i] * a[i] + a[i])[n - 1]) xs 1

-- Accesses one after the other, without a loop.
-- ==
-- entry: swapped
-- input { [1i64, 2i64, 3i64] 0i64 2i64 } output { [3i64, 2i64, 1i64] }
-- input { [1i64, 2i64, 3i64] 1i64 1i64 } output { [1i64, 2i64, 3i64] }
-- input { [1i64, 2i64, 3i64] 0i64 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
entry swapped [n] (a: *[n]i64) (i: i64) (j: i64) =
  let (x, y) = (a[i], a[j])
  in (a with [i] = y) with [j] = x

-- What is written was read before, and is a result, too; the place of the last access was read.
-- ==
-- entry: computed
-- input { [1i64, 2i64, 3i64, 4i64] } output { 2i64 [1i64, 7i64, 2i64, 3i64] }
-- input { [4i64, 2i64, 3i64, 4i64] } error: Index \[4\] out of bounds for array of shape \[4\]
entry computed [n] (xs: *[n]i64) =
  let (a, b) = (xs[0], xs[1])
  let xs = xs with [2] = a * b
  let xs = xs with [3] = a + b
  in (a * b, xs with [a] = 7)

-- Between kernels: a sum is written, the maps around read it.
-- ==
-- entry: scaled
-- input { [2f64, 4f64, 8f64] 2i64 } output { [1f64, 0.5f64, 1f64] }
entry scaled [n] (a: *[n]f64) (k: i64) =
  loop a for _j < k do
    let m = f64.maximum a
    let a = a with [0] = m
    in map (/ m) a
