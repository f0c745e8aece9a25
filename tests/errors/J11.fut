-- with: command=c; args=-w
type~ acc 'a = intrinsics.acc a
def count [n] (out: *acc ([n]i32)) (k: i64): acc ([n]i32) = if k <= 0 then out else count (intrinsics.acc_write out k 1) (k - 1)
entry main [n] (xs: *[n]i32) (ks: []i64) = intrinsics.hist_stream xs (+) 0 (\(out: *acc ([n]i32)) k -> count out k) ks
-- expect
-- Error at J11.fut:4:104-115:
-- An accumulator cannot be used in this way: it is given to a recursive function [J11]
--  4 | entry main [n] (xs: *[n]i32) (ks: []i64) = intrinsics.hist_stream xs (+) 0 (\(out: *acc ([n]i32)) k -> count out k) ks
--    |                                                                                                        ^^^^^^^^^^^
