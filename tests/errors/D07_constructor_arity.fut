def f = match (#p 1 : #p i32) case #p a b -> a
-- expect
-- Error at D07_constructor_arity.fut:1:36-41:
-- Pattern `#p a b` cannot match value of type [D07]
--   #p i32
--  1 | def f = match (#p 1 : #p i32) case #p a b -> a
--    |                                    ^^^^^^
-- note: uses of the constructor `#p` differ in arity
