#!/usr/bin/env python3
"""Random programs that update, copy, view and move arrays about, for what the compiler makes of aliases: copies that it leaves
out, states of loops that it keeps in one place, memory that it uses again.

Blocks of statements on [n]i64, [n][n]i64 and i64, nested in loops, branches and maps. The interpreter runs them as lowered, where
every value is its own, and after the passes for processors, many cores and devices; with --c compiled code does, too. Programs
that the checker refuses (about a seventh: of something consumed) are not counted. What differs is made smaller by leaving out
statements, and left in the folder --out. Exit code 1 if something differs, or if most programs are refused.

    tests/fuzz/updates.py --raido build/release/raido --count 200 --seed 1 [--c] [--out FOLDER]"""
import argparse
import copy
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from running import report

TYPE = {"s": "i64", "a": "[n]i64", "c": "[n][n]i64"}
LIBRARY = """#[noinline] def bump [n] (xs: *[n]i64) (i: i64) (v: i64): *[n]i64 = xs with [i % n] = v + xs[(i + 1) % n]
#[noinline] def either [n] (xs: [n]i64) (ys: [n]i64) (c: bool): [n]i64 = if c then xs else ys
#[noinline] def swapped 'a (c: bool) (x: a) (y: a): (a, a) = if c then (y, x) else (x, y)
#[noinline] def filled [n] (xs: [n]i64) (ys: *[n]i64): *[n]i64 = loop ys for i < n do ys with [i] = ys[(i + 1) % n] + xs[i]
def row_of [n] (c: [n][n]i64) (i: i64): [n]i64 = c[i % n]
"""


class Statement:
    """A text with {0} {1} .. for its blocks."""

    def __init__(self, text, *blocks):
        self.text, self.blocks = text, list(blocks)

    def lines(self, indent):
        return (indent + self.text).format(*("\n" + b.show(indent + "  ") for b in self.blocks))


class Block:
    def __init__(self, statements, result):
        self.statements, self.result = statements, result

    def show(self, indent):
        body = [s.lines(indent) for s in self.statements]
        return "\n".join(body + [indent + ("in " if body else "") + self.result])

    def blocks(self):
        yield self
        for s in self.statements:
            for b in s.blocks:
                yield from b.blocks()


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    def var(self, t, env):
        return self.r.choice([x for x, u in env if u == t][-6:])

    def scalar(self, env):
        r = self.r
        kind = r.randrange(6)
        if kind == 0:
            return str(r.randrange(7))
        if kind == 1:
            return f"({self.var('s', env)} {r.choice('+*-')} {self.var('s', env)})"
        if kind == 2:
            return f"{self.var('a', env)}[{self.index(env)}]"
        if kind == 3:
            return f"{self.var('c', env)}[{self.index(env)}, {self.index(env)}]"
        return self.var("s", env)

    def index(self, env):
        return self.r.choice(["0", "n - 1", f"({self.var('s', env)} + {self.r.randrange(3)}) % n"])

    # Something new, an old name, a view, or one of two.
    def value(self, t, env):
        r = self.r
        if t == "s":
            return r.choice([self.scalar(env), f"({self.scalar(env)} + {self.scalar(env)} * 3)", f"i64.sum {self.var('a', env)}"])
        v, w = self.var(t, env), self.var(t, env)
        if t == "a":
            c = self.var("c", env)
            return r.choice([v, v, f"copy {v}", f"copy {v}", f"map (+ {self.scalar(env)}) {v}", f"map2 (+) {v} {w}", f"reverse {v}", f"rotate 1 {v}",
                             f"{c}[{self.index(env)}]", f"{c}[:, {self.index(env)}]", f"copy {c}[{self.index(env)}]", f"replicate n ({self.scalar(env)})",
                             f"scan (+) 0 {v}", f"map (\\i -> {v}[(i * 2 + 1) % n]) (iota n)", f"either {v} {w} ({self.scalar(env)} % 2 == 0)",
                             f"(if {self.scalar(env)} % 2 == 0 then {v} else {w})", f"bump (copy {v}) {self.scalar(env)} {self.scalar(env)}",
                             f"row_of {c} {self.scalar(env)}", f"map i64.sum {c}", "map (+ 0) " + v, f"take n ({v} ++ {w})", f"(unzip (zip {v} {w})).1", f"map (\\x -> x) {v}",
                             f"reduce_by_index (copy {v}) (+) 0 (map (% n) {w}) {v}", f"filled {v} (copy {w})", f"(loop x = copy {v} for i < n do x with [i] = x[n - 1 - i] + {w}[i])",
                             f"scatter (copy {v}) (map (\\i -> (i + 1) % n + (if i % 2 == 0 then 0 else n)) (iota n)) {w}"])
        a = self.var("a", env)
        return r.choice([v, v, f"copy {v}", f"copy {v}", f"transpose {v}", f"copy (transpose {v})", f"map (map (+ {self.scalar(env)})) {v}", f"replicate n {a}",
                         f"map2 (map2 (-)) {v} {w}", f"(if {self.scalar(env)} % 2 == 0 then {v} else {w})", f"reverse {v}", f"map (\\i -> map (+ i) {a}) {a}",
                         f"map reverse {v}", f"scatter (copy {v}) (map (\\i -> n - 1 - i) (iota n)) {w}", f"reduce_by_index (copy {v}) (map2 (+)) (replicate n 0) (map (% n) {a}) {w}",
                         f"(loop x = copy {v} for i < n do x with [i] = map2 (+) x[n - 1 - i] {a})", f"map (\\r -> copy r with [0] = {self.scalar(env)}) {v}",
                         f"map2 (\\r x -> bump (copy r) x x) {v} {a}", f"scan (map2 (+)) (replicate n 0) {v}", f"{v}[::-1]"])

    # k rows and columns of the matrix, from elements of it, parts of it or their rows.
    def rectangle(self, of):
        r = self.r
        start = lambda: r.choice(["0", "n % 2", "n / 2 / 2", "n - n / 2", "(n + 1) / 3"])
        part = lambda: "({0}[{1}:{1} + k, {2}:{2} + k] :> [k][k]i64)".format(of, start(), start())
        place = lambda: f"{start()} + {r.choice(['i', 'i', 'j', 'k - 1 - i', 'k - 1 - j'])}"
        elements = f"tabulate_2d k k (\\i j -> {of}[{place()}, {place()}] + 2 * {of}[{place()}, {place()}])"
        rows = r.choice(["x + 2 * y", f"x + row[0] + y", f"x + row[k - 1 - (x % k)] - y"])
        over_rows = f"map2 (\\row other -> map2 (\\x y -> {rows}) row other) {part()} {r.choice([part(), f'(transpose {part()})'])}"
        o, p = start(), start()
        return f"[{o}:{o} + n / 2, {p}:{p} + n / 2] = (let k = n / 2 in {r.choice([elements, over_rows])})"

    # `own`: what this block may consume.
    def statement(self, env, depth, own):
        r = self.r
        kind = r.randrange(16) if depth > 0 else r.randrange(8)
        t = r.choice("aaacs")
        if kind < 3:
            x = self.name("v")
            made = Statement(f"let {x} = {self.value(t, env)}")
            env.append((x, t))
            return made
        if kind < 7:                                          # an update, of a copy or of what is there
            t = r.choice("aac")
            x, of = self.name("u"), self.var(t, env)
            mine = [y for y, u in env if u == t and y in own]
            in_place = mine and r.random() < 0.4
            if in_place:
                of = r.choice(mine)
            how = r.randrange(5)
            if r.random() < 0.3:                              # a part, from other parts
                o, p, q = (r.choice(["0", "n % 2", "n / 2 / 2", "n - n / 2", "(n + 1) / 3"]) for _ in range(3))
                part = lambda from_: f"({of}[{from_}:{from_} + k] :> [k]{TYPE[t][3:]})"
                f = "\\a b -> a + 2 * b" if t == "a" else "map2 (\\a b -> a + 2 * b)"
                new = f"[{o}:{o} + n / 2] = (let k = n / 2 in map2 ({f}) {part(p)} {part(q)})"
                if in_place:
                    return Statement(f"let {of}{new}")
            elif t == "c" and r.random() < 0.3:               # rows and columns of it, from others
                new = self.rectangle(of)
                if in_place:
                    return Statement(f"let {of}{new}")
            elif t == "a":
                new = f"[{self.index(env)}] = {self.scalar(env)}" if how else f"[0:n / 2] = reverse {self.var('a', env)}[0:n / 2]"
            else:
                new = [f"[{self.index(env)}, {self.index(env)}] = {self.scalar(env)}", f"[{self.index(env)}] = copy {self.var('a', env)}",
                       f"[{self.index(env)}] = {self.var('a', env)}", f"[:, {self.index(env)}] = copy {self.var('a', env)}",
                       f"[{self.index(env)}, 0:n / 2] = {self.var('a', env)}[0:n / 2]"][how]
            if in_place and of not in new.split(" = ", 1)[1]:
                return Statement(f"let {of}{new.split(' = ')[0]} = {new.split(' = ', 1)[1]}")
            made = Statement(f"let {x} = copy {of} with {new}")
            env.append((x, t))
            own.append(x)
            return made
        if kind == 7:
            x, y = self.name("v"), self.name("v")
            mine = [o for o, u in env if u == t and o in own]
            text = ""
            if mine and r.random() < 0.6:                     # one branch consumes what the other one returns, maybe twice
                o = r.choice(mine)
                env.remove((o, t))
                own.remove(o)
                new = f"let {o} with [{self.index(env)}] = {self.scalar(env) if t == 'a' else self.value('a', env)}\n    in ({o}, {self.value(t, env)})"
                text = f"let ({x}, {y}) = if {self.scalar(env)} % 2 == 0 then ({new})\n    else ({o}, {r.choice([o, o, self.var(t, env)])})"
            if t != "s" and r.random() < 0.6:                 # two arrays of two
                v, w = (x, y) if text else (self.var(t, env), self.var(t, env))
                both = "map2 (\\i j -> (i - j, i + 2 * j))"
                x, y = self.name("v"), self.name("v")
                text += "\n  " if text else ""
                text += f"let ({x}, {y}) = unzip " + (f"({both} {v} {w})" if t == "a" else f"(map2 (\\r s -> unzip ({both} r s)) {v} {w})")
            if text:
                env += [(x, t), (y, t)]
                return Statement(text)
            made = Statement(f"let ({x}, {y}) = swapped ({self.scalar(env)} % 2 == 0) {self.var(t, env)} {self.var(t, env)}")
            env += [(x, t), (y, t)]
            return made
        if kind < 12:                                         # a loop with several states, some of which move on
            types = [r.choice("aaacs") for _ in range(r.choice([1, 2, 2, 3, 3, 4]))]
            names = [self.name("p") for _ in types]
            unique = r.random() < 0.3
            start = [self.fresh(t, env) if unique or r.random() < 0.5 else self.value(t, env) for t in types]
            pattern = ", ".join(f"{x}: {'*' if unique and t != 's' else ''}{TYPE[t]}" for x, t in zip(names, types))
            i = self.name("i")
            inner = env + list(zip(names, types)) + [(i, "s")]
            body = self.block(inner, types, depth - 1, unique, names)
            loop = r.choice([f"for {i} < {r.randrange(5)} do", f"for {i} < n do", f"for {i} in {self.var('a', env)} do"])
            if "s" in types and r.random() < 0.2:             # as long as a state says
                body.result = f"({body.result}, {i} + 1)" if len(types) == 1 else f"{body.result[:-1]}, {i} + 1)"
                pattern, start, names, types = f"{pattern}, {i}: i64", start + ["0"], names + [i], types + ["s"]
                loop = f"while {i} < 3 && {names[types.index('s')]} % 4 != 3 do"
            made = Statement(f"let ({', '.join(names)}) = loop ({pattern}) = ({', '.join(start)}) {loop} {{0}}", body)
            env += list(zip(names, types))
            own += names if unique else []
            return made
        if kind < 14:
            types = [r.choice("aacs") for _ in range(r.choice([1, 2, 3]))]
            names = [self.name("v") for _ in types]
            made = Statement(f"let ({', '.join(names)}) = if {self.scalar(env)} % 2 == 0 then{{0}}\n    else{{1}}",
                             self.block(list(env), types, depth - 1), self.block(list(env), types, depth - 1))
            env += list(zip(names, types))
            return made
        x, y = self.name("v"), self.name("e")
        over, t = r.choice("ac"), r.choice("as")
        made = Statement(f"let {x} = map (\\{y} -> {{0}}) {self.var(over, env)}", self.block(env + [(y, {"a": "s", "c": "a"}[over])], [t], depth - 1))
        env.append((x, {"s": "a", "a": "c"}[t]))
        return made

    def fresh(self, t, env):
        return self.scalar(env) if t == "s" else f"copy {self.var(t, env)}" if self.r.random() < 0.7 else f"map (\\x -> x) {self.var(t, env)}"

    def block(self, env, types, depth, unique=False, states=()):
        env, own = list(env), list(states) if unique else []
        statements = [self.statement(env, depth, own) for _ in range(self.r.choice([0, 1, 1, 2, 3]) if depth < 3 else self.r.choice([3, 4, 6, 8]))]
        result = []
        for t in types:
            moved = [x for x in states if (x, t) in env]
            if moved and self.r.random() < 0.5:
                x = self.r.choice(moved)
            else:
                x = self.var(t, env) if self.r.random() < 0.6 else self.value(t, env)
            result.append(f"copy ({x})" if unique and t != "s" and x not in own else x)
        return Block(statements, result[0] if len(result) == 1 else f"({', '.join(result)})")


def program(body):
    return (LIBRARY + "entry main [n] (a: [n]i64) (b: [n]i64) (c: [n][n]i64) (k: i64) =\n" + body.show("  ") + "\n")


def main_block(seed):
    g = Gen(seed)
    env = [("k", "s"), ("n", "s"), ("a", "a"), ("b", "a"), ("c", "c")]
    return g.block(env, ["a", "a", "c", "s"], 3)


def inputs(n):
    row = lambda s: "[" + ", ".join(f"{(7 * i + s) % 11}i64" for i in range(n)) + "]"
    return f"{row(3)} {row(5)} [{', '.join(row(2 + 4 * i) for i in range(n))}] {n + 1}i64\n"


class Ways:
    def __init__(self, options, folder):
        self.raido, self.backends, self.folder = os.path.abspath(options.raido), options.c, folder

    def call(self, arguments, text=""):
        try:
            r = subprocess.run(arguments, input=text, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return 124, "no end within 120 s"
        return r.returncode, r.stdout if r.returncode == 0 else r.stderr[:600]

    def wrong(self, text):
        """None: not a program. Otherwise what is wrong with it, empty if nothing is."""
        path = os.path.join(tempfile.mkdtemp(dir=self.folder), "p.fut")
        pathlib.Path(path).write_text(text)
        status, said = self.call([self.raido, "check", "-w", path])
        if status in (1, 2) and "Internal" not in said:
            return None
        if status:
            return f"check: {said}"
        for n in (3, 7, 1):
            expected = self.call([self.raido, "run", "-w", "--check-shapes", path], inputs(n))
            ways = {f"--pipeline={p}": [self.raido, "run", "-w", f"--pipeline={p}", path] for p in ("cpu", "multicore", "gpu")}
            for backend in ("c", "multicore") if self.backends else ():
                if n == 3:
                    status, said = self.call([self.raido, backend, "-w", path, "-o", f"{path[:-4]}.{backend}"])
                    if status:
                        return f"{backend}: {said}"
                ways[backend] = [f"{path[:-4]}.{backend}"]
            for way, command in ways.items():
                got = self.call(command, inputs(n))
                if "cannot run on the device" in got[1]:
                    continue
                if got[0] != expected[0] or got[0] == 0 and got[1].split() != expected[1].split():
                    return f"{way}, n = {n}: {got}\nexpected: {expected}"
        return ""

    def shrink(self, body, said):
        progress = True
        while progress:
            progress = False
            for at in range(sum(1 for _ in body.blocks())):
                k = 0
                while True:
                    smaller = copy.deepcopy(body)
                    blocks = list(smaller.blocks())
                    if at >= len(blocks) or k >= len(blocks[at].statements):
                        break
                    del blocks[at].statements[k]
                    now = self.wrong(program(smaller))
                    if now and now.split(":")[0].split(",")[0] == said.split(":")[0].split(",")[0]:
                        body, said, progress = smaller, now, True
                    else:
                        k += 1
        return body, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", default="build/release/raido")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--c", action="store_true", help="compile and run, too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", help="a folder for what is found")
    parser.add_argument("--show", type=int, help="print the program of this seed")
    options = parser.parse_args()
    if options.show is not None:
        print(program(main_block(options.show)))
        return 0
    programs, findings = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        ways = Ways(options, folder)

        def one(seed):
            body = main_block(seed)
            said = ways.wrong(program(body))
            if not said:
                return seed, said, ""
            body, said = ways.shrink(body, said)
            return seed, said, program(body)

        with ThreadPoolExecutor(options.jobs) as pool:
            programs, findings = report(pool.map(one, range(options.seed, options.seed + options.count)), options.out)
    print(f"{programs} programs of {options.count}, {findings} findings")
    return 1 if findings or 2 * programs < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
