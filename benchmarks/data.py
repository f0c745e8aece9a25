#!/usr/bin/env python3
"""How fast executables read and write data, and how much memory they take for it, beside `read` and `write` and a peer.

    benchmarks/data.py [--raido PATH] [--peer PATH] [--mib 64] [--turns 3] [f64 i32 ..]

One program reads an array of each type, as text and as binary data, and gives its length. Another gives the array back. All take turns in one
run, and the best turn of each counts. Writing is what the second program takes longer than the first, with binary data in both. The limit is
what `read` into one block and `write` from it take, for a file that is in memory. `in and out` divides the bytes read by the whole time. The last column is the most memory that was resident
beside the array itself, without what a program takes for one element."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = {"f64": 8, "f32": 4, "i64": 8, "i32": 4, "u8": 1}
PROGRAM = "".join(f"entry {t}_length (xs: []{t}): i64 = length xs\nentry {t}_back (xs: *[]{t}): *[]{t} = xs\n" for t in SIZES)
# The system calls that binary data need at least: `read N` gives its standard input to one block of memory, `write N` also takes it from there.
# `run COMMAND ..` tells on standard error how much memory a command took at most, in KiB: a large process cannot, since its own counts.
LIMIT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (strcmp(argv[1], "run") == 0) {
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (child == 0) execv(argv[2], argv + 2);
    if (child <= 0 || wait4(child, &status, 0, &usage) != child) return 1;
    fprintf(stderr, "%ld\n", usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  size_t n = strtoull(argv[2], NULL, 10), have = 0, gone = 0;
  char *p = malloc(n);
  if (argc != 3 || p == NULL) return 1;
  for (ssize_t k; have < n && (k = read(0, p + have, n - have)) > 0;) have += (size_t)k;
  for (ssize_t k; argv[1][0] == 'w' && gone < have && (k = write(1, p + gone, have - gone)) > 0;) gone += (size_t)k;
  return have != n || (argv[1][0] == 'w' && gone != n);
}
"""


def timed(folder, command, given, out):
    """Seconds of the command, and the most that was resident, in bytes."""
    with open(given, "rb") as file, open(out, "wb") as to:
        begin = time.perf_counter()
        done = subprocess.run([folder / "limit", "run", *command], stdin=file, stdout=to, stderr=subprocess.PIPE, text=True)
        seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return seconds, int(done.stderr.split()[-1]) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", default=ROOT / "build/release/raido", type=pathlib.Path)
    parser.add_argument("--peer", type=pathlib.Path)
    parser.add_argument("--mib", type=int, default=64, help="MiB of each array")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("types", nargs="*", help=", ".join(SIZES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "data.fut").write_text(PROGRAM)
        (folder / "limit.c").write_text(LIMIT)
        subprocess.run(["cc", "-O2", "limit.c", "-o", "limit"], cwd=folder, check=True)
        compilers = {"raido": options.raido.resolve()} | ({"peer": options.peer.resolve()} if options.peer else {})
        for name, compiler in compilers.items():
            subprocess.run([compiler, "c", "-w", "data.fut", "-o", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        print(f"{options.mib} MiB in each array, the best of {options.turns} turns. MB/s of the file.\n")
        print("| data | who | in MB/s | out MB/s | in and out | memory |\n|---|---|---|---|---|---|")
        for t in options.types or SIZES:
            with open(folder / "one", "wb") as to:
                subprocess.run([compilers["raido"], "dataset", "-b", "-g", f"[1]{t}"], stdout=to, check=True)
            with open(folder / "binary", "wb") as to:
                subprocess.run([compilers["raido"], "dataset", "-b", "-g", f"[{(options.mib << 20) // SIZES[t]}]{t}"], stdout=to, check=True)
            with open(folder / "binary", "rb") as given, open(folder / "text", "wb") as to:
                subprocess.run([compilers["raido"], "dataset"], stdin=given, stdout=to, check=True)
            for form in ("binary", "text"):
                measure(folder, t, form, list(compilers), options)


def measure(folder, t, form, names, options):
    """A row for each program."""
    binary, given, out = folder / "binary", folder / form, folder / "out"
    size = binary.stat().st_size
    times, most = {}, {}

    def turn(name, what, command, source):
        seconds, memory = timed(folder, command, source, out)
        times[name, what] = min(times.get((name, what), seconds), seconds)
        most[name] = max(most.get(name, 0), memory)

    for _ in range(options.turns):
        for name in names:
            entry, shape = [folder / name, "-e"], ["-b"] * (form == "binary")
            turn(name, "in", entry + [f"{t}_length"], given)
            turn(name, "length", entry + [f"{t}_length"], binary)
            turn(name, "back", entry + [f"{t}_back"] + shape, binary)
            written = out.stat().st_size
        if form == "binary":
            for what, how in ("in", "read"), ("length", "read"), ("back", "write"):
                turn("read, write", what, [folder / "limit", how, str(size)], binary)
    for name in (["read, write"] if form == "binary" else []) + names:
        _, little = (0, 0) if name not in names else timed(folder, [folder / name, "-e", f"{t}_length"], folder / "one", out)
        memory = "" if name not in names else f"{100 * ((most[name] - little) / size - 1):.0f} %"
        both = f"{size / times[name, 'back'] / 1e6:.0f}" if form == "binary" else ""
        rate = written / max(times[name, "back"] - times[name, "length"], 1e-9) / 1e6
        print(f"| {t}, {form} | {name} | {given.stat().st_size / times[name, 'in'] / 1e6:.0f} | {rate:.0f} | {both} | {memory} |", flush=True)


main()
