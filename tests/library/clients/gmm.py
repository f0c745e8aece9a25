"""The library through ctypes: gmm.py gmm.so. What it does: gmm.c."""
import ctypes
import math
import sys

K, D, T, N = 2, 3, 3, 5
P = K + 2 * K * D + K * T
library = ctypes.CDLL(sys.argv[1])
pointer, extent = ctypes.c_void_p, ctypes.c_int64


def function(name, *parameters, result=ctypes.c_int):
    found = getattr(library, "futhark_" + name)
    found.argtypes, found.restype = parameters, result
    return found


config = function("context_config_new", result=pointer)()
context = function("context_new", pointer, result=pointer)(config)
get_error = function("context_get_error", pointer, result=pointer)
sync = function("context_sync", pointer)
new_1d = function("new_f64_1d", pointer, pointer, extent, result=pointer)
new_2d = function("new_f64_2d", pointer, pointer, extent, extent, result=pointer)
new_parameters = function("new_opaque_parameters", *[pointer] * 6)
value_entry = function("entry_value", *[pointer] * 4)
gradient_entry = function("entry_value_gradient", *[pointer] * 4)
free = {t: function("free_" + t, pointer, pointer) for t in ("f64_1d", "f64_2d", "opaque_parameters")}
values = {t: function("values_" + t, pointer, pointer, pointer) for t in ("f64_1d", "f64_2d")}
c_free = ctypes.CDLL(None).free
c_free.argtypes = [pointer]


def check(code):
    if code != 0:
        text = get_error(context)
        error = ctypes.string_at(text).decode()
        c_free(text)
        raise RuntimeError(error)


def numbers(items):
    return (ctypes.c_double * len(items))(*items)


def make(p):
    parts = [("f64_1d", new_1d(context, numbers(p[:K]), K))]
    for at, columns in ((K, D), (K + K * D, D), (K + 2 * K * D, T)):
        parts.append(("f64_2d", new_2d(context, numbers(p[at:at + K * columns]), K, columns)))
    alpha, mu, q, l = [x for _, x in parts]
    out = pointer()
    check(new_parameters(context, ctypes.byref(out), alpha, l, mu, q))
    for t, x in parts:
        check(free[t](context, x))
    return out


def value(x, p):
    at, out = make(p), ctypes.c_double()
    try:
        check(value_entry(context, ctypes.byref(out), x, at))
    finally:
        free["opaque_parameters"](context, at)
    return out.value


p = [math.sin(k + 1) for k in range(P)]
points = [math.sin(P + k + 1) for k in range(N * D)]
x = new_2d(context, numbers(points), N, D)
at, found, g = make(p), pointer(), []
check(gradient_entry(context, ctypes.byref(found), x, at))
for name, t, count in (("alpha", "f64_1d", K), ("mu", "f64_2d", K * D), ("q", "f64_2d", K * D), ("l", "f64_2d", K * T)):
    field, to = pointer(), (ctypes.c_double * count)()
    check(function("project_opaque_parameters_" + name, pointer, pointer, pointer)(context, ctypes.byref(field), found))
    check(values[t](context, field, to) or sync(context))
    check(free[t](context, field))
    g += list(to)

h, cosines = 1e-6, [math.cos(k + 1) for k in range(P)]
along = sum(a * b for a, b in zip(g, cosines))
quotient = (value(x, [a + h * c for a, c in zip(p, cosines)]) - value(x, [a - h * c for a, c in zip(p, cosines)])) / (2 * h)
print(f"value {value(x, p):.9f}, along {along:.6f} {quotient:.6f}")
narrow = new_2d(context, numbers(points), N, 1)
try:
    value(narrow, p)
    sys.exit(1)
except RuntimeError as error:
    print(error, end="")
for t, v in (("f64_2d", narrow), ("f64_2d", x), ("opaque_parameters", at), ("opaque_parameters", found)):
    check(free[t](context, v))
function("context_free", pointer, result=None)(context)
function("context_config_free", pointer, result=None)(config)
