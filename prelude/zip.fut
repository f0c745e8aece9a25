-- | Arrays of tuples and tuples of arrays. An array of tuples is kept as arrays, so none of this costs anything.

import "soacs"

#[intrinsic]
def zip [n] 'a 'b (as: [n]a) (bs: [n]b): *[n](a, b) = ???

#[intrinsic]
def unzip [n] 'a 'b (xs: [n](a, b)): ([n]a, [n]b) = ???

def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b): *[n](a, b) = zip as bs

def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c): *[n](a, b, c) =
  map (\((a, b), c) -> (a, b, c)) (zip (zip as bs) cs)

def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d): *[n](a, b, c, d) =
  map (\((a, b), (c, d)) -> (a, b, c, d)) (zip (zip as bs) (zip cs ds))

def zip5 [n] 'a 'b 'c 'd 'e (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e): *[n](a, b, c, d, e) =
  map (\((a, b), ((c, d), e)) -> (a, b, c, d, e)) (zip (zip as bs) (zip (zip cs ds) es))

def unzip2 [n] 'a 'b (xs: [n](a, b)): ([n]a, [n]b) = unzip xs

def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)): ([n]a, [n]b, [n]c) =
  let (as, bcs) = unzip (map (\(a, b, c) -> (a, (b, c))) xs)
  let (bs, cs) = unzip bcs
  in (as, bs, cs)

def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)): ([n]a, [n]b, [n]c, [n]d) =
  let (as, bcds) = unzip (map (\(a, b, c, d) -> (a, (b, c, d))) xs)
  let (bs, cs, ds) = unzip3 bcds
  in (as, bs, cs, ds)

def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)): ([n]a, [n]b, [n]c, [n]d, [n]e) =
  let (as, bcdes) = unzip (map (\(a, b, c, d, e) -> (a, (b, c, d, e))) xs)
  let (bs, cs, ds, es) = unzip4 bcdes
  in (as, bs, cs, ds, es)
