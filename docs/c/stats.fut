-- | Mean and spread of measurements.

-- | What is known of a sample.
type summary = {count: i64, mean: f64, spread: f64}

-- | The summary of a sample, which must not be empty.
entry summarise (xs: []f64): summary =
  let n = length xs
  let mean = assert (n > 0) (f64.sum xs / f64.i64 n)
  in {count = n, mean, spread = f64.sqrt (f64.sum (map (\x -> (x - mean) ** 2) xs) / f64.i64 n)}

-- | How the mean changes with each measurement.
entry slopes (xs: []f64): []f64 =
  vjp (\ys -> f64.sum ys / f64.i64 (length ys)) xs 1
