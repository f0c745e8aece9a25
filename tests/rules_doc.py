#!/usr/bin/env python3
"""Writes docs/rules.md: the rules of all passes, from the heads of their files, the comments above the rules and the tests.

Without --update it fails if the document is not what it would write. Of each file of passes/ there are the sentence that it opens with,
what its head sets off (before ==> after), and a table of its rules:
  - those that it counts (`raido dev --stats`), with golden tests in which they fire,
  - those that its head lists after `Rules:`, with the programs of tests/ad that name them (`-- rule: ID`)."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pass_rules import counters, names_of_passes, passes

root = pathlib.Path(__file__).resolve().parent.parent
most = 2                                     # golden tests that are named for a rule

INTRODUCTION = """# The rules of the passes

`tests/rules_doc.py --update` writes this page from the sources; a test compares the two. [passes.md](passes.md) says what each pass is for.
`==>` stands between the code before and after a rule. The name of a rule is that of its counter: `raido dev --stats` shows how often it fired.
A rule of differentiation has no counter, but programs in `tests/ad` that name it. Of the golden tests of a rule at most two are listed.
"""


def head_of(path):
    """The comment that a file opens with: its title, and what is set off in it."""
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    title = []
    while lines and lines[0].strip():
        title.append(lines.pop(0).strip())
    # A construct and the section about it may stand where the sentence does.
    text = re.sub(r"^\S+\.cc( - |$)", "", " ".join(title)).strip()
    text = re.sub(r"\s*\(docs/\S+( [\d.,]+)*\)|\s{2,}docs/\S+( [\d.,]+)*$", "", text)
    sentence = re.match(r".*?[.:](?= [A-Z]|$)", text + ("" if text.endswith(".") else "."))
    blocks, block = [], []
    for line in lines + [""]:
        if re.match(r"  |let .*= ", line) or (block and not line.strip()):
            block.append(re.sub(r"\s{4,}docs/ad\.md [\d., ]+$", "", line).rstrip())
        else:
            while block and not block[-1]:
                block.pop()
            if block:
                blocks.append("\n".join(block))
            block = []
    while block and not block[-1]:
        block.pop()
    if block:
        blocks.append("\n".join(block))
    rules = re.search(r"^Rules: ([^`]*?)\.$", "\n".join(lines), re.M | re.S)
    return sentence[0] if text else "", blocks, rules[1].split() if rules else []


def comment_of(text, function):
    """The comment above a rule of simplify, without its id."""
    above = re.search(rf"((?:^//.*\n)+)(?:template <.*> )?Rewrite {function}\(", text, re.M)
    lines = [" ".join(re.sub(r"\[[A-Z]\d+[\w.]*\]", "", line[2:]).split()) for line in above[1].splitlines()] if above else []
    return "".join(("; " if "==>" in line else " ") + line for line in lines).strip("; ")


def fired(raido):
    """Of each counter: the golden tests in which it is not zero, those of its own pass first."""
    golden = root / "tests" / "golden"

    def run(path):
        source = path.read_text().partition("-- expect\n")[0]
        command = re.search(r"^-- run:(.*)$", source, re.M)[1].split()
        with tempfile.NamedTemporaryFile("w", suffix=".ir") as file:
            file.write(source)
            file.flush()
            done = subprocess.run([raido, "dev", *command, "--stats", file.name], capture_output=True, text=True)
        return re.findall(r"^ *(\S+) +[1-9]\d*$", done.stderr, re.M)

    paths = sorted(golden.rglob("*.ir"))
    tests = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, names in zip(paths, pool.map(run, paths)):
            for name in names:
                tests[name].append(str(path.relative_to(golden)))
    for name, found in tests.items():
        own, _, rule = name.partition(".")
        found.sort(key=lambda test: (not test.startswith(f"{own}/{rule}"), not test.startswith(f"{own}/"), test))
    return tests


def programs():
    """Of each rule of differentiation: the files of tests/ad that name it."""
    files = collections.defaultdict(list)
    for path in sorted((root / "tests" / "ad").glob("*.fut")):
        if path.name.startswith("ad_"):                    # of a test that runs at this moment
            continue
        for rule in {rule for line in re.findall(r"^-- rule: (.*)$", path.read_text(), re.M) for rule in line.split()}:
            files[rule].append(path.name)
    return files


def page(raido):
    golden, named, names = fired(raido), programs(), names_of_passes()
    out = [INTRODUCTION]
    folder = None
    for path in sorted(passes.rglob("*.cc")):
        title, blocks, rules = head_of(path)
        counted = sorted(counters(path))
        if path.parent == passes or not (blocks or rules or counted or path.stem in names):
            continue
        if path.parent != folder:
            folder = path.parent
            out.append(f"## {folder.relative_to(root).as_posix()}\n")
        out.append(f"### {path.name}\n")
        if title:
            out.append(title[0].upper() + title[1:].replace("|", "\\|") + "\n")
        for block in blocks:
            out.append(f"```\n{block}\n```\n")
        text = path.read_text()
        functions = dict(re.findall(r'\{"([A-Z]\d+[\w.]*)", (\w+)(?:<\w+>)?\}', text))
        rows = []
        for name in counted:
            what = comment_of(text, functions.get(name.removeprefix("simplify."), "\0"))
            rows.append((name, what, ", ".join(golden[name][:most])))
        rows += [(name, "", ", ".join(f"ad/{test}" for test in named[name])) for name in rules]
        described = any(what for _, what, _ in rows)
        if rows:
            out.append("| rule | before ==> after | tests |\n|---|---|---|" if described else "| rule | tests |\n|---|---|")
        for name, what, tests in rows:
            cell = what.replace("|", "\\|")
            out.append(f"| `{name}` | {f'`{cell}`' if what else ''} | {tests} |" if described else f"| `{name}` | {tests} |")
        if rows:
            out.append("")
        elif (root / "tests" / "golden" / path.stem).is_dir():
            out.append(f"Tests: `tests/golden/{path.stem}`.\n")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    document = root / "docs" / "rules.md"
    made = page(options.raido)
    if options.update:
        document.write_text(made)
    elif not document.exists() or document.read_text() != made:
        old = document.read_text().splitlines() if document.exists() else []
        for line in sorted(set(old) ^ set(made.splitlines())):
            print(("- " if line in old else "+ ") + line)
        print("docs/rules.md is not up to date: run tests/rules_doc.py --update")
        return 1
    return 0


sys.exit(main())
