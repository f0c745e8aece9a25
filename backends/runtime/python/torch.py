"""The entry points that have derivatives, as functions of PyTorch's tensors that it can differentiate: see `_derivatives`.

Arrays become tensors that share their memory. Tensors must have the types of the program's numbers."""
import functools as _functools

import torch as _torch

from . import _derivatives, _interface
from ._support import default_context as _default_context


def _given(number, value):
    """What the program takes for a leaf."""
    if not isinstance(value, _torch.Tensor):
        return value
    return value.detach() if _derivatives.rank(number) else value.item()


def _taken(number, value):
    """The tensor for what the program gives."""
    if _derivatives.dtype(number) is None:
        return value
    if not _derivatives.rank(number):
        return _torch.tensor(value, dtype=getattr(_torch, _derivatives.dtype(number)))
    return _torch.from_dlpack(value)


@_functools.cache
def _derivative(name):
    """The entry point as a function of the leaves of its arguments. Its derivatives are such functions too, so they may have derivatives."""
    pair = _derivatives.Pair(name)

    def both(ctx, types, shapes, others):
        """The leaves of the arguments, then the others; zeros where there is none."""
        values = [plain if tensor is None else tensor for tensor, plain in zip(ctx.saved_tensors, ctx.plain)]
        return values + [_zero(n, shape) if v is None else v for n, shape, v in zip(types, shapes, others)]

    class Derivative(_torch.autograd.Function):
        @staticmethod
        def forward(*values):
            arguments = pair.arguments(_given(number, value) for number, value in zip(pair.inputs, values))
            result = _default_context().call(pair.function.number, *arguments)
            return tuple(_taken(number, leaf) for number, leaf in zip(pair.outputs, _derivatives.flatten(pair.function.output, result)))

        @staticmethod
        def setup_context(ctx, values, output):
            tensors = [v if isinstance(v, _torch.Tensor) else None for v in values]
            ctx.plain = [v if tensor is None else None for v, tensor in zip(values, tensors)]
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)
            ctx.shapes = [getattr(v, "shape", ()) for v in output]
            ctx.mark_non_differentiable(*[v for number, v in zip(pair.outputs, output) if not _derivatives.is_float(number)])

        @staticmethod
        def backward(ctx, *adjoints):
            if not pair.vjp:
                raise RuntimeError(f"the program has no {name}_vjp")
            found = _derivative(pair.vjp.name)[1].apply(*both(ctx, pair.outputs, ctx.shapes, adjoints))
            return tuple(found[k] if k is not None and needed and _derivatives.is_float(n) else None
                         for n, k, needed in zip(pair.inputs, pair.given, ctx.needs_input_grad))

        @staticmethod
        def jvp(ctx, *tangents):
            if not pair.jvp:
                raise RuntimeError(f"the program has no {name}_jvp")
            shapes = [getattr(plain if tensor is None else tensor, "shape", ()) for tensor, plain in zip(ctx.saved_tensors, ctx.plain)]
            found = _derivative(pair.jvp.name)[1].apply(*both(ctx, pair.inputs, shapes, tangents))
            return tuple(f if _derivatives.is_float(n) else None for n, f in zip(pair.outputs, found))

    Derivative.__name__ = Derivative.__qualname__ = name
    return pair, Derivative


def _make(name):
    pair, derivative = _derivative(name)
    if not pair.vjp and not pair.jvp:
        raise AttributeError(f"the program has neither {name}_vjp nor {name}_jvp")

    def function(*arguments):
        if len(arguments) != len(pair.types):
            raise TypeError(f"{name} takes {len(pair.types)} arguments, got {len(arguments)}")
        found = derivative.apply(*_derivatives.flatten_all(pair.types, arguments))
        return _derivatives.unflatten(pair.function.output, iter(found))

    function.__name__ = function.__qualname__ = name
    return function


def _zero(number, shape):
    return _torch.zeros(shape, dtype=getattr(_torch, _derivatives.dtype(number)))


def __getattr__(name):
    if name not in _interface.entries:
        raise AttributeError(f"the program has no entry point {name}")
    globals()[name] = _make(name)
    return globals()[name]


def __dir__():
    return [name for name in _interface.entries if name + "_vjp" in _interface.entries or name + "_jvp" in _interface.entries]
