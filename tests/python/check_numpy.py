"""The package of shapes.fut with NumPy: results are arrays of NumPy, and nothing is copied that need not be."""
import tracemalloc

import numpy
import shapes


def address(array):
    return array.__array_interface__["data"][0]


def fails(kind, text, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert text in str(error), f"{error!r} has no {text!r}"
    else:
        assert False, text


xs = numpy.arange(4.0)
ys = shapes.scale(2, xs)
assert type(ys) is numpy.ndarray and ys.dtype == numpy.float64 and (ys == [0, 2, 4, 6]).all() and ys.flags.writeable and ys.flags.c_contiguous
assert shapes.norm(ys) == 56 and shapes.scale(numpy.float64(2), numpy.array([1, 2.0], ndmin=1)).tolist() == [2, 4]
assert (shapes.update(numpy.arange(3)) == [9, 1, 2]).all() and shapes.positive(numpy.int32(4)) == 4
for dtype, function in (("bool", shapes.bools), ("f2", shapes.halves)):
    assert function(numpy.ones(3, dtype)).dtype == numpy.dtype(dtype)
assert shapes.kinds(numpy.int8(1), numpy.uint16(2), numpy.float16(3), numpy.bool_(True), numpy.uint64(5)) == (1, 2, 3, True, 5)

# What has another layout.
matrix = numpy.arange(6, dtype="f4").reshape(2, 3)
for view in (matrix, numpy.asfortranarray(matrix), matrix[::-1], matrix[:, ::2], matrix.T, matrix[:0], matrix[:, :0], numpy.broadcast_to(matrix[0], (4, 3))):
    assert (shapes.matrix(view) == view.T).all() and shapes.matrix(view).shape == view.T.shape
frozen = numpy.arange(3.0)
frozen.flags.writeable = False
assert shapes.norm(frozen) == 5
aside = numpy.frombuffer(bytes(25), dtype="u1")[1:].view("f8")
assert shapes.norm(aside) == 0 and not aside.flags.aligned
fails(TypeError, "got an array of f32", shapes.norm, numpy.ones(3, "f4"))
fails(TypeError, "got an array of i64", shapes.norm, numpy.ones(3, "i8"))
fails(TypeError, "the other byte order", shapes.norm, numpy.ones(3, ">f8" if numpy.little_endian else "<f8"))
fails(TypeError, "got an array of other values", shapes.norm, numpy.ones(3, "c16"))
fails(ValueError, "got an array of 2 dimensions", shapes.norm, numpy.ones((2, 2)))
fails(ValueError, "got an array of 0 dimensions", shapes.norm, numpy.array(1.0))


class Column:
    """Only says how it becomes an array."""
    def __array__(self, dtype=None, copy=None):
        return numpy.ones(3)


assert shapes.norm(Column()) == 3

# Results: views of the program's memory, which live as long as they.
big = shapes.big(10**6)
assert isinstance(big.base, memoryview) and isinstance(big.base.obj, shapes.Array)
part = big[10:20]
del big
assert (part == 1).all()
first = shapes.constant()
first[0] = 77
assert shapes.constant()[0] == 0
a, b = shapes.twice(xs)
a[0] = 5
assert b[0] == 1
assert numpy.from_dlpack(shapes.big(3)).tolist() == [1, 1, 1]

# Memory: an argument is not copied (its context would need room for it), nor is a result on its way to NumPy.
large = numpy.ones(4 * 10**6)
tight = shapes.Context(mem_limit=10**6)
assert shapes.norm(large, context=tight) == 4e6
fails(MemoryError, "do not fit into the limit", lambda: shapes.same(large, context=tight))           # the result may keep it
fails(MemoryError, "do not fit into the limit", lambda: shapes.update(numpy.ones(10**6, "i8"), context=tight))   # it is consumed
tracemalloc.start()
result = shapes.big(10**6)
assert tracemalloc.get_traced_memory()[1] < 10**5
