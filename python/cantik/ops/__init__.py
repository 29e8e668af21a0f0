"""Operators."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._limits import INFINITELY_REPEAT as INFINITELY_REPEAT
from ..variables import Variable
from ._leaves import constant, input, input_variable, output_variable, parameter, placeholder
from .functions import Function, native_user_function, register_native_user_function
from .python_functions import UserFunction as UserFunction
from ._generated import *
from ._generated import batch_normalization as _batch_normalization
from .libraries import OperatorLibrary, call, load_operators
from . import sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._types import FlagsLike, Operand, ShapeLike, VariableLike


def batch_normalization(
    operand: Operand,
    scale: Operand,
    bias: Operand,
    running_mean: Operand,
    running_inv_std: Operand,
    spatial: bool,
    normalization_time_constant: float = 5000,
    blend_time_constant: float = 0,
    epsilon: float = 0.00001,
    use_cudnn_engine: bool = False,
    disable_regularization: bool = False,
    name: str = '',
    running_count: Operand | None = None,
) -> Function:
    """y = scale * (x - mean) / sqrt(variance + epsilon) + bias, per channel. Training takes mean and variance
    of the batch and keeps running averages of them; evaluation takes the averages (Ioffe, Szegedy 2015).

    Args:
        operand: x, [channels, ...]
        scale: a parameter, one number for each channel (spatial) or each element
        bias: likewise
        running_mean: a constant of the same shape, the average of means
        running_inv_std: a constant of the same shape, the average of variances
        spatial (bool): whether statistics are taken over all positions of a channel
        normalization_time_constant (float): of the averages, in samples
        blend_time_constant (float): how many samples the averages count for in training
        epsilon (float): added to the variance
        use_cudnn_engine (bool): without meaning on CPUs
        disable_regularization (bool): tells learners to leave scale and bias out of regularization
        name (str): of the function
        running_count: a constant of one number, how many samples the averages are of

    Returns:
        a function of one output, in the shape of x

    Example:
        >>> import cantik as C
        >>> C.batch_normalization(
        ...     [[1, 3], [2, 6]], [1, 1], [0, 0], [2, 4], [1, 4], True, running_count=8
        ... ).eval().round(2)
        array([[-1.,  1.],
               [-1.,  1.]], dtype=float32)
    """
    if running_count is None:
        warnings.warn(
            "batch_normalization requires an additional 'running_count' parameter, which can be "
            "instantiated as 'constant(0)'",
            Warning,
            stacklevel=2,
        )
        running_count = constant(0)
    return _batch_normalization(
        operand,
        scale,
        bias,
        running_mean,
        running_inv_std,
        spatial,
        normalization_time_constant,
        blend_time_constant,
        epsilon,
        use_cudnn_engine,
        disable_regularization,
        running_count,
        name,
    )


def combine(*operands: Any, **kw_name: Any) -> Function:
    """Several values as the outputs of one function.

    Args:
        operands: variables and functions, or one list of them; of a function all outputs count
        name (str): of the function

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(1)
        >>> f = C.combine(x + 1, x * 2)
        >>> [v.item() for v in f.eval(np.array([[3]])).values()]
        [4.0, 6.0]
    """
    name = kw_name.pop('name', '')
    if kw_name:
        raise TypeError(f"combine got an unexpected keyword argument '{next(iter(kw_name))}'")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple, set, dict)):
        operands = operands[0]
    return _cantik.combine(list(operands), name)


def as_block(
    composite: Function,
    block_arguments_map: Sequence[tuple[Any, Any]],
    block_op_name: str,
    block_instance_name: str = '',
) -> Function:
    """A network as one function.

    Args:
        composite (Function): the network
        block_arguments_map (list): pairs of a placeholder of the network and what it stands for outside
        block_op_name (str): what kind of block it is
        block_instance_name (str): its own name

    Example:
        >>> import cantik as C
        >>> x, p = C.input_variable(2, name='x'), C.placeholder(name='p')
        >>> C.as_block(p + 1, [(p, x)], 'PlusOne').shape
        (2,)
    """
    return _cantik.as_block(composite, block_arguments_map, block_op_name, block_instance_name)


def as_composite(root_function: VariableLike, name: str = '') -> Function:
    """The network below a function.

    Args:
        root_function (Function): one of a network's functions
        name (str): of the network

    Example:
        >>> import cantik as C
        >>> z = C.input_variable(2) + 1
        >>> C.as_composite(z.root_function).shape
        (2,)
    """
    return _cantik.as_composite(root_function, name)


def associative_multi_arg(f: Callable[..., Any]) -> Callable[..., Function]:
    """Makes a function of two operands one of any number: they are paired off, then the pairs.

    Example:
        >>> import cantik as C
        >>> C.plus(1, 2, 3).eval()
        array(6., dtype=float32)
    """

    @functools.wraps(f)
    def associative_binary_operation(arg1, arg2, *more, name=''):
        def tree(operands, name):
            if len(operands) == 1:
                return operands[0]
            half = len(operands) // 2
            return f(tree(operands[:half], ''), tree(operands[half:], ''), name)

        if more and isinstance(more[-1], str) and not name:  # the name by its place, as for two operands
            more, name = more[:-1], more[-1]
        return tree((arg1, arg2) + more, name)

    return associative_binary_operation


plus = associative_multi_arg(plus)
element_times = associative_multi_arg(element_times)
element_max = associative_multi_arg(element_max)
element_min = associative_multi_arg(element_min)
log_add_exp = associative_multi_arg(log_add_exp)


def _unfolding(f):
    """A list or tuple of variables stands for the operands in it."""

    @functools.wraps(f)
    def of_operands(*operands, name=''):
        unfolded = []
        for item in operands:
            is_list = isinstance(item, (list, tuple)) and any(
                isinstance(v, (_cantik.Variable, _cantik.Function)) for v in item
            )
            unfolded.extend(item if is_list else [item])
        return f(*unfolded, name=name)

    return of_operands


sum = _unfolding(sum)
mean = _unfolding(mean)

TIMES_NO_INFERRED_INPUT_RANK = -1
TIMES_REDUCE_SEQUENCE_AXIS_WITHOUT_INFERRED_INPUT_RANK = -2
CONSTANT_PAD, REFLECT_PAD, SYMMETRIC_PAD = 0, 1, 2
MAX_POOLING, AVG_POOLING = 0, 1
MAX_UNPOOLING = MAX_POOLING
PoolingType_Max, PoolingType_Average = 0, 1


def convolution_transpose(
    convolution_map: Operand,
    operand: Operand,
    strides: ShapeLike = (1,),
    sharing: FlagsLike = [True],
    auto_padding: FlagsLike = [True],
    output_shape: ShapeLike | None = None,
    dilation: ShapeLike = (1,),
    reduction_rank: int = 1,
    max_temp_mem_size_in_samples: int = 0,
    name: str = '',
) -> Function:
    """The transpose of a convolution: y such that a convolution of the same arguments goes from y's shape to
    the operand's.

    Args:
        convolution_map: [channels, filters, taps...]: a parameter or constant
        operand: [channels, pixels...]
        strides, dilation: a number for each axis of pixels, or one for all
        sharing (list): whether the map is the same everywhere along an axis
        auto_padding (list): whether the result of the convolution was padded along an axis
        output_shape (tuple): of the result, with its channels; inferred by default
        reduction_rank (int): 0 where the operand has no channel axis
        max_temp_mem_size_in_samples (int): has no meaning here
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((3, 4, 4))
        >>> C.convolution_transpose(C.parameter((3, 2, 2, 2)), x, strides=(2, 2), auto_padding=[False]).shape
        (2, 8, 8)
    """
    return convolution(
        convolution_map,
        operand,
        strides,
        sharing,
        auto_padding,
        False,
        dilation,
        reduction_rank,
        1,
        max_temp_mem_size_in_samples,
        transpose=True,
        output_shape=() if output_shape is None else output_shape,
        name=name,
    )
