#!/usr/bin/env python3
"""Finds sentences of comments and documents that are hard to read: longer than 25 words.

A sentence ends with `.`, `!`, `?`, `:` or `;`, with its paragraph or with its item of a list. A comment at another column is
another paragraph. Code, tables, test blocks and the rules in the heads of files are not sentences: what is indented, what contains
`==>`, `-- run: main < ..`, what follows `-- ==` or `-- expect`. What stands between backquotes counts as one word."""
import ast
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
WORDS = 25
COMMENT = {".cc": "//", ".h": "//", ".def": "//", ".c": "//", ".py": "#", ".cmake": "#", ".fut": "--"}
NO_SENTENCE = re.compile(r"   ?|.*==>|\s*$|\s*\||#|<|\w+: \w+ <")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) +")


def prose(path):
    """The lines of a document outside of its code, of comments and of Python's docstrings; None where a paragraph ends."""
    text = path.read_text(errors="replace")
    if path.suffix == ".md":
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            yield number, None if fenced or line.lstrip().startswith("```") else line
        return
    mark, tests, column = COMMENT[path.suffix], False, 0
    for number, line in enumerate(text.splitlines(), 1):
        code, found, comment = line.partition(mark + " ")
        whole = found and not code.strip()
        tests = bool(tests and line.strip() == mark or whole and (tests or comment.startswith(("==", "expect"))))    # the test blocks of a program
        if not whole or len(code) != column:
            yield number, None
        column = len(code)
        if found and not tests and not any(code.count(quote) % 2 for quote in "\"'`"):
            yield number, comment
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and (said := ast.get_docstring(node)):
                yield node.body[0].lineno, None
                yield from enumerate(said.splitlines(), node.body[0].lineno)


def paragraphs(path):
    """(number of the first line, text) of what is one paragraph or one item."""
    first, text = 0, []
    for number, line in [*prose(path), (0, None)]:
        if text and (line is None or ITEM.match(line) or NO_SENTENCE.match(line)):
            yield first, " ".join(text)
            text = []
        if line is not None and (ITEM.match(line) or not NO_SENTENCE.match(line) or text):
            first = first if text else number
            text.append(ITEM.sub("", line))


def long_sentences(path):
    for number, text in paragraphs(path):
        for sentence in re.split(r"(?<=[.!?:;])[\"')]*\s+", re.sub(r"`[^`]*`", "`code`", text)):
            if len(words := re.findall(r"\S*\w\S*", sentence)) > WORDS:
                yield number, len(words), sentence


def main():
    folders = ["backends", "benchmarks", "compiler", "docs", "examples", "passes", "prelude", "scripts", "tests"]
    paths = [path for folder in folders for path in sorted((root / folder).rglob("*")) if path.suffix in {".md", *COMMENT}]
    found = [(path.relative_to(root), *rest) for path in [root / "README.md", *paths] for rest in long_sentences(path)]
    for path, number, words, sentence in found:
        print(f"{path}:{number}: {words} words: {sentence}")
    print(f"{len(paths) + 1} files, {len(found)} sentences of more than {WORDS} words")
    sys.exit(bool(found))


main()
