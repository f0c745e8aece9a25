-- ==
-- property: small reverse_twice sorted

#[prop]
entry small (x: i8) = x < 100

#[prop]
entry reverse_twice [n] (xs: [n]i32) = all id (map2 (==) xs (reverse (reverse xs)))

#[prop(gen(make),shrink(smaller),size(20))]
entry sorted (xs: []i64) = all id (map (\i -> i == 0 || xs[i - 1] <= xs[i]) (indices xs))

entry make (n: i64) (seed: u64): []i64 = map (\i -> i64.u64 (seed >> u64.i64 (i % 60)) % 10) (iota n)
entry smaller (xs: []i64) (r: u64): []i64 = if length xs == 0 then xs else let k = i64.u64 (r % u64.i64 (length xs)) in xs[:k] ++ xs[k + 1:]
