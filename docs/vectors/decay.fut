-- Each row is a loop whose iterations wait for each other.
entry main [n] [m] (xss: [n][m]f64): [n][m]f64 =
  map (\xs -> loop s = copy xs for j < m - 1 do s with [j + 1] = s[j] * 0.9 + s[j + 1]) xss
