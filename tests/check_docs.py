#!/usr/bin/env python3
"""Checks the documents against the compiler: transcripts, programs, the list of the prelude, links.

A plain code block whose first line begins with `$ ` is a command, run in the root of the repository with the compiler on
PATH; the rest of the block is its output. --update rewrites the outputs. Generated numbers in them must be exact.

A block with the fence `futhark` is a whole program. The words after it say what is to happen:
    futhark                accepted by `raido check` without a word
    futhark warning=K02    accepted, with warnings of this code only; its first line is `-- warning: K02`
    futhark error=D05      refused, with this code as the first; its first line is `-- refused: D05`
    futhark run            as the first, and its test blocks pass in the interpreter
    futhark fragment       not compiled
    futhark wrong, right   the essays about messages have a test of their own

docs/language/prelude.md lists the prelude, one line with `name : type` for each; names and types must be those of
prelude/*.fut. docs/language/attributes.md has a row for each attribute of compiler/base/attributes.def, and no other. Links must lead to
files and headings that exist."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--raido", required=True, type=pathlib.Path)
parser.add_argument("--update", action="store_true")
parser.add_argument("pages", nargs="*", type=pathlib.Path, help="only these documents")
options = parser.parse_args()
raido = str(options.raido.resolve())
environment = dict(os.environ, PATH=f"{options.raido.resolve().parent}:{os.environ['PATH']}",
                   RAIDO_CPU="baseline")                   # the same last digits on every processor
(root / "build").mkdir(exist_ok=True)

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.M | re.S)
counts = {"passed": 0, "failed": 0}


def fail(place, text):
    counts["failed"] += 1
    print(f"{place}: {text}")


def execute(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def anchors(page):
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def replay(page, block):
    """Runs the command of a transcript; gives the block back, with the new output if that is wanted."""
    command, _, expected = block[2].partition("\n")
    if block[1] or not command.startswith("$ "):
        return block[0]
    run = subprocess.run(command[2:], shell=True, cwd=root, env=environment, capture_output=True, text=True, timeout=120)
    output = run.stdout + run.stderr
    if output == expected and run.returncode == 0:
        counts["passed"] += 1
    elif options.update and run.returncode == 0:
        return f"```\n{command}\n{output}```"
    else:
        fail(page.relative_to(root), f"{command}\nexit code {run.returncode}, output:\n{output}")
    return block[0]


def verdict(path, word):
    """What is wrong with the compiler's answer to this program; empty if nothing is."""
    code, output = execute(raido, "check", str(path))
    codes = re.findall(r"\[([A-Z]\d\d)\]$", output, re.M)
    kind, _, wanted = word.partition("=")
    if kind == "error":
        right = code == 2 and codes[:1] == [wanted]
    elif kind == "warning":
        right = code == 0 and set(codes) == {wanted}
    else:
        right = code == 0 and not output
    return "" if right else f"exit code {code}\n{output}"


def check_programs(programs, folder):
    """programs: (place, word, text). One process for each to check it, one for all to run the tests in them."""
    paths = []
    for index, (place, word, text) in enumerate(programs):
        if word not in ("", "run") and not re.fullmatch(r"(error|warning)=[A-Z]\d\d", word):
            fail(place, f"unknown fence: {word}")
        path = folder / ("run" if word == "run" else "check") / f"block{index:03}.fut"
        path.write_text(text)
        paths.append(path)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(verdict, paths, [word for _, word, _ in programs]))
    runs = [index for index, (_, word, _) in enumerate(programs) if word == "run"]
    if runs and execute(raido, "test", "-i", "--no-terminal", str(folder / "run"))[0] != 0:
        for index in runs:  # once more, to say which
            code, output = execute(raido, "test", "-i", "--no-terminal", str(paths[index]))
            verdicts[index] = verdicts[index] or (output if code != 0 else "")
    for (place, word, text), wrong in zip(programs, verdicts):
        kind, _, wanted = word.partition("=")
        if wanted and not text.startswith(f"-- {'refused' if kind == 'error' else kind}: {wanted}\n"):
            wrong = wrong or "the first line does not tell the code"
        if "-- ==" in text and word != "run":
            wrong = wrong or "a test block in a program that is not run"
        if wrong:
            fail(place, wrong)
        else:
            counts["passed"] += 1


def prelude_types():
    """The functions of the prelude with their types as the list shows them: parameters are named only if a size needs it."""
    types = {}
    for path in sorted((root / "prelude").glob("*.fut")):
        for name, rest in re.findall(r"^def (\S+)\s+(.*?)\s=\s", path.read_text(), re.M | re.S):
            variables = re.match(r"(?:(?:\[\w+\]|'[\^~]?\w+)\s*)*", rest)
            parameters, rest = [], rest[variables.end():]
            while rest.startswith("("):
                depth = end = 0
                while end == 0 or depth > 0:
                    depth += {"(": 1, ")": -1}.get(rest[end], 0)
                    end += 1
                parameters.append(rest[1:end - 1].split(": ", 1))
                rest = rest[end:].strip()
            type = rest[1:].strip()
            for parameter, written in reversed(parameters):
                outside = written
                while "(" in outside:
                    outside = re.sub(r"\([^()]*\)", "", outside)
                if re.search(rf"\b{re.escape(parameter)}\b", "".join(re.findall(r"\[[^]]*\]", type))):
                    written = f"({parameter}: {written})"
                elif "->" in outside:
                    written = f"({written})"
                type = f"{written} -> {type}"
            types[name.strip("()")] = f"{variables[0].strip()} : {type}".strip()
    return types


def check_prelude(page, folder):
    """The list of the prelude: `## Module type NAME` lists what NAME adds, everything else the names on top."""
    listed, modules = {}, {}
    for section in re.split(r"^## ", page.read_text(), flags=re.M):
        entries = re.findall(r"^- `(\S+) ((?:[^:`]* )?: [^`]+)`", section, re.M)
        target = re.match(r"Module type (\w+)", section)
        if target:
            modules[target[1]] = [f"  type {name}" if type == ": type" else f"  val {name} {type}" for name, type in entries]
            continue
        for name, type in entries:
            if name in listed:
                fail(page.name, f"{name} is listed twice")
            listed[name] = type
    defined = prelude_types()
    for name in sorted(defined.keys() | listed.keys()):
        if defined.get(name) != listed.get(name):
            fail(page.name, f"{name}\n  prelude:  {defined.get(name, 'nothing')}\n  document: {listed.get(name, 'nothing')}")
        else:
            counts["passed"] += 1
    program = []
    for name, base in (("from_prim", None), ("numeric", "from_prim"), ("integral", "numeric"), ("real", "numeric"), ("float", "real")):
        include = f"  include {base}" if base else "  type t"
        program.append("\n".join([f"module type my_{name} = {{", include, *modules.get(name, []), "}"]))
        refined = "with t = P.t" + (" with int_t = P.int_t" if name == "float" else "")
        program.append(f"module all_listed_exist_{name} (P: {name}): my_{name} {refined} = P")
        program.append(f"module all_are_listed_{name} (P: my_{name}): {name} {refined} = P")
    path = folder / "check" / "prelude.fut"
    path.write_text("\n".join(program) + "\n")
    wrong = verdict(path, "")
    if wrong:
        fail(page.name, wrong)
    else:
        counts["passed"] += sum(map(len, modules.values()))


def check_attributes(page):
    """The rows of the tables, but for what the prelude alone may write."""
    defined = set(re.findall(r"^ATTRIBUTE\((\w+)", (root / "compiler" / "base" / "attributes.def").read_text(), re.M)) - {"intrinsic"}
    rows = re.findall(r"^\| (`[^|]*) \|", page.read_text(), re.M)
    listed = {name for row in rows for name in re.findall(r"`(\w+)", re.split(", o[nf] ", row)[0])}
    for name in sorted(defined ^ listed):
        fail(page.name, f"`{name}` is {'listed, and no attribute' if name in listed else 'not listed'}")
    counts["passed"] += len(defined & listed)


def main():
    pages = [page.resolve() for page in options.pages] or [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    programs = []
    for page in pages:
        text = page.read_text()
        name = page.relative_to(root)
        updated = FENCE.sub(lambda block: replay(page, block), text)
        if options.update and updated != text:
            page.write_text(updated)
        for block in FENCE.finditer(text):
            language, _, word = block[1].strip().partition(" ")
            if language == "futhark" and word.split(" ")[0].rstrip(":") not in ("fragment", "wrong", "right"):
                line = text.count("\n", 0, block.start()) + 2
                programs.append((f"{name}:{line}", word, block[2]))
        for link, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]+))?\)", re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
            target = page.parent / link if link else page
            if "://" in link:
                continue
            if not target.exists():
                fail(name, f"no such file: {link}")
            elif anchor and anchor not in anchors(target):
                fail(name, f"no such heading: {link}#{anchor}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "check").mkdir()
        (folder / "run").mkdir()
        check_programs(programs, folder)
        prelude = root / "docs" / "language" / "prelude.md"
        if prelude in pages:
            check_prelude(prelude, folder)
    if root / "docs" / "language" / "attributes.md" in pages:
        check_attributes(root / "docs" / "language" / "attributes.md")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


sys.exit(main())
