-- A second program in the same process.
entry norm (xs: []f64): f64 = f64.maximum xs

type option = #some i32 | #none
entry options (n: i64): []option = replicate n (#some 1)

-- Modules of the package are called so.
entry _native (x: i32) = x + 1
entry _interface (x: i32) = x + 2
entry _support (x: i32) = x + 3
entry _derivatives (x: i32) = x + 4
