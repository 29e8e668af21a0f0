"""Checks of the arguments of Python functions.

Each check returns the value in the form that the function needs, or raises an ArgumentError.
The argument `what` is the name in the error: 'max_epochs'.
"""

import math
import numbers
import os

import numpy as np

from . import _cantik
from ._cantik import ArgumentError
from ._refusals import shown


def refused(what, kind, value):
    """The error: "max_epochs must be a whole number, not 'a'".

    The argument `kind` says what is expected, with its article: 'a whole number'.
    """
    return ArgumentError(f'{what} must be {kind}, not {shown(value)}')


def number(value, what):
    """A real number, as a float."""
    if not isinstance(value, (str, bytes, complex)) and getattr(value, 'ndim', 0) == 0:
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise refused(what, 'a number', value)


def whole(value, what, least=None, most=None):
    """A whole number, as an int; a whole real number is one.

    Args:
        value: what was given
        what (str): the argument's name
        least (int): the smallest number that it may be
        most (int): the largest
    """
    found = number(value, what) if not isinstance(value, numbers.Integral) else int(value)
    if not math.isfinite(found) or found != int(found):
        raise refused(what, 'a whole number', value)
    found = int(found)
    if least is not None and found < least:
        raise ValueError(f'{what} must be at least {least}, and is {found}')
    if most is not None and found > most:
        raise ValueError(f'{what} must be at most {most}, and is {found}')
    return found


def flag(value, what):
    """True or False; 1 and 0 stand for them."""
    if isinstance(value, (bool, numbers.Number)) or getattr(value, 'ndim', None) == 0:
        if value == 0 or value == 1:
            return bool(value)
    raise refused(what, 'True or False', value)


def flags(value, what):
    """One of them, or several in a list or tuple: a list."""
    if isinstance(value, (list, tuple)) and not value:
        raise refused(what, 'True or False, or a list of them', value)
    return [flag(one, what) for one in (value if isinstance(value, (list, tuple)) else [value])]


def text(value, what):
    """A str."""
    if not isinstance(value, str):
        raise refused(what, 'a str', value)
    return value


def path(value, what):
    """The path of a file, as a str."""
    try:
        return os.fsdecode(os.fspath(value))
    except TypeError:
        raise refused(what, 'the path of a file', value) from None


def element_type(value, what='dtype'):
    """NumPy's type, from whatever NumPy takes for one."""
    try:
        return np.dtype(value)
    except TypeError:
        raise refused(what, 'an element type such as numpy.float32', value) from None


def callable_object(value, what):
    """A function, or anything else that can be called."""
    if not callable(value):
        raise refused(what, 'a function', value)
    return value


def listed(value, what):
    """A list, tuple, or anything else with items, as a list; no text."""
    if not isinstance(value, (str, bytes)):
        try:
            return list(value)
        except TypeError:
            pass
    raise refused(what, 'a list', value)


def dictionary(value, what):
    """A dictionary."""
    if not isinstance(value, dict):
        raise refused(what, 'a dictionary', value)
    return value


def network(value, what):
    """A Function."""
    if not isinstance(value, _cantik.Function):
        raise refused(what, 'a Function', value)
    return value


def variable(value, what):
    """A Variable, or a Function for its output."""
    if isinstance(value, _cantik.Function):
        return value.output
    if not isinstance(value, _cantik.Variable):
        raise refused(what, 'a Variable or a Function', value)
    return value


def device(value):
    """None, or a device."""
    if value is not None and not isinstance(value, _cantik.DeviceDescriptor):
        raise refused('device', 'a DeviceDescriptor such as cpu() gives', value)
    return value
