import "lib/sets.fut"
-- expect
-- Error at B14_suffix.fut:1:8-22:
-- Could not read file "lib/sets.fut.fut". [B14]
--  1 | import "lib/sets.fut"
--    |        ^^^^^^^^^^^^^^
-- help: leave `.fut` out: an import adds it
