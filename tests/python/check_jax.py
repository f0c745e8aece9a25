"""The package of gradients.fut in JAX."""
import gradients
import gradients.jax as derivatives
import jax
import jax.numpy as numpy
from jax.test_util import check_grads


def fails(kind, text, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert text in str(error), f"{error!r} has no {text!r}"
    else:
        assert False, text


fails(TypeError, "call jax.config.update('jax_enable_x64', True) first", lambda: derivatives.norm)
ones = numpy.ones(3, "float32")
for run in (lambda f: f, jax.jit):
    (values, n), (tangents, _) = run(lambda x: jax.jvp(derivatives.wave, (x,), (x,)))(ones)
    assert n == 3 and numpy.allclose(values, numpy.sin(ones)) and numpy.allclose(tangents, numpy.cos(ones))

jax.config.update("jax_enable_x64", True)
x = numpy.arange(4.0)
for run in (lambda f: f, jax.jit):
    assert run(derivatives.norm)(x) == 14 and run(jax.grad(derivatives.norm))(x).tolist() == [0, 2, 4, 6]
    given = run(jax.grad(lambda p, x: derivatives.layer(3, p, x).sum(), argnums=(0, 1)))({"w": x, "b": 2.0}, x)
    assert given[0]["b"] == 4 and numpy.allclose(given[0]["w"], x**3) and numpy.allclose(given[1], 3 * x**3)
    assert run(jax.vmap(derivatives.norm))(numpy.ones((3, 2))).tolist() == [2, 2, 2]
    assert numpy.allclose(run(jax.grad(lambda x: derivatives.norm(numpy.tanh(x))))(x), jax.grad(lambda x: (numpy.tanh(x) ** 2).sum())(x))
check_grads(derivatives.norm, (x,), order=1, modes=["rev"])

# Sizes that only a run tells.
assert derivatives.evens(x).tolist() == [0, 2] and jax.grad(lambda x: derivatives.evens(x).sum())(x).tolist() == [1, 0, 1, 0]
fails(TypeError, "the size of the result of evens is not known before it runs", jax.jit(derivatives.evens), x)

fails(AttributeError, "the program has no entry point nonsense", lambda: derivatives.nonsense)
fails(TypeError, "odd_vjp is no derivative of odd", lambda: derivatives.odd)
fails(TypeError, "norm: expected an array of float64, got one of float32", derivatives.norm, ones)
fails(gradients.Error, "gradients.fut:", derivatives.positive, -1.0)
