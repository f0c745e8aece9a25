-- A loop that updates an array, and its derivative.
def relax [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < n - 1 do
             xs with [i + 1] = f64.sin xs[i] * xs[i + 1]
  in f64.sum xs

entry main [n] (a: [n]f64): [n]f64 = vjp relax a 1
