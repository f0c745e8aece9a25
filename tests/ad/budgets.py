#!/usr/bin/env python3
"""Checks gradients of budgets.fut under --ad-memory, after the passes for one thread, for threads and for devices, on the
interpreter. The bytes needed at once are within what the program promises. The result is that without a budget,
but that a sum may be made in another order. The code is no more than a few times as long. Prints the bytes beside those without a budget."""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PIPELINES = "cpu", "multicore", "gpu"
LONGER = 6                                            # three versions, each with the body for both sweeps, and those that run again


def compiled(raido, file, pipeline, folder, budget):
    made = subprocess.run([raido, "dev", "-w", file, "--pipeline", pipeline, *([f"--ad-memory={budget}"] if budget else [])],
                          capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(f"{pipeline}, {budget}:\n{made.stderr}")
    name = os.path.join(folder, f"{pipeline}_{budget}.ir")
    with open(name, "w") as out:
        out.write(made.stdout)
    return name


def run(raido, program, what, entry, args):
    result = subprocess.run([raido, "dev", program, what, entry], input=args, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{program} {entry}: exit {result.returncode}\n{result.stderr}")
    return result.stdout


NUMBER = re.compile(r"-?\d[\d.]*(?:e-?\d+)?(?=f64)")


def same(got, want):
    numbers, wanted = (list(map(float, NUMBER.findall(text))) for text in (got, want))
    return (numbers != [] and NUMBER.sub("", got) == NUMBER.sub("", want)
            and all(math.isclose(a, b, rel_tol=1e-13) for a, b in zip(numbers, wanted)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raido", required=True)
    parser.add_argument("--file", default=os.path.join(HERE, "budgets.fut"))
    options = parser.parse_args()
    with open(options.file) as file:
        promises = re.findall(r"^-- memory: (\w+) (\d+)((?: \d+)+) \| (.*)$", file.read(), re.M)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for pipeline in PIPELINES:
            plain = compiled(options.raido, options.file, pipeline, folder, 0)
            programs = {}
            for entry, base, budgets, args in promises:
                def peak(program):
                    return int(re.search(r"^peak\s+(\d+)", run(options.raido, program, "--counters", entry, args), re.M).group(1))
                want, without = run(options.raido, plain, "--run", entry, args), peak(plain)
                for budget in map(int, budgets.split()):
                    if budget not in programs:
                        programs[budget] = compiled(options.raido, options.file, pipeline, folder, budget)
                    program = programs[budget]
                    got, most, lines = run(options.raido, program, "--run", entry, args), peak(program), os.path.getsize(program) / os.path.getsize(plain)
                    bad = not same(got, want) or most > int(base) + budget or lines > LONGER
                    failures += bad
                    print(f"{'FAILED ' if bad else ''}{pipeline} {entry}: {most} bytes under {budget}, {without} without; "
                          f"{'the same result' if same(got, want) else f'{got} and not {want}'}, code {lines:.1f} times as long")
    print(f"{len(promises)} gradients, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
