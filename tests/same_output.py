#!/usr/bin/env python3
"""Two builds of the compiler, by different compilers, make the same program of every source: nothing depends on the order in which
C++ evaluates arguments, on addresses or on hashing.

usage: same_output.py RAIDO RAIDO PROGRAM.fut|FOLDER...
"""
import concurrent.futures
import pathlib
import subprocess
import sys

compilers, words = sys.argv[1:3], sys.argv[3:]
programs = sorted(f for w in map(pathlib.Path, words) for f in (w.rglob("*.fut") if w.is_dir() else [w]))


def outputs(job):
    program, pipeline = job
    results = []
    for raido in compilers:
        run = subprocess.run([raido, "dev", "-w", "--no-verify", f"--pipeline={pipeline}", program], capture_output=True, text=True)
        results.append((run.returncode, run.stdout + run.stderr))
    return results


jobs = [(program, pipeline) for program in programs for pipeline in ("cpu", "gpu")]
failed = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for (program, pipeline), (one, two) in zip(jobs, pool.map(outputs, jobs)):
        if one == two:
            continue
        failed += 1
        print(f"{program}, pipeline {pipeline}:")
        lines = zip(one[1].splitlines(), two[1].splitlines())
        for number, (a, b) in enumerate(lines, 1):
            if a != b:
                print(f"  line {number}: {a.strip()}\n  and:{' ' * len(str(number))}    {b.strip()}")
                break
        else:
            print(f"  one output ends before the other; exit codes {one[0]} and {two[0]}")
print(f"{len(jobs) - failed} of {len(jobs)} outputs are the same")
sys.exit(failed > 0 or not jobs)
