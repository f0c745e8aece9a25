module m: { type~ t  val x: t } = { type~ t = []bool  def x = [true] }
-- expect
-- Error at I11.fut:1:35-71:
-- Implementing the value x results in a top-level size: its type would be ?[k0].[k0]bool, whose size nobody can name [I11]
--  1 | module m: { type~ t  val x: t } = { type~ t = []bool  def x = [true] }
--    |                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
