-- with: args=--entry-point=g; command=c
entry f (x: i32) = x
-- expect
-- No entry point 'g' [J07]
