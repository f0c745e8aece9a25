def f = match (#p 1 : #p i32) case #p a b -> a
-- expect
-- Error at D14.fut:1:36-42:
-- Pattern `#p a b` cannot match value of type [D14]
--   #p i32
-- The uses of the constructor `#p` differ in arity: 1 and 2
--  1 | def f = match (#p 1 : #p i32) case #p a b -> a
--    |                                    ^^^^^^
