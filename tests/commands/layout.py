#!/usr/bin/env python3
"""The laws of `raido fmt` on every program of the project: it accepts what the parser accepts, the tokens and comments stay
(the command checks that itself), and formatting twice is formatting once. A program with syntax errors is left alone. The same
for each program with other white space and comments strewn between its tokens.

    layout.py RAIDO [FOLDER...]
"""
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def strewn(raido, path, chance):
    """The program with other gaps between its tokens; where two touch they still do. None if it has lexical errors."""
    r = subprocess.run([raido, "tokens", path], capture_output=True)
    if r.returncode != 0:
        return None
    text = path.read_text()
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    out, end, doc = "", None, False
    for line in r.stdout.decode().split("\n")[:-1]:
        m = re.match(r"(\d+):(\d+)-(?:(\d+):)?(\d+)(\s|$)", line)
        begin = starts[int(m[1]) - 1] + int(m[2]) - 1
        stop = starts[int(m[3] or m[1]) - 1] + int(m[4]) - 1
        token = text[begin:stop]
        gap = ""
        if end is not None and begin > end:
            gap = chance.choices([" ", "   ", "\n", "\n\n\n", "  -- after\n", "\n  -- own\n", "\n\n-- one\n-- two\n\n"],
                                 [60, 10, 15, 3, 3, 3, 2])[0]
        if doc:
            gap = "\n"          # more comment lines would be part of a documentation comment
        elif token.startswith("-- |") and end is not None:
            gap = "\n\n"
        out += gap + token
        end, doc = stop, token.startswith("-- |")
    return out + "\n"


def main():
    raido = pathlib.Path(sys.argv[1]).resolve()
    folders = [pathlib.Path(f).resolve() for f in sys.argv[2:]] or [ROOT / n for n in ("prelude", "tests", "benchmarks", "docs", "examples")]
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as temp:
        copies = []
        for folder in folders:
            for path in sorted(folder.rglob("*.fut")):
                copy = pathlib.Path(temp) / f"{len(copies)}_{path.name}"
                shutil.copyfile(path, copy)
                copies.append((path, copy))
                other = strewn(raido, path, chance)
                if other is not None:
                    copy = pathlib.Path(temp) / f"{len(copies)}_strewn_{path.name}"
                    copy.write_text(other)
                    copies.append((path, copy))
        valid = [(p, c) for p, c in copies
                 if subprocess.run([raido, "fmt", "--check", c], capture_output=True).returncode in (0, 1)]
        before = {c: c.read_bytes() for _, c in copies}
        r = subprocess.run([raido, "fmt"] + [c for _, c in copies], capture_output=True, text=True)
        if "Internal error" in r.stderr:
            print(r.stderr)
            return 1
        failed = 0
        for path in {p for p, _ in copies}:
            if len({(path, c) in valid for p, c in copies if p == path}) != 1:
                print(f"{path}: with other gaps it has syntax errors")
                failed += 1
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
