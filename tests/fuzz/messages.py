#!/usr/bin/env python3
"""Random JSON-RPC messages for `raido lsp`, and random files for the commands that read some: counts (`dev --roofline`), results of
benchmarks (`benchcmp`, `profile`), manifests of packages (`pkg fmt`), messages of GradBench.

    tests/fuzz/messages.py --raido build/release/raido [--seconds 60] [--seed 1] [--out FOLDER]

Messages begin as those of a session: documents are opened, changed and asked about. Then parts of them are left out, doubled or exchanged with other
parts. Or values of other types take their place, numbers at the ends of their types, long and deep ones. Some are no JSON, or have a
byte too many. The server must go on and answer the last request. Files are changed likewise; a command may refuse them, with a message.
A crash, a hang or a missing answer is a finding; what was sent goes into the folder of --out."""
import argparse
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = [p.read_text() for p in sorted((ROOT / "docs" / "tour").glob("*.fut")) + sorted((ROOT / "tests" / "commands" / "files").glob("*.fut"))]
METHODS = ["textDocument/hover", "textDocument/definition", "textDocument/references", "textDocument/rename", "textDocument/prepareRename", "textDocument/completion",
           "textDocument/formatting", "textDocument/codeAction", "textDocument/documentSymbol", "textDocument/signatureHelp", "workspace/symbol", "shutdown", "no/such"]
DEEP = "@deep@"                                  # becomes brackets in brackets
LEAVES = [None, True, False, 0, -1, 1, 2**31, 2**53, -2**63, 2**64, 1e308, 0.5, "", "x", "\u0000", "é" * 50, "file:///", "file://%zz", "a" * 100000, [], {}, [[]], {"a": {}}]


class Session:
    def __init__(self, r, folder):
        self.r, self.folder, self.text, self.version = r, folder, r.choice(PROGRAMS), 1

    def uri(self):
        return f"file://{self.folder}/{self.r.choice(('a.fut', 'a.fut', 'b.fut', 'none.fut'))}"

    def position(self):
        lines = self.text.split("\n")
        line = self.r.randrange(len(lines) + 1)
        return {"line": line, "character": self.r.randrange(len(lines[line]) + 2 if line < len(lines) else 3)}

    def message(self):
        r, kind = self.r, self.r.randrange(8)
        if kind == 0:
            self.text = r.choice(PROGRAMS)
            return {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": self.uri(), "languageId": "futhark", "version": 1, "text": self.text}}}
        if kind <= 2:
            self.version += 1
            change = {"text": r.choice(("", "def", "[", "x", "\n", "let", "->"))}
            if r.random() < 0.9:
                change["range"] = {"start": self.position(), "end": self.position()}
            return {"method": "textDocument/didChange", "params": {"textDocument": {"uri": self.uri(), "version": self.version}, "contentChanges": [change]}}
        if kind == 3:
            return {"method": r.choice(("textDocument/didClose", "textDocument/didSave")), "params": {"textDocument": {"uri": self.uri()}}}
        params = {"textDocument": {"uri": self.uri()}, "position": self.position(), "newName": r.choice(("y", "def", "é", "")), "query": "m",
                  "range": {"start": self.position(), "end": self.position()}, "context": {"diagnostics": [], "includeDeclaration": True},
                  "options": {"tabSize": 2, "insertSpaces": True}}
        return {"id": r.randrange(1000), "method": r.choice(METHODS[:-2] if r.random() < 0.95 else METHODS[-1:]), "params": params}


def parts(value, path=()):
    yield path
    for k, v in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts(v, path + (k,))


def changed(r, value):
    value = copy.deepcopy(value)
    for _ in range(r.choice((0, 0, 1, 1, 2, 4))):
        path = r.choice(list(parts(value)))
        if not path:
            if r.random() < 0.1:
                return r.choice(LEAVES)
            continue
        at = value
        for k in path[:-1]:
            at = at[k]
        kind = r.randrange(4)
        if kind == 0 and isinstance(at, dict):
            del at[path[-1]]
        elif kind == 1 and isinstance(at, list):
            at.append(copy.deepcopy(at[path[-1]]))
        elif kind == 2:
            other = value
            for k in r.choice(list(parts(value))):
                other = other[k]
            at[path[-1]] = copy.deepcopy(other)
        else:
            at[path[-1]] = copy.deepcopy(r.choice(LEAVES)) if r.random() < 0.97 else DEEP
    return value


def framed(r, message):
    depth = r.choice((50, 2000, 200000))
    body = json.dumps(message, ensure_ascii=r.random() < 0.5).replace(json.dumps(DEEP), "[" * depth + "]" * depth).encode(errors="surrogatepass")
    if r.random() < 0.03:
        cut = r.randrange(len(body) + 1)
        body = r.choice((body[:cut], body[:cut] + bytes([r.randrange(256)]) + body[cut:], b"", b"{", body + b"}"))
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def session(raido, seed, count, folder):
    """What is wrong with one session, and what was sent."""
    r = random.Random(seed)
    s = Session(r, folder)
    messages = [{"jsonrpc": "2.0", "id": -1, "method": "initialize", "params": {"processId": None, "rootUri": f"file://{folder}", "capabilities": {}}}]
    messages += [changed(r, {"jsonrpc": "2.0", **s.message()}) for _ in range(count)] + [{"jsonrpc": "2.0", "id": "last", "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "file:///none"}}}]
    sent = b"".join(framed(r, m) for m in messages[1:-1])
    sent = framed(random.Random(0), messages[0]) + sent + b"Content-Length: %d\r\n\r\n" % len(json.dumps(messages[-1])) + json.dumps(messages[-1]).encode()
    try:
        done = subprocess.run([raido, "lsp"], input=sent, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "hangs", sent
    if done.returncode not in (0, 1):
        return f"exit code {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}", sent
    if b'"last"' not in done.stdout:
        return "gave no answer to the last request\n" + done.stderr.decode(errors="replace")[-2000:], sent
    return "", sent


def broken(r, text):
    """With a part that something else replaces, now and then."""
    if r.random() < 0.8:
        return text
    cut = r.randrange(len(text) + 1)
    return text[:cut] + r.choice(("", "}", "\"", "[" * 5000, "\0", "\u00e9", "--")) + text[cut + r.randrange(20):]


def readers(commands, given, name, content):
    """Gives the text `content` to commands, in the file `name` or on standard input. What is wrong, and the text."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for arguments in commands:
            (pathlib.Path(folder) / name).write_bytes(content)
            try:
                done = subprocess.run(arguments, cwd=folder, input=content if given else b"", capture_output=True, timeout=60)
            except subprocess.TimeoutExpired:
                wrong.append(f"{arguments[1:]} hangs")
                continue
            if done.returncode not in (0, 1, 2) or (done.returncode != 0 and not given and not done.stdout + done.stderr):
                wrong.append(f"{arguments[1:]}: exit code {done.returncode}: {done.stderr.decode(errors='replace')[-1000:]}")
    return "\n".join(wrong), content


COUNTS = {"device": "emulator", "sample": 16, "host": {"reads": 1, "read_bytes": 8, "writes": 0, "copies": 0, "written_bytes": 0, "copied_bytes": 0},
          "kernels": [{"name": "k_1", "launches": 1, "blocks": 8, "block_size": 256, "needed_read_bytes": 800, "needed_written_bytes": 80, "read_sectors": 30,
                       "i64_add_issued": 3, "longest_requests": 3, "uneven": False}]}
EVENT = {"name": "k_1", "provenance": "a.fut:3:5-9", "duration": 12.5, "details": {"kernel": "k_1", "grid": [8, 1, 1], "block": [256, 1, 1], "shared memory": 0}}
RESULTS = {"a.fut": {"datasets": {"[10]f64": {"runtimes": [17, 16, 16], "bytes": {"default space": 4000}, "stderr": "log",
                                              "profiling": {"memory": {"default space": 4000}, "events": [EVENT, {**EVENT, "details": {"bytes": 8}}]}},
                                  "#1 (\"[]\")": "Program failed"}},
           "a.fut:other": {"datasets": {}}, "b.fut": "Compilation failed"}
MANIFEST = """-- first
package github.com/me/mine

require {
  -- inside
  github.com/diku-dk/sorts 0.4.1 #0123456789abcdef0123456789abcdef01234567
  github.com/athas/vector@2 2.0.1
  gitlab.com/x/y 0.0.0-20260101000000+abcdef
}
-- last
"""
GRADBENCH = [{"id": 0, "kind": "start", "eval": "hello", "config": {}}, {"id": 1, "kind": "define", "module": "hello"},
             {"id": 2, "kind": "evaluate", "module": "hello", "function": "square", "input": 3.0, "description": "3"},
             {"id": 3, "kind": "analysis", "of": 2, "valid": True}]


def counts(raido, r):
    dev = [raido, "dev", "--roofline"]
    return readers([[*dev, "h100", "c.json"], [*dev, "c.json", "c.json"]], False, "c.json",
                   broken(r, json.dumps(changed(r, changed(r, COUNTS)))).encode(errors="surrogatepass"))


def results(raido, r):
    return readers([[raido, "benchcmp", "r.json", "r.json"], [raido, "profile", "r.json"]], False, "r.json",
                   broken(r, json.dumps(changed(r, changed(r, RESULTS)))).encode(errors="surrogatepass"))


def manifests(raido, r):
    words = MANIFEST.split(" ")
    for _ in range(r.randrange(5)):
        words[r.randrange(len(words))] = r.choice(words + ["", "{", "}", "#", "-- x\n", "@", "1.2", "9" * 40 + ".0.0", "../..", "\n"])
    return readers([[raido, "pkg", "fmt"]], False, "futhark.pkg", broken(r, " ".join(words)).encode(errors="surrogatepass"))


def gradbench(raido, r):
    text = "\n".join(json.dumps(changed(r, m)).replace(json.dumps(DEEP), "[" * 5000) for m in GRADBENCH) + "\n"
    return readers([[raido, "gradbench", "nowhere"]], True, "unused", broken(r, text).encode(errors="surrogatepass"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raido", default="build/release/raido", type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    ends, seed, findings, sessions = time.time() + options.seconds, options.seed, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.time() < ends:
            files = [(f.__name__, *f(options.raido, random.Random(seed))) for f in (counts, results, manifests, gradbench)]
            for name, said, sent in [("lsp", *session(options.raido, seed, 200, folder)), *files]:
                sessions += 1
                if not said:
                    continue
                findings += 1
                print(f"{name}, seed {seed}: {said}")
                if options.out:
                    options.out.mkdir(parents=True, exist_ok=True)
                    (options.out / f"{name}-{seed}").write_bytes(sent)
            seed += 1
    print(f"{sessions} sessions, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
