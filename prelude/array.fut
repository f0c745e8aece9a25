-- | Arrays: size, access, construction, shape.

import "functional"

-- | The number of elements.
def length [n] 't (_: [n]t): i64 = n

-- | Has the array no elements?
def null [n] 't (_: [n]t): bool = n == 0

-- | The first element.
def head [n] 't (xs: [n]t): t = xs[0]

-- | The last element.
def last [n] 't (xs: [n]t): t = xs[n - 1]

-- | All but the first element.
def tail [n] 't (xs: [n]t): [n - 1]t = xs[1:]

-- | All but the last element.
def init [n] 't (xs: [n]t): [n - 1]t = xs[0:n - 1]

-- | The first i elements.
def take [n] 't (i: i64) (xs: [n]t): [i]t = xs[0:i]

-- | Without the first i elements.
def drop [n] 't (i: i64) (xs: [n]t): [n - i]t = xs[i:]

-- | Cut in two; where follows from the types.
def split [n] [m] 't (xs: [n + m]t): ([n]t, [m]t) = (xs[:n], xs[n:] :> [m]t)

-- | The same array, checked to have n elements.
def sized [m] 't (n: i64) (xs: [m]t): [n]t = xs :> [n]t

-- | Back to front.
def reverse [n] 't (xs: [n]t): [n]t = xs[::-1]

#[intrinsic]
def iota (n: i64): *[n]i64 = ???

-- | The valid indices.
def indices [n] 't (_: [n]t): *[n]i64 = iota n

-- | n copies of x.
#[intrinsic]
def replicate 't (n: i64) (x: t): *[n]t = ???

-- | Copies of x, as many as the context asks for.
def rep 't [n] (x: t): *[n]t = replicate n x

#[intrinsic]
local def map_ 'a [n] 'x (f: a -> x) (xs: [n]a): *[n]x = ???

-- | Element i is element (i + r) mod n of the array.
def rotate [n] 't (r: i64) (xs: [n]t): *[n]t =
  map_ (\i -> xs[(i + r % n) % n]) (iota n)

-- | f 0, f 1, .., f (n - 1)
def tabulate 'a (n: i64) (f: i64 -> a): *[n]a = map_ f (iota n)

-- | A matrix by row and column.
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a): *[n][m]a =
  map_ (\i -> map_ (\j -> f i j) (iota m)) (iota n)

-- | Three dimensions.
def tabulate_3d 'a (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> a): *[n][m][o]a =
  map_ (\i -> map_ (\j -> map_ (\k -> f i j k) (iota o)) (iota m)) (iota n)

#[intrinsic]
def concat [n] [m] 't (xs: [n]t) (ys: [m]t): *[n + m]t = ???

-- | One array after the other.
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t): *[n + m]t = concat xs ys

-- | A fresh value that shares nothing with x.
#[intrinsic]
def copy 't (x: t): *t = ???

-- | A copy whose arrays are stored row by row.
#[intrinsic]
def manifest 't (x: t): *t = ???

-- | Swap the two outer dimensions.
#[intrinsic]
def transpose [n] [m] 't (xs: [n][m]t): [m][n]t = ???

-- | Merge the two outer dimensions.
#[intrinsic]
def flatten [n] [m] 't (xs: [n][m]t): [n * m]t = ???

-- | Merge the three outer dimensions.
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t): [n * m * l]t = flatten (flatten xs)

-- | Merge the four outer dimensions.
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t): [n * m * l * k]t = flatten (flatten_3d xs)

-- | Split the outer dimension in two; how follows from the types.
#[intrinsic]
def unflatten 't [n] [m] (xs: [n * m]t): [n][m]t = ???

-- | Split the outer dimension in three.
def unflatten_3d 't [n] [m] [l] (xs: [n * m * l]t): [n][m][l]t = unflatten (unflatten xs)

-- | Split the outer dimension in four.
def unflatten_4d 't [n] [m] [l] [k] (xs: [n * m * l * k]t): [n][m][l][k]t = unflatten (unflatten_3d xs)

-- | Fold from the left, one element after the other.
def foldl [n] 'a 'b (f: a -> b -> a) (start: a) (xs: [n]b): a =
  loop acc = start for x in xs do f acc x

-- | Fold from the right, one element after the other.
def foldr [n] 'a 'b (f: b -> a -> a) (start: a) (xs: [n]b): a =
  foldl (\acc x -> f x acc) start (reverse xs)

-- | Negation as a function.
def not (x: bool): bool = !x

-- | Hide a value from the optimiser.
#[intrinsic]
def opaque 't (x: t): t = ???

-- | Print a value on standard error when it is computed.
#[intrinsic]
def trace 't (x: t): t = ???

-- | Stop here in an interpreter; otherwise nothing.
def break 't (x: t): t = x
