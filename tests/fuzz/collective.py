#!/usr/bin/env python3
"""Random reductions and scans on devices, filters, partitions and histograms, too. There are operators that do not commute, that work on
tuples or ignore numbers that are none, and several at once. They go over one row or many, with maps before and beside them, and with checks
that fail in an element or in an operator. Histograms have few or many cells, of all types and of rows, and operators of one operation or of
several. Their cells hold something before. Rows are combined element by element, too.

Each program makes its arrays from two numbers, the rows and their length. The interpreter runs it as lowered; after the passes for
devices, and on the emulator of each API for blocks of several sizes, it must give the same: all operators are exact. Exit code 1 if
something differs.

    tests/fuzz/collective.py --raido build/release/raido --count 20 --seed 1 [--out FOLDER]"""
import os
import pathlib
import random
import re
import sys
import tempfile

from running import command, search

ENTRIES = 5
LENGTHS = (0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 70000)
ROWS = ((0, 5), (1, 0), (3, 1), (5, 33), (2, 257), (7, 600), (300, 32), (1000, 3), (9, 1000), (3, 20000), (70000, 2), (4, 1280), (1281, 1))
BLOCKS = (None, 32, 100, 1024)

# Type, operator, neutral element, element of the index `k` (an i64 expression).
OPERATORS = [
    ("i64", "(+)", "0", "K"), ("i32", "(*)", "1", "(2 * i32.i64 K + 1)"), ("u8", "(+)", "0", "u8.i64 K"), ("i16", "i16.max", "i16.lowest", "i16.i64 K"),
    ("bool", "(||)", "false", "(K % 1000 == 999)"), ("bool", "(!=)", "false", "(K % 3 == 0)"), ("f64", "(+)", "0", "f64.i64 (K % 64)"),
    ("f32", "f32.max", "(-f32.inf)", "(if K % 7 == 0 then f32.nan else f32.i64 (K % 1000))"),
    ("f64", "f64.min", "f64.inf", "(if K % 5 == 2 then f64.nan else f64.i64 (K % 997))"), ("f16", "f16.max", "(-f16.inf)", "f16.i64 (K % 512)"),
    ("i64", "(\\a b -> if a != 0 then a else b)", "0", "(if K % 40 == 39 then K else 0)"),
    ("i64", "(\\a b -> if b != 0 then b else a)", "0", "(if K % 40 == 39 then K else 0)"),
    ("(i64, i64)", "(\\(a, b) (c, d) -> (a * c, b * c + d))", "(1, 0)", "(2 * K + 1, K)"),
    ("(i32, u32)", "(\\(a, b) (c, d) -> (a + c, b ^ d))", "(0, 0)", "(i32.i64 K, u32.i64 K)"),
    ("(i64, f64)", "(\\(i, x) (j, y) -> if x > y || (x == y && i <= j) then (i, x) else (j, y))", "(i64.highest, -f64.inf)", "(K, f64.i64 (K % 37))"),
    ("(bool, i32, i32)", "(\\(e, a, b) (f, c, d) -> if !e then (f, c, d) else if !f then (e, a, b) else (true, a, d))", "(false, 0, 0)",
     "(if K % 3 != 0 then (true, i32.i64 K, i32.i64 K) else (false, 0, 0))"),
    ("(i64, i64, i64, i64)", "(\\(a, b, c, d) (e, f, g, h) -> (a*e + b*g, a*f + b*h, c*e + d*g, c*f + d*h))", "(1, 0, 0, 1)", "(K, 1, 2, K % 5)"),
    ("(f64, i8)", "(\\(a, b) (c, d) -> (f64.max a c, b + d))", "(-f64.inf, 0)", "(f64.i64 (K % 99), i8.i64 K)"),
]
FAILING = ("i64", "(\\a b -> assert (a + b < LIMIT) (a + b))", "0", "(K % 3)")


# The same of histograms, whose operators commute; of any type by one operation, of words by several, of pairs.
UPDATES = [(t, op, ne, f"{t}.i64 (K % 113)") for t in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
           for op, ne in (("(+)", "0"), ("(*)", "1"), (f"{t}.min", f"{t}.highest"), (f"{t}.max", f"{t}.lowest"), ("(&)", f"(!0{t})"), ("(|)", "0"), ("(^)", "0"))]
UPDATES += [("bool", "(||)", "false", "(K % 7 == 0)"), ("bool", "(&&)", "true", "(K % 7 != 0)"), ("bool", "(!=)", "false", "(K % 3 == 0)"),
            ("f64", "(+)", "0", "f64.i64 (K % 64)"), ("f32", "(+)", "0", "f32.i64 (K % 8)"), ("f16", "f16.max", "(-f16.inf)", "f16.i64 (K % 512)"),
            ("f32", "f32.max", "(-f32.inf)", "(if K % 7 == 0 then f32.nan else f32.i64 (K % 1000))"), ("f16", "f16.min", "f16.inf", "f16.i64 (K % 300)"),
            ("f64", "f64.min", "f64.inf", "(if K % 5 == 2 then f64.nan else f64.i64 (K % 997))"),
            ("i64", "(\\a b -> (a + b) % 1000003)", "0", "(K % 1009)"), ("i32", "(\\a b -> a + b + a * b)", "0", "i32.i64 (K % 5)"),
            ("f64", "(\\a b -> if a < b then b else a)", "(-f64.inf)", "f64.i64 (K % 1009)"), ("u32", "(\\a b -> u32.max (a / 2) (b / 2) * 2)", "0", "u32.i64 (K / 2 * 2)"),
            ("(i64, i64)", "(\\(a, i) (b, j) -> if a > b || a == b && i < j then (a, i) else (b, j))", "(-1, i64.highest)", "(K % 99, K)")]
CELLS = (0, 1, 2, 31, 1000, 7000, 100000)


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def reduction(self, k):
        t, op, ne, element = self.r.choice(OPERATORS)
        if self.r.random() < 0.08:
            t, op, ne, element = FAILING
            op = op.replace("LIMIT", str(self.r.choice((20, 1000, 10 ** 9))))
        if self.r.random() < 0.1:
            element = f"(let bad = K in assert (bad % {self.r.choice((97, 5001, 10 ** 7))} != 96) {element.replace('K', 'bad')})"
        return t, op, ne, element.replace("K", f"({k})")

    # The components of an array of tuples, which programs do not print.
    def apart(self, lines, t, name, j):
        n = t.count(",") + 1
        if n == 1:
            return [name]
        names = [f"c{j}{k}" for k in range(n)]
        lines.append(f"let ({', '.join(names)}) = unzip{'' if n == 2 else n} {name}")
        return names

    def one(self, number):
        r, parts, lines = self.r, [], []
        seeds = [f"{r.randrange(1, 50)} * i + {r.randrange(100)}" for _ in range(2)]
        for j in range(r.choice((1, 1, 2, 3))):
            source = r.random()
            k = "x" if source < 0.6 else f"xs[({r.randrange(5)} * i + {j}) % n]"
            t, op, ne, element = self.reduction(k)
            elements = f"(map2 (\\x i -> let _ = i in {element}) xs (iota n))"
            if r.random() < 0.5:
                lines.append(f"let r{j} = reduce {op} {ne} {elements}")
                parts.append(f"r{j}")
                continue
            lines.append(f"let r{j} = scan {op} {ne} {elements}")
            how = r.random()
            if how < 0.3:                                 # what stays of it, and how it is ordered
                lines.append(f"let e{j} = if n == 0 then {ne} else r{j}[n - 1]")
                parts.append(f"e{j}")
            elif how < 0.5:                               # a map after it, of what goes past it, too
                lines.append(f"let q{j} = map3 (\\x i y -> (x - i, y)) xs (iota n) r{j}")
                lines.append(f"let (qa{j}, qb{j}) = unzip q{j}")
                parts += [f"qa{j}"] + self.apart(lines, t, f"qb{j}", j)
            else:
                parts += self.apart(lines, t, f"r{j}", j)
        if r.random() < 0.3:
            lines.append(f"let ys = map (\\x -> x * x + {r.randrange(9)}) xs")
            parts.append("ys")
        if r.random() < 0.3:                              # what other kernels need of it
            lines.append("let s = reduce (+) 0 xs let zs = map (\\x -> x - s) xs let z = reduce i64.max i64.lowest zs")
            parts.append("z")
        body = "\n  ".join(lines)
        return (f"entry e{number} (m: i64) (n: i64) =\n  let xs = opaque (map (\\i -> ({seeds[0]}) % 1009) (iota (m * n)))[0:n]\n"
                f"  {body}\n  in ({', '.join(parts)})\n").replace("(iota (m * n)))[0:n]", "(iota n))")

    # A filter or partition of tuples of any types: all, none, some and every other one; the flags or what is filtered are read beside it.
    def filtered(self, number):
        r = self.r
        parts = [r.choice(("K", "i32.i64 K", "u8.i64 K", "i16.i64 (K * i)", "f64.i64 K", "f32.i64 (K + i)", "f16.i64 (K % 512)", "K % 2 == 0", "i"))
                 for _ in range(r.choice((1, 1, 2, 3, 5)))]
        element = "(" + ", ".join(p.replace("K", "x") for p in parts) + ")"
        names = [f"c{k}" for k in range(len(parts))]
        some = r.choice(("x % 2 == 0", "x < 500", "x >= 0", "x < 0", "i % 2 == 1", "i % 256 == 255", "x == 13", "i > 0", "table[i % 7]", "assert (x != BAD) (x > 300)"))
        some = some.replace("BAD", str(r.choice((13, 5000))))
        lines = ["let table = opaque [true, false, false, true, true, false, true]",
                 f"let all = map2 (\\x i -> (x, i, {element})) xs (iota n)"]
        apart = lambda name: f"let ({', '.join(n + name for n in names)}) = " + (
            f"map (.2) {name}" if len(names) == 1 else f"{'unzip' if len(names) == 2 else f'unzip{len(names)}'} (map (.2) {name})")
        results = []
        if r.random() < 0.5:
            lines += [f"let ys = filter (\\(x, i, _) -> {some}) all", apart("ys")]
            results = [n + "ys" for n in names]
        else:
            lines += [f"let (ys, zs) = partition (\\(x, i, _) -> {some}) all", apart("ys"), apart("zs")]
            results = [n + part for part in ("ys", "zs") for n in names]
            if r.random() < 0.3:
                lines.append("let both = map (.0) (ys ++ zs)")
                results.append("both")
        if r.random() < 0.3:
            lines.append("let again = i64.sum (filter (> 100) (map (\\(x, i, _) -> x + i) ys))")
            results.append("again")
        if r.random() < 0.3:
            lines.append("let flags = map (\\x -> x % 2 == 0) xs")
            results.append("flags")
        return (f"entry e{number} (m: i64) (n: i64) =\n  let xs = opaque (map (\\i -> ({r.randrange(1, 50)} * i + {r.randrange(100)}) % 1009) (iota n))\n  "
                + "\n  ".join(lines) + f"\n  in ({', '.join(results)})\n")

    # Histograms of the same elements, some outside: the places and the values are computed, or lie there; a map and a sum beside them.
    def histogram(self, number):
        r, lines, parts = self.r, [], []
        for j in range(r.choice((1, 1, 2, 3))):
            cells, (t, op, ne, element) = r.choice(CELLS), r.choice(UPDATES)
            some = f"{r.randrange(1, 50)} * x + {r.randrange(5)} * i"
            place = r.choice((f"({some}) % {cells + 3} - 1", f"({some}) % {max(1, cells // 9)}", f"({some}) % 7", f"i % {cells + 1}", f"i / 40", "-1", "places[i]"))
            if r.random() < 0.1:
                place = f"assert (x % {r.choice((97, 5001, 10 ** 7))} != 96) ({place})"
            value = element.replace("K", r.choice(("x", "i", "(x + i)")))
            start = f"replicate {cells} {ne}" if r.random() < 0.4 or t.startswith("(") else f"map (\\K -> {element}) (iota {cells})"
            lines += [f"let (is{j}, vs{j}) = unzip (map2 (\\x i -> ({place}, {value})) xs (iota n))"]
            if t in ("i64", "f64", "i32", "u8") and op == "(+)" and cells < 7000 and r.random() < 0.4:
                lines.append(f"let h{j} = reduce_by_index (replicate {cells} (replicate 3 0)) (map2 (+)) (replicate 3 0) is{j} (map (replicate 3) vs{j})")
                parts.append(f"h{j}")
                continue
            lines.append(f"let h{j} = reduce_by_index (copy ({start})) {op} {ne} is{j} vs{j}")
            parts += self.apart(lines, t, f"h{j}", j)
        if r.random() < 0.3:
            lines.append("let ys = map (\\x -> x * x + 1) xs")
            parts.append("ys")
        if r.random() < 0.2:                              # the sums of a derivative
            lines.append("let cs = map f64.i64 (iota 20)\n  let js = map (\\x -> x % 23) xs\n"
                         "  let d = vjp (\\cs -> f64.sum (map (\\j -> if j < 20 then cs[j] * f64.i64 j else 0) js)) cs 1")
            parts.append("d")
        return (f"entry e{number} (m: i64) (n: i64) =\n  let xs = opaque (map (\\i -> ({r.randrange(1, 50)} * i + {r.randrange(100)}) % 1009) (iota n))\n"
                "  let places = opaque (map (\\i -> i * 7919 % 4001 - 3) (iota n))\n  " + "\n  ".join(lines) + f"\n  in ({', '.join(parts)})\n")

    def rows(self, number):
        r = self.r
        t, op, ne, element = self.reduction("x + i")
        read = r.choice(("xss[i, j]", "xss[i, j]", "yss[j, i]", "xss[i, (j * 7) % n]"))
        scans = r.random() < 0.5
        made = f"map (\\i -> {'scan' if scans else 'reduce'} {op} {ne} (map (\\j -> let x = {read} in {element}) (iota n))) (iota m)"
        more = ""
        if r.random() < 0.3:
            t2, op2, ne2, element2 = self.reduction("x")
            more = f", unzip3 (map (\\xs -> (reduce (+) 0 xs, reduce i64.max 0 xs, i64.sum (map (% 3) xs))) xss)"
        if r.random() < 0.3:
            more += ", map (i64.sum >-> (+ 1)) yss |> i64.product"
        parts = t.count(",") + 1
        apart = {1: "", 2: "unzip ", 3: "unzip3 ", 4: "unzip4 "}[parts]
        if scans and parts > 1:
            apart = f"{apart}<| map {apart}<| "
        return (f"entry e{number} (m: i64) (n: i64) =\n  let xss = opaque (tabulate_2d m n (\\i j -> ({r.randrange(1, 40)} * i + {r.randrange(1, 40)} * j) % 1013))\n"
                f"  let yss = opaque (tabulate_2d n m (\\i j -> (3 * i + {r.randrange(1, 9)} * j) % 1011))\n  in ({apart}({made}){more})\n")

    # Reductions, scans and histograms of whole rows, by operators that work element by element.
    def columns(self, number):
        r, lines, parts = self.r, [], []
        for j in range(r.choice((1, 2, 2))):
            what = r.choice(("reduce", "reduce", "scan", "histogram"))
            t, op, ne, element = r.choice([o for o in (UPDATES if what == "histogram" else OPERATORS) if not o[0].startswith("(")])
            value = lambda k: "(" + element.replace("K", f"({k})") + ")"
            rows = r.choice((f"map (map (\\x -> {value('x')})) xss", f"map2 (\\xs i -> map2 (\\x j -> {value('x + i * j')}) xs (iota n)) xss (iota m)",
                             f"map (\\i -> map (\\j -> {value('7 * i + j')}) (iota n)) (iota m)", f"map (\\xs -> map (\\x -> {value('x')}) (scan i64.max 0 xs)) xss",
                             f"map (\\xs -> let s = i64.sum xs in map (\\x -> {value('(x + s) % 1013')}) xs) xss"))
            combine, neutral, deep = f"(map2 {op})", f"(replicate n {ne})", r.random() < 0.2
            if deep:
                rows, combine, neutral = f"map (replicate 2) ({rows})", f"(map2 {combine})", f"(replicate 2 {neutral})"
            if what == "histogram":
                place = r.choice(("i % 5 - 1", "(i * i) % 7", "0", "i"))
                made = f"reduce_by_index (replicate 5 {neutral}) {combine} {neutral} (map (\\i -> {place}) (iota m)) ({rows})"
            else:
                made = f"{what} {combine} {neutral} ({rows})"
            if what != "scan" and r.random() < 0.3:       # with a number beside each row
                pair, zero = f"(\\(x, c) (y, d) -> ({combine} x y, c + d))", f"({neutral}, 0i64)"
                made = (f"reduce_by_index (replicate 5 {zero}) {pair} {zero} (map (\\i -> {place}) (iota m)) (zip ({rows}) (iota m))" if what == "histogram"
                        else f"reduce {pair} {zero} (zip ({rows}) (iota m))")
                lines.append(f"let (r{j}, k{j}) = " + (f"unzip ({made})" if what == "histogram" else made))
                parts += [f"r{j}", f"k{j}"]
            elif r.random() < 0.3:
                lines.append(f"let r{j} = map (\\b -> let xss = map (map (+ b)) xss in {made}) (iota 3)")
                parts.append(f"r{j}")
            else:
                lines.append(f"let r{j} = {made}")
                parts.append(f"r{j}")
        return (f"entry e{number} (m: i64) (n: i64) =\n  let xss = opaque (tabulate_2d m n (\\i j -> ({r.randrange(1, 40)} * i + {r.randrange(1, 40)} * j) % 1013))\n  "
                + "\n  ".join(lines) + f"\n  in ({', '.join(parts)})\n")

    def program(self):
        self.kinds = [self.r.random() < 0.7 for _ in range(ENTRIES)]
        return "".join(self.r.choice((self.one, self.filtered, self.histogram))(k) if one else self.r.choice((self.rows, self.columns))(k) for k, one in enumerate(self.kinds))


class Ways:
    def __init__(self, raido, folder):
        self.raido, self.folder = os.path.abspath(raido), folder

    def wrong(self, seed, text):
        r, g = random.Random(seed), Gen(seed)
        g.program()                                        # which of its entry points have one row
        path = os.path.join(tempfile.mkdtemp(dir=self.folder), "p.fut")
        pathlib.Path(path).write_text(text)
        status, _, said = command([self.raido, "check", "-w", path], 60)
        if status:
            return f"check: {said}"
        for api in ("cuda", "opencl"):
            status, _, said = command([self.raido, api, "--emulate", "-w", path, "-o", f"{path[:-4]}.{api}"], 300)
            if status:
                return f"{api}: {said[:600]}"
        for entry, one in enumerate(g.kinds):
            for m, n in [(1, n) for n in LENGTHS] if one else ROWS:
                which, given = ["-e", f"e{entry}"], f"{m}i64 {n}i64"
                expected = self.result([self.raido, "run", "-w", *which, path], given)
                ways = [(api, [f"{path[:-4]}.{api}", *which] + (["--default-thread-block-size", str(b)] if b else []))
                        for api, b in (("cuda", r.choice(BLOCKS)), ("opencl", None))]
                if m * n < 20000:
                    ways.append(("the passes", [self.raido, "run", "-w", "--pipeline=gpu", *which, path]))
                for way, run in ways:
                    got = self.result(run, given)
                    if got != expected:
                        return f"{way}, {' '.join(run)} <<< '{given}': {got[:300]}\nexpected: {expected[:300]}"
        return ""

    @staticmethod
    def result(run, given):
        status, out, said = command(run, 120, given)
        numbers = lambda text: re.sub(r"-?\d[\d.]*(?:e[-+]?\d+)?(?=f(16|32|64))", lambda m: repr(float(m[0])), text)
        if status == 0:
            text = " ".join(re.sub(r"[(),]", " ", numbers(out)).split())        # programs print no tuples
            return " ".join(re.sub(r"\[?(?:empty (?:\[\d+\])+\w+ ?)+\]?", " ", text).split())   # nor rows without elements one by one
        return "failed" if status == 1 and ("rror" in said or "Assert" in said or "Index" in said) else f"exit code {status}: {said[-300:]}"


def main():
    *_, programs, findings = search(__doc__, lambda seed: Gen(seed).program(), lambda options, folder: Ways(options.raido, folder), 20)
    print(f"{programs} programs, {findings} wrong")
    sys.exit(findings > 0)


main()
