-- A stack machine: programs are arrays of a sum type, the stack is updated in place.
type op = #push f64 | #add | #mul | #neg | #dup | #swap | #jump_if_zero i64 | #halt
type machine [n] = {stack: [n]f64, sp: i64, pc: i64, steps: i32}

def push [n] (m: *machine [n]) (x: f64): *machine [n] =
  let m = m with stack[m.sp] = x
  in m with sp = m.sp + 1

def top [n] (m: machine [n]) = m.stack[m.sp - 1]

def run [k] (fuel: i32) (prog: [k]op): machine [16] =
  let start: *machine [16] = {stack = replicate 16 0, sp = 0, pc = 0, steps = 0}
  in loop m = start while m.pc < k && m.pc >= 0 && m.steps < fuel do
       let instr = prog[m.pc]
       let m = m with steps = m.steps + 1
       let m = m with pc = m.pc + 1
       in match instr
          case #push x -> push m x
          case #add ->
            let (a, b) = (m.stack[m.sp - 1], m.stack[m.sp - 2])
            let m = m with sp = m.sp - 2
            in push m (a + b)
          case #mul ->
            let (a, b) = (m.stack[m.sp - 1], m.stack[m.sp - 2])
            let m = m with sp = m.sp - 2
            in push m (a * b)
          case #neg -> m with stack[m.sp - 1] = -(top m)
          case #dup -> let x = top m in push m x
          case #swap ->
            let x = m.stack[m.sp - 1]
            let y = m.stack[m.sp - 2]
            let m = m with stack[m.sp - 1] = y
            in m with stack[m.sp - 2] = x
          case #jump_if_zero t ->
            let x = top m
            let m = m with sp = m.sp - 1
            in if x == 0 then m with pc = t else m
          case #halt -> m with pc = -1

-- ==
-- entry: poly
-- input { 3.0 } output { -19.0f64 1i64 -1i64 9i32 }
-- input { -0.5 } output { -1.5f64 1i64 -1i64 9i32 }
entry poly (x: f64) =
  let m = run 100 [#push x, #dup, #mul, #push 2, #mul, #push 1, #add, #neg, #halt, #push 77]
  in (top m, m.sp, m.pc, m.steps)

-- ==
-- entry: countdown
-- input { 4.0 50i32 } output { [0.0f64, 4.0f64, 3.0f64, 2.0f64, 1.0f64] 7i64 37i32 }
-- input { 4.0 7i32 } output { [0.0f64, 4.0f64, 4.0f64, -1.0f64, 0.0f64] 4i64 7i32 }
entry countdown (x: f64) (fuel: i32) =
  let m =
    run fuel
      [#push 0, #push x, #dup, #jump_if_zero 11, #dup, #swap, #push (-1), #add, #push 0,
       #jump_if_zero 2, #halt, #push 42]
  in (take 5 m.stack, m.sp, m.steps)
