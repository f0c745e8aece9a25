"""The rules of the passes, as their sources name them."""
import pathlib
import re

passes = pathlib.Path(__file__).resolve().parent.parent / "passes"


def counters(path):
    """The names that a file gives to what it counts (`dev --stats`), each written in full or as the id of a rule of simplify."""
    text = path.read_text()
    names = set(re.findall(r'"([a-z_]+\.[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)"', text))
    names |= {name for call in re.findall(r"\bcount\(([^;]*?)\);", text) for name in re.findall(r'"([^"]+)"', call) if not name.endswith(".")}
    return names | {"simplify." + rule for rule in re.findall(r'\{"([A-Z]\d+[\w.]*)", \w+(?:<\w+>)?\}', text)}


def names_of_passes():
    return re.findall(r"^PASS\((\w+),", (passes / "passes.def").read_text(), re.M)
