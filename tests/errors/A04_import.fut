import foo
-- expect
-- Error at A04_import.fut:1:8-11:
-- Unexpected token: `foo`, expected a string with the path of the file [A04]
--  1 | import foo
--    |        ^^^
-- help: the path is a text: `import "foo"`
