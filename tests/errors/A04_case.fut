def kind (x: i32) =
  match x
  case 1 | 2 -> #small
  case _ -> #large

def sign (x: i32) =
  match x
  case y if y < 0 -> -1
  case _ -> 1

def digit (c: u8) =
  match c
  case '0'..'9' -> true
  case _ -> false
-- expect
-- Error at A04_case.fut:3:10-11:
-- Unexpected token: `|`, expected `->` before the body of the case [A04]
--  3 |   case 1 | 2 -> #small
--    |          ^
-- help: a case has one pattern; another `case` may have the same body
--
-- Error at A04_case.fut:8:10-12:
-- Unexpected token: `if`, expected `->` before the body of the case [A04]
--  8 |   case y if y < 0 -> -1
--    |          ^^
-- help: a case has no condition; its body may be a choice: `if c then a else b`
--
-- Error at A04_case.fut:13:11-13:
-- Unexpected token: `..`, expected `->` before the body of the case [A04]
--  13 |   case '0'..'9' -> true
--     |           ^^
-- help: a pattern is no range: give the number a name, and compare it in the body
