"""Random operators: numbers drawn anew in each run, from CNTK's streams."""

from ._generated import *
