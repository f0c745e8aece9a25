type option = #some f64 | #none
def inner (x: #one option | #two option option) =
  match x
  case #one _ -> 1i32
  case #two (#some 0.1) #none -> 2
  case #two #none _ -> 3
  case #two _ (#some _) -> 4
def numbers (x: (u64, option)) =
  match x
  case (18446744073709551615, #none) -> 1i32
  case (_, #some -1e300) -> 2
  case (x, #none) -> i32.u64 x
def reals (x: (f64, bool)) =
  match x
  case (0.1, true) -> 1i32
  case (1e300, false) -> 2
  case (_, true) -> 3
-- expect
-- Error at E02_2.fut:3:3-7:29:
-- Unmatched cases in match expression: [E02]
--   #two (#some _) #none
--  3 |   match x
--    |   ^^^^^^^
-- help: add `case #two (#some _) #none -> ...`
--
-- Error at E02_2.fut:9:3-12:31:
-- Unmatched cases in match expression: [E02]
--   (18446744073709551615, #some _)
--  9 |   match x
--    |   ^^^^^^^
-- help: add `case (18446744073709551615, #some _) -> ...`
--
-- Error at E02_2.fut:14:3-17:22:
-- Unmatched cases in match expression: [E02]
--   (0.1, false)
--  14 |   match x
--     |   ^^^^^^^
-- help: add `case (0.1, false) -> ...`
