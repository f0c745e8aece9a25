-- prelude: flatmap, on the interpreter.
-- ==
-- tags { no_c no_multicore no_opencl no_cuda }
-- entry: irregular
-- input { [2i64,0i64,3i64] } output { [2i64,0i64,3i64] [true,false,true,false,false] [0i64,2i64,2i64] [0i64,1i64,0i64,1i64,2i64] }
def up (n: i64): ?[k].[k]i64 = iota n
entry irregular (ns: []i64) = flatmap' up ns
