#!/usr/bin/env python3
"""Every scalar operation and conversion at corner values, against exact arithmetic in this file.

usage: scalars.py RAIDO BACKEND...     BACKEND: interpreter, c, multicore, opencl, llvm

Integers are computed with unbounded ones, floats with fractions that are rounded once. Results that must be exact are compared as
bits; functions such as `sin` are compared with those of Python, within what `tolerance` says."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
from fractions import Fraction

INTS = {f"{s}{b}": (s == "i", b) for s in "iu" for b in (8, 16, 32, 64)}
FLOATS = {"f16": (16, 11), "f32": (32, 24), "f64": (64, 53)}          # width, bits of the significand
INF, NAN = math.inf, math.nan
# `c` has the flags of users. The others are the same expressions, compiled faster.
FASTER = {"multicore": ([], {"CFLAGS": "-O1"}), "opencl": (["--pass-option=--build-option=-cl-opt-disable"], {})}


# --- integers ---

def wrap(t, x):
    signed, bits = INTS[t]
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def corners(t):
    signed, bits = INTS[t]
    top = 1 << (bits - 1)
    wanted = [0, 1, 2, 3, 7, 8, 100, top - 1, top - 2, 0x55 << (bits - 8)]
    wanted += [-1, -2, -3, -7, -100, -top, 1 - top] if signed else [top, top + 1, 2 * top - 1, 2 * top - 2]
    return sorted({wrap(t, x) for x in wanted})


def truncating(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def power(x, y):
    return pow(x, y, 1 << 64)


def converted(t, source, x):
    return wrap(t, x if INTS[t][0] else x & ((1 << INTS[source][1]) - 1))      # to unsigned types with zeros in front


def integer_ops(t):
    """(text over x and y, its value, which second arguments)"""
    signed, bits = INTS[t]
    unsigned = lambda x: x & ((1 << bits) - 1)
    anything, nonzero, natural = (lambda y: True), (lambda y: y != 0), (lambda y: y >= 0)
    shift = lambda y: 0 <= y < bits
    return [
        ("x + y", lambda x, y: x + y, anything), ("x - y", lambda x, y: x - y, anything), ("x * y", lambda x, y: x * y, anything),
        ("x / y", lambda x, y: x // y, nonzero), ("x % y", lambda x, y: x - x // y * y, nonzero),
        ("x // y", truncating, nonzero), ("x %% y", lambda x, y: x - truncating(x, y) * y, nonzero), ("x ** y", power, natural),
        ("x & y", lambda x, y: x & y, anything), ("x | y", lambda x, y: x | y, anything), ("x ^ y", lambda x, y: x ^ y, anything),
        ("x << y", lambda x, y: x << y, shift), ("x >> y", lambda x, y: x >> y, shift),
        (f"x {t}.>>> y", lambda x, y: unsigned(x) >> y, shift),
        (f"{t}.bool (x < y)", lambda x, y: x < y, anything), (f"{t}.bool (x <= y)", lambda x, y: x <= y, anything),
        (f"{t}.bool (x == y)", lambda x, y: x == y, anything), (f"{t}.bool (x != y)", lambda x, y: x != y, anything),
        (f"{t}.bool (x > y)", lambda x, y: x > y, anything), (f"{t}.bool (x >= y)", lambda x, y: x >= y, anything),
        (f"{t}.min x y", min, anything), (f"{t}.max x y", max, anything),
        (f"{t}.mul_hi x y", lambda x, y: x * y >> bits, anything), (f"{t}.mad_hi x y 3", lambda x, y: (x * y >> bits) + 3, anything),
        ("-x", lambda x, _: -x, None), ("!x", lambda x, _: ~x, None), (f"{t}.neg x", lambda x, _: -x, None), (f"{t}.not x", lambda x, _: ~x, None),
        (f"{t}.abs x", lambda x, _: abs(x), None), (f"{t}.sgn x", lambda x, _: (x > 0) - (x < 0), None),
        (f"{t}.i32 ({t}.popc x)", lambda x, _: bin(unsigned(x)).count("1"), None),
        (f"{t}.i32 ({t}.clz x)", lambda x, _: bits - unsigned(x).bit_length(), None),
        (f"{t}.i32 ({t}.ctz x)", lambda x, _: (x & -x).bit_length() - 1 if x else bits, None),
        (f"{t}.i32 ({t}.get_bit 2 x)", lambda x, _: x >> 2 & 1, None), (f"{t}.set_bit 2 x 1", lambda x, _: x | 4, None),
        (f"{t}.set_bit {bits - 1} x 0", lambda x, _: unsigned(x) & ~(1 << (bits - 1)), None),
        (f"{t}.i64 ({t}.to_i64 x)", lambda x, _: x, None),
    ] + [(f"{t}.{u} ({u}.{t} x)", lambda x, _, u=u: converted(t, u, converted(u, t, x)), None) for u in INTS]


# --- floats ---

def rounded(t, x):
    """The nearest float of type t, ties to even; x is a fraction or a special float."""
    width, precision = FLOATS[t]
    if isinstance(x, float):
        if not math.isfinite(x) or x == 0:
            return x
    x = Fraction(x)
    if x == 0:
        return 0.0
    exponent_bits = width - precision
    least = 2 - (1 << (exponent_bits - 1)) - (precision - 1)          # exponent of the last place of subnormals
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    if abs(x) < Fraction(2) ** e:
        e -= 1
    unit = Fraction(2) ** max(e - precision + 1, least)
    y = round(x / unit) * unit                                        # Python's rounds ties to even
    if abs(y) >= Fraction(2) ** (1 << (exponent_bits - 1)):
        return INF if x > 0 else -INF
    return float(y) if y else 0.0 if x > 0 else -0.0


def float_corners(t):
    width, precision = FLOATS[t]
    top = (1 << (width - precision - 1))
    largest = float((2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** (top - 1))
    normal, least = float(Fraction(2) ** (2 - top)), float(Fraction(2) ** (3 - top - precision))
    eps = float(Fraction(2) ** (1 - precision))
    positive = [0.0, least, normal, 0.25, 0.5, 1.0, 1 + eps, 1.5, 2.0, 2.5, 3.0, 7.75, 100.0, 1 / eps + 1, largest]
    edges = [Fraction(2) ** 31, Fraction(2) ** 31 - 128, 3 * Fraction(2) ** 31, Fraction(2) ** 32 + 512, Fraction(2) ** 47 + 2 ** 25, Fraction(2) ** 63,
             Fraction(2) ** 63 + 3 * 2 ** 11, Fraction(2) ** 64 - 2 ** 11, Fraction(2) ** 64, Fraction(2) ** 64 + 3 * 2 ** 12, Fraction(2) ** 70 + 2 ** 18]
    positive += [float(x) for x in edges if x <= largest]              # of integers
    if t == "f64":                                                    # next to the middle between two halves, by less than an f32 shows
        positive += [2.0 ** 31 - 0.5, 2.0 ** 31 + 0.5, 2.0 ** 32 - 0.5, 1 + 2.0 ** -11 + 2.0 ** -40, 2.0 ** -25 + 2.0 ** -60, 65520 - 2.0 ** -30]
    return [rounded(t, s * x) for x in positive for s in (1.0, -1.0)] + [INF, -INF, NAN]


def special(f):
    """f on fractions, with the rules of IEEE 754 where Python's own floats follow them."""
    def g(t, x, y):
        if math.isfinite(x) and math.isfinite(y):
            r = f(Fraction(x), Fraction(y))
            if r != 0:
                return rounded(t, r)
        return f(x, y)                                                # exact: zeros, infinities
    return g


def divided(t, x, y):
    if math.isnan(x) or math.isnan(y) or (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return NAN
    sign = math.copysign(1, x) * math.copysign(1, y)
    if y == 0 or math.isinf(x):
        return sign * INF
    return math.copysign(abs(rounded(t, Fraction(x) / Fraction(y))), sign) if not math.isinf(y) else sign * 0.0


def fmod(t, x, y):
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return NAN
    return math.fmod(x, y)


def smaller(t, x, y):
    return y if math.isnan(x) else x if math.isnan(y) else min(x, y)


def larger(t, x, y):
    return y if math.isnan(x) else x if math.isnan(y) else max(x, y)


def root(t, x, _):
    if x == 0 or math.isnan(x) or x == INF:
        return x
    if x < 0:
        return NAN
    q = Fraction(x) * 4 ** 1200                                       # enough places that one rounding is left
    r = math.isqrt(q.numerator // q.denominator)
    return rounded(t, Fraction(2 * r + (r * r != q), 2) / 2 ** 1200)


def whole(f):
    return lambda t, x, _: x if not math.isfinite(x) or x == 0 else math.copysign(float(abs(f(Fraction(x)))), x)


def truth(f):
    return lambda t, x, y: float(f(x, y))


def next_after(t, x, y):
    if math.isnan(x) or math.isnan(y):
        return NAN
    if x == y:
        return y
    if x == 0:
        return from_bits(t, 1) if y > 0 else from_bits(t, 1 | 1 << (FLOATS[t][0] - 1))
    return from_bits(t, to_bits(t, x) + (1 if (y > x) == (x > 0) else -1))


def scaled(n):
    return lambda t, x, _: x if not math.isfinite(x) or x == 0 else rounded(t, Fraction(x) * Fraction(2) ** n)


def to_bits(t, x):
    width, precision = FLOATS[t]
    exponent_bits = width - precision
    sign = (math.copysign(1, x) < 0) << (width - 1)
    if math.isnan(x):
        return (1 << width) - 1                                       # stands for all of them
    if math.isinf(x):
        return sign | ((1 << exponent_bits) - 1) << (precision - 1)
    x, bias = Fraction(abs(x)), (1 << (exponent_bits - 1)) - 1
    if x < Fraction(2) ** (1 - bias):
        return sign | int(x / Fraction(2) ** (2 - bias - precision))
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if x < Fraction(2) ** e:
        e -= 1
    return sign | (e + bias) << (precision - 1) | int(x / Fraction(2) ** (e - precision + 1)) - (1 << (precision - 1))


def from_bits(t, bits):
    width, precision = FLOATS[t]
    bias = (1 << (width - precision - 1)) - 1
    sign, exponent, rest = bits >> (width - 1), bits >> (precision - 1) & 2 * bias + 1, bits & (1 << (precision - 1)) - 1
    if exponent == 2 * bias + 1:
        return NAN if rest else -INF if sign else INF
    size = rest * Fraction(2) ** (2 - bias - precision) if exponent == 0 else \
        (rest + (1 << (precision - 1))) * Fraction(2) ** (exponent - bias - precision + 1)
    return -float(size) if sign else float(size)


def float_ops(t):
    """(text over x and y, its value, whether it has two arguments)"""
    return [
        ("x + y", special(lambda x, y: x + y), True), ("x - y", special(lambda x, y: x - y), True), ("x * y", special(lambda x, y: x * y), True),
        ("x / y", divided, True), ("x % y", fmod, True),
        # Which of two zeros is unspecified.
        (f"{t}.abs ({t}.min x y)", lambda *a: abs(smaller(*a)), True), (f"{t}.abs ({t}.max x y)", lambda *a: abs(larger(*a)), True),
        (f"{t}.bool (x < y)", truth(lambda x, y: x < y), True), (f"{t}.bool (x <= y)", truth(lambda x, y: x <= y), True),
        (f"{t}.bool (x == y)", truth(lambda x, y: x == y), True), (f"{t}.bool (x != y)", truth(lambda x, y: x != y), True),
        (f"{t}.bool (x > y)", truth(lambda x, y: x > y), True), (f"{t}.bool (x >= y)", truth(lambda x, y: x >= y), True),
        (f"{t}.copysign x y", lambda t, x, y: math.copysign(x, y), True), (f"{t}.nextafter x y", next_after, True),
        (f"{t}.fma x y 5.9604644775390625e-8",
         lambda t, x, y: rounded(t, Fraction(x) * Fraction(y) + Fraction(1, 1 << 24)) if math.isfinite(x) and math.isfinite(y) else x * y + 1, True),
        ("-x", lambda t, x, _: -x, False), (f"{t}.neg x", lambda t, x, _: -x, False), (f"{t}.abs x", lambda t, x, _: abs(x), False),
        (f"{t}.abs ({t}.sgn x)", lambda t, x, _: x if math.isnan(x) else float(x != 0), False),
        (f"{t}.bool ({t}.isnan x)", truth(lambda x, _: math.isnan(x)), False), (f"{t}.bool ({t}.isinf x)", truth(lambda x, _: math.isinf(x)), False),
        (f"{t}.bool (bool.{t} x)", truth(lambda x, _: not x == 0), False),
        (f"{t}.sqrt x", root, False), (f"{t}.recip x", lambda t, x, _: divided(t, 1.0, x), False),
        (f"{t}.floor x", whole(math.floor), False), (f"{t}.ceil x", whole(math.ceil), False), (f"{t}.trunc x", whole(math.trunc), False),
        (f"{t}.round x", whole(round), False), (f"{t}.ldexp x 3", scaled(3), False), (f"{t}.ldexp x (-5)", scaled(-5), False),
        (f"{t}.ldexp x 3000", scaled(3000), False), (f"{t}.fma x 3 1", lambda t, x, _: x if not math.isfinite(x) else rounded(t, Fraction(x) * 3 + 1), False),
        (f"{t}.from_bits ({t}.to_bits x)", lambda t, x, _: x, False),
        (f"{t}.max {t}.lowest x", lambda t, x, _: -INF if math.isnan(x) else x, False),
    ] + [(f"{t}.{u} ({u}.{t} x)", lambda t, x, _, u=u: rounded(t, rounded(u, x)), False) for u in FLOATS]


def integer_of(t, x):
    """Truncated, then the low bits; 0 for what no integer of 64 bits holds."""
    return wrap(t, math.trunc(x)) if -2.0 ** 63 <= x < 2.0 ** 64 else 0


# Functions of one argument that Python has; at poles and outside of their domain they give what the language says.
def outside(f, at):
    def g(x):
        if math.isnan(x):
            return NAN
        special_value = at(x)
        try:
            return f(x) if special_value is None else special_value
        except OverflowError:
            return INF
    return g


def function_table():
    always = lambda x: None
    positive = lambda x: NAN if x < 0 else -INF if x == 0 else INF if x == INF else None
    finite = lambda x: NAN if math.isinf(x) else None
    unit = lambda x: NAN if abs(x) > 1 else None
    table = {
        "exp": (math.exp, always), "log": (math.log, positive), "log2": (math.log2, positive), "log10": (math.log10, positive),
        "log1p": (math.log1p, lambda x: NAN if x < -1 else -INF if x == -1 else None),
        "sin": (math.sin, finite), "cos": (math.cos, finite), "tan": (math.tan, finite),
        "asin": (math.asin, unit), "acos": (math.acos, unit), "atan": (math.atan, always),
        "sinh": (lambda x: math.copysign(math.sinh(abs(x)) if abs(x) < 700 else INF, x), always),
        "cosh": (math.cosh, lambda x: INF if abs(x) > 700 else None), "tanh": (math.tanh, always),
        "asinh": (math.asinh, always), "acosh": (math.acosh, lambda x: NAN if x < 1 else None),
        "atanh": (math.atanh, lambda x: NAN if abs(x) > 1 else math.copysign(INF, x) if abs(x) == 1 else None),
        "rsqrt": (lambda x: 1 / math.sqrt(x), lambda x: NAN if x < 0 else math.copysign(INF, x) if x == 0 else 0.0 if x == INF else None),
        "cbrt": (lambda x: math.copysign(abs(x) ** (1 / 3), x), always),
        "erf": (math.erf, always), "erfc": (math.erfc, always),
        "gamma": (math.gamma, lambda x: math.copysign(INF, x) if x == 0 else NAN if x == -INF or (x < 0 and x == math.floor(x)) else None),
        "lgamma": (math.lgamma, lambda x: INF if math.isinf(x) or (x <= 0 and x == math.floor(x)) else None),
    }
    return {name: outside(*entry) for name, entry in table.items()}


# Where the argument's own rounding does not decide the result.
POINTS = [0.0, 0.125, -0.125, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0, 1.5, -1.5, 2.0, -2.5, 3.0, 4.5, -4.5, 6.0, INF, -INF, NAN]
TOLERANCE = {"f16": 4e-3, "f32": 2e-6, "f64": 1e-13}


# --- programs ---

def literal(t, x):
    if t in INTS:
        return f"{x}{t}"
    return f"{t}.nan" if math.isnan(x) else f"{'-' if x < 0 else ''}{t}.inf" if math.isinf(x) else f"{x}{t}"


def array(t, xs):
    return "[" + ", ".join(literal(t, x) for x in xs) + "]" if xs else f"empty([0]{t})"


class Program:
    def __init__(self):
        self.text = ""
        self.count = 0

    def entry(self, params, body, inputs, output):
        self.text += f"-- ==\n-- entry: e{self.count}\n-- input {{ {' '.join(inputs)} }}\n-- output {{ {output} }}\n"
        self.text += f"entry e{self.count} {params} = {body}\n"
        self.count += 1


def exact_integers(t, p):
    values = corners(t)
    for text, value, allowed in integer_ops(t):
        if allowed:
            pairs = [(x, y) for x in values for y in (sorted(set(range(0, INTS[t][1])) if "<<" in text or ">>" in text else set(values))) if allowed(y)]
            p.entry(f"[n] (a: [n]{t}) (b: [n]{t})", f"map2 (\\x y -> {text}) a b", [array(t, [x for x, _ in pairs]), array(t, [y for _, y in pairs])],
                    array(t, [wrap(t, int(value(x, y))) for x, y in pairs]))
        else:
            p.entry(f"(a: []{t})", f"map (\\x -> {text}) a", [array(t, values)], array(t, [wrap(t, int(value(x, None))) for x in values]))
    # Divisors that all elements have in common; in vectors they are multiplied with the inverse.
    for text, value, _ in integer_ops(t)[3:7]:
        divisors = [y for y in values if y != 0]
        many = values * 2
        p.entry(f"(a: []{t}) (b: []{t})", f"flatten (map (\\y -> map (\\x -> {text}) a) b)", [array(t, many), array(t, divisors)],
                array(t, [wrap(t, int(value(x, y))) for y in divisors for x in many]))
        for y in (7, -3 if INTS[t][0] else values[-1]):
            p.entry(f"(a: []{t})", f"map (\\x -> {text.replace('y', f'({y})')}) a", [array(t, many)], array(t, [wrap(t, int(value(x, y))) for x in many]))
    for f in FLOATS:
        p.entry(f"(a: []{t})", f"map (\\x -> {f}.to_bits ({f}.{t} x)) a", [array(t, values)],
                array(f"u{f[1:]}", [to_bits(f, rounded(f, Fraction(x))) for x in values]))
        floats = [x for x in float_corners(f) if integer_of(t, x) is not None]
        p.entry(f"(a: []{f})", f"map (\\x -> {t}.{f} x) a", [array(f, floats)], array(t, [integer_of(t, x) for x in floats]))
    signed, bits = INTS[t]
    p.entry("(_: i32)", f"[{t}.lowest, {t}.highest, {t}.i32 {t}.num_bits]", ["0i32"],
            array(t, [-(1 << bits - 1) if signed else 0, (1 << (bits - 1 if signed else bits)) - 1, bits]))


def exact_floats(t, p):
    bits, values = f"u{t[1:]}", float_corners(t)
    shown = f"(\\r -> if {t}.isnan r then {bits}.highest else {t}.to_bits r)"
    for text, value, two in float_ops(t):
        if two:
            pairs = [(x, y) for x in values for y in values]
            p.entry(f"[n] (a: [n]{t}) (b: [n]{t})", f"map2 (\\x y -> {shown} ({text})) a b",
                    [array(t, [x for x, _ in pairs]), array(t, [y for _, y in pairs])],
                    array(bits, [to_bits(t, value(t, x, y)) for x, y in pairs]))
        else:
            p.entry(f"(a: []{t})", f"map (\\x -> {shown} ({text})) a", [array(t, values)],
                    array(bits, [to_bits(t, value(t, x, None)) for x in values]))


def functions(t, p):
    for name, f in function_table().items():
        points = [x for x in POINTS if not (t == "f16" and name in ("exp", "cosh", "sinh", "gamma") and abs(x) == 6)]
        p.entry(f"(a: []{t})", f"map {t}.{name} a", [array(t, points)], array(t, [rounded(t, f(x)) for x in points]))


def main():
    raido, backends = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for make, types in [(exact_integers, INTS), (exact_floats, FLOATS), (functions, FLOATS)]:
            for t in types:
                p = Program()
                make(t, p)
                path = pathlib.Path(folder) / f"{make.__name__}_{t}.fut"
                path.write_text(p.text)
                for backend in backends:
                    tolerance = TOLERANCE[t] if make is functions else 0
                    options, environment = FASTER.get(backend, ([], {}))
                    done = subprocess.run([raido, "test", "--no-terminal", f"--backend={backend}", "--pass-compiler-option=--subnormals=keep", f"--tolerance={tolerance}",
                                           *options, path], capture_output=True, text=True, env={**os.environ, **environment})
                    if done.returncode:
                        failed += 1
                        print(f"{path.name} on {backend}:\n{(done.stdout + done.stderr)[:3000]}")
                print(f"{path.stem}: {p.count} operations")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
