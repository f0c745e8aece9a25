-- descent.fut - minimisation by gradient descent with an adaptive step, given the gradient in either mode.

def forward [n] (f: [n]f64 -> f64) (x: [n]f64): [n]f64 =
  jmp f x (tabulate_2d n n (\i j -> f64.bool (i == j)))

def reverse [n] (f: [n]f64 -> f64) (x: [n]f64): [n]f64 = vjp f x 1

def norm [n] (x: [n]f64): f64 = f64.sqrt (f64.sum (map (\v -> v * v) x))

-- Ten steps forward double the step, a step uphill halves it.
def argmin [n] (gradient: ([n]f64 -> f64) -> [n]f64 -> [n]f64) (f: [n]f64 -> f64) (start: [n]f64): [n]f64 =
  let (x, _, _, _, _, _) =
    loop (x, value, g, step, count, more) = (start, f start, gradient f start, 1e-5, 0i64, true) while more do
      if norm g <= 1e-5 then (x, value, g, step, count, false)
      else if count == 10 then (x, value, g, step * 2, 0, true)
      else let next = map2 (\a d -> a - step * d) x g
           in if norm (map2 (-) x next) <= 1e-5 then (x, value, g, step, count, false)
              else let next_value = f next
                   in if next_value < value
                      then (next, next_value, gradient f next, step, count + 1, true)
                      else (x, value, g, step / 2, 0, true)
  in x

def argmax [n] (gradient: ([n]f64 -> f64) -> [n]f64 -> [n]f64) (f: [n]f64 -> f64) (start: [n]f64): [n]f64 =
  argmin gradient (\x -> -(f x)) start
