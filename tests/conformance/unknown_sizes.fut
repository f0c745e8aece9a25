-- Unknown sizes where a beginner meets them: branches in branches, loops, local functions, pipes, records of functions.
-- ==
-- entry: nested_branches
-- input { [1u8] [2u8,3u8] } output { [1u8, 44u8, 32u8, 2u8, 3u8] }
-- input { empty([0]u8) [2u8] } output { [2u8] }
-- input { [7u8] empty([0]u8) } output { [7u8] }
entry nested_branches (a: []u8) (b: []u8): []u8 =
  if length a == 0 then b else if length b == 0 then a else a ++ ", " ++ b

-- ==
-- entry: deep_branches
-- input { 0i32 [1i64,-2i64,3i64] } output { [1i64,-2i64,3i64] }
-- input { 1i32 [1i64,-2i64,3i64] } output { [1i64,3i64] }
-- input { 2i32 [1i64,-2i64,3i64] } output { [1i64,-2i64,3i64,1i64,-2i64,3i64] }
-- input { 3i32 [1i64,-2i64,3i64] } output { empty([0]i64) }
entry deep_branches (k: i32) (xs: []i64) =
  if k == 0 then xs
  else if k == 1 then filter (> 0) xs
  else if k == 2 then xs ++ xs
  else []

-- ==
-- entry: branches_of_tuples
-- input { [1i64,2i64,3i64] } output { 3i64 0i64 }
-- input { [0i64,1i64,2i64,3i64] } output { 2i64 1i64 }
def split_it (ps: []i64) =
  if length ps <= 3 then (ps, [])
  else let a = filter (> 1) ps let b = filter (< 1) ps in (a, b)
entry branches_of_tuples (ps: []i64) = let (a, b) = split_it ps in (length a, length b)

-- ==
-- entry: branches_of_records
-- input { true [1i64,-2i64] } output { 1i64 [1i64,-2i64] }
-- input { false [1i64,-2i64] } output { 2i64 [1i64] }
entry branches_of_records (c: bool) (xs: []i64) =
  let r = if c then {depth = 1i64, rest = xs} else {depth = 2, rest = filter (> 0) xs}
  in (r.depth, r.rest)

-- ==
-- entry: matches
-- input { 0i32 [5i64,6i64] } output { [5i64,6i64] }
-- input { 1i32 [5i64,6i64] } output { [6i64] }
-- input { 2i32 [5i64,6i64] } output { [5i64,6i64,5i64] }
entry matches (k: i32) (xs: []i64) =
  match k
  case 0 -> xs
  case 1 -> if length xs > 1 then tail xs else xs
  case _ -> xs ++ take 1 xs

type shape = #empty | #one i64 | #pair i64 i64
-- ==
-- entry: matches_of_sums
-- input { 0i64 } output { 0i64 }
-- input { 1i64 } output { 1i64 }
-- input { 2i64 } output { 12i64 }
entry matches_of_sums (k: i64) =
  let s: shape = if k == 0 then #empty else if k == 1 then #one k else #pair k 10
  let xs = match s
           case #empty -> []
           case #one x -> [x]
           case #pair x y -> [x, y]
  in i64.sum xs

-- ==
-- entry: zipped_states
-- input { [1i64,2i64,4i64,6i64,8i64,16i64] [10i64,20i64,30i64,40i64,50i64,60i64] } output { 140i64 }
entry zipped_states (es: []i64) (ids: []i64) =
  let (_, ids) = loop (es, ids) = (es, ids) while length es > 3 do
    zip es ids |> filter (\(e, _) -> e % 2 == 0) |> map (\(e, i) -> (e / 2, i)) |> unzip
  in i64.sum ids

def lengths [n] 'a 'b (f: a -> ?[k].[k]b) (xs: [n]a): [n]i64 = map (\x -> length (f x)) xs
-- ==
-- entry: parameters_as_sizes
-- input { [1i64,0i64,3i64] [4i32,5i32,6i32] } output { [1i64,0i64,3i64] [2i64,1i64,4i64] [1i64,3i64,3i64,3i64] }
entry parameters_as_sizes (ks: []i64) (xs: []i32) =
  let (_, _, _, flat) = flatmap' (\(k, _) -> replicate k k) (zip ks xs)
  let g (k, x) = replicate (k + 1) x
  in (lengths (\(k, x) -> replicate k x) (zip ks xs), lengths g (zip ks xs), flat)

def grey (t: f32) (h: i64) (w: i64) = tabulate_2d h w (\i j -> t + f32.i64 (i * j))
def dark (t: f32) (h: i64) (w: i64) = tabulate_2d h w (\_ _ -> t)
-- ==
-- entry: functions_given
-- input { 1f32 1i64 2i64 } output { [[1f32,1f32,1f32,1f32],[1f32,2f32,3f32,4f32]] }
-- input { 0f32 1i64 1i64 } output { [[0f32,0f32],[0f32,0f32]] }
entry functions_given (t: f32) (h: i64) (w: i64): [][]f32 =
  let render f = f t (h + 1) (w * 2)
  in if t > 0 then render grey else render dark

-- ==
-- entry: lambdas_given
-- input { 2i64 } output { 2i64 3i64 5i64 }
entry lambdas_given (n: i64) =
  let both f = (f n, f (n + 1))
  let (a, b) = both iota
  in (length a, length b, (\f -> length (f n : []i64) + length (f (n + 1))) iota)

def table (n: i64) (m: i64) = tabulate_2d n m (\i j -> i + j)
def pair_table = uncurry table
-- ==
-- entry: uncurried
-- input { 2i64 } output { [3i64, 6i64] [[0i64, 1i64]] [1i64, 3i64] }
entry uncurried (a: i64) =
  let g = uncurry table
  in (map i64.sum (pair_table (a, 3)), g (1, a), map i64.sum ((uncurry table) (2, a)))

-- ==
-- entry: flipped
-- input { 3i64 } output { [[0i64,1i64,2i64],[1i64,2i64,3i64]] 4i64 }
entry flipped (a: i64) =
  let h = curry (uncurry table)
  in (flip table a 2, length (h (a + 1) a))

type^ solver = {run: (n: i64) -> [n]f64 -> f64}
def make (x: f64): (solver, f64) = ({run = \(n: i64) (v: [n]f64) -> x + f64.sum v}, x)
def use (s: solver) = s.run 2 [1, 2]
-- ==
-- entry: projected
-- input { 5f64 } output { 8f64 11f64 8f64 }
entry projected (x: f64) =
  (make x |> (.0) |> use, make x |> (\(s, _) -> s.run 3 [1, 2, 3]), use <| (make x).0)

type^ layer [n] [m] = {forward: (k: i64) -> [k][n]f64 -> [k][m]f64, shape: i64}
def init [n] (m: i64): layer [n] [m] =
  {forward = \(k: i64) (x: [k][n]f64) -> map (\r -> replicate m (f64.sum r)) x, shape = m}
def run [k] [n] [m] (x: [k][n]f64) (l: layer [n] [m]) = l.forward k x
-- ==
-- entry: layers
-- input { [[1f64,2f64,3f64]] } output { [[6f64,6f64]] [[12f64,12f64,12f64,12f64]] }
entry layers [k] [n] (x: [k][n]f64): ([k][]f64, [k][]f64) =
  (init 2 |> run x, init 2 |> run x |> (\h -> init 4 |> (\l -> l.forward k h)))

def halves [n] 'a (p: a -> bool) (as: [n]a): ?[k].([k]a, [n - k]a) =
  let offsets = scan (+) 0 (map (\x -> i64.bool (p x)) as)
  let count = scatter [0] (map (\j -> if j == n - 1 then 0 else -1) (iota n)) offsets
  in (as[0:count[0]], as[count[0]:n])
-- ==
-- entry: rests
-- input { [3i64,1i64,4i64] } output { [3i64, 1i64] [4i64] }
entry rests (xs: []i64) = halves (> 2) xs

-- ==
-- entry: lost
-- input { [1i64,0i64,2i64] } output { 3i64 3i64 6i64 }
entry lost (xs: []i64) =
  let (a, b, c) =
    let m = length (filter (> 0) xs)
    in (iota (m + 1), replicate (m + 1) 1i64, replicate ((m + 1) * 2) 2i64)
  in (i64.sum (map2 (*) a b), length b, length c)

def twice '~a (n: i32) (f: (() -> a) -> a) (x: () -> a) = loop x = x () for _i < n do f (\() -> x)
-- ==
-- entry: lifted_states
-- input { [1i32,2i32] } output { [1i32,2i32,1i32,2i32,1i32,2i32,1i32,2i32] 6i32 }
entry lifted_states (xs: []i32) =
  (twice 2 (\(p: () -> []i32) -> p () ++ p ()) (\() -> xs),
   twice 1 (\p -> let (a, ys) = p () in (a + i32.sum ys, filter (> 1) ys)) (\() -> (3, xs)) |> (.0))

-- ==
-- entry: grown_by_branches
-- input { 4i64 } output { [0i64,0i64,2i64] }
entry grown_by_branches (n: i64) =
  loop xs = [0] for i < n do if i % 2 == 0 then xs ++ [i] else xs

-- The state of a loop gets its size from one of two branches.
-- ==
-- entry: narrowed
-- input { [1i64, 7i64, 9i64] 0i64 } output { [7i64, 9i64] }
-- input { [1i64, 7i64, 9i64] 2i64 } output { [7i64, 9i64] }
-- input { [1i64, 7i64, 9i64] 3i64 } output { [1i64, 7i64, 9i64] }
-- input { [1i64, 7i64, 9i64] 4i64 } output { empty([0]i64) }
entry narrowed [n] (xs: [n]i64) (k: i64) =
  loop ys = filter (> 5) xs for i < k do if i == 2 then xs else if i > 2 then [] else ys

-- ==
-- entry: exchanged
-- input { [1i64, 7i64, 9i64] 1i64 } output { [1i64, 7i64, 9i64] [7i64, 9i64] }
-- input { [1i64, 7i64, 9i64] 2i64 } output { [7i64, 9i64] [1i64, 7i64, 9i64] }
entry exchanged [n] (xs: [n]i64) (k: i64) =
  loop (a, b) = (xs, filter (> 5) xs) for i < k do if i == 0 then (a, b) else (b, a)

-- ==
-- entry: narrowed_locally
-- input { [1i64, 7i64] 1i64 } output { 7i64 }
-- input { [1i64, 7i64] 3i64 } output { 8i64 }
entry narrowed_locally (xs: []i64) (k: i64) =
  let f = \row -> i64.sum (loop y = filter (> 5) row for _i < k do if k > 2 then row else y)
  in f xs

-- Branches leave the sizes of an entry point's arguments open, and those of a local function that is called with two sizes.
-- ==
-- entry: or_zero
-- input { [1i64, 2i64] } output { [1i64, 2i64] }
-- input { empty([0]i64) } output { [0i64] }
entry or_zero (xs: []i64) = if null xs then [0] else xs

-- ==
-- entry: either
-- input { true [1i64, 2i64] [3i64] } output { [1i64, 2i64] [1i64, 2i64] }
-- input { false [1i64, 2i64] [3i64] } output { [3i64] [1i64, 2i64] }
entry either (c: bool) (xs: []i64) (ys: []i64) =
  let f (x: []i64): []i64 = if c then xs else x
  in (f ys, f xs)

-- A constructor that a branch does not make has the size that the other branch gives it, which an abbreviation leaves open.
type~ named = {values: []i64, id: i64}
type~ found = #found named | #missing i64

-- ==
-- entry: find_in
-- input { [5i64, 6i64] 1i64 } output { 7i64 }
-- input { [5i64, 6i64] 2i64 } output { -2i64 }
entry find_in (xs: []i64) (id: i64) =
  let find (n: named): found = if n.id == id then #found n else #missing id
  let look (n: named): found = if n.id != id then #missing id else #found n
  let of (f: found) = match f case #found n -> n.values[0] + length n.values
                              case #missing i -> -i
  in (of (find {values = xs, id = 1}) + of (look {values = xs, id = 1})) / 2

-- Where the branches inside of a branch differ in a size, the constructor beside them that has none fits all.
-- ==
-- entry: inner_branches
-- input { 0i32 } output { -1i64 -1i64 0i64 -3i64 }
-- input { 1i32 } output { 1i64 1i64 1i64 1i64 }
-- input { 2i32 } output { 0i64 0i64 2i64 -3i64 }
entry inner_branches (i: i32) =
  let size (x: #none i64 | #some ([]bool)): i64 = match x case #none k -> -k case #some xs -> length xs
  let first = if i == 0 then #none 1 else if i == 1 then #some [true] else #some []
  let last = if i != 0 then (if i == 1 then #some [true] else #some []) else #none 1
  let rows: []([]bool) = if i == 0 then [] else if i == 1 then [[true]] else [[true, false]]
  let cases = match i
              case 1 -> (match rows case xs -> #some xs[0])
              case _ -> if i == 7 then (if null rows then #some [] else #some rows[0]) else #none 3
  in (size first, size last, if i == 0 then 0 else length rows[0], size cases)
-- Such a value from an entry point.
-- ==
-- entry: of_entry
-- input { 1i32 } output { 1i64 }
entry of_entry (i: i32) =
  let f (i: i32): #none i32 | #some ([]bool) = if i == 0 then #none 2 else if i == 1 then #some [true] else #some []
  in match f i case #none _ -> -1 case #some xs -> length xs

-- Functions that return one of their arguments take arguments of any two sizes, since these are written `[]`.
def one_of (c: bool) (xs: []i64) (ys: []i64) = if c then xs else ys

def or_one (xs: []i64) = if null xs then [1] else xs

def longer 't (xs: []t) (ys: []t) = if length xs >= length ys then xs else ys

def last_or (k: i64) (xs: []i64) (ys: []i64) = loop zs = xs for i < k do if i > 1 then zs else ys

-- ==
-- entry: picked
-- input { [1i64, 2i64] [3i64] } output { [1i64, 2i64, 3i64, 1i64, 2i64, 1i64, 3i64] }
-- input { empty([0]i64) [3i64] } output { [3i64, 3i64, 1i64, 3i64] }
entry picked (xs: []i64) (ys: []i64) =
  one_of true xs ys ++ one_of false xs ys ++ longer xs ys ++ or_one [] ++ last_or 3 xs ys

-- A size that a constant makes is one that an argument is held to.
def made: []i64 = filter (> 0) [3, 0, 4]

-- ==
-- entry: with_made
-- input { [1i64, 2i64] } output { 11i64 }
-- input { [1i64, 2i64, 3i64] } error: invalid sizes
entry with_made (xs: []i64) = i64.sum (map2 (*) xs made)

-- A size that no array of a result has is not told to callers. What a function returns has its own at each call.
def above (k: i64) (xs: []i64) = let kept = filter (> k) xs in {plus = \i -> map (+ i) kept, more = \i -> kept ++ [i], sum = i64.sum kept}

def around (k: i64) (xs: []i64) = filter (< k) xs ++ filter (> k) xs

def in_parts (k: i64) (xs: []i64) = xs |> partition (< k) |> (\(a, b) -> (a, a ++ b))

-- ==
-- entry: of_results
-- input { 2i64 [1i64, 2i64, 3i64, 4i64] } output { [10i64, 11i64, 3i64, 4i64, 7i64, 1i64, 3i64, 4i64, 1i64, 1i64, 2i64, 3i64, 4i64] }
-- input { 2i64 empty([0]i64) } output { [0i64] }
entry of_results (k: i64) (xs: []i64) =
  let r = above k xs
  let (a, b) = in_parts k xs
  in r.plus r.sum ++ r.more r.sum ++ around k xs ++ a ++ b

-- Both directions of a loop make an array of a size that a branch decides.
-- ==
-- entry: pairs_of_states
-- input { [1.0, 2.0, 0.5] } output { [9.109375, 12.02734375, 5.5] }
-- input { [1.0] } error: division by zero
entry pairs_of_states [n] (xs: [n]f64) =
  let pairs [k] (xs: [k]f64) : [][2]f64 = if k > 1 then tabulate (k - 1) (\i -> [xs[i], xs[i + 1]]) else []
  let f (xs: [n]f64) =
    loop ys = xs for _i < 2 do
      let products = map (\(p: [2]f64) -> p[0] * p[1] ** 2) (pairs ys)
      in map2 (\y i -> products[i % length products] * 0.25 + y) ys (iota n)
  in vjp f xs (replicate n 1)
