"""Random small programs about modules by the liftedness of their types, and about entry points by the kinds of their values."""
import random
import re


class Written:
    """Lines, with `@` for what makes their names different from those of other programs."""
    entry = None           # the name of an entry point whose result is printed; none: uses() shows values

    def text(self, suffix=''):
        return '\n'.join(self.lines).replace('@', suffix)

    def uses(self, suffix=''):
        return [f'go{suffix} xs ys n m {b}' for b in ('true', 'false')]


class ModuleProgram(Written):
    """A module with one type, in all ways to ask for it, to make it and to use it, by liftedness."""
    # What the type is, how it is made of x: [k]i64, and the array that shows a value v.
    TYPES = [('i64', 'i64.sum x', '[v]'), ('[2]i64', '[i64.sum x, 1]', 'v'), ('[]i64', 'x', 'v'), ('([]i64, i64)', '(x, 1)', 'v.0'),
             ('?[k].([k]i64, [k]i64)', '(x, map (+ 1) x)', 'map2 (+) v.0 v.1'), ('([]i64, []i64)', '(x, filter (> 1) x)', 'v.0 ++ v.1'),
             ('{a: []i64, c: i64}', '{a = x, c = 1}', 'v.a'), ('[][]i64', '[x, x]', 'flatten v'), ('i64 -> []i64', '\\_ -> x', 'v 1'),
             ('[]i64 -> i64', '\\y -> i64.sum x + i64.sum y', '[v [1, 2]]'), ('{f: i64 -> i64, a: []i64}', '{f = (+ 1), a = x}', 'map v.f v.a'),
             ('#some ([]i64) | #none', 'if null x then #none else #some x', 'match v case #some y -> y case #none -> []'),
             ('#one i64 | #two', 'if null x then #two else #one (length x)', 'match v case #one y -> [y] case #two -> []'), ('()', '()', '[1]')]
    SIZED = [('[k]i64', 'x', 'v'), ('([k]i64, i64)', '(x, 1)', 'v.0'), ('([k]i64, [k]i64)', '(x, x)', 'map2 (+) v.0 v.1'), ('[k][k]i64', 'map (\\_ -> x) x', 'flatten v'),
             ('[k][2]i64', 'map (\\y -> [y, y]) x', 'flatten v'), ('#some ([k]i64) | #none', '#some x', 'match v case #some y -> y case #none -> []'),
             ('[k]i64 -> i64', '\\y -> i64.sum (map2 (+) x y)', '[1]'), ('([k]i64, []i64)', '(x, filter (> 1) x)', 'v.0 ++ v.1')]
    OF_TYPE = [('[]t', 'x', 'v'), ('[2]t', '[x[0], x[0]]', 'v'), ('(t, t)', '(x[0], x[0])', '[v.0, v.1]'), ('t', 'x[0]', '[v]'), ('?[k].([k]t, i64)', '(x, 1)', 'v.0'),
               ('i64 -> t', '\\i -> x[i]', '[v 0]'), ('#some t | #none', '#some x[0]', 'match v case #some y -> [y] case #none -> []')]
    USES = ['$get ($mk xs)', 'let v = $mk xs in $get v ++ $get v', '$get (if b then $mk xs else $mk ys)', '$get (loop v = $mk xs for _i < 2i64 do $mk ($get v))',
            '$get (loop v = $mk xs for _i < 2i64 do v)', '$get [$mk xs, $mk xs][1]', 'let vs = map (\\i -> $mk [i, i]) xs in $get vs[0]', 'flatten (map (\\i -> $get ($mk [i, i])) xs)',
            '(\\v -> $get v) ($mk xs)', 'xs |> $mk |> $get', '($mk >-> $get) xs', '$get (id ($mk xs))', 'let (v, w) = ($mk xs, $mk ys) in $get v ++ $get w',
            '$get {v = $mk xs}.v', '$get ({v = $mk xs} with v = $mk ys).v', 'match (#some ($mk xs) : (#some ($t) | #none)) case #some v -> $get v case #none -> []',
            'let f v = $get v in f ($mk xs) ++ f ($mk ys)', 'let f (v: $t) = $get v in f ($mk xs) ++ f ($mk ys)', 'let f (v: $t): $t = v in $get (f ($mk xs))', '$get (copy ($mk xs))',
            'let vs = replicate 2 ($mk xs) in $get vs[1]', '$get (($mk xs, 1).0)', '$get ($mk xs : $t)', '$get ($mk xs :> $t)', 'map2 (+) ($get ($mk xs)) ($get ($mk xs))',
            'let v = $mk xs in map2 (+) ($get v) ($get v)', '$get (match b case true -> $mk xs case false -> $mk ys)', '$get (assert b ($mk xs))', '$get (#[opaque] ($mk xs))',
            '$get (if b then $mk xs else ???)', "let f 'a (x: a): a = x in $get (f ($mk xs))", 'let g = $mk xs |> $get in g',
            'type u@ = $t ;; let f (v: u@) = $get v in f ($mk xs)', 'type~ u@ = $t ;; let f (v: u@) = $get v in f ($mk xs)', 'type^ u@ = $t ;; let f (v: u@) = $get v in f ($mk xs)',
            'type p@ = ($t, i64) ;; let f (v: p@) = $get v.0 in f ($mk xs, 1)', 'type~ p@ = {v: $t} ;; let f (v: p@) = $get v.v in f {v = $mk xs}', 'type a@ = [2]($t) ;; $get [$mk xs, $mk xs][1]',
            "def f@ 'a (x: a): a = x ;; $get (f@ ($mk xs))", "def f@ '~a (x: a): a = x ;; $get (f@ ($mk xs))", "def f@ '^a (x: a): a = x ;; $get (f@ ($mk xs))",
            "def f@ 'a (c: bool) (x: a) (y: a): a = if c then x else y ;; $get (f@ b ($mk xs) ($mk ys))", "def f@ '~a (c: bool) (x: a) (y: a): a = if c then x else y ;; $get (f@ b ($mk xs) ($mk ys))",
            'def f@ (v: $t): $t = v ;; $get (f@ ($mk xs))', 'def f@ (v: $t) (w: $t) = $get v ++ $get w ;; f@ ($mk xs) ($mk ys)', 'def c@ = $mk [1, 2] ;; $get c@', 'def c@: $t = $mk [1, 2] ;; $get c@',
            'def f@ (xs: []i64): $t = $mk xs ;; $get (f@ xs) ++ $get (f@ ys)', 'def f@ (c: bool) (x: []i64) (y: []i64) = if c then $mk x else $mk y ;; $get (f@ b xs ys)']
    WAYS = ['module m@: {$spec} = {$impl}', 'module type S@ = {$spec} module m@: S@ = {$impl}', 'module m@ = {$impl}', 'module F@ (X: {val c: i64}): {$spec} = {$impl} module m@ = F@ {def c = 1i64}',
            'module F@ (X: {$spec}) = {open X} module m@ = F@ {$impl}', 'module type S@ = {$spec} module F@ (X: S@): S@ = X module m@ = F@ {$impl}',
            'module type S@ = {$spec} module F@ (X: S@) = {module Y: S@ = X open Y} module m@ = F@ {$impl}', 'module n@ = {module m: {$spec} = {$impl}} module m@ = n@.m',
            'module n@: {module m: {$spec}} = {module m = {$impl}} module m@ = n@.m', 'module type S@ = {$spec} module m@: {include S@} = {$impl}',
            'module type S@ = {$spec} module m@: (S@ with $head = $body) = {$impl}', 'module m@: {$head_decl = $body $vals} = {$impl}',
            'module type S@ = {$spec} module G@ (F: S@ -> S@) (X: S@) = F X module F@ (X: S@): S@ = {open X} module m@ = G@ F@ {$impl}',
            'module n@: {$spec} = {$impl} module m@ = {open n@ def twice [k] (x: [k]i64) = (mk x, mk x)}', 'module type S@ = {$spec} module F@ (X: S@) = {def both [k] (x: [k]i64) = X.get (X.mk x) open X} module m@ = F@ {$impl}']

    def __init__(self, seed):
        self.seed, r = seed, random.Random(seed)
        kind = r.choice(['plain'] * 5 + ['sized'] * 3 + ['of_type'] * 2)
        lift = lambda: r.choice(['type', 'type~', 'type^'])
        body, mk, get = r.choice({'plain': self.TYPES, 'sized': self.SIZED, 'of_type': self.OF_TYPE}[kind])
        parameter, applied = {'plain': ('', 't'), 'sized': (' [k]', 't []'), 'of_type': (" 't", 'v i64')}[kind]
        if kind == 'of_type':
            name, vals = 'v', "val mk 't [k]: [k]t -> v t val get 't: v t -> []t"
            defs = r.choice([f"def mk 't (x: []t): v t = {mk} def get 't (v: v t): []t = {get}", f"def mk 't [k] (x: [k]t): v t = {mk} def get 't (v: v t): []t = {get}"])
        elif kind == 'sized':
            name, vals = 't', r.choice(['val mk [k]: [k]i64 -> t [k] val get [k]: t [k] -> []i64', 'val mk [k]: [k]i64 -> t [k] val get [k]: t [k] -> [k]i64', 'val mk [k]: [k]i64 -> ?[l].t [l] val get [k]: t [k] -> []i64'])
            defs = r.choice([f'def mk [k] (x: [k]i64): t [k] = {mk} def get [k] (v: t [k]): []i64 = {get}', f'def mk [k] (x: [k]i64): t [k] = {mk} def get [k] (v: t [k]) = {get}',
                             f'def mk (x: []i64): t [] = {mk} def get (v: t []) = {get}'])
        else:
            name, vals = 't', 'val mk [k]: [k]i64 -> t val get: t -> []i64'
            defs = r.choice([f'def mk (x: []i64): t = {mk} def get (v: t): []i64 = {get}', f'def mk [k] (x: [k]i64): t = {mk} def get (v: t): []i64 = {get}', f'def mk (x: []i64): t = {mk} def get (v: t) = {get}'])
        natural = 'type^' if '->' in body else 'type~' if re.search(r'\[\]|\?', body) else 'type'
        spec_lift, impl_lift = [natural if r.random() < 0.7 else lift() for _ in range(2)]
        parts = {'impl': f'{impl_lift} {name}{parameter} = {body} {defs}', 'spec': f'{spec_lift} {name}{parameter} {vals}', 'vals': vals,
                 'head': name + parameter, 'head_decl': f'{spec_lift} {name}{parameter}', 'body': body, 'get': 'm@.get', 'mk': 'm@.mk', 't': 'm@.' + applied}
        fill = lambda text: re.sub(r'\$([a-z_]+)', lambda m: parts[m[1]], text)
        *decl, use = r.choice(self.USES).split(' ;; ')
        self.lines = [fill(r.choice(self.WAYS))] + [fill(d) for d in decl] + [f'def go@ [k][l] (xs: [k]i64) (ys: [l]i64) (n: i64) (m: i64) (b: bool): []i64 = {fill(use)}']



class EntryProgram(Written):
    """One entry point with parameters and a result of all kinds. `given`: its arguments, if the outside can make them."""
    NUMBERS = ['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f16', 'f32', 'f64']

    def __init__(self, seed):
        self.r, self.entry, given = random.Random(seed), 'e@', []
        r, parts, params = self.r, [], []
        for i in range(r.randint(0, 3)):
            kind, value = self.parameter()
            given.append(value)
            params.append(f'(p{i}: {kind})')
            if r.random() < 0.7:
                parts.append(f'p{i}')
        kind, value = self.result(2)
        if parts:
            shape = r.choice(['({0}, {1})', '({1}, ({0}, {1}))', '{{a = {0}, b = {1}}}', '(({0}, {1}), 1i8)'])
            value, kind = shape.format(r.choice(parts), value), None
        names = sorted(set(re.findall(r'\[([a-z])\]', ' '.join(params) + (kind or ''))))
        head = ' '.join(['e@'] + [f'[{x}]' for x in names if r.random() < 0.95] + params)
        self.lines = ['module m@: {type t val mk: i32 -> t} = {type t = ' + r.choice(['i32 def mk (x: i32): t = x}', '[2]i32 def mk (x: i32): t = [x, x]}',
                                                                                   '(i32, i32) def mk (x: i32): t = (x, x)}']),
                      f'entry {head}' + (f': {kind}' if kind and r.random() < 0.6 else '') + f' = {value}']
        self.given = None if None in given else ' '.join(given)

    def number(self):
        t = self.r.choice(self.NUMBERS)
        return t, self.r.choice(['0', '1', '7', '100'] + (['2.5', '0.125'] if t[0] == 'f' else ['-3'] if t[0] == 'i' else [])) + t

    def parameter(self):
        """Its type, and a value of it as the outside writes it; none: it cannot."""
        r, (t, x) = self.r, self.number()
        size = lambda: r.choice(['n', 'n', 'm', '', '', '2', '3'])
        return r.choice([lambda: (t, x), lambda: ('bool', r.choice(['true', 'false'])), lambda: (f'[{size()}]{t}', f'[{x}, {x}]'), lambda: (f'[{size()}]{t}', f'[{x}, {x}, {x}]'),
                         lambda: (f'[{size()}][{size()}]{t}', f'[[{x}, {x}], [{x}, {x}]]'), lambda: (f'[{size()}][{size()}]{t}', f'empty([2][3]{t})'), lambda: (f'[{size()}]bool', '[true, false]'),
                         lambda: (f'[{size()}]({t}, bool)', None), lambda: (f'({t}, []i32)', None), lambda: (f'{{a: {t}, b: [n]f64}}', None), lambda: (f'#one {t} | #two', None), lambda: ('()', None),
                         lambda: (f'{t} -> {t}', None), lambda: ('m@.t', None), lambda: (f'[n + 1]{t}', f'[{x}, {x}, {x}]'), lambda: (f'*[n]{t}', f'[{x}, {x}]'), lambda: (f'?[k].[k]{t}', f'[{x}]')])()

    def result(self, depth):
        """A type and a value of it."""
        r, (t, x) = self.r, self.number()
        flat = [lambda: (t, x), lambda: ('bool', 'true'), lambda: (f'[2]{t}', f'[{x}, {x}]'), lambda: (f'[]{t}', f'[{x}, {x}]'), lambda: (f'[][]{t}', f'[[{x}], [{x}]]'),
                lambda: (f'[0]{t}', f'([] : [0]{t})'), lambda: (f'[0][2]{t}', f'([] : [0][2]{t})'), lambda: ('[]u8', '"ab"'), lambda: ('()', '()'), lambda: (f'[]({t}, bool)', f'[({x}, true)]'),
                lambda: (f'{t} -> {t}', f'(\\(y: {t}) -> y)'), lambda: ('m@.t', 'm@.mk 3'), lambda: ('[2](m@.t)', '[m@.mk 3, m@.mk 4]'), lambda: (f'[]{t}', f'filter (> {x}) [{x}, {x}]'),
                lambda: (f'#one {t} | #two', f'(#one {x} : (#one {t} | #two))'), lambda: (f'[](#one {t} | #two)', f'[(#one {x} : (#one {t} | #two)), #two]')]
        if depth == 0 or r.random() < 0.5:
            return r.choice(flat)()
        (a, x), (b, y) = self.result(depth - 1), self.result(depth - 1)
        return r.choice([lambda: (f'({a}, {b})', f'({x}, {y})'), lambda: (f'{{x: {a}, y: {b}}}', f'{{x = {x}, y = {y}}}'), lambda: (f'{{a: {a}}}', f'{{a = {x}}}'), lambda: (f'({a}, {b}, ())', f'({x}, {y}, ())')])()
