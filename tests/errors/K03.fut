def c = iota (let n = 2 in n)
-- expect
-- Warning at K03.fut:1:14-30:
--   The argument binds names, so the size that depends on it is replaced by unknown size k0 [K03]
--    1 | def c = iota (let n = 2 in n)
--      |              ^^^^^^^^^^^^^^^^
