def letter: u8 = '\x41'

def accent = "caf\u00e9"
-- expect
-- Error at A03_char.fut:1:18-24:
-- Invalid char literal [A03]
--  1 | def letter: u8 = '\x41'
--    |                  ^^^^^^
-- help: the number of a character is decimal: `'\65'`
--
-- Error at A03_char.fut:3:18-20:
-- Invalid string literal: unknown escape [A03]
--  3 | def accent = "caf\u00e9"
--    |                  ^^
-- help: the number of a character follows `\x`: `\x41`
