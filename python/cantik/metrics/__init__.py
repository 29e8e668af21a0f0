"""Metrics."""

from ._generated import *
