def g (n: i64): i64 = length (loop (xs: [][]i64) = [] for _i < n do xs)
def h = length (let e = [] in e ++ [[]])
-- expect
-- Error at F08_loop.fut:1:52-54:
-- Ambiguous size: nothing determines a size here [F08]
--  1 | def g (n: i64): i64 = length (loop (xs: [][]i64) = [] for _i < n do xs)
--    |                                                    ^^
-- help: write the type of this, with a size for it, as `([] : [0][1]i32)`
