"""Annotations of functions: types of variables, and what readers alone are told."""

import typing

import numpy as np
import pytest

import cantik as C


@pytest.mark.parametrize(
    'kind', [int, bool, str, list, object, np.ndarray, C.Variable, {}, 'text', [3], None]
)
def test_annotations_that_are_no_types(kind):
    """As in CNTK, they are for readers."""

    def step(a, b):
        return a + b

    step.__annotations__ = {'a': kind, 'return': kind}
    f = C.Function(step)
    assert str(f) == 'Plus(a: Sequence[tensor], b: Sequence[tensor]) -> Sequence[tensor]'
    step.__annotations__ = {'a': C.layers.typing.Tensor[3], 'b': float}
    assert str(C.Function(step)) == 'Plus(a: Tensor[3], b: np.float32) -> Tensor[3]'


def test_sequences_of_python_are_no_types():
    def last(a: typing.Sequence[C.layers.typing.Tensor[3]]):
        return C.sequence.last(a)

    with pytest.raises(TypeError, match='layers.typing.Sequence'):
        C.Function(last)


def test_types_with_a_size_that_is_open():
    from cantik.layers.typing import Sequence, Tensor, tensor

    assert [str(t) for t in (Tensor[-2, 3], Tensor[-1], tensor, Sequence[Tensor[-2, 3]])] == [
        'Tensor[-2,3]',
        'Tensor[-1]',
        'tensor',
        'Sequence[Tensor[-2,3]]',
    ]
    assert Tensor[-2, 3].shape_is_known and not tensor.shape_is_known
