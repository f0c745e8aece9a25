#!/usr/bin/env python3
"""Checks the costs of derivatives. It runs the functions of costs.fut at three sizes on the interpreter, after the common
passes. The interpreter counts scalar operations, bytes copied, bytes of new arrays and the bytes needed at once. The growth from
the second size to the third is compared with the exponents that the functions promise. Of schedules it checks how often the body
ran, by the work beyond that of the plain derivative. It also checks that the result is the same to the last bit. So it does with
loops under --ad-memory, whose memory it compares with the option as well. Of two functions that promise to be the same it
compares the work and the results. With --pipeline it does so after other passes: there the growth and the schedules, not
the limits of --ad-memory."""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_program(options, target, *more):
    made = subprocess.run([options.raido, "dev", "-w", options.file, "--pipeline", options.pipeline, *more], capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(made.stderr)
    target.write(made.stdout)
    target.flush()


def counters(options, entry, *args):
    result = subprocess.run([options.raido, "dev", options.compiled, "--counters", entry],
                            input=" ".join(map(str, args)), capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{entry}: exit {result.returncode}\n{result.stderr}")
    return {name: int(count) for name, count in (line.split() for line in result.stdout.splitlines())}


def value(options, entry, *args):
    result = subprocess.run([options.raido, "dev", options.compiled, "--run", entry], input=" ".join(map(str, args)),
                            capture_output=True, text=True)
    return result.stdout or result.stderr


def executions(kind, k, n):
    """How often the body runs in the derivative, whose value alone is wanted."""
    if kind == "stripmine":
        return (k + 1) * n
    beta, r = 1, 0                                    # C(k + r, k)
    while beta < n:
        r += 1
        beta = math.comb(k + r, k)
    return (r * n - math.comb(k + r, k + 1) if r else 0) + n


def work(options, name, n):                           # that is in proportion to the cost of the body
    return counters(options, name, n, 3)["work"] - counters(options, name, n, 2)["work"]


def schedules(options, source):
    failures = 0
    promises = re.findall(r"^-- schedule: (\w+) (\w+) (\w+) (\d+)$", source, re.M)
    for entry, plain, kind, k in promises:
        if options.entries and entry not in options.entries:
            continue
        for n in (1, 2, 5, 9, 40):
            got = (work(options, entry, n) - work(options, plain, n)) / (work(options, "body", 100) / 100) + 2 * n
            want = executions(kind, int(k), n)
            if abs(got - want) > 1e-6:
                failures += 1
                print(f"{entry}: the body runs {got:.2f} times for n = {n}, not {want}")
            if value(options, entry, n, 2) != value(options, plain, n, 2):
                failures += 1
                print(f"{entry}: {value(options, entry, n, 2)} for n = {n}, but {plain} gives {value(options, plain, n, 2)}")
    return len(promises), failures


RUNS = 10                                             # budget_runs and budget_few_states of compiler/ir/costs.h
FEW_STATES = 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64
STEP = 8                                              # bytes beside each kept state: the number of its iteration


def kept(n, k, state, inner, limit):
    """How many states are kept under --ad-memory=LIMIT of n, each of STATE bytes, where loops inside record k times INNER bytes. None: all
    are recorded."""
    few = next(c for c in FEW_STATES if math.comb(c + RUNS, c) >= n)
    if n < 2 or n * state + k * inner <= max(limit, few * (state + STEP) + k * inner):
        return None
    return max(few, min(n, (limit - k * inner) // (state + STEP)))


def budgets(options, source):
    """`-- budget: NAME BODY STATE INNER BYTES..`: each state has STATE bytes, each iteration of the loops inside has INNER bytes. With
    --ad-memory=BYTES, NAME keeps what fits and does the work of BODY as often as that takes. Of the second argument k the body does k times
    its work."""
    failures, counted, plain = 0, 0, options.compiled
    for entry, body, state, inner, limits in re.findall(r"^-- budget: (\w+) (\w+) (\d+) (\d+)((?: \d+)+)$", source, re.M):
        if options.entries and entry not in options.entries:
            continue
        state, inner = int(state), int(inner)
        for limit in map(int, limits.split()):
            counted += 1
            with tempfile.NamedTemporaryFile("w", suffix=".ir") as compiled:
                options.compiled = plain
                compile_program(options, compiled, f"--ad-memory={limit}")
                for n in (0, 1, 2, 9, 40, 130):
                    def runs(k):
                        c = kept(n, k, state, inner, limit)
                        return 2 * n if c is None else executions("checkpoint", c, n)
                    options.compiled = plain
                    want, before, once = value(options, entry, n, 2), work(options, entry, n), work(options, body, 100) / 100
                    options.compiled = compiled.name
                    got, often = value(options, entry, n, 2), (work(options, entry, n) - before) / once + 2 * n
                    peak, c = counters(options, entry, n, 2)["peak"], kept(n, 2, state, inner, limit)
                    most = (n * state if c is None else c * (state + STEP)) + 2 * inner
                    if runs(2) != runs(3):
                        raise SystemExit(f"{entry} --ad-memory={limit}: choose a limit with which as many states are kept for k = 2 and k = 3")
                    if got != want or abs(often - runs(2)) > 1e-6 or peak > most + 3 * state:
                        failures += 1
                        print(f"{entry} --ad-memory={limit}, n = {n}: {got}, {often:.2f} executions, {peak} bytes; not {want}, {runs(2)}, {most}")
    options.compiled = plain
    return counted, failures


def same(options, source):
    """`-- same: NAME PLAIN..`: NAME does the work of PLAIN, or less, and gives the same."""
    failures = 0
    promises = re.findall(r"^-- same: (\w+) (\w+)$", source, re.M)
    for entry, plain in promises:
        if options.entries and entry not in options.entries:
            continue
        for n in (1, 7, 50):
            works, values = ([f(options, name, n) for name in (entry, plain)]
                             for f in (lambda *args: counters(*args)["work"], value))
            if works[0] > works[1] or values[0] != values[1]:
                failures += 1
                print(f"{entry}, n = {n}: work {works[0]}, result {values[0].strip()}; {plain}: {works[1]}, {values[1].strip()}")
    return len(promises), failures


def ratios(options, source):
    """`-- ratio: NAME PLAIN MOST`: NAME does at most so many times the work of PLAIN."""
    failures = 0
    promises = re.findall(r"^-- ratio: (\w+) (\w+) ([\d.]+)$", source, re.M)
    for entry, plain, most in promises:
        if options.entries and entry not in options.entries:
            continue
        ratio = counters(options, entry, 40)["work"] / counters(options, plain, 40)["work"]
        bad = ratio > float(most)
        failures += bad
        if bad or options.entries:
            print(f"{entry}: {ratio:.2f} times the work of {plain}, promised {most}")
    return len(promises), failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--raido", required=True)
    parser.add_argument("--pipeline", default="common")
    parser.add_argument("--file", default=os.path.join(HERE, "costs.fut"))
    parser.add_argument("entries", nargs="*")
    options = parser.parse_args()
    with open(options.file) as file:
        source = file.read()
    with tempfile.NamedTemporaryFile("w", suffix=".ir") as compiled:
        compile_program(options, compiled)
        options.compiled = compiled.name
        return check(options, source)


def check(options, source):
    promises = re.findall(r"^-- cost: (\w+) ([\d.]+) ([\d.]+)(?: \[(.*)\])?((?: \d+)*)$", source, re.M)
    counted, failures = schedules(options, source)
    limits, more_failures = budgets(options, source) if options.pipeline == "common" else (0, 0)
    pairs, different = same(options, source)
    factors, dearer = ratios(options, source)
    failures += more_failures + different + dearer
    for entry, time, memory, sizes, more in promises:
        if options.entries and entry not in options.entries:
            continue
        middle, large = [int(n) for n in sizes.split(",")][1:] if sizes else [64, 256]
        a, b = counters(options, entry, middle, *more.split()), counters(options, entry, large, *more.split())
        got = {"time": [x["work"] + (x["bytes"] + x["made"]) // 8 for x in (a, b)], "memory": [max(x["peak"], 1) for x in (a, b)]}
        for what, promised in (("time", time), ("memory", memory)):
            exponent = math.log(got[what][1] / got[what][0]) / math.log(large / middle)
            bad = exponent > float(promised) + 0.15
            failures += bad
            if bad or options.entries:
                print(f"{entry}: {what} {got[what][0]} at {middle}, {got[what][1]} at {large}: exponent {exponent:.2f}, promised {promised}")
    print(f"{len(promises)} programs, {counted} schedules, {pairs} pairs, {factors} ratios, {limits} limits, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
