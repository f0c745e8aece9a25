-- Loops whose states move on, (a, b, c) for (b, c, new): at different times they are one array, and after the loop each may be
-- updated without a change to the others.

-- ==
-- entry: three
-- input { 0i64 } output { [50i64, 1i64] [20i64, 21i64] [0i64, 1i64] [20i64, 21i64] }
-- input { 1i64 } output { [50i64, 11i64] [100i64, 101i64] [0i64, 1i64] [20i64, 21i64] }
-- input { 2i64 } output { [50i64, 21i64] [101i64, 102i64] [0i64, 1i64] [20i64, 21i64] }
-- input { 3i64 } output { [50i64, 101i64] [102i64, 103i64] [0i64, 1i64] [20i64, 21i64] }
-- input { 5i64 } output { [50i64, 103i64] [104i64, 105i64] [0i64, 1i64] [20i64, 21i64] }
def from (x: i64): [2]i64 = map (+ x) (iota 2)
entry three (k: i64) =
  let (x, y, z) = (from 0, from 10, from 20)
  let (a, _, c) = loop (a, b, c) = (x, y, z) for i < k do (b, c, from (100 + i))
  in (copy a with [0] = 50, c, x, z)

-- ==
-- entry: unique_states
-- input { 0i64 } output { [50i64, 1i64] [10i64, 11i64] }
-- input { 1i64 } output { [50i64, 101i64] [0i64, 1i64] }
-- input { 2i64 } output { [50i64, 102i64] [100i64, 101i64] }
-- input { 4i64 } output { [50i64, 104i64] [102i64, 103i64] }
entry unique_states (k: i64) =
  let (a, b) = loop (a: *[2]i64, b: *[2]i64) = (from 0, from 10) for i < k do (from (100 + i), copy a)
  in (a with [0] = 50, b)

-- The same where the copy is not written as one.
-- ==
-- entry: hidden_copy
-- input { 0i64 } output { [50i64, 1i64] [10i64, 11i64] }
-- input { 1i64 } output { [50i64, 101i64] [0i64, 1i64] }
-- input { 4i64 } output { [50i64, 104i64] [102i64, 103i64] }
entry hidden_copy (k: i64) =
  let (a, b) = loop (a: *[2]i64, b: *[2]i64) = (from 0, from 10) for i < k do (from (100 + i), map (+ 0) a)
  in (a with [0] = 50, b)

-- Sometimes both are the array of before.
-- ==
-- entry: sometimes_one
-- input { 1i64 } output { [50i64, 1i64] [0i64, 1i64] }
-- input { 2i64 } output { [50i64, 102i64] [0i64, 1i64] }
-- input { 3i64 } output { [50i64, 102i64] [101i64, 102i64] }
-- input { 4i64 } output { [50i64, 104i64] [101i64, 102i64] }
entry sometimes_one (k: i64) =
  let (a, b) = loop (a: *[2]i64, b: *[2]i64) = (from 0, from 10) for i < k do
    (if i % 2 == 1 then from (100 + i) else copy a, copy a)
  in (a with [0] = 50, b)

-- ==
-- entry: updated_and_moved
-- input { 0i64 } output { [0i64, 1i64] [10i64, 11i64] [20i64, 21i64] }
-- input { 1i64 } output { [10i64, 11i64] [20i64, 100i64] [0i64, 1i64] }
-- input { 2i64 } output { [20i64, 100i64] [0i64, 101i64] [10i64, 11i64] }
-- input { 3i64 } output { [0i64, 101i64] [10i64, 102i64] [20i64, 100i64] }
entry updated_and_moved (k: i64) =
  loop (a, b, c) = (from 0, from 10, from 20) for i < k do (b, copy c with [1] = 100 + i, a)

-- ==
-- entry: through_loops
-- input { 2i64 2i64 } output { [50i64, 111i64] [111i64, 112i64] [0i64, 1i64] }
-- input { 1i64 3i64 } output { [50i64, 102i64] [102i64, 103i64] [0i64, 1i64] }
-- input { 2i64 0i64 } output { [50i64, 1i64] [10i64, 11i64] [0i64, 1i64] }
-- input { 0i64 2i64 } output { [50i64, 1i64] [10i64, 11i64] [0i64, 1i64] }
entry through_loops (k: i64) (m: i64) =
  let x = from 0
  let (a, b) = loop (a, b) = (x, from 10) for i < k do loop (a, b) = (a, b) for j < m do (b, from (100 + 10 * i + j))
  in (copy a with [0] = 50, b, x)

-- ==
-- entry: while_moving
-- input { 1i64 } output { [50i64, 1i64] [10i64, 11i64] [0i64, 1i64] }
-- input { 12i64 } output { [50i64, 12i64] [12i64, 13i64] [0i64, 1i64] }
-- input { 14i64 } output { [50i64, 14i64] [14i64, 15i64] [0i64, 1i64] }
entry while_moving (k: i64) =
  let x = from 0
  let (a, b, _) = loop (a, b, c) = (x, from 10, from 11) while a[1] < k do (b, c, from (c[0] + 1))
  in (copy a with [0] = 50, b, x)

-- One array becomes two of the states, of which the next iteration updates one.
-- ==
-- entry: twice
-- input { 0i64 } output { [0i64, 1i64] [10i64, 11i64] [10i64, 11i64] }
-- input { 1i64 } output { [10i64, 11i64] [0i64, 110i64] [10i64, 11i64] }
-- input { 2i64 } output { [0i64, 110i64] [10i64, 111i64] [0i64, 110i64] }
-- input { 3i64 } output { [10i64, 111i64] [0i64, 102i64] [10i64, 111i64] }
entry twice (k: i64) =
  let b = from 10
  in loop (p, q, r) = (from 0, b, b) for i < k do (q, copy p with [1] = 100 + i + r[0], q)

-- An update in a branch concerns what moved on there, not the other state.
-- ==
-- entry: in_branch
-- input { 0i64 } output { [5i64, 6i64] [5i64, 6i64] 18i64 }
-- input { 2i64 } output { [102i64, 103i64] [7i64, 102i64] 18i64 }
entry in_branch (k: i64) =
  let (x, y) = if k > 1 then
      let (a, b) = loop (a: *[2]i64, b: *[2]i64) = (from 0, from 10) for i < 3 do (copy (from (100 + i)), a)
      let b[0] = 7
      in (copy a, b)
    else (from 5, from 5)
  in (x, y, i64.sum (map2 (*) (from 3) (from 2)))

-- The same array from outside comes in every iteration, and moves on: after two of them both states are it.
-- ==
-- entry: one_from_outside
-- input { [1.0,2.0] 0i64 } output { [99.0,4.0] [3.0,6.0] }
-- input { [1.0,2.0] 1i64 } output { [99.0,3.0] [2.0,4.0] }
-- input { [1.0,2.0] 2i64 } output { [99.0,3.0] [2.0,3.0] }
entry one_from_outside [n] (xs: [n]f64) (k: i64) =
  let cs = map (+ 1) xs
  let ys = map (* 2) xs
  let zs = map (* 3) xs
  let (a, b) = loop (a, b) = (ys, zs) for _i < k do (cs, a)
  in (copy a with [0] = 99, b)
