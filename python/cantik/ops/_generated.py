"""Functions of the operators. Written by tools/generate from the registry: change the operators' files, then run it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call
from ..internal.waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'alias', 'element_times', 'exp', 'minus', 'negate', 'plus', 'relu', 'sigmoid', 'tanh', 'times', 'mean', 'sum', 'reconcile_dynamic_axes',
    'labels_to_graph', 'forward_backward', 'convolution', 'convolution_transpose', 'roipooling', 'pooling', 'unpooling', 'batch_normalization',
    'local_response_normalization', 'less', 'equal', 'greater', 'greater_equal', 'not_equal', 'less_equal', 'pow', 'element_max', 'element_min',
    'element_divide', 'log_add_exp', 'times_transpose', 'floor', 'ceil', 'round', 'clip', 'elu', 'selu', 'leaky_relu', 'param_relu',
    'straight_through_impl', 'softplus', 'softsign', 'atanh', 'sin', 'cos', 'tan', 'acos', 'asin', 'atan', 'sinh', 'cosh', 'asinh', 'log_softmax',
    'softmax', 'hardmax', 'top_k', 'hard_sigmoid', 'log', 'sqrt', 'square', 'abs', 'element_and', 'element_not', 'element_or', 'element_xor',
    'reciprocal', 'ones_like', 'zeros_like', 'eye_like', 'element_select', 'optimized_rnnstack', 'reshape', 'squeeze', 'expand_dims', 'transpose',
    'swapaxes', 'pad', 'slice', 'splice', 'unpack_batch', 'to_batch', 'one_hot', 'gather', 'flatten', 'reduce_sum', 'reduce_log_sum_exp',
    'reduce_mean', 'reduce_max', 'reduce_min', 'reduce_prod', 'reduce_l1', 'reduce_l2', 'reduce_sum_square', 'image_scaler', 'argmax', 'argmin',
    'to_sequence', 'to_sequence_like', 'random_sample', 'random_sample_inclusion_frequency', 'dropout', 'per_dim_mean_variance_normalize',
    'stop_gradient', 'assign', 'crop_manual', 'crop_automatic', 'crop_automatic_with_ancestors', 'depth_to_space', 'space_to_depth', 'cast',
    'mean_variance_normalization', 'custom_proxy_op',
]


def alias(x: Operand, name: str = '') -> Function:
    """y = x, under another name.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.alias([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('alias', (x,), (), name)


def element_times(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left * right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_times([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[1.69, 0.49, 0.01],
               [0.25, 1.21, 2.89]], dtype=float32)
    """
    return _call('element_times', (left, right), (), name)


def exp(x: Operand, name: str = '') -> Function:
    """y = e^x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.exp([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0.2725, 0.4966, 0.9048],
               [1.6487, 3.0042, 5.4739]], dtype=float32)
    """
    return _call('exp', (x,), (), name)


def minus(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left - right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.minus([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('minus', (left, right), (), name)


def negate(x: Operand, name: str = '') -> Function:
    """y = -x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.negate([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[ 1.3,  0.7,  0.1],
               [-0.5, -1.1, -1.7]], dtype=float32)
    """
    return _call('negate', (x,), (), name)


def plus(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left + right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.plus([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-2.6, -1.4, -0.2],
               [ 1. ,  2.2,  3.4]], dtype=float32)
    """
    return _call('plus', (left, right), (), name)


def relu(x: Operand, name: str = '') -> Function:
    """y = max(x, 0), with the derivative 0 at 0.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.relu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0. , 0. , 0. ],
               [0.5, 1.1, 1.7]], dtype=float32)
    """
    return _call('relu', (x,), (), name)


def sigmoid(x: Operand, name: str = '') -> Function:
    """y = 1 / (1 + exp(-x)).

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.sigmoid([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0.2142, 0.3318, 0.475 ],
               [0.6225, 0.7503, 0.8455]], dtype=float32)
    """
    return _call('sigmoid', (x,), (), name)


def tanh(x: Operand, name: str = '') -> Function:
    """y = tanh x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.tanh([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.8617, -0.6044, -0.0997],
               [ 0.4621,  0.8005,  0.9354]], dtype=float32)
    """
    return _call('tanh', (x,), (), name)


def times(left: Operand, right: Operand, output_rank: int = 1, infer_input_rank_to_map: int = -1, name: str = '') -> Function:
    """Matrix product over the last axes of left and the first of right; right keeps output_rank axes.

    y = left · right over the inner axes: [m..., k...] · [k..., n...] = [m..., n...].

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        output_rank (int): how many axes of right stay in the result
        infer_input_rank_to_map (int): leading axes of left to map over, where right's rank is to be inferred
        name (str): of the function

    Returns:
        a function of one output
    """
    return _call('times', (left, right), (output_rank, infer_input_rank_to_map), name)


def mean(*operands, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('mean')


def sum(*operands, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('sum')


def reconcile_dynamic_axes(x, dynamic_axes_as, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reconcile_dynamic_axes')


def labels_to_graph(labels, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('labels_to_graph')


def forward_backward(graph, features, blankTokenId, delayConstraint=-1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('forward_backward')


def convolution(convolution_map, operand, strides=(1,), sharing=[True], auto_padding=[True], sequential=False, dilation=(1,), reduction_rank=1, groups=1, max_temp_mem_size_in_samples=0, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('convolution')


def convolution_transpose(convolution_map, operand, strides=(1,), sharing=[True], auto_padding=[True], output_shape=None, dilation=(1,), reduction_rank=1, max_temp_mem_size_in_samples=0, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('convolution_transpose')


def roipooling(operand, rois, pooling_type, roi_output_shape, spatial_scale, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('roipooling')


def pooling(operand, pooling_type, pooling_window_shape, strides=(1,), auto_padding=[False], ceil_out_dim=False, include_pad=False, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('pooling')


def unpooling(operand, pooling_input, unpooling_type, unpooling_window_shape, strides=(1,), auto_padding=[False], name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('unpooling')


def batch_normalization(operand, scale, bias, running_mean, running_inv_std, spatial, normalization_time_constant=5000, blend_time_constant=0, epsilon=1e-05, use_cudnn_engine=False, disable_regularization=False, name='', running_count=None):
    """Not there yet, see docs/status.md."""
    raise _not_there('batch_normalization')


def local_response_normalization(operand, depth_radius, bias, alpha, beta, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('local_response_normalization')


def less(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('less')


def equal(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('equal')


def greater(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('greater')


def greater_equal(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('greater_equal')


def not_equal(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('not_equal')


def less_equal(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('less_equal')


def pow(base, exponent, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('pow')


def element_max(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_max')


def element_min(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_min')


def element_divide(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_divide')


def log_add_exp(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('log_add_exp')


def times_transpose(left, right, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('times_transpose')


def floor(arg, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('floor')


def ceil(arg, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('ceil')


def round(arg, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('round')


def clip(x, min_value, max_value, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('clip')


def elu(x, alpha=1.0, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('elu')


def selu(x, scale=1.0507009873554805, alpha=1.6732632423543772, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('selu')


def leaky_relu(x, alpha=0.01, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('leaky_relu')


def param_relu(alpha, x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('param_relu')


def straight_through_impl(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('straight_through_impl')


def softplus(x, steepness=1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('softplus')


def softsign(x, steepness=1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('softsign')


def atanh(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('atanh')


def sin(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('sin')


def cos(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('cos')


def tan(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('tan')


def acos(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('acos')


def asin(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('asin')


def atan(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('atan')


def sinh(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('sinh')


def cosh(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('cosh')


def asinh(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('asinh')


def log_softmax(x, axis=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('log_softmax')


def softmax(x, axis=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('softmax')


def hardmax(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('hardmax')


def top_k(x, k, axis=-1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('top_k')


def hard_sigmoid(x, alpha, beta, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('hard_sigmoid')


def log(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('log')


def sqrt(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('sqrt')


def square(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('square')


def abs(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('abs')


def element_and(x, y, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_and')


def element_not(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_not')


def element_or(x, y, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_or')


def element_xor(x, y, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_xor')


def reciprocal(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reciprocal')


def ones_like(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('ones_like')


def zeros_like(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('zeros_like')


def eye_like(x, sparse_output=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('eye_like')


def element_select(flag, value_if_true, value_if_false, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('element_select')


def optimized_rnnstack(operand, weights, hidden_size, num_layers, bidirectional=False, recurrent_op='lstm', name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('optimized_rnnstack')


def reshape(x, shape, begin_axis=None, end_axis=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reshape')


def squeeze(x, axes=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('squeeze')


def expand_dims(x, axis, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('expand_dims')


def transpose(x, perm, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('transpose')


def swapaxes(x, axis1=0, axis2=1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('swapaxes')


def pad(x, pattern, mode=0, constant_value=0, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('pad')


def slice(x, axis, begin_index, end_index, strides=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('slice')


def splice(*inputs, **kw_axis_name):
    """Not there yet, see docs/status.md."""
    raise _not_there('splice')


def unpack_batch(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('unpack_batch')


def to_batch(x, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('to_batch')


def one_hot(x, num_classes, sparse_output=False, axis=-1, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('one_hot')


def gather(reference, indices, axis=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('gather')


def flatten(x, axis=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('flatten')


def reduce_sum(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_sum')


def reduce_log_sum_exp(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_log_sum_exp')


def reduce_mean(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_mean')


def reduce_max(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_max')


def reduce_min(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_min')


def reduce_prod(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_prod')


def reduce_l1(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_l1')


def reduce_l2(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_l2')


def reduce_sum_square(x, axis=None, keepdims=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('reduce_sum_square')


def image_scaler(x, scalar, biases, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('image_scaler')


def argmax(x, axis=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('argmax')


def argmin(x, axis=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('argmin')


def to_sequence(x, sequence_lengths=None, sequence_axis_name_prefix='toSequence_', name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('to_sequence')


def to_sequence_like(x, dynamic_axes_like, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('to_sequence_like')


def random_sample(weights, num_samples, allow_duplicates, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('random_sample')


def random_sample_inclusion_frequency(weights, num_samples, allow_duplicates, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('random_sample_inclusion_frequency')


def dropout(x, dropout_rate=0.0, seed=None, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('dropout')


def per_dim_mean_variance_normalize(operand, mean, inv_stddev, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('per_dim_mean_variance_normalize')


def stop_gradient(input, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('stop_gradient')


def assign(ref, input, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('assign')


def crop_manual(node_input, node_referent, offset_x, offset_y, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('crop_manual')


def crop_automatic(node_input, node_referent, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('crop_automatic')


def crop_automatic_with_ancestors(node_input, node_referent, ancestor_input, ancestor_referent, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('crop_automatic_with_ancestors')


def depth_to_space(operand, block_size, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('depth_to_space')


def space_to_depth(operand, block_size, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('space_to_depth')


def cast(node_input, dtype, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('cast')


def mean_variance_normalization(operand, epsilon=1e-05, use_stats_across_channels=False, do_variance_scaling=True, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('mean_variance_normalization')


def custom_proxy_op(custom_op, output_shape, output_data_type, *operands, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('custom_proxy_op')
