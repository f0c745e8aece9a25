-- gravity.fut - potential energy of points in the plane and its gradient; ten leap-frog steps and the gradient through them.

import "../input"

def potential [n] (x: [n][2]f64): f64 =
  -(f64.sum (tabulate n (\i ->
      loop s = 0 for j in i + 1..<n do
        let (dx, dy) = (x[i, 0] - x[j, 0], x[i, 1] - x[j, 1])
        in s + 1 / f64.sqrt (dx * dx + dy * dy + 1e-3))))

def gradient [n] (x: [n][2]f64): [n][2]f64 = vjp potential x 1

-- Kinetic energy of unit masses that start at rest.
def energy [n] (steps: i64) (dt: f64) (x: [n][2]f64): f64 =
  let kick s v x = map2 (map2 (\v g -> v - s * g)) v (gradient x)
  let (_, v) =
    loop (x, v) = (x, replicate n [0, 0]) for _i < steps do
      let v = kick (dt / 2) v x
      let x = map2 (map2 (\x v -> x + dt * v)) x v
      in (x, kick (dt / 2) v x)
  in 0.5 * f64.sum (flatten (map (map (\v -> v * v)) v))

def instance (n: i64): [n][2]f64 = fill_2d (uniform 61) n 2

entry inputs (n: i64): [n][2]f64 = instance n

entry calculate_objective [n] (x: [n][2]f64): f64 = potential x
entry calculate_jacobian [n] (x: [n][2]f64): [n][2]f64 = gradient x
entry energy_objective [n] (x: [n][2]f64): f64 = energy 10 1e-3 x
entry energy_jacobian [n] (x: [n][2]f64): [n][2]f64 = vjp (energy 10 1e-3) x 1

entry check (n: i64): (f64, f64, f64) =
  let x = instance n
  in check_of (potential x) (flatten (gradient x))
-- ==
-- entry: check
-- input { 16i64 } output { -379.220514357751 0.0 -992.442308769 }

entry check_energy (n: i64) (steps: i64) (dt: f64): (f64, f64, f64) =
  let x = instance n
  in check_of (energy steps dt x) (flatten (vjp (energy steps dt) x 1))
-- ==
-- entry: check_energy
-- input { 6i64 10i64 0.001 } output { 0.543097819665598 0.0 -8.64315455835588 }
