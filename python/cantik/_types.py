"""Types of arguments, for annotations."""

from typing import Any, Sequence, Tuple, Union

import numpy as np

from ._cantik import Axis, Function, Variable

Operand = Union[Variable, Function, float, Sequence[Any], np.ndarray]
AxisLike = Union[Axis, int]
AxesLike = Union[Axis, int, Sequence[Union[Axis, int]]]
ShapeLike = Union[int, Tuple[int, ...]]
DTypeLike = Any
