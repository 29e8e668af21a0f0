"""The table of MXNet's operators: what each is called, what it takes, and which calls of Cantik's registry it is."""
from .entry import OPERATORS, Operator, find, operator
from . import elementwise, index, layers, linear, losses, normalize, random, reduce, scalars, shape, steps, update  # noqa: F401  each adds its operators
