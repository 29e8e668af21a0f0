"""Signs, and sums of signs, of weights and activations, with gradients that go straight through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import ops
from ..._checks import number
from ...core import user_function
from ...internal import sanitize_input
from ...ops.functions import UserFunction
from ...variables import Constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._cantik import DeviceDescriptor
    from ..._types import Operand, VariableLike
    from ...ops.functions import Function
    from ...variables import Variable

__all__ = [
    'SignWithEstimation',
    'pySign',
    'MultibitKernel',
    'Multibit',
    'CustomSign',
    'CustomPySign',
    'CustomMultibit',
    'CustomMultibitKernel',
]


def CustomSign(input: Operand) -> Function:
    """1 where the input is above 0, else -1. The gradient is that of the input where its magnitude is at most
    1, else 0.

    Args:
        input: weights or activations

    Example:
        >>> import cantik as C, numpy as np
        >>> y = C.contrib.netopt.custom_convolution_ops.CustomSign(C.input_variable(3))
        >>> y.eval(np.array([[-2, 0, 0.5]], np.float32))
        array([[-1., -1.,  1.]], dtype=float32)
    """
    return ops.straight_through_impl(input, name='SignWithEstimation')


def CustomPySign(input: Operand) -> Function:
    """The same as a user function in NumPy, which is slower.

    Args:
        input: weights or activations

    Example:
        >>> import cantik as C, numpy as np
        >>> y = C.contrib.netopt.custom_convolution_ops.CustomPySign(C.input_variable(3))
        >>> y.eval(np.array([[-2, 0, 0.5]], np.float32))
        array([[-1., -1.,  1.]], dtype=float32)
    """
    return user_function(pySign(sanitize_input(input)))


def CustomMultibit(input: Operand, bit_map: Any, mean_bits: float | None = None) -> Function:
    """A sum of signs near the input, one for each bit, each times the mean magnitude of what is left. The
    mean is over all of a sample, or of a parameter.

    Args:
        input: weights or activations
        bit_map: how many bits: one number, or an array with one for each element
        mean_bits (float): draws the bit map instead, around this number

    Returns:
        a function; its gradient is that of the input where its magnitude is not above the number of bits,
        else 0

    Example:
        >>> import cantik as C, numpy as np
        >>> y = C.contrib.netopt.custom_convolution_ops.CustomMultibit(C.input_variable(4), 2)
        >>> y.eval(np.array([[1, 2, -3, -4]], np.float32))
        array([[ 1.5,  1.5, -3.5, -3.5]], dtype=float32)
    """
    return _multibit(input, bit_map, mean_bits, False, 'Multibit')


def CustomMultibitKernel(input: Operand, bit_map: Any, mean_bits: float | None = None) -> Function:
    """The same with means of each filter, which are slices along the first axis: for weights.

    Args:
        input: weights
        bit_map: how many bits: one number, or an array with one for each element
        mean_bits (float): draws the bit map instead, around this number

    Returns:
        a function; its gradient is that of the input where its magnitude is not above the number of bits,
        else 0

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(init=np.array([[1, -3], [10, 30]], np.float32))
        >>> C.contrib.netopt.custom_convolution_ops.CustomMultibitKernel(w, 1).eval()
        array([[ 2., -2.],
               [20., 20.]], dtype=float32)
    """
    return _multibit(input, bit_map, mean_bits, True, 'MultibitKernel')


def _checked(bit_map, shape):
    bit_map = np.asarray(bit_map)
    if bit_map.ndim and bit_map.shape != shape:
        raise ValueError(
            f'the bit map has the shape {bit_map.shape}, the input {shape}: give one number for all, or one '
            'for each element'
        )
    if (
        bit_map.size == 0
        or np.min(bit_map) < 0
        or np.max(bit_map) < 1
        or np.any(bit_map != np.round(bit_map))
    ):
        raise ValueError('numbers of bits are whole, not below 0, and at least one of them is above 0')
    return bit_map


def _drawn(mean, shape):
    """Numbers of bits around a mean, at least one each."""
    mean = number(mean, 'mean_bits')
    if not 0 < mean <= 64:
        raise ValueError(f'mean_bits is a number of bits up to 64, not {mean}')
    draws = np.random.normal(loc=mean, size=shape)
    return np.clip(np.rint(draws), 1, None)


def _multibit(input, bit_map, mean_bits, per_filter, name):
    input = sanitize_input(input)
    if mean_bits:
        bit_map = _drawn(mean_bits, input.shape)
        print('Mean Bits: ', bit_map.mean())
    bit_map = _checked(bit_map, input.shape)
    dtype = np.float64 if input.dtype == np.float64 else np.float32
    return ops.multibit(
        input,
        Constant(bit_map.astype(dtype), name='bit_map'),
        levels=int(np.max(bit_map)),
        per_filter=per_filter,
        name=name,
    )


# ---- the same as user functions, whose two directions can be exchanged


class _TwoNetworks(UserFunction):
    """A user function each of whose directions is a network: `action`, of the input `actionArg`; and `grad`,
    of the operand, `gradArg`, and of the gradient of the result, `gradRoot`."""

    def _runs(self, action, grad):
        """Takes the two directions: each a network, then its inputs."""
        self.action, self.actionArg = action
        self.grad, self.gradArg, self.gradRoot = grad

    def forward(self, argument, device, outputs_to_retain):
        """The value of `action`; a copy of the operand is kept for backward."""
        result = self.action.eval({self.actionArg: argument}, device=device, as_numpy=False)
        return argument.deep_clone(), result

    def backward(self, state, root_gradients):
        """The value of `grad`."""
        return self.grad.eval({self.gradRoot: root_gradients, self.gradArg: state}, as_numpy=False)

    def infer_outputs(self):
        """A result like the operand."""
        return [_like(self.inputs[0])]


def _like(x):
    return ops.output_variable(x.shape, x.dtype, x.dynamic_axes)


def _input_like(x):
    options = {} if x.dtype is None else {'dtype': x.dtype}  # a placeholder's is not known
    return ops.input_variable(x.shape, dynamic_axes=x.dynamic_axes, **options)


def _straight_through(x, most):
    """The gradient of the result, where the operand's magnitude is at most `most`, else 0; then its inputs:
    the operand and the gradient of the result."""
    operand, root = _input_like(x), _input_like(x)
    return root * (abs(operand) <= most), operand, root


class SignWithEstimation(_TwoNetworks):
    """The sign as a user function. CustomSign is the same as an operator, which is faster.

    Args:
        arg: weights or activations
        name (str): of the function

    Example:
        >>> import cantik as C, numpy as np
        >>> y = C.user_function(
        ...     C.contrib.netopt.custom_convolution_ops.SignWithEstimation(C.input_variable(2))
        ... )
        >>> y.eval(np.array([[-2, 0.5]], np.float32))
        array([[-1.,  1.]], dtype=float32)
    """

    def __init__(self, arg: VariableLike, name: str = 'SignWithEstimation'):
        super().__init__([arg], as_numpy=False, name=name)
        self._runs(self.signFunc(arg), self.gradFunc(arg))

    def signFunc(self, arg: Any) -> tuple[Function, Variable]:
        """The network of the forward direction and its input."""
        operand = _input_like(arg)
        return CustomSign(operand), operand

    def gradFunc(self, arg: Any) -> tuple[Function, Variable, Variable]:
        """The network of the gradient and its inputs: the operand, and what comes back."""
        return _straight_through(arg, 1)


def _mapped(rule, *data):
    """A rule of arrays; data with a sequence axis are lists, with an array for each sequence."""
    if isinstance(data[0], list):
        return [rule(*arrays) for arrays in zip(*data)]
    return rule(*data)


def _signs(array):
    signs = np.full_like(array, -1)
    signs[array > 0] = 1
    return signs


def _passed(gradient, operand):
    return gradient * (np.abs(operand) <= 1)


class pySign(UserFunction):
    """The sign as a user function in NumPy.

    Args:
        arg: weights or activations
        name (str): of the function

    Example:
        >>> import cantik as C, numpy as np
        >>> y = C.user_function(C.contrib.netopt.custom_convolution_ops.pySign(C.input_variable(2)))
        >>> y.eval(np.array([[-2, 0.5]], np.float32))
        array([[-1.,  1.]], dtype=float32)
    """

    def __init__(self, arg: VariableLike, name: str = 'pySign'):
        super().__init__([arg], name=name)

    def forward(
        self, argument: Any, device: DeviceDescriptor | None = None, outputs_to_retain: Any = None
    ) -> tuple[Any, list[Any] | Any]:
        """1 where the operand is above 0, else -1."""
        return argument, _mapped(_signs, argument)

    def backward(self, state: Any, root_gradients: Any) -> list[Any]:
        """What comes back, where the operand's magnitude is at most 1."""
        return _mapped(_passed, root_gradients, state)

    def infer_outputs(self) -> list[Variable]:
        """A result like the operand."""
        return [_like(self.inputs[0])]

    @staticmethod
    def deserialize(inputs: Any, name: str, state: Any) -> pySign:
        """From a file."""
        return pySign(inputs[0], name)


class MultibitKernel(_TwoNetworks):
    """Sums of signs with means of each filter, as a user function. CustomMultibitKernel is the same as an
    operator, which is faster.

    Args:
        arg1: weights
        arg2 (array): the bit map: how many bits each element has
        name (str): of the function

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(init=np.array([[1, -3], [10, 30]], np.float32))
        >>> C.user_function(
        ...     C.contrib.netopt.custom_convolution_ops.MultibitKernel(w, np.ones((2, 2), int))
        ... ).eval()
        array([[ 2., -2.],
               [20., 20.]], dtype=float32)
    """

    _per_filter = True

    def __init__(self, arg1: VariableLike, arg2: Any, name: str = 'MultibitKernel'):
        super().__init__([arg1], as_numpy=False, name=name)
        self.bit_map = np.asarray(arg2) if arg1.shape is None else _checked(arg2, arg1.shape)
        self._runs(self.multiFunc(arg1), self.gradFunc(arg1))

    def multiFunc(self, arg1: VariableLike) -> tuple[Function, Variable]:
        """The network of the forward direction and its input."""
        operand = _input_like(arg1)
        return _multibit(operand, self.bit_map, None, self._per_filter, ''), operand

    def gradFunc(self, arg: Any) -> tuple[Function, Variable, Variable]:
        """The network of the gradient and its inputs: the operand, and what comes back."""
        return _straight_through(arg, self.bit_map.astype(arg.dtype))

    def serialize(self) -> dict[str, Any]:
        """The bit map, for files."""
        return {'bit_map': np.asarray(self.bit_map, np.float32)}

    @classmethod
    def _of(cls, inputs, name, state):
        return cls(inputs[0], np.asarray(state['bit_map'], np.int32), name)

    @staticmethod
    def deserialize(inputs: Any, name: str, state: Any) -> MultibitKernel:
        """From a file."""
        return MultibitKernel._of(inputs, name, state)

    def clone(self, cloned_inputs: Sequence[Any]) -> Function:
        """The same of another operand."""
        return type(self)(cloned_inputs[0], self.bit_map, self.name)


class Multibit(MultibitKernel):
    """Sums of signs with means over all of a sample or a parameter, as a user function. CustomMultibit is the
    same as an operator, which is faster.

    Args:
        arg1: weights or activations
        arg2 (array): the bit map: how many bits each element has
        name (str): of the function

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(4)
        >>> y = C.user_function(C.contrib.netopt.custom_convolution_ops.Multibit(x, np.full(4, 2)))
        >>> y.eval({x: np.array([[1, 2, -3, -4]], np.float32)})
        array([[ 1.5,  1.5, -3.5, -3.5]], dtype=float32)
    """

    _per_filter = False

    def __init__(self, arg1: VariableLike, arg2: Any, name: str = 'Multibit'):
        super().__init__(arg1, arg2, name)

    @staticmethod
    def deserialize(inputs: Any, name: str, state: Any) -> Multibit:
        """From a file."""
        return Multibit._of(inputs, name, state)
