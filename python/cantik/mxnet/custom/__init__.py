"""Operators of the program's own: their classes, their place in the table, their calls."""

from . import entry
