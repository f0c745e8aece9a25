def ap (f: () -> *[]i32) = f ()
def k () : []i32 = [1]
def z = ap k
-- expect
-- Error at H16_1.fut:3:12-13:
-- The function types have incompatible uniqueness of results [H16]
--  3 | def z = ap k
--    |            ^
-- note: in the argument of `ap`
-- note: expected: () -> ?[k0].*[k0]i32
-- note: actual:   () -> [1]i32
