-- entries.fut - entry points that are functions without saying so.
type point = {x: i32}
entry curried (a: i32) = let b = a in \c ((d, _): (i32, bool)) -> a + b + c + d
entry typed (a: i32) : (moved: point) -> i32 -> point = \p by -> {x = p.x + a + by}
entry sum = i32.sum
def scaled (by: i32) (x: i32) = by * x
entry named = scaled
entry doubled = let _ = 1 in scaled 2
