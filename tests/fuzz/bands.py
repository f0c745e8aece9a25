#!/usr/bin/env python3
"""Random sums of what is zero outside of triangles and bands: products of such matrices, their transposes, sums, chains, and derivatives
with seeds in a band, where conditions may stand beside checks that fail. What the interpreter computes of the program as it was lowered
is compared with what it computes after a pipeline. All numbers are small integers, so that every order of sums gives the same."""
import argparse
import random
import subprocess
import sys
import tempfile

TYPES = ["f64", "f32", "i32", "i64", "u16"]


def condition(r, i, j):
    c = r.choice([-2, -1, 0, 1, 2])
    kinds = [f"{j} <= {i} + {c}", f"{j} > {i} - {c}", f"i64.abs ({i} - {j}) <= w", f"{i} + {c} == {j}", f"{j} < w", f"{j} != {i}", f"{i} - {j} >= w",
             f"i64.abs ({j} - {i}) < {abs(c) + 1}", f"{i} + {j} <= n"]
    kind = r.choice(kinds)
    if r.random() < 0.4:
        other = r.choice(kinds)
        return r.choice([f"({kind}) && {other}", f"({kind}) || {other}", f"!({kind})"])
    return kind


def element(r, t, i, j):
    value = f"{t}.i64 (({i} * {r.randint(1, 5)} + {j} * {r.randint(1, 5)} + {r.randint(0, 3)}) % 7)"
    kind = r.random()
    if kind < 0.15:
        value = f"({value} + q[{r.choice([i, j])}])"
    elif kind < 0.3:
        value = f"({value} * q[{j} {r.choice(['- 1', '+ 1'])}])"              # out of range at one end, unless a condition is around it
    zero = f"{t}.i64 0"
    text = f"if {condition(r, i, j)} then {value} else {zero}"
    if r.random() < 0.3:
        text = f"({text}) + (if {condition(r, i, j)} then {value} else {zero})"
    return text


def matrix(r, t, depth=0):
    if depth < 2 and r.random() < 0.5:
        a, b = matrix(r, t, depth + 1), matrix(r, t, depth + 1)
        return r.choice([f"mul ({a}) ({b})", f"(let a = {a} in mul a a)", f"transpose ({a})", f"map2 (map2 (+)) ({a}) ({b})", f"map (map (* 2)) ({a})"])
    return f"tabulate_2d n n (\\i j -> {element(r, t, 'i', 'j')})"


def entry(r, number):
    t = r.choice(TYPES)
    q = f"let q = tabulate n (\\i -> {t}.i64 (i % 5))"
    kind = r.random()
    if kind < 0.5:
        body = f"mul{t} ({matrix(r, t).replace('mul ', f'mul{t} ')}) ({matrix(r, t).replace('mul ', f'mul{t} ')})"
    elif kind < 0.75:
        body = f"map (\\r -> {t}.sum (map2 (*) r q)) ({matrix(r, t).replace('mul ', f'mul{t} ')})"
    elif kind < 0.85:
        body = f"tabulate n (\\i -> loop s = {t}.i64 0 for j < n do if {condition(r, 'i', 'j')} then s + {t}.i64 j else s)"
    else:
        t, q = "f64", "let q = tabulate n (\\i -> f64.i64 (i % 5))"
        f = r.choice(["map (\\v -> v * v)", "(\\x -> map (\\i -> if i == 0 || i == n - 1 then x[i] else x[i - 1] * x[i] * x[i + 1]) (iota n))",
                      "(\\x -> map (\\i -> f64.sum (map2 (*) q (map (* q[i]) x))) (iota n))"])
        seed = f"tabulate n (\\j -> if {condition(r, 'i', 'j')} then 1 else 0)"
        body = f"tabulate n (\\i -> {r.choice(['f64.sum', 'id'])} ({r.choice(['vjp', 'jvp'])} ({f} : [n]f64 -> [n]f64) q ({seed})))"
    return f"entry e{number} (n: i64) (w: i64) = {q} in {body}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--raido", required=True)
    parser.add_argument("--count", type=int, default=20, help="programs, of ten functions each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pipeline", default="cpu")
    options = parser.parse_args()
    findings = compared = 0
    for seed in range(options.seed, options.seed + options.count):
        r = random.Random(seed)
        text = "".join(f"def mul{t} [n] (a: [n][n]{t}) (b: [n][n]{t}) = map (\\r -> map (\\c -> {t}.sum (map2 (*) r c)) (transpose b)) a\n" for t in TYPES)
        text += "".join(entry(r, k) for k in range(10))
        with tempfile.NamedTemporaryFile("w", suffix=".fut") as source, tempfile.NamedTemporaryFile("w", suffix=".ir") as after:
            source.write(text)
            source.flush()
            made = subprocess.run([options.raido, "dev", "-w", source.name, "--pipeline", options.pipeline], capture_output=True, text=True)
            if made.returncode != 0:
                print(f"seed {seed}: {made.stderr}\n{text}")
                findings += 1
                continue
            after.write(made.stdout)
            after.flush()
            for k in range(10):
                for n, w in ((0, 1), (1, 0), (2, -1), (7, 1), (9, r.choice([2, -3, 100, 2**63 - 1, -2**63]))):
                    runs = [subprocess.run([options.raido, "dev", "-w", f, "--run", f"e{k}"], input=f"{n}i64 {w}i64", capture_output=True, text=True)
                            for f in (source.name, after.name)]
                    compared += 1
                    fails = [x.returncode != 0 for x in runs]
                    if fails[0] != fails[1] or (not fails[0] and runs[0].stdout.replace("-0.0", "0.0") != runs[1].stdout.replace("-0.0", "0.0")):
                        findings += 1
                        print(f"seed {seed}, e{k}, {n} {w}:\n{text}\n{[x.stdout[:500] + x.stderr[:300] for x in runs]}")
    print(f"{compared} runs compared, {findings} findings")
    return findings > 0


if __name__ == "__main__":
    sys.exit(main())
