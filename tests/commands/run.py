#!/usr/bin/env python3
"""Replays the transcripts of this folder: shell commands and what they print, as a person would see it.

    run.py RAIDO [--update] [NAME...]

A transcript (NAME.txt) has lines `$ command`; `> ` continues it on further lines. What follows is its output, standard error
included, and `[N]` when it ends with another exit code than 0. Lines before the first command are a description. Each
transcript runs in a fresh copy of files/; $ROOT is the repository. With --update the outputs are written anew, to be reviewed as part of a change.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def parse(text):
    """The description and a list of (command, expected output)."""
    intro, steps = [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append([line[2:], []])
        elif (line.startswith("> ") or line == ">") and steps and not steps[-1][1]:
            steps[-1][0] += "\n" + line[2:]
        elif steps:
            steps[-1][1].append(line)
        else:
            intro.append(line)
    return intro, [(c, "".join(l + "\n" for l in out)) for c, out in steps]


def show(command):
    return "$ " + command.replace("\n", "\n> ").replace("> \n", ">\n") + "\n"


def replay(path, raido, update):
    intro, steps = parse(path.read_text())
    with tempfile.TemporaryDirectory() as temp:
        cwd = pathlib.Path(temp) / "work"
        shutil.copytree(HERE / "files", cwd)
        tools = pathlib.Path(temp) / "bin"
        tools.mkdir()
        for name in ("raido", "futhark"):
            (tools / name).symlink_to(raido)
        env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="80", ROOT=str(HERE.parents[1]),
                   RAIDO_CPU="baseline")                   # the same last digits on every processor
        new, wrong = list(intro), ""
        for command, expected in steps:
            try:
                r = subprocess.run(["sh", "-c", command], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, timeout=120)
                out, code = r.stdout.decode("utf-8", "backslashreplace"), r.returncode
            except subprocess.TimeoutExpired:
                out, code = "(no end after 120 seconds)\n", 124
            if out and not out.endswith("\n"):
                out += "\n"
            if code != 0:
                out += f"[{code}]\n"
            new.append((show(command) + out).rstrip("\n") if out else show(command).rstrip("\n"))
            # The end of a transcript and empty lines between commands do not count.
            if out.rstrip("\n") != expected.rstrip("\n"):
                wrong += f"{path.name}: {command}\n--- expected\n{expected}--- got\n{out}"
                if not update:
                    continue
        if update:
            path.write_text("\n".join(new[:len(intro)] + ["\n\n".join(new[len(intro):])]) + "\n")
            return ""
        return wrong


def main():
    args = sys.argv[1:]
    update = "--update" in args
    names = [a for a in args if a != "--update"]
    raido = pathlib.Path(names.pop(0)).resolve()
    paths = [HERE / f"{n}.txt" for n in names] or sorted(HERE.glob("*.txt"))
    failed = 0
    for path in paths:
        wrong = replay(path, raido, update)
        if wrong:
            failed += 1
            print(wrong)
    print(f"{len(paths) - failed} of {len(paths)} transcripts as written")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
