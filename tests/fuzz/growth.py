#!/usr/bin/env python3
"""How does the compiler's time grow with a program in which every value is used several times? Chains of definitions: each of them
uses two of the last three. What follows every use of a value on its own takes forever on them. And things inside each other: maps, branches,
loops; what walks an inner one twice takes forever on these.

Each program is compiled for all targets at two lengths, as far as the text of its C: the longer one is LONGER times as long, and may
take LONGER**2 times as much time, and a tenth of a second more. Exit code 1 if something took more, failed or went past the time limit.

    tests/fuzz/growth.py --raido build/release/raido --count 40 --seed 1 [--out FOLDER]"""
import argparse
import pathlib
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from running import command, report

SHORT, LONGER, LIMIT = 15, 4, 60
BACKENDS = ("c", "multicore", "opencl", "cuda")
# A definition of `new` from `a` and `b`, of the types of the chain.
SCALARS = {
    "f64": ["a + b", "a - b", "a * b", "a * b + a", "if a > b then a else b * 2", "f64.sin a + b", "f64.max a b", "-a + b", "a / (b * b + 1)",
            "if a > 0 then (if b > 0 then a * b else a) else b", "(loop s = a for i < 3 do s * 0.5 + b)", "f64.sum (map (* a) [b, a, 1])"],
    "i64": ["a + b", "a - b", "a * b", "a % 7 + b", "if a > b then a else b + 1", "i64.max a b", "(a & b) + 1", "i64.min (a + 1) b",
            "(loop s = a for i < 3 do s + b)", "length (iota (i64.max 0 (a + b) % 5)) + a"],
    "bool": ["a && b", "a || b", "a == b", "!a && b", "if a then b else !b"],
}
ARRAYS = ["map2 (+) a b", "map2 (\\x y -> x * y + 1) a b", "map (* 2) a |> map2 (-) b", "scan (+) 0 a |> map2 (*) b", "reverse a |> map2 (+) b",
          "rotate 1 a |> map2 (+) b", "if n > 3 then a else b", "let s = f64.sum a in map (* s) b", "(copy a) with [0] = b[0]",
          "tabulate n (\\i -> a[i] * b[n - 1 - i])", "map2 (\\x y -> if x > y then x else y) a b",
          "(loop s = a for i < 3 do map2 (+) s b)", "scatter (copy a) (iota n) b", "reduce_by_index (copy a) (+) 0 (iota n) b"]


def maps(length):
    depth = length // 2
    inside = " + ".join(f"x{i}" for i in range(depth))
    return "entry main (n: i64) = " + "".join(f"map (\\x{i} -> " for i in range(depth)) + inside + ") (iota n)" * depth + "\n"


def branches(length):
    return "entry main (x: i64) = " + " else ".join(f"if x == {i} then {i * 31 % 100}" for i in range(8 * length)) + " else -1\n"


def loops(length):
    depth = length // 2
    return ("entry main (x: f64) (n: i64) = "
            + "".join(f"loop a{i} = {f'a{i - 1}' if i else 'x'} for _i < n do " for i in range(depth)) + f"a{depth - 1} * 0.5 + 1\n")


def functions(length):
    lines = [f"def f{i} (x: i64) = if x % {i + 2} == 0 then x / 2 else {f'f{i - 1} (x + 1)' if i else 'x'} + {i}\n" for i in range(4 * length)]
    return "".join(lines) + f"entry main (x: i64) = f{4 * length - 1} x\n"


def cases(length):
    return "entry main (x: i64): i64 = match x " + " ".join(f"case {i} -> {i * 31 % 100}" for i in range(8 * length)) + " case _ -> -1\n"


nested = (maps, branches, loops, functions, cases)
# A number from `inner`, in which x{k} is a number in scope.
INSIDE = ["i64.sum (map (\\x{k} -> {inner}) (iota n))", "(loop x{k} = {x} for _i < n do {inner})", "(if x0 > {k} then {inner} else {x} + 1)",
          "i64.maximum (scan (+) 0 (map (\\x{k} -> {inner}) (iota n)))", "(let r{k} = map (\\x{k} -> {inner}) (iota n) in r{k}[{x} % n])",
          "(reduce_by_index (replicate 3 0) (+) 0 (map (% 3) (iota n)) (map (\\x{k} -> {inner}) (iota n)))[1]",
          "(match ((if {x} > 3 then #some {x} else #none) : #none | #some i64) case #some x{k} -> {inner} case #none -> 0)",
          "(let r{k} = loop r{k} = replicate n 0 for x{k} < n do r{k} with [x{k}] = {inner} in r{k}[0])",
          "(loop x{k} = {x} while x{k} < n do {inner})"]


def inside(seed):
    """Random constructs inside each other."""
    r = random.Random(seed)
    some = r.sample(INSIDE, r.randint(1, 3))
    picks = [r.choice(some) for _ in range(SHORT * LONGER)]

    def text(length):
        depth, names = length // 2, ["x0"]
        for k, shape in enumerate(picks[:depth], 1):
            names.append(f"x{k}" if "x{k}" in shape else names[-1])
        inner = f"{names[-1]} + 1"
        for k in range(depth, 0, -1):
            inner = picks[k - 1].format(k=k, inner=inner, x=names[k - 1])
        return f"entry main (x0: i64) (n: i64): i64 = {inner}\n"
    return text


def program(seed):
    """The text of a program of a given length."""
    if seed % 4 == 0:
        return nested[seed // 4 % len(nested)]
    if seed % 4 == 2:
        return inside(seed)
    r = random.Random(seed)
    kind = r.choice(["f64", "i64", "bool", "arrays", "f64"])
    shapes = ARRAYS if kind == "arrays" else SCALARS[kind]
    some = r.sample(shapes, r.randint(1, min(3, len(shapes))))
    picks = [(r.choice(some), r.sample((1, 2, 3), 2)) for _ in range(SHORT * LONGER)]
    derived = r.choice(["", "jvp", "vjp"]) if kind in ("f64", "arrays") else ""
    parallel = r.random() < 0.5

    def text(length):
        lines = []
        for k, (shape, back) in enumerate(picks[:length]):
            names = {"a": f"v{k + 3 - back[0]}", "b": f"v{k + 3 - back[1]}"}
            new, word = "", ""
            for c in shape + " ":                        # `a` and `b` as words
                if c.isalnum() or c in "._":
                    word += c
                else:
                    new, word = new + names.get(word, word) + c, ""
            lines.append(f"  let v{k + 3} = {new.rstrip()}")
        body = "\n".join(lines)
        last = f"v{length + 2}"
        if kind == "arrays":
            made = f"def f [n] (v0: [n]f64, v1: [n]f64, v2: [n]f64): [n]f64 =\n{body}\n  in {last}\n"
            if derived == "vjp":
                return made + "entry main [n] (x: [n]f64) (y: [n]f64) (z: [n]f64) (s: [n]f64) = vjp f (x, y, z) s\n"
            if derived == "jvp":
                return made + "entry main [n] (x: [n]f64) (y: [n]f64) (z: [n]f64) = jvp f (x, y, z) (z, y, x)\n"
            return made + "entry main [n] (x: [n]f64) (y: [n]f64) (z: [n]f64) = f (x, y, z)\n"
        made = f"def f (v0: {kind}, v1: {kind}, v2: {kind}): {kind} =\n{body}\n  in {last}\n"
        one = {"": "f (x, y, z)", "jvp": "jvp f (x, y, z) (z, y, x)", "vjp": "vjp f (x, y, z) 1"}[derived]
        if parallel:
            return made + f"entry main (xs: []{kind}) (y: {kind}) (z: {kind}) = map (\\x -> {one}) xs\n"
        return made + f"entry main (x: {kind}) (y: {kind}) (z: {kind}) = {one}\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", default="build/release/raido")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def compiled(seed, backend, text):
            source = pathlib.Path(folder) / f"p{seed}.fut"
            source.write_text(text)
            start = time.monotonic()
            code, _, said = command([args.raido, backend, "--library", str(source), "-o", str(source.with_suffix(""))], LIMIT)
            return time.monotonic() - start, f"{backend}: exit {code}\n{said}" if code else ""

        def check(seed):
            text = program(seed)
            for backend in BACKENDS:
                short, said = compiled(seed, backend, text(SHORT))
                if not said:
                    long, said = compiled(seed, backend, text(SHORT * LONGER))
                if not said and long > short * LONGER ** 2 + 0.1:
                    said = f"{backend}: {SHORT} definitions take {short:.2f} s, {SHORT * LONGER} take {long:.2f} s"
                if said:
                    return seed, said, text(SHORT * LONGER)
            return seed, "", text(SHORT * LONGER)

        with ThreadPoolExecutor(2) as pool:
            tried = list(pool.map(check, range(args.seed, args.seed + args.count)))
    programs, findings = report(tried, args.out)
    print(f"{programs} programs at two lengths for {len(BACKENDS)} targets, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
