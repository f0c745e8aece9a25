-- Nothing is known of what `volume` returns, so the sizes of what is made of it are no mistakes.
def volume box = map (\side -> side * 2f32) box.sides
def main box =
  let v = volume {sides = box}
  let w = map (+ 1) v
  in map2 (*) w v
-- expect
-- Error at D33_once.fut:2:49-54:
-- Type is ambiguous: it is not known which record this is. Must be a record with fields sides [D33]
--  2 | def volume box = map (\side -> side * 2f32) box.sides
--    |                                                 ^^^^^
-- help: write the type of the parameter or name that the record comes from
