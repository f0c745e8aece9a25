#!/usr/bin/env python3
"""The essays of `--explain`: docs/errors/CODE.md for every code of errors.def, each with a test in tests/errors.

usage: essays.py RAIDO [CODE...]

A block marked `futhark wrong` must give a message with the code of the essay, one marked `futhark right` must not, and no error.
After a colon stand, separated by `;`: `file=NAME`, `args=OPTION` (repeatable), `command=c` (instead of check), `run` (it goes wrong,
or not, when it runs), `input=VALUES` (of that run)."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
raido = str(pathlib.Path(sys.argv[1]).resolve())
BLOCK = re.compile(r"^```futhark (wrong|right)(?:: ([^\n]*))?\n(.*?)^```$", re.M | re.S)


def outcome(code, info, text, folder):
    """Exit code and standard error."""
    settings = [part.strip() for part in (info or "").split(";") if part.strip()]
    value = dict(s.split("=", 1) for s in settings if "=" in s and not s.startswith("args="))
    args = [s[5:] for s in settings if s.startswith("args=")]
    name = value.get("file", f"{code}.fut")
    (folder / name).write_text(text)
    command = [raido, "run" if "run" in settings else value.get("command", "check"), *args, name]
    done = subprocess.run(command, cwd=folder, input=value.get("input", ""), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def problems_of(path):
    code = path.stem
    text = path.read_text()
    problems = []
    if not text.startswith(f"# {code}: "):
        problems.append("the title does not begin with the code")
    blocks = BLOCK.findall(text)
    if code not in UNTESTED and sorted({kind for kind, _, _ in blocks}) != ["right", "wrong"]:
        problems.append("a wrong and a right program are needed")
    for kind, info, program in blocks:
        with tempfile.TemporaryDirectory() as folder:
            status, output = outcome(code, info, program, pathlib.Path(folder))
        runs = "run" in (info or "").split(";")
        found = f"[{code}]" in output or (runs and status == 1 and "Error" in output or runs and code == "L15" and status == 1)
        if kind == "wrong" and not found:
            problems.append(f"the wrong program gives\n{output}")
        if kind == "right" and (found or status != 0):
            problems.append(f"the right program gives\n{output}")
    return problems


def main():
    known = set(re.findall(r"^DIAG\((\w+),", (root / "compiler/source/errors.def").read_text(), re.M))
    essays = {p.stem: p for p in sorted((root / "docs/errors").glob("*.md")) if p.stem != "README"}
    tests = {p.name[:3] for p in (root / "tests/errors").glob("*.fut")}
    wanted = sys.argv[2:] or sorted(known | set(essays))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda c: problems_of(essays[c]) if c in essays else ["there is no essay"], wanted)
        for code, problems in zip(wanted, results):
            if code not in known:
                problems.append("errors.def has no such code")
            if code not in tests and code not in UNTESTED:
                problems.append("there is no test in tests/errors")
            if problems:
                failed += 1
                print(f"{code}: " + "\n".join(problems))
    print(f"{len(wanted) - failed} of {len(wanted)} essays passed")
    return failed > 0


# Messages that no program can bring about.
UNTESTED = {"D35"}

if __name__ == "__main__":
    sys.exit(main())
