def times 'a (n: i32) (f: a -> a) (x: a): a = loop x for _i < n do f x
module type shown = { type t val show: t -> []u8 }
local def hidden = 1i32
