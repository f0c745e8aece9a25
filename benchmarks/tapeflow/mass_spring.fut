-- mass_spring.fut - a robot of masses and springs that a small network drives: how far its first mass gets.

import "../input"

type vector = (f64, f64)

def dense [n] [m] (w: [n][m]f64) (b: [n]f64) (x: [m]f64): [n]f64 =
  map2 (\row bias -> f64.tanh (bias + f64.sum (map2 (*) row x))) w b

def objective [no] [ns] [nh] [nf] (steps: i64) (start: [no]vector) (springs: [ns](i64, i64))
                                  (w1: [nh][nf]f64, b1: [nh]f64, w2: [ns][nh]f64, b2: [ns]f64): f64 =
  let dt = 0.004
  let span (x: [no]vector) (a: i64, b: i64) = (x[a].0 - x[b].0, x[a].1 - x[b].1)
  let norm (v: vector) = f64.sqrt (v.0 * v.0 + v.1 * v.1)
  let rest = map (\s -> norm (span start s)) springs
  let features (t: i64) (x: [no]vector) (v: [no]vector): [nf]f64 =
    let mean y = f64.sum y / f64.i64 no
    let (cx, cy) = (mean (map (.0) x), mean (map (.1) x))
    let objects = map2 (\p q -> map (0.05 *) [p.0 - cx, p.1 - cy, q.0, q.1]) x v
    let sines = tabulate 10 (\j -> f64.sin (10 * f64.i64 t * dt + 2 * f64.pi * f64.i64 j / 10))
    in (sines ++ flatten objects ++ [0.9 - cx, 0.2 - cy]) :> [nf]f64
  let (x, _) =
    loop (x, v) = (start, replicate no (0, 0)) for t < steps do
      let actuation = dense w2 b2 (dense w1 b1 (features t x v))
      let impulses =
        map3 (\s len act ->
          let r = span x s
          let now = norm r + 1e-4
          let f = dt * (now - len * (1 + 0.1 * act)) * 300 / now
          in (f * r.0, f * r.1)) springs rest actuation
      let ends = map (.0) springs ++ map (.1) springs
      let sum_at component = reduce_by_index (replicate no 0) (+) 0 ends component
      let ix = sum_at (map (\i -> -i.0) impulses ++ map (.0) impulses)
      let iy = sum_at (map (\i -> -i.1) impulses ++ map (.1) impulses)
      let v = map4 (\p v ix iy ->
        let (vx, vy) = (f64.exp (-15 * dt) * v.0 + ix, f64.exp (-15 * dt) * v.1 - 4.8 * dt + iy)
        in if p.1 < 0.1 && vy < 0 then (0, 0) else (vx, vy)) x v ix iy
      in (map2 (\p v -> (p.0 + dt * v.0, p.1 + dt * v.1)) x v, v)
  in -x[0].0

def gradient [no] [ns] [nh] [nf] (steps: i64) (start: [no]vector) (springs: [ns](i64, i64))
                                 (p: ([nh][nf]f64, [nh]f64, [ns][nh]f64, [ns]f64)) =
  vjp (objective steps start springs) p 1

def instance (no: i64) (nh: i64) =
  let ns = 2 * no - 3
  let parameter s i = uniform s i - 0.5
  in (tabulate no (\i -> (0.1 + 0.05 * f64.i64 i, 0.12 + 0.03 * f64.i64 (i % 2))),
      tabulate ns (\s -> if s < no - 1 then (s, s + 1) else (s - no + 1, s - no + 3)),
      (fill_2d (parameter 81) nh (12 + 4 * no), fill (parameter 82) nh, fill_2d (parameter 83) ns nh, fill (parameter 84) ns))

-- The arguments of the two entry points below.
entry inputs (no: i64) (nh: i64) (steps: i64) =
  let (start, springs, (w1, b1, w2, b2)) = instance no nh
  in (map (\p -> [p.0, p.1]) start, map (\s -> [s.0, s.1]) springs, w1, b1, w2, b2, steps)

entry calculate_objective [no] [ns] [nh] [nf] (start: [no][2]f64) (springs: [ns][2]i64) (w1: [nh][nf]f64) (b1: [nh]f64)
                                              (w2: [ns][nh]f64) (b2: [ns]f64) (steps: i64): f64 =
  objective steps (map (\p -> (p[0], p[1])) start) (map (\s -> (s[0], s[1])) springs) (w1, b1, w2, b2)
entry calculate_jacobian [no] [ns] [nh] [nf] (start: [no][2]f64) (springs: [ns][2]i64) (w1: [nh][nf]f64) (b1: [nh]f64)
                                             (w2: [ns][nh]f64) (b2: [ns]f64) (steps: i64) =
  gradient steps (map (\p -> (p[0], p[1])) start) (map (\s -> (s[0], s[1])) springs) (w1, b1, w2, b2)

entry check (no: i64) (nh: i64) (steps: i64): (f64, f64, f64) =
  let (start, springs, p) = instance no nh
  let (g1, h1, g2, h2) = gradient steps start springs p
  in check_of (objective steps start springs p) (flatten g1 ++ h1 ++ flatten g2 ++ h2)
-- ==
-- entry: check
-- input { 6i64 4i64 8i64 } output { -0.0995910391473549 0.00491476359595 0.00269140398886 }
