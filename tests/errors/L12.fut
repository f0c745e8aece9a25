-- with: input=1i64 [1i32,2i32]
entry main (n: i64) (xs: [n]i32) = xs
-- expect
-- ./L12: Error: entry point arguments have invalid sizes.
-- Argument `xs`: dimension 0 should be 1, but is 2.
