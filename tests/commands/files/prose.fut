-- # Squares
--
-- A *square* is a number times itself.
def square (x: i64): i64 = x * x

-- ==
-- entry: main
-- input { 3i64 } output { 9i64 }
entry main (x: i64) = square x

-- > square 12

-- > :covert (square 2, {half = 0.5})

def curve (n: i64): ([]i64, []i64) = (iota n, map square (iota n))

-- > :plot2d curve 10;
-- size: (300, 200)
-- file: curve.svg

-- > :brief :plot2d {squares = curve 10};
-- file: named.svg

def grey (n: i64) = tabulate_2d n n (\i j -> f32.i64 (i * j) / f32.i64 (n * n))

-- > :img grey 16

-- > :audio square 3

-- The end.
