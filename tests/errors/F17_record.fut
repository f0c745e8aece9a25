-- A field of the state gets a value of another size: one message, which says where.
def train (n: i64) (m: i64) (k: i64) (xs: [][]f32) =
  let init = {hid = {w = replicate m (replicate n 0.1f32), b = replicate m 0f32},
              out = {w = replicate k (replicate m 0.5f32), b = replicate k 0f32}}
  in loop net = init for x in xs do
       let h = map2 (\r b -> f32.tanh (b + f32.sum (map2 (*) r x))) net.hid.w net.hid.b
       let y = map2 (\r b -> f32.tanh (b + f32.sum (map2 (*) r h))) net.out.w net.out.b
       let dy = map (\v -> v * (1 - v)) y
       let dh = map (\c -> f32.sum (map2 (*) dy c)) (transpose net.out.w)
       let net = net with hid.b = dy
       let net = net with out.b = dh
       in net with hid.w = map2 (\r d -> map2 (\w v -> w - d * v) r x) net.hid.w dh
entry main xs = (train 2 3 4 xs).out.b
-- expect
-- Error at F17_record.fut:6:79-88:
-- Sizes "m" and "k0" do not match: one of them changes from iteration to iteration. [F17]
-- Loop body does not have expected type if the size is to stay the same
--   6 |        let h = map2 (\r b -> f32.tanh (b + f32.sum (map2 (*) r x))) net.hid.w net.hid.b
--     |                                                                               ^^^^^^^^^
--  10 |        let net = net with hid.b = dy
--     |                                   -- this makes it `k`
-- note: in the argument of `map2`
-- note: expected: [m]f32
-- note: actual:   [k0]f32
-- note: `k0` is a size that changes from iteration to iteration of the loop at F17_record.fut:5:6-12:84
-- note: `k0` is `m` before the loop, and its body makes it `k`
