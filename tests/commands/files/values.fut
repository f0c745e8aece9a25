type^ s = #foo [2][2]i32 | #bar (i32, bool) | #baz i32 i32 | #qux {a: i32}
def a : s = #foo [[1,2],[3,4]]
def b : s = #bar (1, true)
def c : s = #baz (-1) 2
def d : s = #qux {a=1}
def e = [(1, [[1,2],[3,4]])]
def f = {m=[[1,2],[3,4]], n=(1,(2,3))}
def g = [[(1,2)],[(3,4)]]
def h = [#some 1, #none : #some i32 | #none]
def i : [2](#some [2]i32 | #none) = [#some [1,2], #none]
def j = (1, \x -> x + 1i32)
def k : (#a (#b i32 | #c) | #d, #a (#b i32 | #c) | #d) = (#a (#b 3), #a #c)
def n = replicate 2 ([] : [0]i32)
def o = (-1, -1.5f32, f32.nan)
entry main = (1i32, (2i32, [1.5f64, 2]), {a=5i32, b=true}, [[1i32,2],[3,4]], (#foo 1 : #foo i32 | #bar), [(1i32,2i32)], ())
entry r2 = (1i32,2i32)
entry r3 : (i32,(i32,i32)) = (1,(2,3))
entry r4 : #foo i32 | #bar = #foo 1
entry r5 = {a=1i32,b=[[1i32,2],[3,4]]}
entry r6 = ()
entry r7 : [2](#foo i32 | #bar) = [#foo 1, #bar]
entry r8 (x: (i32,i32)) = x.0
entry r9 (x: i32) (y: f32) = x
entry r10 = [[[1i32,2],[3,4]],[[5,6],[7,8]]]
entry r11 = ([] : []i32)
entry r14 (n: i64): ([n][0]i64, [0][n]i64, []([0]i32, bool)) = (replicate n [], [], replicate n ([], true))
entry r12 = [1.5f32,1e20]
entry r13 = \(x:i32) -> x
