entry main (xs: *[]i64) (x: i64) =
  let xs = xs with [0] = x + 0
  let xs = xs with [1] = x + 1
  let xs = xs with [2] = x + 2
  let xs = xs with [3] = x + 3
  let xs = xs with [4] = x + 4
  let xs = xs with [5] = x + 5
  let xs = xs with [6] = x + 6
  let xs = xs with [7] = x + 7
  let xs = xs with [8] = x + 8
  let xs = xs with [9] = x + 9
  in xs
