"""Dictionaries as checkpoints and files hold them, under the names of CNTK's binding."""

import numpy as np

from .. import _cantik
from .._cantik import NDArrayView


def _same(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a == b


def are_equal(a, b):
    """Whether two dictionaries, or values of such, hold the same."""
    return _same(getattr(a, 'value', a), getattr(b, 'value', b))


class Dictionary(dict):
    """A dictionary as checkpoints and files hold them."""

    @staticmethod
    def load(filename):
        """That of a file: a model or a checkpoint.

        Args:
            filename (str): the file
        """
        return Dictionary(_cantik.load_dictionary(str(filename)))


class DictionaryValue:
    """A value of a dictionary, which can be saved by itself."""

    def __init__(self, value=None):
        self.value = value

    def item(self):
        """What it holds."""
        return self.value

    def save(self, filename):
        """Writes it to a file of its own, as CNTK does.

        Args:
            filename (str): the file
        """
        _cantik.save_value(self.value, str(filename))

    @staticmethod
    def load(filename):
        """Reads a value that was saved.

        Args:
            filename (str): the file
        """
        value = _cantik.load_value(str(filename))
        return DictionaryValue(np.asarray(value) if isinstance(value, NDArrayView) else value)

    def __eq__(self, other):
        return isinstance(other, DictionaryValue) and _same(self.value, other.value)

    __hash__ = None


def DictionaryValueFromDict(value):
    """A value that is a dictionary."""
    if not isinstance(value, dict):
        raise TypeError('a dictionary was expected, not {}'.format(type(value).__name__))
    return DictionaryValue(value)


def DictionaryValueFromNDArrayView(view):
    """A value that is an array."""
    if not isinstance(view, NDArrayView):
        raise TypeError('an NDArrayView was expected, not {}'.format(type(view).__name__))
    return DictionaryValue(view)
