-- rsbench.fut - RSBench: macroscopic cross sections by the multipole method, with or without Doppler broadening; derivative
-- with respect to the poles.

import "transport"

type complex = (f64, f64)
def add (a: complex) (b: complex): complex = (a.0 + b.0, a.1 + b.1)
def sub (a: complex) (b: complex): complex = (a.0 - b.0, a.1 - b.1)
def mul (a: complex) (b: complex): complex = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
def div (a: complex) (b: complex): complex =
  let d = b.0 * b.0 + b.1 * b.1
  in ((a.0 * b.0 + a.1 * b.1) / d, (a.1 * b.0 - a.0 * b.1) / d)
def scale (s: f64) (a: complex): complex = (s * a.0, s * a.1)

def fast_exp (x: f64): f64 = loop y = 1 + x / 4096 for _i < 12i64 do y * y

def faddeeva (z: complex): complex =
  let square = mul z z
  in if f64.sqrt (z.0 * z.0 + z.1 * z.1) < 6
     then let (x, y) = (-12 * z.1, 12 * z.0)
          let e = scale (fast_exp x) (f64.cos y, f64.sin y)
          let a = [2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02, 2.505215e-02, 1.027747e-02,
                   3.676164e-03, 1.146494e-03, 3.117570e-04]
          let b = [9.869604, 39.47842, 88.82644, 157.9137, 246.7401, 355.3058, 483.6106, 631.6547, 799.4380, 986.9604]
          let sum =
            loop s = (0, 0) for n < 10 do
              let top = sub (if n % 2 == 0 then scale (-1) e else e) (1, 0)
              in add s (div (scale a[n] top) (sub (b[n], 0) (scale 144 square)))
          in add (div (mul (0, 1) (sub (1, 0) e)) (scale 12 z)) (scale 81.2433 (mul (mul (0, 1) z) sum))
     else mul (mul (0, 1) z)
              (add (div (0.512424224754768462984, 0) (sub square (0.275255128608410950901, 0)))
                   (div (0.051765358792987823964, 0) (sub square (2.724744871391589049098, 0))))

-- What the phase of angular momentum l does to the total cross section.
def phase (k0: f64) (l: i64) (energy: f64): complex =
  let p = k0 * f64.sqrt energy
  let q = match l
          case 0 -> p
          case 1 -> p + f64.atan p
          case 2 -> p - f64.atan (3 * p / (3 - p * p))
          case _ -> p - f64.atan (p * (15 - p * p) / (15 - 6 * p * p))
  in (f64.cos (2 * q), -(f64.sin (2 * q)))

type data [n] [w] [m] =
  {concentrations: [m]f64, pole_starts: [n + 1]i64, window_starts: [n + 1]i64, windows: [w][3]f64, k0: [n][4]f64}

-- Poles: real and imaginary part of the energy, then of the total, the absorption and the fission residue; and their momenta.
def nuclide_section [n] [w] [m] [p] (doppler: bool) (d: data [n] [w] [m]) (momenta: [p]i64) (poles: [p][8]f64)
                                    (nuclide: i64) (energy: f64): (f64, f64, f64) =
  let first = d.pole_starts[nuclide]
  let count = d.pole_starts[nuclide + 1] - first
  let window_count = d.window_starts[nuclide + 1] - d.window_starts[nuclide]
  let window = i64.min (window_count - 1) (i64.f64 (energy / (1 / f64.i64 window_count)))
  let (space, rest) = (count / window_count, count % window_count)
  let from = first + window * space + i64.min window rest
  let phases = tabulate 4 (\l -> phase d.k0[nuclide, l] l energy)
  let base = d.windows[d.window_starts[nuclide] + window]
  in loop (t, a, f) = (energy * base[0], energy * base[1], energy * base[2])
       for i in from..<from + space - i64.bool (window >= rest) do
         let at = (poles[i, 0], poles[i, 1])
         let w = if doppler then faddeeva (scale 0.5 (sub (energy, 0) at))
                 else scale (1 / energy) (div (0, 1) (sub at (f64.sqrt energy, 0)))
         let real (a: complex) (b: complex) = a.0 * b.0 - a.1 * b.1
         in (t + real (poles[i, 2], poles[i, 3]) (mul w phases[momenta[i]]),
             a + real (poles[i, 4], poles[i, 5]) w,
             f + real (poles[i, 6], poles[i, 7]) w)

-- Total, absorption, fission and elastic cross section.
def cross_section [n] [w] [m] [p] (doppler: bool) (d: data [n] [w] [m]) (momenta: [p]i64) (poles: [p][8]f64)
                                  (energy: f64, material: i64): [4]f64 =
  let (t, a, f, e) =
    loop (t, a, f, e) = (0, 0, 0, 0) for i in material_starts[material]..<material_starts[material + 1] do
      let (nt, na, nf) = nuclide_section doppler d momenta poles materials[i] energy
      let c = d.concentrations[i]
      in (t + c * nt, a + c * na, f + c * nf, e + c * (nt - na))
  in [t, a, f, e]

def simulate [n] [w] [m] [p] [l] (doppler: bool) (d: data [n] [w] [m]) (momenta: [p]i64) (energies: [l]f64) (which: [l]i64)
                                 (poles: [p][8]f64): [l][4]f64 =
  map (cross_section doppler d momenta poles) (zip energies which)

def gradient [n] [w] [m] [p] [l] (doppler: bool) (d: data [n] [w] [m]) (momenta: [p]i64) (energies: [l]f64) (which: [l]i64)
                                 (poles: [p][8]f64): [p][8]f64 =
  vjp (simulate doppler d momenta energies which) poles (replicate l (replicate 4 1))

-- One stream of random numbers makes everything: concentrations, numbers of poles and windows, poles, windows, phases.
def instance (l: i64) =
  let counts (start: i64) (average: i64) =
    let draws = (average - 1) * nuclides
    in reduce_by_index (replicate nuclides 1) (+) 0
         (tabulate draws (\i -> i64.u64 (random_int 42 (start + i) % u64.i64 nuclides))) (replicate draws 1)
  let starts (c: [nuclides]i64) = ([0] ++ scan (+) 0 c) :> [nuclides + 1]i64
  let pole_starts = starts (counts 197 1000)
  let window_starts = starts (counts (197 + 999 * nuclides) 100)
  let (pole_count, window_count) = (1000 * nuclides, 100 * nuclides)
  let at_poles = 197 + (999 + 99) * nuclides
  let at_windows = at_poles + 9 * pole_count
  let at_phases = at_windows + 3 * window_count
  let poles = tabulate_2d pole_count 8 (\p k -> random 42 (at_poles + 9 * p + k) * (if k == 1 || k % 2 == 0 then 152.5 else 1))
  let momenta = tabulate pole_count (\p -> i64.u64 (random_int 42 (at_poles + 9 * p + 8) % 4))
  let (energies, which) = unzip (tabulate l lookup)
  let d = {concentrations = tabulate 197 (random 42), pole_starts, window_starts,
           windows = tabulate_2d window_count 3 (\w k -> random 42 (at_windows + 3 * w + k)),
           k0 = tabulate_2d nuclides 4 (\n k -> random 42 (at_phases + 4 * n + k))}
  in (d, momenta, energies, which, poles)

-- The arguments of the entry points below, for so many lookups.
entry inputs (l: i64) =
  let (d, momenta, energies, which, poles) = instance l
  in (d.concentrations, d.pole_starts, d.window_starts, d.windows, d.k0, momenta, energies, which, poles)

def arranged [n1] [w] [m] (n: i64) (concentrations: [m]f64) (pole_starts: [n1]i64) (window_starts: [n1]i64) (windows: [w][3]f64)
                          (k0: [n][4]f64): data [n] [w] [m] =
  {concentrations, pole_starts = pole_starts :> [n + 1]i64, window_starts = window_starts :> [n + 1]i64, windows, k0}

entry calculate_objective [n1] [n] [w] [m] [p] [l] (concentrations: [m]f64) (pole_starts: [n1]i64) (window_starts: [n1]i64)
                                                   (windows: [w][3]f64) (k0: [n][4]f64) (momenta: [p]i64) (energies: [l]f64)
                                                   (which: [l]i64) (poles: [p][8]f64): [l][4]f64 =
  simulate true (arranged n concentrations pole_starts window_starts windows k0) momenta energies which poles
entry calculate_jacobian [n1] [n] [w] [m] [p] [l] (concentrations: [m]f64) (pole_starts: [n1]i64) (window_starts: [n1]i64)
                                                  (windows: [w][3]f64) (k0: [n][4]f64) (momenta: [p]i64) (energies: [l]f64)
                                                  (which: [l]i64) (poles: [p][8]f64): [p][8]f64 =
  gradient true (arranged n concentrations pole_starts window_starts windows k0) momenta energies which poles

-- Check number and sums of the results; for each field of the poles the sum of the gradient.
entry check (doppler: bool) (l: i64): (i64, [4]f64) =
  let (d, momenta, energies, which, poles) = instance l
  let results = simulate doppler d momenta energies which poles
  in (verification results, map f64.sum (transpose results))
-- ==
-- entry: check
-- compiled input { true 1000i64 }
-- output { 3533i64 [-5.04768343679919e26, -3.69721634529522e25, -6.33974042022448e26, -4.67796180226967e26] }
-- compiled input { false 1000i64 }
-- output { 1835i64 [364731.322259879, 358991.057536417, 296212.658705273, 5740.26472346161] }

entry check_gradient (l: i64): [8]f64 =
  let (d, momenta, energies, which, poles) = instance l
  in map f64.sum (transpose (gradient false d momenta energies which poles))
-- ==
-- entry: check_gradient
-- compiled input { 1000i64 }
-- output { [-927630.0811469, -825201.8822618, 9130.012173285, -6133.622579341, 0.0, 0.0, 4324.334521154, -3993.570717128] }
