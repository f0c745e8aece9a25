-- Sums that hold functions: no branch makes one, so the constructor of each is known when it is compiled.
type^ op = #add (i32 -> i32) | #stop
type^ maybe '^a = #some a | #none
type^ tree = #leaf i32 | #node (i32 -> i32) i32 {f: i32 -> i32, g: [2]i32}
def run_op (o: op) (x: i32) = match o case #add f -> f x case #stop -> x

-- ==
-- entry: passed
-- input { 5i32 } output { 10i32 }
entry passed (x: i32) = run_op (#add (+ x)) 2 + run_op #stop 3
def make (x: i32): op = #add (\y -> x * y)

-- ==
-- entry: returned
-- input { 5i32 } output { 25i32 }
entry returned (x: i32) = run_op (make x) 5

-- ==
-- entry: tupled
-- input { 5i32 } output { 5i32 2i32 }
entry tupled (x: i32) = let (a, b) = (make x, #stop : op) in (run_op a 1, run_op b 2)
def bind '^a 'b (f: a -> maybe b) (m: maybe a): maybe b = match m case #some a -> f a case #none -> #none

-- ==
-- entry: maybes
-- input { 5i32 } output { 15i32 }
entry maybes (x: i32) =
  match bind (\(f: i32 -> i32) -> #some (f (f x))) (#some (+ x)) case #some g -> g case #none -> 0

-- ==
-- entry: nested
-- input { 5i32 } output { 25i32 }
entry nested (x: i32) =
  match (#node (+ x) 3 {f = (* x), g = [x, 2]}: tree)
  case #leaf n -> n
  case #node f 1 r -> f 1 + r.g[0]
  case #node f n r -> f n + r.f n + r.g[1]
def times (o: op) (n: i32): i32 = if n == 0 then 0 else run_op o n + times o (n - 1)

-- ==
-- entry: recursive
-- input { 5i32 } output { 31i32 }
entry recursive (x: i32) = times (#add (+ x)) 3 + times #stop 4

-- ==
-- entry: in_map
-- input { 5i32 } output { [11i32, 17i32, 23i32] }
entry in_map (x: i32) = let o = make x in map (\y -> run_op o y + run_op (#add (+ y)) x) [1, 2, 3]
def constant: op = #add (+ 7)

-- ==
-- entry: constants
-- input { 5i32 } output { 12i32 }
entry constants (x: i32) = run_op constant x
module m = { def o: op = #add (* 2) def stop: op = #stop }

-- ==
-- entry: modules
-- input { 5i32 } output { 15i32 }
entry modules (x: i32) = run_op m.o x + run_op m.stop x
type^ sized [n] = #fun ([n]i32 -> [n]i32) ([n]i32) | #nothing
def use [n] (s: sized [n]): i32 = match s case #fun f a -> i32.sum (f a) + i32.i64 n case #nothing -> 0

-- ==
-- entry: sized
-- input { 5i32 } output { 24i32 }
entry sized (x: i32) = use (#fun (map (+ x)) [1, 2, 3]) + use (#nothing: sized [4])
type^ pair = #one ((i32 -> i32), maybe (i32 -> i32)) | #two

-- ==
-- entry: deep
-- input { 5i32 } output { 15i32 }
entry deep (x: i32) = match (#one ((+ x), #some (* x)): pair) case #one (f, #some g) -> f (g 2) case #one (f, #none) -> f 1 case #two -> 0

-- ==
-- entry: derived
-- input { 3.0 } output { 6.0 }
entry derived (x: f64) = vjp (\y -> match (#some (\z -> z * y): maybe (f64 -> f64)) case #some f -> f y case #none -> 0) x 1
type^ abstract = #c (i32 -> i32)

-- ==
-- entry: single
-- input { 5i32 } output { 6i32 }
entry single (x: i32) = let #c f = (#c (+ x): abstract) in f 1

-- ==
-- entry: literal
-- input { 5i32 } output { 8i32 }
entry literal (x: i32) = match (#some ((+ x), 1, 2): maybe (i32 -> i32, i32, i32))
  case #some (f, 2, _) -> f 1 case #some (_, n, 3) -> n case #some (f, n, k) -> f (n + k) case #none -> 0

-- A function that is called so often that it stays one has a copy for each constructor.
-- ==
-- entry: called_often
-- input { 5i32 } output { 485i32 }
entry called_often (x: i32) =
  let step (o: op) (y: i32) = run_op o y + run_op #stop 0
  let many (o: op) (y: i32) = step o (step o (step o (step o (step o (step o y)))))
  let more (o: op) (y: i32) = many o (many o (many o (many o y)))
  in more (#add (+ x)) (more (#add (+ x)) (more #stop (more (#add (+ x)) (more (#add (+ 0)) x)))) + 120
