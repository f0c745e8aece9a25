-- Every comment has a place.


-- | The file.

-- | A function.
def f   (x: i64) -- first
        (y: i64) -- second
        : i64 =
  -- before the body
  let a = x -- trailing
            + y
  -- between

  let b = a*2
-- at the margin
  in -- behind in
     if a > b -- condition
     then {left = a, -- a field
           right = b}.left
     else (b -- in parentheses
          )
-- ==
-- entry: g
-- input { 1i64 } output { 2i64 }

-- ==
-- entry: g
-- input { 2i64 } output { 3i64 }
entry g x = x+1
  -- the end
