-- In-place updates of nested records in arrays and arrays in records (steps of all kinds).
type cell = {v: i32, w: (f32, [2]u8)}
type grid [n] = {rows: [n]cell, tag: {name: i32, on: bool}}

def touch [n] (g: *grid [n]) (i: i64): *grid [n] =
  let g.rows[i].v = g.rows[i].v + 1
  let g.tag.on = !g.tag.on
  in g with rows[i].w.0 = 2.5

-- ==
-- entry: touched
-- input { 3i64 [0i64,2i64,2i64] }
-- output { [1i32, 0i32, 2i32] [2.5f32, 0.0f32, 2.5f32] [[1u8, 99u8], [1u8, 2u8], [1u8, 2u8]] true }
entry touched [m] (n: i64) (is: [m]i64) =
  let g: *grid [n] = {rows = replicate n {v = 0, w = (0, [1, 2])}, tag = {name = 7, on = false}}
  let g = loop g for i in is do touch g i
  let g = g with rows[0].w.1[1] = 99
  in (map (.v) g.rows, map (.w.0) g.rows, map (.w.1) g.rows, g.tag.on)
