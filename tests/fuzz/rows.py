#!/usr/bin/env python3
"""Random maps over the rows of a matrix: sums, least elements, places, scans, histograms and filters of rows, loops and branches, in each other.

Much of it does not depend on the innermost iteration, and may fail. Rows and elements are those of the iteration, or at places that are given. What
the map makes is kept, reduced, scanned, filtered, scattered or summed by keys, computed again in a loop over time, or differentiated. The interpreter
runs the program as lowered and after the passes for processors, threads and devices. The results are the same, and it fails only where the program does.
With --c it is compiled and run, too. Exit code 1 otherwise.

    tests/fuzz/rows.py --raido build/release/raido --count 100 --seed 1 [--out FOLDER]"""
import random
import sys

from running import AfterPasses, main

HEAD = """def data (n: i64) (k: i64) =
  let xs = map (\\i -> f64.i64 (i * 31 % 101) / 101) (iota n)
  let a = tabulate_2d n k (\\i j -> f64.i64 ((i * 7 + j * 13 + i * j) % 97) / 97)
  let b = map (\\j -> f64.i64 (j * 5 % 11) / 11) (iota k)
  let js = tabulate_2d n k (\\i j -> (i * 31 + j * 1013) % n)
  in (xs, a, b, map (\\i -> i * 7919 % n) (iota n), js)
entry main (n: i64) (k: i64) (c: f64): []f64 =
  let (xs, a, b, is, js) = data n k
  in """


class Gen:
    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    # A number, of the numbers `known` and the row of iteration i.
    def number(self, i, known, depth):
        r = self.r
        atom = lambda: r.choice(known + ["0.5", "1.5"])
        if depth <= 0:
            return atom()
        x = lambda more=(), less=1: self.number(i, known + list(more), depth - less)
        row = r.choice([f"a[{i}]", f"a[{i}]", f"a[is[{i}]]"]) if r.random() < 0.97 else f"a[{i} + 1]"
        element = r.choice([f"xs[{i}]", f"xs[is[{i}]]", f"xs[({i} + 1) % n]", f"xs[i64.max 0 ({i} - 1)]"])
        e, w, z, j, t, h = (self.name(hint) for hint in "ewzjth")
        return r.choice([
            lambda: f"({x()} {r.choice('+-*')} {x()})", lambda: f"({x()} / (1.1 + f64.abs ({x()})))", lambda: f"f64.sqrt (f64.abs ({x()}) + 0.1)",
            lambda: f"f64.{r.choice(['exp', 'sin', 'tanh'])} (0.1 * {x()})", lambda: f"f64.{r.choice(['min', 'max'])} ({x()}) ({x()})", lambda: element,
            lambda: f"(if {x()} {r.choice('<>')} {atom()} then {x()} else {x()})",
            lambda: f"f64.sum (map (\\{e} -> {x([e], 2)}) {row})", lambda: f"f64.{r.choice(['maximum', 'minimum'])} (map (\\{e} -> {x([e], 2)}) {row})",
            lambda: f"f64.sum (map2 (\\{e} {w} -> {x([e, w], 2)}) {row} b)",
            lambda: f"f64.sum (map (\\{j} -> a[{i}, {j}] * xs[js[{i}, {j}]]) (iota k))",
            lambda: f"(loop {z} = {atom()} for {j} < {r.choice(['4i64', '12i64', 'k'])} do 0.5 * {x([z, f'f64.i64 {j}'], 2)} + 0.1 * {z})",
            lambda: f"(loop {z} = 0.2 for {j} < k do {x([z, f'a[{i}, {j}]'], 2)} * 0.5)",
            lambda: f"(loop ({z}, {j}) = ({atom()}, 0i64) while {j} < 20 && f64.abs {z} > 0.3 do (0.7 * {z} + 0.01 * {x([z], 3)}, {j} + 1)).0",
            lambda: f"f64.i64 (reduce (\\(p, i) (q, j) -> if p > q || (p == q && i < j) then (p, i) else (q, j)) (-f64.inf, -1) (zip {row} (iota k))).1",
            lambda: f"(let {t} = loop {t} = replicate 6 {atom()} for {j} < 5i64 do {t} with [{j} + 1] = 0.5 * {x([f'{t}[{j}]'], 2)} in {t}[5] + {t}[2])",
            lambda: f"(let {t} = scan (+) 0 {row} in if k > 0 then {t}[k - 1] * {t}[k / 2] else 0)",
            lambda: f"(let {h} = hist (+) 0 8 (map (\\{e} -> i64.f64 ({e} * 7.99)) {row}) {row} in {h}[1] - {h}[5])",
            lambda: f"f64.i64 (length (filter (> {atom()} * 0.3) {row}))",
            lambda: f"(let ({e}, {w}) = ({x()}, {x()}) in {x([e, w])})",
        ])()

    def program(self):
        r, i = self.r, self.name("i")
        of = f"(map (\\{i} -> {self.number(i, [f'xs[{i}]', 'c'], r.choice([3, 4, 4, 5]))}) (iota n))"
        return HEAD + r.choice([
            of, f"[f64.sum {of}]", f"[f64.maximum {of}]", f"scan (+) 0 {of}", f"filter (> 0.3) {of}", f"hist (+) 0 100 (map (% 100) is) {of}", f"scatter (replicate n 0) is {of}",
            f"(let (p, q) = reduce (\\(p, i) (q, j) -> if p >= q then (p, i) else (q, j)) (-f64.inf, -1) (zip {of} (iota n)) in [p, f64.i64 q])",
            f"(loop xs = xs for _t < 3i64 do map (* 0.3) {of})", f"vjp (\\xs -> f64.sum {of}) xs 1", f"[vjp (\\c -> f64.sum {of}) c 1]", f"[jvp (\\c -> f64.sum {of}) c 1]",
        ]) + "\n"


class Judge(AfterPasses):
    inputs, pipelines = [f"{n}i64 {k}i64 0.4\n" for n, k in ((0, 4), (1, 0), (3, 5), (40, 2), (300, 6))], ("cpu", "multicore", "gpu")


if __name__ == "__main__":
    sys.exit(main(__doc__, lambda seed: Gen(seed).program(), Judge, 100, ("--c", "compile and run, too")))
