"""Linear algebra on stacks of matrices: the last two axes of an operand are rows and columns, those before
them, the batch among them, count matrices. Everything has a gradient."""

from ._generated import *
