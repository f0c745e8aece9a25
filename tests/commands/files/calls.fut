-- What stays a call after the common passes, and what does not.
#[noinline] def kept (x: i64): i64 = x * x + 1
#[inline] def dissolved (x: i64): i64 = x * x + 3
def plain (x: i64): i64 = x * x + 5
#[noinline] def shown 'a [n] (f: a -> i64) (xs: [n]a): [n]i64 = map f xs
entry by_declaration (x: i64): i64 = kept (kept x)
entry by_expression (x: i64): i64 = #[noinline] plain (plain x)
entry dissolving (x: i64): i64 = dissolved (plain x)
entry with_function (xs: []i64): []i64 = shown (\x -> x + 7) xs
entry derived (x: f64): f64 = let f (x: f64) = #[noinline] f64.sin (x * x) in vjp f x 1
