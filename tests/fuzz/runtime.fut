-- runtime.fut - parameters and results of all kinds, for fuzz_runtime.c.
type~ point = {x: i32, y: []f64}
type shape = #circle f64 | #square f64 (i8, bool) | #none
entry numbers (a: i8) (b: u16) (c: i64) (d: u64) (e: bool) = (a, b, c, d, e)
entry floats (a: f16) (b: f32) (c: f64) = (a, b, c)
entry arrays (a: []i32) (b: []bool) (c: []u8) (d: []f32) = (map (+ 1) a, map (\x -> !x) b, reverse c, d)
entry deep [n][m] (a: [n][m]f64) (b: [][][]i16) = (map f64.sum a, transpose a, b)
entry point (x: i32) (y: []f64): point = {x = x, y = y}
entry points (n: i64): []{x: i64, y: f32} = map (\i -> {x = i, y = f32.i64 i}) (iota n)
entry shape (f: f64): shape = if f > 0 then #circle f else if f == 0 then #none else #square f (3, true)
entry area (s: shape): f64 = match s case #circle r -> r case #square a (b, _) -> a + f64.i8 b case #none -> 0
entry tuned = #[param(block_rows)] 16i64
