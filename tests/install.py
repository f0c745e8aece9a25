#!/usr/bin/env python3
"""What `cmake --install` puts into a prefix: an executable that needs nothing else, manual pages, completions.

    tests/install.py BUILD_FOLDER"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from checking import expect, end


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, **more)
    return done.returncode, done.stdout + done.stderr


def completed(script, *words):
    """What bash offers for the last word of a command line."""
    code = f'. {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _raido; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return subprocess.run(["bash", "-c", code, "bash", *words], capture_output=True, text=True, timeout=20).stdout.split()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "usr"
        code, out = run("cmake", "--install", build, "--prefix", prefix)
        expect("install", (code, out if code else ""), (0, ""))
        raido = prefix / "bin/raido"
        bare = {"PATH": "/usr/bin:/bin"}
        (pathlib.Path(folder) / "p.fut").write_text('import "/prelude/lib/linear"\ndef main (x: i32) = x + 1\n')
        expect("run", run(raido, "run", "p.fut", cwd=folder, env=bare, input="41"), (0, "42i32\n"))
        expect("compile", run(raido, "c", "p.fut", cwd=folder, env=bare), (0, ""))
        expect("compiled", run("./p", cwd=folder, env=bare, input="41"), (0, "42i32\n"))

        pages = sorted((prefix / "share/man/man1").iterdir())
        commands = [line.split()[0] for line in run(raido)[1].splitlines() if line.startswith("  ")]
        expect("pages", [p.name for p in pages], sorted(["raido.1"] + [f"raido-{c}.1" for c in commands]))
        if shutil.which("groff"):
            for page in pages:
                expect(page.name, run("groff", "-man", "-Tutf8", "-ww", "-z", page), (0, ""))
        text = run("groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-o", "-P-u", prefix / "share/man/man1/raido-bench.1")[1] if shutil.which("groff") else "--backend=NAME"
        expect("page of bench", "--backend=NAME" in text, True)

        script = prefix / "share/bash-completion/completions/raido"
        expect("bash", run("bash", "-n", script), (0, ""))
        expect("commands", completed(script, "raido", "be"), ["bench", "benchcmp"])
        expect("commands to help with", completed(script, "raido", "help", "ls"), ["lsp"])
        expect("options", completed(script, "raido", "bench", "p.fut", "--no-"), ["--no-tuning", "--no-convergence-phase"])
        expect("with a value", completed(script, "raido", "c", "--ad-m"), ["--ad-memory="])
        expect("choices", completed(script, "raido", "benchcmp", "--order"), ["--order=worst-first", "--order=best-first"])
        expect("files", completed(script, "raido", "c", "p"), [])
        for shell, file in [("zsh", "zsh/site-functions/_raido"), ("fish", "fish/vendor_completions.d/raido.fish")]:
            path = prefix / "share" / file
            expect(shell, path.read_text(), run(raido, "--completion", shell)[1])
            if shutil.which(shell):
                expect(f"{shell} reads it", run(shell, "-n", path), (0, ""))
        expect("no such shell", run(raido, "--completion=tcsh"), (2, "raido: 'tcsh' is not one of bash, zsh, fish\n"))
        expect("no such page", run(raido, "--manual", "nonsense"), (2, 'raido: unknown subcommand "nonsense".\n'))
    return end("install")


if __name__ == "__main__":
    sys.exit(main())
