#!/usr/bin/env python3
"""Random stencils and their gradients: loops that add to neighbouring places, for what takes them in strips (backends/kernel/strips.cc) and
what cuts off the edges of grids (passes/parallel/peel.cc).

There are one or two dimensions, several arrays, numbers beside them, steps in time, three ways to treat the edge, f64 and f32. Places are near
each other and far apart. Each program computes values, vjp and jvp for sizes around those of strips. They must be the same by the interpreter,
after the passes for processors and for devices, and compiled; <s, jvp v> = <vjp s, v> must hold. Prints how many loops became strips. Exit code 1 if
something differs, or if there are few such loops: less than one for two programs.

    tests/fuzz/stencils.py --raido build/release/raido --count 20 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import re
import sys

from running import command, same, search


def program(seed):
    r = random.Random(seed)
    t = r.choice(["f64", "f64", "f64", "f32"])
    two, fields, scalars = r.random() < 0.5, r.choice([1, 1, 2, 3]), r.choice([0, 0, 1, 2])
    edge = r.choice(["clamp", "if", "wrap", "mixed"])
    far = r.choice([1, 1, 2, 3])
    fs, ks = [f"u{k}" for k in range(fields)], [f"k{k}" for k in range(scalars)]

    def index(var, size, d, way):
        at = var if d == 0 else f"{var} + {d}" if d > 0 else f"{var} - {-d}"
        if d == 0 or way == "if":
            return at
        if way == "wrap":
            return f"({at} + {abs(d)} * {size}) % {size}" if d < 0 else f"({at}) % {size}"
        return f"i64.max 0 ({at})" if d < 0 else f"i64.min ({size} - 1) ({at})"

    def cell(way):
        d = lambda: r.randint(-far, far)
        at = [index("i", "n", d(), way)] + ([index("j", "m", d(), way)] if two else [])
        return f"{r.choice(fs)}[{', '.join(at)}]"

    def term(way, depth):
        kind = r.choice(["cell"] * 5 + ["mul"] * 3 + ["function", "number", "min", "div"]) if depth > 0 else "cell"
        if kind == "mul":
            return f"({term(way, depth - 1)} * {term(way, depth - 1)})"
        if kind == "function":
            return f"{t}.{r.choice(['sin', 'exp', 'tanh'])} (0.5 * {term(way, depth - 1)})"
        if kind == "number":
            return r.choice(ks + ["0.25", "1.5"])
        if kind == "min":
            return f"{t}.{r.choice(['min', 'max'])} ({term(way, depth - 1)}) ({term(way, depth - 1)})"
        if kind == "div":
            return f"({term(way, depth - 1)} / (2 + {t}.abs ({term(way, depth - 1)})))"
        return cell(way)

    def element(k):
        way = edge if edge != "mixed" else r.choice(["clamp", "if", "wrap"])
        sum_ = " ".join(f"{r.choice('+-') if n else ''} {r.choice(['', '0.5 * ', '0.125 * '])}{term(way, 2)}" for n in range(r.randint(2, 5)))
        if way != "if":
            return sum_
        inside = f"i >= {far} && i < n - {far}" + (f" && j >= {far} && j < m - {far}" if two else "")
        return f"if {inside} then {sum_} else {fs[k]}[{'i, j' if two else 'i'}]"

    shape, sizes = ("[n][m]", "[n][m]") if two else ("[n]", "[n]")
    made = "tabulate_2d n m (\\i j ->" if two else "tabulate n (\\i ->"
    state = ", ".join(fs) if fields > 1 else fs[0]
    types = ", ".join([f"{shape}{t}"] * fields)
    bodies = "\n".join(f"    let v{k} = {made} {element(k)})" for k in range(fields))
    steps = r.choice([1, 1, 2, 4])
    inputs = ", ".join(fs + ks)
    all_types = ", ".join([f"{shape}{t}"] * fields + [t] * scalars)
    one = lambda x: f"({x})" if "," in x else x
    out_type = one(types)
    dot = " + ".join(f"dot s{k} t{k}" for k in range(fields))
    numbers = lambda k: f"(numbers {'(n * m)' if two else 'n'} {k})"
    array = lambda k: f"unflatten {numbers(k)}" if two else numbers(k)
    args = ", ".join([array(3 + k) for k in range(fields)] + [f"{t}.f64 {0.25 + k / 8}" for k in range(scalars)])
    directions = ", ".join([array(11 + k) for k in range(fields)] + [f"{t}.f64 {0.5 - k / 4}" for k in range(scalars)])
    seeds = ", ".join(array(21 + k) for k in range(fields))
    flat = "flatten" if two else "id"
    gs = ", ".join([f"g{k}" for k in range(fields)] + [f"h{k}" for k in range(scalars)])
    ds = ", ".join([f"d{k}" for k in range(fields)] + [f"e{k}" for k in range(scalars)])
    back = " + ".join([f"dot g{k} d{k}" for k in range(fields)] + [f"h{k} * e{k}" for k in range(scalars)])
    return f"""-- seed {seed}
def numbers (n: i64) (k: i64): [n]{t} = tabulate n (\\i -> {t}.i64 ((i * 7 + k * 5) % 23 - 9) / 16)
def dot x y = {t}.sum (map2 (*) ({flat} x) ({flat} y))
def step [n]{'[m]' if two else ''} ({one(inputs)}: {one(all_types)}): {out_type} =
{bodies}
    in {one(', '.join(f'v{k}' for k in range(fields)))}
def run [n]{'[m]' if two else ''} ({one(inputs)}: {one(all_types)}): {out_type} =
  loop {one(state)} = {one(state)} for _t < {steps}i32 do step ({inputs})
def total [n]{'[m]' if two else ''} ({one(', '.join(f's{k}' for k in range(fields)))}: {out_type}) ({one(', '.join(f't{k}' for k in range(fields)))}: {out_type}): {t} = {dot}
entry main (n: i64){' (m: i64)' if two else ''} =
  let x: ({all_types}) = ({args})
  let s: {out_type} = ({seeds})
  let ({ds}) = ({directions})
  let d: ({all_types}) = ({ds})
  let y = run x
  let ({gs}) = vjp run x s
  let t = jvp run x d
  in ({', '.join(f'{flat} g{k}' for k in range(fields))}{''.join(f', h{k}' for k in range(scalars))}, total s y, total s t, {back})
"""


class Ways:
    def __init__(self, raido, folder):
        self.raido, self.folder, self.strips = os.path.abspath(raido), pathlib.Path(folder), 0

    def wrong(self, seed, text):
        two = "(m: i64)" in text
        file = self.folder / f"{seed}.fut"
        file.write_text(text)
        code, _, err = command([self.raido, "c", "-w", "--cpu=native", str(file), "-o", str(self.folder / str(seed))], 120)
        if code != 0:
            return f"does not compile: {err[-2000:]}"
        self.strips += len(re.findall(r"^ *f\d+ strip_\d+\[", (self.folder / f"{seed}.c").read_text(), re.M))
        r = random.Random(seed)
        for _ in range(3):
            n = r.choice([4, 7, 8, 9, 13, 33, 40, 41, 70, 100])
            m = r.choice([4, 8, 12, 41, 45])
            given = f"{min(n, 13)}i64 {m}i64" if two else f"{n}i64"
            wanted = command([self.raido, "run", "-w", str(file)], 120, given)
            ways = {"c": command([str(self.folder / str(seed))], 60, given)}
            for pipeline in ("cpu", "gpu"):
                ways[pipeline] = command([self.raido, "run", "-w", f"--pipeline={pipeline}", str(file)], 120, given)
            for name, got in ways.items():
                if got[0] != wanted[0] or not same(wanted[1], got[1]):
                    return f"{name} differs for {given}\n  interpreter {wanted}\n  {name} {got}"
            if wanted[0] != 0:
                return f"fails for {given}: {wanted[2]}"
            forward, backward = re.findall(r"-?[\d.]+(?:e[-+]?\d+)?(?=f\d\d)", wanted[1].replace("nan", "0.0"))[-2:]
            if abs(float(forward) - float(backward)) > (1e-2 if "f32" in text else 1e-7) * (1 + abs(float(forward))):
                return f"<s, J v> = {forward}, <J' s, v> = {backward} for {given}"
        return ""


def main():
    _, ways, programs, findings = search(__doc__, program, lambda options, folder: Ways(options.raido, folder), 20)
    print(f"{programs} programs, {ways.strips} strips, {findings} findings")
    return 1 if findings or ways.strips < programs / 2 else 0


sys.exit(main())
