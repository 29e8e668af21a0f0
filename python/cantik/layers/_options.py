"""Arguments of layers under default_options."""

import numpy as np

from ..default_options import default_override_or, get_default_override
from ..variables import Parameter


def chosen(layer, **kwargs):
    """The values of arguments, in their order: as given, or the defaults that hold here."""
    return [get_default_override(layer, **{name: value}) for name, value in kwargs.items()]


def dtype():
    """The element type that new parameters have."""
    return get_default_override(Parameter, dtype=default_override_or(np.float32))


def shape(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def named(name):
    """The name of a layer; None stands for none."""
    return '' if name is None else name
