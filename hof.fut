def twice 'a (f: a -> a) (x: a): a = f (f x)
entry main (x: i64) = twice (twice (twice (twice (twice (twice (twice (twice (twice (twice (twice (twice ((+ 1))))))))))))) x
