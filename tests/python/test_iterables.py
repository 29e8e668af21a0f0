"""Views of dictionaries and generators where lists of variables or numbers are asked for, as in CNTK."""

import numpy as np
import pytest

import cntk as C

KINDS = {
    'keys': lambda items: dict.fromkeys(items).keys(),
    'values': lambda items: dict(enumerate(items)).values(),
    'generator': lambda items: (item for item in items),
    'iterator': lambda items: iter(list(items)),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def of(request):
    return request.param


def model():
    x = C.input_variable(2)
    z = C.layers.Dense(3, init=1)(x)
    return x, z, C.reduce_sum(z)


def test_gradients(of):
    x, z, loss = model()
    at = {x: [[1, 2]]}
    found = loss.grad(at, wrt=of(z.parameters))
    assert set(found) == set(z.parameters)
    found, outputs = loss.grad(at, wrt=z.parameters, outputs=of([loss.output, z.output]))
    assert set(found) == set(z.parameters)
    np.testing.assert_array_equal(outputs[z.output], [[3, 3, 3]])


def test_results_keep_the_keys_that_were_given(of):
    """A function of one output is a key as well as that output."""
    x, z, loss = model()
    both = C.combine([z, loss])
    results = both.eval({x: [[1, 2]]}, outputs=of([z, loss.output]))
    assert [type(key) for key in results] == [type(z), type(loss.output)]


def test_forward_and_backward(of):
    x, z, _ = model()
    state, outputs = z.forward({x: [[1, 2]]}, of([z.output]), of([z.output]))
    np.testing.assert_array_equal(outputs[z.output], [[3, 3, 3]])
    found = z.backward(state, {z.output: np.ones((1, 3), np.float32)}, of(z.parameters))
    assert set(found) == set(z.parameters)


def test_training(of):
    x, z, loss = model()
    trainer = C.Trainer(z, (loss, None), C.sgd(of(z.parameters), 0.1))
    _, outputs = trainer.train_minibatch({x: [[1, 2]]}, outputs=of([z.output]))
    np.testing.assert_array_equal(outputs[z.output], [[3, 3, 3]])


def test_shapes():
    x = C.input_variable(map(int, ['2', '3']))
    assert x.shape == (2, 3)
    assert C.parameter(range(2, 4)).shape == (2, 3)
    assert C.reshape(x, (n for n in (3, 2))).shape == (3, 2)
    assert C.layers.Dense(dict.fromkeys([4, 5]).keys())(x).shape == (4, 5)


def test_errors_of_iterables_are_the_programs_own():
    x, z, loss = model()

    def broken():
        yield z.parameters[0]
        raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        loss.grad({x: [[1, 2]]}, wrt=broken())
    with pytest.raises(TypeError, match='not a list of int'):
        C.sgd([1], 0.1)
    with pytest.raises(TypeError, match='were expected, not str'):
        loss.grad({x: [[1, 2]]}, wrt='W')
    with pytest.raises(TypeError, match='were expected, not int'):
        loss.grad({x: [[1, 2]]}, wrt=3)
    with pytest.raises(TypeError):
        C.input_variable({'a': 1}.keys())
