#!/usr/bin/env python3
"""Random small programs about sizes: every way to make, hide, return, compare and lose a size that nobody knows, inside every
construct that can stand around it. sizes_rules.txt says what they are put together from; many of them are ill typed.

Programs go through the compiler in batches. `check` must say yes or no to each and nothing else (a crash or an internal error is a
finding); what is accepted is run by the interpreter, also with --check-shapes, and with --c as compiled C, and the values must agree.
With --peer PATH another compiler of the language, called like `futhark`, is asked the same; a difference of verdict or value is a
finding, except what `known` names. A finding is made smaller as long as it stays, and written to --out with both answers.
With --verdicts FILE the verdicts must be those in the file, which --record writes.

    tests/fuzz/sizes.py --raido build/release/raido --count 400 --seed 1 [--peer PATH] [--c] [--out FOLDER]

A seed makes the same program every time; --show SEED prints the program of one."""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

from running import command, same
from sizes_modules import EntryProgram, ModuleProgram

# What a part is where nothing else may be written, if no name is known that will do.
LEAF = {'I': ['1', '2'], 'N': ['1', '2'], 'B': ['true', 'false'], 'V': ['[1, 2]', 'iota 3'], 'M': ['[[1, 2], [3, 4]]'],
        'P': ['([1, 2], [3])', '([1], [2])'], 'R': ['{a = [1, 2], c = 2}'], 'S': ['#none : (#some ([]i64) | #none)', '#some [1] : (#some ([]i64) | #none)'],
        'G': ['map (+ 1)', 'filter (> 1)'], 'F': ['iota'], 'H': ['iota'], 'K': ['length']}
LEAF['O'] = ['[1]']
USABLE = {'I': 'IN', 'N': 'N', 'V': 'V', 'M': 'M', 'B': 'B', 'G': 'G'}     # kinds of names that will do

HOLE = re.compile(r'\$(?:(Q)(?:\[\$?(\w+)\])?|([A-Z]))(?:\(([a-z]\w*:[^)]*)\))?|\$([a-z])')


class Rule:
    """A text in parts: strings, holes (kind, same size as, names) and new names."""

    def __init__(self, kind, weight, text):
        self.kind, self.weight = kind, weight
        decl, expr = text.split(' ;; ') if ' ;; ' in text else ('', text)
        self.decl, self.expr = self.parse(decl), self.parse(expr)
        self.holes = sum(isinstance(p, tuple) and p[0] == 'hole' for p in self.decl + self.expr)

    @staticmethod
    def parse(text):
        parts, at = [], 0
        fresh = set(m[5] for m in HOLE.finditer(text) if m[5])
        name = lambda x: ('new', x) if x in fresh else x
        for m in HOLE.finditer(text):
            parts.append(text[at:m.start()])
            if m[5]:
                parts.append(('new', m[5]))
            else:
                names = [(name(x), k) for x, k in (p.strip().split(':') for p in m[4].split(','))] if m[4] else []
                parts.append(('hole', m[1] or m[3], name(m[2]) if m[2] else None, names))
            at = m.end()
        return [p for p in parts + [text[at:]] if p]


def rules(path):
    by_kind = collections.defaultdict(list)
    for line in pathlib.Path(path).read_text().splitlines():
        m = re.match(r'([A-Z])(?: (\d+))?: (.*)', line)
        if m:
            by_kind[m[1]].append(Rule(m[1], int(m[2] or 1), m[3]))
    return by_kind


RULES = rules(pathlib.Path(__file__).with_name('sizes_rules.txt'))


class Node:
    """A part of a program: a rule with its parts filled in, or a text."""

    def __init__(self, kind, like, decl=(), expr=()):
        self.kind, self.like, self.decl, self.expr = kind, like, list(decl), list(expr)

    def show(self, decls):
        texts = []
        for side in self.decl, self.expr:
            out = ''
            for p in side:
                if isinstance(p, Node):
                    text = p.show(decls)
                    out += text if re.fullmatch(r'[\w@.]+', text) or whole(text) else f'({text})'
                else:
                    out += p
            texts.append(out)
        if texts[0]:
            decls += re.split(r' (?=(?:def|module|open) \w+@)', texts[0])
        return texts[1]

    def children(self):
        return [p for p in self.decl + self.expr if isinstance(p, Node)]

    def all(self):
        yield self
        for c in self.children():
            yield from c.all()


def whole(text):
    """Is it one pair of brackets?"""
    if not text or text[0] + text[-1] not in ('()', '[]', '{}'):
        return False
    depth = 0
    for i, c in enumerate(text):
        depth += (c in '([{') - (c in ')]}')
        if depth == 0:
            return i == len(text) - 1
    return False


class Program:
    entry = None
    PARAMS = [('n', 'N'), ('m', 'N'), ('xs', 'V'), ('ys', 'V'), ('b', 'B')]
    GIVEN = '3i64 2i64 [3i64, 1i64, 4i64, 1i64, 5i64] [2i64, 7i64, 1i64]'

    def __init__(self, seed):
        self.seed, self.r, self.names = seed, random.Random(seed), 0
        self.arrays = self.r.choice(['(xs: []i64) (ys: []i64)', '[k] (xs: [k]i64) (ys: []i64)'] + ['[k][l] (xs: [k]i64) (ys: [l]i64)'] * 4)
        self.result = self.r.choice(['', ': []i64'])
        self.root = self.make('O', None, list(self.PARAMS), self.r.choice([2, 3, 3, 4]))

    def fresh(self, hint):
        self.names += 1
        return f'{hint}{self.names}@'

    def make(self, kind, like, env, depth):
        usable = [x for x, k in env if k in USABLE.get(kind, '')]
        if kind == 'Q':
            if depth <= 0 or self.r.random() < 0.25:
                return Node(kind, like, expr=[like])
        elif usable and (depth <= 0 or self.r.random() < 0.35):
            return Node(kind, like, expr=[self.r.choice(usable[-4:] if self.r.random() < 0.7 else usable)])
        if depth <= 0:
            return Node(kind, like, expr=[self.r.choice(LEAF[kind])])
        options = RULES[kind]
        rule = self.r.choices(options, [o.weight for o in options])[0]
        new = {'s': like}
        fill = lambda x: new[x[1]] if isinstance(x, tuple) else x
        for p in rule.decl + rule.expr:
            if p[0] == 'new' and p[1] not in new:
                new[p[1]] = self.fresh(p[1])
        node = Node(kind, like)
        for side, parts in (node.decl, rule.decl), (node.expr, rule.expr):
            outer = [] if parts is rule.decl else env
            for p in parts:
                if isinstance(p, str):
                    side.append(p)
                elif p[0] == 'new':
                    side.append(new[p[1]])
                else:
                    inner = outer + [(fill(x), k) for x, k in p[3]]
                    side.append(self.make(p[1], fill(p[2]) if p[2] else like, inner, depth - 1))
        return node

    def text(self, suffix=''):
        decls = []
        body = self.root.show(decls)
        decls.append(f'def go@ {self.arrays} (n: i64) (m: i64) (b: bool){self.result} = {body}')
        return '\n'.join(decls).replace('@', suffix)

    def uses(self, suffix=''):
        return [f'go{suffix} xs ys n m {b}' for b in ('true', 'false')]


def program(seed):
    return EntryProgram(seed) if seed % 10 == 9 else ModuleProgram(seed) if seed % 5 == 3 else Program(seed)


def main_of(programs, suffixes):
    uses = [u for p, s in zip(programs, suffixes) for u in p.uses(s)]
    return 'def main (n: i64) (m: i64) (xs: []i64) (ys: []i64) = (' + ', '.join(uses) + ')\n'


def whole_text(p):
    return p.text() + '\n' + ('' if p.entry else main_of([p], ['']))


ARRAY = re.compile(r'\[[^\[\]]*\]|empty\(\[0\]i64\)')


class Batch:
    """Some programs in one file, each on lines of its own."""

    def __init__(self, programs, folder, name):
        self.programs, self.path = programs, os.path.join(folder, name + '.fut')
        self.suffixes = [f'_{i}' for i in range(len(programs))]

    def write(self, chosen, with_main):
        """The lines at which each one starts."""
        text, starts = '', []
        for i in chosen:
            starts.append(text.count('\n') + 1)
            text += self.programs[i].text(self.suffixes[i]) + '\n'
        starts.append(text.count('\n') + 1)
        if with_main:
            text += main_of([self.programs[i] for i in chosen], [self.suffixes[i] for i in chosen])
        with open(self.path, 'w') as f:
            f.write(text)
        return starts

    def at(self, chosen, starts, line):
        return next((i for i, a, b in zip(chosen, starts, starts[1:]) if a <= line < b), None)

    def our_verdicts(self, raido):
        """For each program None (accepted), an error (code and message), or 'crash: ..'."""
        verdicts = {}
        left = list(range(len(self.programs)))
        while left:
            starts = self.write(left, False)
            status, said, err = command([raido, 'check', '-w', '--json', self.path], 60)
            if status not in (0, 1, 2) or 'Internal error' in said + err:
                if len(left) == 1:
                    verdicts[left[0]] = f'crash: {status} {(said + err)[-600:]}'
                    return verdicts
                half = len(left) // 2
                for part in left[:half], left[half:]:
                    inner = Batch([self.programs[i] for i in part], os.path.dirname(self.path), os.path.basename(self.path)[:-4] + 'x')
                    verdicts.update({part[k]: v for k, v in inner.our_verdicts(raido).items()})
                return verdicts
            found = False
            for line in (said + err).splitlines():
                try:
                    d = json.loads(line)
                except ValueError:
                    continue
                if d['severity'] == 'error':
                    i = self.at(left, starts, d['span']['line'])
                    if i is not None and i not in verdicts:
                        verdicts[i], found = f"{d['code']} {d['message']}", True
            if not found:
                for i in left:
                    verdicts[i] = None if status == 0 else f'crash: {status} {(said + err)[-600:]}'
                break
            left = [i for i in left if i not in verdicts]      # what is left may have errors that were not shown yet
        return verdicts

    def their_verdicts(self, peer, chosen):
        """Of those that we accept: all at once, as long as none is refused."""
        verdicts, left = {}, list(chosen)
        while left:
            starts = self.write(left, False)
            status, said, err = command([peer, 'check', '-w', self.path], 120)
            if status == 0:
                break
            m = re.search(r'Error at [^:]*:(\d+):', err)
            i = self.at(left, starts, int(m[1])) if m else None
            if i is None:
                i = left[0]
                err = 'no place: ' + err
            verdicts[i] = err
            left.remove(i)
        verdicts.update({i: None for i in left})
        return verdicts

    def values(self, run, chosen):
        """What `run` (a function of the path) prints for each, or ('error', what it said)."""
        entries = [i for i in chosen if self.programs[i].entry]
        if entries:
            shown = self.values(run, [i for i in chosen if i not in entries])
            self.write(entries, False)
            for i in entries:
                if self.programs[i].given is not None:
                    status, said, err = run(self.path, self.programs[i].entry.replace('@', self.suffixes[i]), self.programs[i].given)
                    shown[i] = re.sub(r'empty\([^)]*\)', '[]', said) if status == 0 else ('error', f'{status} {err[-600:]}')
            return shown
        if not chosen:
            return {}
        self.write(chosen, True)
        status, said, err = run(self.path)
        if status == 0:
            found = [re.sub(r'empty\(.*', '[]', v) for v in ARRAY.findall(said)]
            if len(found) == 2 * len(chosen):
                return {i: ' '.join(found[2 * k:2 * k + 2]) for k, i in enumerate(chosen)}
            err = 'unexpected output: ' + said[:300]
        if len(chosen) == 1:
            return {chosen[0]: ('error', f'{status} {err[-600:]}')}
        half = len(chosen) // 2
        return self.values(run, chosen[:half]) | self.values(run, chosen[half:])


# Differences that are ours on purpose: what we say, what the other says, what is in the text. README.md says why.
KNOWN = [
    ('accept', 'Ambiguous size .* arising from anonymous size in type', '#'),
    ('accept', '"loop', r'do \(y\d*, x\d*\)'),
    ('accept', '', r'\\[^>]*: \[\]i64 ->'),
    ('accept', 'rigidly bound in a deeper scope', ''),
    ('accept', 'Causality check: size .* needed for type of "[a-z]', 'loop'),
    ('accept', 'Unknown size .* in parameter of|Occurs check: cannot instantiate', 'loop'),
    ('C17', 'accept', 'let'),
    ('F24', 'accept', 'loop'),
    ('invalid sizes', '', ''),
    ('F19', 'accept', 'loop'),
    ('', 'Internal compiler error', ''),
]


def known(ours, theirs, text):
    return any(all(re.search(p, t, re.S) for p, t in zip(row, (ours or 'accept', theirs or 'accept', text))) for row in KNOWN)


class Runner:
    def __init__(self, options, folder):
        self.o, self.folder = options, folder

    def interpret(self, path, entry='main', given=Program.GIVEN, more=()):
        return command([self.o.raido, 'run', '-w', '-e', entry, *more, path], 60, given)

    def compiled(self, path, entry='main', given=Program.GIVEN):
        binary = f'{path[:-4]}_{zlib.crc32(pathlib.Path(path).read_bytes())}'
        if not os.path.exists(binary):
            status, said, err = command([self.o.raido, 'c', '-w', path, '-o', binary], 300)
            if status != 0:
                return 3, said, err
        return command([binary, '-e', entry], 60, given)

    def theirs(self, path, entry='main', given=Program.GIVEN):
        return command([self.o.peer, 'run', '-w', '-e', entry, path], 120, given)

    def look(self, programs, name):
        """(verdict of each, [(index, signature, details)])"""
        o, found = self.o, []
        batch = Batch(programs, self.folder, name)
        ours = batch.our_verdicts(o.raido)
        for i, v in ours.items():
            if v and v.startswith('crash'):
                found.append((i, 'crash of check', v))
        accepted = [i for i in sorted(ours) if ours[i] is None]
        theirs = {}
        if o.peer:
            theirs = batch.their_verdicts(o.peer, accepted)
            for i, v in ours.items():
                if v and not v.startswith('crash'):
                    status, _, err = command([o.peer, 'check', '-w', self.single(programs[i], name + 's')], 60)
                    theirs[i] = None if status == 0 else err
        shown = batch.values(self.interpret, accepted)
        for i, v in shown.items():
            if isinstance(v, tuple) and ('nternal error' in v[1] or v[1][:v[1].index(' ')] not in ('1', '2')):
                found.append((i, 'crash of run: ' + gist(v[1]), v[1]))
        if o.shapes:
            good = [i for i in accepted if isinstance(shown.get(i), str)]
            for i, v in batch.values(lambda *args: self.interpret(*args, more=['--check-shapes']), good).items():
                if v != shown[i]:
                    found.append((i, 'shape: ' + gist(str(v)), str(v)))
        if o.c:
            good = [i for i in accepted if isinstance(shown.get(i), str)]
            for i, v in batch.values(self.compiled, good).items():
                if 'no external representation' not in str(v) and (isinstance(v, tuple) or not same(v, shown[i])):
                    found.append((i, 'compiled and interpreted differ', f'interpreter: {shown[i]}\nc: {v}'))
        for i, v in theirs.items():
            if (v is None) != (ours[i] is None):
                if not known(ours[i], v, programs[i].text()):
                    found.append((i, f'we {"accept" if ours[i] is None else "refuse " + ours[i][:3]}: {gist(v or ours[i])}', f'ours: {ours[i]}\ntheirs: {(v or "accept")[:900]}'))
        both = [i for i in accepted if theirs.get(i, 1) is None and i in shown]
        fails = [i for i in both if isinstance(shown[i], tuple)]
        other = batch.values(self.theirs, [i for i in both if i not in fails])
        for i in fails:
            other.update(batch.values(self.theirs, [i]))
        for i, v in other.items():
            if isinstance(v, tuple) and v[1].startswith('124'):
                continue
            if isinstance(v, tuple) != isinstance(shown[i], tuple) or (not isinstance(v, tuple) and not same(v, shown[i])):
                if not known(str(shown[i]), str(v), programs[i].text()):
                    found.append((i, 'values differ: ' + gist(str(v)), f'ours: {shown[i]}\ntheirs: {v}'))
        return ours, found

    def single(self, program, name):
        path = os.path.join(self.folder, name + '.fut')
        with open(path, 'w') as f:
            f.write(whole_text(program))
        return path

    def smaller(self, program, signature, name):
        """The program with parts replaced by parts of theirs, as long as the finding stays."""
        tries = 0
        if not isinstance(program, Program):
            return program

        def still():
            nonlocal tries
            tries += 1
            return any(s == signature for _, s, _ in self.look([program], name)[1])
        changed = True
        while changed and tries < 150:
            changed = False
            for node in list(program.root.all()):
                saved = node.decl, node.expr
                simplest = [node.like] if node.kind == 'Q' else [x for x, k in Program.PARAMS if k == node.kind][:2] + LEAF[node.kind][:1]
                options = [([], [x]) for x in simplest if [x] != node.expr]
                options += [(c.decl, c.expr) for c in node.all() if c is not node and c.kind == node.kind and c.like == node.like]
                if not node.children() and node.expr and node.expr[0] in simplest:
                    continue
                size = sum(1 for _ in node.all())
                for decl, expr in options[:8]:
                    if size == 1 and node.expr[0] in simplest:
                        break
                    node.decl, node.expr = decl, expr
                    if tries < 150 and still():
                        changed = True
                        break
                    node.decl, node.expr = saved
        return program


def gist(said):
    """The kind of a message, without names and numbers."""
    said = re.sub(r'(?s)^crash: |^.*?(?=nternal error)|^.*?(?=Error at)', '', said)
    lines = [l for l in said.splitlines() if l.strip() and not re.match(r'Error at|no place', l)]
    return re.sub(r'"[^"]*"|`[^`]*`', '_', re.sub(r'\d+', '0', lines[0] if lines else ''))[:90]


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('--raido', default='build/release/raido')
    a.add_argument('--peer', help='another compiler to compare with')
    a.add_argument('--count', type=int, default=100)
    a.add_argument('--seed', type=int, default=1, help='of the first program')
    a.add_argument('--batch', type=int, default=40, help='programs in one file')
    a.add_argument('--c', action='store_true', help='compile and run too')
    a.add_argument('--shapes', action='store_true', help='run with --check-shapes too')
    a.add_argument('--out', help='a folder for the programs with findings')
    a.add_argument('--jobs', type=int, default=2)
    a.add_argument('--show', type=int, help='print the program of a seed and stop')
    a.add_argument('--verdicts', help='a file of verdicts, one letter for each program')
    a.add_argument('--record', action='store_true', help='write that file')
    o = a.parse_args()
    if o.show is not None:
        print(whole_text(program(o.show)), end='')
        return 0
    seen, verdicts, failed = collections.Counter(), {}, 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(o.jobs) as pool:
        runner = Runner(o, folder)

        def one(first):
            programs = [program(s) for s in range(first, min(first + o.batch, o.seed + o.count))]
            return first, programs, *runner.look(programs, f'b{first}')

        for first, programs, ours, found in pool.map(one, range(o.seed, o.seed + o.count, o.batch)):
            verdicts.update({first + i: 'a' if v is None else 'r' for i, v in ours.items()})
            for i, signature, details in found:
                failed += 1
                seen[signature] += 1
                print(f'seed {first + i}: {signature}', flush=True)
                if not o.out or seen[signature] > 3:
                    continue
                small = runner.smaller(programs[i], signature, f'm{first + i}')
                details = next((d for _, s, d in runner.look([small], f'm{first + i}')[1] if s == signature), details)
                os.makedirs(o.out, exist_ok=True)
                with open(os.path.join(o.out, f'{first + i}.fut'), 'w') as f:
                    f.write(whole_text(small) + ''.join(f'-- {line}\n' for line in [signature] + details.split('\n')))
    text = ''.join(verdicts[s] for s in sorted(verdicts))
    print(f'{o.count} programs, {text.count("a")} accepted, {failed} findings')
    for signature, n in seen.most_common():
        print(f'{n:6} {signature}')
    if o.verdicts:
        wrapped = '\n'.join(text[i:i + 100] for i in range(0, len(text), 100)) + '\n'
        if o.record:
            pathlib.Path(o.verdicts).write_text(wrapped)
        else:
            wanted = pathlib.Path(o.verdicts).read_text().replace('\n', '')
            for s, (v, w) in enumerate(zip(text, wanted), o.seed):
                if v != w:
                    failed += 1
                    print(f'seed {s}: the verdict was "{w}" and is "{v}"')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
