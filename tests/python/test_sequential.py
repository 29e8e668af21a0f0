"""Chains of layers with several results, as CNTK 2.7 takes them."""

import numpy as np
import pytest

import cantik as C
from cantik.layers import LSTM, Dense, For, Label, Recurrence, Sequential, identity


def states(*layers):
    x = C.sequence.input_variable(2)
    return Sequential([Recurrence(LSTM(3), return_full_state=True), *layers])(x)


def shapes(f):
    return [o.shape for o in f.outputs]


def test_a_tuple_of_layers_takes_one_result_each():
    assert [o.name for o in states((Label('h'), Label('c'))).outputs] == ['h', 'c']
    assert shapes(states((Dense(4), Dense(5)))) == [(4,), (5,)]
    assert shapes(states((Sequential([Dense(4), Dense(2)]), Label('b')))) == [(2,), (3,)]
    assert shapes(states((Dense(4),))) == [(4,)]  # the others are left
    with pytest.raises(IndexError, match='2 results go into 3 functions'):
        states((Dense(4), Dense(5), Dense(6)))


def test_the_same_by_shift():
    x = C.sequence.input_variable(2)
    f = Recurrence(LSTM(3), return_full_state=True) >> (Label('h'), Label('c'))
    assert [o.name for o in f(x).outputs] == ['h', 'c']
    assert shapes((Dense(3) >> (Dense(4), Dense(5)))(C.input_variable(4))) == [(4,), (5,)]


def test_what_follows():
    assert shapes(states((Label('h'), Label('c')), lambda h, c: h + c)) == [(3,)]
    assert shapes(states((Label('h'), Label('c')), C.plus)) == [(3,)]
    assert shapes(states(C.splice, (Dense(3), Dense(2)))) == [(3,), (2,)]
    u = C.input_variable(4)
    assert shapes(Sequential([(Dense(3), Dense(4)), (Dense(5), Dense(6))])(u)) == [(5,), (6,)]
    assert shapes(For(range(2), lambda: (Dense(3), Dense(4)))(u)) == [(3,), (4,)]
    assert shapes(Sequential([[Dense(3), (Dense(4), Dense(5))], C.splice])(u)) == [(9,)]
    assert shapes(Sequential([lambda x: (x * 2, x * 3), (Label('a'), Label('b'))])(u)) == [(4,), (4,)]
    assert [
        o.name
        for o in Sequential([C.Function(lambda x: (x * 2, x * 3)), (Label('a'), Label('b'))])(u).outputs
    ] == ['a', 'b']


def test_one_result_goes_into_all():
    u = C.input_variable(4)
    assert shapes(Sequential([Dense(3), (Dense(4), Dense(5))])(u)) == [(4,), (5,)]
    assert shapes(Sequential([Dense(3), (Dense(3), identity), C.plus])(u)) == [(3,)]
    assert shapes(Sequential([(Dense(4), Dense(4)), C.plus])(u)) == [(4,)]


def test_values():
    x = C.sequence.input_variable(2)
    f = Sequential([Recurrence(LSTM(3), return_full_state=True), (Label('h'), Label('c'))])(x)
    data = [np.random.RandomState(0).randn(4, 2).astype(np.float32)]
    both = f.eval({x: data})
    h, c = (both[o][0] for o in f.outputs)
    assert h.shape == c.shape == (4, 3) and not np.allclose(h, c)
    assert np.all(np.abs(h) <= np.abs(np.tanh(c)) + 1e-6)  # h = o tanh(c)


def test_what_is_no_layer():
    u = C.input_variable(4)
    with pytest.raises(TypeError, match=r'must be a function, not \('):
        Sequential([(Dense(4), (Dense(4), Dense(4)))])(u)
    with pytest.raises(TypeError, match='must be a function, not None'):
        states((None, Label('c')))
    with pytest.raises(TypeError, match='expected 1 arguments, got 2'):
        states(Dense(3))
    with pytest.raises(TypeError):
        states((C.plus, Dense(2)))
