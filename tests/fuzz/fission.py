#!/usr/bin/env python3
"""Random loops, reductions, scans, filters and scatters whose iterations wait for each other with a part of their work.

An iteration has long work, which are loops, loops that end by themselves, functions and branches of these. It needs elements, the counter, what
other long work has made, or what the iterations before have handed on: numbers, truth values and arrays. Now and then it reads outside of an
array. The interpreter runs the program as lowered and after the passes for processors and threads, for numbers of iterations around those of a
block. The results are the same. It fails only where the program does. With --c it is compiled and run, too. Exit code 1 otherwise.

    tests/fuzz/fission.py --raido build/release/raido --count 100 --seed 1 [--out FOLDER]"""
import random
import sys

from running import AfterPasses, command, search

KINDS = {"f64": ["0.5", "d", "(-1.25)"], "i64": ["3", "(-2)", "n"], "bool": ["true", "false"]}
HEAD = """def newton (x: f64): f64 = loop y = 1 for _i < 5 do (y + f64.abs x / y) / 2
def mixed (u: i64) (k: i64): i64 = loop u for i < k do (u * 31 + i) % 1009
def steps (u: i64): i64 = (loop (u, c) = (i64.abs u % 1000, 0) while u > 3 do (if u % 2 == 0 then u / 2 else u / 3, c + 1)).1
def among (x: f64): f64 = let ys = loop ys = replicate 4 x for j in 1..<4 do ys with [j] = ys[j - 1] * 0.5 + 1 in ys[3] + ys[1]
"""


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    def truth(self, env, depth):
        return f"({self.value('i64', env, depth)} % 3 == 1)" if self.r.random() < 0.5 else f"({self.value('f64', env, depth)} < 0.3)"

    # Code of a type, of the names that `env` has of it.
    def value(self, kind, env, depth=2):
        r = self.r
        known = env[kind] + KINDS[kind]
        if depth <= 0 or r.random() < 0.3:
            return r.choice(known)
        x = lambda of=kind: self.value(of, env, depth - 1)
        if kind == "bool":
            return r.choice([self.truth(env, depth - 1), f"({x()} != {x()})", f"!({x()})"])
        place = r.choice([env["at"], env["at"], f"({x('i64')} % n)", f"({env['at']} * 3 % n)"])
        if r.random() < 0.04:
            place = f"({env['at']} + 1)"
        if kind == "i64":
            return r.choice([f"({x()} {r.choice('+-*')} {x()}) % 1009", f"us[{place}]", f"mixed ({x()}) {r.choice('35k')}", f"steps ({x()})", f"i64.f64 ({self.bounded(env, depth - 1)} * 100)",
                             f"(if {self.truth(env, depth - 1)} then {x()} else {r.choice([x(), f'mixed ({x()}) k'])})"])
        return r.choice([f"({x()} + {x()}) / 2", f"xs[{place}]", f"newton ({x()})", f"among ({x()})", f"f64.{r.choice(['sin', 'cos', 'tanh'])} ({x()})", f"f64.i64 ({x('i64')} % 100) / 50",
                         f"(if {self.truth(env, depth - 1)} then {x()} else {r.choice([x(), f'f64.sin ({x()})'])})"])

    def bounded(self, env, depth):
        return f"f64.sin ({self.value('f64', env, depth)})"

    # Some values with names, and code after them.
    def lets(self, env, last, indent):
        lines, env = [], {k: list(v) if isinstance(v, list) else v for k, v in env.items()}
        for _ in range(self.r.randint(1, 4)):
            kind, v = self.r.choice(["f64", "f64", "i64", "i64", "bool"]), self.name("v")
            lines.append(f"let {v} = {self.value(kind, env, 3)}")
            env[kind].append(v)
        return "\n".join(indent + line for line in lines + ["in " + last(env)])

    def loop(self):
        r = self.r
        states = [(r.choice(["f64", "i64", "bool"]), self.name("s")) for _ in range(r.randint(1, 3))]
        arrays = [self.name("a") for _ in range(r.choice([0, 0, 1, 2]))]
        env = {k: [s for t, s in states if t == k] for k in KINDS} | {"at": "i"}

        def last(env):
            places = ["i", "i64.abs ({}) % n", "(i * 7 % n)", "(n - 1 - i)"]
            new = [f"({s} + {self.value(t, env)}) / 2" if t == "f64" else self.value(t, env) for t, s in states]
            return "(" + ", ".join(new + [f"{a} with [{r.choice(places).format(self.value('i64', env))}] = {r.choice(['', f'{a}[i] + '])}{self.value('f64', env)}" for a in arrays]) + ")"

        init = ", ".join([self.r.choice(KINDS[t]) for t, _ in states] + ["copy xs" for _ in arrays])
        names = ", ".join([s for _, s in states] + arrays)
        said = ", ".join([s for _, s in states] + [f"f64.sum (map2 (\\j x -> f64.i64 (j % 7) * x) (iota n) {a})" for a in arrays])
        return f"(let ({names}) = loop ({names}) = ({init}) for i < n do\n{self.lets(env, last, '      ')}\n    in ({said}))"

    def mapped(self, kind):
        return "(map (\\i ->\n" + self.lets({k: [] for k in KINDS} | {"at": "i"}, lambda env: self.value(kind, env), "      ") + ") (iota n))"

    def operation(self):
        r = self.r
        numbers, floats, truths = (lambda: self.mapped("i64")), (lambda: self.mapped("f64")), (lambda: self.mapped("bool"))
        summed = lambda code: f"(let r = {code} in f64.sum (map2 (\\j x -> f64.i64 (j % 7) * x) (indices r) r))"
        counted = lambda code: f"(let r = {code} in i64.sum (map2 (\\j x -> j % 7 * x) (indices r) r))"
        return r.choice([
            lambda: f"reduce (^) 0 {numbers()}", lambda: f"i64.sum {numbers()}", lambda: f"or {truths()}",
            lambda: f"reduce (\\(a, i) (b, j) -> if a > b then (a, i) else (b, j)) (-f64.inf, -1) (zip {floats()} (iota n))",
            lambda: summed(f"scan f64.max (-f64.inf) {floats()}"), lambda: counted(f"scan (+) 0 {numbers()}"),
            lambda: summed(f"filter (\\x -> newton x < 0.8) {floats()}"),
            lambda: summed(f"scatter (copy xs) (map (\\x -> x % 600) {numbers()}) {floats()}"),
            lambda: counted(f"hist (+) 0 20 {numbers()} {numbers()}"),
        ])()

    def program(self):
        parts = [self.loop() if self.r.random() < 0.6 else self.operation() for _ in range(self.r.choice([1, 2]))]
        return HEAD + "entry main (n: i64) (k: i64) (d: f64) =\n  let xs = map (\\i -> f64.sin (f64.i64 i)) (iota n)\n  let us = map (\\i -> i * 37 % 101 - 20) (iota n)\n  in (" + ",\n    ".join(parts) + ")\n"


class Judge(AfterPasses):
    inputs, pipelines, divided = [f"{n}i64 4i64 0.25\n" for n in (0, 1, 255, 257, 520)], ("cpu", "multicore"), 0

    def looked_at(self, path):
        self.divided += "fission" in "".join(command([self.raido, "dev", "-w", "--stats", "--pipeline=cpu", path], 60)[1:])


def main():
    options, judge, programs, findings = search(__doc__, lambda seed: Gen(seed).program(), Judge, 100, ("--c", "compile and run, too"))
    print(f"{programs} programs of {options.count}, {judge.divided} divided, {judge.failures} runs fail, {findings} findings")
    return 1 if findings or 2 * programs < options.count or (programs >= 60 and 10 * judge.divided < programs) else 0


if __name__ == "__main__":
    sys.exit(main())
