-- A program with a mistake.
def f = (1 +
