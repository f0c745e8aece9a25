def x = i32.foo
-- expect
-- Error at B04.fut:1:9-16:
-- Unknown name "i32.foo": the module `i32` has no value `foo` [B04]
--  1 | def x = i32.foo
--    |         ^^^^^^^
