-- Ranges near the ends of their types, and steps of more than half of them. Differences that 64 bits cannot hold must not make
-- a range short. A range of 2^63 elements does not exist. The same holds for slices, and for products of sizes.
-- ==
-- entry: inclusive
-- input { 4611686018427387903i64 9223372036854775807i64 9223372036854775807i64 }
-- output { [4611686018427387903i64, 9223372036854775807i64] }
-- input { 9223372036854775806i64 4611686018427387903i64 2i64 } output { [9223372036854775806i64, 4611686018427387903i64] }
-- input { 9223372036854775806i64 -9223372036854775807i64 0i64 } output { [9223372036854775806i64] }
-- input { 0i64 9223372036854775807i64 9223372036854775807i64 } output { [0i64, 9223372036854775807i64] }
-- input { 1i64 3i64 0i64 } error: Range 1\.\.3\.\.\.0 is invalid
-- input { 1i64 1i64 1i64 } error: is invalid

-- ==
-- entry: upwards
-- input { -9223372036854775808i64 1i64 3074457345618258602i64 } output { [-9223372036854775808i64, 1i64] }
-- input { 2i64 9223372036854775807i64 9223372036854775806i64 } output { [2i64] }
-- input { 5i64 9223372036854775807i64 5i64 } output { empty([0]i64) }

-- ==
-- entry: downwards
-- input { 4611686018427387903i64 0i64 -9223372036854775807i64 }
-- output { [4611686018427387903i64, 0i64, -4611686018427387903i64, -9223372036854775806i64] }
-- input { 9223372036854775806i64 -9223372036854775807i64 0i64 } output { [9223372036854775806i64] }

-- ==
-- entry: unsigned
-- input { 1u64 9223372036854775809u64 18446744073709551615u64 } output { [1u64, 9223372036854775809u64] }
-- input { 9223372036854775806u64 9223372036854775807u64 9223372036854775809u64 }
-- output { [9223372036854775806u64, 9223372036854775807u64, 9223372036854775808u64, 9223372036854775809u64] }
-- input { 18446744073709551615u64 2u64 0u64 } output { [18446744073709551615u64, 2u64] }

-- ==
-- entry: total
-- input { -9223372036854775808i64 9223372036854775807i64 } error: Range .* is invalid
-- input { 0i64 9223372036854775807i64 } error: Range .* is invalid
-- input { 9223372036854775805i64 9223372036854775807i64 } output { 9223372036854775802i64 }

-- ==
-- entry: evens
-- input { 9223372036854775804i64 9223372036854775807i64 } output { [9223372036854775804i64, 9223372036854775806i64] }
-- input { -9223372036854775808i64 9223372036854775807i64 } error: is invalid
-- input { 3i64 3i64 } output { empty([0]i64) }

-- ==
-- entry: part
-- input { [1, 2, 3] 0i64 3i64 9223372036854775807i64 } output { [1] }
-- input { [1, 2, 3] 1i64 9223372036854775807i64 9223372036854775807i64 } output { [2] }
-- input { [1, 2, 3] 2i64 -1i64 -9223372036854775808i64 } output { [3] }
-- input { [1, 2, 3] 2i64 0i64 -2i64 } output { [3] }
-- input { [1, 2, 3] 5i64 3i64 2i64 } output { empty([0]i32) }
-- input { [1, 2, 3] 9223372036854775807i64 9223372036854775807i64 -9223372036854775808i64 } output { empty([0]i32) }
-- input { [1, 2, 3] 2i64 -5i64 -9223372036854775808i64 } error: Index \[2:-5:-9223372036854775808\] out of bounds
-- input { [1, 2, 3] -9223372036854775808i64 9223372036854775807i64 9223372036854775807i64 } error: out of bounds

-- ==
-- entry: every_second
-- input { [1, 2, 3] 0i64 3i64 } output { [1, 3] }
-- input { [1, 2, 3] 0i64 9223372036854775807i64 } error: out of bounds
-- input { [1, 2, 3] -9223372036854775808i64 9223372036854775807i64 } error: out of bounds

-- ==
-- entry: entry_of
-- input { 2i64 3i64 [1, 2, 3, 4, 5, 6] } output { 4 }
-- input { 3i64 6148914691236517206i64 [1, 2] } error: Cannot unflatten array of shape \[2\] to array of shape \[3\]\[6148914691236517206\]
-- input { 4294967296i64 4294967296i64 empty([0]i32) } error: Cannot unflatten array of shape \[0\]
entry inclusive (x: i64) (y: i64) (z: i64): []i64 = x..y...z
entry upwards (x: i64) (y: i64) (z: i64): []i64 = x..y..<z
entry downwards (x: i64) (y: i64) (z: i64): []i64 = x..y..>z
entry unsigned (x: u64) (y: u64) (z: u64): []u64 = x..y...z
entry total (x: i64) (z: i64): i64 = i64.sum (x...z)
entry evens (x: i64) (z: i64): []i64 = x..x + 2..<z
entry part (xs: []i32) (i: i64) (j: i64) (s: i64): []i32 = xs[i:j:s]
entry every_second (xs: []i32) (i: i64) (j: i64): []i32 = xs[i:j:2]
entry entry_of (n: i64) (m: i64) (xs: []i32): i32 = (unflatten (xs :> [n * m]i32))[1, 0]
