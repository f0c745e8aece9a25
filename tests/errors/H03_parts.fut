def f (q: *{a: [3]i32, b: [2]f32}) = let {a, b} = q let a[0] = 7 let b[0] = 8 in (a, b)
-- expect
-- Error at H03_parts.fut:1:70-71:
-- Using variable "b", but this was consumed at H03_parts.fut:1:57-58. (Possibly through aliases.) What was consumed cannot be consumed again [H03]
--  1 | def f (q: *{a: [3]i32, b: [2]f32}) = let {a, b} = q let a[0] = 7 let b[0] = 8 in (a, b)
--    |                                                                      ^
--    |                                                         - consumed here first
-- help: `a` and `b` belong to `q`, which is consumed as a whole: take it apart where it is bound, by a pattern instead of its name
