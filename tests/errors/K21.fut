entry scaled (x: i32) = x * #[param(factor)] 16
entry unnamed (x: i64) = x * #[param] 16
entry numbered (x: i64) = x * #[param(3)] 16
entry pair = #[param(both)] (1i64, 2i64)
module m: {type t val four: t} = {type t = i64 def four = 4i64}
entry right (x: i64) = (x * #[param(factor)] 16, #[param(four)] m.four)
-- expect
-- Warning at K21.fut:1:31-44:
--   `#[param(name)]` has no effect: it is for numbers of type i64 [K21]
--    1 | entry scaled (x: i32) = x * #[param(factor)] 16
--      |                               ^^^^^^^^^^^^^
--      |                                              -- this has type i32
--
-- Warning at K21.fut:2:32-37:
--   `#[param(name)]` has no effect: it takes one name [K21]
--    2 | entry unnamed (x: i64) = x * #[param] 16
--      |                                ^^^^^
--
-- Warning at K21.fut:4:16-27:
--   `#[param(name)]` has no effect: it is for numbers of type i64 [K21]
--    4 | entry pair = #[param(both)] (1i64, 2i64)
--      |                ^^^^^^^^^^^
--      |                             ------------ this has type (i64, i64)
