def f (n: i64): (#none | #some ([]i64)) = loop x = #none for i < n do if i > 3 then #some (iota i) else x
def g (n: i64): i64 = length (loop (xs: [][]i64) = [] for _i < n do xs)
def h = length (let e = [] in e ++ [[]])
-- expect
-- Error at F08_loop.fut:1:52-57:
-- Ambiguous size: nothing determines a size here [F08]
--  1 | def f (n: i64): (#none | #some ([]i64)) = loop x = #none for i < n do if i > 3 then #some (iota i) else x
--    |                                                    ^^^^^
-- help: the loop changes this size: write the type of its start, with a size for it, as `([] : [0][1]i32)`
--
-- Error at F08_loop.fut:2:52-54:
-- Ambiguous size: nothing determines a size here [F08]
--  2 | def g (n: i64): i64 = length (loop (xs: [][]i64) = [] for _i < n do xs)
--    |                                                    ^^
-- help: write the type of this, with a size for it, as `([] : [0][1]i32)`
