"""The package of shapes.fut without any other package: values of every kind, errors, memory, threads, contexts. The argument is the backend."""
import array
import ast
import ctypes
import inspect
import pathlib
import pickle
import sys
import threading
import time

import other
import shapes

DEVICE = sys.argv[1] in ("opencl", "cuda")


def fails(kind, text, function, *arguments, **more):
    try:
        result = function(*arguments, **more)
    except kind as error:
        assert text in str(error), f"{error!r} has no {text!r}"
        assert type(error) is kind, f"{type(error)} instead of {kind}"
    else:
        assert False, f"{result!r} instead of {kind.__name__}: {text}"


def numbers(*values):
    return array.array("d", values)


def test_numbers():
    assert shapes.kinds(-3, 65535, 1.5, True, 2**64 - 1) == (-3, 65535, 1.5, True, 2**64 - 1)
    for bad in (128, -129, 2**70):
        fails(OverflowError, "argument `a`: the number does not fit into i8", shapes.kinds, bad, 1, 1, True, 1)
    fails(OverflowError, "argument `e`: the number does not fit into u64", shapes.kinds, 1, 1, 1, True, -1)
    fails(TypeError, "argument `a`: expected i8, got float", shapes.kinds, 1.0, 1, 1, True, 1)
    fails(TypeError, "argument `c`: expected f16, got str", shapes.kinds, 1, 1, "x", True, 1)
    fails(TypeError, "argument `d`: expected bool, got int", shapes.kinds, 1, 1, 1, 5, 1)


def test_arrays():
    xs = numbers(1, 2, 3)
    assert shapes.norm(xs) == 14 and shapes.norm([1, 2, 3]) == 14 and shapes.norm([]) == 0
    ys = shapes.scale(2, xs)
    assert isinstance(ys, shapes.Array) and ys.tolist() == [2, 4, 6] and ys.shape == (3,) and ys.type == "[]f64" and len(ys) == 3
    assert repr(ys) == "<[]f64 of shape (3,)>"
    assert shapes.norm(ys) == 56 and shapes.same(ys).tolist() == [2, 4, 6]
    assert shapes.matrix([[1, 2, 3], [4, 5, 6]]).tolist() == [[1, 4], [2, 5], [3, 6]] and shapes.matrix([[], []]).shape == (0, 2)
    assert shapes.bools([True, False]).tolist() == [False, True] and shapes.halves([1, 2.5]).tolist() == [2, 5]
    assert shapes.twice(xs)[1].tolist() == [2, 3, 4]


def test_layouts():
    """What is not as C has it is copied: reversed, strided, not aligned."""
    view = memoryview(numbers(1, 2, 3, 4))
    assert shapes.same(view[::-1]).tolist() == [4, 3, 2, 1] and shapes.norm(view[::2]) == 10 and shapes.update(memoryview(array.array("q", [1, 2, 3]))[::2]).tolist() == [9, 3]
    raw = bytearray(8 * 3 + 1)
    raw[1:] = bytes(numbers(1, 2, 3))
    aside = memoryview(raw)[1:].cast("d")
    assert shapes.norm(aside) == 14 and shapes.same(aside).tolist() == [1, 2, 3]
    assert shapes.norm(memoryview(bytes(numbers(1, 2, 3))).cast("d")) == 14          # read only
    matrix = memoryview(bytes(array.array("f", range(6)))).cast("f", (2, 3))
    assert shapes.matrix(matrix).tolist() == [[0, 3], [1, 4], [2, 5]]


class Foreign(ctypes.BigEndianStructure if sys.byteorder == "little" else ctypes.LittleEndianStructure):
    _fields_ = [("x", ctypes.c_double)]


def test_wrong_arrays():
    fails(TypeError, "argument `xs`: expected []f64, got an array of f32", shapes.norm, array.array("f", [1]))
    fails(TypeError, "argument `xs`: expected []f64, got an array of i64", shapes.norm, array.array("q", [1]))
    fails(TypeError, "argument `xs`: expected []f64, got an array of u8", shapes.norm, b"12345678")
    fails(TypeError, "argument `xs`: expected []f64, got str", shapes.norm, "12")
    fails(TypeError, "argument `xs`: expected []f64, got NoneType", shapes.norm, None)
    fails(ValueError, "argument `xs`: expected []f64, got an array of 2 dimensions", shapes.norm, memoryview(bytes(32)).cast("d", (2, 2)))
    fails(ValueError, "argument `xs`: expected [][]f32, got an array of 1 dimension", shapes.matrix, array.array("f", [1]))
    other_order = ctypes.c_double.__ctype_be__ if sys.byteorder == "little" else ctypes.c_double.__ctype_le__
    fails(TypeError, "numbers have the other byte order", shapes.norm, (other_order * 2)())
    fails(TypeError, "got an array of other values", shapes.norm, (Foreign * 2)())
    fails(ValueError, "the lists do not make one", shapes.matrix, [[1, 2], [3]])
    fails(TypeError, "expected f64, got list", shapes.norm, [1, 2, [3]])
    fails(TypeError, "argument `xs`: expected f64, got str", shapes.norm, [1, "a"])
    fails(ValueError, "Argument `ys`: dimension 0 should be 2, but is 1.", shapes.dot, [1, 2], [1])
    fails(TypeError, "missing 1 required positional argument: 'ys'", shapes.dot, [1])


def test_results_are_ours():
    """Nobody sees what is done to a result; a consumed argument stays as it was."""
    for _ in range(2):
        first = shapes.constant()
        if not DEVICE:
            memoryview(first)[0] = 77
        assert shapes.constant().tolist() == [0, 1, 2, 3, 4]
    us = array.array("q", [1, 2, 3])
    assert shapes.update(us).tolist() == [9, 2, 3] and us.tolist() == [1, 2, 3]
    again = shapes.update(us)
    assert shapes.update(again).tolist() == [9, 2, 3]
    if not DEVICE:
        xs = numbers(1, 2)
        ys, zs = shapes.twice(xs)
        memoryview(ys)[0] = 5
        assert zs.tolist() == [2, 3]
        same = shapes.same(xs)
        xs[0] = 8
        assert same.tolist() == [1, 2]
        same = shapes.same(ys)
        memoryview(ys)[0] = 6
        assert same.tolist() == [5, 3]


def test_records():
    assert shapes.mirror(shapes.point(1, 2)) == shapes.point(x=2, y=1) and shapes.mirror({"y": 2, "x": 1}).x == 2
    assert shapes.point.__doc__ == "A point of the plane." and shapes.point._fields == ("x", "y")
    mirrored = shapes.mirrors({"x": [1, 2], "y": numbers(3, 4)})
    assert mirrored.x.tolist() == [3, 4] and shapes.mirrors(mirrored).x.tolist() == [1, 2]
    fails(TypeError, "argument `p`: expected point, got tuple", shapes.mirror, (1, 2))
    fails(TypeError, "argument `p`: expected point, which has 2 fields, got 1", shapes.mirror, {"x": 1})
    fails(TypeError, "argument `p.y`: there is no such field", shapes.mirror, {"x": 1, "z": 2})
    fails(TypeError, "argument `p.y`: expected f64, got str", shapes.mirror, shapes.point(1, "2"))
    fails(ValueError, "argument `ps`: the arrays of the fields have different shapes", shapes.mirrors, {"x": [1], "y": [1, 2]})


def test_sums():
    circle, nothing, polygon = shapes.make(1), shapes.make(0), shapes.make(3)
    assert isinstance(circle, shapes.shape.circle) and isinstance(circle, shapes.shape) and circle.tag == "circle" and circle == shapes.shape.circle(2.0)
    assert nothing == shapes.shape.nothing() and nothing != circle and len({circle, nothing, shapes.make(1)}) == 2
    match polygon:
        case shapes.shape.polygon(points):
            assert points.x.tolist() == [0, 1, 2]
        case _:
            assert False
    assert [shapes.area(s) for s in (nothing, polygon)] == [0, 3] and abs(shapes.area(circle) - 12.566370614359172) < 1e-12
    assert shapes.area(shapes.shape.polygon({"x": [1], "y": [2]})) == 1
    fails(TypeError, "argument `s`: expected shape, got int", shapes.area, 3)
    fails(TypeError, "argument `s.circle`: expected f64, got str", shapes.area, shapes.shape.circle("x"))
    assert pickle.loads(pickle.dumps(circle)) == circle and pickle.loads(pickle.dumps(shapes.point(1, 2))) == (1, 2)


def test_opaques():
    options = shapes.options(3)
    assert isinstance(options, shapes.Opaque) and options.shape == (3,) and options.type == "[]option"
    assert list(options) == [shapes.option.some(0), shapes.option.none(), shapes.option.some(2)] and options[-1].v0 == 2
    assert shapes.count_some(options) == 2 and shapes.count_some([shapes.option.some(1)] * 3) == 3 and shapes.count_some([]) == 0
    assert shapes.first([[shapes.option.some(4)], [shapes.option.none()]]) == 4
    fails(ValueError, "the lists do not make one", shapes.first, [[shapes.option.some(4)], []])
    fails(IndexError, "index out of bounds", lambda: options[3])
    fails(TypeError, "takes 1 indices", lambda: options[0, 0])
    fails(TypeError, "argument `os`: expected []option, got int", shapes.count_some, 1)
    fails(TypeError, "argument `os`: expected []option, got Opaque", shapes.count_some, other.options(2))
    context, stored = shapes.default_context(), options.store()
    assert list(context.restore("[]option", stored)) == list(options)
    for bad in (stored[:-1], stored + b"x", b"", stored.replace(b"i32", b"i64"), stored[:7] + b"\xff" * 8 + stored[15:]):
        fails(ValueError, "the bytes are not a stored value of type []option", context.restore, "[]option", bad)
    fails(ValueError, "the program has no type nonsense", context.restore, "nonsense", stored)
    fails(TypeError, "cannot create 'shapes.Opaque' instances", shapes.Opaque)


def test_failures():
    for _ in range(3):
        fails(shapes.Error, "Assertion is false: (n > 0)", shapes.positive, -1)
        fails(shapes.Error, "shapes.fut:", shapes.positive, -1)
        assert shapes.positive(4) == 4
    assert issubclass(shapes.Error, RuntimeError) and shapes.Error is not other.Error
    limited = shapes.Context(mem_limit=100000)
    fails(MemoryError, "memory" if DEVICE else "do not fit into the limit", shapes.big, 10**6, context=limited)
    assert shapes.big(3, context=limited).tolist() == [1, 1, 1]
    fails(MemoryError, "", shapes.big, 2**62)


def test_contexts():
    context = shapes.Context(params={"chunk": 7}, num_threads=2, logging=False)
    assert shapes.tunable() == 5 and shapes.tunable(context=context) == 7
    context.set_param("chunk", 8)
    assert shapes.tunable(context=context) == 8
    context.clear_caches()
    assert '"memory"' in context.report()
    fails(ValueError, "the program has no parameter `nonsense`", shapes.Context, params={"nonsense": 1})
    fails(ValueError, "the program has no parameter `nonsense`", context.set_param, "nonsense", 1)
    fails(TypeError, "a context has no such setting: nonsense", shapes.Context, nonsense=1)
    fails(TypeError, "a context has no such setting: nonsense", shapes.Context, nonsense="1")
    fails(ValueError, "num_threads cannot be -1", shapes.Context, num_threads=-1)
    fails(ValueError, "mem_limit cannot be -5", shapes.Context, mem_limit=-5)
    fails(TypeError, "the settings of a context have names", shapes.Context, 1)
    fails(ValueError, "argument `os`: the value belongs to another context", shapes.count_some, shapes.options(3), context=context)
    if DEVICE and sys.argv[1] == "opencl":
        fails(ValueError, "argument `xs`: the array belongs to another context", shapes.norm, shapes.big(3), context=context)
    else:
        assert shapes.norm(shapes.big(3), context=context) == 3
    options = shapes.options(2, context=context)         # a value outlives the last name of its context
    del context
    assert options[0] == shapes.option.some(0)


def test_two_programs():
    assert other.norm([1, 5, 2]) == 5 and shapes.norm([1, 5, 2]) == 30
    if not DEVICE:
        assert other.norm(shapes.scale(2, [1, 3])) == 6                 # an Array of another program is a buffer


def test_names_and_documents():
    assert shapes.__doc__ == "Shapes and points." and str(inspect.signature(shapes.dot)) == "(xs, ys, *, context=None)"
    assert shapes.norm.__doc__.startswith('The sum of squares, "quoted" \\ here.')
    assert shapes.lambda_(2, 3) == 6 and shapes.lambda_(class_=2, xzq=3) == 6
    assert set(shapes.__all__) >= {"norm", "shape", "point", "Error", "Context"}
    assert other._native_(0) == 1 and other._interface_(0) == 2 and other._support_(0) == 3 and other._derivatives_(0) == 4
    from other import _interface, _native, _support
    assert all(inspect.ismodule(m) for m in (_interface, _native, _support))


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_stub():
    """Type checkers know every setting of a context, and that a sum has a tag."""
    stub = ast.parse((pathlib.Path(shapes.__file__).parent / "__init__.pyi").read_text())
    classes = {c.name: c.body for c in stub.body if isinstance(c, ast.ClassDef)}
    new = next(f for f in classes["Context"] if isinstance(f, ast.FunctionDef) and f.name == "__new__")
    settings = {"num_threads": 1, "mem_limit": 0, "params": {}, "device": None, "cache": None, "cpu": None, "profiling": False, "logging": False}
    assert {a.arg for a in new.args.kwonlyargs} == set(settings) and shapes.norm([1, 2, 3], context=shapes.Context(**settings)) == 14
    assert any(isinstance(line, ast.AnnAssign) and line.target.id == "tag" for line in classes["shape"])


def test_memory():
    """Very many calls, good and bad, leave the memory flat."""
    xs, point, circle = numbers(*range(1000)), shapes.point(1, 2), shapes.shape.polygon({"x": [1, 2], "y": [3, 4]})
    count = 2000 if DEVICE else 100000

    def round():
        shapes.scale(2, xs)
        shapes.mirror(point)
        shapes.area(circle)
        shapes.same(shapes.constant())
        shapes.options(2)[0]
        for bad in (lambda: shapes.positive(-1), lambda: shapes.norm("x"), lambda: shapes.dot([1], [1, 2]), lambda: shapes.area(shapes.shape.circle("x"))):
            try:
                bad()
            except (TypeError, ValueError, shapes.Error):
                pass
    calls = 11
    for _ in range(count // calls // 10):
        round()
    before = resident()
    for _ in range(count // calls):
        round()
    grown = resident() - before
    assert grown < 2 << 20, f"{grown} bytes more after {count} calls"
    for _ in range(20):
        shapes.big(100000, context=shapes.Context())
    before = resident()
    for _ in range(60 if not DEVICE else 20):
        shapes.big(100000, context=shapes.Context())
    grown = resident() - before
    assert grown < 8 << 20, f"{grown} bytes more after many contexts"


def test_threads():
    """Several threads call one module; another one goes on while the program runs."""
    failed, ticks = [], []

    def work(seed):
        try:
            for k in range(40 if DEVICE else 400):
                xs = numbers(*[seed + k] * 50)
                ys = shapes.scale(2, xs)
                assert ys.tolist() == [2 * (seed + k)] * 50 and shapes.norm(ys) == 50 * (2 * (seed + k)) ** 2
                try:
                    shapes.positive(-seed - 1)
                    failed.append("no failure")
                except shapes.Error as error:
                    assert "shapes.fut" in str(error)
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed, failed
    runner = threading.Thread(target=shapes.slow, args=(20_000_000 if not DEVICE else 2_000_000,))
    values = [shapes.big(10) for _ in range(100)]
    started = time.perf_counter()
    runner.start()
    values.clear()                              # values go away while their context runs
    while runner.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    took = time.perf_counter() - started
    gaps = [b - a for a, b in zip([started] + ticks, ticks)]
    assert took < 0.05 or max(gaps) < took / 2, f"this thread stood still for {max(gaps)} of {took} seconds"


def test_dlpack():
    xs = shapes.scale(2, [1, 2, 3])
    assert xs.__dlpack_device__()[0] == {"cuda": 2, "opencl": 4}.get(sys.argv[1], 1)
    capsule = xs.__dlpack__(stream=None, max_version=(1, 0), dl_device=xs.__dlpack_device__(), copy=None)
    assert "dltensor" in repr(capsule)
    del capsule
    fails(BufferError, "can only be shared as it is", xs.__dlpack__, copy=True)
    fails(BufferError, "can only be shared as it is", xs.__dlpack__, dl_device=(7, 0))

    class Other:
        """An array of another library."""
        def __init__(self, inner):
            self.inner = inner

        def __dlpack__(self, **settings):
            return self.inner.__dlpack__()

        def __dlpack_device__(self):
            return self.inner.__dlpack_device__()
    if sys.argv[1] != "opencl":
        assert shapes.norm(Other(xs)) == 56 and shapes.same(Other(xs)).tolist() == [2, 4, 6]
        fails(TypeError, "expected []i64, got an array of f64", shapes.update, Other(xs))
    del xs
    for _ in range(1000):
        shapes.big(10).__dlpack__()


def test_cuda_arrays():
    if sys.argv[1] != "cuda":
        return
    xs = shapes.scale(2, [1, 2, 3])

    class Other:
        def __init__(self, **changed):
            self.__cuda_array_interface__ = dict(xs.__cuda_array_interface__, **changed)
    assert shapes.norm(Other()) == 56 and shapes.same(Other(stream=1)).tolist() == [2, 4, 6]
    assert shapes.norm(Other(shape=(2,), strides=(8,))) == 20 and shapes.norm(Other(shape=(0,), data=(0, False))) == 0
    fails(ValueError, "an array on the device must be contiguous", shapes.norm, Other(shape=(2,), strides=(16,)))
    fails(TypeError, "makes no sense", shapes.norm, Other(data=None))
    fails(TypeError, "got an array of f32", shapes.norm, Other(typestr="<f4"))
    fails(TypeError, "the other byte order", shapes.norm, Other(typestr=">f8"))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        started = time.perf_counter()
        test()
        if "-v" in sys.argv:
            print(f"{name}: {time.perf_counter() - started:.2f} s")
