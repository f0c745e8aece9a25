#!/usr/bin/env python3
"""Messages to users: each tests/errors/CODE*.fut holds a program and, after a line `-- expect`, what `raido check` prints for it.

usage: errors.py RAIDO [--update] [FILE...]    --update rewrites what is expected; review it as part of the diff.
Programs of warnings (K..) are accepted (exit code 0), all others refused (2). The first code printed is that of the file's name."""
import pathlib
import re
import subprocess
import sys

MARK = "-- expect\n"


def run(raido, path):
    done = subprocess.run([raido, "check", path.name], cwd=path.parent, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr + done.stdout


def main():
    args = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    raido = str(pathlib.Path(args[0]).resolve())
    here = pathlib.Path(__file__).resolve().parent / "errors"
    files = [pathlib.Path(a).resolve() for a in args[1:]] or sorted(here.glob("*.fut"))
    failed = 0
    for path in files:
        text = path.read_text()
        program, _, expected = text.partition(MARK)
        code, output = run(raido, path)
        actual = "".join("--" + (" " + line if line else "") + "\n" for line in output.splitlines())
        if update:
            path.write_text(program + MARK + actual)
            expected = actual
        problems = []
        want = 0 if path.name.startswith("K") else 2
        if code != want:
            problems.append(f"exit code {code}, expected {want}")
        name = re.match(r"[A-Z]\d\d", path.name).group()
        if f"[{name}]" not in output:
            problems.append(f"no message with code {name}")
        if actual != expected:
            problems.append("the messages differ:\n" + actual)
        if problems:
            failed += 1
            print(f"FAIL {path.name}: " + "; ".join(problems))
    print(f"{len(files) - failed} of {len(files)} message tests passed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
