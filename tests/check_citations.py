#!/usr/bin/env python3
"""Finds what comments, READMEs and documents cite and nobody can find.

  - A file must exist: from the root, beside the file that cites it, or as the end of some path (`undo.h`). `{a,b}` and `*` stand for
    several names. Names of no file in particular (`FILE.ir`, `prog.fut`, `a.fut`) are not looked for, nor what the file
    includes, nor names in transcripts.
  - A number after a document (`docs/ad.md 7.2, 7.3`), or after `section` within one, must be that of a heading there.
  - `decision 017` must be a file of docs/decisions.

docs/passes.md must list the passes of passes/passes.def and no others, docs/text-form.md the operations of compiler/ir/ir.h."""
import fnmatch
import functools
import os
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
folders = ["backends", "benchmarks", "compiler", "docs", "examples", "passes", "prelude", "scripts", "tests"]
COMMENT = {"cc": "//", "h": "//", "def": "//", "c": "//", "fut": "--", "ir": "--", "py": "#", "cmake": "#", "txt": "#"}
FILE = re.compile(r"(?<![\w./<-])((?:[\w{},*.-]+/)*[\w{},*-]+(?:\.\{[\w,]+\}|\.(?:cc|h|def|md|py|fut|ir|txt|cmake|c)\b(?!\.\w)))((?:,? (?:and )?\d+(?:\.\d+)*\b(?!\.?\w| %))*)")
PLACEHOLDER = re.compile(r"(.*/)?([A-Z_*]+|[a-z]|prog|square)\.\w+")
failed = []


def prose(path):
    """The lines of a file, each with what is said in it: a comment, or a document's line outside of its code."""
    fenced, doc = False, False
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if path.suffix == ".md":
            fenced ^= line.startswith("```")
            if not fenced and not line.startswith("    "):
                yield number, line
            continue
        quotes = line.count('"""') if path.suffix == ".py" else 0
        mark = re.search(rf"(?<![:\"'\w]){re.escape(COMMENT[path.suffix[1:]])}(.*)$", line)
        in_string = mark and any(line[:mark.start()].count(quote) % 2 for quote in "'\"") and path.suffix == ".py"
        if doc or quotes:
            yield number, line
        elif mark and not in_string:
            yield number, mark[1]
        doc ^= quotes == 1


@functools.cache
def sections(document):
    return set(re.findall(r"^#+ (\d+(?:\.\d+)*)\.? ", document.read_text(), re.M))


def expanded(name):
    """The names that braces stand for."""
    found = re.search(r"\{([^{}]*)\}", name)
    if not found:
        return [name]
    return [whole for part in found[1].split(",") for whole in expanded(name[:found.start()] + part + name[found.end():])]


def citations(files):
    paths = [str(path.relative_to(root)) for path in files]
    ends = {}                                # the end of a path -> paths
    for p in paths:
        for i in [0, *(at + 1 for at, c in enumerate(p) if c == "/")]:
            ends.setdefault(p[i:], []).append(p)

    def found(name, folder):
        beside = str(pathlib.Path(os.path.normpath(root / folder / name)).relative_to(root)) if not name.startswith("/") else ""
        if "*" in name:
            return [p for p in paths if any(fnmatch.fnmatch(p, known) for known in (name, beside, "*/" + name))]
        return [p for p in ends.get(beside, []) if p == beside] or ends.get(name, [])

    for path in files:
        text = path.suffix == ".txt" and path.name not in ("CMakeLists.txt", "layers.txt")
        if text or "errors" in path.parent.parts[-1:] and path.suffix == ".fut" or path.suffix[1:] not in [*COMMENT, "md"]:
            continue                         # transcripts, expected messages, what has no comments
        own = sections(path) if path.suffix == ".md" else set()
        here = path.relative_to(root)
        included = re.findall(r'^#include ["<]([^">]+)', path.read_text(errors="replace"), re.M)
        for number, line in prose(path):
            for name, numbers in FILE.findall(line):
                for one in expanded(name):
                    targets = found(one, here.parent)
                    if not targets and one not in included and not PLACEHOLDER.fullmatch(one):
                        failed.append(f"{here}:{number}: no such file: {one}")
                    for section in re.findall(r"\d+(?:\.\d+)*", numbers) if targets and one.endswith(".md") else []:
                        if section not in sections(root / targets[0]):
                            failed.append(f"{here}:{number}: {targets[0]} has no section {section}")
            for list_ in re.findall(r"\bsections? ((?:\d+(?:\.\d+)*(?:, | and )?)+)", line) if own else []:
                for section in re.findall(r"\d+(?:\.\d+)*", list_):
                    if section not in own:
                        failed.append(f"{here}:{number}: there is no section {section} here")
            for decision in re.findall(r"\bdecision (\d{3})\b", line):
                if not any(p.startswith(f"docs/decisions/{decision}-") for p in paths):
                    failed.append(f"{here}:{number}: there is no decision {decision}")


def same(what, document, listed, defined):
    for name in sorted(set(listed) ^ set(defined)):
        failed.append(f"{document}: {what} `{name}` is {'not listed' if name in defined else 'listed and does not exist'}")
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        failed.append(f"{document}: {what} `{name}` is listed twice")


def main():
    files = [path for folder in folders for path in sorted((root / folder).rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts] + sorted(root.glob("*.md")) + [root / "CMakeLists.txt"]
    citations(files)
    table = (root / "docs/passes.md").read_text().partition("\n## ")[0]
    listed = [name for row in re.findall(r"^\| (.*?) \|", table, re.M) for name in re.findall(r"`(\w+)`", row)]
    same("pass", "docs/passes.md", listed, re.findall(r"^PASS\((\w+),", (root / "passes/passes.def").read_text(), re.M))
    form = (root / "docs/text-form.md").read_text().partition("\n## 4. ")[2].partition("\n## 5. ")[0]
    operations = re.findall(r'OPERATION\("(\w+)"', (root / "compiler/ir/ir.h").read_text())
    same("operation", "docs/text-form.md", re.findall(r"^\| `(\w+)` \|", form, re.M), operations)
    print("\n".join(failed) or "all citations lead somewhere")
    return 1 if failed else 0


sys.exit(main())
