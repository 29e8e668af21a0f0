"""Types of arguments: Tensor[3], SparseTensor[10], Sequence[Tensor[3]], for annotations and
update_signature."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import refused, whole
from ..axis import Axis
from ..ops._annotations import annotated, is_number, type_of
from ..variables import VariableMixin

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    'Tensor',
    'SparseTensor',
    'ParameterTensor',
    'tensor',
    'Sequence',
    'SequenceOver',
    'SequenceOverMeta',
    'Signature',
]


class _TensorMeta(type):
    """Tensor[2, 3] is a type; an element type may stand before the dimensions: Tensor[float64, 3]. Without
    dimensions it is the type of one number a sample."""

    def __getitem__(cls, sizes):
        sizes, element = sizes if isinstance(sizes, tuple) else (sizes,), {}
        if sizes and not isinstance(sizes[0], numbers.Integral):
            element, sizes = {'dtype': _cantik.dtype(_cantik.as_dtype(sizes[0]))}, sizes[1:]
        shape = tuple(whole(size, 'a dimension of a type') for size in sizes)
        return VariableMixin._Type(
            shape=shape, **element, is_sparse=cls._sparse, dynamic_axes=list(cls._axes)
        )


class _SequenceMeta(type):
    def __getitem__(cls, item_type):
        if is_number(item_type):
            item_type = Tensor[()].updated_with(**type_of(item_type))
        if not isinstance(item_type, VariableMixin._Type):
            raise refused('the item of a Sequence', 'a type such as Tensor[3]', item_type)
        if any(axis.is_sequence_axis for axis in item_type['dynamic_axes']):
            raise TypeError('sequences over sequences are currently not supported')
        return item_type.updated_with(dynamic_axes=cls._axes)


class SequenceOverMeta(type):
    """SequenceOver[axis] is as Sequence, over an axis of its own."""

    def __getitem__(cls, axis):
        if not isinstance(axis, Axis):
            raise refused('the axis of a SequenceOver', 'an Axis', axis)
        return _SequenceMeta(f'SequenceOver[{axis.name}]', (), {'_axes': [Axis.default_batch_axis(), axis]})


Tensor = _TensorMeta(
    'Tensor',
    (),
    {
        '_sparse': False,
        '_axes': (Axis.default_batch_axis(),),
        '__doc__': 'Dense samples of a batch: Tensor[shape].',
    },
)
SparseTensor = _TensorMeta(
    'SparseTensor',
    (),
    {
        '_sparse': True,
        '_axes': (Axis.default_batch_axis(),),
        '__doc__': 'Sparse samples of a batch: SparseTensor[shape].',
    },
)
ParameterTensor = _TensorMeta(
    'ParameterTensor',
    (),
    {'_sparse': False, '_axes': (), '__doc__': 'A value without a batch: ParameterTensor[shape].'},
)
tensor = Tensor[-2]
Sequence = _SequenceMeta(
    'Sequence',
    (),
    {
        '_axes': Axis.default_input_variable_dynamic_axes(),
        '__doc__': 'Sequences of samples: Sequence[Tensor[shape]].',
    },
)
SequenceOver = SequenceOverMeta(
    'SequenceOver', (), {'__doc__': 'Sequences over an axis of their own: SequenceOver[axis][Tensor[shape]].'}
)


def Signature(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """A decorator that gives types to a Python function's arguments, as annotations do.

    Example:
        >>> import cantik as C
        >>> from cantik.layers.typing import Signature, Tensor
        >>> @C.Function
        ... @Signature(Tensor[2])
        ... def f(x):
        ...     return x + 1
        >>> f.arguments
        (Input('x', [#], [2]),)
    """

    return lambda f: annotated(f, args, kwargs)
