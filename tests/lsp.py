#!/usr/bin/env python3
"""`raido lsp` as an editor speaks to it: whole sessions, with programs that are right, wrong, unfinished, or no text at all.

    tests/lsp.py build/release/raido [--speed]

With --speed an answer to a key in 2,000 lines must come within 50 ms.

A place in a text is written `§`: it is taken out, and the position is where it was."""
import faulthandler
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from checking import expect, end

faulthandler.dump_traceback_later(100, exit=True)


def units(text):
    return len(text.encode("utf-16-le")) // 2


def position(text, at):
    before = text[:at]
    return {"line": before.count("\n"), "character": units(before[before.rfind("\n") + 1:])}


class Editor:
    def __init__(self, raido, folder):
        self.process = subprocess.Popen([raido, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.folder, self.id, self.diagnostics, self.versions = pathlib.Path(folder), 0, {}, {}

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            if not line:
                return None
            if line.startswith(b"Content-Length: "):
                length = int(line[16:])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def ask(self, method, params, whole=False):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while (message := self.receive()) and message.get("id", 0) != self.id:
            pass
        if message is None:
            raise EOFError(self.process.stderr.read().decode())
        return message if whole else message.get("result", message.get("error"))

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def initialize(self):
        return self.ask("initialize", {"processId": None, "rootUri": self.uri(""), "capabilities": {}})

    def uri(self, name):
        return f"file://{self.folder}/{name}" if name else f"file://{self.folder}"

    def document(self, name):
        return {"textDocument": {"uri": self.uri(name)}}

    def published(self, name):
        """The messages about a file after all that was said."""
        self.ask("textDocument/documentSymbol", self.document("no such file"))
        self.diagnostics.pop(self.uri(name), None)
        while self.uri(name) not in self.diagnostics:
            self.receive()
        return self.diagnostics[self.uri(name)]

    def open(self, name, text):
        self.tell("textDocument/didOpen", {"textDocument": {"uri": self.uri(name), "languageId": "futhark", "version": 1, "text": text}})
        self.diagnostics.pop(self.uri(name), None)
        while self.uri(name) not in self.diagnostics:
            self.receive()
        return self.diagnostics[self.uri(name)]

    def change(self, name, *changes):
        """Each change is a text, or a range and a text."""
        self.diagnostics.pop(self.uri(name), None)
        self.tell("textDocument/didChange", {"textDocument": {"uri": self.uri(name), "version": 2}, "contentChanges": list(changes)})
        while self.uri(name) not in self.diagnostics:
            self.receive()
        return self.diagnostics[self.uri(name)]

    def at(self, method, name, marked, **more):
        """Opens the text at its mark and asks there."""
        mark = marked.index("§")
        text = marked.replace("§", "")
        self.change(name, {"text": text})
        return self.ask(method, {**self.document(name), "position": position(text, mark), **more})

    def close(self):
        expect("shutdown", self.ask("shutdown", None), None)
        expect("after shutdown", self.ask("textDocument/hover", {})["code"], -32600)
        self.tell("exit", None)
        self.process.stdin.close()
        return self.process.wait(timeout=20)


def edited(text, edits):
    """The text after edits of the protocol."""
    def offset(p):
        lines = text.split("\n")
        before = sum(len(line) + 1 for line in lines[:p["line"]])
        at, count = 0, 0
        while count < p["character"]:
            count += units(lines[p["line"]][at])
            at += 1
        return before + at
    for e in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        text = text[:offset(e["range"]["start"])] + e["newText"] + text[offset(e["range"]["end"]):]
    return text


def span(r):
    return (r["start"]["line"], r["start"]["character"], r["end"]["line"], r["end"]["character"])


def a_session(raido, folder):
    editor = Editor(raido, folder)
    expect("before initialize", editor.ask("textDocument/hover", {})["code"], -32002)
    can = editor.initialize()
    expect("server", can["serverInfo"]["name"], "raido")
    expect("twice", editor.initialize()["code"], -32600)
    editor.tell("initialized", {})
    editor.tell("$/setTrace", {"value": "off"})
    editor.open("a.fut", "")

    # Messages while it is written; columns count UTF-16 units.
    messages = editor.change("a.fut", {"text": "def f (x: i32) =\n  let s = \"𝄞é\" in x + velocty\ndef velocity = 1\n"})
    expect("a name nobody knows", [(m["code"], m["severity"], span(m["range"])) for m in messages], [("B01", 1, (1, 23, 1, 30)), ("K01", 2, (1, 6, 1, 7))][:len(messages)])
    messages = editor.change("a.fut", {"range": {"start": {"line": 1, "character": 23}, "end": {"line": 1, "character": 30}}, "text": "x"})
    expect("mended", [m["code"] for m in messages if m["severity"] == 1], [])
    messages = editor.change("a.fut", {"text": "def f (a: *[]i32) = let b = a with [0] = 1 in a[0] + b[0]\n"})
    expect("second places", [(span(i["location"]["range"]), bool(i["message"])) for i in messages[0]["relatedInformation"]][:1], [((0, 28, 0, 29), True)])
    messages = editor.change("a.fut", {"text": "def f (x: i32 = x\n"})
    expect("syntax", [m["severity"] for m in messages], [1])

    # Several changes in one notice, and places outside the text.
    editor.change("a.fut", {"text": "def f (x: i32) = x\n"}, {"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}, "text": "g"},
                  {"range": {"start": {"line": 9, "character": 9}, "end": {"line": 99, "character": 0}}, "text": "def h = g 1"})
    expect("incremental", [s["name"] for s in editor.ask("textDocument/documentSymbol", editor.document("a.fut"))], ["g", "h"])

    # What is known about a place.
    def hover(marked):
        found = editor.at("textDocument/hover", "a.fut", marked)
        return found and found["contents"]["value"]
    expect("hover", hover("-- | The length.\ndef len [n] (xs: [n]f64) : i64 = n\ndef y = §len [1.0, 2.0]\n"), "```futhark\nlen: [2]f64 -> i64\n```\n---\nThe length.")
    expect("hover sizes", hover("def f [n] (xs: [n]f64) = let §ys = map (* 2) xs in ys\n"), "```futhark\nys: [n]f64\n```")
    expect("hover expression", hover("def f (x: f64) = x §* 2.0 |> f64.sin\n").splitlines()[1][:1] in "*:f", True)
    expect("hover literal", hover("def f (x: f32) = x + §2\n"), "```futhark\nf32\n```")
    expect("hover type", hover("type v = {x: f64}\ndef f (a: §v) = a.x\n"), "```futhark\ntype v = {x: f64}\n```")
    expect("hover field", hover("def f (a: {x: f64}) = a.§x\n"), "```futhark\nx: f64\n```")
    expect("hover module", hover("module m = {def a = 1}\ndef f = §m.a\n"), "```futhark\nmodule m: {\n  val a: i32\n}\n```")
    expect("hover of nothing", hover("def f = 1\n§\n\n"), None)
    expect("hover in a wrong program", hover("def g (a: i32) = §a\ndef f = nothing\n"), "```futhark\na: i32\n```")

    # Definitions.
    def definition(marked):
        found = editor.at("textDocument/definition", "a.fut", marked)
        return found and (pathlib.Path(found["uri"]).name, span(found["range"]))
    expect("definition", definition("def f x = x + 1i32\ndef g = §f 2\n"), ("a.fut", (0, 4, 0, 5)))
    expect("of a parameter", definition("def f [n] (x: [n]i32) = x[§n - 1]\n"), ("a.fut", (0, 7, 0, 8)))
    expect("in a module", definition("module m = {def a = 1}\ndef f = m.§a\n"), ("a.fut", (0, 16, 0, 17)))
    expect("of the module", definition("module m = {def a = 1}\ndef f = §m.a\n"), ("a.fut", (0, 7, 0, 8)))
    expect("of a type", definition("type t = i32\ndef f (x: §t) = x\n"), ("a.fut", (0, 5, 0, 6)))
    prelude = editor.at("textDocument/definition", "a.fut", "def f = §map (+ 1) [1, 2]\n")
    file = pathlib.Path(prelude["uri"].removeprefix("file://"))
    expect("of the prelude", (file.name, file.read_text().splitlines()[prelude["range"]["start"]["line"]].split()[:2]), ("soacs.fut", ["def", "map"]))

    # All uses, and new names.
    def highlights(marked):
        return [span(h["range"]) for h in editor.at("textDocument/documentHighlight", "a.fut", marked)]
    expect("highlights", highlights("def f (x: i32) = let y = §x in x + y\n"), [(0, 7, 0, 8), (0, 25, 0, 26), (0, 30, 0, 31)])

    def renamed(marked, name):
        found = editor.at("textDocument/rename", "a.fut", marked, newName=name)
        if "changes" not in found:
            return found.get("message")
        return edited(marked.replace("§", ""), found["changes"][editor.uri("a.fut")])
    expect("rename", renamed("def f (§x: i32) = let x' = x + 1 in x * x'\n", "long"), "def f (long: i32) = let x' = long + 1 in long * x'\n")
    expect("rename a function", renamed("def f x = x + 1i32\ndef g = 1 |> §f |> f\n", "h"), "def h x = x + 1i32\ndef g = 1 |> h |> h\n")
    expect("rename a shorthand", renamed("def f (x: i32) = {§x, y = x}\n", "z"), "def f (z: i32) = {x = z, y = z}\n")
    expect("rename a pattern's", renamed("def f (r: {x: i32}) = let {x} = r in §x\n", "z"), "def f (r: {x: i32}) = let {x = z} = r in z\n")
    expect("rename a loop's", renamed("def f (§x: i32) = loop x for i < 3 do x + i\n", "z"), "def f (z: i32) = loop z for i < 3 do z + i\n")
    expect("rename an update's", renamed("def f (x: *[]i32) = let §x[0] = 1 in x\n", "z"), "def f (z: *[]i32) = let z[0] = 1 in z\n")
    expect("rename a size", renamed("def f [§n] (x: [n]i32) (y: [n]i32) = n\n", "m"), "def f [m] (x: [m]i32) (y: [m]i32) = m\n")
    expect("rename a type", renamed("type §t 'a = [2]a\ndef f (x: t i32) : t i32 = x\n", "pair"), "type pair 'a = [2]a\ndef f (x: pair i32) : pair i32 = x\n")
    expect("rename a type parameter", renamed("def f 't (x: §t) : t = x\n", "u"), "def f 'u (x: u) : u = x\n")
    expect("rename a module", renamed("module m = {module n = {def a = 1}}\nopen §m.n\ndef b = m.n.a\n", "k"), "module k = {module n = {def a = 1}}\nopen k.n\ndef b = k.n.a\n")
    expect("rename a module type", renamed("module type §s = {type t val a : t}\nmodule m : s = {type t = i32 def a = 1i32}\nmodule f (p: s) = {def b = p.a}\n", "sig"),
           "module type sig = {type t val a : t}\nmodule m : sig = {type t = i32 def a = 1i32}\nmodule f (p: sig) = {def b = p.a}\n")
    expect("rename a module's parameter", renamed("module f (§p: {val a : i32}) = {def b = p.a}\n", "q"), "module f (q: {val a : i32}) = {def b = q.a}\n")
    expect("rename an operator", renamed("def (§+++) (a: i32) b = a + b\ndef f = 1 +++ 2\n", "***"), "def (***) (a: i32) b = a + b\ndef f = 1 *** 2\n")
    expect("rename backquoted", renamed("def plus (a: i32) b = a + b\ndef f = 1 `§plus` 2\n", "add"), "def add (a: i32) b = a + b\ndef f = 1 `add` 2\n")
    taken = "With the name `y` the program would mean something else, or nothing: the name is taken."
    expect("captured", renamed("def f (§x: i32) (y: i32) = x - y\n", "y"), taken)
    expect("captures", renamed("def f (§x: i32) = let y = 1 in x - y\n", "y"), taken)
    expect("no name", renamed("def f (§x: i32) = x\n", "1x"), "`1x` cannot take the place of `x`.")
    expect("keyword", renamed("def f (§x: i32) = x\n", "let"), "`let` cannot take the place of `x`.")
    expect("field", renamed("def f (r: {x: i32}) = r.§x\n", "z"), "`x` is a field: it belongs to every type that has it.")
    expect("prelude", renamed("def f = §map (+ 1) [1]\n", "z"), "`map` belongs to the prelude.")
    expect("may rename", editor.at("textDocument/prepareRename", "a.fut", "def f (x: i32) = §x\n")["placeholder"], "x")
    expect("may not rename", editor.at("textDocument/prepareRename", "a.fut", "def f (x: i32) = x §+ 1\n")["message"], "`+` is built in.")

    # Names and fields to write.
    def complete(marked):
        return [i["label"] for i in editor.at("textDocument/completion", "a.fut", marked)]
    known = complete("def before = 1\ndef f [n] (param: [n]i32) = let inner = 1 in §\ndef behind = 2\n")
    expect("names", [w in known for w in ["before", "param", "inner", "n", "map", "i32", "let", "behind"]], [True] * 7 + [False])
    known = complete("def f (xs: []i32) = map (\\elem -> el§ ) xs\n")
    expect("in a function", "elem" in known, True)
    known = complete("def f (xs: []i32) = loop acc = 0 for x in xs do a§\ndef g = 1\n")
    expect("in a loop", ("acc" in known, "x" in known), (True, True))
    known = complete("def f (x: #a i32 | #b) = match x case #a payload -> p§ case #b -> 0\n")
    expect("in a case", "payload" in known, True)
    record = "type v = {pos: f64, vel: {dx: f64, dy: f64}}\n"
    expect("fields", complete(record + "def f (a: v) = a.§\n"), ["pos", "vel"])
    expect("fields half written", complete(record + "def f (a: v) = 1 + a.po§ + 2\n"), ["pos", "vel"])
    expect("fields of fields", complete(record + "def f (a: v) = a.vel.§\n"), ["dx", "dy"])
    expect("fields of an element", complete(record + "def f (a: []v) = a[0].§\n"), ["pos", "vel"])
    expect("fields of a call", complete(record + "def g (x: f64) : v = {pos = x, vel = {dx = x, dy = x}}\ndef f = (g 1).§\n"), ["pos", "vel"])
    expect("members", [w in complete("module m = {def one = 1 type t = i32}\ndef f = m.§\n") for w in ["one", "t", "map"]], [True, True, False])
    expect("of the prelude", "sqrt" in complete("def f x = f64.§ x\n"), True)
    editor.change("a.fut", {"text": record + "def f (a: v) = a.pos\n"})
    expect("after a syntax error", complete(record + "def f (a: v) = (((a.§\n"), ["pos", "vel"])
    expect("numbers", complete("def f = 12§\n"), [])

    # Layout, outline, edits.
    untidy = "def f x=x+1\n\n\ndef  g = f 1 -- é\n"
    editor.change("a.fut", {"text": untidy})
    edits = editor.ask("textDocument/formatting", {**editor.document("a.fut"), "options": {}})
    done = subprocess.run([raido, "fmt"], input=untidy, capture_output=True, text=True).stdout
    expect("formatting", edited(untidy, edits), done)
    editor.change("a.fut", {"text": done})
    expect("formatted", editor.ask("textDocument/formatting", {**editor.document("a.fut"), "options": {}}), [])
    editor.change("a.fut", {"text": "def f = ("})
    expect("no layout", editor.ask("textDocument/formatting", {**editor.document("a.fut"), "options": {}}), None)
    editor.change("a.fut", {"text": "module m = {def a = 1 module n = {type t = i32}}\nmodule type s = {}\n"})
    outline = editor.ask("textDocument/documentSymbol", editor.document("a.fut"))
    expect("outline", [(s["name"], [c["name"] for c in s.get("children", [])]) for s in outline], [("m", ["a", "n"]), ("s", [])])
    editor.change("a.fut", {"text": "def f [n] (xs: [n]f64) = let ys = map f64.sin xs let (a, b) = (1, 2) in ys[a:b]\n"})
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    expect("hints", [(h["position"]["character"], h["label"]) for h in editor.ask("textDocument/inlayHint", {**editor.document("a.fut"), "range": whole})], [(31, ": [n]f64")])

    def mended(text):
        messages = editor.change("a.fut", {"text": text})
        actions = editor.ask("textDocument/codeAction", {**editor.document("a.fut"), "range": whole, "context": {"diagnostics": messages}})
        return [edited(text, a["edit"]["changes"][editor.uri("a.fut")]) for a in actions]
    expect("did you mean", mended("def velocity = 1\ndef f = velocty + 1\n"), ["def velocity = 1\ndef f = velocity + 1\n"])
    expect("convert", mended("def f (i: i32) : i64 = i\n"), ["def f (i: i32) : i64 = i64.i32 i\n"])
    expect("convert an operand", mended("def f (i: i32) (k: i64) = k + i\n"), ["def f (i: i32) (k: i64) = k + i64.i32 i\n"])
    expect("coerce", mended("def g [n] (a: [n]i32) (b: [n]i32) = n\ndef f [n][m] (a: [n]i32) (b: [m]i32) = g a b\n"),
           ["def g [n] (a: [n]i32) (b: [n]i32) = n\ndef f [n][m] (a: [n]i32) (b: [m]i32) = g a (b :> [n]i32)\n"])
    expect("a copy", mended("def f (a: [2]i32) = a with [0] = 1\n"), ["def f (a: [2]i32) = copy a with [0] = 1\n"])
    expect("a case", mended("def f (x: #a | #b) : i32 =\n  match x\n  case #a -> 1\n"), ["def f (x: #a | #b) : i32 =\n  match x\n  case #a -> 1\n  case #b -> ???\n"])
    expect("nothing to do", mended("def f = 1\n"), [])
    return editor


def several_files(raido, folder):
    (folder / "lib").mkdir()
    (folder / "lib/base.fut").write_text("def width = 3i64\ndef area (x: i64) = x * width\n")
    (folder / "other.fut").write_text('import "lib/base"\ndef g = area 2\n')
    editor = Editor(raido, folder)
    editor.initialize()
    main = 'import "lib/base"\ndef f = area 4 + width\n'
    expect("imports", editor.open("main.fut", main), [])
    found = editor.at("textDocument/definition", "main.fut", 'import "lib/base"\ndef f = §area 4 + width\n')
    expect("definition elsewhere", (found["uri"], span(found["range"])), (editor.uri("lib/base.fut"), (1, 4, 1, 8)))
    expect("the imported file", editor.at("textDocument/definition", "main.fut", 'import "lib/§base"\ndef f = 1\n')["uri"], editor.uri("lib/base.fut"))
    found = editor.at("textDocument/references", "main.fut", 'import "lib/base"\ndef f = §area 4 + width\n', context={"includeDeclaration": True})
    expect("references", [(pathlib.Path(r["uri"]).name, span(r["range"])) for r in found],
           [("base.fut", (1, 4, 1, 8)), ("main.fut", (1, 8, 1, 12)), ("other.fut", (1, 8, 1, 12))])
    changes = editor.at("textDocument/rename", "main.fut", 'import "lib/base"\ndef f = §area 4 + width\n', newName="surface")["changes"]
    expect("rename everywhere", sorted((pathlib.Path(u).name, len(c)) for u, c in changes.items()), [("base.fut", 1), ("main.fut", 1), ("other.fut", 1)])

    # A text that is not saved counts, at once, for those who import it.
    editor.open("lib/base.fut", "def width = 3i64\ndef area (x: i64) = x * width\n")
    editor.diagnostics.clear()
    editor.tell("textDocument/didChange", {"textDocument": {"uri": editor.uri("lib/base.fut"), "version": 2}, "contentChanges": [{"text": "def width = 3i64\ndef areas (x: i64) = x * width\n"}]})
    expect("unsaved", [m["code"] for m in editor.published("main.fut")], ["B01"])
    # A mistake in what is imported is shown there.
    editor.tell("textDocument/didClose", editor.document("lib/base.fut"))
    (folder / "lib/base.fut").write_text("def width = 3i64\ndef area (x: i64) = x * widht\n")
    editor.diagnostics.clear()
    editor.tell("textDocument/didChange", {"textDocument": {"uri": editor.uri("main.fut"), "version": 2}, "contentChanges": [{"text": main}]})
    editor.published("main.fut")
    expect("a mistake elsewhere", [m["code"] for m in editor.diagnostics.get(editor.uri("lib/base.fut"), [])], ["B01"])
    (folder / "lib/base.fut").write_text("def width = 3i64\ndef area (x: i64) = x * width\n")
    editor.change("main.fut", {"text": main + "\n"})
    expect("and taken back", editor.diagnostics[editor.uri("lib/base.fut")], [])
    editor.diagnostics.clear()
    editor.tell("textDocument/didClose", editor.document("main.fut"))
    editor.ask("textDocument/hover", editor.document("main.fut"))
    expect("closed", editor.diagnostics[editor.uri("main.fut")], [])

    # Names with blanks and other letters; a text without a file.
    (folder / "ein é").mkdir()
    expect("escaped", editor.open("ein%20%C3%A9/a.fut", 'import "../lib/base"\ndef f = width\n'), [])
    editor.tell("textDocument/didOpen", {"textDocument": {"uri": "untitled:Untitled-1", "languageId": "futhark", "version": 1, "text": "def f = nope"}})
    while "untitled:Untitled-1" not in editor.diagnostics:
        editor.receive()
    expect("untitled", [m["code"] for m in editor.diagnostics["untitled:Untitled-1"]], ["B01"])
    expect("exit code", editor.close(), 0)


def anything_at_all(raido, folder):
    """Messages that make no sense are answered or ignored; the session goes on."""
    editor = Editor(raido, folder)
    for data in [b"Content-Length: 3\r\n\r\n{{{", b"Content-Length: x\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n"]:
        editor.raw(data)
        expect("no message", editor.receive()["error"]["code"], -32700)
    for data in [b"[]", b"17", b"{}", b'"x"', b"[[[[[[[[", b'{"method": 3, "id": 1}']:
        editor.raw(b"Content-Type: x\r\ncontent-length:%d\r\n\r\n" % len(data) + data)
        expect("no request", editor.receive()["error"]["code"] in (-32600, -32700), True)
    editor.raw(b"Content-Length: 6\r\n\r\n\xff\xfe{}[]")
    expect("no UTF-8", editor.receive()["error"]["code"], -32700)
    editor.initialize()
    expect("unknown", editor.ask("textDocument/nonsense", {})["code"], -32601)
    editor.send({"id": 99, "result": None})
    editor.tell("nonsense", [1, 2])
    editor.open("x.fut", "def f = 1\n")
    chance = random.Random(1)
    params = [None, [], 3, {}, {"textDocument": 1}, editor.document("x.fut"), {**editor.document("x.fut"), "position": "x", "range": []},
              {**editor.document("x.fut"), "position": {"line": -1, "character": 10**12}, "newName": 3},
              {**editor.document("x.fut"), "position": {"line": 10**12, "character": -7}, "range": {"start": {"line": 5, "character": 5}, "end": {"line": 0, "character": 0}}}]
    methods = ["hover", "definition", "references", "documentHighlight", "documentSymbol", "completion", "formatting", "codeAction", "inlayHint", "prepareRename", "rename"]
    for method in methods:
        for p in params:
            expect("an answer", "id" in editor.ask("textDocument/" + method, p, whole=True), True)
    for p in params:
        for notice in ["didOpen", "didChange", "didClose", "didSave"]:
            editor.tell("textDocument/" + notice, p)
    editor.open("x.fut", "")
    # Programs in every stage of being written, and no programs.
    program = "type v 'a = {x: a, y: [2]a}\nmodule m = {def k [n] (a: [n]f64) = loop s = 0 for e in a do s + e}\n-- | Doc 𝄞\nentry f (r: v f64) = match r.y[0] > 1 case true -> m.k r.y case _ -> r.x |> f64.sin\n"
    for round in range(60):
        text = list(program)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text))
            text[at:at + chance.randrange(9)] = chance.choice(["", "(", "let", ".", "\x00", "§", "\"", "}", "=", "\r\n", "???"])
        text = "".join(text)
        editor.change("x.fut", {"text": text})
        where = position(text, chance.randrange(len(text) + 1))
        for method in chance.sample(methods, 3):
            whole = editor.ask("textDocument/" + method, {**editor.document("x.fut"), "position": where, "newName": "z", "range": {"start": where, "end": where}}, whole=True)
            if whole.get("error", {}).get("code") == -32603:
                expect(f"{method} at {where} of {text!r}", whole, "no failure")
    deep = "def f = " + "(" * 20000 + "1" + ")" * 20000 + "\n"
    expect("deep", isinstance(editor.change("x.fut", {"text": deep}), list), True)
    expect("exit code", editor.close(), 0)
    # The end of input is the end.
    editor = Editor(raido, folder)
    editor.raw(b"Content-Length: 100\r\n\r\n{")
    editor.process.stdin.close()
    expect("cut off", editor.process.wait(timeout=20), 1)


def speed(raido, folder, most):
    lines = ["type body = {mass: f64, pos: f64, vel: f64}"]
    for i in range(285):
        lines += [f"def step{i} [n] (dt: f64) (bodies: [n]body) : [n]body =", "  let move (b: body) =", "    let vel = b.vel + dt * b.pos / b.mass", "    let pos = b.pos + dt * vel",
                  "    in b with pos = pos with vel = vel", f"  let moved = map move {'bodies' if i == 0 else f'(step{i - 1} dt bodies)'}", "  in moved"]
    text = "\n".join(lines) + "\n"
    editor = Editor(raido, folder)
    editor.initialize()
    expect("speed: no message", editor.open("big.fut", text), [])
    times = []
    for i in range(9):
        start = time.monotonic()
        editor.change("big.fut", {"range": {"start": {"line": 3, "character": 4}, "end": {"line": 3, "character": 4}}, "text": " "})
        times.append(time.monotonic() - start)
    best = sorted(times)[len(times) // 2]
    print(f"{text.count(chr(10))} lines: {best * 1000:.0f} ms from a key to its messages")
    if most:
        expect("speed", best < most, True)
    expect("exit code", editor.close(), 0)


def main():
    raido = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as three:
        expect("exit code", a_session(raido, pathlib.Path(one).resolve()).close(), 0)
        several_files(raido, pathlib.Path(two).resolve())
        anything_at_all(raido, pathlib.Path(three).resolve())
        speed(raido, pathlib.Path(three).resolve(), 0.05 if "--speed" in sys.argv else 0)
    return end("lsp")


if __name__ == "__main__":
    sys.exit(main())
