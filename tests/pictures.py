#!/usr/bin/env python3
"""The pictures in benchmarks/results are those of the figures beside them."""
import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "benchmarks"))
from plot import draw  # noqa: E402

pictures = sorted((root / "benchmarks/results").glob("*.svg"))
wrong = [p for p in pictures if p.read_text() != draw(json.loads(p.with_suffix(".json").read_text()))]
for p in wrong:
    print(f"{p.relative_to(root)} is not up to date: run benchmarks/run.py --plot {p.stem}")
print(f"{len(pictures)} pictures, {len(wrong)} out of date")
sys.exit(1 if wrong or not pictures else 0)
