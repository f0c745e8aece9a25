#!/usr/bin/env python3
"""Random branches and loops that give two arrays at once, for what the compiler makes of memory that these may share.

One branch consumes an array, the other one returns it twice or beside another one. Loops exchange their states, return one of them for both, or
change one again. What is made of both arrays of a pair comes next, and may work in one of them. The interpreter runs a program as lowered and
after the passes for processors, threads and devices, and with --c compiled code runs, too: all give the same numbers. Exit code 1 otherwise, or if
most programs are refused.

    tests/fuzz/pairs.py --raido build/release/raido --count 200 --seed 1 [--c] [--out FOLDER]"""
import random
import sys

from running import AfterPasses, main

BOTH = "unzip (map2 (\\i j -> (i - j, i + 2 * j)) {} {})"


class Gen:
    def __init__(self, seed):
        self.r, self.count, self.gone = random.Random(seed), 0, set()

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def array(self, env):
        return self.r.choice(env[-5:])

    def place(self):
        return self.r.choice(["0", "1", "n - 1", "k % n", "(k + 1) % n"])

    def number(self, env):
        return self.r.choice([str(self.r.randrange(9)), f"{self.array(env)}[{self.place()}]", f"({self.array(env)}[{self.place()}] + 1)", "k"])

    def condition(self, env):
        return self.r.choice(["k % 2 == 0", "k > 2", "true", f"{self.array(env)}[{self.place()}] % 2 == 0"])

    def one(self, env):
        v = self.array(env)
        return self.r.choice([v, f"copy {v}", f"map (* 3) {v}", f"reverse {v}", f"rotate 1 {v}", f"map2 (+) {v} {self.array(env)}",
                              f"replicate n ({self.number(env)})", f"(if {self.condition(env)} then {v} else {self.array(env)})"])

    # A pair of which one part is what became of x, which is consumed.
    def changed(self, x, env):
        if x in ("a", "b"):                                   # somebody else's
            return self.pair(env, 0)
        self.gone.add(x)
        change = self.r.choice([f"let {x} = {x} with [{self.place()}] = {self.number(env)}", f"let {x}[{self.place()}] = {self.number(env)}",
                                f"let {x} = loop {x} for j < n do {x} with [j] = {x}[j] * 2 + j",
                                f"let {x} = loop {x} for j < n do {x} with [j] = {x}[(j + 1) % n] + j"])
        other = self.one([v for v in env if v != x] or env)
        both = self.r.choice([f"({x}, {other})", f"({other}, {x})", *2 * [BOTH.format(x, self.array(env)), f"({x}, copy {x})", f"({x}, map (+ 1) {x})"], f"({x}, {x})"])
        return f"({change} in {both})"

    def loop(self, env, depth):
        p, q = self.name(), self.name()
        inner = env + [p, q]
        exchanged = f"(if i % 2 == 0 then ({q}, {self.r.choice([p, q])}) else {self.changed(p, inner)})"
        body = self.pair(inner, depth - 1) if self.r.random() < 0.6 else self.r.choice([exchanged, exchanged, f"({q}, {p} with [i % n] = {self.number(env)})"])
        v, w = self.array(env), self.array(env)
        start = self.r.choice([f"(copy {v}, {w})", *2 * [f"(copy {v}, copy {w})", f"(copy {v}, map (+ 1) {w})"]])
        return f"(loop ({p}, {q}) = {start} for i < {self.r.choice(['2', '3', 'k', 'n'])} do {body})"

    def pair(self, env, depth):
        kind = self.r.randrange(9 if depth > 0 else 4)
        if kind == 0:
            return f"({self.array(env)}, {self.array(env)})"
        if kind == 1:
            return BOTH.format(self.array(env), self.array(env))
        if kind < 4:
            return f"({self.one(env)}, {self.array(env)})" if kind == 2 else f"({self.array(env)}, {self.one(env)})"
        if kind < 6:
            x = self.array(env)
            sides = [self.changed(x, env), self.pair(env, depth - 1)]
            if self.r.random() < 0.5:
                sides[1] = self.r.choice([f"({x}, {x})", f"({x}, {self.array(env)})", f"({self.array(env)}, {x})"])
            self.r.shuffle(sides)
            return f"(if {self.condition(env)} then {sides[0]} else {sides[1]})"
        if kind == 6:
            return self.loop(env, depth)
        if kind == 7:
            p, q = self.name(), self.name()
            return f"(let ({p}, {q}) = {self.pair(env, depth - 1)} in {self.pair(env + [p, q], depth - 1)})"
        return self.changed(self.array(env), env)

    def program(self):
        env = ["a", "b", "x", "y"]
        lines = ["entry main [n] (a: [n]i64) (b: [n]i64) (k: i64) =", "  let x = copy a", "  let y = map (+ 1) b"]
        for _ in range(self.r.choice([1, 2, 2, 3])):
            p, q = self.name(), self.name()
            lines.append(f"  let ({p}, {q}) = {self.pair(env, 3)}")
            env = [v for v in env if v not in self.gone] + [p, q]
            if self.r.random() < 0.5:
                v, w = self.name(), self.name()
                lines.append(f"  let ({v}, {w}) = {BOTH.format(p, q)}")
                env = [u for u in env if u not in (p, q)] + [v, w]
        lines.append(f"  in ({self.array(env)}, {self.array(env)}, {env[-1]}, {env[-2]})")
        return "\n".join(lines) + "\n"


class Judge(AfterPasses):
    inputs = [f"[3i64, 5i64, 2i64, 7i64] [1i64, 0i64, 4i64, 6i64] {k}i64" for k in (1, 2, 4)]
    pipelines = ("cpu", "multicore", "gpu")


if __name__ == "__main__":
    sys.exit(main(__doc__, lambda seed: Gen(seed).program(), Judge, 100, ("--c", "compile and run, too")))
