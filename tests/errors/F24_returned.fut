-- One message, though the result of the loop has the size that the body needs.
def best [n] (cap: i64) (ws: [n]i64): [cap + 1]i64 =
  loop best = replicate (cap + 1) 0 for w in ws do map2 (\c b -> i64.max c (b + w)) (0...cap) best
-- expect
-- Error at F24_returned.fut:3:15-36:
-- Initial loop values do not have expected type: the body needs the size cap - 0 + 1, the start has cap + 1 [F24]
--  3 |   loop best = replicate (cap + 1) 0 for w in ws do map2 (\c b -> i64.max c (b + w)) (0...cap) best
--    |               ^^^^^^^^^^^^^^^^^^^^^
