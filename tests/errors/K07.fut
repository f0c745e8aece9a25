module type a = { type t }
module type b = { include a include a }
-- expect
-- Warning at K07.fut:2:37-38:
--   Inclusion shadows type t [K07]
--    2 | module type b = { include a include a }
--      |                                     ^
