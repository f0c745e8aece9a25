-- with: command=opencl
def walk (n: i32) (acc: i32) : i32 = if n <= 0 then acc else walk (n - 1) (acc * 3 + n)
entry main [k] (xs: [k]i32) = map (\x -> walk x 1) xs
-- expect
-- Warning at K20.fut:3:42-50:
--   A loop of the CPU runs this, because the device cannot: a call of `walk`, which is recursive or too large [K20]
--    3 | entry main [k] (xs: [k]i32) = map (\x -> walk x 1) xs
--      |                                          ^^^^^^^^
