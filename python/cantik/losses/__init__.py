"""Losses."""
from ._generated import *
