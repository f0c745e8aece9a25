def call (f: i64 -> *[]i32) = f 3
def keep (xs: []i32) = call (\_ -> xs)
-- expect
-- Error at H16.fut:2:29-39:
-- The function types have incompatible uniqueness of results [H16]
--  2 | def keep (xs: []i32) = call (\_ -> xs)
--    |                             ^^^^^^^^^^
-- note: in the argument of `call`
-- note: expected: i64 -> ?[k0].*[k0]i32
-- note: actual:   i64 -> []i32
-- help: the result of a lambda is unique only if its type says so, as in `\x: *[]t -> ..`
