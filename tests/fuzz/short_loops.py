#!/usr/bin/env python3
"""Random loops of few iterations over small arrays, in a map: for what `unroll` writes out and `numbers` makes numbers of.

Each element of the map has an array of two to six numbers. Loops, loops in loops and branches update it at places that they count, at constant
ones, and now and then outside of it. Their iterations are constant, depend on the loops around, or come from ranges, some of which are invalid.
The program returns the sums of the arrays, their derivatives by vjp, and whether jvp gives the same. The interpreter runs it as lowered and after
the passes for processors and devices: up to rounding they give the same numbers. They fail only where the program does. Exit code 1 otherwise.

    tests/fuzz/short_loops.py --raido build/release/raido --count 200 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import sys
import tempfile

from running import command, differs_after, search

SHAPES = [[2], [3], [4], [5], [2, 3], [3, 2]]
GIVEN = "[0.3, -0.7, 1.1] 0.4"
ENTRY = """
def main [n] (xs: [n]f64) (d: f64): ([n]f64, [n]f64, f64, bool) =
  let (dxs, dd) = vjp (\\(xs, d) -> f64.sum (sums xs d)) (xs, d) 1
  let close (a: f64) (b: f64) = f64.abs (a - b) <= 1e-7 * (1 + f64.abs a)
  in (sums xs d, dxs, dd,
      and (map2 close dxs (jvp (\\xs -> sums xs d) xs (map (const 1) xs))) && close dd (jvp (\\d -> f64.sum (sums xs d)) d 1))
"""


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0
        self.shape = self.r.choice(SHAPES)

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    # A number, of numbers, counters and the array.
    def number(self, env, depth=2):
        r = self.r
        kind = r.randrange(10) if depth > 0 else r.randrange(4)
        x = lambda: self.number(env, depth - 1)
        if kind < 2:
            return r.choice(env["numbers"] + ["0.5", "(-1.25)"])
        if kind == 2:
            return f"f64.i64 ({self.place(env, 4)})"
        if kind < 5:
            return self.element(env)
        if kind == 5:
            return f"table[{self.place(env, 4)}]"
        if kind == 6:
            return f"f64.sin ({x()})"
        return f"({x()} {r.choice('+-**')} {x()})"

    def place(self, env, n):
        r = self.r
        if not env["counters"] or r.randrange(8) == 0:
            return str(r.randrange(n))
        i = r.choice(env["counters"])
        if r.randrange(12) == 0:
            return r.choice([i, f"{i} - 1", f"{i} + 1"])
        return r.choice([f"{i} % {n}", f"({i} + {r.randrange(5)}) % {n}", f"{n - 1} - {i} % {n}", f"({i} * 2 + 1) % {n}", f"i64.min {n - 1} {i}"])

    def element(self, env):
        return f"{env['array']}[{', '.join(self.place(env, n) for n in self.shape)}]"

    def iterations(self, env):
        r = self.r
        i = r.choice(env["counters"]) if env["counters"] and r.randrange(2) else None
        v = self.name("i")
        least, most = i or str(r.randrange(3)), r.randrange(2, 5)
        if r.randrange(4) == 0:
            return v, f"{v} in " + r.choice([f"{least}..<{most}", f"{least}...{most - 1}", f"{most}..{most - 1}...{least}"])
        return v, f"{v} < " + (r.choice([f"{i} + 1", f"{most} - {i}", f"{i} % 3"]) if i else str(r.randrange(5)))

    # Statements that make new versions of the array, and the last of them.
    def block(self, env, depth, indent):
        r, lines, env = self.r, [], dict(env, numbers=list(env["numbers"]))
        for _ in range(r.randint(1, 3)):
            kind = r.randrange(10) if depth > 0 else 0
            new = self.name("a")
            if kind < 3:
                at = ", ".join(self.place(env, n) for n in self.shape)
                lines.append(f"let {new} = {env['array']} with [{at}] = {self.number(env)}")
            elif kind < 5:
                yes, no = (self.block(env, depth - 1, indent + "  ") for _ in range(2))
                lines.append(f"let {new} = if {self.number(env, 1)} < {self.number(env, 1)} then\n{yes}\n{indent}else\n{no}")
            elif kind < 9:
                state, (v, iterations) = self.name("a"), self.iterations(env)
                body = self.block(dict(env, array=state, counters=env["counters"] + [v]), depth - 1, indent + "  ")
                lines.append(f"let {new} = loop {state} = {env['array']} for {iterations} do\n{body}")
            else:
                state, number, last, (v, iterations) = self.name("a"), self.name("s"), self.name("s"), self.iterations(env)
                inner = dict(env, array=state, counters=env["counters"] + [v], numbers=env["numbers"] + [number])
                after = self.number(inner, 1)
                inside = self.name("a")
                body = f"{indent}  let s = {after}\n{indent}  let {inside} =\n{self.block(inner, depth - 1, indent + '    ')}\n{indent}  in ({inside}, s)"
                lines.append(f"let ({new}, {last}) = loop ({state}, {number}) = ({env['array']}, {r.choice(env['numbers'])}) for {iterations} do\n{body}")
                env["numbers"].append(last)
            env["array"] = new
        return "\n".join(indent + line for line in lines + ["in " + env["array"]])

    def program(self):
        numbers = iter(range(100))
        literal = lambda shape: "[" + ", ".join(literal(shape[1:]) if shape[1:] else f"x + {next(numbers)}" for _ in range(shape[0])) + "]"
        start = literal(self.shape)
        body = self.block(dict(array="a", counters=[], numbers=["x", "d"]), 3, "      ")
        all = "r" if len(self.shape) == 1 else "flatten r"
        return ("def table: [4]f64 = [0.5, 1, -1, 2]\n\ndef sums [n] (xs: [n]f64) (d: f64): [n]f64 =\n"
                f"  map (\\x ->\n    let a = {start}\n    let r =\n{body}\n    in f64.sum (map2 (\\i y -> f64.i64 (i + 1) * y) (indices ({all})) ({all}))) xs\n" + ENTRY)


class Judge:
    def __init__(self, options, folder):
        self.raido, self.folder, self.failures = options.raido, folder, 0

    # None: not a program. Otherwise what is wrong with it, empty if nothing is.
    def wrong(self, seed, text):
        path = os.path.join(tempfile.mkdtemp(dir=self.folder), "p.fut")
        pathlib.Path(path).write_text(text)
        status, _, said = command([self.raido, "check", "-w", path], 60)
        if status:
            return None if "Internal" not in said else f"check: {said}"
        status, expected, said = command([self.raido, "run", "-w", "--check-shapes", path], 120, GIVEN)
        if "internal error" in said:
            return said
        self.failures += status != 0
        if status == 0 and not expected.rstrip().endswith("true"):
            return f"vjp and jvp differ: {expected}"
        return differs_after(self.raido, path, GIVEN, (status, expected, said), ("cpu", "gpu"))


def main():
    options, judge, programs, findings = search(__doc__, lambda seed: Gen(seed).program(), Judge, 100)
    print(f"{programs} programs of {options.count}, {judge.failures} fail, {findings} findings")
    return 1 if findings or 2 * programs < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
