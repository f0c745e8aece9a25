#!/usr/bin/env python3
"""Runs a libFuzzer target once on every input of the corpus that is kept for it.

usage: replay.py TARGET CORPUS.tar.xz"""
import os
import resource
import subprocess
import sys
import tarfile
import tempfile

target, corpus = sys.argv[1:]
_, most = resource.getrlimit(resource.RLIMIT_STACK)
resource.setrlimit(resource.RLIMIT_STACK, (most, most))      # the targets have no stack of their own, as commands have
with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as findings:
    with tarfile.open(corpus) as archive:
        archive.extractall(folder)
    count = len(os.listdir(folder))
    done = subprocess.run([target, "-runs=0", "-timeout=60", "-rss_limit_mb=8000", f"-artifact_prefix={findings}/", folder],
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, capture_output=True, text=True, errors="replace")
if done.returncode != 0 or count == 0:
    print(done.stderr[-8000:])
    sys.exit(f"{count} inputs: exit code {done.returncode}")
print(f"{count} inputs")
