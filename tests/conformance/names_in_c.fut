-- Names of the program that are also names of the generated C: chunks of parallel loops and what they capture, the function of top-level
-- values, entry points with a number at their end.
-- ==
-- entry: main
-- input { 100000i64 3i64 4i64 } output { 5000850000i64 }

def f_main: i64 = opaque 7
def entry_main: i64 = opaque 5
def chunk: i64 = i64.sum (map (* f_main) (iota (opaque 3)))

entry main (n: i64) (chunk: i64) (captures: i64): i64 =
  i64.sum (map (\i -> i + chunk) (iota n)) + i64.sum (map (\i -> (i % 2) * captures * 3) (iota n))

-- ==
-- entry: main_0
-- input { 5i64 } output { 60i64 }
entry main_0 (f_main_0: i64): i64 = f_main_0 * (entry_main + f_main)

-- ==
-- entry: constants
-- input { 5i64 } output { 17i64 }
entry constants (c: i64): i64 = c + entry_main + f_main - chunk + 21
