type particle = {position: f64, velocity: f64}
def move (p: particle) (dt: f64) : particle = p with postion = p.position + dt * p.velcity
-- expect
-- Error at D12_field.fut:2:54-61:
-- Cannot unify record type with fields `postion` with {position: f64, velocity: f64} [D12]
--  2 | def move (p: particle) (dt: f64) : particle = p with postion = p.position + dt * p.velcity
--    |                                                      ^^^^^^^
-- help: did you mean `position`?
--
-- Error at D12_field.fut:2:84-91:
-- Cannot unify record type with fields `velcity` with {position: f64, velocity: f64} [D12]
--  2 | def move (p: particle) (dt: f64) : particle = p with postion = p.position + dt * p.velcity
--    |                                                                                    ^^^^^^^
-- help: did you mean `velocity`?
