-- A parser for nested lists of numbers: a state machine over bytes with depth tracking.
type state = #start | #digits i64 | #sign | #sep | #fail
type event = #open | #close | #num i64 | #none

def classify (c: u8): #digit i64 | #lbr | #rbr | #comma | #minus | #blank | #other =
  match c
  case '[' -> #lbr
  case ']' -> #rbr
  case ',' -> #comma
  case '-' -> #minus
  case ' ' -> #blank
  case '0' -> #digit 0
  case _ -> if c > '0' && c <= '9' then #digit (i64.u8 (c - 48)) else #other

def feed (st: (state, bool, i32)) (c: u8): ((state, bool, i32), event) =
  let (s, neg, depth) = st
  let v = match s case #digits k -> if neg then -k else k case _ -> 0
  let flush (next: state) (d: i32): ((state, bool, i32), event) =
    match s case #digits _ -> ((next, false, d), #num v) case _ -> ((next, false, d), #none)
  in match (s, classify c)
     case (#fail, _) -> (st, #none)
     case (#digits k, #digit d) -> ((#digits (k * 10 + d), neg, depth), #none)
     case (_, #digit d) -> ((#digits d, neg, depth), #none)
     case (#digits _, #minus) -> ((#fail, false, depth), #none)
     case (_, #minus) -> ((#sign, true, depth), #none)
     case (_, #lbr) -> ((#start, false, depth + 1), #open)
     case (_, #rbr) -> if depth <= 0 then ((#fail, false, depth), #none) else flush #sep (depth - 1)
     case (_, #comma) -> flush #start depth
     case (_, #blank) -> flush s depth
     case (_, #other) -> ((#fail, false, depth), #none)

def parse [n] (s: [n]u8): (bool, i32, i64, []i64) =
  let init: (state, bool, i32) = (#start, false, 0)
  let (st, deep, total, nums) =
    loop (st, deep, total, nums) = (init, 0, 0, []) for c in s do
      let (st', ev) = feed st c
      let (total, nums) = match ev case #num v -> (total + v, nums ++ [v]) case _ -> (total, nums)
      in (st', i32.max deep st'.2, total, nums)
  in (st.0 != #fail && st.2 == 0, deep, total, nums)

-- ==
-- entry: list
-- input { 0i32 } output { true 2i32 20i64 [1i64, 22i64, -3i64] }
-- input { 1i32 } output { false 1i32 1i64 [1i64] }
-- input { 2i32 } output { false 0i32 4i64 [4i64] }
entry list (k: i32) =
  let (ok, d, t, ns) =
    parse (if k == 0 then "[1, [22,-3],[]]" else if k == 1 then "[1,]]" else "4,x5")
  in (ok, d, t, ns)
