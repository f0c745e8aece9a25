-- Elementary cellular automata: the rule table is built by a module from a number.
module rule (P: { val number: u8 }) = {
  def table = map (\i -> (P.number >> u8.i64 i) & 1) (iota 8)

  def step [n] (cells: [n]u8): [n]u8 =
    map3 (\l c r -> table[i64.u8 (l << 2 | c << 1 | r)]) (rotate (-1) cells) cells (rotate 1 cells)

  def history [n] (k: i64) (start: [n]u8): [k][n]u8 =
    (loop (rows, c) = (replicate k (replicate n 0), start) for i < k do
       (rows with [i] = c, step c)).0
}

module r30 = rule { def number = 30u8 }
module r110 = rule { def number = 110u8 }

module both = {
  local module hidden = rule { def number = 90u8 }
  def mix [n] (c: [n]u8) = map2 (^) (hidden.step c) (r30.step c)
}

-- ==
-- entry: run
-- input { 4i64 [0u8,0u8,0u8,1u8,0u8,0u8,1u8] }
-- output { [[0u8, 0u8, 0u8, 1u8, 0u8, 0u8, 1u8], [1u8, 0u8, 1u8, 1u8, 1u8, 1u8, 1u8], [0u8, 0u8, 1u8, 0u8, 0u8, 0u8, 0u8],
--   [0u8, 1u8, 1u8, 1u8, 0u8, 0u8, 0u8]] [[0u8, 0u8, 0u8, 1u8, 0u8, 0u8, 1u8], [0u8, 0u8, 1u8, 1u8, 0u8, 1u8, 1u8], [0u8,
--   1u8, 1u8, 1u8, 1u8, 1u8, 1u8], [1u8, 1u8, 0u8, 0u8, 0u8, 0u8, 1u8]] [0u8, 0u8, 0u8, 1u8, 0u8, 0u8, 1u8] }
entry run [n] (k: i64) (c: [n]u8) = (r30.history k c, r110.history k c, both.mix c)
