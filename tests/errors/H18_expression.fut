def turned [n] (a: [n]i64) (k: i64) =
  let p = map (+ 1) a
  in loop x = copy p for _i < k do (let _ = x with [0] = 2 in reverse p)
-- expect
-- Error at H18_expression.fut:3:63-72:
-- Return value for consuming loop parameter "x" aliases "p", which is bound outside the loop [H18]
--  3 |   in loop x = copy p for _i < k do (let _ = x with [0] = 2 in reverse p)
--    |                                                               ^^^^^^^^^
-- help: return a copy: `copy (reverse p)`
