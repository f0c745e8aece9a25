#!/usr/bin/env python3
"""Random operators of reductions, scans and histograms. They combine numbers, rows, options and records of them, by code with arrays,
loops, branches or functions inside.

A program combines elements that depend on their place, at the top, in maps, in loops and branches, and prints sums over the results.
The interpreter runs it as lowered and after the passes for processors, threads and devices; all give the same numbers. The translators to
threads and devices take it. With --c it is compiled and run on threads, too. Exit code 1 if there is any finding.

    tests/fuzz/operators.py --raido build/release/raido --count 100 --seed 1 [--out FOLDER]"""
import random
import sys

from running import NO_COMPILER, checked, command, difference, search

# Operation and neutral element of operators on i64 that are associative and commutative. None of them is undone by adding nothing.
NUMBERS = [("{} + {}", "0"), ("i64.max {} {}", "i64.lowest"), ("i64.min {} {}", "i64.highest"), ("{} ^ {}", "0"), ("{} | {}", "0"), ("{} & {}", "(-1)"),
           ("{} * {}", "1")]
SIZES = [(0, 1), (1, 2), (5, 3), (40, 2), (300, 3), (700, 2)]


class Gen:
    """A part of an operator has a type, a neutral element, code that combines two names, and code for the element at `i`. Last comes the
    code of a number that says what a value is."""

    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0
        self.commutes = True

    def name(self, hint="x"):
        self.count += 1
        return f"{hint}{self.count}"

    # a `op` b, said in one of many ways. `zero` is a number of the program that is 0, and `zeros` an array of such.
    def combined(self, op, a, b):
        x, i = self.name("x"), self.name("i")
        plain = f"({op.format(a, b)})"
        return self.r.choice([
            plain, plain, plain,
            f"(let {x} = [{a}, {b}] in {op.format(f'{x}[zero]', f'{x}[1]')})",
            f"(let {x} = replicate 3 {a} let {x}[zero + 1] = {b} in {op.format(f'{x}[0]', f'{x}[1]')})",
            f"(loop {x} = {a} for {i} < 1 + zero do {op.format(x, b)})",
            f"(if zero == 0 then {plain} else {a})",
            f"({plain} + zeros[zero])",
            f"({plain} + i64.sum (map (\\{x} -> {x} * {a}) zeros))",
            f"((\\{x} -> {op.format(x, f'({b} + zero)')}) {a})",
            f"(head (map (\\{x} -> {op.format(x, b)}) (replicate (zero + 1) {a})))",
            f"(i64.sum (map (\\{i} -> if {i} == zero then {plain} else 0) (iota 3)))",
            f"(reduce (+) zero (filter (!= 0) [{plain}, zero]))",
        ])

    def number(self):
        op, neutral = self.r.choice(NUMBERS)
        k = self.r.choice([1, 3, 7, 31])
        return ("i64", neutral, lambda a, b: self.combined(op, a, b), f"(i * {k} % 1009 - {self.r.choice([0, 5])})", lambda v: v)

    def truth(self):
        op, neutral = self.r.choice([("||", "false"), ("&&", "true"), ("!=", "false")])
        return ("bool", neutral, lambda a, b: f"({a} {op} {b})", f"(i % {self.r.choice([2, 3, 50])} == 0)", lambda v: f"i64.bool {v}")

    def byte(self):
        return ("u8", "0", lambda a, b: self.r.choice([f"({a} + {b})", f"(u8.max {a} {b})"]), "(u8.i64 i)", lambda v: f"i64.u8 {v}")

    # Rows, whose elements are combined by the same code.
    def row(self, depth):
        t, neutral, combine, element, said = self.part(depth - 1) if self.r.random() < 0.3 else self.number()
        size, a, b, j, s = self.r.choice(["2", "3", "m"]), *(self.name(h) for h in "abjs")
        both = combine(a, b)
        return (f"[{size}]{t}", f"(replicate {size} {neutral})", lambda x, y: f"(map2 (\\{a} {b} -> {both}) {x} {y})",
                f"(map (\\{j} -> let i = i + {j} in {element}) (iota {size}))", lambda v: f"i64.sum (map (\\({s}: {t}) -> {said(s)}) {v})")

    # The larger key, with what belongs to it; of equal ones the first or the last.
    def largest(self, depth):
        t, neutral, _, element, said = self.part(depth - 1)
        a, b, x, y = (self.name(h) for h in "abxy")
        wins = self.r.choice([f"{a} >= {b}", f"!({a} < {b})", f"{a} > {b}"])
        different = self.r.choice([1013, 1013, 5])
        self.commutes = self.commutes and different == 1013
        return (f"(i64, {t})", f"(i64.lowest, {neutral})",
                lambda p, q: f"(let ({a}, {x}) = {p} let ({b}, {y}) = {q} in if {wins} then ({a}, {x}) else ({b}, {y}))",
                f"(i * 7 % {different}, {element})", lambda v: f"({v}.0 + {said(v + '.1')})")

    def option(self, depth):
        t, neutral, combine, element, said = self.part(depth - 1)
        a, b, v = (self.name(h) for h in "abv")
        of = f"maybe ({t})"
        both = combine(a, b)
        return (of, f"(#none: {of})",
                lambda x, y: f"(match ({x}, {y}) case (#none, {v}) -> {v} case ({v}, #none) -> {v} case (#some {a}, #some {b}) -> (#some {both}: {of}))",
                f"(if i % 3 == 0 then #none else #some {element}: {of})", lambda x: f"(match {x} case #none -> 7 case #some {v} -> {said(v)})")

    def several(self, depth):
        parts = [self.part(depth - 1) for _ in range(self.r.choice([2, 2, 3]))]
        fields = [str(k) for k in range(len(parts))] if self.r.random() < 0.5 else ["p", "q", "r"][:len(parts)]
        made = lambda values: "{" + ", ".join(f"{f} = {v}" for f, v in zip(fields, values)) + "}"
        return ("{" + ", ".join(f"{f}: {p[0]}" for f, p in zip(fields, parts)) + "}", made(p[1] for p in parts),
                lambda x, y: made(p[2](f"{x}.{f}", f"{y}.{f}") for f, p in zip(fields, parts)), made(p[3] for p in parts),
                lambda v: "(" + " + ".join(f"{k + 1} * ({p[4](f'{v}.{f}')})" for k, (f, p) in enumerate(zip(fields, parts))) + ")")

    def part(self, depth):
        if depth <= 0:
            return self.r.choice([self.number, self.number, self.truth, self.byte])()
        return self.r.choice([lambda _: self.number(), self.row, self.row, self.largest, self.option, self.several, self.several])(depth)

    # A number that depends on everything that is combined: of `n` elements, which are those from `from_` on.
    def use(self, operator, n, from_):
        t, said = operator[0], operator[4]
        x, xs = self.name("x"), self.name("xs")
        elements = f"(map (\\i -> element m zero (i + {from_})) (iota {n}))"
        arrays = lambda code: f"(let {xs} = {code} in i64.sum (map2 (\\k ({x}: {t}) -> (k % 5 + 1) * ({said(x)})) (indices {xs}) {xs}))"
        key = f"(map (\\i -> i * 7 % {self.r.choice([3, 6])} - 1) (iota {n}))"
        op, ne = "(op m zeros)", "(neutral m)"
        in_any_order = [
            lambda: f"(let {x} = reduce_comm {op} {ne} {elements} in {said(x)})",
            lambda: arrays(f"hist {op} {ne} 5 {key} {elements}"),
            lambda: arrays(f"reduce_by_index (replicate 4 {ne}) {op} {ne} {key} {elements}"),
            lambda: arrays(f"flatten (reduce_by_index_2d (replicate 2 (replicate 3 {ne})) {op} {ne} (map (\\k -> (k % 3, k)) {key}) {elements})")]
        return self.r.choice([*(in_any_order if self.commutes else []),
            lambda: f"(let {x} = reduce {op} {ne} {elements} in {said(x)})",
            lambda: arrays(f"scan {op} {ne} {elements}"),
            lambda: arrays(f"filter (\\({x}: {t}) -> {said(x)} % 3 != 1) (scan {op} {ne} {elements})"),
            lambda: f"(let {x} = loop {x} = {ne} for k < 3 do op m zeros {x} (reduce {op} {ne} {elements}) in {said(x)})",
        ])()

    def program(self):
        operator = self.part(self.r.choice([1, 2, 2, 3]))
        t, neutral, combine, element, _ = operator
        uses = []
        for _ in range(self.r.choice([1, 2])):
            k, at = self.r.randrange(6), self.name("at")
            if k < 3:
                uses.append(self.use(operator, "n", "0"))
            elif k == 3:
                uses.append(f"i64.sum (map (\\{at} -> {self.use(operator, 'n', at)}) (iota m))")
            elif k == 4:
                uses.append(f"i64.sum (map (\\{at} -> {self.use(operator, f'({at} * 3)', at)}) (iota (i64.min n 9)))")
            else:
                uses.append(f"(if n > 3 then {self.use(operator, 'n', '1')} else {self.use(operator, 'm', '0')})")
        return ("type maybe 'a = #none | #some a\n"
                f"def neutral (m: i64): {t} = {neutral}\n"
                f"def op (m: i64) (zeros: [4]i64) (x: {t}) (y: {t}): {t} = let zero = zeros[2] in {combine('x', 'y')}\n"
                f"def element (m: i64) (zero: i64) (i: i64): {t} = {element}\n"
                "entry main (n: i64) (m: i64) (zeros: [4]i64) =\n  let zero = zeros[1]\n  in (" + ",\n      ".join(uses) + ", m)\n")


def program(seed):
    return Gen(seed).program()


class Judge:
    def __init__(self, options, folder):
        self.raido, self.c, self.folder = options.raido, options.c, folder

    # What is wrong with it; empty if nothing is.
    def wrong(self, seed, text):
        path, binary, refused = checked(self.raido, self.folder, text)
        if refused:
            return refused
        for target, compiler in (("opencl", [f"CC={NO_COMPILER}"]), ("multicore", ["CFLAGS=-O0"] if self.c else [f"CC={NO_COMPILER}"])):
            status, _, said = command(["env", *compiler, self.raido, target, "-w", path, "-o", binary], 120)
            if status:
                return f"{target}: {status} {said}"
        runs = [[self.raido, "run", "-w", f"--pipeline={name}", path] for name in ("cpu", "multicore", "gpu")] + ([[binary]] if self.c else [])
        for n, m in SIZES:
            if said := difference(self.raido, path, f"{n}i64 {m}i64 [0i64, 0i64, 0i64, 0i64]\n", runs):
                return said
        return ""


def main():
    _, _, _, findings = search(__doc__, program, Judge, 100, ("--c", "compile for threads and run, too"))
    print(f"{findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
