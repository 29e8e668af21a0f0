"""Arguments of layers under default_options."""

import numpy as np

from .. import _cantik
from ..default_options import default_override_or, get_default_override, is_default_override
from ..variables import Parameter


def chosen(layer, **kwargs):
    """The values of arguments, in their order: as given, or the defaults that hold here."""
    return [get_default_override(layer, **{name: value}) for name, value in kwargs.items()]


def dtype():
    """The element type that new parameters have."""
    return get_default_override(Parameter, dtype=default_override_or(np.float32))


def made(layer, function, given):
    """A layer by its name in C++.

    Args:
        layer (str): that name
        function: Python's function, for which default_options_for may have other defaults
        given (dict): its arguments. Those that were left open have the defaults that hold here, else the
            layer's
    """
    called, scoped = {}, {}
    for name, value in given.items():
        if not is_default_override(value):
            # an array is a tuple to what counts axes
            is_of_axes = name in ('strides', 'dilation') and hasattr(value, 'tolist')
            called[name] = value.tolist() if is_of_axes else value
        elif (found := get_default_override(function, **{name: value})) is not value.value:
            scoped[name] = found
    return _cantik.layer(layer, called, scoped, dtype())
