-- xsbench.fut - XSBench: macroscopic cross sections of random energies in random materials, by a search in each nuclide's own
-- grid; derivative with respect to the grid, a scatter at random places.

import "transport"

-- Largest point that is not above the energy, the last but one at most.
def search [g] (grid: [g][6]f64) (energy: f64): i64 =
  (loop (low, high) = (0, g - 1) while high - low > 1 do
     let middle = low + (high - low) / 2
     in if grid[middle, 0] > energy then (low, middle) else (middle, high)).0

-- The five channels, for one energy in one material.
def cross_section [n] [g] [m] (concentrations: [m]f64) (grid: [n][g][6]f64) (energy: f64, material: i64): [5]f64 =
  let (a, b, c, d, e) =
    loop (a, b, c, d, e) = (0, 0, 0, 0, 0) for i in material_starts[material]..<material_starts[material + 1] do
      let nuclide = materials[i]
      let at = search grid[nuclide] energy
      let f = (grid[nuclide, at + 1, 0] - energy) / (grid[nuclide, at + 1, 0] - grid[nuclide, at, 0])
      let channel (k: i64) =
        concentrations[i] * (grid[nuclide, at + 1, k] - f * (grid[nuclide, at + 1, k] - grid[nuclide, at, k]))
      in (a + channel 1, b + channel 2, c + channel 3, d + channel 4, e + channel 5)
  in [a, b, c, d, e]

def simulate [n] [g] [m] [l] (concentrations: [m]f64) (energies: [l]f64) (which: [l]i64) (grid: [n][g][6]f64): [l][5]f64 =
  map (cross_section concentrations grid) (zip energies which)

def gradient [n] [g] [m] [l] (concentrations: [m]f64) (energies: [l]f64) (which: [l]i64) (grid: [n][g][6]f64): [n][g][6]f64 =
  vjp (simulate concentrations energies which) grid (replicate l (replicate 5 1))

-- Merge sort of rows by their first element: each finds its place among the neighbouring block's.
def sort_rows [g] [w] (rows: [g][w]f64): [g][w]f64 =
  (loop (rows, width) = (copy rows, 1) while width < g do
     let place (i: i64) =
       let block = i / width
       let first = (block / 2) * 2 * width
       let from = if block % 2 == 0 then first + width else first
       let (low, _) =
         loop (low, high) = (i64.min from g, i64.min (from + width) g) while low < high do
           let middle = (low + high) / 2
           in if rows[middle, 0] < rows[i, 0] || (rows[middle, 0] == rows[i, 0] && block % 2 == 1)
              then (middle + 1, high) else (low, middle)
       in i - block * width + first + low - i64.min from g
     in (scatter (copy rows) (tabulate g place) rows, 2 * width)).0

def instance (g: i64) (l: i64) =
  let grid = tabulate nuclides (\n -> sort_rows (tabulate_2d g 6 (\p k -> random 42 ((n * g + p) * 6 + k))))
  let (energies, which) = unzip (tabulate l lookup)
  in (tabulate 197 (random (1070 * 1070)), energies, which, grid)

-- The arguments of the two entry points below: grid points of a nuclide, lookups.
entry inputs (g: i64) (l: i64) = instance g l

entry calculate_objective [n] [g] [m] [l] (concentrations: [m]f64) (energies: [l]f64) (which: [l]i64) (grid: [n][g][6]f64): [l][5]f64 =
  simulate concentrations energies which grid
entry calculate_jacobian [n] [g] [m] [l] (concentrations: [m]f64) (energies: [l]f64) (which: [l]i64) (grid: [n][g][6]f64): [n][g][6]f64 =
  gradient concentrations energies which grid

-- Check number and sums of the results; for each field of the grid the sum of the gradient.
entry check (g: i64) (l: i64): (i64, [5]f64, [5]f64) =
  let (concentrations, energies, which, grid) = instance g l
  let results = simulate concentrations energies which grid
  let fields = transpose (flatten (gradient concentrations energies which grid))
  in (verification results, map f64.sum (transpose results), map f64.sum (tail fields) :> [5]f64)
-- ==
-- entry: check
-- compiled input { 64i64 1000i64 }
-- output { 3128i64 [1983.18445423572, -23025.5581811927, 6935.65922835443, -9253.69669085187, 6875.20044808647]
--   [7304.15994050106, 7304.15994050106, 7304.15994050106, 7304.15994050106, 7304.15994050106] }
-- compiled input { 11303i64 1000i64 }
-- output { 3044i64 [3610.06564561097, 3648.9957441282, 3650.25574612335, 3655.62781670625, 3635.71156340715]
--   [7304.15994050103, 7304.15994050103, 7304.15994050103, 7304.15994050103, 7304.15994050103] }

-- Sum and sum of squares of the gradient, with respect to the energies and to one channel.
entry check_squares (g: i64) (l: i64): ([2]f64, [2]f64) =
  let (concentrations, energies, which, grid) = instance g l
  let fields = transpose (flatten (gradient concentrations energies which grid))
  let sums f = [f64.sum f, f64.sum (map (\v -> v * v) f)]
  in (sums fields[0], sums fields[1])
-- ==
-- entry: check_squares
-- compiled input { 11303i64 1000i64 } output { [-1760439.36005068, 1.0777421411e12] [7304.15994050103, 3409.02928224] }
