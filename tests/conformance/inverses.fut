-- Exponentials of logarithms and logarithms of exponentials, where one of them has no value, and their derivatives.
-- ==
-- entry: exp_log
-- input { [2.5, 0.0, -0.0, -1.0, f64.inf, -f64.inf, f64.nan] } output { [2.5, 0.0, 0.0, f64.nan, f64.inf, f64.nan, f64.nan] }
entry exp_log = map (\(x: f64) -> f64.exp (f64.log x))

-- ==
-- entry: sign_of_zero
-- input { [0.0, -0.0] } output { [f64.inf, f64.inf] }
entry sign_of_zero = map (\(x: f64) -> 1 / f64.exp (f64.log x))

-- ==
-- entry: exp_log_32
-- input { [2.5f32, 0f32, -1f32, f32.inf, f32.nan] } output { [2.5f32, 0f32, f32.nan, f32.inf, f32.nan] }
entry exp_log_32 = map (\(x: f32) -> f32.exp (f32.log x))

-- ==
-- entry: log_exp
-- input { [2.5, 0.0, -1.0, -f64.inf, f64.inf, f64.nan] } output { [2.5, 0.0, -1.0, -f64.inf, f64.inf, f64.nan] }
entry log_exp = map (\(x: f64) -> f64.log (f64.exp x))

-- ==
-- entry: derivative
-- input { [2.5, 0.25, -1.0, 0.0] } output { [1.0, 1.0, f64.nan, f64.nan] }
entry derivative = map (\(x: f64) -> vjp (\x -> f64.exp (f64.log x)) x 1)
