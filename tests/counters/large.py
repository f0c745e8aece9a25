#!/usr/bin/env python3
"""What benchmark programs do on a device at large sizes: the counts of the emulator from a sample of their blocks, beside what they need at least.

usage: large.py RAIDO [--update] [--device DEVICE] [--counts FOLDER] [NAME ..]

Each case below is an entry point and its arguments. tests/counters/large/NAME.txt has its counts, which are held fixed; --update writes them anew.
With --device nothing is compared, and the prediction for that device is printed; --counts keeps the files of counts. NAME: only these cases.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
SAMPLE = "16"                                   # blocks of each launch
N = 1 << 24

# name: program, entry point, arguments, the bytes that the whole must move at least (what it is given, and what it returns)
# Arguments are types for `raido dataset`, or numbers for the entry point of the program that makes its arguments.
PRIMITIVES = "tests/counters/large/primitives.fut"
CASES = {
    "sum": (PRIMITIVES, "sum", [f"[{N}]f64"], 8 * N),
    "sum_f32": (PRIMITIVES, "sum_f32", [f"[{N}]f32"], 4 * N),
    "squares": (PRIMITIVES, "squares", [f"[{N}]f64"], 16 * N),
    "prefix_sums": (PRIMITIVES, "prefix_sums", [f"[{N}]f64"], 16 * N),
    "sums_of_long_rows": (PRIMITIVES, "sums_of_rows", ["[16][1048576]f64"], 8 * N),
    "sums_of_rows": (PRIMITIVES, "sums_of_rows", ["[4096][4096]f64"], 8 * N),
    "sums_of_short_rows": (PRIMITIVES, "sums_of_rows", ["[2097152][8]f64"], 9 * N),
    "histogram_10": (PRIMITIVES, "histogram", ["--i64-bounds=0:1000000000", "10i64", "[4194304]i64", "[4194304]f64"], 4 * N),
    "histogram_100000": (PRIMITIVES, "histogram", ["--i64-bounds=0:1000000000", "100000i64", "[4194304]i64", "[4194304]f64"], 4 * N + 800000),
    "gathered": (PRIMITIVES, "gathered", ["--i64-bounds=0:1000000000", "[4194304]i64", "[4194304]f64"], 6 * N),
    "filtered": ("benchmarks/primitives/moves.fut", "filtered", ["--f64-bounds=0:2", "[4194304]f64"], 3 * N),
    "parted": ("benchmarks/primitives/moves.fut", "parted", ["--f64-bounds=0:2", "[4194304]f64"], 4 * N),
    "transposed": ("benchmarks/primitives/moves.fut", "transposed", ["[4096][4096]f64"], 16 * N),
    "transposed_f32": ("benchmarks/primitives/moves.fut", "transposed_f32", ["[4096][4096]f32"], 8 * N),
    "turned": ("benchmarks/primitives/moves.fut", "turned", ["[256][256][256]f64"], 16 * N),
    "mandelbrot": ("benchmarks/primitives/lanes.fut", "mandelbrot", ["2048i64"], 4 * 2048 * 2048),
    "dot_jacobian": ("benchmarks/lagrad/micro.fut", "dot_jacobian", [f"[{N // 4}]f64", f"[{N // 4}]f64"], 4 * N),
    "matvec": ("benchmarks/lagrad/micro.fut", "matvec_objective", ["[4096][4096]f64", "[4096]f64"], 8 * N),
    "vecmat": ("benchmarks/lagrad/micro.fut", "vecmat_objective", ["[4096]f64", "[4096][4096]f64"], 8 * N),
    "matmul": ("benchmarks/lagrad/micro.fut", "matmul_objective", ["[4096][4096]f64", "[4096][4096]f64"], 24 * N),
    "matmul_jacobian": ("benchmarks/lagrad/micro.fut", "matmul_jacobian", ["[2048][2048]f64", "[2048][2048]f64"], 6 * N),
    "gmm": ("benchmarks/adbench/gmm.fut", "calculate_objective", [32, 100, 1000], None),
    "gmm_jacobian": ("benchmarks/adbench/gmm.fut", "calculate_jacobian", [32, 100, 1000], None),
    "lstm_jacobian": ("benchmarks/adbench/lstm.fut", "calculate_jacobian", [2, 64, 1024], None),
    "ba_jacobian": ("benchmarks/adbench/ba.fut", "calculate_jacobian", [500, 20000, 200000], None),
    "hand_jacobian": ("benchmarks/adbench/hand.fut", "calculate_jacobian", [1000, 10000], None),
    "kmeans_jacobian": ("benchmarks/sc22/kmeans.fut", "calculate_jacobian", [64, 100000, 16], None),
    "batch_lstm_jacobian": ("benchmarks/sc22/lstm.fut", "calculate_jacobian", [256, 4, 80, 256], None),
    "xsbench": ("benchmarks/sc22/xsbench.fut", "calculate_objective", [1000, 10000], None),
    "mlp_jacobian": ("benchmarks/lagrad/mlp.fut", "calculate_jacobian", [784, 512, 10, 1024], None),
    "lse_jacobian": ("benchmarks/gradbench/lse.fut", "calculate_jacobian", [1000000], None),
    "mttkrp_jacobian": ("benchmarks/tapeflow/mttkrp.fut", "calculate_jacobian", [64, 64, 64, 32], None),
    "gravity_jacobian": ("benchmarks/tapeflow/gravity.fut", "calculate_jacobian", [4096], None),
}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("raido", type=pathlib.Path)
parser.add_argument("--update", action="store_true")
parser.add_argument("--device")
parser.add_argument("--counts", type=pathlib.Path)
parser.add_argument("names", nargs="*")
options = parser.parse_intermixed_args()
raido = options.raido.resolve()
unknown = set(options.names) - set(CASES)
if unknown:
    sys.exit(f"there is no case {sorted(unknown)[0]}")


def run(arguments, **more):
    done = subprocess.run(arguments, capture_output=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return done.stdout


# The arguments of a case in binary form.
def data_of(executable, arguments):
    if isinstance(arguments[0], int):
        return run([executable, "-b", "-e", "inputs"], input=" ".join(f"{a}i64" for a in arguments).encode())
    made = ["--seed=1"]
    for a in arguments:
        made += [a] if a.startswith("--") else ["-g", a]
    return run([raido, "dataset", "-b", *made])


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
            ("atomics", "atomic_updates"), ("rounds", "atomic_rounds"), ("shared", "shared_requests"), ("conflicts", "shared_conflicts"),
            ("barriers", "barriers"), ("divergent", "divergent_branches")) if k[counter])
        lines.append(f"  {name}: {k['launches']} x, read {beside(32 * k['read_sectors'], k['needed_read_bytes'])}, "
                     f"written {beside(32 * k['write_sectors'], k['needed_written_bytes'])}{more}{', blocks differ' if k['uneven'] else ''}")
    return "\n".join(lines) + "\n"


failed = 0
executables = {}
with tempfile.TemporaryDirectory() as folder:
    for name, (program, entry, arguments, least) in CASES.items():
        if options.names and name not in options.names:
            continue
        if program not in executables:
            executables[program] = f"{folder}/{len(executables)}"
            run([raido, "opencl", "--emulate", "-w", root / program, "-o", executables[program]])
        file = options.counts / f"{name}.json" if options.counts else pathlib.Path(folder) / "counts.json"
        run([executables[program], "-e", entry, "--sample", SAMPLE, "--counts-file", file], input=data_of(executables[program], arguments))
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
