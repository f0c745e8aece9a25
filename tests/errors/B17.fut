-- with: as=B17.txt
def x = 1i32
-- expect
-- B17.txt: a source file must have a .fut extension [B17]
