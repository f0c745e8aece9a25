-- What a module lacks after a mistake is not a second mistake, wherever it is used.
module type counter = { type t val start: t val next: t -> t }
module m: counter = { type t = i32 def start = 0i32 def next (x: i64) = x }
def one = m.next m.start
def two (x: m.t) : m.t = m.next x
def four : m.t = m.(next start)
module f (c: counter) = { def three = c.next c.start }
module g = f m
def three = g.three
module outer: { module inner: counter } = { module inner = m }
-- expect
-- Error at I04_used.fut:3:21-76:
-- Module type specifies [I04]
--   val next : i32 -> i32
-- but module provides
--   i64 -> i64
--  2 | module type counter = { type t val start: t val next: t -> t }
--    |                                                 ---- specified here
--  3 | module m: counter = { type t = i32 def start = 0i32 def next (x: i64) = x }
--    |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--    |                                                         ---- defined here
-- note: Cannot unify
--   i32
-- with
--   i64
-- in the parameter type
