"""Draws the gradient times of a file of results: one line for each program, one dot for everyone who computes it, on a logarithmic
scale. The picture is an SVG that follows the reader's light or dark colours. `run.py --plot NAME` makes it from results/NAME.json."""
import html
import math

WHO = {"raido": "Raido", "native": "C++ by hand", "jax": "JAX", "torch": "PyTorch", "peer": "Futhark 0.25"}
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .small { font-size: 11px; fill: #57606a }
  .rule { stroke: #d0d7de; stroke-width: 1 }
  .span { stroke: #8c959f; stroke-width: 1.5 }
  .raido { fill: #0b6bcb } .native { fill: #1a7f37 } .jax { fill: #bc4c00 } .torch { fill: #bf3989 } .peer { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .rule { stroke: #3d444d } .span { stroke: #656c76 }
    .raido { fill: #58a6ff } .native { fill: #3fb950 } .jax { fill: #f0883e } .torch { fill: #f778ba } .peer { fill: #bc8cff }
  }
"""


def shape(who, x, y):
    """A shape of its own for everyone, so that colours are not needed to tell them apart."""
    if who == "raido":
        return f'<circle class="raido" cx="{x:.1f}" cy="{y}" r="6"/>'
    if who == "native":
        return f'<rect class="native" x="{x - 5:.1f}" y="{y - 5}" width="10" height="10"/>'
    if who == "jax":
        return f'<path class="jax" d="M{x:.1f} {y - 7}l7 12h-14z"/>'
    if who == "torch":
        return f'<path class="torch" d="M{x:.1f} {y + 7}l7 -12h-14z"/>'
    return f'<path class="peer" d="M{x:.1f} {y - 7}l7 7l-7 7l-7 -7z"/>'


def label(row):
    """Program, entry point and sizes."""
    entry = "" if row["entry"] == "calculate_jacobian" else f" {row['entry']}"
    return f"{row['program']}{entry} {row['size'].replace('i64', '')}"


def draw(figures):
    """The picture of those rows that somebody else than we and the peer has as well."""
    rows = [f for f in figures if f["backend"] in ("c", "c++", "jax:1", "torch:1")]
    names = [n for n in dict.fromkeys(map(label, rows)) if {f["compiler"] for f in rows if label(f) == n} - {"raido", "peer"}]
    times = {n: {f["compiler"]: f["derivative_ms"] for f in rows if label(f) == n} for n in names}
    everyone = [w for w in WHO if any(w in t for t in times.values())]
    all_times = [t for by in times.values() for t in by.values()]
    low, high = math.floor(math.log10(min(all_times))), math.ceil(math.log10(max(all_times)))
    left, width, top, step = 230, 470, 66, 30
    bottom = top + step * len(names)

    def at(ms):
        return left + width * (math.log10(ms) - low) / (high - low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 60} {bottom + 30}" width="{left + width + 60}" role="img">',
           "<title>Times of gradients</title>", f"<style>{STYLE}</style>",
           '<text x="10" y="20">Milliseconds of a gradient on one core (less is better)</text>']
    x = 10
    for who in everyone:
        out.append(shape(who, x + 7, 42) + f'<text x="{x + 20}" y="46">{html.escape(WHO[who])}</text>')
        x += 40 + 8 * len(WHO[who])
    for power in range(low, high + 1):
        out.append(f'<line class="rule" x1="{at(10 ** power):.1f}" x2="{at(10 ** power):.1f}" y1="{top - 6}" y2="{bottom}"/>')
        out.append(f'<text class="small" x="{at(10 ** power):.1f}" y="{bottom + 18}" text-anchor="middle">{10 ** power:g}</text>')
    for k, name in enumerate(names):
        y = top + step * k + 12
        known = times[name]
        short = name.partition("/")[2].replace("_jacobian_of", "").replace("_", " ")
        out.append(f'<text x="{left - 14}" y="{y + 4}" text-anchor="end">{html.escape(short)}</text>')
        out.append(f'<line class="span" x1="{at(min(known.values())):.1f}" x2="{at(max(known.values())):.1f}" y1="{y}" y2="{y}"/>')
        out += [shape(who, at(known[who]), y) for who in everyone if who in known]
    return "\n".join(out + ["</svg>"]) + "\n"
