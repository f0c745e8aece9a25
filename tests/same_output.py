#!/usr/bin/env python3
"""Two builds of the compiler, by different C++ compilers, write the same C and the same kernels for every program: nothing depends
on the order in which arguments are evaluated, on addresses or on hashing.

The backend c shares all its passes with multicore, so it is left out.

usage: same_output.py RAIDO RAIDO PROGRAM.fut|FOLDER...      (imported files without entry points are passed over)
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

compilers, words = sys.argv[1:3], sys.argv[3:]
programs = sorted(f for w in map(pathlib.Path, words) for f in (w.rglob("*.fut") if w.is_dir() else [w]) if "\nentry " in f.read_text())
folder = pathlib.Path(tempfile.mkdtemp(prefix="raido-same-"))
keep = folder / "keep"                                   # in the place of the C compiler: keeps what it is to compile
keep.write_text('#!/bin/sh\nfor a; do case $a in *.c) cp "$a" "$KEPT";; esac; [ "$last" = -o ] && : > "$a"; last=$a; done\n')
keep.chmod(0o755)


def outputs(number, program, backend):
    results = []
    for which, raido in enumerate(compilers):
        kept = folder / f"{number}-{which}.c"
        run = subprocess.run([raido, backend, "-w", program, "-o", kept.with_suffix("")], capture_output=True, text=True,
                             env=dict(os.environ, CC=str(keep), KEPT=str(kept)))
        results.append((run.stdout + run.stderr + (kept.read_text() if kept.exists() else "")).splitlines())
    return results


jobs = [(program, backend) for program in programs for backend in ("multicore", "cuda")]
failed = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for (program, backend), (one, two) in zip(jobs, pool.map(lambda j: outputs(j, *jobs[j]), range(len(jobs)))):
        if one == two:
            continue
        failed += 1
        line = next((i for i, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
        print(f"{program}, backend {backend}, line {line + 1}:")
        for text in (one, two):
            print("  " + (text[line].strip()[:200] if line < len(text) else "(ends)"))
print(f"{len(jobs) - failed} of {len(jobs)} outputs are the same")
for path in folder.iterdir():
    path.unlink()
folder.rmdir()
sys.exit(failed > 0 or not jobs)
