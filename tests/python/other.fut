-- A second program in the same process.
entry norm (xs: []f64): f64 = f64.maximum xs

type option = #some i32 | #none
entry options (n: i64): []option = replicate n (#some 1)
