#!/usr/bin/env python3
"""What `raido literate` and `$loadimg`, `$loadaudio` make of files, against other readers and writers of the formats.

    literate.py RAIDO

PNG files of every kind, depth and filter are written here and read by `$loadimg`; those that `raido literate` writes are read here, as
are its sounds and plots."""
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import wave
import xml.dom.minidom
import zlib

from checking import check, end

raido = str(pathlib.Path(sys.argv[1]).resolve())


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def paeth(a, b, c):
    return min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]


def filtered(kind, row, above, distance):
    left = lambda i: row[i - distance] if i >= distance else 0
    corner = lambda i: above[i - distance] if i >= distance else 0
    guess = [lambda i: 0, left, lambda i: above[i], lambda i: (left(i) + above[i]) // 2, lambda i: paeth(left(i), above[i], corner(i))][kind]
    return bytes([kind]) + bytes((row[i] - guess(i)) & 255 for i in range(len(row)))


PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(width, height, colour, depth, pixels, extra=b"", interlaced=False):
    """A PNG file; pixels[y][x] are the samples. Every row takes another filter."""
    samples, data, number = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour], b"", 0
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        columns, above = range(x0, width, dx), None
        if not columns:
            continue
        for y in range(y0, height, dy):
            bits = "".join(f"{s:0{depth}b}" for x in columns for s in pixels[y][x])
            bits += "0" * (-len(bits) % 8)
            row = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
            data += filtered(number % 5, row, above or bytes(len(row)), max(1, samples * depth // 8))
            above, number = row, number + 1
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def script(folder, expression):
    r = subprocess.run([raido, "script", "-w", "empty.fut", expression], cwd=folder, capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def read_pictures(folder):
    chance = random.Random(1)
    kinds = [(0, d) for d in (1, 2, 4, 8, 16)] + [(3, d) for d in (1, 2, 4, 8)] + [(c, d) for c in (2, 4, 6) for d in (8, 16)]
    for colour, depth in kinds:
        for interlaced in (False, True):
            for width, height in ((1, 1), (7, 5), (9, 12)):
                top = 2 ** depth - 1
                samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
                pixels = [[[chance.randint(0, top) for _ in range(samples)] for _ in range(width)] for _ in range(height)]
                palette = [[chance.randint(0, 255) for _ in range(3)] for _ in range(top + 1)] if colour == 3 else []
                extra, key = b"", None
                if colour == 3:
                    extra = chunk(b"PLTE", bytes(sum(palette, []))) + chunk(b"tRNS", bytes([17]))
                elif colour in (0, 2):
                    key = pixels[0][0]
                    extra = chunk(b"tRNS", b"".join(struct.pack(">H", s) for s in key))
                eight = lambda s: s >> 8 if depth == 16 else s * 255 // top

                def argb(p):
                    if colour == 3:
                        (r, g, b), a = palette[p[0]], 17 if p[0] == 0 else 255
                    else:
                        r, g, b = (eight(s) for s in (p[:3] if samples > 2 else p[:1] * 3))
                        a = eight(p[-1]) if colour in (4, 6) else 0 if p == key else 255
                    return a << 24 | r << 16 | g << 8 | b

                (folder / "x.png").write_bytes(png(width, height, colour, depth, pixels, extra, interlaced))
                code, out = script(folder, '$loadimg "x.png"')
                got = [int(n) for n in re.findall(r"(\d+)u32", out)]
                check(f"picture of kind {colour}, depth {depth}, {width} x {height}, interlaced {interlaced}",
                      code == 0 and got == [argb(p) for row in pixels for p in row], out[:200])


def read_damaged_pictures(folder):
    whole = png(5, 4, 2, 8, [[[1, 2, 3]] * 5] * 4)
    for n in range(len(whole)):
        for what in (whole[:n], whole[:n] + bytes([whole[n] ^ 255]) + whole[n + 1:]):
            (folder / "x.png").write_bytes(what)
            code, out = script(folder, '$loadimg "x.png"')
            check(f"damaged at {n}", code == 1 and out.startswith("x.png: "), out)


def read_sounds(folder):
    for width in (1, 2, 3, 4):
        with wave.open(str(folder / "x.wav"), "wb") as f:
            f.setnchannels(2)
            f.setsampwidth(width)
            f.setframerate(8000)
            numbers = [-1, 0.5, 0, -0.25]
            top = 2 ** (8 * width - 1)
            f.writeframes(b"".join(bytes([int(x * 128) + 128]) if width == 1 else int(x * top).to_bytes(width, "little", signed=True) for x in numbers))
        code, out = script(folder, '$loadaudio "x.wav"')
        check(f"sound of {width} bytes", "".join(out.split()) == "[[-1.0f64,0.0f64],[0.5f64,-0.25f64]]", out)


def decoded(data):
    """Width, height, kind of colour, the rows of each frame, and the chunks, of a PNG file without filters."""
    at, chunks = 8, []
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + body)
        chunks.append((name, body))
        at += size + 12
    width, height, depth, colour = struct.unpack(">IIBB", chunks[0][1][:10])
    frames = [zlib.decompress(body[4:] if name == b"fdAT" else body) for name, body in chunks if name in (b"IDAT", b"fdAT")]
    length = width * (4 if colour == 6 else 1)
    rows = [[list(f[i + 1:i + 1 + length]) for i in range(0, len(f), length + 1)] for f in frames]
    assert depth == 8 and all(f[i] == 0 for f in frames for i in range(0, len(f), length + 1))
    return width, height, colour, rows, chunks


PROGRAM = """-- Pictures, plots and sounds.
def colours: [][]u32 = [[0xFF010203, 0x80FFFEFD]]
def signed: [][]i32 = [[-1, 255]]
def grey: [][]f32 = [[0, 0.5, 2, f32.nan]]
def bytes: [][]u8 = [[0, 7, 255]]
def truths: [][]bool = [[true, false]]
def frames: [][][]u8 = [[[1, 2]], [[3, 4]]]
def step (t: i64): ([][]u8, i64) = ([[u8.i64 t]], t + 1)
def sine: ([]f64, []f64) = ([0, 1, 2], [0, 1, f64.nan])
def tone: []f64 = [0, 1, -1, 5]
def both: [][]i16 = [[0, 32767], [-32768, 1]]
def low: []u8 = [0, 128, 255]

-- > :img colours;
-- file: colours.png
-- > :img signed;
-- file: signed.png
-- > :img grey;
-- file: grey.png
-- > :img bytes;
-- file: bytes.png
-- > :img truths;
-- file: truths.png
-- > :video frames;
-- file: frames.png
-- fps: 12.5
-- > :video (step, 5, 3);
-- file: steps.png
-- loop: false
-- > :plot2d {a = sine, b = (tone, tone)};
-- file: plot.svg
-- size: (320, 200)
-- > :plot2d {a = sine, b = (tone, tone)};
-- file: plot.png
-- size: (320, 200)
-- > :audio tone;
-- file: tone.wav
-- sampling_frequency: 8000
-- > :audio both;
-- file: both.wav
-- > :audio low;
-- file: low.wav
"""


def written(folder):
    (folder / "p.fut").write_text(PROGRAM)
    r = subprocess.run([raido, "literate", "p.fut"], cwd=folder, capture_output=True, text=True)
    check("literate", r.returncode == 0 and not r.stderr, r.stderr)
    image = lambda name: decoded((folder / "p-img" / name).read_bytes())
    for name, want in (("colours", (2, 1, 6, [[[1, 2, 3, 255, 255, 254, 253, 128]]])), ("signed", (2, 1, 6, [[[255] * 4 + [0, 0, 255, 0]]])),
                       ("grey", (4, 1, 0, [[[0, 128, 255, 0]]])), ("bytes", (3, 1, 0, [[[0, 7, 255]]])), ("truths", (2, 1, 0, [[[255, 0]]]))):
        check(name, image(name + ".png")[:4] == want, image(name + ".png")[:4])
    _, _, _, rows, chunks = image("frames.png")
    control = [(n, struct.unpack(">IIIIIHH", b[:24])) for n, b in chunks if n == b"fcTL"]
    check("frames", rows == [[[1, 2]], [[3, 4]]] and dict(chunks)[b"acTL"] == struct.pack(">II", 2, 0) and
          [c[1] for c in control] == [(0, 2, 1, 0, 0, 100, 1250), (1, 2, 1, 0, 0, 100, 1250)], control)
    _, _, _, rows, chunks = image("steps.png")
    check("steps", rows == [[[5]], [[6]], [[7]]] and dict(chunks)[b"acTL"] == struct.pack(">II", 3, 1))
    plot = xml.dom.minidom.parse(str(folder / "p-img/plot.svg")).documentElement
    texts = [t.firstChild.data for t in plot.getElementsByTagName("text")]
    check("plot", plot.getAttribute("width") == "320" and texts[-2:] == ["a", "b"] and "5" in texts, texts)
    width, height, colour, [rows], _ = image("plot.png")
    pixel = lambda x, y: tuple(rows[y][4 * x:4 * x + 3])
    found = {c: sum(pixel(x, y) == c for x in range(width) for y in range(height)) for c in ((255, 255, 255), (0, 0x72, 0xb2), (0xd5, 0x5e, 0))}
    ground = pixel(0, 0)
    words = sum(pixel(x, y) != ground for x in range(64) for y in range(height))         # left of the frame stand numbers
    check("plot as a picture", (width, height, colour, ground) == (320, 200, 6, (255, 255, 255)) and min(found.values()) > 10 and words > 50, (found, words))
    (folder / "q.fut").write_text("-- > :plot2d ([1, 2], [3, 4]);\n-- file: plot.jpg\n")
    r = subprocess.run([raido, "literate", "q.fut"], cwd=folder, capture_output=True, text=True)
    check("no such format", r.returncode == 1 and "`plot.jpg` cannot be written: a plot is a file `.svg` or `.png`." in r.stderr, r.stderr)
    for name, channels, rate, samples in (("tone", 1, 8000, [0, 32767, -32767, 32767]), ("both", 2, 44100, [0, -32767, 32766, 1]),
                                          ("low", 1, 44100, [-32767, 0, 32511])):
        with wave.open(str(folder / f"p-img/{name}.wav")) as f:
            frames = f.readframes(f.getnframes())
            got = list(struct.unpack(f"<{len(frames) // 2}h", frames))
            check(name, (f.getnchannels(), f.getframerate(), f.getsampwidth()) == (channels, rate, 2) and got == samples, got)


with tempfile.TemporaryDirectory() as temp:
    temp = pathlib.Path(temp)
    (temp / "empty.fut").write_text("entry nothing (x: i32) = x\n")
    read_pictures(temp)
    read_damaged_pictures(temp)
    read_sounds(temp)
    written(temp)
sys.exit(end("literate"))
