#!/usr/bin/env python3
"""Random nests of maps and sums over arrays that are read in all orders. They test what the passes for processors make of the
order of loops (passes/parallel/interchange.cc).

Values, gradients and derivatives in one direction must be the same by the interpreter and after the passes. The sizes are a
few: 1 is among them, and with --wide more than a strip. Exit code 1 if a program differs; it is left in the folder --out."""
import argparse
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SIZE = {"i": "n", "l": "m", "j": "k"}                      # index variable -> size
ARRAYS = {"a": "il", "b": "lj", "c": "ij", "u": "i", "v": "l", "w": "j"}
TYPES = ", ".join(f"{a}: {''.join(f'[{SIZE[x]}]' for x in at)}f64" for a, at in ARRAYS.items())
NAMES = ", ".join(ARRAYS)


def expression(r, bound, depth=0):
    free = [x for x in SIZE if x not in bound]
    kind = r.random()
    if free and kind < 0.55:
        x = r.choice(free)
        fold = r.choice(["f64.sum", "f64.sum", "f64.maximum", "f64.minimum", "f64.product"])
        return f"{fold} (tabulate {SIZE[x]} (\\{x} -> {expression(r, bound + [x], depth + 1)}))"
    if depth <= 4 and kind < 0.8:
        return f"({expression(r, bound, depth + 1)} {r.choice('+*-')} {expression(r, bound, depth + 1)})"
    if depth <= 4 and kind < 0.9:
        return f"f64.sin ({expression(r, bound, depth + 1)})"
    a = r.choice([a for a, at in ARRAYS.items() if set(at) <= set(bound)])
    return f"{a}[{', '.join(ARRAYS[a])}]"


def program(r):
    x, y = r.sample(list(SIZE), 2)
    params = " ".join(f"({p})" for p in TYPES.split(", "))
    text = f"""def f [n] [m] [k] ({TYPES}) = tabulate {SIZE[x]} (\\{x} -> tabulate {SIZE[y]} (\\{y} -> {expression(r, [x, y])}))
entry value [n] [m] [k] {params} = f ({NAMES})
entry gradient [n] [m] [k] {params} (seed: [{SIZE[x]}][{SIZE[y]}]f64) =
  let ({NAMES}) = vjp f ({NAMES}) seed in ({NAMES})
entry tangent [n] [m] [k] {params} = jvp f ({NAMES}) ({NAMES})
"""
    return text, x + y


def array(shape, start):
    if not shape:
        return f"{math.sin(start):.6f}"
    return "[" + ", ".join(array(shape[1:], start + 3 * i + 4 * len(shape)) for i in range(shape[0])) + "]"


def numbers(text):
    text = re.sub(r"(-?)f64\.inf", r"\g<1>1e308f64", text).replace("f64.nan", "2e308f64")
    return [float(x) for x in re.findall(r"(-?[\d.]+(?:e-?\d+)?)f64", text)]


def differs(raido, path, entry, data):
    texts = []
    for options in (["--check-shapes"], ["--pipeline=cpu"]):
        run = subprocess.run([raido, "dev", "-w", "-q", *options, f"--run={entry}", path], input=data, capture_output=True, text=True)
        if run.returncode != 0:
            return f"exit code {run.returncode}: {run.stderr}"
        texts.append(numbers(run.stdout))
    here, there = texts
    close = len(here) == len(there) and all(x == y or abs(x - y) <= 1e-7 * (1 + abs(x)) for x, y in zip(here, there))
    return "" if close and here else f"{here}\nbehind the passes: {there}"


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--raido", default="build/release/raido")
parser.add_argument("--count", type=int, default=20)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--wide", action="store_true", help="sizes above 2048, one at a time")
parser.add_argument("--out", default=tempfile.gettempdir())
options = parser.parse_args()
sizes = [(2, 3, 2051), (2051, 2, 3), (2, 2051, 2)] if options.wide else [(3, 4, 5), (2, 3, 3), (1, 2, 6), (5, 1, 4)]
findings = 0
for seed in range(options.seed, options.seed + options.count):
    text, order = program(random.Random(seed))
    path = pathlib.Path(options.out) / f"nest_{seed}.fut"
    path.write_text(text)
    found = ""
    for dims in sizes:
        size = dict(zip(SIZE, dims))
        data = [array([size[x] for x in at], start) for start, at in enumerate(ARRAYS.values())]
        for entry in ("value", "gradient", "tangent"):
            seeds = [array([size[x] for x in order], 9)] if entry == "gradient" else []
            found = found or differs(options.raido, path, entry, "\n".join(data + seeds))
    if found:
        findings += 1
        print(f"{path}, sizes {dims}: {found}")
    else:
        path.unlink()
print(f"{options.count} nests, {findings} findings")
sys.exit(findings > 0)
