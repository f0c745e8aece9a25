-- with: command=c; args=--server
module a = { type t = {x: i32} def make (x: i32) : t = {x} }
module b = { module a = { type t = {y: bool} def make (y: bool) : t = {y} } }
entry first (x: i32) : a.t = a.make x
open b
entry second (y: bool) : a.t = a.make y
-- expect
-- Error at J06.fut:6:7-13:
-- Different types of the entry points have the same external name: a.t [J06]
--  6 | entry second (y: bool) : a.t = a.make y
--    |       ^^^^^^
