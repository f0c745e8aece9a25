-- lbm.fut - a lattice Boltzmann flow of 19 densities a cell: streaming and collision in a loop of steps over a large state;
-- derivative of the weighted sum of the last densities with respect to the first.

import "../input"

-- Where the densities move, and their weights. Direction i is opposite to direction opposite[i].
def moves: [19][3]i64 =
  [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1],
   [1, 1, 0], [-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 0, 1], [-1, 0, -1], [1, 0, -1], [-1, 0, 1],
   [0, 1, 1], [0, -1, -1], [0, 1, -1], [0, -1, 1]]
def opposite (i: i64): i64 = if i == 0 then 0 else if i % 2 == 1 then i + 1 else i - 1
def weight (i: i64): f64 = if i == 0 then 1 / 3 else if i < 7 then 1 / 18 else 1 / 36

-- A cell relaxes towards its equilibrium (omega 1.95); flag 1 reflects, flag 2 has a velocity of its own.
def collide (flag: i64) (f: [19]f64): [19]f64 =
  if flag == 1 then tabulate 19 (\i -> f[opposite i])
  else let rho = f64.sum f
       let moment c = f64.sum (map2 (\m v -> f64.i64 m[c] * v) moves f) / rho
       let (ux, uy, uz) = if flag == 2 then (0.005, 0.002, 0) else (moment 0, moment 1, moment 2)
       let square = 1.5 * (ux * ux + uy * uy + uz * uz)
       in tabulate 19 (\i ->
            let along = f64.i64 moves[i, 0] * ux + f64.i64 moves[i, 1] * uy + f64.i64 moves[i, 2] * uz
            let rest = weight i * rho * (1 + 3 * along + 4.5 * along * along - square)
            in f[i] - 1.95 * (f[i] - rest))

-- The grid closes on itself.
def simulate [nx] [ny] [nz] (steps: i64) (flags: [nx][ny][nz]i64) (f: [nx][ny][nz][19]f64): [nx][ny][nz][19]f64 =
  loop f for _i < steps do
    let f = map2 (map2 (map2 collide)) flags f
    in tabulate_3d nx ny nz (\x y z ->
         tabulate 19 (\i -> f[(x - moves[i, 0]) % nx, (y - moves[i, 1]) % ny, (z - moves[i, 2]) % nz, i]))

def objective [nx] [ny] [nz] (steps: i64) (flags: [nx][ny][nz]i64) (weights: [nx][ny][nz]f64) (f: [nx][ny][nz][19]f64): f64 =
  f64.sum (map2 (\w cell -> w * f64.sum (map2 (\k v -> f64.i64 (k + 1) * v) (iota 19) cell))
                (flatten_3d weights) (flatten_3d (simulate steps flags f)))

def gradient [nx] [ny] [nz] (steps: i64) (flags: [nx][ny][nz]i64) (weights: [nx][ny][nz]f64) (f: [nx][ny][nz][19]f64) =
  vjp (objective steps flags weights) f 1

def instance (n: i64) =
  let flag u: i64 = if u < 0.1 then 1 else if u < 0.2 then 2 else 0
  in (map (map (map flag)) (fill_3d (uniform 231) n n n), fill_3d (uniform 232) n n n,
      tabulate_3d n n n (\x y z ->
        tabulate 19 (\i -> weight i * (1 + 0.1 * uniform 233 ((((x * n) + y) * n + z) * 19 + i)))))

-- The arguments of the two entry points below: side of the grid, steps.
entry inputs (n: i64) (steps: i64) =
  let (flags, weights, f) = instance n
  in (flags, weights, f, steps)

entry calculate_objective [nx] [ny] [nz] (flags: [nx][ny][nz]i64) (weights: [nx][ny][nz]f64) (f: [nx][ny][nz][19]f64)
                                         (steps: i64): f64 =
  objective steps flags weights f
entry calculate_jacobian [nx] [ny] [nz] (flags: [nx][ny][nz]i64) (weights: [nx][ny][nz]f64) (f: [nx][ny][nz][19]f64)
                                        (steps: i64): [nx][ny][nz][19]f64 =
  gradient steps flags weights f

entry check (n: i64) (steps: i64): (f64, f64, f64) =
  let (flags, weights, f) = instance n
  in check_of (objective steps flags weights f) (flatten (flatten_3d (gradient steps flags weights f)))
-- ==
-- entry: check
-- compiled input { 3i64 4i64 } output { 89.2937751579558 2280.97015801206 129.094602343041 }
