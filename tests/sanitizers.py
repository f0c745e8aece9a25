#!/usr/bin/env python3
"""Generated programs under a sanitizer of clang: races, accesses outside of arrays, undefined behaviour.

usage: sanitizers.py RAIDO BUILD_FOLDER thread|address emulator|multicore|c PROGRAM.fut|FOLDER...

The test blocks of the programs are run by programs compiled with the sanitizer, without the cases tagged `large`; any report
is a failure. The emulator runs device kernels on the CPU; first come the kernels of tests/runtime/kernels.h: the correct ones
must pass, the planted faults that the sanitizer or the emulator can see must be found. Exit code 77: there is no clang (CC says
another one).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
raido, build, kind, target, *programs = sys.argv[1:]
flags = {"thread": "-fsanitize=thread", "address": "-fsanitize=address,undefined -fno-sanitize-recover=undefined"}[kind]
flags += " -g -O0 -Wall -Wextra -Werror"
compiler = os.environ.get("CC") or next((c for c in ("clang-19", "clang") if shutil.which(c)), None)
if compiler is None:
    print("there is no clang here (clang-19): nothing was run")
    sys.exit(1 if os.environ.get("RAIDO_CI") else 77)

folder = pathlib.Path(build) / f"{target}-{kind}"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
common = f":external_symbolizer_path={symbolizer}" if symbolizer else ""
environment = dict(os.environ, CC=compiler, CFLAGS=flags + " -DRAIDO_UNCOUNTED", TSAN_OPTIONS="halt_on_error=1" + common,
                   ASAN_OPTIONS="detect_stack_use_after_return=0:detect_leaks=0" + common, UBSAN_OPTIONS="print_stacktrace=1" + common)
failures = []

# What each fault must lead to: the sanitizer that sees it (None: the emulator itself), exit code, message.
RACE = ("thread", 66, r"data race")
FAULTS = {
    "missing_barrier": RACE, "race_between_blocks": RACE, "plain_beside_atomic": RACE,
    "out_of_bounds": ("address", 1, r"heap-buffer-overflow"), "out_of_shared": ("address", 1, r"use-after-poison"),
    "early_end": (None, 70, r"barrier divergence in early_end, block \d: thread \d+ waits at line \d+, thread 3 has ended"),
    "two_barriers": (None, 70, r"barrier divergence in two_barriers, block \d: thread 63 waits at line \d+, thread 0 at line \d+"),
    "waits_inside": (None, 71, r"deadlock in waits_inside: .* thread 0 of block \d"),
}


def planted_faults():
    executable = folder / "kernels"
    subprocess.run([compiler, "-std=c99", *flags.split(), f"-I{root}", root / "tests/runtime/kernels.c", "-o", executable,
                    "-lm", "-lpthread"], check=True)
    run = subprocess.run([executable, "all"], capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        failures.append(f"the correct kernels: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    for fault, (seen_by, code, message) in FAULTS.items():
        if seen_by not in (None, kind):
            continue
        run = subprocess.run([executable, fault], capture_output=True, text=True, env=environment)
        if run.returncode != code or not re.search(message, run.stderr):
            failures.append(f"{fault} was not found: exit code {run.returncode}\n{run.stdout}{run.stderr}")


# Counted kernels, whose programs are too many to be run here: those of tests/runtime/counts.c.
def counted_kernels():
    executable = folder / "counts"
    subprocess.run([compiler, "-std=c99", *flags.split(), f"-I{root}", root / "tests/runtime/counts.c", "-o", executable, "-lm", "-lpthread"],
                   check=True)
    for sample in ([], ["8"]):
        run = subprocess.run([executable, *sample], capture_output=True, text=True, env=environment)
        if run.returncode != 0:
            failures.append(f"the counted kernels: exit code {run.returncode}\n{run.stdout}{run.stderr}")


if target == "emulator":
    planted_faults()
    counted_kernels()
# A test that expects a failure would take a sanitizer's for it, so reports go to files.
for name in ("TSAN_OPTIONS", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    environment[name] += f":log_path={folder}/report"
backend = ["--backend=cuda", "--pass-compiler-option=--emulate"] if target == "emulator" else [f"--backend={target}"]
if target == "multicore":
    backend.append("--pass-option=--num-threads=9")        # few leave much to one
if (target, kind) == ("emulator", "thread"):
    backend.append("--exclude=first")                      # blocks are threads here: which iteration fails first is chance
run = subprocess.run([raido, "test", *backend, "--pass-compiler-option=--cpu=baseline", "--tolerance=1e-9", "--exclude=large", *programs],
                     capture_output=True, text=True, env=environment)
print(run.stdout)
if run.returncode != 0:
    failures.append("the tests of programs failed: see above\n" + run.stderr)
for report in sorted(folder.glob("report*")):
    failures.append(report.read_text())
for failure in failures:
    print(failure)
sys.exit(len(failures) > 0)
