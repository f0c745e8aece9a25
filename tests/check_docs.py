#!/usr/bin/env python3
"""Replays the transcripts in the documents and checks that links lead somewhere.

A code block whose first line begins with `$ ` is a command, run in the root of the repository with the compiler on PATH;
the rest of the block is its output. --update rewrites the outputs. Generated numbers in them must be exact."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--raido", required=True, type=pathlib.Path)
parser.add_argument("--update", action="store_true")
options = parser.parse_args()
environment = dict(os.environ, PATH=f"{options.raido.resolve().parent}:{os.environ['PATH']}")
(root / "build").mkdir(exist_ok=True)

passed = failed = 0
for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
    text = path.read_text()

    def replay(block):
        global passed, failed
        command, _, expected = block[1].partition("\n")
        if not command.startswith("$ "):
            return block[0]
        run = subprocess.run(command[2:], shell=True, cwd=root, env=environment, capture_output=True, text=True, timeout=120)
        output = run.stdout + run.stderr
        if output == expected and run.returncode == 0:
            passed += 1
        elif options.update and run.returncode == 0:
            return f"```\n{command}\n{output}```"
        else:
            failed += 1
            print(f"{path.relative_to(root)}: {command}\nexit code {run.returncode}, output:\n{output}")
        return block[0]

    updated = re.sub(r"```\n(.*?)```", replay, text, flags=re.S)
    if options.update and updated != text:
        path.write_text(updated)
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link and not (path.parent / link).exists():
            failed += 1
            print(f"{path.relative_to(root)}: no such file: {link}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
