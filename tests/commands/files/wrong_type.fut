-- ==
-- error: [Cc]annot apply .\+.
def main = 1i32 + true
