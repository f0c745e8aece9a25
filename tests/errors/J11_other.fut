-- with: command=c; args=-w
type~ acc 'a = intrinsics.acc a
entry main (xs: *[3]i32) (is: []i64) =
  intrinsics.scatter_stream xs (\(out: *acc ([3]i32)) i ->
    let zs = intrinsics.scatter_stream [0, 0, 0] (\(_: *acc ([3]i32)) _ -> out) [i]
    in intrinsics.acc_write out i zs[0]) is
-- expect
-- Error at J11_other.fut:5:14-84:
-- An accumulator cannot be used in this way: the function of a stream returns the accumulator of another stream [J11]
--  5 |     let zs = intrinsics.scatter_stream [0, 0, 0] (\(_: *acc ([3]i32)) _ -> out) [i]
--    |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
