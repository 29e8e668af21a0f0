"""Types of arguments: Tensor[3], SparseTensor[10], Sequence[Tensor[3]], for annotations and
update_signature."""

import numpy as np

from .. import _cantik
from .._checks import refused
from ..axis import Axis
from ..ops._annotations import annotated
from ..variables import VariableMixin

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


def _shape(shape):
    return shape if isinstance(shape, tuple) else (shape,)


class _TensorMeta(type):
    """Tensor[2,3] is a type; of a NumPy type in brackets it is that type itself, which Tensor[float32]
    annotations say."""

    def __getitem__(cls, shape):
        if shape == ():
            return np.float32
        first, *dims = _shape(shape)
        if isinstance(first, int):
            return VariableMixin._Type(
                shape=(first, *dims), is_sparse=cls._sparse, dynamic_axes=list(cls._axes)
            )
        dtype = _cantik.dtype(_cantik.as_dtype(first))
        if not dims:
            return {'dtype': dtype}
        return VariableMixin._Type(
            shape=tuple(dims), dtype=dtype, is_sparse=cls._sparse, dynamic_axes=list(cls._axes)
        )


class _SequenceMeta(type):
    def __getitem__(cls, item_type):
        if item_type is np.float32:  # what Tensor[()] is
            item_type = VariableMixin._Type(shape=(), is_sparse=False, dynamic_axes=[])
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
        return _SequenceMeta(
            'SequenceOver[{}]'.format(axis.name), (), {'_axes': (Axis.default_batch_axis(), axis)}
        )


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


def Signature(*args, **kwargs):
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
