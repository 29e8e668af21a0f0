"""forward and backward apart: what forward gives where nothing is to be differentiated, what backward
refuses."""

import numpy as np
import pytest

import cantik as C

DATA = np.array([[1, 2], [3, 4]], np.float32)
ONES = np.ones((2, 2), np.float32)


def test_values_without_anything_to_differentiate():
    x = C.input_variable(2, name='x')
    f = C.combine([(x * 2).output])
    state, values = f.forward({x: DATA}, f.outputs, (f.outputs[0],))
    assert np.array_equal(values[f.outputs[0]], 2 * DATA)
    with pytest.raises(ValueError, match='no gradient is taken for .*x'):
        f.backward(state, {f.outputs[0]: ONES}, {x})
    with pytest.raises(ValueError):
        f.backward(state, {f.outputs[0]: ONES}, set())


# Each reads nothing that a gradient could be taken for.
CASES = {
    'inputs': lambda x: x * 2,
    'constants': lambda x: x + C.constant([1.0, 2.0]) * 3,
    'several outputs': lambda x: C.combine([x * 2, x + 1]),
    'a block': lambda x: C.softmax(x),
    'places': lambda x: C.argmax(x),
    'drawn': lambda x: C.dropout(x, 0.5, seed=3),
    'no input': lambda x: C.constant([1.0, 2.0]) * 3,
    'a sequence': lambda x: C.sequence.past_value(C.to_sequence(C.expand_dims(x, 0))),
}


@pytest.mark.parametrize('what', CASES)
def test_all_kinds_of_functions(what):
    x = C.input_variable(2)
    f = C.as_composite(CASES[what](x))
    feeds = {x: DATA} if f.arguments else {}
    state, values = f.forward(feeds, f.outputs, f.outputs)
    assert state is not None and list(values) == list(f.outputs)
    if what != 'drawn':
        plain = f.eval(feeds)
        for output in f.outputs:
            want = plain if len(f.outputs) == 1 else plain[output]
            assert np.array_equal(np.asarray(values[output]), np.asarray(want))
    for v in f.inputs:
        with pytest.raises(ValueError, match='no gradient is taken'):
            f.backward(state, {o: np.ones_like(np.asarray(values[o])) for o in f.outputs}, {v})


def test_forward_runs_as_in_training():
    x = C.input_variable(50)
    f = C.dropout(x, 0.5, seed=3)
    _, values = f.forward({x: np.ones((1, 50), np.float32)}, f.outputs, f.outputs)
    assert set(np.unique(values[f.output])) == {0, 2}


def test_state_is_kept_only_when_asked_for():
    x, w = C.input_variable(2), C.parameter(2, init=3)
    f = x * w
    state, values = f.forward({x: DATA}, f.outputs)
    assert state is None and np.array_equal(values[f.output], 3 * DATA)
    with pytest.raises((ValueError, TypeError)):
        f.backward(state, {f.output: ONES}, {w})


def test_gradients_that_are_zero():
    x, w = C.input_variable(2), C.parameter(2, init=3)
    for f, seed in ((C.argmax(x * w), np.ones((2,), np.float32)), (C.stop_gradient(x * w), ONES)):
        state, _ = f.forward({x: DATA}, f.outputs, f.outputs)
        assert np.array_equal(f.backward(state, {f.output: seed}, {w})[w], [0, 0])
