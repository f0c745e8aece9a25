#!/usr/bin/env python3
"""`raido repl` on a terminal: editing, letters that are not ASCII, Ctrl-C and Ctrl-D wherever they come; and what it leaves when it is ended.

    repl.py RAIDO"""
import os
import pty
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

from checking import check, end, expect

raido = str(pathlib.Path(sys.argv[1]).resolve())
PATIENCE = 60


class Session:
    """A repl on a terminal of its own."""
    def __init__(self, home):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm", HOME=home, LC_ALL="C.UTF-8")
            os.execv(raido, [raido, "repl", "-w"])
        self.seen = ""
        self.until("[0]> ")

    def until(self, text):
        """What comes up to this text, which must come."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))[0]
            try:
                more = os.read(self.terminal, 1 << 16) if ready else b""
            except OSError:                                 # the other end is closed
                more = b""
            if not more:
                check(f"there is `{text}`", False, repr(self.seen))
                self.seen = ""
                return ""
            self.seen += more.decode("utf-8", "replace").replace("\r", "")
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, keys, text):
        os.write(self.terminal, keys)
        return self.until(text)

    def close(self, keys):
        self.type(keys, "Leaving 'raido repl'.")
        status = os.waitpid(self.process, 0)[1]
        os.close(self.terminal)
        expect("the exit code", os.waitstatus_to_exitcode(status), 0)


def on_terminals(home):
    s = Session(home)
    check("a value", "2\n" in s.type(b"1 + 1\n", "[1]> "))
    # An empty input keeps its number: the prompt comes again.
    s.type(b"3 +", "3 +")
    s.type(b"\x03", "[1]> ")
    check("after a line that was given up", "4\n" in s.type(b"4\n", "[2]> "))
    s.type(b"def f x =\n", "...> ")
    s.type(b"\x03", "[3]> ")
    check("after an input that was given up", "5\n" in s.type(b"5\n", "[4]> "))
    s.type(b"loop x = 1 while true do x\n", "do x\n")
    workers(s.process)
    time.sleep(0.5)
    check("an evaluation that was ended", "Interrupted." in s.type(b"\x03", "[5]> "))
    for _ in range(3):
        s.type(b"\x03", "[5]> ")
    check("a letter", "[195, 169]" in s.type("\"é\"\n".encode(), "[6]> "))
    check("the line before", "[195, 169]" in s.type(b"\x10\n", "[7]> "))
    check("a name made longer", "7\n" in s.type(b"replic\t 1 7 |> head\n", "[8]> "))
    s.type(b"(1,\n", "...> ")
    check("no more lines", "[A05]" in s.type(b"\x04", "[9]> "))
    s.close(b"\x04")
    s = Session(home)
    check("the history of the session before", "7\n" in s.type(b"\x10\x10\n", "[1]> "))
    s.close(b":quit\n")


def workers(process):
    """The processes that evaluate for this one, as soon as there are any."""
    deadline = time.monotonic() + PATIENCE
    found = []
    while not found and time.monotonic() < deadline:
        time.sleep(0.05)
        found = "".join(p.read_text() for p in pathlib.Path(f"/proc/{process}/task").glob("*/children")).split()
    return found


def is_alive(process):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def ended():
    """With the interpreter ends the process that evaluates."""
    repl = subprocess.Popen([raido, "repl", "-w"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    repl.stdin.write(b"loop x = 1 while true do x\n")
    repl.stdin.flush()
    evaluating = workers(repl.pid)
    repl.send_signal(signal.SIGKILL)
    repl.wait()
    deadline = time.monotonic() + PATIENCE
    while any(map(is_alive, evaluating)) and time.monotonic() < deadline:
        time.sleep(0.05)
    check("somebody evaluated", evaluating)
    check("and ended", not any(map(is_alive, evaluating)))


with tempfile.TemporaryDirectory() as home:
    on_terminals(home)
ended()
sys.exit(end("repl"))
