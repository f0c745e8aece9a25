#!/usr/bin/env python3
"""Checks every #include "..." of the compiler against docs/layers.txt: who may include whom. And no declaration goes around that: a
header declares functions of its own folder, a source file declares only what it defines itself. (Passes are declared by passes.def.)"""
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


# A function at the start of a line, and whether a body follows.
function = re.compile(r"^(?!//|#|using\b|return\b|template\b|typedef\b|friend\b|extern\b|struct\b|class\b|enum\b)[\w:<>,&*][\w:<>,&* ]*?[ &*]"
                      r"(\w+)\([^{};]*\)(?: const)?\s*([;{])", re.M)
declared, defined, wrong = [], set(), []
for top in ("compiler", "passes", "backends"):
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in (".h", ".cc", ".def"):
            continue
        name, text = path.relative_to(root).as_posix(), path.read_text()
        if "/runtime/" not in name:
            for found in function.finditer(text):
                where = path if path.suffix == ".cc" else path.parent
                if found[2] == "{":
                    defined |= {(path, found[1]), (path.parent, found[1])}
                else:
                    declared.append((where, found[1], f"{name}:{text.count(chr(10), 0, found.start(1)) + 1}"))
        own = folder_of(name)
        if own is None or "*" in rules[own] or "/runtime/" in name:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found = re.match(r'#include "(.+)"', line)
            if found and folder_of(found[1]) not in rules[own]:
                wrong.append(f"{name}:{number}: {own} may not include {found[1]}")
generated = {"find_embedded_file", "find_loader"}  # the build writes their definitions
for where, name, place in declared:
    if (where, name) not in defined and name not in generated:
        wrong.append(f"{place}: `{name}` is declared here and defined elsewhere")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(1 if wrong or not declared else 0)
