#!/usr/bin/env python3
"""Random maps and sums over the places of flat arrays, which ask for the row and the column of each place. A pass makes them run over
rows and columns (passes/fusion/flattened.cc).

Lengths are sizes of an array, constants, products, and arguments that may be negative, zero, or so large that a product wraps around. Widths
are products of lengths, or anything else. Places are divided, by floor or towards zero, at any depth of the body, and
remainders are also written out. The interpreter runs each program as lowered, and after the passes for processors and devices: they give
the same numbers, or fail. Exit code 1 if they do not.

    tests/fuzz/places.py --raido build/release/raido --count 100 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from running import search

INPUTS = ["3i64 20i64 2i64", "20i64 3i64 1i64", "1i64 40i64 18i64", "0i64 20i64 3i64", "2i64 0i64 5i64", "-2i64 -3i64 17i64", "-3i64 20i64 -1i64",
          "4294967296i64 4294967297i64 2i64"]
ARRAYS = ["[[1i64, 2i64], [3i64, 5i64], [7i64, 11i64]]", "empty([0][3]i64)", f"[{[3 * i for i in range(19)]}, {[i * i for i in range(19)]}]".replace(",", "i64,").replace("]", "i64]").replace("]i64", "]")]


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0

    def lengths(self):
        a = self.r.choice([["n", "m"], ["h", "w"], ["h", "w", "d"], ["n", "m", "k"], ["w", "20"], ["n", "20"], ["w", "w"], ["m", "m"], ["3", "17"]])
        return self.r.sample(a, len(a))

    def divisor(self, lengths):
        part = lengths[self.r.randrange(len(lengths)):]
        part = part[:self.r.randint(1, len(part))]
        return f"({' * '.join(part)})" if len(part) > 1 else part[0]

    def place(self, p, lengths, depth=2):
        r, by = self.r, self.divisor(lengths)
        x = p if depth == 0 or r.random() < 0.7 else self.place(p, lengths, depth - 1)
        return r.choice([f"({x} / {by})", f"({x} % {by})", f"({x} // {by})", f"({x} %% {by})", f"({x} - {x} / {by} * {by})", f"(if c then {x} % {by} else {x} / {by})", p])

    def value(self, p, lengths, depth=3):
        r = self.r
        if depth == 0 or r.random() < 0.25:
            return self.place(p, lengths)
        x, y = self.value(p, lengths, depth - 1), self.value(p, lengths, depth - 1)
        self.count += 1
        i = f"i{self.count}"
        return r.choice([f"({x} + 3 * {y})", f"({x} - {y})", f"(if {x} > {y} then {y} else 7 * {x})", f"(if c && {p} % 2 == 1 then {x} else {y})",
                         f"(let {i} = {x} in {i} * {i} + {y})", f"(loop {i} = {x} for _j < 3 do {i} + {y})", f"(i64.sum (map (\\{i} -> {i} * {y}) (iota 3)) + {x})",
                         f"(if null xs || null xs[0] then {x} else xs[i64.abs {x} % n, i64.abs {y} % m])"])

    def over(self):
        r, lengths = self.r, self.lengths()
        width = r.choice([" * ".join(lengths), " * ".join(lengths), "h * w", "n * m", "45", f"i64.abs {lengths[0]} % 100"])
        # Checked as a program checks a width that a user gives.
        width = f"(let n = {width} in if n < 0 || n > 400 then 0 else n)" if r.random() < 0.5 or set(lengths) & set("hwd") or "h" in width else f"({width})"
        p = "p" if r.random() < 0.8 else "q"
        body = self.value(p, lengths)
        flat = f"(tabulate {width} (\\{p} -> {body}))"
        if r.random() < 0.3:
            flat = f"(map (\\{p} -> {body}) (iota {width}))"
        return r.choice([f"i64.sum {flat}", f"(let ys = {flat} in i64.sum (map2 (*) ys (indices ys)))", f"i64.sum (map (\\x -> x % 5) {flat})",
                         f"reduce i64.max 0 {flat}", f"i64.sum (scan (+) 0 {flat})", f"i64.sum (map (\\x -> i64.sum (map (+ x) {flat})) (iota 2))",
                         f"(loop t = 0 for i < 2 do t + i64.sum {flat} + i)", f"(let ys = {flat} in reduce i64.max 0 (hist (+) 0 5 (map (% 5) ys) ys))"])


def program(seed):
    g = Gen(seed)
    return ("entry main [n] [m] (xs: [n][m]i64) (c: bool) (h: i64) (w: i64) (d: i64): i64 =\n  let k = n + 1 in\n  "
            + "\n  + ".join(g.over() for _ in range(g.r.choice([1, 2]))) + "\n")


def call(arguments, text):
    try:
        r = subprocess.run(arguments, input=text, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return 124, "no end within 120 s"
    return r.returncode, r.stdout if r.returncode == 0 else ""


class Judge:
    def __init__(self, options, folder):
        self.raido, self.folder, self.runs = options.raido, folder, 0

    # None: not a program. Otherwise what is wrong with it, empty if nothing is.
    def wrong(self, seed, text):
        path = os.path.join(tempfile.mkdtemp(dir=self.folder), "p.fut")
        pathlib.Path(path).write_text(text)
        if call([self.raido, "check", "-w", path], "")[0]:
            return None
        r = random.Random(seed)
        for numbers in INPUTS:
            given = f"{r.choice(ARRAYS)} {r.choice(['true', 'false'])} {numbers}\n"
            expected = call([self.raido, "run", "-w", path], given)
            self.runs += expected[0] == 0
            for name in ("cpu", "multicore", "gpu"):
                got = call([self.raido, "run", "-w", f"--pipeline={name}", path], given)
                if got != expected:
                    return f"{name}: {given}{got}\nexpected: {expected}"
        return ""


def main():
    options, judge, programs, findings = search(__doc__, program, Judge, 100)
    runs = programs * len(INPUTS)
    print(f"{programs} programs of {options.count}, {judge.runs} of {runs} runs end well, {findings} findings")
    return 1 if findings or programs < options.count * 0.9 or judge.runs < runs / 4 else 0


if __name__ == "__main__":
    sys.exit(main())
