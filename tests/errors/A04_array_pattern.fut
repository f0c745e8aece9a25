def count (xs: []i32) =
  match xs
  case [] -> 0
  case _ -> 1

def ends (xs: []i32) =
  let [first, second] = xs
  in first + second
-- expect
-- Error at A04_array_pattern.fut:3:8-9:
-- Unexpected token: `[`, expected a pattern [A04]
--  3 |   case [] -> 0
--    |        ^
-- help: no pattern takes an array apart: give it a name, and use `xs[0]` and `length xs`
--
-- Error at A04_array_pattern.fut:7:13-14:
-- Unexpected token: `,`, expected `]` after the size parameter [A04]
--  7 |   let [first, second] = xs
--    |             ^
--    |       - opened here
-- help: no pattern takes an array apart: give it a name, and use `xs[0]` and `length xs`
