entry main (xs: []i64) = xs |> map (+ 0) |> map (+ 1)
