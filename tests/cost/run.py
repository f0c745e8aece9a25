#!/usr/bin/env python3
"""How the work of programs grows: tests/cost/*.fut, counted by the interpreter after the pipeline of the CPU.

usage: run.py RAIDO [NAME.fut...]

A line `-- cost: ENTRY RATIO < INPUT | INPUT` says that the second input takes RATIO times the work of the first, give or take
three tenths; `-- cost: ENTRY < INPUT: ENTRY RATIO` that the second entry point takes at most RATIO times the work of the first.
A line `-- counts: ENTRY < INPUT: NAME COUNT, ..` holds counters exactly: `made` is the bytes of all arrays."""
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
raido = sys.argv[1]
paths = [pathlib.Path(p) for p in sys.argv[2:]] or sorted(here.glob("*.fut"))


def counters(path, entry, values):
    run = subprocess.run([raido, "dev", "-q", "--pipeline", "cpu", f"--counters={entry}", path], input=values, capture_output=True, text=True)
    found = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", run.stdout, re.M)}
    if "work" not in found:
        sys.exit(f"{path.name}: {entry} < {values}: exit code {run.returncode}\n{run.stderr}")
    return found


def work(path, entry, values):
    return counters(path, entry, values)["work"]


checked = failed = 0
for path in paths:
    for line in re.findall(r"^-- cost: (.*)$", path.read_text(), re.M):
        growth = re.fullmatch(r"(\w+) ([\d.]+) < (.*?) \| (.*)", line)
        bound = re.fullmatch(r"(\w+) < (.*): (\w+) ([\d.]+)", line)
        if growth:
            entry, ratio, small, large = growth.groups()
            found = work(path, entry, large) / work(path, entry, small)
            right = float(ratio) / 1.3 <= found <= float(ratio) * 1.3
        elif bound:
            entry, values, other, ratio = bound.groups()
            found = work(path, other, values) / work(path, entry, values)
            right = found <= float(ratio)
        else:
            sys.exit(f"{path.name}: what is `{line}`?")
        checked += 1
        if not right:
            failed += 1
            print(f"{path.name}: {line}: {found:.2f}")
    for entry, values, counts in re.findall(r"^-- counts: (\w+) < (.*): (.*)$", path.read_text(), re.M):
        found = counters(path, entry, values)
        checked += 1
        if counts != ", ".join(f"{name} {found.get(name)}" for name in re.findall(r"[a-z]+", counts)):
            failed += 1
            print(f"{path.name}: {entry} < {values}: {counts}: {found}")
print(f"{checked} costs, {failed} wrong")
sys.exit(failed > 0)
