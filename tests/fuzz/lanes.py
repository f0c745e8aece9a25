#!/usr/bin/env python3
"""Random maps and reductions whose iterations run loops of their own or may fail, for what runs them side by side (decision 034). There are
loops with other numbers of iterations in each lane, loops in loops and in branches, reads under conditions, and checks. Results have several
types, and some are rows: of literals, of loops, in loops that each lane runs as often as it must. There are arrays that only one iteration uses, and sums into arrays at places that are the same in all lanes or not. Adjoints are those of
small numbers, whose sums are exact. They stand beside sums of numbers, too.

Each program has several entry points; each makes its arrays from a number n around the size of a group of lanes. The interpreter runs a
program as lowered; after the passes for processors, and compiled for one thread and for several, it must give the same.
No version that is tried has fused operations. Nothing is summed but integers, some of which are floats. Prints how many loops ran in lanes. Exit code 1 if
something differs, or if there are few such loops: one for six entry points.

    tests/fuzz/lanes.py --raido build/release/raido --count 20 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import re
import struct
import sys
import tempfile

from running import command, search

ENTRIES = 6
SIZES = (0, 1, 5, 14, 32, 45, 70, 100)
WAYS = (("c", "c", ["--cpu=baseline", "--math=strict"]), ("multicore", "multicore", ["--cpu=baseline", "--math=strict"]), ("native", "c", ["--cpu=native", "--fp-strict"]))
TYPES = ("i64", "f64", "i32", "u8", "bool", "f32")
# What stands before every map: arrays of n elements and of eight.
SOURCE = """  let xs = opaque (tabulate n (\\i -> (i * 7919 + 13) % 101 - 20))
  let ys = opaque (tabulate n (\\i -> f64.i64 ((i * 31) % 64) / 8 - 2))
  let is = opaque (tabulate n (\\i -> (i * 5 + 1) % i64.max 1 n))
  let zs = opaque (tabulate 8 (\\i -> i * i - 9))
  let ws = opaque (tabulate 8 (\\i -> f64.i64 i / 4 - 1))
  let ps = opaque (tabulate 8 (\\i -> (i * 3 + 1) & 7))
  let mm = opaque (tabulate_2d 8 n (\\i j -> i * 3 - j))
  let os = opaque (tabulate 8 (\\i -> if i == 5 then 8 + n else i))
"""
NUMBER_OF = {"i64": "{}", "f64": "i64.f64 (f64.max (-1e6) (f64.min 1e6 {}))", "f32": "i64.f32 (f32.max (-1e6) (f32.min 1e6 {}))", "bool": "i64.bool {}"}


class Gen:
    def __init__(self, seed):
        self.r, self.count, self.arrays = random.Random(seed), 0, []
        self.must = []                                       # what the results must depend on: else its checks may be left out

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    def var(self, t, env):
        of_type = [x for x, u in env if u == t]
        return self.r.choice(of_type[-5:]) if of_type else None

    def literal(self, t):
        n = self.r.randrange(6)
        return {"i64": str(n), "f64": f"{n / 2}", "i32": f"{n}i32", "u8": f"{n}u8", "bool": self.r.choice(["true", "false"]), "f32": f"{n / 4}f32"}[t]

    def value(self, t, env, depth=2):
        r = self.r
        v = self.var(t, env)
        if depth == 0 or r.random() < 0.25:
            return v if v and r.random() < 0.8 else self.literal(t)
        a, b = self.value(t, env, depth - 1), self.value(t, env, depth - 1)
        if t == "bool":
            of = r.choice(("i64", "f64", "i32"))
            x, y = self.value(of, env, depth - 1), self.value(of, env, depth - 1)
            return r.choice([f"({x} < {y})", f"({x} == {y})", f"({a} && {b})", f"({a} || {b})", f"(!{a})", f"({x} <= {y})"])
        if t in ("f64", "f32"):
            other = self.value("i64" if t == "f64" else "i32", env, depth - 1)
            return r.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * 0.5)", f"({t}.abs {a})", f"({t}.min {a} {b})", f"({t}.max {a} {b})",
                             f"({t}.sqrt ({t}.abs {a}))", f"({t}.{'i64' if t == 'f64' else 'i32'} {other})", f"(if {self.value('bool', env, 1)} then {a} else {b})", f"(1 / (1 + {t}.abs {a}))", f"({t}.cos {a})", f"({t}.exp ({t}.min 1 {a}))",
                             f"({t}.i64 {self.value('i64', env, depth - 1)})", f"({t}.log10 (1 + {t}.abs {a}))"])
        made = [f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} & {b})", f"({a} ^ {b})", f"({t}.min {a} {b})", f"({a} % 8)", f"({a} / 4)",
                f"({a} >> 1)", f"({a} % (1 + ({b} & 7)))", f"({a} / (1 + ({b} & 3)))", f"(if {self.value('bool', env, 1)} then {a} else {b})"]
        if t == "i64":
            made += [f"(i64.i32 {self.value('i32', env, depth - 1)})", f"(i64.bool {self.value('bool', env, depth - 1)})", f"({a} % 5)",
                     f"(i64.f64 {self.value('f64', env, depth - 1)})", f"(i64.f32 (f32.max (-1e6) (f32.min 1e6 {self.value('f32', env, depth - 1)})))"]
        if t == "u8":
            made += [f"(u8.i64 {self.value('i64', env, depth - 1)})"]
        return r.choice(made)

    # One of eight places: mostly the same in all lanes, since what reads far apart is not taken.
    def place(self, env, counter):
        r = self.r
        if r.random() < 0.15:
            return f"({self.value('i64', env, 1)}) & 7"
        return r.choice([f"{r.randrange(8)}"] + ([f"{counter} & 7", f"({counter} * 3 + 1) & 7", f"(7 - {counter}) & 7"] if counter else []))

    # An array of eight numbers of the iteration's own, with what fills it.
    def own_array(self, env, depth):
        r = self.r
        a, k, t = self.name("a"), self.name("k"), r.choice(("i64", "f64", "i32"))
        trips = r.choice(("8", "8", "20", f"({self.value('i64', env, 1)} & 15)"))
        inner = env + [(k, "i64")]
        at = self.place(inner, k)
        value = self.mixed(t, f"{a}[{self.place(inner, k)}]", self.value(t, inner, depth))
        change = f"{a} with [{at}] = {value}"
        if r.random() < 0.4:
            change = f"if {self.value('bool', inner)} then {change} else {a}"
        start = f"replicate 8 {self.literal(t)}" if r.random() < 0.6 else f"map (\\z -> {self.mixed(t, {'i64': 'z', 'f64': 'f64.i64 z', 'i32': 'i32.i64 z'}[t], self.literal(t))}) (iota 8)"
        self.arrays.append((a, t))
        return f"let {a} = loop {a} = {start} for {k} < {trips} do {change}"

    # An element, and the statements that it needs. `counter`: a name that is a number from 0 to 7 there.
    def read(self, env, counter):
        r = self.r
        at = counter if counter and r.random() < 0.6 else self.place(env, None)
        return r.choice([("i64", f"zs[{at}]"), ("f64", f"ws[{at}]")] + [(t, f"{a}[{at}]") for a, t in self.arrays])

    @staticmethod
    def as_i64(t, x):
        return "(" + NUMBER_OF.get(t, f"i64.{t} {{}}").format(x) + ")"

    # `part` with the numbers on which results must depend.
    def with_musts(self, t, part):
        sum_of = " + ".join(self.as_i64(u, x) for x, u in self.must)
        self.must = []
        if not sum_of:
            return part
        return f"({part} != (({sum_of}) > 3))" if t == "bool" else f"({part} + {t}.i64 ({sum_of}))"

    def statements(self, env, depth, counter, count):
        """Adds to env what it binds."""
        r, lines = self.r, []
        for _ in range(count):
            kind = r.randrange(10)
            if kind < 4 or depth == 0:
                t = r.choice(TYPES)
                x = self.name("v")
                lines.append(f"let {x} = {self.value(t, env)}")
                env.append((x, t))
            elif kind < 5 and r.random() < 0.4:              # a check that C compilers and we know nothing about; it may fail
                x = self.name("m")
                at = f"{r.choice(('ps', 'ps', 'ps', 'ps', 'os'))}[{self.place(env, counter)}]"
                read = r.choice((f"zs[{at}]", f"mm[{at}, i]", f"(replicate 8 3)[{at}]"))       # of the last only the check is left
                never = f"if {self.value('bool', env)} && {r.choice(('n > 64', 'x == 5', 'false'))} then zs[n + 8] else"
                lines.append(f"let {x} = {never if r.random() < 0.2 else ''} {read}")
                env.append((x, "i64"))
                self.must.append((x, "i64"))
            elif kind < 5:
                t, text = self.read(env, counter)
                x = self.name("r")
                lines.append(f"let {x} = {text}")
                env.append((x, t))
            elif kind < 7:
                names, types = self.results()
                yes, no = self.block(env, depth - 1, counter, types), self.block(env, depth - 1, counter, types)
                lines.append(f"let {names} = if {self.value('bool', env)} then {yes} else {no}")
                env.extend(self.bound)
                self.must.append(self.bound[0])
            else:
                lines.append(self.loop(env, depth))
                env.extend(self.bound)
                self.must.append(self.bound[0])
        return lines

    def results(self):
        types = [self.r.choice(TYPES) for _ in range(self.r.randrange(1, 4))]
        names = [self.name("t") for _ in types]
        self.bound = list(zip(names, types))
        return self.tuple(names), types

    @staticmethod
    def tuple(parts):
        return parts[0] if len(parts) == 1 else "(" + ", ".join(parts) + ")"

    # `state`: names that the results go on from.
    def block(self, env, depth, counter, types, state=()):
        saved, inner, outside = self.bound, list(env), self.must
        self.must = []
        lines = self.statements(inner, depth, counter, self.r.randrange(3))
        self.bound = saved
        parts = [self.value(t, inner) for t in types]
        for k, (name, t) in enumerate(state):
            if self.r.random() < 0.8:
                parts[k] = self.mixed(t, name, parts[k])
        parts[0] = self.with_musts(types[0], parts[0])
        self.must = outside
        return "(" + " ".join(lines + (["in"] if lines else []) + [self.tuple(parts)]) + ")"

    def mixed(self, t, a, b):
        r = self.r
        if t == "bool":
            return f"({a} != {b})"
        if t in ("f64", "f32"):
            return r.choice([f"({a} * 0.5 + {b})", f"({a} + 1 - {b} * 0.25)", f"(if {a} < {b} then {a} + 0.5 else {b} * 0.5)"])
        return r.choice([f"({a} * 3 + {b})", f"({a} ^ ({b} + 1))", f"(if {a} < {b} then {a} + 1 else {b} - {a})", f"({a} + 1 + {b})"])

    def loop(self, env, depth):
        r = self.r
        names, types = self.results()
        bound = self.bound
        inner = list(env) + bound
        start = self.tuple([self.mixed(t, self.value(t, env, 1), self.value(t, env, 1)) for t in types])
        kind = r.randrange(4)
        k = self.name("k")
        if kind == 0:                                        # equally many in all lanes
            text = f"loop {names} = {start} for {k} < {r.choice(('8', 'n % 40', '20'))} do "
            counter = k if text.endswith("< 8 do ") else None
            body = self.block(inner + [(k, "i64")], depth - 1, counter, types, bound)
        elif kind == 1:
            text = f"loop {names} = {start} for {k} < ({self.value('i64', env)} & {r.choice((3, 15, 31))}) do "
            body = self.block(inner + [(k, "i64")], depth - 1, None, types, bound)
        elif kind == 2:
            text = f"loop {names} = {start} for {self.name('z')} in ws do "
            body = self.block(inner, depth - 1, None, types, bound)
        else:
            most, ended = r.choice((5, 30)), self.value("bool", inner)
            body = self.block(inner, depth - 1, None, types, bound)
            last = self.name("c")
            self.bound = bound
            return (f"let ({names}, {last}) = loop ({names}, {k}) = ({start}, 0i64) while {k} < ({self.value('i64', env)} & {most}) && !{ended} do "
                    f"({body}, {k} + 1)")
        self.bound = bound
        return f"let {names} = {text}{body}"

    # Adds numbers of each iteration to an array of eight: at places that a map says, in a nest, or as adjoints.
    def sums(self, number):
        r = self.r
        self.arrays, self.bound, self.must = [], [], []
        env = [("i", "i64"), ("x", "i64"), ("n", "i64")]
        lines = ["let x = xs[i]"] + [self.own_array(env, 1)] + [self.loop(env, 1)]
        env.extend(self.bound)
        a, t = self.arrays[0]
        whole = {"i64": f"{a}[k]", "f64": f"i64.f64 (f64.max (-1e6) (f64.min 1e6 {a}[k]))", "i32": f"i64.i32 {a}[k]"}[t]
        body = "\n    ".join(lines)
        value = " + ".join(self.as_i64(t, x) for x, t in self.bound) + f" + {self.value('i64', env)}"
        kind = r.randrange(5)
        if kind >= 3:
            return f"entry e{number} (n: i64) =\n{SOURCE}  in {self.beside(env)}\n"
        if kind == 0:
            made = f"reduce_by_index (replicate 8 0) (+) 0 (map (\\i -> is[i] % {r.choice((1, 7, 11))}) (iota n)) (map (\\i ->\n    {body}\n    in {value}) (iota n))"
        elif kind == 1:
            made = f"reduce (map2 (+)) (replicate 8 0) (map (\\i ->\n    {body}\n    in tabulate 8 (\\k -> {whole} + {value})) (iota n))"
        else:
            c, d = r.choice(("i % 3", "x % 4", "x & 3")), r.choice(("0.5", "2", "1"))
            condition = r.choice(("true", "x % 2 == 0", "i % 5 < 3"))
            made = f"""vjp (\\w -> f64.sum (map (\\i ->
    let x = xs[i]
    let c = f64.i64 ({c})
    let v = loop v = map (* c) w for k < 8i64 do v with [k] = v[{self.place([("x", "i64")], "k")}] * {d} + w[{self.place([("x", "i64")], "k")}]
    in if {condition} then f64.sum (map2 (*) v w) + v[{r.choice(("x & 7", "5", "2"))}] else v[3]) (iota n))) (copy ws) 1"""
        return f"entry e{number} (n: i64) =\n{SOURCE}  in {made}\n"

    # A gradient whose loop sums numbers beside updates in branches or loops: at places that meet, or each at its own. Integers as floats.
    def beside(self, env):
        r = self.r
        place = r.choice(("(x & 7)", "(is[i] & 7)", "5", "(7 - (x & 7))"))
        term = r.choice((f"w[{place}]", f"w[{place}] + w[((is[i] + 1) & 7)]", f"(loop s = 0 for k < {r.choice(('2', '3', 'x & 3'))} do s + w[(k + x) & 7])", "v[i]",
                         f"v[i] + w[{place}]", "v[(i + 1) % n]"))
        condition = r.choice(("true", "x > 3", "0 < i && i < n - 1", "0 < i && i < n - 1", "i > 0", "i < n - 1"))
        other = r.choice(("0", "g", "2"))
        return f"""vjp (\\(w: [8]f64, v: [n]f64, c: [2]f64) -> f64.sum (map (\\i ->
    let x = xs[i]
    let g = f64.i64 (x % 5)
    in (if {condition} then ({term}) * g {r.choice(("", "+ g * c[0]", "* c[0]"))} else {other}) * c[1]) (iota n)))
    (tabulate 8 (\\k -> f64.i64 (k % 3)), tabulate n (\\k -> f64.i64 (k % 4)), [1, 2]) 1"""

    # A row of the result, with x in it.
    def row(self, x, t, env):
        r = self.r
        k, row = self.name("k"), self.name("row")
        inner = env + [(k, "i64")]
        kind = r.randrange(4)
        if kind == 0:
            return f"[{x}, {self.mixed(t, x, self.value(t, env, 1))}]"
        if kind == 1:
            return f"[[{x}, {self.value(t, env, 1)}], [{self.mixed(t, x, self.value(t, env, 1))}, {x}]]"
        if kind == 2:
            return f"tabulate {r.choice((3, 20))} (\\{k} -> {self.mixed(t, x, self.value(t, inner, 1))})"
        trips, place = r.choice(("4", "20", f"({self.value('i64', env, 1)} & 7)")), r.choice((f"{k} & 3", f"({self.value('i64', inner, 1)}) & 3"))
        value = self.mixed(t, r.choice((x, x, f"{row}[({k} + 1) & 3]", f"{row}[{k} & 3]")), self.value(t, inner, 1))
        return f"(loop {row} = replicate 4 {self.mixed(t, x, self.value(t, env, 1))} for {k} < {trips} do {row} with [{place}] = {value})"

    def entry(self, number):
        r = self.r
        if r.random() < 0.4:
            return self.sums(number)
        self.arrays, self.must = [], []
        reduces = r.random() < 0.2
        env = [("i", "i64"), ("x", "i64"), ("y", "f64"), ("n", "i64")]
        first = ["let x = xs[i]", "let y = ys[i]"]
        if r.random() < 0.3:
            first.append("let g = xs[is[i]]")
            env.append(("g", "i64"))
        if r.random() < 0.2:
            first.append(f"let h = ys[if i == {r.choice((3, 40, 64, 1000))} then n else i]")     # fails there
            env.append(("h", "f64"))
        fails = ("h", "f64") in env
        self.bound = []
        straight = r.random() < 0.3                          # no loop inside, but reads that are checked
        if straight and ("g", "i64") not in env:
            first.append("let g = xs[is[i]]")
            env.append(("g", "i64"))
        if not straight and r.random() < 0.5:
            first.append(self.own_array(env, 1))
        last = ("h", "f64") if fails else None
        if not fails and r.random() < 0.2:
            last = ("u", "i64")
            first.append(f"let u = loop u = 0i64 for k < 10 do u + zs[if n == {r.choice((33, 70))} then k else k & 7]")   # in all lanes at once
        if straight:
            lines = first + self.statements(env, 0, None, r.randrange(2, 7)) + [f"let (p, q) = ({self.value('i64', env, 3)} + g, {self.value('f64', env, 3)})"]
            self.bound = [("p", "i64"), ("q", "f64")]
        else:
            lines = first + self.statements(env, 2, None, r.randrange(3)) + [self.loop(env, 2)]
        made = self.bound
        env.extend(made)
        lines += self.statements(env, 0 if straight else 1, None, r.randrange(2))
        types = [t for _, t in made]
        self.must.append(made[0])
        parts = [x if r.random() < 0.5 else self.mixed(t, x, self.value(t, env)) for x, t in made]
        if reduces:
            parts = [next((f"({x} % 1024)" for x, t in made if t == "i64"), "i64.bool (" + " || ".join(f"{x} == {x}" for x, _ in made) + ")")]
            if last:
                parts[0] += " + i64.f64 h" if fails else " + u"
        elif last:                                           # what nobody reads may be left out, with its check
            parts, types = parts[:2] + [last[0]], types[:2] + [last[1]]
        parts[0] = self.with_musts("i64", parts[0]) + " % 1024" if reduces else self.with_musts(types[0], parts[0])
        result = self.tuple(parts)
        body = "\n    ".join(lines + ["in " + result])
        made = f"map (\\i ->\n    {body}) (iota n)"
        if reduces:                                          # of floats: small integers, whose sums are exact in any order
            how = r.choice(("i64.sum", "f64.sum <| map f64.i64", "f32.maximum <| map (\\a -> f32.i64 (a % 1024))",
                            "reduce (\\(a, c) (b, d) -> (a + b, c + d)) (0f64, 0i64) <| map (\\a -> (f64.i64 (a % 1024), a))",
                            "reduce (\\(a, c) (b, d) -> (f32.min a b, i32.max c d)) (f32.inf, 0i32) <| map (\\a -> (f32.i64 (a % 1024), i32.i64 a))"))
            return f"entry e{number} (n: i64) =\n{SOURCE}  in {how} ({made})\n"
        if r.random() < 0.35:
            parts = [self.row(x, t, env) if r.random() < 0.7 else x for x, t in zip(parts, types)]
            body = "\n    ".join(lines + ["in " + self.tuple(parts)])
            made = f"map (\\i ->\n    {body}) (iota n)"
        apart = {1: "", 2: "unzip ", 3: "unzip3 "}[len(types)]
        return f"entry e{number} (n: i64) =\n{SOURCE}  in {apart}({made})\n"


def program(seed):
    g = Gen(seed)
    return "".join(g.entry(k) for k in range(ENTRIES))


def rounded(text, bits):
    """The float that is meant, however many digits are printed, without its last bits: C compilers evaluate functions of constants themselves, which
    may differ from the library in the last one."""
    return f"{struct.unpack('f', struct.pack('f', float(text)))[0]:.6g}" if bits == "32" else f"{float(text):.14g}"


class Ways:
    def __init__(self, raido, folder):
        self.raido, self.folder, self.loops, self.entries = os.path.abspath(raido), folder, 0, 0

    def wrong(self, _seed, text):
        path = os.path.join(tempfile.mkdtemp(dir=self.folder), "p.fut")
        pathlib.Path(path).write_text(text)
        status, _, said = command([self.raido, "check", "-w", path], 60)
        if status:
            return f"check: {said}"
        _, dump, _ = command([self.raido, "dev", "-w", "--pipeline=cpu", path], 60)
        self.loops += len(re.findall(r" lanes (?:own|\()", dump))
        self.entries += ENTRIES
        for name, backend, options in WAYS:
            status, _, said = command([self.raido, backend, "-w", *options, path, "-o", f"{path[:-4]}.{name}"], 300)
            if status:
                return f"{name}: {said[:600]}"
        for entry in range(ENTRIES):
            for n in SIZES:
                which = ["-e", f"e{entry}"]
                expected = self.result([self.raido, "run", "-w", *which, path], n)
                for way, run in (("the passes", [self.raido, "run", "-w", "--pipeline=cpu", *which, path]),
                                 *((name, [f"{path[:-4]}.{name}", *which]) for name, _, _ in WAYS)):
                    got = self.result(run, n)
                    if got != expected:
                        return f"{way}, e{entry}, n = {n}: {got[:300]}\nexpected: {expected[:300]}"
        return ""

    @staticmethod
    def result(run, n):
        status, out, said = command(run, 120, f"{n}i64")
        numbers = lambda text: re.sub(r"-?[\d.]+(?:e[-+]?\d+)?(?=f(32|64))", lambda m: rounded(m[0], m[1]), text)
        return " ".join(numbers(out).split()) if status == 0 else " ".join(re.findall(r"Index .* out of bounds for array of shape .*?\.", said)) or f"exit code {status}: {said[:300]}"


def main():
    _, ways, programs, findings = search(__doc__, program, lambda options, folder: Ways(options.raido, folder), 20)
    print(f"{programs} programs, {ways.entries} entry points, {ways.loops} loops in lanes, {findings} findings")
    return 1 if findings or ways.loops < ways.entries / 6 else 0


sys.exit(main())
