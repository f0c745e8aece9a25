#!/usr/bin/env python3
"""Random bodies of maps over numbers and grids: elements and their neighbours of several types, with conversions, divisions, and choices by elements, by places
and by numbers from outside. They are for what C compilers make vectors of (passes/parallel/unswitch.cc, peel.cc, sequentialise.cc) and for
conversions (backends/runtime/scalars.h).

Edges are clamped, wrapped or left out. Results are arrays, sums, sums of rows, scans, or a few steps in time. All numbers are multiples of an
eighth, so results are exact. They must be the same by the interpreter, after the passes, and compiled with --c. Exit code 1 if something differs.

    tests/fuzz/elements.py --raido build/release/raido --c --count 20 --seed 1 [--out FOLDER]"""
import random
import sys

from running import AfterPasses, search

TYPES = ["f64", "f32", "i32", "i64", "u8", "i16"]
ARRAYS = {"a": "f64", "b": "i32", "c": "f32", "d": "u8"}
LITERALS = {"f64": ["0.5", "2.0", "1.25"], "f32": ["0.5", "2.0", "1.5"], "i32": ["1", "3", "7"], "i64": ["2", "5"], "u8": ["3", "17"], "i16": ["5", "100"]}


class Writer:
    def __init__(self, r, grid):
        self.r, self.grid, self.known = r, grid, []

    def converted(self, t, source, x):
        return x if t == source else f"{t}.{source} ({x})"

    def literal(self, t):
        return f"{self.r.choice(LITERALS[t])}{t}"

    def place(self, var, size, by, way):
        """An index and the condition that it is inside, if that is asked for."""
        if way == "turn":
            return f"{size} - 1 - {var}", []
        at = var if by == 0 else f"{var} + {by}" if by > 0 else f"{var} - {-by}"
        if by == 0:
            return at, []
        if way == "clamp":
            return (f"i64.min ({size} - 1) ({at})" if by > 0 else f"i64.max 0 ({at})"), []
        if way == "wrap":
            return f"({at} + {size}) % {size}", []
        return at, [f"{at} < {size}" if by > 0 else f"{at} >= 0"]

    def element(self, t):
        array = self.r.choice(list(ARRAYS))
        way, by = self.r.choice(["clamp", "wrap", "if", "clamp", "wrap", "if", "turn"]), lambda: self.r.choice([0, 0, 0, 1, -1, 2])
        places = [self.place("i", "n", by(), way)] + ([self.place("j", "m", by(), way)] if self.grid else [])
        x = f"{array}[{', '.join(at for at, _ in places)}]"
        if tests := [c for _, inside in places for c in inside]:
            x = f"(if {' && '.join(tests)} then {x} else {LITERALS[ARRAYS[array]][0]})"
        return self.converted(t, ARRAYS[array], x)

    def number(self, t, depth):
        r, again = self.r, lambda: self.number(t, depth - 1)
        kind = r.random() if depth > 0 else 0
        if kind < 0.25:
            of_type = [v for v, s in self.known if s == t]
            if of_type and r.random() < 0.4:
                return r.choice(of_type)
            return self.element(t) if r.random() < 0.7 else self.literal(t) if r.random() < 0.6 else self.converted(t, *r.choice([("f64", "x"), ("i64", "k")]))
        if kind < 0.6:
            return f"({again()} {r.choice('++-*')} {again()})"
        if kind < 0.7:
            return f"({t}.{r.choice(['min', 'max'])} ({again()}) ({again()}))"
        if kind < 0.75:
            return f"({t}.abs ({again()}))"
        if kind < 0.8 and t[0] != "f":
            if r.random() < 0.5:
                return f"({again()} {r.choice(['/', '%', '//', '%%'])} ({self.converted(t, 'i64', 'k * 2 - 11')}))"
            return f"({again()} {r.choice(['&', '^', '|', '%', '/'])} {self.literal(t)})"
        if kind < 0.88:
            source = r.choice(TYPES)
            x = self.number(source, depth - 1)
            far = f"({x} * 1073741824)" if source[0] == "f" and t[0] != "f" and r.random() < 0.3 else x        # beyond 32 bits
            return self.converted(t, source, far)
        return f"(if {self.condition(depth - 1)} then {again()} else {again()})"

    def condition(self, depth):
        r = self.r
        kind = r.random()
        if kind < 0.5:
            return r.choice(["k > 3", "k % 2 == 0", "x < 0.5", "flag", "i > 1", "i == n - 1", "i + 2 < n", "i % 2 == 0", "marked[i]"])
        if kind < 0.6 and depth > 0:
            return f"({self.condition(depth - 1)} {r.choice(['&&', '||'])} {self.condition(depth - 1)})"
        t = r.choice(TYPES)
        return f"({self.number(t, min(depth, 1))} {r.choice(['<', '<=', '>', '=='])} {self.number(t, min(depth, 1))})"


def entry(r):
    """The text of a result, and its type."""
    w = Writer(r, r.random() < 0.5)
    lets = ""
    for v in range(r.randint(0, 2)):
        t = r.choice(TYPES[:4])
        lets += f"let v{v} = {w.number(t, 2)} "
        w.known.append((f"v{v}", t))
    t = r.choice(TYPES)
    body = f"({lets}in {w.number(t, 3)})" if lets else w.number(t, 3)
    if w.grid:
        made, shape = f"tabulate_2d n m (\\i j -> {body})", f"[n][m]{t}"
        if t in ARRAYS.values() and r.random() < 0.2:
            array = next(a for a, s in ARRAYS.items() if s == t)
            return f"loop {array} for _s < 3i32 do {made}", shape
    else:
        flat = "let (a, b, c, d) = (flatten a, flatten b, flatten c, flatten d) let n = n * m let marked = map (> 0.5) a in "
        return r.choice([(flat + f"tabulate n (\\i -> {body})", f"[]{t}"), (flat + f"{t}.sum (tabulate n (\\i -> {body}))", t),
                         (flat + f"scan (+) 0 (tabulate n (\\i -> {body}))", f"[]{t}")])
    return r.choice([(made, shape), (f"map {t}.sum ({made})", f"[n]{t}"), (f"{t}.maximum (flatten ({made}))", t)])


def program(seed):
    r = random.Random(seed)
    results = [entry(r) for _ in range(2)]
    defs = "".join(f"def f{k} [n][m] (a: [n][m]f64) (b: [n][m]i32) (c: [n][m]f32) (d: [n][m]u8) (marked: [n]bool) (flag: bool) (k: i64) (x: f64): {t} =\n  {text}\n"
                   for k, (text, t) in enumerate(results))
    types = ", ".join(t.replace("[n]", "[]").replace("[m]", "[]") for _, t in results)
    return f"""-- seed {seed}
{defs}
entry main (n: i64) (m: i64) (k: i64): ({types}) =
  let a = tabulate_2d n m (\\i j -> f64.i64 ((i * 7 + j * 5 + k) % 23 - 9) / 8)
  let b = tabulate_2d n m (\\i j -> i32.i64 ((i * 3 + j * 11 + k) % 19 - 6))
  let c = tabulate_2d n m (\\i j -> f32.i64 ((i * 5 + j * 2 + k) % 17 - 7) / 4)
  let d = tabulate_2d n m (\\i j -> u8.i64 (i * 13 + j * 29 + k))
  let (marked, flag, x) = (map (\\row -> f64.sum row > 0.5) a, k % 3 == 1, f64.i64 (k % 5) / 4)
  in ({', '.join(f'f{k} a b c d marked flag k x' for k in range(len(results)))})
"""


class Judge(AfterPasses):
    inputs, pipelines = ["1i64 1i64 4i64", "2i64 3i64 1i64", "5i64 40i64 7i64", "33i64 4i64 2i64"], ("cpu", "multicore", "gpu")
    cflags, options = "-O2 -ftree-vectorize", ["--cpu=native"]                      # vectors as wide as there are


if __name__ == "__main__":
    _, judged, programs, findings = search(__doc__, program, Judge, 20, ("--c", "compile the programs, too"))
    print(f"{programs} programs, {findings} findings; {judged.failures} runs failed, as they must")
    sys.exit(findings > 0)
