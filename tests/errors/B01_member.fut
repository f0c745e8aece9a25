module m = { def twice (x: f64) = 2 * x }

def f (xs: []f64) = twice (sum (map sqrt xs))
-- expect
-- Error at B01_member.fut:3:21-26:
-- Unknown name "twice" [B01]
--  3 | def f (xs: []f64) = twice (sum (map sqrt xs))
--    |                     ^^^^^
-- help: it is a member of modules: `m.twice`
--
-- Error at B01_member.fut:3:28-31:
-- Unknown name "sum" [B01]
--  3 | def f (xs: []f64) = twice (sum (map sqrt xs))
--    |                            ^^^
-- help: it is a member of modules: `f64.sum`, `f32.sum`, `i64.sum`
--
-- Error at B01_member.fut:3:37-41:
-- Unknown name "sqrt" [B01]
--  3 | def f (xs: []f64) = twice (sum (map sqrt xs))
--    |                                     ^^^^
-- help: it is a member of modules: `f64.sqrt`, `f32.sqrt`, `f16.sqrt`
