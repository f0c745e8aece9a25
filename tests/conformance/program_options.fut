-- European options with put-call parity, the Greeks by vjp.
def cnd (x: f64) = 0.5 * f64.erfc (-x / f64.sqrt 2)

def price (call: bool) (s: f64) (k: f64) (r: f64) (v: f64) (t: f64) =
  let d1 = (f64.log (s / k) + (r + v * v / 2) * t) / (v * f64.sqrt t)
  let d2 = d1 - v * f64.sqrt t
  in if call
     then s * cnd d1 - k * f64.exp (-r * t) * cnd d2
     else k * f64.exp (-r * t) * cnd (-d2) - s * cnd (-d1)

-- ==
-- entry: parity
-- input { [90.0, 100.0, 110.0] 100.0 }
-- output { [5.091222078817552f64, 10.450583572185565f64, 17.662953740590453f64] [10.214164528888958f64, 5.573526022256971f64,
--   2.7858961906618482f64] true }
entry parity [n] (ss: [n]f64) (k: f64) =
  let c = map (\s -> price true s k 0.05 0.2 1) ss
  let p = map (\s -> price false s k 0.05 0.2 1) ss
  in (c, p, map3 (\c p s -> c - p - s + k * f64.exp (-0.05)) c p ss |> map f64.abs |> all (< 1e-9))

-- ==
-- entry: greeks
-- input { 100.0 95.0 0.03 0.25 0.5 }
-- output { 0.6784611075370011f64 0.020270057555519982f64 25.3375719444f64 8.05487004854921f64 28.674617707486856f64 }
entry greeks s k r v t =
  let {s = delta, v = vega, t = theta, r = rho, k = _} =
    vjp (\{s, k, r, v, t} -> price true s k r v t) {s, k, r, v, t} 1
  let gamma = jvp (\s -> vjp (\s -> price true s k r v t) s 1) s 1
  in (delta, gamma, vega, theta, rho)

-- ==
-- entry: implied
-- input { 10.45 } output { 0.19998444801094387f64 }
entry implied (target: f64) =
  let f v = price true 100 100 0.05 v 1 - target
  in (loop (v, i) = (0.5, 0i32) while f64.abs (f v) > 1e-12 && i < 50 do
        let (y, dy) = jvp2 f v 1
        in (v - y / dy, i + 1)).0
