-- Packages below lib/: relative imports, opened and named, one module reached two ways.
import "lib/github.com/raido-lang/numbers/complex"
module mat = import "lib/github.com/raido-lang/numbers/matrix"
module r1 = import "lib/github.com/raido-lang/numbers/ring"
module ints = mat.of_integral i32
module ints' = r1.of_integral i32
module gi = gaussian ints
module m_int = mat.square ints'
module m_gi = mat.square gi

-- ==
-- entry: use
-- input { [[1i32, 1i32], [1i32, 0i32]] 10i32 }
-- output { [[89i32, 55i32], [55i32, 34i32]] 1i32 [[0i32, -1i32], [-1i32, -1i32]] [[4i32, 3i32], [3i32, 2i32]] 13i32 }
-- input { [[2i32]] 3i32 } output { [[8i32]] 2i32 [[3i32]] [[4i32]] 6i32 }
entry use [n] (a: [n][n]i32) (k: i32) =
  let g = map (map (\x -> gi.mk x 1)) a
  let p = m_gi.pow 2 g
  in (m_int.pow k a, m_int.trace a, map (map gi.re) p, map (map gi.im) p, mat.m.times 3 (+ 1) k)
