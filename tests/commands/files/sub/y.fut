def y = 3i32
