-- counts.fut - how often each of k numbers occurs.
entry counts [n] (k: i64) (is: [n]i64): [k]i32 = reduce_by_index (replicate k 0) (+) 0 is (replicate n 1i32)
