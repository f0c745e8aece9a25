#!/usr/bin/env python3
"""Random programs whose arrays have sizes of their own at every point of a map: results of filters, branches, loops that grow an
array, partitions, sums with arrays in them, and folds of closures over tuples.

A program maps a function that makes such arrays over the rows of a matrix, and adds each up. The interpreter runs it as lowered,
with its shapes checked, and after the passes for processors and devices; compiled C runs it, too. All give the same numbers. The
translators to threads and devices take it. Exit code 1 if there is any finding.

    tests/fuzz/irregular.py --raido build/release/raido --count 100 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import sys
import tempfile

from running import NO_COMPILER, command, difference, search

SHAPES = [(2, 3), (1, 1), (0, 2), (3, 0), (4, 5)]
ELEMENTS = ["i64", "i64", "u8", "bool", "(i64, i8)", "f64"]

MAYBE = """type maybe [n] 'a = #none | #some ([n]a)
def some [n] 'a (xs: [n]a): maybe [n] a = #some xs
def none [n] 'a (_: [n]a): maybe [n] a = #none

"""


class Gen:
    """Writes expressions of a type from names in scope: `env` holds pairs of a name and its type; `[]t` is an array of any size."""

    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0

    def name(self, hint="x"):
        self.count += 1
        return f"{hint}{self.count}"

    def scalar(self, t, env, depth):
        r = self.r
        names = [n for n, of in env if of == t]
        arrays = [n for n, of in env if of == "[]" + t]
        if names and r.random() < 0.35:
            return r.choice(names)
        if arrays and r.random() < 0.3:
            a = r.choice(arrays)
            return f"(if null {a} then {self.literal(t)} else {r.choice(['last', 'head'])} {a})"
        if t == "i64" and depth > 0 and r.random() < 0.8:
            kind = r.randrange(7)
            if kind < 2:
                return f"(length {self.array(r.choice(ELEMENTS), env, depth - 1)})"
            if kind == 2:
                return self.total(env, depth - 1)
            if kind == 3:
                return f"({self.scalar(t, env, depth - 1)} {r.choice('+-*')} {self.scalar(t, env, depth - 1)})"
            if kind == 4:
                return f"(if {self.scalar('bool', env, depth - 1)} then {self.scalar(t, env, depth - 1)} else {self.scalar(t, env, depth - 1)})"
            if kind == 5:
                return self.fold(env, depth - 1)
            return f"({self.scalar(t, env, depth - 1)} % {r.choice('3457')})"
        if t == "bool" and depth > 0 and r.random() < 0.8:
            return f"({self.scalar('i64', env, depth - 1)} {r.choice(['<', '>', '==', '<='])} {self.scalar('i64', env, depth - 1)})"
        if t == "u8" and depth > 0:
            return f"(u8.i64 {self.scalar('i64', env, depth - 1)})"
        if t == "f64" and depth > 0:
            return f"(f64.i64 ({self.scalar('i64', env, depth - 1)} % 1000))"
        if t == "(i64, i8)" and depth > 0:
            return f"({self.scalar('i64', env, depth - 1)}, i8.i64 {self.scalar('i64', env, depth - 1)})"
        return self.literal(t)

    def literal(self, t):
        k = self.r.randrange(4)
        return {"i64": str(k), "u8": f"{k}u8", "bool": "true" if k % 2 else "false", "f64": f"{k}.5", "(i64, i8)": f"({k}, {k}i8)"}[t]

    # A small size that is never negative.
    def size(self, env, depth):
        return f"({self.scalar('i64', env, depth)} % {self.r.choice('2345')})"

    # Adds up a fold of closures over tuples.
    def fold(self, env, depth):
        r = self.r
        f, g, x, a, b = (self.name(h) for h in "fgxab")
        inner = env + [(x, "i64")]
        first, second = self.scalar("i64", inner, depth), self.scalar("i64", inner, depth)
        over = self.array("i64", env, depth)
        steps = [f"foldl (\\({a}, {b}) {x} -> ({f} {a} {x}, {g} {b})) ({self.scalar('i64', env, 0)}, 1) {over}",
                 f"loop ({a}, {b}) = (1, {self.scalar('i64', env, 0)}) for {x} in {over} do ({g} {b}, {f} {a} {x})",
                 f"reduce (\\({a}, {b}) ({x}, _) -> ({a} + {x}, {b})) (0, 0) (map (\\{x} -> ({f} {x} 1, {g} {x})) {over})"]
        return (f"(let ({f}, {g}) = (\\{a} {x} -> ({a} + {first}) % 1009, \\{x} -> ({second}) % 1009)\n"
                f"   let ({a}, {b}) = {r.choice(steps)} in {a} + {b})")

    # A number made from a whole array.
    def total(self, env, depth):
        t = self.r.choice(ELEMENTS)
        return self.sum_of(t, self.array(t, env, depth))

    def sum_of(self, t, a):
        weigh = {"i64": "\\i x -> (i + 1) * x", "u8": "\\i x -> (i + 1) * i64.u8 x", "bool": "\\i x -> if x then i + 1 else 0",
                 "f64": "\\i x -> (i + 1) * i64.f64 x", "(i64, i8)": "\\i (x, y) -> (i + 1) * x + i64.i8 y"}[t]
        a_, s = self.name("a"), self.name("s")
        return f"(let {a_} = {a} let {s} = i64.sum (map2 ({weigh}) (indices {a_}) {a_}) in {s} % 1000003)"

    def array(self, t, env, depth):
        r = self.r
        names = [n for n, of in env if of == "[]" + t]
        if names and (depth <= 0 or r.random() < 0.2):
            return r.choice(names)
        x, y = self.name("x"), self.name("y")
        if depth <= 0:
            return f"(map (\\{x} -> {self.scalar(t, env + [(x, 'i64')], 1)}) (iota {self.size(env, 0)}))"
        sub = lambda of=t, e=env: self.array(of, e, depth - 1)
        cond = lambda e=env: self.scalar("bool", e, depth - 1)
        kind = r.randrange(17)
        if kind < 3:
            return f"(if {cond()} then {sub()} else {sub()})"
        if kind < 6:
            return f"(filter (\\{x} -> {self.scalar('bool', env + [(x, t)], min(depth - 1, 2))}) {sub()})"
        if kind == 6:
            return f"({sub()} ++ {sub()})"
        if kind == 7:
            of = r.choice(ELEMENTS)
            return f"(map (\\{x} -> {self.scalar(t, env + [(x, of)], depth - 1)}) {sub(of)})"
        if kind == 8:
            return f"(let {y} = {sub()} in {r.choice(['take', 'drop'])} ({self.size(env, depth - 1)} % (length {y} + 1)) {y})"
        if kind == 9:
            p = self.name("p")
            return f"(let ({x}, {p}) = partition (\\{y} -> {self.scalar('bool', env + [(y, t)], min(depth - 1, 2))}) {sub()} in {self.array(t, env + [(x, '[]' + t), (p, '[]' + t)], depth - 1)})"
        if kind == 10:
            i = self.name("i")
            return f"(loop {y} = {sub()} for {i} < {self.size(env, 0)} do {self.array(t, env + [(y, '[]' + t), (i, 'i64')], min(depth - 1, 1))})"
        if kind == 11:
            z = self.name("z")
            some = lambda: f"{r.choice(['some', 'none'])} {sub()}"
            return (f"(let {z} = if {cond()} then {some()} else {some()}\n"
                    f"   in match {z} case #some {y} -> {self.array(t, env + [(y, '[]' + t)], depth - 1)} case #none -> {sub()})")
        if kind == 12:
            of = r.choice(ELEMENTS)
            p, q = self.name("p"), self.name("q")
            return (f"(let ({p}, {q}) = if {cond()} then ({sub()}, {sub(of)}) else ({sub()}, {sub(of)})\n"
                    f"   in {self.array(t, env + [(p, '[]' + t), (q, '[]' + of)], depth - 1)})")
        if kind == 13 and t in ("i64", "u8"):
            return f"(scan (+) 0 {sub()})"
        if kind == 14:
            return f"(reverse {sub()})"
        if kind == 15:
            f = self.name("f")
            return (f"(let {f} = \\({x}: i64) -> {self.array(t, env + [(x, 'i64')], depth - 1)}\n"
                    f"   in {r.choice([f'{f} {self.scalar(chr(105) + str(64), env, 0)}', f'({f} 1 ++ {f} {self.scalar(chr(105) + str(64), env, 0)})'])})")
        return f"(let {y} = {sub()} in {self.array(t, env + [(y, '[]' + t)], depth - 1)})"


def program(seed):
    g = Gen(seed)
    env = [("row", "[]i64"), ("key", "i64")]
    depth = g.r.choice([2, 3, 3, 4])
    lines = [f"map2 (\\row key -> {g.total(env, depth)}) m ks"]
    if g.r.random() < 0.4:
        lines.append(f"map2 (\\row key -> {g.scalar('i64', env, depth)}) m ks")
    return MAYBE + "entry main [n] [k] (m: [n][k]i64) (ks: [n]i64) =\n  (" + ",\n   ".join(lines) + ")\n"


def inputs(seed):
    r = random.Random(seed)
    for n, k in SHAPES:
        row = lambda s: f"[{', '.join(f'{(7 * i + s) % 11 - 2}i64' for i in range(k))}]"
        m = f"[{', '.join(row(3 * i) for i in range(n))}]" if n and k else f"empty([{n}][{k}]i64)"
        ks = f"[{', '.join(f'{r.randrange(-2, 6)}i64' for _ in range(n))}]" if n else "empty([0]i64)"
        yield f"{m} {ks}\n"


class Judge:
    def __init__(self, options, folder):
        self.raido, self.c, self.folder = options.raido, options.c, folder

    # None: not a program. Otherwise what is wrong with it, empty if nothing is.
    def wrong(self, seed, text):
        at = tempfile.mkdtemp(dir=self.folder)
        path = os.path.join(at, "p.fut")
        pathlib.Path(path).write_text(text)
        status, _, said = command([self.raido, "check", "-w", path], 60)
        if status:
            return f"check: {said}" if status not in (0, 2) or "nternal" in said else None
        for target in ("multicore", "opencl"):
            status, _, said = command(["env", f"CC={NO_COMPILER}", self.raido, target, "-w", path, "-o", os.path.join(at, target)], 120)
            if status:
                return f"{target}: {status} {said}"
        if self.c:
            status, _, said = command(["env", "CFLAGS=-O0", self.raido, "c", "-w", path, "-o", os.path.join(at, "c")], 120)
            if status:
                return f"c: {status} {said}"
        runs = [[self.raido, "run", "-w", f"--pipeline={name}", path] for name in ("cpu", "gpu")] + ([[os.path.join(at, "c")]] if self.c else [])
        for given in inputs(seed):
            if said := difference(self.raido, path, given, runs):
                return said
        return ""


def main():
    options, _, programs, findings = search(__doc__, program, Judge, 100, ("--c", "compile to C and run, too"))
    print(f"{programs} programs of {options.count}, {findings} findings")
    return 1 if findings or 2 * programs < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
