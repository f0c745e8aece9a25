"""The entry points that have derivatives, as functions of JAX's arrays that it can differentiate and compile: see `_derivatives`.

The program runs on the host, as a callback. Where JAX traces a function, it has to know the sizes of the result: they are constants or
sizes of the arguments."""
import jax as _jax
import jax.numpy as _numpy
import numpy as _host

from . import _derivatives, _interface
from ._support import default_context as _default_context


def _check_width(types):
    wide = [_derivatives.dtype(n) for n in types if (_derivatives.dtype(n) or "").endswith("64")]
    if wide and not _jax.config.jax_enable_x64:
        raise TypeError(f"the program has numbers of type {wide[0]}: call jax.config.update('jax_enable_x64', True) first")
    if any(_derivatives.dtype(n) is None for n in types):
        raise TypeError("a function of JAX takes and gives numbers, arrays and records of them")


def _size(entry, size, values):
    """An extent of the result: a number, or (leaf, dimension) of the arguments; None if only a run tells."""
    if size is None:
        raise TypeError(f"the size of the result of {entry.name} is not known before it runs, so JAX cannot compile it")
    return size if isinstance(size, int) else values[size[0]].shape[size[1]]


def _run(entry, types, values, shapes):
    """Calls the entry point with these leaves; `shapes` are those of the leaves of the result, None where the call is to tell."""
    outputs = _derivatives.leaves(entry.output)

    def on_host(*values):
        leaves = iter([_host.asarray(v) if _derivatives.rank(n) else _host.asarray(v).item() for n, v in zip(types, values)])
        result = _default_context().call(entry.number, *[_derivatives.unflatten(n, leaves) for _, n in entry.params])
        return tuple(_host.asarray(v, dtype=_derivatives.dtype(n)) for n, v in zip(outputs, _derivatives.flatten(entry.output, result)))

    if shapes is None:
        if not any(isinstance(v, _jax.core.Tracer) for v in values):
            return [_numpy.asarray(v) for v in on_host(*values)]
        shapes = [tuple(_size(entry, s, values) for s in sizes) for sizes in entry.sizes]
    made = tuple(_jax.ShapeDtypeStruct(shape, _derivatives.dtype(n)) for n, shape in zip(outputs, shapes))
    return list(_jax.pure_callback(on_host, made, *values, vmap_method="sequential"))


def _make(name):
    pair = _derivatives.Pair(name)
    if not pair.vjp and not pair.jvp:
        raise AttributeError(f"the program has neither {name}_vjp nor {name}_jvp")
    _check_width(pair.inputs + pair.outputs)

    def primal(*values):
        return tuple(_run(pair.function, pair.inputs, values, None))

    def forward(*values):
        found = primal(*values)
        return found, (values, found)

    def backward(kept, adjoints):
        values, found = kept
        adjoints = [_tangent(n, v, a) for n, v, a in zip(pair.outputs, found, adjoints)]
        shapes = {k: values[j].shape for j, k in enumerate(pair.given) if k is not None}
        given = _run(pair.vjp, pair.inputs + pair.outputs, list(values) + adjoints, [shapes[k] for k in range(len(shapes))])
        return tuple(given[k] if k is not None and _derivatives.is_float(n) else None for n, k in zip(pair.inputs, pair.given))

    def both(values, tangents):
        found = primal(*values)
        tangents = [_tangent(n, v, t) for n, v, t in zip(pair.inputs, values, tangents)]
        given = _run(pair.jvp, pair.inputs * 2, list(values) + tangents, [f.shape for f in found])
        return found, tuple(g if _derivatives.is_float(n) else _host.zeros(f.shape, _jax.dtypes.float0) for n, g, f in zip(pair.outputs, given, found))

    if pair.vjp:
        flat = _jax.custom_vjp(primal)
        flat.defvjp(forward, backward)
    else:
        flat = _jax.custom_jvp(primal)
        flat.defjvp(both)

    def function(*arguments):
        if len(arguments) != len(pair.types):
            raise TypeError(f"{name} takes {len(pair.types)} arguments, got {len(arguments)}")
        values = _derivatives.flatten_all(pair.types, arguments)
        for number, value in zip(pair.inputs, values):
            if _derivatives.rank(number) and str(_numpy.asarray(value).dtype) != _derivatives.dtype(number):
                raise TypeError(f"{name}: expected an array of {_derivatives.dtype(number)}, got one of {_numpy.asarray(value).dtype}")
        values = [_numpy.asarray(v, dtype=_derivatives.dtype(n)) for n, v in zip(pair.inputs, values)]
        return _derivatives.unflatten(pair.function.output, iter(flat(*values)))

    function.__name__ = function.__qualname__ = name
    return function


def _tangent(number, value, tangent):
    """Integers have tangents without values."""
    return _numpy.zeros_like(value) if not _derivatives.is_float(number) else tangent


def __getattr__(name):
    if name not in _interface.entries:
        raise AttributeError(f"the program has no entry point {name}")
    globals()[name] = _make(name)
    return globals()[name]


def __dir__():
    return [name for name in _interface.entries if name + "_vjp" in _interface.entries or name + "_jvp" in _interface.entries]
