"""Dense layers as two thinner ones: W, [inputs, outputs], becomes W1 · W2 with W1 : [inputs, k] and W2 : [k,
outputs]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import ops
from ..._cantik import InferredDimension
from ..._checks import callable_object, dictionary, network, refused, shown, text, whole
from ...default_options import default_override_or
from ...layers._options import chosen, dtype
from ...layers.blocks import identity
from ...misc import convert
from ...ops.functions import BlockFunction
from ...variables import Parameter
from ._blocks import function_inside, refilled, weights_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._types import ActivationLike, InitLike
    from ...ops.functions import Function

__all__ = ['svd_subprojection', 'factor_dense', 'dense_factored']


def svd_subprojection(matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The two matrices of rank k whose product is nearest to a matrix: its first k singular vectors, and
    these times their values.

    Args:
        matrix (array): [rows, columns]
        k (int): the rank; at most the matrix's own counts

    Returns:
        [rows, k] and [k, columns]

    Example:
        >>> import numpy as np
        >>> from cantik.contrib.netopt.factorization import svd_subprojection
        >>> a, b = svd_subprojection(np.array([[2.0, 0.0], [0.0, 1.0]]), 1)
        >>> np.dot(a, b)
        array([[2., 0.],
               [0., 0.]])
    """
    matrix, k = np.asarray(matrix), whole(k, 'k', 1)
    if matrix.ndim != 2 or matrix.dtype.kind not in 'biuf':
        raise refused('matrix', 'an array of numbers with two axes', matrix)
    u, s, v = np.linalg.svd(matrix, full_matrices=False)
    return np.ascontiguousarray(u[:, :k]), np.ascontiguousarray(s[:k, None] * v[:k])


def dense_factored(
    shapes: tuple[int, ...],
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = {'W1': None, 'W2': None},
    input_rank: int | None = None,
    map_rank: int | None = None,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    name: str = '',
) -> Function:
    """y = activation(x · W1 · W2 + b).

    Args:
        shapes (tuple): the inner size k, then the shape of the result
        activation: a function, a layer, or the name of an operator
        init (dict): first values of W1 and of W2; zeros where there are none
        input_rank: None: all axes of the input are summed over
        map_rank: None
        bias (bool): whether there is a b
        init_bias: first values of b
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W1 : [input..., k], W2 : [k, shape...] and b :
        [shape...]

    Example:
        >>> import cantik as C
        >>> f = C.contrib.netopt.factorization.dense_factored((2, 5))
        >>> f(C.input_variable(10)).shape, f.W1.shape, f.W2.shape
        ((5,), (10, 2), (2, 5))
    """
    if input_rank is not None or map_rank is not None:
        raise NotImplementedError(
            'dense_factored: input_rank and map_rank are not supported; all axes of the input are summed over'
        )
    if (
        not isinstance(shapes, (tuple, list))
        or len(shapes) < 2
        or not all(isinstance(n, (int, np.integer)) for n in shapes)
    ):
        raise ValueError(
            'dense_factored: shapes has to be the inner size and the shape of the result, like (2, 5), not '
            f'{shown(shapes)}'
        )
    activation, bias, init_bias = chosen(
        dense_factored, activation=activation, bias=bias, init_bias=init_bias
    )
    text(name, 'name')
    if activation is not None:
        callable_object(activation, 'activation')
    inner, outer = int(shapes[0]), tuple(int(n) for n in shapes[1:])
    values = {
        key: None if array is None else np.asarray(array, dtype())
        for key, array in ({} if init is None else dictionary(init, 'init')).items()
    }
    if any(
        array is not None
        and (array.shape[-1:] != (inner,) if key == 'W1' else array.shape != (inner,) + outer)
        for key, array in values.items()
    ):
        raise ValueError(
            f'dense_factored: W1 and W2 have the shapes {[np.shape(v) for v in values.values()]}, '
            f'which do not fit {tuple(shapes)!r}'
        )
    W1, W2 = values.get('W1'), values.get('W2')
    W1 = (
        Parameter((InferredDimension, inner), init=0, name='W1')
        if W1 is None
        else Parameter(init=W1, name='W1')
    )
    W2 = Parameter((inner,) + outer, init=0, name='W2') if W2 is None else Parameter(init=W2, name='W2')
    b = Parameter(outer, init=init_bias, name='b') if bias else None

    @BlockFunction('DenseFactored', name)
    def dense(x):
        r = ops.times(ops.times(x, W1, infer_input_rank_to_map=0), W2, output_rank=len(outer))
        r = r if b is None else r + b
        return r if activation is None or activation is identity else activation(r)

    return dense


def _is_dense(node):
    return node.is_block and node.op_name == 'Dense'


def factor_dense(
    model: Function,
    projection_function: Callable[[np.ndarray], int] | None = None,
    filter_function: Callable[[Function], bool] | None = None,
    factor_function: Callable[..., Any] | None = None,
) -> Function:
    """A copy of a model with dense layers factored. Bias and activation of a layer stay; so does the rest of
    the model, with its parameters.

    Args:
        model (Function): the network
        projection_function: from a layer's W to the rank k; may be left out where there is a factor_function,
          which then gets W's least side
        filter_function: from a layer to whether it is factored; by default all are
        factor_function: from W and k to the two matrices; by default `svd_subprojection`

    Returns:
        the copy

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(20, activation=C.relu)(C.input_variable(30))
        >>> small = C.contrib.netopt.factorization.factor_dense(z, projection_function=lambda W: 4)
        >>> sorted(p.shape for p in small.parameters)
        [(4, 20), (20,), (30, 4)]
    """
    if projection_function is None and factor_function is None:
        raise ValueError('Dense: default factor function (svd) requires a projection_function.')
    network(model, 'model')
    for what, function in (
        ('projection_function', projection_function),
        ('filter_function', filter_function),
        ('factor_function', factor_function),
    ):
        if function is not None:
            callable_object(function, what)
    factor = factor_function or svd_subprojection

    def chosen_layer(node):
        return _is_dense(node) and (filter_function is None or filter_function(node))

    def converter(node):
        product = function_inside(node, 'Times')
        W = weights_of(product).value
        if W.ndim != 2:
            raise NotImplementedError(
                f'factor_dense: the layer {node.name or node.uid} has a W of the shape {W.shape}; '
                'only matrices are factored'
            )
        W1, W2 = (
            np.ascontiguousarray(m, W.dtype)
            for m in factor(W, min(W.shape) if projection_function is None else projection_function(W))
        )
        if W1.ndim != 2 or W2.ndim != 2 or W1.shape[1] != W2.shape[0] or (len(W1), W2.shape[1]) != W.shape:
            raise ValueError(
                f'factor_dense: W of the shape {W.shape} became {W1.shape} and {W2.shape}, whose '
                'product has another shape'
            )
        W1, W2 = Parameter(init=W1, name='W1'), Parameter(init=W2, name='W2')
        return refilled(
            node,
            product,
            lambda x: ops.times(ops.times(x, W1), W2),
            'DenseFactored',
            node.name or 'DenseFactored',
        )

    return convert(model, chosen_layer, converter)
