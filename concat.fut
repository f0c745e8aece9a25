entry main (xs: []i64) = xs ++ xs ++ xs
