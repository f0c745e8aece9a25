#!/usr/bin/env python3
"""Random loops over whole arrays, for what `element_loops` and `loop_maps` make maps of loops.

An iteration maps one to three arrays and numbers, with rows of a matrix, counters, branches and loops inside. Now and then it reads a neighbour,
fails, or sums an array up, and then the loop must stay. Other programs change a part of an array that becomes shorter, at random places and for
random numbers of iterations, some of which fail. The program returns sums, the last numbers, and gradients by vjp. The interpreter runs it as
lowered and after the passes for processors and devices, for few elements and many: up to rounding they give the same. They fail only where the
program does. Exit code 1 otherwise.

    tests/fuzz/element_loops.py --raido build/release/raido --count 200 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import sys
import tempfile

from running import command, differs_after, main

GIVEN = ["5i64 3i64", "300i64 4i64", "1i64 2i64", "0i64 2i64", "7i64 0i64", "4i64 9i64"]
MAIN = """
def table: [8]f64 = [0.5, 1, -1, 2, 0.25, -0.5, 1.5, -2]
def array (n: i64) (s: f64): [n]f64 = tabulate n (\\i -> f64.sin (f64.i64 i * s))

def steps [n] (k: i64) (zss: [8][n]f64) (xs: [n]f64): ([n]f64, f64) =
%s

def main (n: i64) (k: i64): (f64, f64, f64, [2]f64) =
  let zss = tabulate_2d 8 n (\\i j -> f64.cos (f64.i64 (i + 3 * j)))
  let xs = array n 0.7
  let (ys, t) = steps k zss xs
  let weighted (ys: []f64) = f64.sum (map2 (\\y i -> y * f64.i64 (i %% 5 + 1)) ys (indices ys))
  let g = vjp (\\xs -> weighted (steps k zss xs).0) xs 1
  in (weighted ys, t, weighted g, if n > 0 then [ys[0], ys[n - 1]] else [0, 0])
"""


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    # A number of these names.
    def number(self, names, depth=2):
        r = self.r
        kind = r.randrange(9) if depth > 0 else r.randrange(3)
        x = lambda: self.number(names, depth - 1)
        if kind < 2:
            return r.choice(names)
        if kind == 2:
            return r.choice(["0.5", "(-1.25)", "table[c % 8]", "f64.i64 (c + 1)"])
        if kind == 3:
            return f"f64.tanh ({x()})"
        if kind == 4:
            return f"(if {x()} < {x()} then {x()} else {x()})"
        if kind == 5 and r.randrange(3) == 0:
            v = self.name("w")
            return f"(loop {v} = {x()} for _j < {r.choice(['3', 'c', 'c % 3'])} do 0.5 * {v} + {x()})"
        return f"(0.5 * ({x()} {r.choice('+-*')} {x()}))"

    def maps(self):
        r = self.r
        arrays, lines = [f"a{k}" for k in range(r.randint(1, 3))], []
        now = list(arrays)
        for _ in range(r.randint(1, 3)):
            inputs = [v for v in r.sample(now, r.randint(1, len(now)))]
            if r.randrange(2):
                inputs.append(r.choice(["zss[c % 8]", "zss[3]", "(map f64.i64 (iota n))"]))
            new, names = self.name("b"), [f"x{k}" for k in range(len(inputs))]
            body = names[0] + " * 0.5 + " + self.number(names + (["t"] if r.randrange(2) else []), 3)
            odd = r.randrange(24)
            if odd == 0:
                body = f"{body} + {r.choice(now)}[(c * 3) % i64.max 1 n]"
            elif odd == 1:
                body = f"assert ({names[0]} < 1.5) ({body})"
            elif odd == 2:
                body = f"{body} + f64.sum {r.choice(now)} * 0.01"
            lines.append(f"    let {new} = map{len(inputs) if len(inputs) > 1 else ''} (\\{' '.join(names)} -> {body}) {' '.join(inputs)}")
            now[r.randrange(len(now))] = new
        now = [f"(map (\\x -> x + t) {v})" if v in arrays else v for v in now]
        t = r.choice(["t", "t + 0.25", "t * 0.5 + f64.i64 c", "f64.cos t", "t + " + self.number(["t"], 1)])
        start = ", ".join(["0.5"] + [r.choice(["xs", "array n 0.3", "replicate n 0.5"]) for _ in arrays[1:]] + ["xs"])
        state = ", ".join(["t"] + arrays)
        return (f"  let ({state}) =\n    loop ({state}) = ({start}) for {r.choice(['c < k', 'c < k', 'c in 1...k', 'c < 3'])} do\n" + "\n".join(lines) +
                f"\n    in ({t}, {', '.join(now)})\n  in ({r.choice(arrays)}, t)")

    def parts(self):
        r = self.r
        first, trips = r.choice(["c", "c + 1", "c + 1", "c + 2", "0", "2 * c"]), r.choice(["n", "n", "n - 1", "k", "n + 1"])
        count = f"n - ({first})"
        more = r.choice(["zss[c % 8, 0:m] :> [m]f64", "zss[1, (C):n] :> [m]f64".replace("C", first), "copy (array m 0.2)"])
        body = self.number(["x0", "x1"] + (["xs[c % n]"] if r.randrange(2) else []), 2)
        result = "y"
        if r.randrange(3) == 0:
            result = "map (\\x -> 2 * x) y"
        return (f"  let y =\n    loop y = copy xs for c < {trips} do\n      let m = {count}\n"
                f"      in y with [{first}:n] = map2 (\\x0 x1 -> {body}) (y[{first}:n] :> [m]f64) ({more})\n  in ({result}, f64.i64 k)")

    def program(self):
        return MAIN % (self.maps() if self.r.randrange(3) else self.parts())


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
        for given in GIVEN:
            status, expected, said = command([self.raido, "run", "-w", "--check-shapes", path], 120, given)
            if "internal error" in said:
                return said
            self.failures += status != 0
            wrong = differs_after(self.raido, path, given, (status, expected, said), ("cpu", "multicore", "gpu"))
            if wrong:
                return wrong
        return ""


if __name__ == "__main__":
    sys.exit(main(__doc__, lambda seed: Gen(seed).program(), Judge, 100))
