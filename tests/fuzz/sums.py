#!/usr/bin/env python3
"""Random sums of arrays to which something was added: histograms, gradients and Jacobians by directions, summed flat, by rows or transposed,
with places outside of the array, branches and arrays that somebody else reads. What the interpreter computes of the program as it was
lowered is compared with what it computes after each pipeline. All numbers are small integers, so that every order of sums gives the same."""
import argparse
import random
import sys
import tempfile

from running import command, same

PIPELINES = ("cpu", "multicore", "gpu")


def accumulated(r, t):
    """An array of n rows of m elements, or of n elements; and its rank."""
    condition = r.choice(["true", "i % 2 == 0", "i > j", f"v > {t}.i64 1"])
    value = r.choice(["v", "v * v", "v + v", f"(if v > {t}.i64 2 then v else {t}.i64 1)"])
    zero = f"{t}.i64 0"
    kinds = ["hist", "hist2"] + ["gradient", "jacobian", "jacobian_back"] * (t[0] == "f")
    kind = r.choice(kinds)
    added = f"map3 (\\i j v -> if {condition} then {value} else {zero}) is js vs"
    if kind == "hist":
        return f"reduce_by_index (replicate n ({zero})) (+) ({zero}) (map2 (+) is js) ({added})", 1
    if kind == "hist2":
        return f"reduce_by_index_2d (replicate n (replicate m ({zero}))) (+) ({zero}) (zip is js) ({added})", 2
    inside = f"0 <= i && i < n && 0 <= j && j < m && ({condition})"
    if kind == "gradient":
        return f"vjp (\\(a: [n][m]{t}) -> {t}.sum (map3 (\\i j v -> if {inside} then a[i, j] * {value} else 0) is js vs)) (replicate n (replicate m 1)) 1", 2
    f = f"(\\(x: [m]{t}) -> tabulate n (\\i -> loop s = 0 for (j, v) in zip js vs do if {inside} then s + {value} * x[j] else s))"
    if kind == "jacobian":
        return f"transpose (map (\\d -> jvp {f} (replicate m 1) (tabulate m (\\e -> if d == e then 1 else 0))) (iota m))", 2
    return f"map (\\d -> vjp {f} (replicate m 1) (tabulate n (\\e -> if d == e then 1 else 0))) (iota n)", 2


def program(r):
    t = r.choice(["f64", "f32", "i32", "i64", "i8"])
    array, rank = accumulated(r, t)
    total = r.choice(["sum (flatten a)", "sum (map {t}.sum a)", "sum (map {t}.sum (transpose a))", "sum (flatten (transpose a))"]) if rank == 2 else "sum a"
    total = f"{t}.{total.replace('{t}', t)}"
    if r.random() < 0.2:
        total += f" + {t}.maximum ({'flatten a' if rank == 2 else 'a'})"       # somebody else reads it
    return t, f"entry main [k] (n: i64) (m: i64) (is: [k]i64) (js: [k]i64) (vs: [k]{t}): {t} =\n  let a = {array}\n  in {total}\n"


def arguments(r, t):
    n, m, k = r.choice([0, 1, 2, 3, 5]), r.choice([0, 1, 2, 4]), r.choice([0, 1, 4, 9])
    places = lambda: "[" + ", ".join(f"{r.randint(-2, 6)}i64" for _ in range(k)) + "]" if k else "empty([0]i64)"
    value = lambda: f"{r.randint(-5, 9)}{t}" if t[0] == "i" else f"{r.randint(-5, 9)}.0{t}"
    return f"{n}i64 {m}i64 {places()} {places()} " + ("[" + ", ".join(value() for _ in range(k)) + "]" if k else f"empty([0]{t})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--raido", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    findings = summed = 0
    for seed in range(options.seed, options.seed + options.count):
        r = random.Random(seed)
        t, text = program(r)
        with tempfile.NamedTemporaryFile("w", suffix=".fut") as source:
            source.write(text)
            source.flush()
            given = arguments(r, t)
            code, right, error = command([options.raido, "run", "-w", source.name], 60, given)
            wrong = [] if code == 0 else [f"as lowered: {error}"]
            for pipeline in PIPELINES:
                now, out, error = command([options.raido, "run", "-w", f"--pipeline={pipeline}", source.name], 60, given)
                if now != code or not same(out.replace("-0.0", "0.0"), right.replace("-0.0", "0.0")):
                    wrong.append(f"{pipeline}: {right} and {out}{error}")
            summed += "early_accumulators.E10" in command([options.raido, "dev", "-wq", "--stats", "--pipeline=cpu", source.name], 60)[2]
        if wrong:
            findings += 1
            print(f"seed {seed}: {wrong}\n{text}{given}")
    print(f"{options.count} programs, {summed} with a sum of updates, {findings} findings")
    return findings > 0 or summed == 0


if __name__ == "__main__":
    sys.exit(main())
