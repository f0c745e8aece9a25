def f (xs: []i32) = loop (acc = 0) for x in xs do acc + x
-- expect
-- Error at A04_loop_pair.fut:1:31-32:
-- Unexpected token: `=`, expected `)` after the pattern [A04]
--  1 | def f (xs: []i32) = loop (acc = 0) for x in xs do acc + x
--    |                               ^
--    |                          - opened here
-- help: a value stands behind the whole pattern: `loop (x, y) = (0, 1) for ..`
