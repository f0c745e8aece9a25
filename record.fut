type r = {a0: f64, a1: f64}
def mk (x: f64): r = {a0 = x + 0, a1 = x + 1}
entry main (xs: []f64) = let rs = map mk xs in f64.sum (map (\r -> r.a0 + r.a1) rs)
