-- A tangent or an adjoint of a sum is of the constructor that the value has. Its tag cannot be derived: it is the tag of the value.
type option = #none | #some f64
type shape = #dot option i8 | #line i8 f64 | #nothing
def make (k: i64) (x: f64): shape =
  if k == 0 then #dot (#some (x * x)) 5 else if k == 1 then #line 7 (x * 3) else if k == 2 then #dot #none 6 else #nothing
def number (s: shape): i32 = match s case #dot (#some _) _ -> 0 case #line _ _ -> 1 case #dot #none _ -> 2 case #nothing -> 3
def part (s: shape): f64 = match s case #dot (#some v) _ -> v case #line _ v -> v case _ -> -1
def show (s: shape) = (number s, part s)
-- ==
-- entry: tangents
-- input { 2.0 } output { [0, 1, 2, 3] [4.0, 3.0, -1.0, -1.0] }
entry tangents (x: f64) = unzip (tabulate 4 (\k -> show (jvp (make k) x 1)))

-- ==
-- entry: tangents_of_array
-- input { 2.0 } output { [0, 1, 2, 3] [4.0, 3.0, -1.0, -1.0] }
entry tangents_of_array (x: f64) = unzip (map show (jvp (\x -> tabulate 4 (\k -> make k x)) x 1))

-- ==
-- entry: many_tangents
-- input { 2.0 } output { [[0, 0], [1, 1], [2, 2], [3, 3]] [[4.0, 8.0], [3.0, 6.0], [-1.0, -1.0], [-1.0, -1.0]] }
entry many_tangents (x: f64) = unzip (tabulate 4 (\k -> unzip (map show (jmp (make k) x [1, 2]))))

-- ==
-- entry: adjoints
-- input { 2.0 } output { [0, 1, 2, 3] [8.0, 12.0, -1.0, -1.0] }
entry adjoints (x: f64) = unzip (tabulate 4 (\k -> show (vjp (\s -> part s ** 2) (make k x) 1)))

-- ==
-- entry: many_adjoints
-- input { 2.0 } output { [[0, 1, 2, 3], [0, 1, 2, 3]] [[1.0, 1.0, -1.0, -1.0], [2.0, 2.0, -1.0, -1.0]] }
entry many_adjoints (x: f64) =
  unzip (map (\v -> unzip (map show v)) (mjp (\v -> f64.sum (map part v)) (tabulate 4 (\k -> make k x)) [1, 2]))

-- ==
-- entry: values_too
-- input { 2.0 } output { [0, 1, 2, 3] [4.0, 6.0, -1.0, -1.0] [0, 1, 2, 3] [4.0, 3.0, -1.0, -1.0] }
entry values_too (x: f64) =
  let both = tabulate 4 (\k -> jvp2 (make k) x 1)
  let (a, b) = unzip (map (\(v, _) -> show v) both)
  let (c, d) = unzip (map (\(_, t) -> show t) both)
  in (a, b, c, d)

-- Numbers beside a nested tag that shares their slot are derived as before.
-- ==
-- entry: beside
-- input { 3i8 } output { 2i8 8i8 }
entry beside (n: i8) =
  let f n: shape = #line (n * 2) 1
  let g n: shape = #dot #none (n * 8)
  in (match jvp f n 1 case #line k _ -> k case _ -> -1, match jvp g n 1 case #dot _ k -> k case _ -> -1)

-- Rules of the user see such tangents and adjoints, too.
def double (s: shape): shape = match s case #dot (#some v) k -> #dot (#some (v * 2)) k case #line k v -> #line k (v * 3) case _ -> s
def forward_rule (s: shape): shape = with_jvp double (\_ d -> double (double d)) s
def reverse_rule (s: shape): shape = with_vjp double (\_ d -> double (double d)) s
-- ==
-- entry: own_rules
-- input { 2.0 } output { [16.0, 27.0, 0.0, 0.0] [16.0, 27.0, 0.0, 0.0] }
entry own_rules (x: f64) =
  let value s = match s case #dot (#some v) _ -> v case #line _ v -> v case _ -> 0
  in (tabulate 4 (\k -> jvp (\x -> value (forward_rule (make k x))) x 1),
      tabulate 4 (\k -> vjp (\x -> value (reverse_rule (make k x))) x 1))

-- ==
-- entry: second
-- input { 2.0 } output { [2.0, 0.0, 0.0, 0.0] [2.0, 0.0, 0.0, 0.0] }
entry second (x: f64) =
  let value s = match s case #dot (#some v) _ -> v case #line _ v -> v case _ -> 0
  in (tabulate 4 (\k -> vjp (\x -> value (jvp (make k) x 1)) x 1), tabulate 4 (\k -> jvp (\x -> value (jvp (make k) x 1)) x 1))

-- Arrays, also as payloads.
type~ region = #path ([]f64) ([]option) | #point {x: f64, at: option} | #none
def region (k: i64) (x: f64): region =
  let n = k + 2
  in if k == 0 then #path (replicate n x) (tabulate n (\i -> if i == 0 then #none else #some (x * x)))
     else if k == 1 then #point {x, at = #some (3 * x)} else #none
def size (r: region): f64 = match r
  case #path a b -> f64.sum a + f64.sum (map (\o -> match o case #some v -> 10 * v case #none -> 100) b)
  case #point {x, at = #some v} -> x + 10 * v
  case #point {x, at = #none} -> x + 100
  case #none -> 1000
-- ==
-- entry: regions
-- input { 2.0 } output { [142.0, 31.0, 1000.0] [112.0, 31.0, 1000.0] }
entry regions (x: f64) =
  (tabulate 3 (\k -> size (jvp (region k) x 1)),
   tabulate 3 (\k -> size (vjp (\(r: region) -> r) (region k x) (region k 1))))
