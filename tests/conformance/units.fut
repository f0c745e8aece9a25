-- Values without content: `()`, `{}`, constructors that carry nothing. Arrays of them have lengths all the same.

type one = #one

def unit_of 't (_: t) = ()
def units [n] (xs: [n]i32): [n]() = map unit_of xs

-- ==
-- entry: lengths
-- input { [1, 2, 3] 2i64 } output { 3i64 2i64 6i64 3i64 }
entry lengths (xs: []i32) (m: i64): (i64, i64, i64, i64) =
  (length (units xs), length (replicate m ()), length (flatten (replicate m (units xs))), length (transpose (replicate m (units xs))))

-- ==
-- entry: mapped
-- input { [1, 2, 3] } output { [7, 7, 7] 3i64 }
entry mapped (xs: []i32): ([]i32, i64) =
  let us = units xs
  let sevens = map (\() -> 7i32) us
  in (sevens, length sevens)

-- ==
-- entry: through
-- input { [1, 2, 3, 4] } output { 4i64 8i64 4i64 4i64 1i64 true }
entry through (xs: []i32) =
  let us = units xs
  let pairs = zip us xs
  let kept = filter (\((), x) -> x > 0) pairs
  let scanned = scan (\() () -> ()) () us
  let sums = reduce_by_index (replicate 4 ()) (\() () -> ()) () (map i64.i32 xs) us
  let () = reduce (\() () -> ()) () us
  in (length kept, length (us ++ us), length scanned, length sums, length us[1:2], us[0] == us[3])

-- ==
-- entry: looped
-- input { 5i64 } output { 5i64 10i64 }
entry looped (n: i64): (i64, i64) =
  let us = loop us: []() = [] for _i < n do us ++ [()]
  let k = loop k = 0i64 for () in us do k + 2
  in (length us, k)

-- ==
-- entry: updated
-- input { 3i64 } output { 3i64 3i64 }
entry updated (n: i64): (i64, i64) =
  let us = replicate n () with [1] = ()
  let vs = scatter (replicate n ()) [0, 7] [(), ()]
  in (length us, length vs)

-- ==
-- entry: constructors
-- input { [4, 5] } output { 2i64 [1, 1] 3i64 }
entry constructors (xs: []i32): (i64, []i32, i64) =
  let ones: []one = map (\_ -> #one) xs
  let pairs = map (\o -> (o, {a = ()})) ones
  in (length ones, map (\(o, _) -> match o case #one -> 1i32) pairs, length (map (.1.a) pairs ++ [()]))

-- ==
-- entry: chosen
-- input { true 2i64 } output { 2i64 }
-- input { false 2i64 } output { 3i64 }
entry chosen (b: bool) (n: i64): i64 =
  length (if b then replicate n () else replicate (n + 1) ())

def option 't (b: bool) (x: t): #some t | #none = if b then #some x else #none

-- ==
-- entry: options
-- input { [true, false, true] } output { 2i64 3i64 }
entry options (bs: []bool): (i64, i64) =
  let os = map (\b -> option b ()) bs
  in (i64.sum (map (\o -> match o case #some () -> 1 case #none -> 0) os), length os)

-- The sizes of an argument that is a unit array are those of the call.
#[noinline] def twice [n] (us: [n]()): [n * 2]() = us ++ us :> [n * 2]()

-- ==
-- entry: sized
-- input { 4i64 } output { 8i64 }
entry sized (n: i64): i64 = length (twice (replicate n ()))

-- ==
-- entry: derived
-- input { [1.0, 2.0] } output { [2.0, 4.0] 2i64 }
entry derived (xs: []f64): ([]f64, i64) =
  let square (us, ys) = (us, f64.sum (map2 (\() y -> y * y) us ys))
  let (vs, ds) = vjp square (map unit_of xs, xs) (map unit_of xs, 1)
  in (ds, length vs)

-- ==
-- entry: outside
-- input { [1, 2] 2i64 } error: Index \[2\] out of bounds
entry outside (xs: []i32) (i: i64): bool = (units xs)[i] == ()
