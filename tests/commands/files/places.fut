-- places.fut - expressions that fail: each is called with an index of 5, or 0, and an array of one element.
entry operator (i: i64) (xs: []i64) = 1 + xs[0] / i
entry index (i: i64) (xs: []i64) = ((xs[i])) + 1
entry range (i: i64) (xs: []i64) = map (+ length xs) (i...0)
entry section (i: i64) (xs: []i64) = map (/i) xs
entry left_section (i: i64) (xs: []i64) = map (\x -> (1 /) (x * i)) xs
entry index_section (i: i64) (xs: []i64) = (.[i]) xs
entry update (i: i64) (xs: []i64) = (copy xs) with [i] = 3
entry call (i: i64) (xs: []i64) = i64.sum (take i xs)
entry lines (i: i64) (xs: []i64) = xs[i +
                                      1]
def quotient (x: i64) (y: i64) = x / y
entry function (i: i64) (xs: []i64) = map (\x -> quotient x i) xs
