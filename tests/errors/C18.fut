module type s = { val f: []i32 -> i32 }
-- expect
-- Error at C18.fut:1:26-38:
-- Parameters of a value in a module type must have non-anonymous sizes: name the size in front, as in `val f [n] : ..` [C18]
--  1 | module type s = { val f: []i32 -> i32 }
--    |                          ^^^^^^^^^^^^
