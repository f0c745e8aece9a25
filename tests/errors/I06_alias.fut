-- `b` is `a` in the module type: not any type of that name.
module type pair = { type a type b = a val same: a -> b }
module m: pair = { type a = i32 type b = i64 def same (x: a) = x }
-- The same where `a` stands in a module, has parameters, or is that of a functor's argument.
module type nested = { module n: { type a } type b = n.a }
module k: nested = { module n = { type a = i32 } type b = i64 }
module type turned = { type a 'x 'y type b 'y 'x = a x y }
module t: turned = { type a 'x 'y = (x, y) type b 'x 'y = (x, y) }
module type longer = { type a [n] type b [n] = a [n + 1] }
module l: longer = { type a [n] = [n]i32 type b [n] = [n + 2]i32 }
module f (p: { type a type b = a }) = { def same (x: p.a) : p.b = x }
module g = f { type a = i32 type b = i64 }
-- These are the same types.
module type all = { include turned type~ c type~ d = c type^ e type^ h = e }
module right: all = {
  type a 'x 'y = (x, y) type b 'x 'y = (y, x) type~ c = []i32 type~ d = []i32 type^ e = i32 -> i32 type^ h = i32 -> i32 }
-- expect
-- Error at I06_alias.fut:3:18-67:
-- Module defines [I06]
--   type b = i64
-- but module type requires
--   i32
--  2 | module type pair = { type a type b = a val same: a -> b }
--    |                                  - specified here
--  3 | module m: pair = { type a = i32 type b = i64 def same (x: a) = x }
--    |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--    |                                      - defined here
--
-- Error at I06_alias.fut:6:20-64:
-- Module defines [I06]
--   type b = i64
-- but module type requires
--   i32
--  5 | module type nested = { module n: { type a } type b = n.a }
--    |                                                  - specified here
--  6 | module k: nested = { module n = { type a = i32 } type b = i64 }
--    |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--    |                                                       - defined here
--
-- Error at I06_alias.fut:8:20-67:
-- Module defines [I06]
--   type b = (y, x)
-- but module type requires
--   (x, y)
--  7 | module type turned = { type a 'x 'y type b 'y 'x = a x y }
--    |                                          - specified here
--  8 | module t: turned = { type a 'x 'y = (x, y) type b 'x 'y = (x, y) }
--    |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--    |                                                 - defined here
--
-- Error at I06_alias.fut:10:20-67:
-- Module defines [I06]
--   type b = [n + 2]i32
-- but module type requires
--   [n + 1]i32
--   9 | module type longer = { type a [n] type b [n] = a [n + 1] }
--     |                                        - specified here
--  10 | module l: longer = { type a [n] = [n]i32 type b [n] = [n + 2]i32 }
--     |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--     |                                               - defined here
--
-- Error at I06_alias.fut:12:14-43:
-- Module defines [I15]
--   type b = i64
-- but module type requires
--   i32
-- The module is the argument for the parameter `p`, which asks for that
--  11 | module f (p: { type a type b = a }) = { def same (x: p.a) : p.b = x }
--     |                            - specified here
--  12 | module g = f { type a = i32 type b = i64 }
--     |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--     |                                  - defined here
