-- Arithmetic expressions: bytes to tokens, tokens to postfix order, postfix to a value, with stacks of sums.
type tok = #n i64 | #op u8 | #open | #close

def prec (c: u8): i32 =
  match c case '+' -> 1 case '-' -> 1 case '*' -> 2 case '/' -> 2 case '^' -> 3 case _ -> 0

def right (c: u8) = c == '^'

def lex [n] (s: [n]u8): []tok =
  (loop (out, i) = ([] : []tok, 0) while i < n do
     let c = s[i]
     in if c >= '0' && c <= '9'
        then let (v, j) =
               loop (v, j) = (0, i) while j < n && s[j] >= '0' && s[j] <= '9' do
                 (v * 10 + i64.u8 s[j] - 48, j + 1)
             in (out ++ [#n v], j)
        else if c == '('
        then (out ++ [#open], i + 1)
        else if c == ')'
        then (out ++ [#close], i + 1)
        else if c == ' '
        then (out, i + 1)
        else (out ++ [#op c], i + 1)).0

def postfix [n] (ts: [n]tok): []tok =
  let (out, ops) =
    loop (out: []tok, ops: []tok) = ([], []) for t in ts do
      match t
      case #n _ -> (out ++ [t], ops)
      case #open -> (out, ops ++ [t])
      case #close ->
        let (out, ops) =
          loop (out, ops) while (match last ops case #open -> false case _ -> true) do
            (out ++ [last ops], init ops)
        in (out, init ops)
      case #op c ->
        let (out, ops) =
          loop (out, ops) while !(null ops)
                                && (match last ops
                                    case #op d ->
                                      prec d > prec c || (prec d == prec c && !(right c))
                                    case _ -> false) do
            (out ++ [last ops], init ops)
        in (out, ops ++ [t])
  in out ++ reverse ops

def eval [n] (ts: [n]tok): i64 =
  let (stack, _) =
    loop (stack, sp) = (replicate (n + 1) 0i64, 0) for t in ts do
      match t
      case #n v -> (stack with [sp] = v, sp + 1)
      case #op c ->
        let (a, b) = (stack[sp - 2], stack[sp - 1])
        let v =
          match c
          case '+' -> a + b
          case '-' -> a - b
          case '*' -> a * b
          case '/' -> a / b
          case _ -> a ** b
        in (stack with [sp - 2] = v, sp - 1)
      case _ -> (stack, sp)
  in stack[0]

-- ==
-- entry: calc
-- input { 0i32 } output { 5i64 7i64 }
-- input { 1i32 } output { 9i64 8i64 }
-- input { 2i32 } output { 7i64 502i64 }
-- input { 3i32 } error: division by zero
entry calc (k: i32) =
  let s =
    match k case 0 -> "1 + 2*3" case 1 -> "(1+2)*3 - 4/3" case 2 -> "2^3^2 - 10" case _ -> "7/0"
  let p = postfix (lex s)
  in (length p, eval p)
