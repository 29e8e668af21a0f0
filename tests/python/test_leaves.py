"""Inputs, parameters and constants: what they may be made of, as in CNTK 2.7."""

import numpy as np
import pytest

import cantik as C


@pytest.mark.parametrize(
    'make',
    [
        lambda: C.input_variable(3, dtype=None),
        lambda: C.input(3, dtype=None),
        lambda: C.sequence.input_variable(3, dtype=None),
        lambda: C.sequence.input(3, dtype=None),
        lambda: C.parameter(3, dtype=None),
        lambda: C.Parameter(3, init=1, dtype=None),
        lambda: C.constant(3, dtype=None),
        lambda: C.Constant(3, dtype=None),
    ],
)
def test_no_element_type_is_float32(make):
    assert make().dtype is np.float32


@pytest.mark.parametrize('source', [C.parameter, C.constant])
def test_a_constant_has_the_value_that_a_parameter_had(source):
    given = source(np.float32([1, 2])) if source is C.constant else source(init=np.float32([1, 2]))
    for make in (C.constant, C.Constant):
        made = make(given)
        assert made.shape == (2,) and made.value.tolist() == [1, 2]
        given.value = np.float32([3, 4])
        assert made.value.tolist() == [1, 2]
        given.value = np.float32([1, 2])
    wide = source(np.float64([1, 2])) if source is C.constant else source(init=np.float64([1, 2]))
    assert C.constant(wide).dtype is np.float32
    assert C.constant(wide, dtype=np.float64).dtype is np.float64
    assert C.constant(source(2) if source is C.constant else source((), init=2)).shape == ()


def test_a_parameter_begins_with_the_value_of_another_one():
    first = C.parameter((2,), init=C.uniform(1, seed=3))
    second = C.parameter(init=first)
    assert second.value.tolist() == first.value.tolist()
    second.value = np.zeros(2, np.float32)
    assert first.value.any()


def test_other_variables_have_no_value_to_begin_with():
    for given in (
        C.input_variable(2),
        C.placeholder(),
        C.plus(C.constant([1.0]), 1),
        C.plus(C.constant([1.0]), 1).output,
    ):
        with pytest.raises(ValueError, match='an initial value must be a number, an array or an initializer'):
            C.constant(given)


def test_an_axis_twice():
    batch, steps = C.Axis.default_batch_axis(), C.Axis.default_dynamic_axis()
    with pytest.raises(ValueError, match='the dynamic axis defaultBatchAxis is specified more than once'):
        C.input_variable(2, dynamic_axes=[batch, batch])
    with pytest.raises(ValueError, match='the dynamic axis defaultDynamicAxis is specified more than once'):
        C.input_variable(2, dynamic_axes=[batch, steps, steps])
    assert len(C.input_variable(2, dynamic_axes=[batch, steps]).dynamic_axes) == 2


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_an_assigned_constant_takes_the_element_type(dtype):
    """As constants do beside other operands; a constant that is assigned to stays as it is."""
    for target in (C.parameter(2, init=1.0, dtype=dtype), C.constant([1, 1], dtype=dtype)):
        np.testing.assert_array_equal(C.assign(target, C.constant([1, 2])).eval(), [1, 2])
        np.testing.assert_array_equal(target.value, [1, 2])
        assert target.dtype == dtype and target.value.dtype == dtype


class ByArray:
    """As tensors of PyTorch are: an array, and where it has one element a number."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array.astype(dtype or self.array.dtype)

    def __float__(self):
        return float(self.array)

    def __dlpack__(self, **options):
        raise AssertionError('__array__ comes first')


class ByDlpack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize('kind', [np.asarray, ByArray, ByDlpack])
@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_first_values_of_other_programs(kind, dtype):
    numbers = np.arange(6, dtype=dtype).reshape(2, 3)
    for made in (
        C.parameter(init=kind(numbers)),
        C.parameter((2, 3), init=kind(numbers)),
        C.constant(kind(numbers)),
    ):
        np.testing.assert_array_equal(made.value, numbers)
        assert made.shape == (2, 3)
    assert C.parameter(init=kind(numbers)).dtype == dtype
    layer = C.layers.Dense(3, init=kind(numbers))(C.input_variable(2))
    np.testing.assert_array_equal(layer.W.value, numbers)
    assert C.parameter((2,), init=np.float32(3)).value.tolist() == [3, 3]
