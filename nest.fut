entry main (xs: []f64) (n: i64) = 
