"""Axes of values: static ones by index, dynamic ones (batch, sequence) by name."""
from ._cantik import Axis

__all__ = ['Axis']
