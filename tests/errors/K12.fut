-- with: args=--warn=K12
let limit = 5i32
-- expect
-- Warning at K12.fut:2:1-4:
--   A definition at the top level is written with `def` [K12]
--    2 | let limit = 5i32
--      | ^^^
--   help: write `def`
