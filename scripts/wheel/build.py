#!/usr/bin/env python3
"""Makes a wheel of an executable: the command `raido`, and the module `raido`, which compiles programs.

    build.py RAIDO OUT

A wheel is a zip file with a list of its files and their hashes; pip is all that is needed to install it."""
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def main():
    executable, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = re.match(r"Raido (\S+)", subprocess.run([executable, "--version"], capture_output=True, text=True, check=True).stdout)[1]
    info = f"raido-{version}.dist-info"
    tag = f"py3-none-linux_{platform.machine()}"
    files = {
        "raido/__init__.py": (HERE / "raido" / "__init__.py").read_bytes(),
        "raido/raido": executable.read_bytes(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: raido\nVersion: {version}\nSummary: A compiler for the Futhark language, with derivatives\n"
                            "License: ISC\nRequires-Python: >=3.11\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: raido\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{info}/entry_points.txt": b"[console_scripts]\nraido = raido:main\n",
        f"{info}/LICENSE": (HERE.parent.parent / "LICENSE").read_bytes(),
    }
    record = ""
    wheel = out / f"raido-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data):
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))          # the same files make the same wheel
            entry.external_attr = (0o100755 if name == "raido/raido" else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
            add(name, data)
        add(f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode())


main()
