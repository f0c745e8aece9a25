entry main (xs: []i64) = xs |> scan (+) 0 |> map (+ 0)
