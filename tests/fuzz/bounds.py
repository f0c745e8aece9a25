#!/usr/bin/env python3
"""Random programs that read and update arrays at computed places, some of which are outside: for what the compiler proves of
indices (compiler/ir/analysis/facts.h) and then does not check.

Sums go over loops, maps and ranges whose ends depend on each other, some with counters of narrow types. Elements are read at sums,
differences, minima, maxima, remainders, choices, and states of loops that are chosen, some after conditions of several parts. Other indices
are masked bits, quotients, numbers that went through narrow types, and flat indices. Arguments are sizes, small or far away. The interpreter
runs them as lowered, with all checks, and after the passes for processors and devices: they give the same number. They fail only where the
program does, and then it is one of its checks that does: a place outside of an array without one is a finding. Exit code 1 if there is any.

    tests/fuzz/bounds.py --raido build/release/raido --count 200 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from running import search

SHAPES = [(3, 4), (1, 1), (0, 2), (5, 0), (4, 2), (5, 5)]
NUMBERS = [0, 1, 2, 3, 5, -1, -7, 2**40, 2**63 - 1, -2**63]


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    def number(self, env, depth=2):
        r = self.r
        kind = r.randrange(15) if depth > 0 else r.randrange(5)
        x = lambda: self.number(env, depth - 1)
        if kind < 4:
            return r.choice(env[-4:] + ["n", "m"])
        if kind == 4:
            return r.choice(["0", "1", "2", "(-1)", "a", "b"])
        if kind < 7:
            return f"({x()} {r.choice('+-')} {r.choice([x(), '1', '1', '2'])})"
        if kind == 7:
            return f"({r.choice('23')} * {x()})"
        if kind == 8:
            return f"({x()} {r.choice(['%', '%', '/', '//', '%%'])} {r.choice(['n', 'm', '2', '3', x()])})"
        if kind < 11:
            return f"(i64.{r.choice(['min', 'max'])} {x()} {x()})"
        if kind == 11:
            return f"({x()} {r.choice(['&', '>>', '/', '//'])} {r.choice(['1', '3', '7', '2', x() if depth > 1 else '1'])})"
        if kind < 14:
            t = r.choice(["i8", "i16", "i32", "i32", "u8", "u16", "u32", "u64"])
            y = lambda: f"{t}.i64 {x()}"
            z = r.choice([f"({y()})", f"({y()} {r.choice(['+', '-', '*'])} {r.choice(['1', '2', y()])})", f"({y()} {r.choice(['%', '&'])} 3)",
                          f"({t}.{r.choice(['min', 'max'])} ({y()}) ({y()}))"])
            return f"(i64.{t} {z})"
        return f"(if {self.condition(env, 1)} then {x()} else {x()})"

    def condition(self, env, depth=2):
        r = self.r
        if depth > 0 and r.random() < 0.4:
            return f"({self.condition(env, depth - 1)} {r.choice(['&&', '||'])} {self.condition(env, depth - 1)})"
        if depth > 0 and r.random() < 0.1:
            return f"(!{self.condition(env, depth - 1)})"
        loops = [x for x in env if x[0] == "i"]
        if loops and r.random() < 0.4:                    # the ends of a loop
            end = r.choice(["0", "1", "2", "3", "n - 1", "m - 1", "n - 2", "m - 2"])
            return f"({r.choice(loops)}{r.choice(['', '', ' + 1', ' - 1'])} {r.choice(['<', '<=', '==', '>', '>='])} {end})"
        return f"({self.number(env, 1)} {r.choice(['<', '<=', '==', '>', '>='])} {self.number(env, 1)})"

    # Mostly inside of an array of `size`.
    def index(self, env, size):
        r, i = self.r, self.number(env, 1)
        loops = [x for x in env if x[0] == "i"] or ["0"]
        j, k = r.choice(loops), r.choice(loops)
        return r.choice([self.number(env), j, j, j, f"({j} + 1)", f"({j} - 1)", f"({j} + {k})", f"({j} + {k} + 1)", f"({j} - {k})", f"({size} - 1 - {j})",
                         f"({size} - 1 - {j} - {k})", f"(i64.max 0 (i64.min ({size} - 1) {self.number(env)}))",
                         f"(i64.min ({size} - 1) (i64.max 0 {i}))", f"(i64.max 0 ({i} - 1))", f"(i64.min ({size} - 1) ({i} + 1))",
                         f"({self.number(env)} % {size})", f"(i64.i32 (i32.i64 {j} + 1))", f"({j} / 2)", f"(2 * ({j} / 2) + 1)", f"((({i} - 1) + {size}) % {size})", "0"])

    def element(self, env):
        r = self.r
        loops = [x for x in env if x[0] == "i"] or ["0"]
        j, k = r.choice(loops), r.choice(loops)
        if r.random() < 0.2:
            return f"(if {self.condition(env, 1)} then {self.element(env)} else {self.element(env)})"
        return r.choice([f"xs[{self.index(env, 'n')}]", f"xs[{self.index(env, 'n')}]", f"ys[{self.index(env, 'm')}]",
                         f"c[{self.index(env, 'n')}, {self.index(env, 'm')}]", f"c[{self.index(env, 'n')}][{self.index(env, 'm')}]",
                         f"i64.sum xs[{self.number(env, 1)}:{self.number(env, 1)}]", f"i64.sum (transpose c)[{self.index(env, 'm')}]",
                         f"(copy xs with [{self.index(env, 'n')}] = {self.number(env, 1)})[{self.index(env, 'n')}]",
                         f"i64.sum (flatten (copy c with [{self.index(env, 'n')}] = map (\\j -> j + {self.number(env, 1)}) (iota m)))",
                         f"i64.sum (flatten c[{j}:{j} + {r.choice('12')}, {k}:{k} + {r.choice('12')}])",
                         f"i64.sum (let (k, l) = ({self.index(env, 'n')}, {self.small(env)}) in copy xs with [k:k + l] = map (\\j -> j * j + l) (iota l))"])

    def small(self, env):
        return f"(i64.max 0 (i64.min 3 {self.number(env, 1)}))" if self.r.random() < 0.8 else f"(i64.min 3 {self.number(env, 1)})"

    def sum(self, env, depth):
        r = self.r
        kind = r.randrange(2) if depth == 0 else r.randrange(2, 10 if depth == 3 else 12)
        i, t = self.name("i"), self.name("t")
        end = r.choice(["n", "m", "n - 1", f"(i64.max 0 ({r.choice('nm')} - {r.choice('12')}))", f"n - {env[-1]}", f"n - {env[-1]} - 1", f"{env[-1]}", self.number(env, 1)]) if env else r.choice(["n", "m", "n - 1", f"(i64.max 0 ({r.choice('nm')} - {r.choice('12')}))"])
        inner = lambda: self.sum(env + [i], depth - 1)
        if kind == 0:
            return self.element(env or ["n"])
        if kind == 1:
            return f"({self.element(env or ['n'])} + {self.element(env or ['n'])})"
        if kind < 4:
            return f"(loop {t} = 0 for {i} < {self.few(end)} do {t} + {inner()})"
        if kind == 4:
            return f"(loop {t} = 0 for {i} in {self.few(self.number(env or ['n'], 1))}..<{r.choice(['n', 'm'])} do {t} + {inner()})"
        if kind == 5:
            return f"(i64.sum (map (\\{i} -> {inner()}) (iota {self.few(r.choice(['n', 'm', end]))})))"
        if kind == 6:
            return f"(i64.sum (flatten (tabulate_2d n m (\\{i} {t} -> {self.sum(env + [i, t], depth - 1)}))))"
        if kind == 7:
            return f"(if {self.condition(env or ['n'])} then {self.sum(env, depth - 1)} else {self.sum(env, depth - 1)})"
        if kind == 8:                                     # a counter of a narrow type
            t = r.choice(["i8", "i32", "i32", "u8", "u32"])
            end = r.choice([f"{t}.i64 {r.choice('nm')}", "3", "4", f"{t}.i64 ({self.few(self.number(env or ['n'], 1))})"])
            if t[0] == "i" and not end.isdigit() and "i64 (" in end:
                end = f"{t}.min 6 ({end})"
            elif "i64 (" in end:
                end = f"({end}) % 7"
            return f"(loop {t} = 0 for {i}_ < {end} do let {i} = i64.{t} {i}_ in {t} + {inner()})".replace(f"loop {t} =", f"loop {i}s =").replace(f"in {t} +", f"in {i}s +")
        if kind == 9:                                     # a flat index
            return f"(i64.sum (tabulate (n * m) (\\{i} -> c[{i} / m, {i} % m] + {inner()})))".replace("\\\\", "\\")
        v = self.name("v")
        if r.random() < 0.6:                              # a state that is one of some numbers
            start, other = r.choice(["0", "0", "0", "1", "(n - 1)", "(-1)", env[-1] if env else "2"]), r.choice([i, i, i, f"({i} + 1)", env[-1] if env else "3", "0"])
            step = f"if {self.condition(env + [i, v], 1)} then {other} else {v}"
            state = f"loop ({v}, {t}) = ({start}, 0) for {i} < {self.few(end)} do ({step}, {t} + xs[{v}] + {self.sum(env + [i, v], depth - 1)})"
            return f"(let ({v}, {t}) = {state} in {t} + {self.sum(env + [v], depth - 1)})"
        return f"(let {v} = {self.index(env or ['n'], r.choice('nm'))} in {self.sum(env + [v], depth - 1)})"

    # Loops must end.
    def few(self, end):
        far = "*" in end or any(x in ("a", "b") or x.startswith("v") for x in re.findall(r"[a-z]\w*", end))
        return f"(i64.max (-2) (i64.min 6 ({end})))" if far else end


def program(seed):
    g = Gen(seed)
    return ("entry main [n] [m] (xs: [n]i64) (ys: [m]i64) (c: [n][m]i64) (a: i64) (b: i64): i64 =\n  "
            + "\n  + ".join(g.sum([], 3) for _ in range(g.r.choice([1, 1, 2]))) + "\n")


def inputs(seed):
    r = random.Random(seed)
    for n, m in SHAPES:
        row = lambda s, k: f"[{', '.join(f'{(7 * i + s) % 11}i64' for i in range(k))}]" if k else "empty([0]i64)"
        c = f"[{', '.join(row(i, m) for i in range(n))}]" if n and m else f"empty([{n}][{m}]i64)"
        yield f"{row(3, n)} {row(5, m)} {c} {r.choice(NUMBERS)}i64 {r.choice(NUMBERS)}i64\n"


def call(arguments, text=""):
    try:
        r = subprocess.run(arguments, input=text, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return 124, "no end within 60 s"
    return r.returncode, r.stdout if r.returncode == 0 else r.stderr[:600]


class Judge:
    def __init__(self, options, folder):
        self.raido, self.folder, self.failures = options.raido, folder, 0      # failures: of runs

    # None: not a program. Otherwise what is wrong with it, empty if nothing is.
    def wrong(self, seed, text):
        path = os.path.join(tempfile.mkdtemp(dir=self.folder), "p.fut")
        pathlib.Path(path).write_text(text)
        status, said = call([self.raido, "check", "-w", path])
        if status:
            return None if "Internal" not in said else f"check: {said}"
        for given in inputs(seed):
            expected = call([self.raido, "run", "-w", "--check-shapes", path], given)
            if "internal error" in expected[1]:
                return expected[1]
            self.failures += expected[0] != 0
            for name in ("cpu", "gpu"):
                got = call([self.raido, "run", "-w", f"--pipeline={name}", path], given)
                if "cannot run on the device" in got[1]:
                    continue
                if got[0] == 0:                               # what nobody uses need not fail
                    bad = expected[0] == 0 and got[1] != expected[1]
                else:                                         # a check of the program says where; the interpreter's own does not
                    bad = expected[0] == 0 or "Backtrace" not in got[1]
                if bad:
                    return f"{name}: {given}{got}\nexpected: {expected}"
        return ""


def main():
    options, judge, programs, findings = search(__doc__, program, Judge, 100)
    runs = programs * len(SHAPES)
    print(f"{programs} programs of {options.count}, {judge.failures} of {runs} runs fail, {findings} findings")
    return 1 if findings or 2 * programs < options.count or not 0 < judge.failures < runs else 0


if __name__ == "__main__":
    sys.exit(main())
