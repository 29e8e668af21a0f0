"""Types of arguments as mappings: what they say, and variables that are made of them."""

import numpy as np
import pytest

import cantik as C
from cantik.layers.typing import ParameterTensor, Sequence, SequenceOver, SparseTensor, Tensor


def test_types_of_numbers():
    # As CNTK 2.7 makes them. Its float is float32, as in annotations.
    batch, axis = C.Axis.default_batch_axis(), C.Axis.new_unique_dynamic_axis('a')
    for kind, dtype, printed in (
        (Tensor[()], np.float32, 'float'),
        (Tensor[np.float64], np.float64, 'np.float64'),
        (Tensor[np.float32], np.float32, 'np.float32'),
    ):
        x = C.input_variable(**kind)
        assert (x.shape, x.dtype, x.dynamic_axes, str(kind)) == ((), dtype, (batch,), printed)
        assert C.Function.with_signature(kind)(lambda x: x + 1).arguments[0].dtype == dtype
    assert SparseTensor[()].is_sparse and ParameterTensor[np.float64].dynamic_axes == []
    assert C.input_variable(**Tensor[np.int64(3), np.int32(2)]).shape == (3, 2)
    for kind, dtype in (
        (Sequence[Tensor[()]], None),
        (Sequence[float], np.float32),
        (Sequence[Tensor[np.float64]], np.float64),
    ):
        assert kind.shape == () and kind.get('dtype') is dtype
        assert C.input_variable(**kind).dynamic_axes == (batch, C.Axis.default_dynamic_axis())
    assert SequenceOver[axis][Tensor[2]].dynamic_axes == [batch, axis]
    with pytest.raises(TypeError, match=r'a dimension of a type must be a number, not .a.'):
        Tensor[2, 'a']
    with pytest.raises(TypeError, match='the item of a Sequence must be a type such as'):
        Sequence[Tensor]
    with pytest.raises(TypeError, match='the item of a Sequence must be a type such as'):
        Sequence[np.array([2, 3])]


def test_the_type_of_a_variable_makes_another_one():
    x = C.input_variable(2, name='q', needs_gradient=True)
    assert sorted(x._type) == ['dtype', 'dynamic_axes', 'is_sparse', 'needs_gradient', 'shape']
    again = C.input_variable(**x._type)
    assert again.name == '' and again.needs_gradient and again.shape == (2,)


def test_a_text_for_the_shape_of_a_placeholder():
    # CNTK 2.7 takes it for one axis of a size to be inferred.
    for p, name in ((C.placeholder('p'), ''), (C.placeholder('p', name='n'), 'n')):
        assert p.name == name and p.shape == (C.InferredDimension,)
