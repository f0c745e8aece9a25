module type a = {type t}
module type b = {type t}
module type c = {include a include b}
-- expect
-- Warning at K07_1.fut:3:36-37:
--   Inclusion shadows type t [K07]
--    3 | module type c = {include a include b}
--      |                                    ^
