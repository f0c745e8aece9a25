def ap (f: []i32 -> i32) (x: []i32) = f x
def k (a: *[]i32) = a[0]
def z a = ap k a
-- expect
-- Error at H15.fut:3:14-15:
-- The function types are incompatible regarding consuming their arguments [H15]
--  3 | def z a = ap k a
--    |              ^
-- note: in the argument of `ap`
-- note: expected: []i32 -> i32
-- note: actual:   *[]i32 -> i32
