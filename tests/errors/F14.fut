def mk (o: #l i64 | #r i64) = let w = match o case #l a -> a case #r a -> a + 1 in \(q: [w]f32) -> q[0]
-- expect
-- Error at F14.fut:1:8-28:
-- Unknown size w in parameter of the resulting function: it can never be applied [F14]
--  1 | def mk (o: #l i64 | #r i64) = let w = match o case #l a -> a case #r a -> a + 1 in \(q: [w]f32) -> q[0]
--    |        ^^^^^^^^^^^^^^^^^^^^
