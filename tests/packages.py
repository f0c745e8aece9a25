#!/usr/bin/env python3
"""`raido pkg` on repositories made here: versions, demands of demands, hashes, majors, failures that change nothing.

    packages.py RAIDO"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from checking import check, end

raido = str(pathlib.Path(sys.argv[1]).resolve())
if not shutil.which("git"):
    print("git is not installed")
    sys.exit(77)


def run(command, folder, code=0):
    r = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    check(" ".join(map(str, command)), r.returncode == code, f"{r.returncode}: {r.stdout}{r.stderr}")
    return r.stdout + (r.stderr if code else "")


class Repository:
    def __init__(self, path):
        self.path, self.folder = path, mirror / path
        self.folder.mkdir(parents=True)
        run(["git", "init", "--quiet"], self.folder)

    def version(self, tag, requires="", text=None, path=None):
        """A commit with a tag; its hash."""
        path = path or self.path
        (self.folder / "futhark.pkg").write_text(f"package {path}\n\nrequire {{\n{requires}}}\n")
        source = self.folder / "lib" / path
        source.mkdir(parents=True, exist_ok=True)
        (source / "code.fut").write_text(text or f"def version = \"{tag}\"\n")
        run(["git", "add", "."], self.folder)
        run(["git", "commit", "--quiet", "-m", tag or "untagged"], self.folder)
        if tag:
            run(["git", "tag", tag], self.folder)
        return run(["git", "rev-parse", "HEAD"], self.folder).strip()


def pkg(*words, code=0):
    return run([raido, "pkg", "--mirror", mirror, *words], project, code)


def files():
    return {p.relative_to(project / "lib").as_posix(): p.read_text() for p in (project / "lib").rglob("*.fut")}


def manifest():
    return (project / "futhark.pkg").read_text()


def fails(message, *words):
    """A failure leaves everything as it was."""
    before = manifest(), files()
    out = pkg(*words, code=1)
    check(f"{words}", message in out, out)
    check(f"{words}: nothing changes", before == (manifest(), files()) and not (project / "lib~new").exists() and not (project / "lib~old").exists())


with tempfile.TemporaryDirectory() as temp:
    temp = pathlib.Path(temp)
    mirror, project = temp / "mirror", temp / "project"
    project.mkdir()
    environment = dict(os.environ, HOME=str(temp), GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b",
                       GIT_COMMITTER_DATE="2026-03-04T05:06:07Z", GIT_CONFIG_NOSYSTEM="1")
    base = Repository("example.org/a/base")
    base_1 = base.version("v0.1.0")
    base_2 = base.version("v0.2.0")
    base.version("v0.10.0")
    base.version("v1.0.0-rc1")
    base_major = base.version("v2.0.0", path="example.org/a/base@2")
    middle = Repository("example.org/a/middle")
    middle.version("v1.0.0", "  example.org/a/base 0.2.0\n")
    middle.version("v1.1.0", "  example.org/a/base 0.2.0\n  example.org/a/extra 1.0.0\n", 'module base = import "../base/code"\ndef both = (base.version, 1i32)\n')
    extra = Repository("example.org/a/extra")
    extra.version("v1.0.0", "  example.org/a/middle 1.0.0\n")          # in a circle
    Repository("example.org/a/odd").version("v1.0.0", "  example.org/a/base 7.0.0\n")
    untagged = Repository("example.org/b/untagged")
    last = untagged.version("")

    check("the first package of a project", pkg("add", "example.org/a/base", "0.1.0") == "example.org/a/base 0.1.0\n" and
          manifest() == f"require {{\n  example.org/a/base 0.1.0 #{base_1}\n}}\n", manifest())
    (project / "futhark.pkg").unlink()
    check("init", pkg("init", "example.org/me/mine") == "" and manifest() == "package example.org/me/mine\n\nrequire {\n}\n")
    own = project / "lib/example.org/me/mine"
    (own / "mine.fut").write_text("def mine = 1i32\n")
    check("versions", pkg("versions", "example.org/a/base").split() == ["0.1.0", "0.2.0", "0.10.0", "1.0.0-rc1"])
    check("versions of a major", pkg("versions", "example.org/a/base@2").split() == ["2.0.0"])

    check("add", pkg("add", "example.org/a/base", "0.1.0") == "example.org/a/base 0.1.0\n" and base_1 in manifest(), manifest())
    check("add the newest", pkg("add", "example.org/a/middle") == "example.org/a/middle 1.1.0\n")
    check("sync", pkg("sync").split("\n")[:3] == ["example.org/a/base 0.2.0", "example.org/a/extra 1.0.0", "example.org/a/middle 1.1.0"])
    check("the greatest of the least versions", files()["example.org/a/base/code.fut"] == 'def version = "v0.2.0"\n')
    check("lib", sorted(files()) == ["example.org/a/base/code.fut", "example.org/a/extra/code.fut", "example.org/a/middle/code.fut", "example.org/me/mine/mine.fut"], files())
    (own / "use.fut").write_text('import "../../a/middle/code"\nentry main = both.1\n')
    check("it compiles", run([raido, "run", own / "use.fut"], project) == "1i32\n")
    check("check", pkg("check").startswith("example.org/a/base 0.2.0\n"))

    check("another major beside it", pkg("add", "example.org/a/base@2") == "example.org/a/base@2 2.0.0\n" and base_major in manifest())
    pkg("sync")
    check("majors", files()["example.org/a/base@2/code.fut"] == 'def version = "v2.0.0"\n' and files()["example.org/a/base/code.fut"] == 'def version = "v0.2.0"\n')
    pkg("remove", "example.org/a/base@2")
    check("upgrade", pkg("upgrade") == "example.org/a/base 0.1.0 => 0.10.0\n")
    check("sync after it", "example.org/a/base 0.10.0" in pkg("sync") and sorted(files())[0] == "example.org/a/base/code.fut")

    check("a commit", pkg("add", "example.org/b/untagged") == f"example.org/b/untagged 0.0.0-20260304050607+{last}\n", manifest())
    pkg("sync")
    check("its files", "example.org/b/untagged/code.fut" in files())
    pkg("remove", "example.org/b/untagged")

    fails("No package example.org/a/none found", "remove", "example.org/a/none")
    fails("has no version 9.9.9", "add", "example.org/a/base", "9.9.9")
    fails("no version like 1.2.3", "add", "example.org/a/base", "new")
    fails("no path of a package", "add", "../base")
    fails("failed:", "add", "example.org/a/none")
    fails("is there already", "init", "example.org/me/mine")
    good = manifest()
    (project / "futhark.pkg").write_text(good.replace("0.10.0 #", "0.10.0 #" + base_2[:12] + "0 --").replace("middle 1.1.0", "middle 1.0.0"))
    fails("is the commit", "sync")
    (project / "futhark.pkg").write_text(good.replace("base 0.10.0", "base 0.11.0"))
    fails("has no version 0.11.0", "sync")
    (project / "futhark.pkg").write_text(good.replace("middle 1.1.0", "odd 1.0.0 --"))
    fails("example.org/a/base has no version 7.0.0.\nexample.org/a/odd 1.0.0 asks for it.", "sync")
    for text, message in (("requires {", "1: expected the end, found `requires`"), ("require {\n  a/b 1.2\n}", "2: expected a version like 1.2.3, found `1.2`"),
                          ("require {\n", "expected the path of a package, or `}`, found the end"), ("package a\n", "the path of a package, found `a`"),
                          ("require { a/b 1.0.0 a/b 1.1.0 }", "expected another package"), ("require { a/../b 1.0.0 }", "found `a/../b`")):
        (project / "futhark.pkg").write_text(text)
        fails(message, "fmt")

    (project / "futhark.pkg").write_text("-- first\npackage a/b -- second\nrequire{ -- third\nc/d 1.2.3 #ab12 --fourth\n e/f 0.0.1}\n-- last\n")
    pkg("fmt")
    check("fmt", manifest() == "-- first\npackage a/b\n\n-- second\nrequire {\n  -- third\n  c/d 1.2.3 #ab12\n  --fourth\n  e/f 0.0.1\n}\n-- last\n", manifest())
    pkg("fmt")
    (project / "futhark.pkg").write_bytes(manifest().replace(" #ab12", "#ab12").replace("\n", "\r\n").encode())
    pkg("fmt")
    check("lines end as they do elsewhere, and a hash may touch its version", b"\r" not in (project / "futhark.pkg").read_bytes() and "c/d 1.2.3 #ab12\n" in manifest(), manifest())
    pkg("remove", "c/d")
    check("remove keeps comments", manifest() == "-- first\npackage a/b\n\n-- second\nrequire {\n  -- third\n  --fourth\n  e/f 0.0.1\n}\n-- last\n", manifest())
sys.exit(end("packages"))
