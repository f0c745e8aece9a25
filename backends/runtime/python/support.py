"""What every package that `raido python` makes has: its classes, and the context of calls that name none."""
from collections import namedtuple

from . import _interface, _native

_context = None


def default_context():
    """The context of calls that name none. It is made by the first of them."""
    global _context
    if _context is None:
        _context = _native.Context()
    return _context


def record(number, name, fields, text):
    """The class of the records of a type."""
    made = namedtuple(name, fields, module=__package__)
    made.__doc__ = text
    _native.set_class(number, made)
    _interface.classes[number] = made
    return made


class Sum:
    """A value of one of several constructors: `tag` is its name, the tuple has what it holds."""
    __slots__ = ()
    tag = None

    def __eq__(self, other):
        return type(self) is type(other) and tuple.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.tag, tuple.__hash__(self)))


def sum_type(number, name, variants, text):
    """The class of the values of a sum. `variants`: of each constructor its name here and in the program, how much it holds, a text."""
    made = type(name, (Sum,), {"__slots__": (), "__doc__": text, "__module__": __package__})
    classes = []
    for variant, tag, count, about in variants:
        values = namedtuple(variant, [f"v{k}" for k in range(count)])
        classes.append(type(variant, (made, values), {"__slots__": (), "__doc__": about, "__module__": __package__, "__qualname__": f"{name}.{variant}", "tag": tag}))
        setattr(made, variant, classes[-1])
    _native.set_class(number, tuple(classes))
    return made
