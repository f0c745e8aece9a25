def f0 (x: i64) = if x % 2 == 0 then x / 2 else x + 0
def f1 (x: i64) = if x % 3 == 0 then x / 2 else f0 (x + 1) + 1
def f2 (x: i64) = if x % 4 == 0 then x / 2 else f1 (x + 1) + 2
def f3 (x: i64) = if x % 5 == 0 then x / 2 else f2 (x + 1) + 3
def f4 (x: i64) = if x % 6 == 0 then x / 2 else f3 (x + 1) + 4
def f5 (x: i64) = if x % 7 == 0 then x / 2 else f4 (x + 1) + 5
def f6 (x: i64) = if x % 8 == 0 then x / 2 else f5 (x + 1) + 6
def f7 (x: i64) = if x % 9 == 0 then x / 2 else f6 (x + 1) + 7
def f8 (x: i64) = if x % 10 == 0 then x / 2 else f7 (x + 1) + 8
def f9 (x: i64) = if x % 11 == 0 then x / 2 else f8 (x + 1) + 9
entry main (x: i64) = f9 x
