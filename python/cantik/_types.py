"""Types of arguments, for annotations."""

import os
from typing import Any, Callable, Union
from collections.abc import Sequence

import numpy as np

from ._cantik import Axis, Function, Initializer, TrainingParameterSchedule, Variable

Operand = Union[Variable, Function, float, Sequence[Any], np.ndarray]
VariableLike = Union[Variable, Function]
AxisLike = Union[Axis, int]
AxesLike = Union[Axis, int, Sequence[Union[Axis, int]]]
ShapeLike = Union[int, Sequence[int]]
FlagsLike = Union[bool, Sequence[bool]]  # one for all axes, or one for each
InitLike = Union[Initializer, float, Sequence[Any], np.ndarray]
ActivationLike = Union[Callable[..., Any], str, None]
RateLike = Union[TrainingParameterSchedule, float, Sequence[Any]]
PathLike = Union[str, 'os.PathLike[str]']
DTypeLike = Any
