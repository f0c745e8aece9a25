def f (n: i64) = let q = (iota n, iota n) let (a, b) = q let c = a with [0] = 1 in (c, b)
-- expect
-- Error at H02_parts.fut:1:88-89:
-- Using variable "b", but this was consumed at H02_parts.fut:1:66-67. (Possibly through aliases.) It shares memory with `a`, which was consumed there [H02]
--  1 | def f (n: i64) = let q = (iota n, iota n) let (a, b) = q let c = a with [0] = 1 in (c, b)
--    |                                                                                        ^
--    |                                                                  - `a` is consumed here
-- help: `a` and `b` belong to `q`, which is consumed as a whole: take it apart where it is bound, by a pattern instead of its name
