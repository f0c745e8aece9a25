-- Maps and reductions whose iterations run loops of their own, many of them side by side: numbers of iterations that differ, nested
-- loops, branches, reads under a condition, checks; sizes around groups of iterations. Each is compared with the same done one by one.

def near (x: f64) (y: f64): bool = x == y || f64.abs (x - y) <= 1e-9 * (1 + f64.abs y)
-- One element after the other: each is a loop of the program's own.
def one_by_one 'a 'b [n] (f: a -> b) (x0: b) (xs: [n]a): [n]b =
  loop out = replicate n x0 for i < n do out with [i] = f xs[i]
def same 'a 'b [n] (equal: b -> b -> bool) (f: a -> b) (x0: b) (xs: [n]a): bool =
  and (map2 equal (map f xs) (one_by_one f x0 xs))

def sizes = [0i64, 1, 2, 7, 31, 32, 33, 63, 64, 65, 97, 1000]
def every_size (f: i64 -> bool): bool = loop right = true for n in sizes do right && f n

-- Numbers of steps that differ much: one lane of many goes on alone.
def steps (x: i64): i32 = (loop (y, k) = (x + 1, 0i32) while y != 1 do (if y % 2 == 0 then y / 2 else 3 * y + 1, k + 1)).1
def root (a: f64): f64 = loop x = a while f64.abs (x * x - a) > 1e-9 do 0.5 * (x + a / x)
def escape (c: f64): i32 =
  let (_, _, k) = loop (x, y, k) = (0f64, 0f64, 0i32) while k < 100 && x * x + y * y < 4 do (x * x - y * y + c, 2 * x * y + 0.5, k + 1) in k

-- ==
-- entry: whiles
-- input { 0i64 } output { true }
entry whiles (_: i64): bool =
  every_size (\n -> same (==) steps 0 (iota n)) &&
  every_size (\n -> same near root 0 (tabulate n (\i -> 1 + f64.i64 i))) &&
  every_size (\n -> same (==) escape 0 (tabulate n (\i -> f64.i64 i / 300 - 1)))

-- As many iterations as the element says, and none; a counter of another type.
-- ==
-- entry: counted
-- input { 0i64 } output { true }
entry counted (_: i64): bool =
  every_size (\n -> same near (\i -> loop x = 1f64 for j < i % 40 do x * 1.01 + f64.i64 j) 0 (iota n)) &&
  every_size (\n -> same (==) (\i -> loop x = i8.i64 i for j < i8.i64 (i % 50) - 10 do x * 3 + j) 0 (iota n)) &&
  every_size (\n -> same (==) (\i -> loop x = u16.i64 i for _j < 20 + n % 2 do x * x + 1) 0 (iota n))

-- Loops in loops and in branches, branches in loops.
def nested (i: i64): (f32, bool) =
  let (x, odd, _) =
    loop (x, odd, k) = (f32.i64 i, false, i % 7)
    while k >= 0 && x < 1e6 do
      let y = loop y = x for j < k do if j % 3 == 1 then y / 2 else y + 1.5
      let z = if y > 100 then (loop z = y while z > 10 do z / 3) else y - 7
      in (z + x + 1, !odd, k - 1)
  in (x, odd)
-- ==
-- entry: nests
-- input { 0i64 } output { true }
entry nests (_: i64): bool =
  every_size (\n -> same (\(x, a) (y, b) -> x == y && a == b) nested (0, false) (iota n))

-- What lanes read lies beside each other, is the same for all, or lies anywhere; where a lane is off, nothing may be read.
-- ==
-- entry: reads
-- input { 0i64 } output { true }
entry reads (_: i64): bool =
  every_size (\n ->
    let xs = opaque (tabulate n (\i -> f64.i64 (i % 13) - 3))
    let is = opaque (tabulate n (\i -> (i * 7) % n))
    let cs = opaque [0.5f64, -0.25, 0.125, 2, -1, 0.75, 0.5, -0.25, 0.125, 2, -1, 0.75, 0.5, -0.25, 0.125, 2, -1, 0.75]
    let polynomial x = loop a = 0f64 for c in cs do a * x + c
    let walk i = (loop (at, sum, k) = (i, 0f64, 0i64) while k < 40 && xs[at] < 9 do (is[at], sum + f64.exp (f64.sin (f64.sqrt (f64.abs (xs[at] * sum * 0.1 + 1)))), k + 1)).1
    let guarded i = loop s = 0f64 for k < 20 + i % 3 do if k < n then s * 0.5 + f64.sin (f64.cos (s * 3 + f64.exp (xs[k] * 0.01))) * 0.25 else s + 1
    in same near polynomial 0 xs && same near walk 0 (iota n) && same near guarded 0 (iota n))

-- Sums and extrema of what such loops give.
-- ==
-- entry: reductions
-- input { 0i64 } output { true }
entry reductions (_: i64): bool =
  every_size (\n ->
    let xs = tabulate n (\i -> 1 + f64.i64 i)
    let roots = one_by_one root 0 xs
    let total = loop s = 0f64 for r in roots do s + r
    let least = loop s = 1e9f64 for r in roots do f64.min s r
    in near (f64.sum (map root xs)) total && f64.minimum (map root xs) == (if n == 0 then f64.inf else least)
       && i64.sum (map (\i -> i64.i32 (steps i)) (iota n)) == (loop s = 0 for i < n do s + i64.i32 (steps i)))

-- The element that an iteration replaces, and several arrays at once.
-- ==
-- entry: replaces
-- input { [4f64, 9f64, 16f64] } output { [2f64, 3f64, 4f64] }
entry replaces [n] (xs: *[n]f64): *[n]f64 = map (\x -> f64.round (root x)) xs
-- ==
-- entry: several
-- input { 0i64 } output { true }
entry several (_: i64): bool =
  every_size (\n -> same (\(a, b, c) (d, e, f) -> a == d && near b e && c == f)
                         (\i -> (steps i, root (1 + f64.i64 i), escape (f64.i64 i / 100))) (0, 0, 0) (iota n))

-- A check fails in one lane: the message is that of the first iteration that fails.
-- ==
-- entry: checked
-- input { [1f64, 2f64, 3f64] [0i64, 2i64, 1i64] } output { [2f64, 4f64, 3f64] }
-- input { [1f64, 2f64] [0i64, 2i64, 1i64] } error: Index \[2\] out of bounds
entry checked [n][m] (xs: [n]f64) (is: [m]i64): [m]f64 =
  map (\i -> let x = xs[i] in loop y = x for _k < 20 do if y < x + 1 then y + 1 else y) is

-- Several iterations fail: which of them is named depends on the order in which they run.
-- ==
-- entry: failing
-- input { 100i64 100i64 } output { 100i64 }
-- input { 100i64 77i64 } error: Index \[[0-9]+\] out of bounds for array of shape \[77\]
-- input { 100i64 31i64 } error: Index \[[0-9]+\] out of bounds for array of shape \[31\]
entry failing (n: i64) (m: i64): i64 =
  let xs = opaque (iota m)
  in i64.sum (map (\i -> let x = xs[i] in (loop (y, k) = (x, 0) while y < 200 do (y + 100, k + 1)).1 - (if x < 100 then 1 else 0)) (iota n))

-- Arrays of one iteration: filled in order or at places that differ by lane, under conditions and in loops that end at different times.
def sorted (i: i64): (i64, i64) =
  let a = loop a = replicate 12 0i64 for k < 12 do a with [k] = (i * 7 + k * 5) % 13
  let b =
    loop a = copy a for k < 11 do
      loop a = copy a for j < 11 - k do
        if a[j] > a[j + 1] then let (x, y) = (copy a[j], copy a[j + 1]) in a with [j] = y with [j + 1] = x else a
  in (loop (s, t) = (0, 0) for k < 12 do (s * 3 + b[k], t + i64.bool (k > 0 && b[k - 1] > b[k])))
def scattered (i: i64): f64 =
  let a = loop a = replicate 8 1f64 for k < 20 + i % 3 do a with [(i + k * k) & 7] = f64.i64 k + 0.5
  let (b, _) = loop (b, x) = (a, i) while x > 3 do (b with [x & 7] = b[(x / 2) & 7] + 1, x / 2)
  in loop s = 0 for k < 8 do s * 0.5 + b[(k + i) & 7]
-- ==
-- entry: own_arrays
-- input { 0i64 } output { true }
entry own_arrays (_: i64): bool =
  every_size (\n -> same (\(a, b) (c, d) -> a == c && b == d) sorted (0, 0) (iota n)) &&
  every_size (\n -> same near scattered 0 (iota n))

-- ==
-- entry: own_arrays_reduced
-- input { 0i64 } output { true }
entry own_arrays_reduced (_: i64): bool =
  every_size (\n ->
    let halves i = f64.i64 (sorted i).0 * 0.5
    let least i = scattered i
    in f64.sum (map halves (iota n)) == (loop s = 0 for i < n do s + halves i) &&
       f64.minimum (map least (iota n)) == (loop s = f64.inf for i < n do f64.min s (least i)) &&
       near (f64.sum (map scattered (iota n))) (loop s = 0 for i < n do s + scattered i))

-- What iterations add to arrays: the element is the same in all lanes, or differs, or there is none.
def tally (m: i64) (i: i64) (h: *[]i64): *[]i64 =
  loop h for k < m do
    let s = steps (i * m + k)
    let h = h with [k] = h[k] + i64.i32 s
    in if s > 20 then h with [i64.i32 s % m] = h[i64.i32 s % m] + 1 else h
-- ==
-- entry: added
-- input { 5i64 } output { true }
-- input { 1i64 } output { true }
entry added (m: i64): bool =
  every_size (\n ->
    let h: [m]i64 = loop h = replicate m 0i64 for i < n do tally m i h :> [m]i64
    let parts = tabulate n (\i -> tally m i (replicate m 0i64) :> [m]i64)
    in and (map2 (==) h (loop h = replicate m 0i64 for i < n do map2 (+) h parts[n - 1 - i])) &&
       and (map2 (==) (reduce_by_index (replicate m 0i32) (+) 0 (map (\i -> i % m) (iota n)) (map steps (iota n)))
                      (loop h = replicate m 0i32 for i < n do h with [i % m] = h[i % m] + steps i)))

-- Adjoints are such sums; their own loops keep arrays of each iteration. All numbers are small multiples of powers of two.
def weighted [m] (w: [m]f64) (i: i64): f64 =
  let v = loop v = map (\x -> x * f64.i64 (i % 3)) w for c < m do
            v with [c + 1:] = map2 (\a b -> a + 0.5 * b) v[c + 1:] w[c + 1:]
  in f64.sum (map2 (\a b -> a * b) v w)
-- ==
-- entry: adjoints
-- input { 7i64 } output { true }
entry adjoints (m: i64): bool =
  every_size (\n ->
    let w = opaque (tabulate m (\k -> f64.i64 (k % 4) - 1))
    let whole = vjp (\w -> f64.sum (map (weighted w) (iota n))) w 1
    let parts = tabulate n (\i -> vjp (\w -> weighted w i) w 1)
    in and (map2 (==) whole (loop s = replicate m 0f64 for i < n do map2 (+) s parts[i])))

-- A check inside that is the same in all lanes.
-- ==
-- entry: checked_inside
-- input { 100i64 8i64 8i64 } output { 100i64 }
-- input { 100i64 8i64 7i64 } error: Index \[7\] out of bounds for array of shape \[7\]
-- input { 0i64 8i64 7i64 } output { 0i64 }
-- input { 20i64 8i64 7i64 } error: Index \[7\] out of bounds for array of shape \[7\]
entry checked_inside (n: i64) (k: i64) (m: i64): i64 =
  let xs = opaque (tabulate m (\j -> j + 1))
  in i64.sum (map (\i -> (loop y = i for j < k do if y % 2 == 0 then y / 2 + xs[j] else y * 3 + 2 * xs[j]) % 2) (iota n))

-- No loop inside, but checks: the last iterations run side by side, too, be they few or many. Each step changes the array where it lies.
-- ==
-- entry: last_group
-- input { 0i64 } output { true }
entry last_group (_: i64): bool =
  loop right = true for n < 70 do
    let is = opaque (tabulate n (\i -> (i * 7 + 3) % n))
    let ts = opaque (tabulate n (\i -> 1 / (1 + f64.i64 i)))
    let step (i: i64) (x: f64) = if x > 0.5 then f64.exp (-x) + ts[is[i]] else f64.tanh x + ts[is[i]] * ts[is[is[i]]]
    let together = loop xs = copy ts for _k < 3i64 do map2 step (iota n) xs
    let apart = loop xs = copy ts for _k < 3i64 do loop ys = copy xs for i < n do ys with [i] = step i xs[i]
    let sum = f64.sum (map2 step (iota n) ts)
    let most = f64.maximum (map2 step (iota n) ts)
    let (s, m) = loop (s, m) = (0, -f64.inf) for i < n do (s + step i ts[i], f64.max m (step i ts[i]))
    in right && and (map2 near together apart) && near sum s && near most m

-- One that fails, among few.
-- ==
-- entry: last_fails
-- input { 14i64 20i64 } output { 14i64 }
-- input { 14i64 9i64 } error: Index .* out of bounds for array of shape \[9\]
-- input { 45i64 40i64 } error: Index .* out of bounds for array of shape \[40\]
-- input { 45i64 45i64 } output { 45i64 }
entry last_fails (n: i64) (m: i64): i64 =
  let ts = opaque (tabulate m f64.i64)
  let xs = map (\i -> f64.exp (-ts[i]) * f64.exp (f64.i64 i)) (iota n)
  in i64.f64 (f64.round (f64.sum xs))

-- Rows that iterations make where they will lie: of numbers, in loops, in loops that each lane runs as often as it must.
-- ==
-- entry: rows
-- input { 0i64 } output { true }
entry rows (_: i64): bool =
  every_size (\n ->
    let root (a: f64): f64 = loop x = a while f64.abs (x * x - a) > 1e-9 do 0.5 * (x + a / x)
    let few (i: i64) = root (f64.i64 (1 + i % 50))
    let pair (i: i64) = [few i, -few i]
    let square (i: i64) = [[few i, 1], [0, 2 * few i]]
    let powers (i: i64) = let x = few i in loop r = replicate 5 x for k < 4 do r with [k + 1] = r[k] * 0.5 + f64.i64 k
    let roots (i: i64) =
      (loop (r, y) = (replicate 4 0, few i) for k < (i & 3) do (r with [k] = y, (y * y + 3 * y + 1) / (y + 2) - f64.abs (y * 0.5 - 1))).0
    let (ps, ss, qs, rs) = unzip4 (map (\i -> (pair i, square i, powers i, roots i)) (opaque (iota n)))
    let right (i: i64) = and (map2 near ps[i] (pair i)) && and (map2 near (flatten ss[i]) (flatten (square i))) && and (map2 near qs[i] (powers i)) &&
                         and (map2 near rs[i] (roots i))
    in and (loop all = replicate n true for i < n do all with [i] = right i))

-- Sums at several places of one array, which other iterations meet; places that count down; a check that fails, in the
-- first iteration or, where they are run from the last one, there.
-- ==
-- entry: neighbours
-- input { 75i64 0i64 0i64 } output { true }
-- input { 14i64 2i64 1i64 } output { true }
-- input { 33i64 2i64 -1i64 } error: Index \[35\] out of bounds for array of shape \[35\]
-- input { 20i64 -2i64 3i64 } error: Index \[-[12]\] out of bounds for array of shape \[23\]
-- input { 40i64 9223372036854775780i64 3i64 } error: Index \[(9223372036854775780|-9223372036854775797)\] out of bounds for array of shape \[43\]
entry neighbours (n: i64) (k: i64) (more: i64): bool =
  let ws = opaque (tabulate (if k > 100 || k < 0 then n + more else n + k + more + 1) (\j -> f64.i64 (j % 7) - 3))
  let term (w: []f64) (i: i64) = w[i + k] * w[i + k] * w[i + k + 1] * w[n - i + k] * (w[n - i] - 2) * (w[i] + 1)
  let sum (w: []f64) = f64.sum (map (term w) (iota n))
  let together = vjp sum ws 1
  let apart = loop s = map (const 0) ws for i < n do map2 (+) s (vjp (\w -> term w i) ws 1)
  in and (map2 (==) together apart)

-- States of 8 bits beside numbers of 64: the closest of some points, if there is one, and a machine of three states. They are compared with the
-- same of one place alone.
type~ hit = #none | #some i64 f64

def closest (n: i64) (x: f64): hit =
  loop best: hit = #none for k < n do
    let d = f64.abs (x - f64.i64 (k * k) / 7)
    in if d > 2 then best else match best case #none -> #some k d case #some j e -> if d < e then #some k d else #some j e

def machine (n: i64) (x: f64): (u8, i8, f64) =
  loop (s, t, x) = (0, 120, x) for k < n do
    let y = x * 1.01 + f64.i64 k / 8
    let s' = if s == 0 then (if y > 3 then 1 else 0) else if s == 1 then (if y < 5 then 2 else s) else s * 100
    in (s', if s' == 2u8 then t + 7i8 else t - 1, if y > 6 then y - 5.5 else y)

-- ==
-- entry: eight_bits
-- input { 0i64 } output { true }
-- input { 3i64 } output { true }
-- input { 40i64 } output { true }
-- input { 77i64 } output { true }
entry eight_bits (n: i64): bool =
  let centres = map (\k -> 5 - f64.i64 k) (opaque (iota 20))
  let x i = f64.i64 (i & 15) + 0.1
  let one i = let h = match closest 20 (x i) case #none -> -1 case #some k d -> d + centres[k] let (s, t, y) = machine (20 + (i & 3)) (x i) in (h, s, t, y)
  let by_loop = loop ys = replicate n (0, 0u8, 0i8, 0) for i < n do ys with [i] = one i
  let by_map = map one (opaque (iota n))
  in and (map2 (\(h, s, t, y) (a, b, c, d) -> a == h && b == s && c == t && d == y) by_loop by_map)

-- Functions of the counter, of which the least or greatest is taken.
-- ==
-- entry: of_counters
-- input { 50i64 } output { true }
entry of_counters (n: i64): bool =
  let near a b = f64.abs (a - b) <= 1e-12 * (1 + f64.abs b)
  let f k = f64.max 0 (2 - 1.5 ** f64.i64 (k - 20))
  let g k = f64.min (f64.sin (f64.i64 k)) (f64.exp (-f64.i64 k))
  let slow h = loop xs = replicate n 0f64 for i < n do xs with [n - 1 - i] = h (n - 1 - i)
  in and (map2 near (map f (iota n)) (slow f)) && and (map2 near (map g (iota n)) (slow g))

-- Rows that begin as copies and take a few steps, and loops of a few iterations with branches, bits and functions.
-- ==
-- entry: short_loops
-- input { 0i64 } output { true }
-- input { 7i64 } output { true }
-- input { 100i64 } output { true }
entry short_loops (n: i64): bool =
  let near a b = f64.abs (a - b) <= 1e-12 * (1 + f64.abs b)
  let a = opaque [[0.1, 0.2, 0.3], [0.3, -0.1, 0.2], [0, 0.5, -0.4]]
  let x = tabulate_2d n 3 (\i j -> f64.i64 (i * 3 + j) / 50)
  let steps (r: [3]f64) = loop s = r for _i < 5 do map2 (\u row -> u + 0.1 * f64.tanh (f64.sum (map2 (*) row s))) s a
  let bits (k: i64) = loop v = k * 7919 for i < 9 do if v & 1 == 1 then (v >> 1) ^ 0xEDB8 else v >> i64.min 2 i
  let waves (t: f64) = loop y = 0 for k < 6 do y + f64.sin (f64.i64 k * t) / f64.i64 (k + 1)
  let (rows, apart) = (map steps x, loop out = replicate n (replicate 3 0) for i < n do out with [i] = steps x[i])
  let (codes, codes') = (map bits (iota n), loop out = replicate n 0 for i < n do out with [i] = bits i)
  let (sums, sums') = (map (\r -> waves r[0]) x, loop out = replicate n 0 for i < n do out with [n - 1 - i] = waves x[n - 1 - i, 0])
  in and (map2 near (flatten rows) (flatten apart)) && and (map2 (==) codes codes') && and (map2 near sums sums')

-- Loops inside that wait for what they made before. Some rows lie at distances that keep lanes away; blocks stand before an outer loop.
def tridiagonal [n] (w: [n]f64) (y: [n]f64): [n]f64 =
  let (us, ys) = loop (us, ys) = (replicate n 2, copy y) for i in 1..<n do
    let q = w[i] / us[i - 1]
    in (us with [i] = 2 - q * w[i - 1], ys with [i] = y[i] - q * ys[i - 1])
  in loop x = copy ys with [n - 1] = ys[n - 1] / us[n - 1] for j < n - 1 do
       let i = n - 2 - j
       in x with [i] = (ys[i] - w[i] * x[i + 1]) / us[i]
-- ==
-- entry: waits
-- input { 0i64 1i64 3i64 } output { true }
-- input { 1i64 7i64 1i64 } output { true }
-- input { 31i64 16i64 2i64 } output { true }
-- input { 33i64 127i64 2i64 } output { true }
-- input { 40i64 128i64 2i64 } output { true }
-- input { 97i64 20i64 3i64 } output { true }
entry waits (k: i64) (n: i64) (t: i64): bool =
  let near a b = f64.abs (a - b) <= 1e-12 * (1 + f64.abs b)
  let w = tabulate n (\j -> 0.5 + 0.4 * f64.sin (f64.i64 j))
  let rows = tabulate_2d k n (\i j -> f64.cos (f64.i64 (i * 7 + j)))
  let solved = loop ys = rows for _i < t do map (tridiagonal w) ys
  let columns = loop ys = transpose rows for _i < t do transpose (map (tridiagonal w) (transpose ys))
  let singly = loop ys = rows for _i < t do loop out = copy ys for i < k do out with [k - 1 - i] = tridiagonal w ys[k - 1 - i]
  let last r = loop s = 0f64 for x in r do 0.5 * s + x
  let apart = loop out = replicate k 0f64 for i < k do out with [k - 1 - i] = last rows[k - 1 - i]
  in and (map2 near (flatten solved) (flatten singly)) && and (map2 near (flatten (transpose columns)) (flatten singly)) &&
     and (map2 near (map last rows) apart)

-- Sums of records that lie apart, with a function of them: vectors.
-- ==
-- entry: of_records
-- input { 0i64 } output { true }
-- input { 7i64 } output { true }
-- input { 50i64 } output { true }
entry of_records (n: i64): bool =
  let near a b = f32.abs (a - b) <= 1e-4 * (1 + f32.abs b)
  let at = tabulate_2d n 4 (\i k -> f32.i64 ((i * 7 + k * 3) % 11) / 11)
  let add (a, b, c, d) (x, y, z, w) = (a + x, b + y, c + z, d + w)
  let force (x: [4]f32) (y: [4]f32) =
    let (dx, dy, dz) = (x[0] - y[0], x[1] - y[1], x[2] - y[2])
    let f = f32.exp (-(dx * dx + dy * dy + dz * dz)) * y[3]
    in (f, f * dx, f * dy, f * dz)
  let others = opaque (iota n)
  let of_all x = reduce add (0, 0, 0, 0) (map (force x) at)
  let singly x = loop s = (0, 0, 0, 0) for o in others do add s (force x at[o])
  let close (a, b, c, d) (x, y, z, w) = near a x && near b y && near c z && near d w
  in all (\o -> close (of_all at[o]) (singly at[o])) others

-- Checks in loops and in branches, which lanes pass or fail by themselves. The first iteration that fails says so, not the first lane that does.
def follow [m] (next: [m]i64) (stop: i64) (i: i64): (i64, f32) =
  loop (at, x) = (i % m, 1f32) while at != stop && x < 60 do
    (next[at], if x > 3 then x + f32.i64 next[at] + 1 else x + 1)
def sums_of_places [m] (next: [m]i64) (i: i64): i64 =
  let first = if i % 3 == 1 then next[next[(i * 7) % m]] else 3
  let rest = loop s = 0 for k < 5 do s + next[(first + k * i) % m]
  in (loop s = first for k < i % 11 do (if k % 2 == 0 then s + next[(s + k) % m] else s + rest)) + loop s = 0 for k < 3 do s * 2 + next[next[k]]
-- ==
-- entry: chains
-- input { [3i64, 4i64, 0i64, 5i64, 2i64, 1i64] 9i64 } output { true }
-- input { [3i64, 4i64, 0i64, 5i64, 2i64, 1i64] 4i64 } output { true }
-- input { [3i64, 4i64, 0i64, 6i64, 2i64, 1i64] 9i64 } error: Index \[6\] out of bounds
-- input { [3i64, 4i64, 0i64, 5i64, 2i64, -1i64] 9i64 } error: Index \[-1\] out of bounds
entry chains (next: []i64) (stop: i64): bool =
  every_size (\n -> same (==) (follow next stop) (0, 0) (iota n)) && every_size (\n -> same (==) (sums_of_places next) 0 (iota n))

-- Iteration 40 fails in its third step, all later ones in their first, some before their loop.
-- ==
-- entry: first_failure
-- first input { 100i64 1000i64 } error: Index \[41\] out of bounds
-- first input { 1000i64 2000i64 } error: Index \[43\] out of bounds
-- first input { 1000i64 1000i64 } error: Index \[40\] out of bounds
entry first_failure (late: i64) (early: i64): [100]i64 =
  let xs = opaque (iota 40)
  in tabulate 100 (\i ->
    let (s, _) = loop (s, k) = (0, 0i64) while k < 5 + i % 4 do
      let at = if i == 41 && late == 100 then 41 else if i > 42 && late == 1000 && early == 2000 then i else if i >= 50 && k > 2 then i - 10 else k
      in (s + xs[at], k + 1)
    in s + (if i > 97 && early == 1000 then xs[i] else 0))

-- The adjoints of a row are made where they will lie. There the row lies first, whose values before each step are kept.
def turned (r: [4]f64): [4]f64 = map3 (\a b c -> a + 0.1 * b * f64.sin c) r (rotate 1 r) (rotate 2 r)
def turns (k: i64) (r: [4]f64): f64 = f64.sum (map (\x -> x * x) (loop r for _i < k do turned (turned r)))
-- ==
-- entry: kept_rows
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 6i64 } output { true }
entry kept_rows (k: i64): bool =
  every_size (\n ->
    let rows = tabulate_2d n 4 (\i j -> f64.cos (f64.i64 (i * 5 + j * j)))
    let adjoints = vjp (\rs -> f64.sum (map (turns k) rs)) rows 1
    let directions r = tabulate 4 (\j -> jvp (turns k) r (replicate 4 0 with [j] = 1))
    in and (map2 near (flatten adjoints) (flatten (map directions rows))))

-- States that are small matrices, each turned in every step; so are their adjoints.
def turned_matrix (q: f64) (x: f64) (m: [3][3]f64): [3][3]f64 =
  let product = map (\r -> map (\c -> f64.sum (map2 (*) r c)) m) m
  in transpose (map2 (\r o -> map2 (\a b -> f64.sin (q * a) + b * x) r o) product m)
def turned_matrices (k: i64) (q: f64) (x: f64): f64 =
  let first = tabulate_2d 3 3 (\i j -> f64.i64 (i - j) + x)
  in f64.sum (flatten (loop m = first for _i < k do turned_matrix q x m))
-- ==
-- entry: matrices
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 5i64 } output { true }
entry matrices (k: i64): bool =
  every_size (\n ->
    let xs = tabulate n (\i -> f64.i64 i / 2000)
    let all (q: f64) = f64.sum (map (turned_matrices k q) xs)
    in same near (turned_matrices k 0.1) 0 xs && near (vjp all 0.1 1) (jvp all 0.1 1)
       && and (map2 near (vjp (\ys -> f64.sum (map (turned_matrices k 0.1) ys)) xs 1) (map (\x -> jvp (turned_matrices k 0.1) x 1) xs)))

-- Rows that are read again and again, and branches that read at one place for all lanes. It must not be read if no lane takes them.
-- ==
-- entry: nearest_two
-- input { 0i64 40i64 } output { true }
-- input { 1i64 40i64 } output { true }
-- input { 50i64 1i64 } output { true }
-- input { 50i64 31i64 } output { true }
-- input { 50i64 64i64 } output { true }
-- input { 300i64 101i64 } output { true }
entry nearest_two (n: i64) (m: i64): bool =
  let xs = tabulate_2d n 3 (\i k -> f64.i64 ((i * 7 + k * 5) % 11))
  let qs = tabulate_2d m 3 (\i k -> f64.i64 ((i * 3 + k * k) % 13))
  let labels = map (\i -> i * 3 % 17) (iota n)
  let distance (a: [3]f64) b = f64.sum (map2 (\x y -> (x - y) * (x - y)) a b)
  let lists =
    map (\q ->
           loop (d1, l1, d2, l2) = (f64.inf, -1, f64.inf, -1) for i < n do
             let d = distance xs[i] q
             in if d >= d2 then (d1, l1, d2, l2)
                else let l = labels[i] in if d < d1 then (d, l, d1, l1) else (d1, l1, d, l)) qs
  let least (ds: [n]f64) = reduce (\(a, i) (b, j) -> if b < a || (a == b && j < i) then (b, j) else (a, i)) (f64.inf, n) (zip ds (iota n))
  in and (map2 (\q (d1, l1, d2, l2) ->
                  let ds = map (\x -> distance x q) xs
                  let (a, i) = least ds
                  let (b, j) = least (map2 (\d k -> if k == i then f64.inf else d) ds (iota n))
                  let label k = if k < n then labels[k] else -1
                  in d1 == a && l1 == label i && d2 == b && (l2 == label j || b == f64.inf)) qs lists)

-- Sums and extrema of terms that need nothing of what is checked.
-- ==
-- entry: constant_terms
-- input { 100i64 100i64 } output { 100f64 300f32 2f64 }
-- input { 1003i64 1003i64 } output { 1003f64 3009f32 2f64 }
-- input { 100i64 99i64 } error: Index \[100\] out of bounds for array of shape \[100\]
entry constant_terms (n: i64) (k: i64): (f64, f32, f64) =
  let ones = replicate n 1f64
  let at i = if i == k then n else i
  in (f64.sum (map (\i -> ones[at i]) (iota n)),
      f32.sum (map (\i -> 3 * f32.f64 ones[at i]) (iota n)),
      f64.maximum (map (\i -> 2 * ones[at i]) (iota n)))

-- The last iteration of a lane stores at a place that is computed beside the mask of the next one.
-- ==
-- entry: last_places
-- input { 3i64 } output { [[100i64, 100i64, 100i64, 0i64], [100i64, 100i64, 1i64, 1i64], [100i64, 2i64, 2i64, 2i64]] 608i64 }
-- input { 38i64 } output { [[100i64, 100i64, 100i64, 100i64], [100i64, 100i64, 100i64, 100i64], [100i64, 100i64, 100i64, 100i64]] 11498i64 }
entry last_places (n: i64): ([3][4]i64, i64) =
  let rows = map (\i -> loop row = replicate 4 i for k < ((n - i) & 7) do row with [(k % 5) & 3] = 100) (iota n)
  in (take 3 rows, i64.sum (flatten rows))

-- Products of a few rows and scans of rows in each iteration. Small ones run in lanes, also backwards, where the row before the first one is chosen.
def growth [d] [u] (a: [u][u]f64) (z: [d][u]f64): f64 =
  let steps = map (\row -> map (\w -> f64.exp (f64.sum (map2 (*) w row))) a) z
  in f64.sum (map f64.sum (scan (map2 (*)) (replicate u 1) steps))
-- ==
-- entry: paths
-- input { 40i64 5i64 3i64 } output { true }
-- input { 35i64 9i64 2i64 } output { true }
-- input { 3i64 9i64 17i64 } output { true }
-- input { 33i64 1i64 1i64 } output { true }
-- input { 2i64 0i64 3i64 } output { true }
entry paths (n: i64) (d: i64) (u: i64): bool =
  let a = tabulate_2d u u (\i j -> f64.cos (f64.i64 (3 * i + j)) / 4)
  let da = tabulate_2d u u (\i j -> f64.sin (f64.i64 (i + 2 * j)))
  let zs = tabulate_3d n d u (\i j k -> f64.sin (f64.i64 (i * 31 + j * 17 + k * 7)) / 2)
  let all a = f64.sum (map (growth a) zs)
  let along = f64.sum (flatten (map2 (map2 (*)) (vjp all a 1) da))
  in f64.abs (along - jvp all a da) <= 1e-9 * f64.abs along
