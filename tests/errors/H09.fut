def twin (v: *[]u8): {l: *[]u8, r: *[]u8} = {l = v, r = v}
-- expect
-- Error at H09.fut:1:45-59:
-- A unique-typed component of the return value is aliased to some other component [H09]
--  1 | def twin (v: *[]u8): {l: *[]u8, r: *[]u8} = {l = v, r = v}
--    |                                             ^^^^^^^^^^^^^^
