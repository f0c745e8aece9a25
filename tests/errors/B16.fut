import "/prelude/array"
-- expect
-- Error at B16.fut:1:8-24:
-- /prelude/array may not be explicitly imported. [B16]
--  1 | import "/prelude/array"
--    |        ^^^^^^^^^^^^^^^^
