def f (ws: []i64) = i64.sum <| filter (!= 7) ws
def g (ws: []i64) = let e = [] let y = filter (> 2) ws in e ++ [y]
-- expect
-- Error at F12.fut:1:21-28:
-- Causality check: the size k0 is needed here, but computed only later [F12]
--  1 | def f (ws: []i64) = i64.sum <| filter (!= 7) ws
--    |                     ^^^^^^^
-- note: `k0` is an unknown size returned by `filter` at F12.fut:1:32-48
-- help: bind the value that has this size with `let` first
--
-- Error at F12.fut:2:29-31:
-- Causality check: the size k0 is needed here, but computed only later [F12]
--  2 | def g (ws: []i64) = let e = [] let y = filter (> 2) ws in e ++ [y]
--    |                             ^^
-- note: `k0` is an unknown size returned by `filter` at F12.fut:2:40-55
-- help: bind the value that has this size with `let` first
