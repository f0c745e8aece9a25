#!/usr/bin/env python3
"""Times the way from a benchmark program to an executable: ours, and a peer's, which has the same command words.

    benchmarks/compile.py [--raido build/release/raido] [--peer PATH] [--only gmm,tapeflow]

For each program the seconds on the clock, those of all processors, and of these what the compiler itself takes without the C compiler; each
is the least of two. Ours has three versions for processors, which it compiles at once where there is more than one.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--raido", default=here.parent / "build/release/raido", type=pathlib.Path)
parser.add_argument("--peer", type=pathlib.Path)
parser.add_argument("--only", default="", help="folders and programs to compile (default: all)")
options = parser.parse_args()


def seconds(compiler, program, out, cc):
    """On the clock and of all processors, or nothing if it does not compile the program."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run([compiler, "c", program, "-o", out], capture_output=True, env=dict(os.environ, **({"CC": cc} if cc else {})))
    clock, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return (clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) if run.returncode == 0 else None


def least(*arguments):
    runs = [seconds(*arguments) for _ in range(2)]
    return tuple(map(min, zip(*runs))) if all(runs) else None


compilers = [("raido", options.raido.resolve())] + ([("peer", options.peer)] if options.peer else [])
print(f"{'seconds':34}" + "".join(f"{who:>8}{'of all':>8}{'itself':>8}" for who, _ in compilers) + (f"{'peer/raido':>12}" if options.peer else ""))
with tempfile.TemporaryDirectory() as folder:
    for program in sorted(p for p in here.glob("*/*.fut") if "\nentry " in p.read_text()):
        name = str(program.relative_to(here).with_suffix(""))
        if options.only and not any(word in (name, *name.split("/")) for word in options.only.split(",")):
            continue
        rows = []
        for _, compiler in compilers:
            whole = least(compiler, program, f"{folder}/out", None)
            rows.append(whole and (*whole, least(compiler, program, f"{folder}/out", str(here.parent / "tests/no_compiler"))[1]))
        line = "".join("".join(f"{t:8.2f}" for t in row) if row else f"{'fails':>24}" for row in rows)
        print(f"{name:34}{line}" + (f"{rows[1][0] / rows[0][0]:12.2f}" if len(rows) > 1 and all(rows) else ""), flush=True)
