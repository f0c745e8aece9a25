#!/usr/bin/env python3
"""Golden tests of passes: each tests/golden/**/*.ir holds a command, an input and the expected output.

    -- run: --pass fuse            arguments of `raido dev`, which reads the input
    -- A sentence that says what the test defends.
    fun f ...
    -- expect
    fun f ...                      the whole output; or, in large outputs, lines `-- check: TEXT` that must occur in order

A file named fail_* must be refused: its expectation is the message. Run with --update to rewrite the expectations.
A whole run also wants that every pass of passes.def is run and every counter that the passes know (`dev --stats`) counts in
some test. Each input is run again with a loop without results at the head of each body: a pass may leave such a statement to the
next ones, so all passes must take it.
"""
import argparse
import collections
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

from pass_rules import counters, names_of_passes, passes

root = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--raido", required=True)
parser.add_argument("--update", action="store_true")
parser.add_argument("files", nargs="*", type=pathlib.Path)
options = parser.parse_args()

passed = failed = 0
counted = collections.Counter()


def with_loops_without_results(source):
    """The program, with a loop that binds nothing and cannot fail at the head of each body."""
    numbers = itertools.count()
    return re.sub(r"^(?!constants|--)(.*\{)$", lambda head: f"{head[0]}\nlet  = for nothing_{next(numbers)} < 2i64 () {{ in }}", source, flags=re.M)


def run_on(program, arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".ir") as file:
        file.write(program)
        file.flush()
        return subprocess.run([options.raido, "dev", *arguments, file.name], capture_output=True, text=True)


for path in [f.resolve() for f in options.files] or sorted((root / "golden").rglob("*.ir")):
    text = path.read_text()
    source, marker, expected = text.partition("-- expect\n")
    commands = [line[7:].split() for line in source.splitlines() if line.startswith("-- run:")]
    if len(commands) != 1:
        print(f"{path}: wants exactly one `-- run:` line")
        failed += 1
        continue
    run = run_on(source, commands[0])
    stats = run_on(source, [*commands[0], "--stats"])
    widened = run_on(with_loops_without_results(source), commands[0])
    counted.update(re.findall(r"^ *(\S+) +[1-9]\d*$", stats.stderr, re.M))
    counted.update(name for words in re.findall(r"--pass[= ](\S+)", " ".join(commands[0])) for name in words.split(","))
    must_fail = path.name.startswith("fail_")
    output = run.stderr if must_fail else run.stdout
    checks = [line[10:] for line in expected.splitlines() if line.startswith("-- check: ")]
    problem = ""
    if (run.returncode != 0) != must_fail:
        problem = f"exit code {run.returncode}\n{run.stderr}"
    elif checks:
        rest = output
        for check in checks:
            _, found, rest = rest.partition(check)
            if not found:
                problem = f"not found in order: {check}\n{output}"
                break
    elif output != expected:
        if options.update:
            path.write_text(source + "-- expect\n" + output)
        else:
            problem = f"expected:\n{expected}found:\n{output}"
    if not must_fail and widened.returncode != 0:
        problem += f"with loops without results: exit code {widened.returncode}\n{widened.stderr}"
    if problem:
        failed += 1
        print(f"{path.relative_to(root)}: {problem}")
    else:
        passed += 1
if not options.files:
    known = set(names_of_passes()).union(*map(counters, passes.rglob("*.cc")))
    for name in sorted(known - set(counted)):
        failed += 1
        print(f"no golden test exercises {name}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
