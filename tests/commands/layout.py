#!/usr/bin/env python3
"""The laws of `raido fmt` on every program of the project: it accepts what the parser accepts, the tokens and comments stay
(the command checks that itself), and formatting twice is formatting once. A program with syntax errors is left alone.

    layout.py RAIDO [FOLDER...]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    raido = pathlib.Path(sys.argv[1]).resolve()
    folders = [pathlib.Path(f).resolve() for f in sys.argv[2:]] or [ROOT / n for n in ("prelude", "tests", "benchmarks", "docs", "examples")]
    with tempfile.TemporaryDirectory() as temp:
        copies = []
        for folder in folders:
            for path in sorted(folder.rglob("*.fut")):
                copy = pathlib.Path(temp) / f"{len(copies)}_{path.name}"
                shutil.copyfile(path, copy)
                copies.append((path, copy))
        valid = [(p, c) for p, c in copies
                 if subprocess.run([raido, "fmt", "--check", c], capture_output=True).returncode in (0, 1)]
        before = {c: c.read_bytes() for _, c in copies}
        r = subprocess.run([raido, "fmt"] + [c for _, c in copies], capture_output=True, text=True)
        if "Internal error" in r.stderr:
            print(r.stderr)
            return 1
        failed = 0
        for path, copy in copies:
            if (path, copy) not in valid and copy.read_bytes() != before[copy]:
                print(f"{path}: has syntax errors and was changed")
                failed += 1
        r = subprocess.run([raido, "fmt", "--check"] + [c for _, c in valid], capture_output=True, text=True)
        if r.returncode != 0 or r.stderr:
            print(r.stderr)
            failed += 1
    print(f"{len(valid)} programs in canonical layout, {len(copies) - len(valid)} with syntax errors untouched")
    return 1 if failed or not valid else 0


if __name__ == "__main__":
    sys.exit(main())
