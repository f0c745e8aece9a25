"""Comparisons that a script makes, and how many of them were wrong."""
failures = 0


def check(what, ok, shown=""):
    global failures
    if not ok:
        failures += 1
        print(f"--- {what}: wrong {shown}")


def expect(what, got, wanted):
    check(what, got == wanted, f"\nwanted {wanted!r}\ngot    {got!r}")


def end(name):
    """Says how it went; the exit code."""
    print(f"{name}: " + (f"{failures} failures" if failures else "all as expected"))
    return 1 if failures else 0
