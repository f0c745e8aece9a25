#!/usr/bin/env python3
"""Each pipeline on each program of the given folders, with the verifier after every pass. Compiled tests do not verify, and not every
test runs every pipeline. A refusal with a message is right here; an internal error is not.

    tests/verified.py build/release/raido FOLDER..."""
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PIPELINES = ("common", "cpu", "multicore", "gpu")


def main():
    raido, folders = sys.argv[1], sys.argv[2:]
    programs = sorted(p for folder in folders for p in pathlib.Path(folder).rglob("*.fut"))

    def check(job):
        program, pipeline = job
        p = subprocess.run([raido, "dev", "-q", "-w", f"--pipeline={pipeline}", str(program)], capture_output=True, text=True, timeout=300)
        return "" if p.returncode in (0, 2) and "Internal error" not in p.stderr else f"{program}, {pipeline}: exit {p.returncode}\n{p.stderr}"

    with ThreadPoolExecutor(2) as pool:
        said = [text for text in pool.map(check, [(p, l) for p in programs for l in PIPELINES]) if text]
    print("\n".join(said + [f"{len(programs)} programs, {len(PIPELINES)} pipelines, {len(said)} failures"]))
    return 1 if said or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
