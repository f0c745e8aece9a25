-- hello.fut - the square, and its derivative.

def square_of (x: f64): f64 = x * x

entry square (x: f64): f64 = square_of x
entry double (x: f64): f64 = vjp square_of x 1

-- == entry: square
-- input { 3.0 } output { 9.0 }

-- == entry: double
-- input { 3.0 } output { 6.0 }
