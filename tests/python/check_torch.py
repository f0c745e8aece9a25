"""The package of gradients.fut in PyTorch."""
import gradients
import gradients.torch as derivatives
import shapes
import torch


def fails(kind, text, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert text in str(error), f"{error!r} has no {text!r}"
    else:
        assert False, text


x = torch.arange(4.0, dtype=torch.float64, requires_grad=True)
derivatives.norm(x).backward()
assert x.grad.tolist() == [0, 2, 4, 6]
assert torch.autograd.gradcheck(derivatives.norm, (x,), check_forward_ad=True)
plain = x.detach()
assert torch.func.grad(derivatives.norm)(plain).tolist() == [0, 2, 4, 6]
value, tangent = torch.func.jvp(derivatives.norm, (plain,), (plain,))
assert value == 14 and tangent == 28

# Records, parameters without an adjoint, an adjoint by name.
w, b = torch.ones(4, dtype=torch.float64, requires_grad=True), torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(lambda w, b, x: derivatives.layer(3, {"w": w, "b": b}, x), (w, b, x))
assert torch.autograd.gradcheck(lambda x: derivatives.layer(3, {"w": w.detach(), "b": 2.0}, x[::2].repeat(2)), (x,))

# Inside a network that PyTorch differentiates.
model = torch.nn.Linear(3, 4, dtype=torch.float64)
derivatives.norm(torch.tanh(model(torch.ones(3, dtype=torch.float64)))).backward()
weights = model.weight.grad.clone()
model.zero_grad()
torch.tanh(model(torch.ones(3, dtype=torch.float64))).square().sum().backward()
assert torch.allclose(weights, model.weight.grad)

# Integers in results; only a forward derivative; a second derivative.
xs = torch.ones(3)
(values, n), (tangents, _) = torch.func.jvp(derivatives.wave, (xs,), (xs,))
assert n == 3 and torch.allclose(values, xs.sin()) and torch.allclose(tangents, xs.cos())
fails(RuntimeError, "the program has no wave_vjp", lambda: derivatives.wave(xs.requires_grad_())[0].sum().backward())
y = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradgradcheck(derivatives.cube, (y,))
fails(RuntimeError, "the program has no norm_vjp_vjp", lambda: torch.autograd.gradgradcheck(derivatives.norm, (x,)))

# What is no derivative.
fails(AttributeError, "the program has no entry point nonsense", lambda: derivatives.nonsense)
fails(AttributeError, "the program has neither norm_vjp_vjp nor norm_vjp_jvp", lambda: derivatives.norm_vjp)
fails(TypeError, "odd_vjp is no derivative of odd: it must take the same and then what odd gives", lambda: derivatives.odd)
fails(TypeError, "even_vjp is no derivative of even: it must give an adjoint for each parameter", lambda: derivatives.even)
fails(TypeError, "norm takes 1 arguments, got 2", derivatives.norm, x, x)
fails(TypeError, "expected []f64, got an array of f32", derivatives.norm, xs)
fails(gradients.Error, "gradients.fut:", derivatives.positive, torch.tensor(-1.0, dtype=torch.float64))
assert "norm" in dir(derivatives) and "norm_vjp" not in dir(derivatives)

# Tensors in place of arrays, without derivatives.
assert shapes.norm(plain) == 14 and shapes.norm(plain[::2]) == 4
assert torch.from_dlpack(shapes.scale(2, plain)).tolist() == [0, 2, 4, 6]
