"""Sequences of different lengths in models that were written as ONNX and read again: steps and batch are axes
there, and what went over the steps of a sequence does so again."""

import numpy as np
import pytest

import cantik as C

x = C.sequence.input_variable(2)
DATA = [np.arange(6, dtype=np.float32).reshape(3, 2), np.array([[5, 6]], np.float32)]
NETWORKS = {
    'last': lambda: C.sequence.last(x),
    'first': lambda: C.sequence.first(x),
    'fold': lambda: C.layers.Dense(2)(C.layers.Fold(C.layers.LSTM(3))(x)),
    'recurrence': lambda: C.layers.Recurrence(C.layers.GRU(3))(x),
    'backwards': lambda: C.layers.Recurrence(C.layers.LSTM(3), go_backwards=True)(x),
    'softmax': lambda: C.sequence.softmax(x),
    'broadcast': lambda: x + C.sequence.broadcast_as(C.sequence.last(x), x),
    'sum': lambda: C.sequence.reduce_sum(x),
    'largest': lambda: C.sequence.reduce_max(x),
    'future': lambda: C.sequence.future_value(x),
    'attention': lambda: C.sequence.reduce_sum(x * C.sequence.softmax(C.layers.Dense(1)(x))),
}


def read_again(z, folder):
    z.save(str(folder / 'model.onnx'), format=C.ModelFormat.ONNX)
    return C.load_model(str(folder / 'model.onnx'))


@pytest.mark.parametrize('name', sorted(NETWORKS))
def test_each_sequence_by_itself(name, tmp_path):
    z = NETWORKS[name]()
    read = read_again(z, tmp_path)
    for mine, wanted in zip(read.eval({read.arguments[0]: DATA}), z.eval({x: DATA})):
        np.testing.assert_allclose(mine, wanted, rtol=1e-5, atol=1e-6)


def test_what_takes_the_steps_as_an_axis_wants_sequences_of_one_length(tmp_path):
    """Numbers of the padding came out as if they were steps."""
    steps = C.sequence.unpack(x, 0, no_mask_output=True)
    read = read_again(C.reduce_mean(steps, axis=0), tmp_path)
    same = [np.ones((2, 2), np.float32), np.full((2, 2), 3, np.float32)]
    np.testing.assert_allclose(np.ravel(read.eval({read.arguments[0]: same})), [1, 1, 3, 3])
    with pytest.raises(ValueError, match='takes the steps of all sequences as one axis'):
        read.eval({read.arguments[0]: DATA})


@pytest.mark.parametrize('scale', [0.5, 1])
def test_recurrences_over_axes_that_a_run_makes(scale, tmp_path):
    """The second import of such a graph numbered its inputs in another order: the process ended."""
    z = C.layers.Recurrence(lambda h, v: scale * h + v)(C.sequence.broadcast_as(C.sequence.reduce_sum(x), x))
    read = read_again(z, tmp_path)
    for mine, wanted in zip(read.eval({read.arguments[0]: DATA}), z.eval({x: DATA})):
        np.testing.assert_allclose(mine, wanted, rtol=1e-6)


TWO_AXES = {
    'a sum': lambda a, b: a + b,
    'a table': lambda a, b: C.splice(a, b),
    'a product': lambda a, b: C.times_transpose(a, b),
    'a choice': lambda a, b: C.element_select(C.greater(a, b), b, a),
    'a recurrence': lambda a, b: C.layers.Recurrence(C.layers.GRU(2))(C.splice(a, b)),
}


@pytest.mark.parametrize('name', TWO_AXES)
def test_sequences_of_two_axes_that_meet(name, tmp_path):
    """ONNX has no sequence axes: what meets in one node has the same steps there."""
    a = C.sequence.input_variable(2, name='a', sequence_axis=C.Axis('A'))
    b = C.sequence.input_variable(2, name='b', sequence_axis=C.Axis('B'))
    z = TWO_AXES[name](a, C.reconcile_dynamic_axes(b, a))
    read = read_again(z, tmp_path)
    other = [np.cos(d) for d in DATA]
    names = {v.name: v for v in read.arguments}
    for mine, wanted in zip(read.eval({names['a']: DATA, names['b']: other}), z.eval({a: DATA, b: other})):
        np.testing.assert_allclose(mine, wanted, rtol=1e-5, atol=1e-6)
