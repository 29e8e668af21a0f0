"""Operators of plain Python functions of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cantik
from ._checks import callable_object, text
from .core import user_function
from .ops import output_variable
from .ops.python_functions import PythonOperator

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._types import ShapeLike
    from .ops.functions import Function


def _or_none(function, what):
    return function if function is None else callable_object(function, what)


class Op:
    """An operator made by `cantik.op`. Called with variables or functions it gives a function, with arrays
    their result."""

    def __init__(
        self,
        forward: Callable[..., Any],
        gradient: Any = None,
        shape: ShapeLike | None = None,
        name: str | None = None,
    ):
        self._forward = callable_object(forward, 'what op makes an operator of')
        self._gradient, self._shape = _or_none(gradient, 'gradient'), _or_none(shape, 'shape')
        own_name = getattr(forward, '__name__', type(forward).__name__)
        self.__name__ = own_name if name is None else text(name, 'name')
        self.__doc__ = forward.__doc__
        self.__module__ = getattr(forward, '__module__', None) or type(forward).__module__
        self._function = type(
            self.__name__,
            (_OpFunction,),
            dict(_op=self, __module__=self.__module__, differentiable=gradient is not None),
        )

    def gradient(self, function: Any) -> Any:
        """A decorator: the operator's gradient, a function of (dy, y, *inputs) that returns one for each
        input, None for zero."""
        self._gradient = callable_object(function, 'the gradient')
        self._function.differentiable = True
        return function

    def __call__(self, *inputs: Any, name: str = '', **attributes: Any) -> Function | object:
        if any(isinstance(x, (_cantik.Variable, _cantik.Function)) for x in inputs):
            return user_function(self._function(*inputs, name=name, **attributes))
        return self._forward(*inputs, **attributes)

    def __repr__(self):
        return f'<operator {self.__module__}.{self.__name__}>'


class _OpFunction(PythonOperator):
    reads_inputs = reads_outputs = True

    def __init__(self, *inputs, name='', **attributes):
        super().__init__(inputs, name, attributes)

    @classmethod
    def _op_name(cls):
        return cls.__name__

    def clone(self, cloned_inputs):
        return type(self)(*cloned_inputs, name=self.name, **self.attributes)

    def serialize(self):
        return self.attributes

    @classmethod
    def deserialize(cls, inputs, name, state):
        return cls(*inputs, name=name, **state)

    def infer_outputs(self):
        """Shapes are found by running the function on two made-up batches, or by the operator's own rule."""
        inputs = self.inputs
        axes = max((x.dynamic_axes for x in inputs), key=len)
        dtype = inputs[0].dtype
        if self._op._shape is not None:
            shapes = self._op._shape(*(x.shape for x in inputs), **self.attributes)
            shapes = shapes if isinstance(shapes, list) else [shapes]
            return [output_variable(shape, dtype, axes) for shape in shapes]
        runs = [
            self._results((x.dynamic_axes and (rows,) + sized(x, free)) or sized(x, free) for x in inputs)
            for rows, free in ((2, 5), (3, 7))
        ]
        outputs = []
        for i, (a, b) in enumerate(zip(*runs)):
            first, second = a.shape, b.shape
            if len(first) != len(second) or (len(axes) and (first[:1], second[:1]) != ((2,), (3,))):
                raise ValueError(
                    f'{self.op_name}: with 2 and 3 rows in, output {i} has the shapes {first} and {second}: '
                    'there has to be a row for each row of the inputs'
                )
            sample = [m if m == n else _cantik.FreeDimension for m, n in zip(first, second)][
                1 if len(axes) else 0 :
            ]
            outputs.append(
                output_variable(
                    tuple(sample), a.dtype if a.dtype in (np.float32, np.float64) else dtype, axes
                )
            )
        return outputs

    def _results(self, shapes):
        known = [x.dtype for x in self.inputs if x.dtype is not None]
        dtypes = [x.dtype or (known + [np.float32])[0] for x in self.inputs]
        with np.errstate(all='ignore'):
            y = self._op._forward(
                *(np.full(shape, 0.5, dtype) for shape, dtype in zip(shapes, dtypes)), **self.attributes
            )
        return [np.asarray(v) for v in (y if isinstance(y, (tuple, list)) else (y,))]

    def forward(self, training, inputs, outputs):
        results = self._op._forward(*inputs, **(self._attributes or {}))
        if len(outputs) == 1 and not isinstance(results, (tuple, list)):
            results = (results,)
        _fill(self.op_name, outputs, results)

    def backward(self, state, gradients, inputs, outputs, input_gradients):
        if len(outputs) == 1:
            gradients, outputs = gradients[0], outputs[0]
        else:
            gradients = tuple(np.zeros_like(y) if dy is None else dy for dy, y in zip(gradients, outputs))
        found = self._op._gradient(gradients, outputs, *inputs, **(self._attributes or {}))
        if len(inputs) == 1 and not isinstance(found, (tuple, list)):
            found = (found,)
        _fill(self.op_name + '.gradient', input_gradients, found)


def sized(x: Any, free: Any) -> tuple[Any, ...]:
    """The shape of a variable with a number in place of what is free."""
    return tuple(free if d == _cantik.FreeDimension else d for d in x.shape)


def _fill(what, places, values):
    if len(values) != len(places):
        raise ValueError(f'{what} gave {len(values)} arrays, and {len(places)} were expected')
    for place, value in zip(places, values):
        if place is None:
            continue
        if value is None:
            place[...] = 0
        elif np.shape(value) != place.shape:
            raise ValueError(
                f'{what} gave an array of shape {np.shape(value)}, and {place.shape} was expected'
            )
        else:
            place[...] = value


def op(
    function: Any = None, *, gradient: Any = None, shape: ShapeLike | None = None, name: str | None = None
) -> Any:
    """A decorator that makes an operator of a Python function of arrays.

    The function gets an array [rows, shape...] for each input (a row for every sample, or for every step of
    all sequences) and returns one, or a tuple of several. Arguments that are passed by name are attributes of
    the operator. Shapes of results are found by running it.

    Args:
        function: of arrays
        gradient: a function of (dy, y, *inputs), with the attributes, that returns the gradient of each
          input; None for zero
        shape: a function from the shapes of the inputs to that of the result (a list of several), where
          running does not tell it
        name (str): of the operator; that of the function by default

    Example:
        >>> import cantik as C, numpy as np
        >>> @C.op
        ... def cube(x, scale=1.0):
        ...     return scale * x**3
        >>> @cube.gradient
        ... def _(dy, y, x, scale=1.0):
        ...     return 3 * scale * x**2 * dy
        >>> x = C.input_variable(2, needs_gradient=True)
        >>> f = cube(x, scale=0.5)
        >>> f.eval({x: np.array([[1, 2]], np.float32)}), f.grad({x: np.array([[1, 2]], np.float32)})
        (array([[0.5, 4. ]], dtype=float32), array([[1.5, 6. ]], dtype=float32))
        >>> bool(C.check_gradient(cube, np.array([[0.3, -2.0]])))
        True
    """
    if function is None:
        return lambda f: Op(f, gradient, shape, name)
    return Op(function, gradient, shape, name)
