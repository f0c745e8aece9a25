#!/usr/bin/env python3
"""Checks every #include "..." of the compiler against docs/layers.txt: who may include whom."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
rules = {}
for line in (root / "docs/layers.txt").read_text().splitlines():
    if ":" in line and not line.startswith("#"):
        folder, allowed = line.split(":")
        rules[folder] = set(allowed.split()) | {folder}


def folder_of(path):
    return max((f for f in rules if path.startswith(f + "/")), key=len, default=None)


failures = 0
for top in ("compiler", "passes", "backends"):
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in (".h", ".cc", ".def"):
            continue
        name = path.relative_to(root).as_posix()
        own = folder_of(name)
        if own is None or "*" in rules[own] or "/runtime/" in name:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'#include "(.+)"', line)
            if found and folder_of(found[1]) not in rules[own]:
                print(f"{name}:{number}: {own} may not include {found[1]}")
                failures += 1
sys.exit(1 if failures else 0)
