-- with: command=c; args=--ad-memory=64
entry main (x: f64): f64 = vjp (\x -> loop s = x for i < 1000i64 do f64.sin (s * 1.1 + f64.i64 i)) x 1
-- expect
