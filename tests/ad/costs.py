#!/usr/bin/env python3
"""Costs of derivatives: runs the functions of costs.fut at three sizes on the interpreter, behind the common passes, which
counts scalar operations, bytes copied, bytes of new arrays and the bytes needed at once, and compares the growth from the
second size to the third with the exponents that the functions promise."""
import argparse
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def counters(options, entry, n):
    result = subprocess.run([options.raido, "dev", "-w", options.file, "--pipeline", options.pipeline, "--counters", entry],
                            input=str(n), capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{entry}: exit {result.returncode}\n{result.stderr}")
    return {name: int(count) for name, count in (line.split() for line in result.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--raido", required=True)
    parser.add_argument("--pipeline", default="common")
    parser.add_argument("--file", default=os.path.join(HERE, "costs.fut"))
    parser.add_argument("entries", nargs="*")
    options = parser.parse_args()
    with open(options.file) as source:
        promises = re.findall(r"^-- cost: (\w+) ([\d.]+) ([\d.]+)(?: \[(.*)\])?$", source.read(), re.M)
    failures = 0
    for entry, time, memory, sizes in promises:
        if options.entries and entry not in options.entries:
            continue
        small, _, large = [int(n) for n in sizes.split(",")] if sizes else [16, 64, 256]
        middle = [int(n) for n in sizes.split(",")][1] if sizes else 64
        a, b = counters(options, entry, middle), counters(options, entry, large)
        got = {"time": [x["work"] + (x["bytes"] + x["made"]) // 8 for x in (a, b)], "memory": [x["peak"] for x in (a, b)]}
        for what, promised in (("time", time), ("memory", memory)):
            exponent = math.log(got[what][1] / got[what][0]) / math.log(large / middle)
            bad = exponent > float(promised) + 0.15
            failures += bad
            if bad or options.entries:
                print(f"{entry}: {what} {got[what][0]} at {middle}, {got[what][1]} at {large}: exponent {exponent:.2f}, promised {promised}")
    print(f"{len(promises)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
