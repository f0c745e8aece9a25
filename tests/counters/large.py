#!/usr/bin/env python3
"""What benchmark programs do on a device at large sizes: the counts of the emulator from a sample of their blocks, beside what they need at least.

usage: large.py RAIDO [--update] [--long] [--device DEVICE] [--counts FOLDER] [NAME ..]

Each case of cases.py is an entry point and its arguments. tests/counters/large/NAME.txt has its counts, which are held fixed; --update writes them anew.
With --device nothing is compared, and the prediction for that device is printed; --counts keeps the files of counts. NAME: only these cases.
--long: those that take minutes, too.
"""
import argparse
import json
import pathlib
import re
import sys
import tempfile

from cases import CASES, LONG, data_of, run

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
SAMPLE = "16"                                   # blocks of each launch

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("raido", type=pathlib.Path)
parser.add_argument("--update", action="store_true")
parser.add_argument("--long", action="store_true")
parser.add_argument("--device")
parser.add_argument("--counts", type=pathlib.Path)
parser.add_argument("names", nargs="*")
options = parser.parse_intermixed_args()
raido = options.raido.resolve()
unknown = set(options.names) - set(CASES)
if unknown:
    sys.exit(f"there is no case {sorted(unknown)[0]}")


def beside(moved, needed):
    return f"{moved} of {needed} ({moved / needed:.2f})" if needed else f"{moved}"


# Counts as text. A kernel's number says nothing.
def text_of(counts, least):
    kernels = counts["kernels"]
    total = lambda name: sum(k[name] for k in kernels)
    moved = 32 * (total("read_sectors") + total("write_sectors") + total("atomic_sectors"))
    lines = [f"bytes moved {beside(moved, least)}", f"launches {total('launches')}", f"host reads {counts['host']['reads']}"]
    for k in kernels:
        name = re.sub(r"_\d+$", "", k["name"])
        more = "".join(f", {said} {k[counter]}" for said, counter in (
            ("atomics", "atomic_updates"), ("rounds", "atomic_rounds"), ("shared", "shared_requests"), ("shared updates", "shared_updates"), ("conflicts", "shared_conflicts"),
            ("barriers", "barriers"), ("divergent", "divergent_branches")) if k[counter])
        lines.append(f"  {name}: {k['launches']} x, read {beside(32 * k['read_sectors'], k['needed_read_bytes'])}, "
                     f"written {beside(32 * k['write_sectors'], k['needed_written_bytes'])}{more}{', blocks differ' if k['uneven'] else ''}")
    return "\n".join(lines) + "\n"


failed = 0
executables = {}
with tempfile.TemporaryDirectory() as folder:
    for name, (program, entry, arguments, least) in CASES.items():
        if name not in options.names if options.names else name in LONG and not options.long:
            continue
        if program not in executables:
            executables[program] = f"{folder}/{len(executables)}"
            run([raido, "cuda", "--emulate", "-w", root / program, "-o", executables[program]])
        file = options.counts / f"{name}.json" if options.counts else pathlib.Path(folder) / "counts.json"
        run([executables[program], "-e", entry, "--sample", SAMPLE, "--counts-file", file], input=data_of(raido, executables[program], arguments))
        if options.device:
            print(f"\n{name}: {run([raido, 'dev', '--roofline', options.device, file]).decode()}", end="")
            continue
        text, pinned = text_of(json.loads(file.read_text()), least), here / "large" / f"{name}.txt"
        if options.update:
            pinned.write_text(text)
        elif not pinned.exists() or pinned.read_text() != text:
            print(f"{name}: the counts have changed; look why, then run large.py RAIDO --update {name}\n{text}")
            failed += 1
sys.exit(failed > 0)
