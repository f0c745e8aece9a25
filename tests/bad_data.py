#!/usr/bin/env python3
"""What an executable says to data that do not fit its parameters: the line that tools know, then which argument, what was
expected and what came; exit status 1 and nothing on standard output. On OpenCL also what it says to kernels that were compiled for other blocks.

    tests/bad_data.py build/release/raido [BACKEND...]"""
import subprocess
import sys
import tempfile

PROGRAM = r"""
entry mixed (x: i32) (ys: []f64) (zs: [][]i64) = (x, ys, zs)
entry pair [n] (a: [n]i32) (b: [n]i32) = map2 (+) a b
entry fixed (a: [3]i32) = a[0]
entry kept (n: i64) = (filter (> 3) (map (\i -> i * i) (iota n)))[0]
"""
ARRAY, SCALAR, SIZES = "Cannot read input #{} of type {} ", "Error when reading input #{} of type {} ", "Error: entry point arguments have invalid sizes."
CASES = [
    ("mixed", "", SCALAR.format(0, "i32"), "Argument `x`: expected a value of type i32, but the input ended."),
    ("mixed", "3i64 [1] [[1]]", SCALAR.format(0, "i32"), "Argument `x`: expected a value of type i32, but got `3i64`."),
    ("mixed", "3 5", ARRAY.format(1, "[]f64"), "Argument `ys`: expected `[` of an array, but got `5`."),
    ("mixed", "3 [1 2] [[1]]", ARRAY.format(1, "[]f64"), "Argument `ys`: expected `,` or `]` after element 0, but got `2`."),
    ("mixed", "3 [1, x] [[1]]", ARRAY.format(1, "[]f64"), "Argument `ys`: expected an element of type f64, but got `x`."),
    ("mixed", "3 [1] [[1, 2], [3]]", ARRAY.format(2, "[][]i64"),
     "Argument `zs`: expected rows of the same length, 2 as in the first, but got `1`."),
    ("mixed", "3 [1] []", ARRAY.format(2, "[][]i64"),
     "Argument `zs`: expected rows, or `empty([0]..i64)` with all dimensions, but got `[]`."),
    ("mixed", "3 [1] [[1]] 4", "Expected EOF on stdin after reading input for \"mixed\".", ""),
    ("pair", "[1, 2] [1, 2, 3]", SIZES, "Argument `b`: dimension 0 should be 2, but is 3."),
    ("fixed", "b\x02\x01 i32" + 8 * "\xff", "binary-input: Failed to allocate array of size -4.", ""),
    ("mixed", "b\x02\x00 i32" + 2 * "\x01", SCALAR.format(0, "i32"), "Argument `x`: expected a value of type i32, but the input ended."),
    ("fixed", "[1, 2]", SIZES, "Argument `a`: dimension 0 should be 3, but is 2."),
]
NUMBERS = [("0" * 300 + "5", "5f64"), ("0." + "0" * 40 + "5e41", "5f64"), ("0.5e" + "0" * 300 + "1", "5f64"), ("1" * 19, "1.1111111111111112e+18f64"),
           ("0" * 70000 + "5", ""), ("0.5e" + "0" * 70000 + "1", "")]


def main():
    raido, backends = sys.argv[1], sys.argv[2:] or ["c"]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/program.fut", "w") as out:
            out.write(PROGRAM)
        for backend in backends:
            subprocess.run([raido, backend, f"{folder}/program.fut", "-o", f"{folder}/program"], check=True)
            for entry, data, first, second in CASES:
                run = subprocess.run([f"{folder}/program", "-e", entry], input=data, capture_output=True, encoding="latin-1")
                lines = run.stderr.split("\n") + [""]
                if run.returncode == 1 and run.stdout == "" and first in lines[0] and lines[1] == second:
                    continue
                failures += 1
                print(f"{backend}: {entry} with `{data}`: exit {run.returncode}\n{run.stdout}{run.stderr}  expected {first}..\n  {second}")
            # Numbers with many digits, around the end of what the reader takes at once. Those of more than 400 are refused.
            for number, wanted in NUMBERS:
                for before in (0, 21750, 21800, 21842):
                    data = "3 [" + "2, " * before + number + "] [[{}]]"
                    run = subprocess.run([f"{folder}/program", "-e", "mixed"], input=data.format(2**63 - 1), capture_output=True, text=True)
                    if not (run.stdout.endswith(f"{wanted}]\n[[{2**63 - 1}i64]]\n") if wanted else run.returncode == 1 and "Argument `ys`: expected" in run.stderr):
                        failures += 1
                        print(f"{backend}: {number[:8]}..: exit {run.returncode}\n{run.stdout[-60:]}{run.stderr[-300:]}  expected {wanted}")
            # Integers that do not fit: their low bits, of the nearest number of 64 bits. One warning tells of them.
            run = subprocess.run([f"{folder}/program", "-e", "mixed"], input=f"3000000000 [1] [[{2**63}, -{2**64}, {2**70}i64]]", capture_output=True, text=True)
            warning = "Warning: 3000000000 does not fit into i32: its low bits are read. Other such numbers are not reported.\n"
            if (run.returncode, run.stderr) != (0, warning) or run.stdout != f"-1294967296i32\n[1f64]\n[[{2**63 - 1}i64, -{2**63}i64, {2**63 - 1}i64]]\n":
                failures += 1
                print(f"{backend}: integers that do not fit: exit {run.returncode}\n{run.stdout}{run.stderr}")
            for size in [(1 << k) + more for k in range(42, 63) for more in (-1, 0, 1)]:       # of every class, up to those that cannot be counted
                run = subprocess.run([f"{folder}/program", "-e", "kept"], input=f"{size}i64", capture_output=True, text=True)
                if run.returncode != 1 or "memory" not in run.stderr:
                    failures += 1
                    print(f"{backend}: kept with {size}: exit {run.returncode}\n{run.stdout}{run.stderr}  expected that there is too little memory")
            if backend != "opencl":
                continue
            compiled, expected = f"{folder}/kernels", "has code for blocks of 128 threads, but these have 256"
            subprocess.run([f"{folder}/program", "--default-thread-block-size=128", "--dump-opencl-binary", compiled], input="", capture_output=True, text=True)
            for size in (128, 256):
                run = subprocess.run([f"{folder}/program", "-e", "kept", f"--default-thread-block-size={size}", "--load-opencl-binary", compiled],
                                     input="5i64", capture_output=True, text=True)
                if (run.returncode, run.stdout) != ((0, "4i64\n") if size == 128 else (1, "")) or (expected in run.stderr) != (size == 256):
                    failures += 1
                    print(f"{backend}: kernels for blocks of 128 threads, with {size}: exit {run.returncode}\n{run.stdout}{run.stderr}")
    print(f"{failures} of {(len(CASES) + 64 + 4 * len(NUMBERS)) * len(backends)} reports are not as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
