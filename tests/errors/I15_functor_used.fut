-- What uses a module that was not made is no mistake.
module type maker = { type t val make : i64 -> t }
module lists (M: maker) = { def all [n] (xs: [n]i64) = map M.make xs }
module wrong = { type t = #a | #b def make (x: i64) = x }
module made = lists wrong
def first (xs: []i64) = (made.all xs)[0] == #a
def name (xs: []i64) = (made.all xs)[0].name
def kind (xs: []i64) = match (made.all xs)[0] case #one {x, y = #b} -> x case _ -> 0i32
-- expect
-- Error at I15_functor_used.fut:5:21-26:
-- Module type specifies [I15]
--   val make : i64 -> #a | #b
-- but module provides
--   i64 -> i64
-- The module is the argument for the parameter `M`, which asks for that
--  2 | module type maker = { type t val make : i64 -> t }
--    |                                  ---- specified here
--  4 | module wrong = { type t = #a | #b def make (x: i64) = x }
--    |                                       ---- defined here
--  5 | module made = lists wrong
--    |                     ^^^^^
-- note: Cannot unify
--   #a | #b
-- with
--   i64
-- in the result type
