#!/usr/bin/env python3
"""Random operations on arrays in other orders: columns of matrices, concatenations, parts and reversed arrays, scans, and what maps and sums make of them.

Matrices, columns and rows meet in maps, sums, scans, histograms and scatters, in each other. A map over columns may be wanted as columns or as rows,
filter them by place, or fail. The result is kept, summed or differentiated. The interpreter runs the program as lowered and after the passes for
processors, threads and devices. The results are the same, and it fails only where the program does. With --c it is compiled and run, too. Exit code 1
otherwise.

    tests/fuzz/views.py --raido build/release/raido --count 100 --seed 1 [--out FOLDER]"""
import random
import sys

from running import AfterPasses, main

HEAD = """def data (n: i64) (k: i64) =
  (tabulate_2d n k (\\i j -> f64.i64 ((i * 7 + j * 13 + i * j) % 97) / 97), tabulate_2d n k (\\i j -> f64.i64 ((i * 5 + j * 3) % 89) / 89),
   map (\\i -> f64.i64 (i * 31 % 101) / 101) (iota n), map (\\j -> f64.i64 (j * 5 % 11) / 11) (iota k), map (\\i -> i * 7919 % n) (iota n), map (\\j -> j * 3 % k) (iota k))
"""
SHAPES = {"M": ("n", "k"), "T": ("k", "n"), "V": ("n",), "U": ("k",)}


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0
        self.known = {"M": ["a", "b"], "T": [], "V": ["xs"], "U": ["ys"]}

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    def some(self, shape):
        return self.r.choice(self.known[shape][-3:]) if self.known[shape] else "(transpose a)"

    # A number, of the numbers `of`.
    def number(self, of, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.2:
            return r.choice(of + ["0.5"])
        x = lambda: self.number(of, depth - 1)
        return r.choice([lambda: f"({x()} {r.choice('+-*')} {x()})", lambda: f"(f64.{r.choice(['min', 'max'])} {x()} {x()})", lambda: f"(0.3 * {x()})",
                         lambda: f"(if {x()} < {x()} then {x()} else {x()})", lambda: f"(f64.sqrt (f64.abs {x()} + 0.1))"])()

    # An array of two dimensions, of rows of `rows` numbers: (`matrix`, a vector along it, a vector along its rows, places along it, and along rows).
    def rows(self, m, along, across, places, n, k):
        r = self.r
        p, q, s, j, e, row = (self.name(hint) for hint in "pqsjer")
        x = self.number
        return r.choice([
            lambda: f"map (map (\\{p} -> {x([p])})) {m}",
            lambda: f"map2 (\\{row} {s} -> map (\\{p} -> {x([p, s])}) {row}) {m} {along}",
            lambda: f"map (\\{row} -> map2 (\\{p} {q} -> {x([p, q])}) {row} {across}) {m}",
            lambda: f"map (\\{row} -> let {s} = f64.{r.choice(['sum', 'maximum', 'minimum'])} {row} in map (\\{p} -> {x([p, s])}) {row}) {m}",
            lambda: f"map2 (\\{row} {s} -> map2 (\\{p} {j} -> {x([p, s])} + 0.01 * f64.i64 {j}) {row} (indices {row})) {m} {along}",
            lambda: f"map (\\{row} -> map (\\{p} -> {x([p])}) (scan {r.choice(['(+) 0', 'f64.max (-f64.inf)'])} {row})) {m}",
            lambda: f"map (\\{row} -> tabulate {k} (\\{j} -> f64.sum (map (\\{e} -> {row}[i64.max 0 (i64.min ({k} - 1) ({j} + {e} - 1))] * 0.3) (iota 3)))) {m}",
            lambda: f"map (\\{row} -> map (\\{j} -> {x([f'{row}[{j}]'])}) {places}) {m}", lambda: f"map reverse {m}", lambda: f"reverse {m}",
            lambda: f"map (\\{row} -> map (\\{j} -> {row}[{j}{r.choice(['', '', '', ' + 1'])}]) (indices {row})) {m}",
            lambda: f"map (\\{row} -> sized {k} (map (\\{p} -> {x([p])}) ({row}[:{k} / 2] ++ {row}[{k} / 2:]))) {m}",
        ])()

    def step(self):
        r, v, x = self.r, self.name("v"), self.number
        p, q, s, row = (self.name(hint) for hint in "pqsr")
        shape = r.choice("MMTTVVU")
        n, k = {"M": ("n", "k"), "T": ("k", "n"), "V": ("n", "k"), "U": ("k", "n")}[shape]
        M, T, V, U = ("M", "T", "V", "U") if shape in "MV" else ("T", "M", "U", "V")
        m, other_m, t, along, across = self.some(M), self.some(M), self.some(T), self.some(V), self.some(U)
        places = "js" if shape in "MV" else "is"
        if shape in "MT":
            make = r.choice([
                lambda: self.rows(m, along, across, places, n, k), lambda: f"transpose {t}", lambda: f"transpose ({self.rows(t, across, along, 'is' if places == 'js' else 'js', k, n)})",
                lambda: f"map2 (map2 (\\{p} {q} -> {x([p, q])})) {m} (transpose {t})", lambda: f"map2 (map2 (\\{p} {q} -> {x([p, q])})) {m} {other_m}",
                lambda: f"sized {n} ({m}[{n} / 3:] ++ {other_m}[:{n} / 3])",
            ])
        else:
            other = self.some(V)
            make = r.choice([
                lambda: f"map2 (\\{p} {q} -> {x([p, q])}) {along} {other}", lambda: f"map2 (\\{p} {q} -> {x([p, q])}) (scan (+) 0 {along}) {other}",
                lambda: f"map2 (\\{p} {q} -> {x([p])} + 0.01 * f64.i64 {q}) (scan f64.min f64.inf {along}) (indices {along})",
                lambda: f"map (\\{row} -> f64.sum (map (\\{p} -> {x([p])}) ({row} ++ {across}))) {m}", lambda: f"map (\\{row} -> f64.maximum {row}) {m}",
                lambda: f"map2 (\\{row} {q} -> f64.sum (map2 (\\{p} {s} -> {x([p, q, s])}) ({row} ++ {across}) ({across} ++ {row}))) {m} {along}",
                lambda: f"(let {s} = f64.sum (map (\\{p} -> {x([p])}) ({along} ++ {across} ++ {other})) in map (\\{p} -> {x([p, s])}) {along})",
                lambda: f"sized {n} ((map (\\{p} -> {x([p])}) ({across} ++ {along}))[{k}:])",
                lambda: f"hist (+) 0 {n} (map (\\{p} -> i64.f64 ({p} * 7) % {n}) ({along} ++ {across})) (map (\\{p} -> {x([p])}) ({across} ++ {along}) :> [{n} + {k}]f64)",
                lambda: f"scatter (copy {along}) (map (\\i -> i - {n} / 3) (iota ({n} + {k}))) (map (\\{p} -> {x([p])}) ({other} ++ {across}) :> [{n} + {k}]f64)",
                # Scans that are summed, scanned again, or made by a loop that hands on a number.
                lambda: f"map2 (\\{row} {q} -> f64.{r.choice(['sum', 'maximum'])} (map (\\{s} -> {x([s, q])}) (scan {r.choice(['(+) 0', 'f64.max 0'])} {row}))) {m} {along}",
                lambda: f"map (\\{row} -> f64.sum (scan f64.max 0 (scan (+) 0 {row}))) {m}",
                lambda: f"map (\\{row} -> let ({s}, {q}) = loop ({s}, {q}) = (0, copy {row}) for {p} < {k} do let {s} = 0.5 * {s} + {q}[{p}] in "
                        f"({s}, {q} with [{p}] = {x([s])}) in {s} + f64.sum {q}) {m}",
                lambda: f"map (\\{row} -> f64.minimum (map (\\{p} -> {x([p])}) {row})) (transpose {t})",
            ])
        made = make()
        self.known[shape].append(v)
        self.last = v if shape in "VU" else f"(flatten {v})"
        return f"let {v}: [{']['.join(SHAPES[shape])}]f64 = {made}"

    def program(self):
        r = self.r
        steps = "\n  ".join(self.step() for _ in range(r.randint(2, 5)))
        f = f"def f [n] [k] (a: [n][k]f64) (b: [n][k]f64) (xs: [n]f64) (ys: [k]f64) (is: [n]i64) (js: [k]i64): []f64 =\n  {steps}\n  in {self.last}\n"
        use = r.choice(["f a b xs ys is js", "f a b xs ys is js", "[f64.sum (f a b xs ys is js)]",
                        "(let (a', xs', ys') = vjp (\\(a, xs, ys) -> f64.sum (f a b xs ys is js)) (a, xs, ys) 1 in flatten a' ++ xs' ++ ys')"])
        return f"{HEAD}{f}entry main (n: i64) (k: i64): []f64 =\n  let (a, b, xs, ys, is, js) = data n k in {use}\n"


class Judge(AfterPasses):
    inputs, pipelines = [f"{n}i64 {k}i64\n" for n, k in ((1, 1), (3, 5), (40, 2), (6, 70), (300, 3))], ("cpu", "multicore", "gpu")


if __name__ == "__main__":
    sys.exit(main(__doc__, lambda seed: Gen(seed).program(), Judge, 100, ("--c", "compile and run, too")))
