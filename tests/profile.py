#!/usr/bin/env python3
"""profile.py - programs say at which places of their source the time goes.

    tests/profile.py --raido PATH

Executables print a table (-P), `bench --profile` and `profile` read the report. The places are those of the source, with the calls
that lead there; what takes longest comes first. Programs that were compiled without --profile have none.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """-- Most of the time goes into line 3, some into line 6, the rest nowhere.
def slow [n] (xs: [n]f64): f64 =
  f64.sum (map (\\x -> f64.exp (f64.sin x) + f64.log (1 + f64.cos x * f64.cos x)) xs)
entry main (n: i64) (steps: i32): f64 =
  let xs = tabulate n (\\i -> f64.i64 (i % 7))
  in loop s = 0 for _i < steps do s + slow (map (+ s / 1e9) xs)
-- ==
-- input { 100000i64 100i32 }
"""


def rows(text):
    """The table of an executable: (kind, place) with the share."""
    lines = text.splitlines()
    assert lines[0].split() == ["milliseconds", "share", "count", "what", "where"], text
    return [(w[3], w[4], float(w[1].rstrip("%"))) for w in (line.split() for line in lines[1:] if "%" in line)]       # the emulator adds its counters


def main(raido):
    failures = []

    def expect(name, got, wanted):
        if got != wanted:
            failures.append(f"{name}:\n  got      {got}\n  expected {wanted}")

    with tempfile.TemporaryDirectory() as folder:
        def run(*argv, text=""):
            done = subprocess.run(argv, cwd=folder, input=text, capture_output=True, text=True, timeout=300)
            return done.returncode, done.stdout, done.stderr

        (pathlib.Path(folder) / "p.fut").write_text(PROGRAM)
        llvm = ["llvm"] if "LLVM" not in run(raido, "llvm", "-w", "p.fut")[2] else []        # it may not be there
        for options in (*([b, "--profile"] for b in ["c", "multicore", *llvm]), ["opencl", "--emulate"], ["cuda", "--emulate"]):
            expect(f"compile {options}", run(raido, *options, "-w", "--cpu=native", "p.fut")[0], 0)
            device = options[1] == "--emulate"
            code, out, err = run("./p", "-P", "-n", text="2000 4i32" if device else "100000 100i32")
            expect(f"run {options}", (code, out), (0, ""))
            table = rows(err)
            places = {where.split(":")[1] for _, where, _ in table if where != "unknown"}                # a sample between two statements
            expect(f"lines of {options}", (places <= {"3", "5", "6"}, device or table[0][1].startswith(("p.fut:3:", "p.fut:6:"))), (True, True))
            if device:
                expect(f"events of {options}", {kind.rsplit("_", 1)[0] for kind, _, _ in table} >= {"copy_scalar_from"}, True)
            else:
                unknown = sum(share for _, where, share in table if where == "unknown")
                expect(f"share of {options}", (sum(share for _, _, share in table) > 99, table[0][2] > 50, unknown < 10), (True, True, True))

        # The caller is named after the place.
        code, out, err = run("./p", "-P", "-n", text="2000 4i32")
        expect("calls", any(where.startswith("p.fut:3:") for _, where, _ in rows(err)), True)

        # Without --profile a table would be empty, and the program says why.
        for backend in ("c", *llvm):
            expect("compile", run(raido, backend, "-w", "--cpu=native", "p.fut")[0], 0)
            code, out, err = run("./p", "-P", "-n", text="10 1i32")
            expect("no places", (code, err), (0, "./p: to say where its time goes, it must be compiled with --profile\n"))

        for backend in ("c", "multicore", *llvm):
            done = run(raido, "bench", "--profile", "--json", "out.json", "--no-convergence-phase", "-r", "2", f"--backend={backend}", "p.fut")
            expect(f"bench {backend}", (done[0], done[2]), (0, ""))
            events = next(iter(json.loads((pathlib.Path(folder) / "out.json").read_text())["p.fut"]["datasets"].values()))["profiling"]["events"]
            expect(f"events {backend}", all(set(e) == {"name", "provenance", "duration", "details"} and e["details"]["samples"] > 0 for e in events) and events != [], True)
            expect(f"profile {backend}", run(raido, "profile", "out.json"), (0, "", ""))
            summary = next((pathlib.Path(folder) / "out.prof").rglob("*.summary")).read_text()
            expect(f"summary {backend}", any(line.startswith(("p.fut:3 ", "p.fut:6 ")) for line in summary.splitlines()), True)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"profile: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--raido", required=True)
    sys.exit(main(os.path.abspath(parser.parse_args().raido)))
