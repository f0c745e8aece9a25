#!/usr/bin/env python3
"""No call of the compiler has two arguments that add statements: C++ leaves open which of them runs first, so two C++ compilers would
write different programs. Lists in braces have an order. (`same_output.py` sees what this reading of the text cannot, and takes minutes.)"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
terms = "and_|or_|not_|eq|lt|le|select|apply|bind1?|convert|all_of|check"
own_terms = re.compile(r"^  (?:std::optional<)?(?:Term|Dim)>? (?!term\b|number\b)(\w+)\([^;]*\{$", re.M)      # what adds statements through a function of the file


def arguments(text, start):
    """What stands between the commas of the call whose parenthesis opens before `start`."""
    depth, begin, found = 0, start, []
    for i in range(start, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth < 0 or depth == 0 and text[i] == ",":
            found.append(text[begin:i])
            begin = i + 1
        if depth < 0:
            break
    return found


wrong = 0
for path in sorted(p for top in ("compiler", "passes", "backends") for p in (root / top).rglob("*") if p.suffix in (".h", ".cc")):
    text = path.read_text()
    adds_statements = re.compile(rf"\b({'|'.join([terms, *own_terms.findall(text)])})\(")
    for call in re.finditer(r"\b(?!if|while|for|switch|return)[a-z_]+\(", text):
        adding = [a for a in arguments(text, call.end()) if adds_statements.search(a) and "[&" not in a]
        if len(adding) > 1:
            line = text.count("\n", 0, call.start()) + 1
            print(f"{path.relative_to(root)}:{line}: two arguments of {call[0]}...) add statements: give them names, or a list in braces")
            wrong += 1
sys.exit(wrong > 0)
