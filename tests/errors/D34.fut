def wrap v = #just v
-- expect
-- Error at D34.fut:1:14-21:
-- Type is ambiguous: it is not known which sum this is. Must be a sum type with constructors #just [D34]
--  1 | def wrap v = #just v
--    |              ^^^^^^^
