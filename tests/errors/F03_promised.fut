-- A constant has the type that was written for it.
module type states = { type t val n: i64 val all: [n]t }
module light = { type t = #red | #green def n = 2i64 def all: [n]t = [#red, #green] }
module automaton (S: states) = { def count = length S.all }
module machine = automaton light
-- expect
-- Error at F03_promised.fut:3:70-84:
-- Sizes "n" and "2" do not match: sizes are equal only if they are written alike [F03]
--  3 | module light = { type t = #red | #green def n = 2i64 def all: [n]t = [#red, #green] }
--    |                                                                      ^^^^^^^^^^^^^^
-- note: in the result of `all`
-- note: expected: [n](#green | #red)
-- note: actual:   [2](#green | #red)
-- help: if they are equal, have it checked at run time: `([#red, #green]) :> [n](#green | #red)`
