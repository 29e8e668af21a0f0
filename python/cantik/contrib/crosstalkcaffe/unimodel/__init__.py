"""Networks as lists of layers, and what is made of them here."""

from . import cntkinstance, cntkmodel
