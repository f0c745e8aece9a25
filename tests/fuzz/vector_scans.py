#!/usr/bin/env python3
"""Random scans by operators of the user that are associative: sums, products, extrema and bits, recurrences over them, segments, places of
extrema, and several of these at once.

Elements are made of indices, other arrays and functions, or lie there as they are, side by side or not. What the scan gives is stored, summed,
or read at other places. The interpreter runs the program as lowered and after the passes for processors and threads, for numbers of
elements around those of a strip. Compiled programs have the vectors. The results are the same. Exit code 1 otherwise.

    tests/fuzz/vector_scans.py --raido build/release/raido --count 100 --seed 1 [--out FOLDER]"""
import random
import sys

from running import AfterPasses, command, search

# Of numbers of one width. Floats are whole numbers, small enough for any order to give the same.
WIDTHS = [["f64", "i64", "u64"], ["f32", "i32", "u32"]]


class Gen:
    """An operator has types, neutral elements, code that combines the names a.. and b.., code of elements at `i`, and code of a number for
    each component."""

    def __init__(self, seed):
        self.r, self.count = random.Random(seed), 0
        self.width = self.r.choice(WIDTHS)

    def name(self, hint):
        self.count += 1
        return f"{hint}{self.count}"

    def said(self, kind, x):
        return f"(if {x} then 1 else 0)" if kind == "bool" else x if kind == "i64" else f"(i64.{kind} (if f64.isinf (f64.{kind} {x}) then {kind}.i64 7 else {x}))"

    def number(self, kind):
        one = self.r.choice(["(i * 37 + 11) % 64 - 20", "us[i]", "us[n - 1 - i]", "(i * us[i]) % 9", "i64.bool (us[i] > 3)"])
        return f"({kind}.i64 ({one}))"

    # Lists of (type, neutral element, code of an element), and combine(as, bs) for their names.
    def simple(self):
        kind = self.r.choice(self.width)
        ops = [("({} + {})", "0"), (f"({kind}.max {{}} {{}})", f"{kind}.lowest"), (f"({kind}.min {{}} {{}})", f"{kind}.highest")]
        if kind[0] != "f":
            ops += [("({} * {})", "1"), ("({} ^ {})", "0"), ("({} | {})", "0"), ("({} & {})", f"(!0)")]
        op, ne = self.r.choice(ops)
        ne = {"f64.lowest": "(-f64.inf)", "f64.highest": "f64.inf", "f32.lowest": "(-f32.inf)", "f32.highest": "f32.inf"}.get(ne, f"({kind}.i64 ({ne}))" if ne in ("0", "1", "(!0)") else ne)
        if self.r.random() < 0.3 and "max" in op:
            op = "(if {0} < {1} then {1} else {0})"
        return [(kind, ne, self.number(kind))], lambda a, b: [op.format(a[0], b[0])]

    def recurrence(self):
        kind = self.r.choice(self.width)
        factor = f"({kind}.i64 (us[i] % 3 - 1))" if kind[0] == "f" else self.number(kind)
        zero, one = f"({kind}.i64 0)", f"({kind}.i64 1)"
        return ([(kind, one, factor), (kind, zero, f"({kind}.i64 (us[i] % 5))" if kind[0] == "f" else self.number(kind))],
                lambda a, b: [f"({a[0]} * {b[0]})", f"({a[1]} * {b[0]} + {b[1]})"])

    def greatest_sum(self):
        kind = self.width[0]
        return ([(kind, f"({kind}.i64 0)", f"({kind}.i64 (us[i] % 4 - 2))"), (kind, f"(-{kind}.inf)", self.number(kind))],
                lambda a, b: [f"({a[0]} + {b[0]})", f"({kind}.max ({a[1]} + {b[0]}) {b[1]})"])

    def place(self):
        kind, index = self.width[0], self.width[1]
        return ([(kind, f"(-{kind}.inf)", self.number(kind)), (index, f"({index}.i64 (-1))", f"({index}.i64 i)")],
                lambda a, b: [f"(if {b[0]} > {a[0]} then {b[0]} else {a[0]})", f"(if {b[0]} > {a[0]} then {b[1]} else {a[1]})"])

    def segmented(self):
        parts, combine = self.operator(1)
        flag = self.r.choice(["us[i] % 5 == 0", "i % 97 == 3", "us[i] == us[n - 1 - i]", "false"])
        return ([("bool", "false", f"({flag})")] + parts,
                lambda a, b: [f"({a[0]} || {b[0]})"] + [f"(if {b[0]} then {y} else {z})" for y, z in zip(b[1:], combine(a[1:], b[1:]))])

    def several(self):
        (x, f), (y, g) = self.operator(1), self.operator(1)
        return x + y, lambda a, b: f(a[:len(x)], b[:len(x)]) + g(a[len(x):], b[len(x):])

    def operator(self, depth):
        choices = [self.simple, self.simple, self.recurrence, self.greatest_sum, self.place] + ([self.segmented, self.segmented, self.several] if depth else [])
        return self.r.choice(choices)()

    def scan(self, at):
        r = self.r
        parts, combine = self.operator(2)
        kinds = [k for k, _, _ in parts]
        tuple_of = lambda xs: f"({', '.join(xs)})" if len(xs) > 1 else xs[0]
        a, b, v = [[self.name(h) for _ in parts] for h in "abv"]
        elements = [self.name("es") for _ in parts]
        lets = []
        for e, (kind, _, code) in zip(elements, parts):
            made = f"(tabulate n (\\i -> {code}))"
            lets.append(f"let {e} = " + r.choice([made, made, f"(opaque {made})", f"(opaque (map (\\x -> [x, x]) {made}))[:, 1]", f"reverse (opaque {made})"]))
        op = f"(\\{tuple_of(a)} {tuple_of(b)} -> {tuple_of(combine(a, b))})"
        ne = tuple_of([x for _, x, _ in parts])
        zipped = elements[0] if len(parts) == 1 else f"(zip{len(parts) if len(parts) > 2 else ''} {' '.join(elements)})" if len(parts) <= 5 else None
        if zipped is None:
            zipped = f"(tabulate n (\\j -> ({', '.join(f'{e}[j]' for e in elements)})))"
        used = r.sample(range(len(parts)), r.randint(1, len(parts)))
        value = lambda at: " + ".join(f"{k + 2} * {self.said(kinds[k], v[k])}" for k in used)
        r_name = self.name("r")
        lets.append(f"let {r_name} = scan {op} {ne} {zipped}")
        look = f"let {tuple_of(v)} = {r_name}"
        lets.append(r.choice([
            f"in i64.sum (map2 (\\j x -> (let {tuple_of(v)} = x in (j % 7 + 1) * ({value('j')}) % 100003)) (iota n) {r_name})",
            f"in if n == 0 then 0 else ({look}[n - 1] in {value('')})",
            f"in i64.sum (tabulate n (\\j -> {look}[(j * 7 + 3) % n] in ({value('')}) % 100003))",
            f"in reduce_by_index (replicate 5 0) (+) 0 (map (% 5) us) (map (\\x -> let {tuple_of(v)} = x in {value('')}) {r_name}) |> map (% 100003) |> i64.sum",
        ]))
        return "(" + "\n     ".join(lets) + ")"

    def program(self):
        parts = [self.scan("i") for _ in range(self.r.choice([1, 1, 2]))]
        if self.r.random() < 0.3:
            parts.append(f"loop s = 0 for k < 3 do\n     let us = map (+ k) us in s + {self.scan('i')}")
        return ("entry main (n: i64) =\n  let us = opaque (map (\\i -> (i * i * 37 + i * 11 + 5) % 61 - 20) (iota n))\n  in (" + ",\n    ".join(parts) + ")\n")


class Judge(AfterPasses):
    inputs, pipelines, vectors = [f"{n}i64\n" for n in (0, 1, 255, 256, 263, 512, 1041)], ("cpu", "multicore"), 0

    def __init__(self, options, folder):
        options.c = True                                     # the interpreter takes the elements one by one
        super().__init__(options, folder)

    def looked_at(self, path):
        self.vectors += "seg simd" in "".join(command([self.raido, "dev", "-w", "--pipeline=cpu", path], 60)[1:])


def main():
    options, judge, programs, findings = search(__doc__, lambda seed: Gen(seed).program(), Judge, 100)
    print(f"{programs} programs of {options.count}, {judge.vectors} with vectors, {judge.failures} runs fail, {findings} findings")
    return 1 if findings or 2 * programs < options.count or 5 * judge.vectors < programs else 0


if __name__ == "__main__":
    sys.exit(main())
