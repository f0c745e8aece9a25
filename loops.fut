entry main (x: f64) (n: i64) = a-1 * 0.5 + 1
