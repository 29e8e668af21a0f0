"""Comparison of a converted network with the other toolkit's own results."""

from . import validcaffe, validcore
