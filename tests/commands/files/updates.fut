-- A loop that updates each place of an array twice, and its derivative.
def relax [n] (a: [n]f64): f64 =
  let xs = loop xs = copy a for i < 2 * n do
             xs with [i / 2] = f64.sin xs[i / 2] * a[i / 2]
  in f64.sum xs

entry main [n] (a: [n]f64): [n]f64 = vjp relax a 1
