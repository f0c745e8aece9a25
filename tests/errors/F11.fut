def f (xss: [][]i32) = map (filter (> 0)) xss
def g (ns: []i64) = map iota ns
def h (ns: []i64) = map (\n -> iota n) ns
-- expect
-- Error at F11.fut:1:28-42:
-- A type parameter that is not lifted cannot stand for a type containing anonymous sizes: every call would make an array of another size [F11]
--  1 | def f (xss: [][]i32) = map (filter (> 0)) xss
--    |                            ^^^^^^^^^^^^^^
--    |                        --- the size `d0` is left open here
-- note: in the argument of `map`
-- note: expected: []i32 -> []i32
-- note: actual:   []i32 -> ?[k0].*[k0]i32
--
-- Error at F11.fut:2:25-29:
-- A type parameter that is not lifted cannot stand for a type containing anonymous sizes: every call would make an array of another size [F11]
--  2 | def g (ns: []i64) = map iota ns
--    |                         ^^^^
--    |                     --- the size `d0` is left open here
-- note: in the argument of `map`
-- note: expected: i64 -> []i64
-- note: actual:   (n: i64) -> *[n]i64
--
-- Error at F11.fut:3:25-39:
-- A type parameter that is not lifted cannot stand for a type containing anonymous sizes: every call would make an array of another size [F11]
--  3 | def h (ns: []i64) = map (\n -> iota n) ns
--    |                         ^^^^^^^^^^^^^^
--    |                     --- the size `d0` is left open here
-- note: in the argument of `map`
-- note: expected: i64 -> []i64
-- note: actual:   (n: i64) -> [n]i64
