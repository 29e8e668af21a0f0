"""Inputs, parameters and constants: what they may be made of, as in CNTK 2.7."""

import copy

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


def test_comparing_a_variable_asks_whether_it_is_the_same():
    x, y, w = C.input_variable(2), C.input_variable(2), C.parameter(2)
    f = x + 1
    assert x == x and x != y and x != w and f.output == f and f == f.output and x != f
    assert x != None and not x == None  # noqa: E711
    assert x in [y, x] and f in [0, f] and {x: 1}[x] == 1 and C.combine([x + 1, x + 2]) != 0
    for v in (x, w, C.constant(2), C.placeholder(), f.output):
        for other in (0, 1.5, 'a', [1, 2], (), np.float32(1), np.ones(2, np.float32), object()):
            for wrong in (lambda: v == other, lambda: v != other, lambda: v in [other]):
                with pytest.raises(TypeError, match=r'(?s)the same variable.*equal\(x, y\)'):
                    wrong()


def test_copies_are_the_same_objects():
    """In CNTK they are other names of them; a deep copy is an error there."""
    x, w = C.input_variable(2), C.parameter(2)
    f = C.reduce_sum(x * w)
    learner = C.adam([w], 0.1, 0.9)
    rates = [C.learning_parameter_schedule(0.1), C.momentum_schedule(0.9)]
    value, view = C.Value(np.ones((2, 2), np.float32)), C.NDArrayView.from_dense(np.ones(2, np.float32))
    trainer, evaluator = C.Trainer(f, (f, f), [learner]), C.Evaluator(f)
    printer, init = C.logging.ProgressPrinter(), C.glorot_uniform()
    for original in (x, w, f, learner, *rates, value, view, trainer, evaluator, printer, init, C.cpu()):
        assert copy.copy(original) is original
    for original in (w, learner, *rates, value, view, trainer, C.cpu()):
        with pytest.raises(TypeError):
            copy.deepcopy(original)


def test_a_function_needs_a_gradient_where_a_leaf_does():
    p, sized, w = C.placeholder(), C.placeholder(2), C.parameter(2)
    for f in (
        p + 1,
        sized + 1,
        C.Function(lambda x: x + 1),
        C.layers.Stabilizer(enable_self_stabilization=False),
    ):
        assert not f.needs_gradient and not f.output.needs_gradient
    for f in (p + w, sized * w, C.layers.Dense(2), C.layers.Dense(2)(sized)):
        assert f.needs_gradient
    x = C.input_variable(2, needs_gradient=True)
    f = p + 1
    f.replace_placeholders({p: x})
    assert f.needs_gradient and np.array_equal(C.reduce_sum(f).grad({x: [[1, 2]]}), [[1, 1]])


def test_operands_with_several_outputs():
    x = C.input_variable(2)
    two = C.combine([x + 1, x + 2])
    for wrong in (lambda: two + 1, lambda: 1 - two, lambda: C.plus(x, two), lambda: C.tanh(two)):
        with pytest.raises(ValueError, match='expected single output, but got 2'):
            wrong()
    with pytest.raises(RuntimeError, match='more than one output'):
        two.output


def test_sanitize_function_of_variables():
    x = C.input_variable(2)
    for v in (x, C.parameter(2), C.constant(2), C.placeholder(2), (x + 1).output):
        f = C.internal.sanitize_function(v)
        assert isinstance(f, C.Function) and f.outputs == (v,)
    f = x + 1
    assert C.internal.sanitize_function(f) is f
