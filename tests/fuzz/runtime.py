#!/usr/bin/env python3
"""runtime.py - libFuzzer on what generated programs read: data, tuning files, lines of the server (fuzz_runtime.c), under sanitizers.

    tests/fuzz/runtime.py --raido PATH [--seconds 1200] [--out FINDINGS] [data|tuning|server...]

Each reader has so many seconds. What it stops at stays in FINDINGS, and is a failure. clang is needed.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
READERS = {"data": ([], []), "tuning": ([], ["-DTUNING"]), "server": (["--server"], [])}
DATA = ['[1,2,3i32] [true,false] "abc" [1.5f32, -inf, f32.nan]', "3i8 7u16 -1 18446744073709551615u64 true", "[[1.0,2.0],[3,4]] [[[1i16]]] ",
        "1.5f16 0x1p3 -- c\n f64.nan", "empty([0][3]f64) empty([1][0][2]i16)"]
BINARY = [["[3]i32", "[2]bool", "[3]u8", "[2]f32"], ["[3][2]f64", "[3][2][1]i16"], ["i64"]]
TUNING = ["block_rows=3\n# c\nxx=7\n"]
SERVER = ["""types
entry_points
inputs arrays
outputs shape
restore f a []i32 b []bool
call point p x y
fields point
store f a
free a
project q p x
new r point a b
report
clear
set_tuning_param block_rows 3
tuning_params
rename a b
kind shape
type point
attributes x
index e ps 0
set ps e 0
shape ps
elemtype []point
rank []point
variants shape
construct s shape circle a
variant s
destruct s v w
zip z
""", """restore f n i64
call points ps n
store f ps
index e ps n
project x e x
set ps e n
call shape s y
variant s
call area r s
"""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", required=True)
    parser.add_argument("--seconds", type=int, default=1200)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("readers", nargs="*")
    options = parser.parse_args()
    raido, clang = os.path.abspath(options.raido), shutil.which("clang-19") or shutil.which("clang")
    if clang is None:
        print("runtime: there is no clang here (clang-19): nothing was run")
        return 1 if os.environ.get("RAIDO_CI") else 77
    failures = 0
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:malloc_context_size=4:quarantine_size_mb=16:allocator_release_to_os_interval_ms=100"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shutil.copy(HERE / "runtime.fut", folder)

        def run(*argv):
            return subprocess.run(argv, cwd=folder, capture_output=True, env=environment)

        binary = [run(raido, "dataset", "-b", *[word for kind in kinds for word in ("-g", kind)]).stdout for kinds in BINARY]
        seeds = {"data": [text.encode() for text in DATA] + binary, "tuning": [text.encode() for text in TUNING],
                 "server": [line.encode() + b"\0" + data for line in SERVER for data in binary]}
        for reader in options.readers or READERS:
            form, defines = READERS[reader]
            made = run(raido, "c", "-w", "--cpu=baseline", *form, "runtime.fut", "-o", reader)
            built = run(clang, "-std=gnu99", "-g", "-O1", "-w", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined", *defines, f'-DPROGRAM="{reader}.c"',
                        "-I.", str(HERE / "fuzz_runtime.c"), "-o", f"fuzz_{reader}", "-lm", "-lpthread")
            if made.returncode or built.returncode:
                print((made.stderr + built.stderr).decode(), file=sys.stderr)
                return 1
            corpus = folder / f"{reader}_seeds"
            corpus.mkdir()
            for k, seed in enumerate(seeds[reader]):
                (corpus / str(k)).write_bytes(seed)
            out = options.out or folder
            out.mkdir(exist_ok=True)
            done = run(f"./fuzz_{reader}", f"-max_total_time={options.seconds}", "-close_fd_mask=3", "-malloc_limit_mb=0", "-rss_limit_mb=4000", "-max_len=3000", "-timeout=20",
                       f"-artifact_prefix={out.resolve()}/{reader}_", str(corpus))
            text = done.stderr.decode(errors="replace")
            executed = [line for line in text.splitlines() if line.startswith("Done ")]
            print(f"{reader}: {executed[-1] if executed else text[-3000:]}")
            failures += done.returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
