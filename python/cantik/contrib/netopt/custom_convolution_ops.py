"""Signs, and sums of signs, of weights and activations, with gradients that go straight through."""
import numpy as np

from ... import ops
from ...internal import sanitize_input
from ...variables import Constant

__all__ = ['CustomSign', 'CustomMultibit', 'CustomMultibitKernel']


def CustomSign(input):
    """1 where the input is above 0, else -1. The gradient is that of the input where its magnitude is at most 1, else 0.

    Args:
        input: weights or activations

    Example:
        >>> import cantik as C, numpy as np
        >>> y = C.contrib.netopt.custom_convolution_ops.CustomSign(C.input_variable(3))
        >>> y.eval(np.array([[-2, 0, .5]], np.float32))
        array([[-1., -1.,  1.]], dtype=float32)
    """
    return ops.straight_through_impl(input, name='SignWithEstimation')


def CustomMultibit(input, bit_map, mean_bits=None):
    """A sum of signs near the input, one for each bit, each times the mean magnitude of what is left. The mean is over all of a sample, or of a parameter.

    Args:
        input: weights or activations
        bit_map: how many bits: one number, or an array with one for each element
        mean_bits (float): draws the bit map instead, around this number

    Returns:
        a function; its gradient is that of the input where its magnitude is not above the number of bits, else 0

    Example:
        >>> import cantik as C, numpy as np
        >>> y = C.contrib.netopt.custom_convolution_ops.CustomMultibit(C.input_variable(4), 2)
        >>> y.eval(np.array([[1, 2, -3, -4]], np.float32))
        array([[ 1.5,  1.5, -3.5, -3.5]], dtype=float32)
    """
    return _multibit(input, bit_map, mean_bits, False, 'Multibit')


def CustomMultibitKernel(input, bit_map, mean_bits=None):
    """The same with means of each filter, which are slices along the first axis: for weights.

    Args:
        input: weights
        bit_map: how many bits: one number, or an array with one for each element
        mean_bits (float): draws the bit map instead, around this number

    Returns:
        a function; its gradient is that of the input where its magnitude is not above the number of bits, else 0

    Example:
        >>> import cantik as C, numpy as np
        >>> w = C.parameter(init=np.array([[1, -3], [10, 30]], np.float32))
        >>> C.contrib.netopt.custom_convolution_ops.CustomMultibitKernel(w, 1).eval()
        array([[ 2., -2.],
               [20., 20.]], dtype=float32)
    """
    return _multibit(input, bit_map, mean_bits, True, 'MultibitKernel')


def _multibit(input, bit_map, mean_bits, per_filter, name):
    input = sanitize_input(input)
    if mean_bits:
        bit_map = np.maximum(np.round(np.random.normal(mean_bits, 1, input.shape)), 1)
        print('Mean Bits: ', np.mean(bit_map))
    bit_map = np.asarray(bit_map)
    if bit_map.ndim and bit_map.shape != input.shape:
        raise ValueError('the bit map has the shape {}, the input {}: give one number for all, or one for each element'.format(bit_map.shape, input.shape))
    levels = int(np.max(bit_map)) if bit_map.size else 0
    if bit_map.size == 0 or np.min(bit_map) < 0 or levels < 1 or np.any(bit_map != np.round(bit_map)):
        raise ValueError('numbers of bits are whole, not below 0, and at least one of them is above 0')
    dtype = input.dtype if input.dtype in (np.float32, np.float64) else np.float32
    return ops.multibit(input, Constant(bit_map.astype(dtype), name='bit_map'), levels=levels, per_filter=per_filter, name=name)
