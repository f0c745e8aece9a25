def total (xs: []i32) = reduce i32.(+) 0 xs

def less (x: i32) (y: i32) = i32.(-) x y

def twice (x: i32) = i32.(x +)
-- expect
-- Error at A04_module_operator.fut:1:37-38:
-- Unexpected token: `+`, expected an expression [A04]
--  1 | def total (xs: []i32) = reduce i32.(+) 0 xs
--    |                                     ^
-- help: an operator of a module as a function is `(i32.+)`
--
-- Error at A04_module_operator.fut:3:35-36:
-- Unexpected token: `-`, expected an expression [A04]
--  3 | def less (x: i32) (y: i32) = i32.(-) x y
--    |                                   ^
-- help: an operator of a module as a function is `(i32.-)`
--
-- Error at A04_module_operator.fut:5:29-30:
-- Unexpected token: `+`, expected `)` after the expression [A04]
--  5 | def twice (x: i32) = i32.(x +)
--    |                             ^
--    |                          - opened here
