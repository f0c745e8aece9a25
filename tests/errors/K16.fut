#[inlnie]
def f (x: f64) = #[boud(40)] loop x while x < 100 do x * 2
def g (x: f64) = #[my_own_tool(1)] f x
-- expect
-- Warning at K16.fut:1:3-9:
--   Unknown attribute `inlnie`: it has no effect [K16]
--    1 | #[inlnie]
--      |   ^^^^^^
--   help: did you mean `inline`?
--
-- Warning at K16.fut:2:20-28:
--   Unknown attribute `boud`: it has no effect [K16]
--    2 | def f (x: f64) = #[boud(40)] loop x while x < 100 do x * 2
--      |                    ^^^^^^^^
--   help: did you mean `bound`?
--
-- Warning at K16.fut:3:20-34:
--   Unknown attribute `my_own_tool`: it has no effect [K16]
--    3 | def g (x: f64) = #[my_own_tool(1)] f x
--      |                    ^^^^^^^^^^^^^^
