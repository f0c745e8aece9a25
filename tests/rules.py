#!/usr/bin/env python3
"""The rules of the language, a small program for each side of each: tests/rules/*.txt by `raido check` and `raido run`.

usage: rules.py RAIDO [NAME...]      NAME: only these files, without .txt

A file holds programs between lines `---`, each followed by what must become of it:

    => VALUES           it is accepted, and main gives these values (of the input after `@in`, if there is one)
    => ok               it is accepted; it has no main
    => refused CODE     the first message about it has this code
    => fails WORDS      it is accepted, and stops at run time with a message that contains the words

`%% PATH` begins another file of the same program."""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def programs(path):
    """(line, text, input, expectation) of each."""
    with open(path) as f:
        parts = re.split(r'^---\n', f.read(), flags=re.M)
    line = parts[0].count('\n') + 2
    for part in parts[1:]:
        text, mark, expected = part.partition('\n=> ')
        assert mark, f'{path}:{line}: no expectation'
        given = re.match(r'@in (.*)\n', text)
        yield line, text[given.end():] if given else text, given[1] if given else '', ' '.join(expected.split())
        line += part.count('\n') + 1


def raido(command, text=''):
    p = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    return p.returncode, p.stdout, p.stderr


def outcome(binary, text, given, expected):
    with tempfile.TemporaryDirectory() as folder:
        main, *others = re.split(r'^%% (\S+)\n', text + '\n', flags=re.M)
        path = os.path.join(folder, 'program.fut')
        for name, content in [('program.fut', main)] + list(zip(others[::2], others[1::2])):
            target = os.path.join(folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, 'w') as f:
                f.write(content)
        status, _, said = raido([binary, 'check', '-w', path])
        if status != 0:
            code = re.search(r'\[([A-Z]\d\d)\]', said)
            return f'refused {code[1]}' if code and status in (1, 2) else f'check ended with {status}: {said}'
        if not re.search(r'\b(def|entry|let) main\b', text):
            return 'ok'
        status, out, said = raido([binary, 'run', '-w', '--type-directed', path], given)
        if status == 0:
            return ' '.join(out.split())
        if expected.startswith('fails ') and expected[6:] in ' '.join(said.split()):
            return expected
        return 'fails ' + ' '.join(said.split())


def main():
    binary, folder = os.path.abspath(sys.argv[1]), os.path.join(os.path.dirname(os.path.abspath(__file__)), 'rules')
    names = [f'{name}.txt' for name in sys.argv[2:]] or sorted(os.listdir(folder))
    cases = [(name, *p) for name in names for p in programs(os.path.join(folder, name))]
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, line, text, _, expected), got in zip(cases, pool.map(lambda c: outcome(binary, *c[2:]), cases)):
            if got != expected:
                wrong += 1
                print(f'{name}:{line}:\n{text}\n  expected: {expected}\n  got:      {got}\n')
    print(f'{len(cases) - wrong}/{len(cases)} passed.')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
