entry main (x: i32) = match x
  case 0 -> 0i64
  case 1 -> 7i64
  case 2 -> 1i64
  case 3 -> 8i64
  case 4 -> 2i64
  case 5 -> 9i64
  case 6 -> 3i64
  case 7 -> 10i64
  case 8 -> 4i64
  case 9 -> 11i64
  case _ -> 0i64
