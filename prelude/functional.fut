-- | Functions on functions.

-- | Apply, argument first: `x |> f |> g`.
def (|>) '^a '^b (x: a) (f: a -> b): b = f x

-- | Apply, function first.
def (<|) '^a '^b (f: a -> b) (x: a): b = f x

-- | Compose from left to right.
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a): c = g (f x)

-- | Compose from right to left.
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a): c = g (f x)

-- | Swap the first two arguments.
def flip '^a '^b '^c (f: a -> b -> c) (y: b) (x: a): c = f x y

-- | From a function of a pair to one of two arguments.
def curry '^a '^b '^c (f: (a, b) -> c) (x: a) (y: b): c = f (x, y)

-- | From a function of two arguments to one of a pair.
def uncurry '^a '^b '^c (f: a -> b -> c) (p: (a, b)): c = f p.0 p.1

-- | The first argument, whatever the second.
def const '^a '^b (x: a) (_: b): a = x

-- | The argument itself.
def id '^a (x: a): a = x

-- | Apply `f` n times; zero times if n is negative.
def iterate 'a (n: i32) (f: a -> a) (x: a): a =
  loop x for _i < n do f x

-- | Apply `f` while `p` holds.
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a): a =
  loop x while p x do f x

-- | Apply `f` until `p` holds.
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a): a =
  loop x while !(p x) do f x
