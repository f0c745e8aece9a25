def pick (c: bool) (p: i64) (q: i64) : [4]bool = if c then replicate p true else replicate q false
-- expect
-- Error at F22.fut:1:50-99:
-- Sizes "4" and "k0" do not match: the branches have different sizes [F22]
--  1 | def pick (c: bool) (p: i64) (q: i64) : [4]bool = if c then replicate p true else replicate q false
--    |                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- note: in the result of `pick`
-- note: expected: [4]bool
-- note: actual:   [k0]bool
-- note: `k0` is unknown due to conditional expression at F22.fut:1:50-99
