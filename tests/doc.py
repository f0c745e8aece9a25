#!/usr/bin/env python3
"""The pages that `raido doc` makes: of the libraries, and of programs that have everything a page can show.

    doc.py RAIDO

Tags are nested, and every link leads to a page and an anchor that are there. Every name of the search leads to its item, and the
list of names of a library is that of its source."""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

from checking import check, end

root = pathlib.Path(__file__).resolve().parent.parent
raido = str(pathlib.Path(sys.argv[1]).resolve())


class Reader(html.parser.HTMLParser):
    EMPTY = {"meta", "link", "input", "hr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.wrong, self.text = [], [], [], [], ""
        self.feed(text)
        if self.open:
            self.wrong.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.links += [attrs[a] for a in ("href", "src") if a in attrs]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"closed: {tag}")

    def handle_data(self, data):
        self.text += data


def pages(folder):
    return {p.relative_to(folder).as_posix(): Reader(p.read_text()) for p in folder.rglob("*.html")}


def check_pages(folder):
    made = pages(folder)
    for name, page in made.items():
        check(name, not page.wrong, page.wrong)
        check(f"{name}: anchors", len(page.ids) == len(set(page.ids)))
        for link in page.links:
            if ":" in link.split("#")[0]:
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(path))) if path else name
            check(f"{name}: link {link}", (folder / target).exists() and (not anchor or urllib.parse.unquote(anchor) in made[target].ids))
    items = json.loads((folder / "items.js").read_text().removeprefix("const items = ").removesuffix(";\n").replace(",\n]", "\n]"))
    for name, page, _, target in items:
        path, _, anchor = target.partition("#")
        check(f"search: {name}", urllib.parse.unquote(anchor) in made[path].ids)
    return made, items


def make(source, folder, warned=""):
    r = subprocess.run([raido, "doc", "-o", folder, source], capture_output=True, text=True)
    check(f"raido doc {source}", r.returncode == 0 and r.stderr == warned, r.stderr)
    return check_pages(folder)


PROGRAM = '''-- | Everything, in short. The type is `t`@type, the module type `M`@mtype@"sub/other"; `gone`@term is not there.
--
-- 1. one `code`
-- 2. two
--    * inner *emphasis* and **strong**
--
-- | a | b |
-- |---|---|
-- | 1 | x \\| y |
--
-- > quoted <b>
--
-- [a link](http://example.org) and [bad](javascript:alert(1))

local module other = import "sub/other"
module again = import "sub/other"

-- | A type.
type t 'a [n] = {x: [n]a}

-- | Uses `t`@type.
--
-- ```
-- f 1 < 2
-- ```
def f (x: t i32 [2]): again.u = x.x[0]

def inferred x = (x + 1i32, true)
def (<+>) (a: i32) (b: i32): i32 = a + b

-- | A module with an argument.
module m (R: other.M) = {
  -- | Inside of it.
  def g (x: i32): (i32, i32) = (x, inferred x).0 |> \\y -> (y, y)
  local def hidden: i32 = 1
}
local def hidden_too: i32 = 2
entry main (x: i32): i32 = x <+> 1
'''
OTHER = '''-- | The other file.

-- | A type.
type u = i32

-- | A module type.
module type M = {
  -- | Of the module type.
  type t
  #[deprecated]
  -- | A value.
  val v [n] : [n]t -> u
  module N: {
    -- | Deep.
    val w : u
  }
  include { type z }
}
'''

with tempfile.TemporaryDirectory() as temp:
    temp = pathlib.Path(temp)
    made, items = make(str(root / "prelude/lib"), temp / "lib")
    for library in (root / "prelude/lib").glob("*.fut"):
        top = set(re.findall(r"(?m)^(?:def|module type|module|type) ([\w']+)", library.read_text()))
        check(library.name, top == {i[0] for i in items if i[1] == library.stem and "." not in i[0]})
        check(f"{library.name}: comment", made[f"doc/{library.stem}.html"].text.count("\n") > 20 and "–" not in made[f"doc/{library.stem}.html"].text)

    source = temp / "source"
    (source / "sub").mkdir(parents=True)
    (source / "all.fut").write_text(PROGRAM)
    (source / "sub/other.fut").write_text(OTHER)
    (source / "left_out.fut").write_text("-- | ignore\n\ndef x: i32 = 1\n")
    made, items = make(source, temp / "own", "all: the link `gone` leads nowhere.\n")
    names = {i[0]: i[2] for i in items if i[1] in ("all", "sub/other")}
    check("names", names == {"again": "module", "t": "type", "f": "value", "inferred": "value", "<+>": "value", "m": "module", "m.g": "value",
                             "main": "value", "u": "type", "M": "module type", "M.t": "type", "M.v": "value", "M.N": "module", "M.N.w": "value",
                             "M.z": "type"}, names)
    page, other = (temp / "own/doc/all.html").read_text(), (temp / "own/doc/sub/other.html").read_text()
    for text in ('<p>Everything, in short. The type is <a href="#type:t"><code>t</code></a>, the module type '
                 '<a href="../doc/sub/other.html#mtype:M"><code>M</code></a>; <code>gone</code> is not there.</p>',
                 "<li>two\n<ul>\n<li>inner <em>emphasis</em> and <strong>strong</strong></li>\n</ul></li>", "<td>x | y</td>",
                 "<blockquote>\n<p>quoted &lt;b&gt;</p>", '<a href="http://example.org">a link</a> and bad', "f 1 &lt; 2",
                 '<span class="name">f</span> (x: <a href="#type:t">t</a> i32 [2]): <a href="../doc/sub/other.html#type:u">again.u</a></span>',
                 '<span class="name">inferred</span>: i32 -&gt; (i32, bool)</span>', "(<span class=\"name\">&lt;+&gt;</span>) (a: i32) (b: i32): i32</span>",
                 "<p>Inside of it.</p>", '<a href="../doc/sub/other.html">&quot;sub/other&quot;</a>'):
        check("page", text in page, text)
    for text in ("<p>The other file.</p>", "<p>Of the module type.</p>", "<p>A value.</p>", '<span class="keyword">val</span> <span class="name">v</span> [n] : [n]<a href="#type:M.t">t</a> -&gt; <a href="#type:u">u</a>',
                 "<p>Deep.</p>"):
        check("other page", text in other, text)
    check("hidden", "hidden" not in page and "left_out.html" not in " ".join(made))
sys.exit(end("doc"))
