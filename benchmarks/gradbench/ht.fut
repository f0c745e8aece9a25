-- ht.fut - hand tracking as GradBench asks for it: without us the simple variant, else the complicated one.

import "../adbench/hand"

entry objective [nb] [nv] [nt] [np] [nu] [two] (parents: [nb]i64) (base_relatives: [nb][4][4]f64) (inverse_base_absolutes: [nb][4][4]f64)
                (base_positions: [nv][4]f64) (weights: [nv][nb]f64) (triangles: [nt][3]i64) (mirrored: bool) (corr: [np]i64)
                (points: [np][3]f64) (us: [nu][two]f64) (theta: [26]f64): []f64 =
  let places = skin parents base_relatives inverse_base_absolutes base_positions weights mirrored theta
  in if nu == 0 then simple corr points places else complicated triangles corr points (us :> [np][2]f64) places

entry jacobian [nb] [nv] [nt] [np] [nu] [two] (parents: [nb]i64) (base_relatives: [nb][4][4]f64) (inverse_base_absolutes: [nb][4][4]f64)
               (base_positions: [nv][4]f64) (weights: [nv][nb]f64) (triangles: [nt][3]i64) (mirrored: bool) (corr: [np]i64)
               (points: [np][3]f64) (us: [nu][two]f64) (theta: [26]f64): [][]f64 =
  if nu == 0
  then simple_jacobian parents base_relatives inverse_base_absolutes base_positions weights mirrored corr points theta
  else complicated_jacobian parents base_relatives inverse_base_absolutes base_positions weights triangles mirrored corr points
                            (us :> [np][2]f64) theta
