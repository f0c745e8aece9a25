type^ g = []i32 -> i32
-- expect
-- Error at C14.fut:1:11-23:
-- The type has an anonymous size not used constructively: it never is the size of an array [C14]
--  1 | type^ g = []i32 -> i32
--    |           ^^^^^^^^^^^^
