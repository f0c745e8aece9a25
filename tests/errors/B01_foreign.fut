def f xs = map (fn x => x + 1) xs
def g (x: i32) = x mod 2
def h (p: (i32, bool)) = (fst p, snd p)
def k x = x + 1i32 // adds one to it
-- expect
-- Error at B01_foreign.fut:1:17-19:
-- Unknown name "fn" [B01]
--  1 | def f xs = map (fn x => x + 1) xs
--    |                 ^^
-- help: a function begins with a backslash: `(\x -> ...)`
--
-- Error at B01_foreign.fut:2:20-23:
-- Unknown name "mod" [B01]
--  2 | def g (x: i32) = x mod 2
--    |                    ^^^
-- help: a remainder is `a % b`, with the sign of `b`, or `a %% b`, with the sign of `a`
--
-- Error at B01_foreign.fut:3:27-30:
-- Unknown name "fst" [B01]
--  3 | def h (p: (i32, bool)) = (fst p, snd p)
--    |                           ^^^
-- help: the parts of a tuple are `t.0`, `t.1` and so on
--
-- Error at B01_foreign.fut:4:23-27:
-- Unknown name "adds" [B01]
--  4 | def k x = x + 1i32 // adds one to it
--    |                       ^^^^
-- help: a comment begins with `--`; `//` divides
