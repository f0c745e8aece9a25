-- | Automatic differentiation.

-- | Forward mode: the derivative of f at x in the direction dx.
#[intrinsic]
def jvp 'a 'b (f: a -> b) (x: a) (dx: a): b = ???

#[intrinsic]
def jvp2 'a 'b (f: a -> b) (x: a) (dx: a): (b, b) = ???

-- | Reverse mode: the transposed derivative of f at x applied to dy.
#[intrinsic]
def vjp 'a 'b (f: a -> b) (x: a) (dy: b): a = ???

#[intrinsic]
def vjp2 'a 'b (f: a -> b) (x: a) (dy: b): (b, a) = ???

-- | Forward mode for many directions at once.
#[intrinsic]
def jmp 'a 'b [n] (f: a -> b) (x: a) (dxs: [n]a): [n]b = ???

#[intrinsic]
def jmp2 'a 'b [n] (f: a -> b) (x: a) (dxs: [n]a): (b, [n]b) = ???

-- | Reverse mode for many seeds at once.
#[intrinsic]
def mjp 'a 'b [n] (f: a -> b) (x: a) (dys: [n]b): [n]a = ???

#[intrinsic]
def mjp2 'a 'b [n] (f: a -> b) (x: a) (dys: [n]b): (b, [n]a) = ???

-- | f x; in reverse mode the adjoint of x is f' (f x) dy.
#[intrinsic]
def with_vjp 'a 'b (f: a -> b) (f': (res: b) -> (res_adj: b) -> a) (x: a): b = ???

-- | f x; in forward mode the tangent is f' x dx.
#[intrinsic]
def with_jvp 'a 'b (f: a -> b) (f': a -> a -> b) (x: a): b = ???

-- | The second part of f x; in reverse mode the adjoint of x is f' of the first part and dy.
#[intrinsic]
def with_vjp_tape 'a 'b 'c (f: a -> (c, b)) (f': (c, b) -> a) (x: a): b = ???
