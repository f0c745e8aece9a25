-- with: command=opencl; args=--no-host_loops
def walk (n: i32) (acc: i32) : i32 = if n <= 0 then acc else walk (n - 1) (acc * 3 + n)
entry main [k] (xs: [k]i32) = map (\x -> walk x 1) xs
-- expect
-- Error at J09.fut:3:42-50:
-- This cannot run on the device: a call of `walk`, which is recursive or too large [J09]
--  3 | entry main [k] (xs: [k]i32) = map (\x -> walk x 1) xs
--    |                                          ^^^^^^^^
-- help: compile it with `c` or `multicore`
