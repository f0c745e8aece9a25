def first [n] (a: [n]i64) (k: i64) =
  let (p, _) = unzip (map (\i -> (i, i)) a)
  in loop x = copy p for _i < k do (let _ = x with [0] = 2 in p)
-- expect
-- Error at H18_unnamed.fut:3:63-64:
-- Return value for consuming loop parameter "x" aliases "p", which is bound outside the loop [H18]
--  3 |   in loop x = copy p for _i < k do (let _ = x with [0] = 2 in p)
--    |                                                               ^
-- help: return a copy: `copy p`
