"""Which entry points are derivatives of which, by names and types.

Some entry points are derivatives. `f_vjp` is that of `f` in reverse, if it takes what `f` takes and then a value of the type that `f` gives. It
gives an adjoint for each parameter of `f`: the adjoint itself if there is one parameter, a tuple of all of them, or a record whose fields are
the names of some parameters; the others have none then. `f_jvp` is the derivative of `f` forward, if it takes what `f` takes and then a tangent
for each parameter, and gives what `f` gives."""
from . import _interface


class Entry:
    """An entry point: its number, its parameters as pairs of name and type, the type of its result."""

    def __init__(self, name):
        self.name = name
        self.number, self.params, self.output, self.sizes = _interface.entries[name]


def kind(number):
    return _interface.types[number][1]


def dtype(number):
    """NumPy's name of the numbers; None if it is neither a number nor an array of them."""
    return _interface.types[number][2]


def rank(number):
    return _interface.types[number][3]


def parts(number):
    """The fields of a record, or of an array of records, as pairs of name and type; None of other types."""
    return _interface.types[number][4] if kind(number) == "record" else None


def is_float(number):
    return (dtype(number) or "").startswith("float")


def leaves(number):
    """The types of the numbers and arrays that a value consists of."""
    if parts(number) is None:
        return [number]
    return [leaf for _, part in parts(number) for leaf in leaves(part)]


def flatten(number, value):
    if parts(number) is None:
        return [value]
    if not isinstance(value, (dict, _interface.classes.get(number, tuple))) or len(value) != len(parts(number)):
        raise TypeError(f"expected {_interface.types[number][0]}, got {type(value).__name__}")
    items = [value[name] for name, _ in parts(number)] if isinstance(value, dict) else value
    return [leaf for (_, part), item in zip(parts(number), items) for leaf in flatten(part, item)]


def unflatten(number, values):
    """The value of which the iterator gives the leaves."""
    if parts(number) is None:
        return next(values)
    items = [unflatten(part, values) for _, part in parts(number)]
    made = _interface.classes.get(number)
    return made(*items) if made else tuple(items)


def flatten_all(types, values):
    return [leaf for number, value in zip(types, values) for leaf in flatten(number, value)]


class Pair:
    """A function and its derivatives. `given` says for each leaf of the parameters which leaf of what f_vjp gives is its adjoint."""

    def __init__(self, name):
        self.function = Entry(name)
        f = self.function
        self.types = [number for _, number in f.params]
        self.inputs = [leaf for number in self.types for leaf in leaves(number)]
        self.outputs = leaves(f.output)
        self.vjp = Entry(name + "_vjp") if name + "_vjp" in _interface.entries else None
        self.jvp = Entry(name + "_jvp") if name + "_jvp" in _interface.entries else None
        if self.vjp:
            if [number for _, number in self.vjp.params] != self.types + [f.output]:
                raise TypeError(f"{name}_vjp is no derivative of {name}: it must take the same and then what {name} gives")
            self.given = self._adjoints(f, self.vjp.output)
        if self.jvp and ([number for _, number in self.jvp.params] != self.types * 2 or self.jvp.output != f.output):
            raise TypeError(f"{name}_jvp is no derivative of {name}: it must take the same twice, and give what {name} gives")

    def _adjoints(self, f, output):
        names, fields = [name for name, _ in f.params], parts(output)
        if self.types == [output]:
            order = {0: 0}
        elif fields and [number for _, number in fields] == self.types and [name for name, _ in fields] == [str(k) for k in range(len(fields))]:
            order = {k: k for k in range(len(fields))}
        elif fields and all(name in names and self.types[names.index(name)] == number for name, number in fields):
            order = {names.index(name): k for k, (name, _) in enumerate(fields)}
        else:
            raise TypeError(f"{self.vjp.name} is no derivative of {f.name}: it must give an adjoint for each parameter, or a record of some by name")
        starts, at = [], 0
        for _, number in fields if self.types != [output] else [("", output)]:
            starts.append(at)
            at += len(leaves(number))
        given = []
        for k, number in enumerate(self.types):
            for j, _ in enumerate(leaves(number)):
                given.append(starts[order[k]] + j if k in order else None)
        return given

    def arguments(self, values):
        """The arguments of the function from the leaves of all of them."""
        values = iter(values)
        return [unflatten(number, values) for number in self.types]
