type s = #foo i32 | #bar [2]f32
def f [n] (x: i32) (ys: [n]i32) (q: s) =
  let z = x + 1
  let (none, _) = (ys[0:0], ys)
  in (#[break] (z * 2)) + ys[0] + i32.i64 (length none) + (match q case #foo v -> v case #bar _ -> 0)
def g (a: f64) = f64.i32 (f 3 [4, 5] (#foo (-3))) / a
def h [n] (x: *[n]i32) = let y = x with [0] = 3 in (#[break] y)[0]
def w (a: f64) = let b = iota 3 in f64.sqrt (a - f64.i64 b[2])
