#!/usr/bin/env python3
"""The performance shape of device programs: kernels, copies and bytes of a run on the emulator.

usage: counters.py RAIDO [--update]

Each tests/counters/NAME.fut has one `-- run: ENTRY < INPUT` line; NAME.txt has the counts that are held fixed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
raido, update = sys.argv[1], "--update" in sys.argv
failed = 0
for path in sorted(here.glob("*.fut")):
    entry, data = re.search(r"^-- run: (\w+) < (.*)$", path.read_text(), re.M).groups()
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        made = subprocess.run([raido, "opencl", "--emulate", "-w", path, "-o", program], capture_output=True, text=True)
        run = made if made.returncode else subprocess.run([program, "-e", entry, "-n"], input=data, capture_output=True, text=True)
    if run.returncode != 0:
        print(f"{path.name}: exit code {run.returncode}\n{run.stderr}")
        failed += 1
        continue
    want = path.with_suffix(".txt")
    if update:
        want.write_text(run.stderr)
    elif not want.exists() or want.read_text() != run.stderr:
        print(f"{path.name}: the counts have changed; look why, then run counters.py RAIDO --update\n{run.stderr}")
        failed += 1
sys.exit(failed > 0)
