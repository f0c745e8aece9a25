#!/usr/bin/env python3
"""The performance shape of device programs: kernels, copies and bytes of a run on the emulator.

usage: counters.py RAIDO [--update]

Each tests/counters/NAME.fut has `-- run: ENTRY < INPUT` lines; NAME.txt has the counts of these runs, which are held fixed.
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
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        made = subprocess.run([raido, "cuda", "--emulate", "-w", path, "-o", program], capture_output=True, text=True)
        runs = [made]
        for entry, data in re.findall(r"^-- run: (\w+) < (.*)$", path.read_text(), re.M) if made.returncode == 0 else []:
            runs.append(subprocess.run([program, "-e", entry, "-n"], input=data, capture_output=True, text=True))
    wrong = [r for r in runs if r.returncode != 0]
    counts = "".join(r.stderr for r in wrong or runs[1:])
    if wrong:
        print(f"{path.name}: exit code {wrong[0].returncode}\n{counts}")
        failed += 1
        continue
    want = path.with_suffix(".txt")
    if update:
        want.write_text(counts)
    elif not want.exists() or want.read_text() != counts:
        print(f"{path.name}: the counts have changed; look why, then run counters.py RAIDO --update\n{counts}")
        failed += 1
sys.exit(failed > 0)
