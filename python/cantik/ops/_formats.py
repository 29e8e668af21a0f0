"""How functions are saved and copied, by name."""

from __future__ import annotations

import enum
import os

from .._checks import refused, shown


@enum.unique
class ModelFormat(enum.Enum):
    """Formats of model files.

    Example:
        >>> import cantik as C
        >>> C.layers.Dense(2)(C.input_variable(3)).save('m.model', C.ModelFormat.CNTKv2)
    """

    CNTKv2 = 0
    ONNX = 1


@enum.unique
class CloneMethod(enum.Enum):
    """What becomes of parameters in a clone.

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2)(C.input_variable(3))
        >>> copy = z.clone(C.CloneMethod.clone)
        >>> z.W is copy.W, z.clone('share').W.uid == z.W.uid
        (False, True)
    """

    share = 'share'
    clone = 'clone'
    freeze = 'freeze'


def clone_method(given):
    """The name of a method of cloning."""
    if isinstance(given, CloneMethod):
        return given.value
    if not isinstance(given, str) or given not in CloneMethod.__members__:
        there = ', '.join(CloneMethod.__members__)
        raise ValueError(
            f'clone method "{given if isinstance(given, str) else shown(given)}" is not supported: it '
            f'is one of {there}'
        )
    return given


def check_format(format):
    """Refuses what is no ModelFormat."""
    if not isinstance(format, ModelFormat):
        raise refused('the format of a model', 'a ModelFormat', format)


def format_of(filename, format):
    """The format that a model is written in: the one that is given, or else that of the name's ending."""
    if format is not None:
        check_format(format)
        return format
    is_onnx = isinstance(filename, (str, os.PathLike)) and os.fspath(filename).lower().endswith('.onnx')
    return ModelFormat.ONNX if is_onnx else ModelFormat.CNTKv2
